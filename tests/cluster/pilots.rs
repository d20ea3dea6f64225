//! Tasks of Slurm that are workers.

use crate::cup::{assert_same_tables, cup};
use crate::kit::{await_part, coordinator, ends, field_and_server};
use crate::slurm::Slurm;
use crate::support::{LIMIT, arena, until};

#[test]
#[ignore = "needs Slurm and nats-server"]
fn slurm_tasks_that_are_workers_of_which_some_are_lost() {
    let Some(slurm) = Slurm::start() else { return };
    let Some((dir, server)) = field_and_server() else { return };
    let worker = format!("{} worker --nats {} --slots 1 --idle 60s", arena(), server.url());
    let job = slurm.submit(&dir, "0-3", &format!("XDG_CACHE_HOME=$PWD/cache-$SLURM_ARRAY_TASK_ID {worker}"));
    until(LIMIT, "both nodes have tasks", || ["n1", "n2"].iter().all(|node| !slurm.running(&job, node).is_empty()));
    let coordinator = coordinator(&dir, &server, &cup());
    await_part(&dir, 10);
    slurm.requeue(&job, slurm.running(&job, "n1")[0]);
    await_part(&dir, 20);
    slurm.kill_node("n2");
    ends(coordinator, 0);
    assert_same_tables(&dir);
    let said = (0..4).map(|task| dir.read(&format!("out/task-{task}"))).collect::<String>();
    assert!(said.contains("stopping after the running games"), "Slurm asks the task that is queued anew: {said}");
    slurm.cancel(&job);
}
