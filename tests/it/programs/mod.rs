//! Games whose rules are a program of their own, with real processes: the examples, and `tests/bots/rules.py`, which has a
//! mode for each way in which a program can be wrong.

mod bad;
mod bombs;
mod commands;
mod confined;
mod four;
mod hidden;
mod identity;
mod images;
mod laws;
mod other_bots;
mod proof;
mod seats;
mod second_answers;
mod shows;
mod sticks;
mod stopped;

use std::fs;
use std::path::Path;
use std::process::Command;

use arena::guard::SandboxMode;
use arena::program;
use arena::roster::RosterSettings;
use arena::rules::Variant;

use crate::support::{Dir, guard, in_repository};

pub(crate) use bad::few_at_a_time;

/// Rules with a mode for each fault.
const BAD: &str = "tests/bots/rules.py";
/// Flags of all tournaments here. A machine that does other things too must not make a bot lose on time.
const PATIENT: &str = "--move-time 30s --oversubscribe -q";
/// A bot that makes the sample move, and notes all that it is sent in the file of its first argument.
const NOTES: &str = r#"#!/usr/bin/env python3
import json, sys
notes = open(sys.argv[1], "a", buffering=1)
for line in sys.stdin:
    notes.write(line)
    m = json.loads(line)
    if m["type"] == "hello": r = {"type": "hello", "protocol": 1}
    elif m["type"] == "new_game": r = {"type": "ready", "id": m["id"]}
    elif m["type"] == "move_request": r = {"type": "move", "id": m["id"], "move": m["sample_move"]}
    else: continue
    print(json.dumps(r), flush=True)
"#;

/// A folder with the files of an example, and bots.
fn example(game: &str, bots: &[&str]) -> Dir {
    let dir = with_bots(bots);
    for extension in ["toml", "py"] {
        let name = format!("{game}.{extension}");
        dir.file(&name, fs::read(in_repository("examples/games").join(&name)).expect("an example"));
    }
    dir
}

/// A folder with bots that play at random.
fn with_bots(bots: &[&str]) -> Dir {
    let dir = Dir::new();
    for bot in bots {
        dir.builtin(bot, "random");
    }
    dir
}

/// Adds bots that note what they are sent, in files of their names.
fn add_notes(dir: &Dir, bots: &[&str]) {
    dir.file("notes.py", NOTES);
    for bot in bots {
        let [script, notes] = ["notes.py", bot].map(|name| dir.path(name).to_string_lossy().into_owned());
        dir.file(&format!("bots/{bot}.toml"), format!("command = [\"python3\", {script:?}, {notes:?}]\n"));
    }
}

/// Adds the rules of `rules.py`: `NAME.toml`, for this mode with these keys, and further entries of its manifest.
fn add_rules(dir: &Dir, name: &str, mode: &str, entries: &str) {
    dir.file("rules.py", fs::read(in_repository(BAD)).expect("bad rules"));
    dir.file(&format!("{name}.toml"), manifest(mode, entries));
}

/// The game of these rules, in this process.
fn bad_rules(dir: &Path, mode: &str, entries: &str) -> Variant {
    fs::copy(in_repository(BAD), dir.join("rules.py")).expect("bad rules");
    let path = dir.join("bad.toml");
    fs::write(&path, manifest(mode, entries)).expect("a manifest");
    loaded(&path, None, dir)
}

fn manifest(mode: &str, entries: &str) -> String {
    let words: Vec<String> = mode.split(' ').map(|word| format!("{word:?}")).collect();
    format!("command = [\"python3\", \"-SE\", \"rules.py\", {}]\n{entries}", words.join(", "))
}

/// The game of the manifest at `path`, in this process.
#[track_caller]
fn loaded(path: &Path, params: Option<&str>, scratch: &Path) -> Variant {
    // A sandbox takes as long as the program to start.
    let settings = RosterSettings { guard: guard(), sandbox: SandboxMode::Off, ..RosterSettings::default() };
    program::load(path, params, &settings, scratch, &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs the body of the test of this name in a process of its own: games that are loaded are known to their process, and other
/// tests look at all games.
#[track_caller]
fn alone(name: &str, body: impl FnOnce()) {
    const ALONE: &str = "ARENA_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return body();
    }
    let name = format!("{}::{name}", module_path!()).split_once("::").expect("a crate").1.to_owned();
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    let output = command.args(["--exact", &name]).env(ALONE, "1").output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("test result: ok. 1 passed"), "{text}");
}

/// A table of a tournament.
fn table(dir: &Dir, tournament: &str, name: &str) -> String {
    dir.read(&format!("results/{tournament}/{name}"))
}

/// `games.csv` without the four columns of times.
fn games(dir: &Dir, tournament: &str) -> Vec<String> {
    let games = table(dir, tournament, "games.csv");
    games.lines().map(|game| game.rsplitn(5, ',').last().unwrap_or_default().to_owned()).collect()
}
