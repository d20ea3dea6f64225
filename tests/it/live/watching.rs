use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use miniz_oxide::inflate::decompress_to_vec;
use serde_json::Value;

use super::client::{Watched, add_waiting, content, status};
use crate::support::{Dir, without_pace};

/// A line of a block of games.
fn unpacked(line: &str) -> Vec<u8> {
    decompress_to_vec(&STANDARD.decode(line).expect("base64")).expect("a deflate stream")
}

#[test]
fn a_viewer_sees_a_run_to_its_end() {
    let dir = Dir::with_bots(&["random", "greedy", "minimax depth=2"]);
    let watched = Watched::start(dir, "tournament --rounds 60 -j 1 -q");
    let mut viewer = watched.viewer();
    let hello = viewer.next().expect("an event");
    assert_eq!((hello.kind.as_str(), &hello.data["name"]), ("hello", &Value::from("connect4")));
    // Every event counts: the first frame may be the last.
    let mut seen = Vec::new();
    let state = loop {
        let event = viewer.next().expect("an event");
        seen.push(event);
        let event = seen.last().expect("it was pushed");
        if event.kind == "state" && event.data["done"].as_u64() > Some(0) {
            break event.data.clone();
        }
    };
    assert_eq!(state["games"], 360);
    let phase = state["phase"].as_str().expect("a phase");
    assert!(["playing", "writing the results", "finished: 360 games"].contains(&phase), "{phase}");
    // A finished game, as the player reads it.
    let last = &state["last"][0];
    let answer = watched.ask(&format!("GET /game/{}", last["id"].as_str().expect("an id")));
    assert_eq!(status(&answer), "200", "{answer}");
    let lines: Vec<Vec<u8>> = content(&answer).lines().map(unpacked).collect();
    let (rows, times) = (String::from_utf8_lossy(&lines[0]), &lines[2]);
    assert!(
        rows.contains(&format!("\"bots\":{}", last["bots"])) && rows.contains(last["id"].as_str().unwrap()),
        "{rows}"
    );
    assert!(rows.contains(&format!("\"cells\":\"{}\"", ".".repeat(42))), "{rows}");
    // The moves of the opening have no time.
    let plies = last["plies"].as_u64().expect("a number") as usize;
    assert!((1..plies).contains(&times.len()), "{} of {plies}", times.len());
    // A late viewer gets everything at once.
    let mut late = watched.viewer();
    let (mut boot, mut kinds) = (Value::Null, Vec::new());
    while kinds.len() < 2 {
        let event = late.next().expect("an event");
        if event.kind == "hello" {
            boot = event.data["boot"].clone();
        }
        kinds.push(event.kind);
    }
    assert_eq!((&boot, kinds[0].as_str()), (&hello.data["boot"], "hello"));
    // Sizes, to the end.
    seen.extend(std::iter::from_fn(|| viewer.next()));
    for event in &seen {
        let limit = if event.kind == "standings" { 16 * 1024 } else { 8 * 1024 };
        assert!(event.bytes <= limit, "{}: {} bytes", event.kind, event.bytes);
    }
    let over = seen.pop().expect("an end");
    assert_eq!((over.kind.as_str(), &over.data["ending"]), ("over", &Value::from("complete")));
    let state = seen.iter().rfind(|event| event.kind == "state").map_or(&state, |event| &event.data);
    assert_eq!((&state["done"], &state["phase"]), (&Value::from(360), &Value::from("finished: 360 games")));
    let standings = seen.iter().rfind(|event| event.kind == "standings").expect("standings");
    assert_eq!(standings.data["games"], 360);
    drop(late);
    let (dir, ended) = watched.wait();
    assert_eq!(ended.status, Some(0), "{ended}");
    let csv = dir.read("results/connect4/standings.csv");
    let first = csv.lines().nth(1).expect("a row").split(',').nth(3).expect("a name");
    assert_eq!(standings.data["rows"][0][1], first);
    for (row, shown) in csv.lines().skip(1).zip(standings.data["rows"].as_array().expect("rows")) {
        let ranks: Vec<&str> = row.split(',').skip(1).take(2).collect();
        assert_eq!(shown[10].to_string(), format!("[{}]", ranks.join(",")), "{row}");
    }
}

#[test]
fn a_game_that_is_analysed_meanwhile_is_shown_with_its_marks() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    add_waiting(&dir);
    // The four games of the waiting bot do not end, and the two others have a slot.
    let flags = "--no-check --move-time 50s -q -j 5 --oversubscribe";
    let watched = Watched::start(dir, &format!("tournament --game connect4:rows=4,cols=5 --rounds 1 {flags}"));
    let state = watched.viewer().find("state", |state| state["done"] == 2);
    let game = format!("GET /game/{}", state["last"][0]["id"].as_str().expect("an id"));
    let is_marked = || {
        let answer = watched.ask(&game);
        let head = unpacked(content(&answer).lines().next().expect("a line"));
        String::from_utf8_lossy(&head).contains("\"analysis\"")
    };
    assert!(!is_marked());
    let ended = watched.dir.arena_ends(0, "analyze");
    assert!(ended.stdout.contains("2 games of 2 bots"), "{ended}");
    assert!(is_marked());
    fs::remove_file(watched.dir.path("results/connect4-rows=4-cols=5/analysis.jsonl")).expect("the file");
    assert!(!is_marked());
    watched.kill();
}

#[test]
fn a_run_that_is_watched_has_the_same_results() {
    let files = ["standings.csv", "head_to_head.csv", "crosstable.csv"];
    let [plain, watched] = [false, true].map(|watch| {
        let dir = Dir::with_bots(&["random", "greedy"]);
        let args = "tournament --game tictactoe --rounds 20 -q";
        let dir = if watch {
            let run = Watched::start(dir, args);
            // One reads, many do not, and one leaves in the middle.
            let silent: Vec<_> = (0..50).map(|_| run.viewer()).collect();
            let mut viewer = run.viewer();
            run.viewer().next();
            while viewer.next().is_some() {}
            drop(silent);
            run.wait().0
        } else {
            dir.process_ends(0, args);
            dir
        };
        let summary = without_pace(&dir.read("results/tictactoe/tournament.json"));
        let names = fs::read_dir(dir.path("results/tictactoe")).expect("a folder").count();
        (files.map(|file| dir.read(&format!("results/tictactoe/{file}"))), summary, names)
    });
    assert_eq!(plain, watched);
}

#[test]
fn a_page_that_knows_of_the_end_gets_the_report_before_the_server_ends() {
    let watched = Watched::start(Dir::with_bots(&["random", "greedy"]), "match random greedy --rounds 2 -q");
    let mut pages = [(); 3].map(|()| watched.viewer_of("/events/page"));
    for page in &mut pages {
        assert_eq!(page.find("over", |_| true)["report"], true);
        assert!(page.next().is_none());
    }
    // As long as a page is to ask for it, the server is there for everybody.
    for _ in pages {
        for path in ["HEAD /standings.csv", "GET /events", "GET /report.html"] {
            assert_eq!(status(&watched.ask(path)), "200", "{path}");
        }
    }
    assert_eq!(watched.wait().1.status, Some(0));
}

#[test]
fn a_match_can_be_watched() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let watched = Watched::start(dir, "match random greedy --rounds 5 -q");
    let mut viewer = watched.viewer();
    let state = viewer.find("state", |state| state["done"].as_u64() == Some(10));
    assert_eq!(state["last"][0]["bots"].as_array().map(Vec::len), Some(2));
    viewer.find("over", |_| true);
    let (_, ended) = watched.wait();
    assert_eq!(ended.status, Some(0), "{ended}");
}

/// The secret of a running game is nowhere in what viewers get.
#[test]
fn viewers_do_not_learn_what_the_bots_must_not_know() {
    let dir = Dir::with_bots(&["codebreaker"]);
    add_waiting(&dir);
    let watched = Watched::start(dir, "tournament --game mastermind --rounds 1 -j 1 --no-check --move-time 50s -q");
    let mut viewer = watched.viewer();
    let state = viewer.find("state", |state| state["boards"][0]["picture"].is_object());
    let board = &state["boards"][0]["picture"];
    assert_eq!((&board["kind"], &board["code"]), (&Value::from("guesses"), &Value::Null));
    assert!(board["rows"].as_array().expect("rows").iter().all(|row| row["pegs"].is_null()), "{board}");
    let id = state["boards"][0]["id"].as_str().expect("an id");
    assert_eq!(status(&watched.ask(&format!("GET /game/{id}"))), "404", "it is not finished");
    watched.kill();
}

#[test]
fn a_port_that_is_taken_is_an_error_before_anything_is_played() {
    let watched = Watched::endless();
    let dir = Dir::with_bots(&["random", "greedy"]);
    let ended = dir.process_ends(1, &format!("tournament --serve {}", watched.address));
    assert!(ended.stderr.contains("cannot serve a page at 127.0.0.1:"), "{ended}");
    assert!(!dir.path("results").exists());
    let ended = dir.process_ends(1, "match random --serve greedy");
    assert!(ended.stderr.contains("`greedy` is not an address with a port such as 127.0.0.1:8000"), "{ended}");
    watched.kill();
}

#[test]
fn other_machines_are_served_with_a_warning() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let ended = dir.process_ends(0, "tournament --rounds 1 -q --serve 0.0.0.0:0");
    assert_eq!(ended.stderr.matches("warning: all who can reach 0.0.0.0").count(), 1, "{ended}");
}
