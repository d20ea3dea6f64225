//! Games that are slowed down for an audience, and the headlines that it reads.

use serde_json::Value;

use super::client::Watched;
use super::truth::check_headline;
use crate::support::Dir;

/// The games of a journal: ids, moves, results.
fn games(dir: &Dir, name: &str) -> Vec<[Value; 3]> {
    let journal = dir.read(&format!("results/{name}/games.jsonl"));
    let lines = journal.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let games = lines.filter(|line| line["type"] == "game");
    games.map(|line| ["id", "moves", "result"].map(|field| line[field].clone())).collect()
}

/// The games take some seconds, and little of them is computed: until the third standings are there.
#[test]
fn every_headline_of_a_knockout_is_true() {
    let dir = Dir::new();
    for name in ["alpha", "bravo", "charlie", "delta"] {
        dir.builtin(name, "random");
    }
    let play = "tournament --game tictactoe --format knockout --pairs 2 --seed 3 --no-check -j 1 -q --watch-pace 40ms";
    let watched = Watched::start(dir, play);
    let mut viewer = watched.viewer();
    let mut seen = Vec::new();
    while let Some(event) = viewer.next() {
        seen.push(event);
    }
    let hello = seen.iter().rfind(|event| event.kind == "hello").expect("a definition");
    assert_eq!((&hello.data["size"], &hello.data["format"]), (&"2 pairs a match".into(), &"knockout".into()));
    let (dir, ended) = watched.wait();
    assert_eq!(ended.status, Some(0), "{ended}");
    let journal = dir.read("results/tictactoe-knockout/games.jsonl");
    let standings: Vec<&Value> =
        seen.iter().filter(|event| event.kind == "standings").map(|event| &event.data).collect();
    let (last, before) = standings.split_last().expect("standings");
    assert!(!before.is_empty());
    for frame in &standings {
        check_headline(frame["headline"].as_str().expect("a headline"), &journal);
        assert_eq!(frame["short"].is_string(), frame == last, "{frame}");
        // Two semifinals alone do not compare all bots.
        let is_told = frame["rows"].as_array().expect("rows").iter().any(|row| row[7][0].is_number());
        assert!(!is_told || frame["connected"] == true, "{frame}");
    }
    assert!(last["headline"].as_str().expect("a headline").contains(" won the knockout: "), "{last}");
    let states: Vec<&Value> = seen.iter().filter(|event| event.kind == "state").map(|event| &event.data).collect();
    for state in states.iter().filter(|state| state["phase"] == "playing") {
        let all = state["expected"].as_u64().expect("a number");
        // Further pairs of level matches are added.
        assert!(all >= 12 && all >= state["done"].as_u64().expect("a number"), "{state}");
    }
    let state = states.last().expect("a state");
    assert_eq!((&state["over"], &state["left"], &state["done"]), (&true.into(), &0.0.into(), &state["expected"]));
}

#[test]
fn a_paced_run_plays_the_same_games() {
    let play = "match random greedy --game tictactoe --rounds 2 --seed 5 --no-check -j 1 -q";
    let [plain, paced] = [Dir::with_bots(&["random", "greedy"]), Dir::with_bots(&["random", "greedy"])];
    plain.process_ends(0, play);
    let (paced, ended) = Watched::start(paced, &format!("{play} --watch-pace 2ms")).wait();
    assert_eq!(ended.status, Some(0), "{ended}");
    let [plain, paced] = [plain, paced].map(|dir| games(&dir, "tictactoe-random-vs-greedy"));
    assert!(plain.len() == 4 && plain == paced, "{plain:?} {paced:?}");
}

#[test]
fn a_pace_needs_an_audience() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let ended = dir.process_ends(1, "tournament --watch-pace 1s");
    assert!(ended.stderr.contains("--serve"), "{ended}");
}
