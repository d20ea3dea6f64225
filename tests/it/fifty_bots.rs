//! A course's tournament: fifty Python bots, eight of them broken in eight ways, on one screen.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::support::{Dir, is_installed, without_end};

/// Rows and columns of the screen; each broken bot may add a line.
const SCREEN: [usize; 2] = [40, 80];

/// The files in `tests/data/broken_bots`, and a part of the line that names the cause.
const BROKEN: [(&str, &str); 8] = [
    ("no_x_bit", "not executable; chmod +x"),
    ("crlf", "its first line ends in CR LF"),
    ("syntax_error", "SyntaxError"),
    ("prints_debug", "protocol_error: not JSON: {0: 4"),
    ("no_flush", "timeout: it probably did not flush its output"),
    ("too_slow", "timeout: no move within 1000 ms"),
    ("full_column", "crashed; game "),
    ("one_game", "illegal_move: at ply 0: move [1,1] has the wrong form"),
];

/// A bot that plays legally and without thought, in its own way for each number.
fn student(number: usize) -> String {
    format!(
        r#"#!/usr/bin/env python3
import json, sys
draw = {number}
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello":          r = {{"type": "hello", "protocol": 1, "games": ["connect4"]}}
    elif m["type"] == "new_game":     r = {{"type": "ready", "id": m["id"]}}; draw = int(m["seed"]) % 65537
    elif m["type"] == "move_request":
        draw = draw * 75 % 65537
        r = {{"type": "move", "id": m["id"], "move": m["legal_moves"][draw % len(m["legal_moves"])]}}
    else: continue
    print(json.dumps(r), flush=True)
"#
    )
}

fn course() -> Dir {
    let dir = Dir::new();
    let executable = |path: &str| {
        fs::set_permissions(dir.path(path), fs::Permissions::from_mode(0o755)).expect("a mode");
    };
    for (name, _) in BROKEN {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/broken_bots");
        dir.file(&format!("bots/{name}.py"), fs::read(format!("{source}/{name}.py")).expect("a bot"));
        if name != "no_x_bit" {
            executable(&format!("bots/{name}.py"));
        }
    }
    for number in BROKEN.len() + 1..=50 {
        let path = format!("bots/student{number:02}.py");
        dir.file(&path, student(number));
        executable(&path);
    }
    dir
}

#[test]
#[ignore = "1,722 games of Python bots take both processors; .ci/run has a command for it"]
fn fifty_bots_of_which_eight_are_broken_fit_on_a_screen() {
    if !is_installed("python3", "fifty Python bots") {
        return;
    }
    let dir = course();
    let output = dir.command("tournament --rounds 1").env("COLUMNS", "80").output().expect("the arena");
    assert_eq!(output.status.code(), Some(2));
    let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("UTF-8"));
    // A terminal has a bar in place of these.
    let is_progress =
        |line: &&str| line.contains(" games, ") && line.contains("/s, ") || line.starts_with("checking the bots: ");
    let mut before: Vec<&str> = stderr.lines().filter(|line| !is_progress(line)).collect();
    let lines: Vec<&str> = before.iter().copied().chain(stdout.lines()).collect();
    let shown = lines.join("\n");
    // The standings are shown whole, at the end; what is above them is short.
    let rows = lines.iter().rev().take_while(|line| !line.starts_with("Rank ")).count();
    assert_eq!(rows, 43, "{shown}");
    assert!(lines.len() - rows <= SCREEN[0], "{} lines:\n{shown}", lines.len());
    for line in &lines {
        assert!(console::measure_text_width(line) <= SCREEN[1], "{line}");
    }
    for (name, cause) in BROKEN {
        let found = lines.iter().any(|line| line.contains(&format!("{name}.py: ")) && line.contains(cause));
        assert!(found, "{name}: {cause}\n{shown}");
    }
    // Bots are checked at the same time, and how many and how fast depends on the machine.
    before.retain(|line| !["estimate for ", "more: ", "playing "].iter().any(|start| line.starts_with(start)));
    // How the time went differs from run to run.
    for line in &mut before {
        const LATE: &str = "no move within 1000 ms";
        *line = line.find(LATE).map_or(*line, |at| &line[..at + LATE.len()]);
    }
    before.sort_unstable();
    insta::assert_snapshot!(format!("{}\n--- stdout\n{}", before.join("\n"), without_end(&stdout)));
}
