//! `arena talk`: lines of an author to a bot, and what it writes.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Dir, LIMIT, until, without_ids};

/// What is said after these lines, without times and ids.
fn said(dir: &Dir, bot: &str, typed: &str) -> String {
    dir.file("typed", typed);
    let input = std::fs::File::open(dir.path("typed")).expect("a file");
    let output = dir.command(&format!("talk {bot}")).stdin(input).output().expect("arena");
    let mut text = format!("exit {}\n", output.status.code().unwrap_or_default());
    for line in String::from_utf8(output.stdout).expect("UTF-8").lines() {
        let mut characters = line.chars();
        text.extend(characters.next());
        // The time.
        text.push_str(characters.as_str().get(12..).unwrap_or_default());
        text.push('\n');
    }
    without_ids(&without_ids(&text, "\"id\":"), "\"game_id\":\"")
        + "--- stderr\n"
        + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn shortcuts_and_lines_reach_the_bot_and_all_it_writes_is_shown() {
    let dir = Dir::with_bots(&["greedy"]);
    insta::assert_snapshot!(said(&dir, "greedy", ".hello\n.game tictactoe\n.move 0,0\n.nonsense\n.over\n{}\n.quit"), @r#"
    exit 2
    →{"type":"hello","protocol":1,"arena":"0.1.0","max_line_bytes":65536,"startup_ms":10000}
    ←{"type":"hello","protocol":1,"name":"greedy","version":"1","games":["connect4","mnk","marbles"]}
    →{"type":"new_game","id":[id],"game_id":"[id]","game":"mnk","rules_version":1,"params":{"cols":3,"k":3,"rows":3},"seat":0,"seed":"1","clock":{"move_ms":1000}}
    ←{"type":"ready","id":[id]}
    →{"type":"move_request","id":[id],"ply":1,"seat":1,"state":{"board":["X..","...","..."],"moves":[[0,0]]},"legal_moves":[[0,1],[0,2],[1,0],[1,1],[1,2],[2,0],[2,1],[2,2]],"sample_move":[1,0],"clock":{"deadline_ms":1000}}
    ←{"type":"move","id":[id],"move":[1,1]}
    →{"type":"game_over","outcome":"void","reason":"stopped","moves":[]}
    →{}
    !error: playing as `greedy`
    !  caused by: missing field `type` at line 1 column 2
    ×it exited with status 1
    --- stderr
    error: no shortcut named `.nonsense`; known: .hello, .game, .move, .sync, .over, .quit, .help; nothing was sent
    "#);
    dir.script(
        "bots/odd",
        r#"read -r line; printf 'got %s\033[31m\n' "$line"; read -r line; echo "no $line" >&2; printf part; exit 4"#,
    );
    insta::assert_snapshot!(said(&dir, "odd", "one\ntwo\n"), @r#"
    exit 2
    →one
    ←got one\u{1b}[31m
    →two
    !no two
    ←part  (no newline)
    ×it exited with status 4
    --- stderr
    "#);
    dir.file("bots/none.toml", "command = [\"./none\"]");
    insta::assert_snapshot!(said(&dir, "bots/none.toml", "").replace(&dir.path("").to_string_lossy().into_owned(), ""), @"
    exit 2
    --- stderr
    error: cannot start bots/none: no such program
      → fix what the message names; none of the bot's code has run yet
    ");
}

#[test]
fn a_signal_ends_the_talk_and_the_bot() {
    let dir = Dir::new();
    dir.script("bots/deaf", "echo up; exec sleep 1000");
    let mut child = dir.command("talk deaf").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("arena");
    let runs = || dir.processes().iter().any(|words| words.contains("sleep 1000"));
    until(LIMIT, "the bot runs", runs);
    kill_process(Pid::from_child(&child), Signal::INT).expect("it is there");
    assert_eq!(child.wait().expect("a child").code(), Some(130));
    assert!(!runs());
}

#[test]
fn a_closed_pipe_ends_the_talk_and_the_bot() {
    let dir = Dir::new();
    dir.script("bots/flood", "while :; do echo flood; done");
    let mut child = dir.command("talk flood").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("arena");
    let mut first = String::new();
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe"));
    lines.read_line(&mut first).expect("a line");
    assert!(first.ends_with("  flood\n"), "{first}");
    drop(lines);
    // Its input stays open.
    assert_eq!(child.wait().expect("a child").code(), Some(0));
    assert!(!dir.processes().iter().any(|words| words.contains("flood")));
}

/// Nothing tells how such a bot ended: it dies with its guard.
#[test]
fn a_guard_that_is_killed_ends_the_talk() {
    let dir = Dir::new();
    dir.script("bots/killer", "read -r line; echo heard; kill -9 $PPID; exec sleep 1000");
    insta::assert_snapshot!(said(&dir, "killer --sandbox off", "go\n"), @"
    exit 2
    →go
    ←heard
    ×it ended: its guard was killed
    --- stderr
    ");
    until(LIMIT, "nothing is left of it", || !dir.processes().iter().any(|words| words.contains("sleep 1000")));
}

/// What is in the pipe is shown, but no flood that goes on: without its guard, what the bot has started is still there.
#[test]
fn what_a_bot_leaves_behind_does_not_keep_the_talk_open() {
    let dir = Dir::new();
    // It has begun by the time so much is read.
    dir.script("bots/leaves", "yes flood & yes flood | head -n 20000; kill -9 $PPID; exec sleep 1000");
    let ended = dir.arena_ends(2, "talk leaves --sandbox off");
    assert!(ended.stdout.ends_with("it ended: its guard was killed\n"), "{}", ended.stdout.len());
    until(LIMIT, "nothing is left of it", || !dir.processes().iter().any(|words| words.contains("flood")));
}
