//! Shards as tasks of Slurm.

use crate::cup::{assert_same_tables, cup, field};
use crate::slurm::Slurm;
use crate::support::{LIMIT, arena, until};

#[test]
#[ignore = "needs Slurm"]
fn eight_shards_on_two_nodes_of_which_one_is_killed() {
    let Some(slurm) = Slurm::start() else { return };
    let dir = field();
    let shard = format!("{} tournament {} -j 1 --shard auto/8", arena(), cup());
    let job = slurm.submit(&dir, "0-7", &shard);
    let lines = |index: usize| dir.journal_lines(&format!("cup/shards/{index}-of-8"));
    // One task of the first node is queued anew in the middle of its games.
    let mut requeued = None;
    until(LIMIT, "a task plays", || {
        requeued = slurm.running(&job, "n1").into_iter().find(|index| lines(*index) > 3);
        requeued.is_some()
    });
    let requeued = requeued.expect("a task");
    slurm.requeue(&job, requeued);
    // All tasks of the other one are lost.
    until(LIMIT, "tasks play on the other node", || slurm.running(&job, "n2").iter().any(|index| lines(*index) > 3));
    slurm.kill_node("n2");
    slurm.wait(&job);
    let restarted = dir.read(&format!("out/task-{requeued}"));
    assert!(restarted.contains("already played"), "it went on: {restarted}");
    let merged = dir.arena_ends(0, "merge cup --missing");
    assert_eq!(merged.stdout, "\n", "{}", merged.stderr);
    dir.arena_ends(0, "merge cup");
    assert_same_tables(&dir);
}

#[test]
#[ignore = "needs Slurm"]
fn a_task_that_fails_is_missing_and_is_submitted_again() {
    let Some(slurm) = Slurm::start() else { return };
    let dir = field();
    let shard = format!("{} tournament {} -j 1 --shard auto/4", arena(), cup().replace("--rounds 20", "--rounds 2"));
    // The third is killed by its limit, so to speak.
    let job = slurm.submit(&dir, "0-3", &format!("test $SLURM_ARRAY_TASK_ID = 2 || {shard}"));
    slurm.wait(&job);
    let missing = dir.arena_ends(3, "merge cup --missing").stdout;
    assert_eq!(missing, "2\n");
    // `SLURM_ARRAY_TASK_COUNT` is 1 now, which the number of shards does not depend on.
    let job = slurm.submit(&dir, missing.trim(), &shard);
    slurm.wait(&job);
    assert_eq!(dir.arena_ends(0, "merge cup --missing").stdout, "\n");
    // An array from 1 on is refused by name.
    let job = slurm.submit(&dir, "4", &shard);
    slurm.wait(&job);
    assert!(dir.read("out/task-4").contains("SLURM_ARRAY_TASK_ID=4; the array must have the indices 0 to 3"));
}
