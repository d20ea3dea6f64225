//! Whatever fails, the tables are those of one process.

use std::time::Duration;

use rustix::process::Signal;

use super::kit::{Place, Running, Server, now, until};

const BOTS: [&str; 4] = [
    "greedy: greedy",
    "broad: minimax depth=3 nodes=2000",
    "deep: minimax depth=4 nodes=3000",
    "flat: minimax depth=2 nodes=3000",
];
/// 4 bots, 12 games a round.
const EVENT: &str = "--rounds 20 --seed 11 --move-time 10s --quiet";
const GAMES: usize = 240;

/// The tables of one process.
fn reference(place: &Place, event: &str) {
    place.arena("reference", &format!("tournament {event} --results one")).ends_with(0);
}

fn coordinator(place: &Place, server: &Server, more: &str) -> Running {
    let words = format!("coordinate --nats {} --worker-timeout 2s --results many {more}", server.url());
    place.arena("coordinator", &words)
}

fn worker(place: &Place, server: &Server, name: &str) -> Running {
    place.arena(name, &format!("worker --nats {} --slots 1", server.url()))
}

#[test]
#[ignore = "needs nats-server"]
fn workers_and_a_server_that_are_killed_or_stopped_change_nothing() {
    let place = Place::with_bots(&BOTS);
    reference(&place, EVENT);
    let mut server = Server::start(&place);
    let mut workers = ["w1", "w2", "w3"].map(|name| worker(&place, &server, name));
    let mut coordinator = coordinator(&place, &server, EVENT);
    place.await_games("many", GAMES / 10);
    workers[0].kill();
    place.await_games("many", GAMES / 5);
    workers[1].signal(Signal::STOP);
    let stopped = now();
    place.await_games("many", GAMES / 4);
    server.kill();
    server.restart();
    until("the stopped worker is given up", || stopped.elapsed() > Duration::from_secs(5));
    workers[1].signal(Signal::CONT);
    coordinator.ends_with(0);
    place.assert_same("one", "many");
    place.arena("verify", "verify connect4 --results many").ends_with(0);
    // They wait for the next tournament; a worker that is asked to leave does.
    for worker in &mut workers[1..] {
        worker.signal(Signal::TERM);
        worker.ends_with(0);
    }
}

#[test]
#[ignore = "needs nats-server"]
fn a_wiped_broker_and_a_killed_coordinator_lose_nothing() {
    let place = Place::with_bots(&BOTS);
    reference(&place, EVENT);
    let mut server = Server::start(&place);
    let _workers = ["w1", "w2"].map(|name| worker(&place, &server, name));
    let mut killed = coordinator(&place, &server, EVENT);
    place.await_games("many", GAMES / 4);
    killed.kill();
    server.kill();
    server.wipe();
    server.restart();
    let known = place.journal("many");
    coordinator(&place, &server, &format!("{EVENT} --resume")).ends_with(0);
    assert_eq!(place.journal("many")[..known.len()], known[..], "what was known is kept");
    place.assert_same("one", "many");
}

#[test]
#[ignore = "needs nats-server"]
fn a_broker_that_is_wiped_while_the_coordinator_runs_is_filled_again() {
    let place = Place::with_bots(&BOTS);
    reference(&place, EVENT);
    let mut server = Server::start(&place);
    let _workers = ["w1", "w2"].map(|name| worker(&place, &server, name));
    let mut coordinator = coordinator(&place, &server, EVENT);
    place.await_games("many", GAMES / 4);
    server.kill();
    server.wipe();
    server.restart();
    coordinator.ends_with(0);
    place.assert_same("one", "many");
}

#[test]
#[ignore = "needs nats-server"]
fn a_stopped_coordinator_goes_on_where_it_was() {
    let place = Place::with_bots(&BOTS);
    reference(&place, EVENT);
    let server = Server::start(&place);
    let _workers = ["w1", "w2"].map(|name| worker(&place, &server, name));
    let mut stopped = coordinator(&place, &server, EVENT);
    place.await_games("many", GAMES / 4);
    stopped.signal(Signal::INT);
    stopped.ends_with(3);
    assert!(stopped.stderr().contains("resume with"), "{}", stopped.stderr());
    assert!(place.games("many") < GAMES);
    coordinator(&place, &server, &format!("{EVENT} --resume")).ends_with(0);
    place.assert_same("one", "many");
}

#[test]
#[ignore = "needs nats-server"]
fn a_worker_that_leaves_hands_its_games_to_others() {
    let place = Place::with_bots(&BOTS);
    reference(&place, EVENT);
    let server = Server::start(&place);
    let mut leaving = worker(&place, &server, "w1");
    let mut coordinator = coordinator(&place, &server, EVENT);
    place.await_games("many", GAMES / 4);
    leaving.signal(Signal::TERM);
    leaving.ends_with(0);
    let left = now();
    let _other = worker(&place, &server, "w2");
    place.await_games("many", GAMES / 4 + 40);
    assert!(left.elapsed() < Duration::from_secs(60), "not after a timeout");
    coordinator.ends_with(0);
    place.assert_same("one", "many");
}

#[test]
#[ignore = "needs nats-server"]
fn a_swiss_is_the_same_over_workers() {
    let event = "--format swiss --swiss-rounds 3 --pairs 3 --seed 5 --move-time 10s --name connect4 --quiet";
    let place = Place::with_bots(&[&BOTS[..], &["other: minimax depth=3 nodes=3000"]].concat());
    reference(&place, event);
    let server = Server::start(&place);
    let _workers = ["w1", "w2"].map(|name| worker(&place, &server, name));
    coordinator(&place, &server, event).ends_with(0);
    place.assert_same("one", "many");
}

#[test]
#[ignore = "needs nats-server"]
fn resuming_needs_something_to_resume() {
    let place = Place::with_bots(&BOTS);
    let server = Server::start(&place);
    let mut refused = coordinator(&place, &server, &format!("{EVENT} --resume"));
    refused.ends_with(1);
    assert!(refused.stderr().contains("there is no tournament to resume in many/connect4"), "{}", refused.stderr());
}

#[test]
#[ignore = "needs nats-server"]
fn workers_are_listed_with_what_they_play() {
    let place = Place::with_bots(&BOTS);
    let server = Server::start(&place);
    let list = |name: &str| {
        let mut listed = place.arena(name, &format!("workers --nats {} --json", server.url()));
        listed.ends_with(0);
        serde_json::from_str::<serde_json::Value>(&listed.stdout()).expect("JSON")
    };
    assert_eq!(list("none"), serde_json::json!([]));
    let _worker = place.arena("w1", &format!("worker --nats {} --slots 2", server.url()));
    let _coordinator = coordinator(&place, &server, "--rounds 1000 --seed 1 --quiet");
    place.await_games("many", 10);
    let workers = list("one");
    assert_eq!((&workers[0]["slots"], &workers[0]["tournament"]), (&2.into(), &"connect4".into()), "{workers}");
    assert!(workers[0]["batches"][0]["games"].as_u64().is_some_and(|games| games >= 2), "{workers}");
}
