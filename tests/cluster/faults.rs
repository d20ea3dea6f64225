//! Whatever fails, the tables are those of one process.

use std::time::Duration;

use rustix::process::Signal;

use crate::cup::{GAMES, assert_same_tables, assert_same_tables_of, cup, decided, swiss};
use crate::kit::{LIMIT, await_part, coordinator, ends, field_and_server, worker};
use crate::machine::start_on;
use crate::support::until;

#[test]
#[ignore = "needs nats-server"]
fn workers_and_a_server_that_are_killed_or_stopped_change_nothing() {
    let Some((dir, mut server)) = field_and_server() else { return };
    let killed = worker(&dir, &server, "w1");
    let stopped = worker(&dir, &server, "w2");
    let steady = worker(&dir, &server, "w3");
    let coordinator = coordinator(&dir, &server, &cup());
    await_part(&dir, 10);
    drop(killed);
    await_part(&dir, 20);
    stopped.signal(Signal::STOP);
    // It is heard of no more, and what it had is played by the other one.
    let listed = || ends(start_on(&dir, "home", &format!("workers --nats {}", server.url())), 0).stdout;
    until(LIMIT, "the stopped worker is given up", || !listed().contains(&format!("-{}-", stopped.pid())));
    server.kill();
    server.restart();
    stopped.signal(Signal::CONT);
    ends(coordinator, 0);
    assert_same_tables(&dir);
    dir.arena_ends(0, "verify cup");
    // They wait for the next tournament; a worker that is asked to leave does.
    for worker in [stopped, steady] {
        worker.signal(Signal::TERM);
        ends(worker, 0);
    }
}

#[test]
#[ignore = "needs nats-server"]
fn a_wiped_broker_and_a_killed_coordinator_lose_nothing() {
    let Some((dir, mut server)) = field_and_server() else { return };
    let _workers = ["w1", "w2"].map(|name| worker(&dir, &server, name));
    let killed = coordinator(&dir, &server, &cup());
    await_part(&dir, 25);
    assert!(killed.kill_if_there());
    server.kill();
    server.wipe();
    server.restart();
    let journal = || dir.read("results/cup/games.jsonl");
    let known = journal();
    ends(coordinator(&dir, &server, &format!("{} --resume", cup())), 0);
    let whole = known.rfind('\n').expect("a line");
    assert_eq!(journal()[..whole], known[..whole], "what was known is kept");
    assert_same_tables(&dir);
}

#[test]
#[ignore = "needs nats-server"]
fn a_broker_that_is_wiped_while_the_coordinator_runs_is_filled_again() {
    let Some((dir, mut server)) = field_and_server() else { return };
    let _workers = ["w1", "w2"].map(|name| worker(&dir, &server, name));
    let coordinator = coordinator(&dir, &server, &cup());
    await_part(&dir, 25);
    server.kill();
    server.wipe();
    server.restart();
    ends(coordinator, 0);
    assert_same_tables(&dir);
}

#[test]
#[ignore = "needs nats-server"]
fn a_stopped_coordinator_goes_on_where_it_was() {
    let Some((dir, server)) = field_and_server() else { return };
    let _workers = ["w1", "w2"].map(|name| worker(&dir, &server, name));
    let stopped = coordinator(&dir, &server, &cup());
    await_part(&dir, 25);
    stopped.signal(Signal::INT);
    let stopped = ends(stopped, 3);
    assert!(stopped.stderr.contains("resume with"), "{stopped}");
    assert!(dir.journal("cup").games.len() < GAMES);
    ends(coordinator(&dir, &server, &format!("{} --resume", cup())), 0);
    assert_same_tables(&dir);
}

#[test]
#[ignore = "needs nats-server"]
fn a_worker_that_leaves_hands_its_games_to_others_at_once() {
    let Some((dir, server)) = field_and_server() else { return };
    let leaving = worker(&dir, &server, "w1");
    // Its timeout is longer than this test waits.
    let flags = format!("coordinate --nats {} --worker-timeout 600s --quiet {}", server.url(), cup());
    let coordinator = start_on(&dir, "home", &flags);
    await_part(&dir, 25);
    leaving.signal(Signal::TERM);
    ends(leaving, 0);
    let _other = worker(&dir, &server, "w2");
    ends(coordinator, 0);
    assert_same_tables(&dir);
}

#[test]
#[ignore = "needs nats-server"]
fn a_machine_whose_games_were_dropped_is_played_again_by_workers() {
    let Some((dir, server)) = field_and_server() else { return };
    for shard in ["0/2", "1/2"] {
        dir.arena_ends(0, &format!("tournament {} -j 2 --quiet --shard {shard}", cup()));
    }
    // Here all of them are of one machine.
    let host = dir.journal("cup/shards/0-of-2").games[0].host.clone();
    dir.arena_ends(3, &format!("merge cup --drop-machine {host}"));
    let _workers = ["w1", "w2"].map(|name| worker(&dir, &server, name));
    ends(coordinator(&dir, &server, &format!("{} --resume", cup())), 0);
    assert_same_tables(&dir);
}

#[test]
#[ignore = "needs nats-server"]
fn a_swiss_is_the_same_over_workers() {
    let Some((dir, server)) = field_and_server() else { return };
    let _workers = ["w1", "w2"].map(|name| worker(&dir, &server, name));
    ends(coordinator(&dir, &server, &swiss()), 0);
    assert_same_tables_of(&dir, &format!("tournament {}", swiss()));
}

#[test]
#[ignore = "needs nats-server"]
fn a_match_ends_by_the_same_game_over_workers() {
    let Some((dir, server)) = field_and_server() else { return };
    let _workers = ["w1", "w2"].map(|name| worker(&dir, &server, name));
    ends(start_on(&dir, "home", &format!("{} --quiet --nats {}", decided(), server.url())), 0);
    assert_same_tables_of(&dir, &decided());
}

#[test]
#[ignore = "needs nats-server"]
fn resuming_needs_something_to_resume() {
    let Some((dir, server)) = field_and_server() else { return };
    let refused = ends(coordinator(&dir, &server, &format!("{} --resume", cup())), 1);
    assert!(refused.stderr.contains("there is no tournament to resume in results/cup"), "{refused}");
}

#[test]
#[ignore = "needs nats-server"]
fn workers_are_listed_with_what_they_play() {
    let Some((dir, server)) = field_and_server() else { return };
    let list = || {
        let listed = ends(start_on(&dir, "home", &format!("workers --nats {} --json", server.url())), 0);
        serde_json::from_str::<serde_json::Value>(&listed.stdout).expect("JSON")
    };
    assert_eq!(list(), serde_json::json!([]));
    let _worker = start_on(&dir, "w1", &format!("worker --nats {} --slots 2", server.url()));
    let _coordinator = coordinator(&dir, &server, &cup().replace("--rounds 20", "--rounds 1000"));
    await_part(&dir, 2);
    let workers = list();
    assert_eq!((&workers[0]["slots"], &workers[0]["tournament"]), (&2.into(), &"cup".into()), "{workers}");
    assert!(workers[0]["batches"][0]["games"].as_u64().is_some_and(|games| games >= 2), "{workers}");
}

#[test]
#[ignore = "needs nats-server"]
fn a_worker_without_games_leaves_when_it_is_told_to() {
    let Some((dir, server)) = field_and_server() else { return };
    let words = format!("worker --nats {} --idle 100ms", server.url());
    let ended = start_on(&dir, "w1", &words).wait(Duration::from_secs(60));
    assert_eq!(ended.status, Some(0), "{ended}");
}
