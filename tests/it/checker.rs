//! `examples/check_bot.py`, for authors without the arena: it finds no fault where there is none, and else the one that
//! `arena check` finds.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::faults::faulty;
use crate::support::{Dir, in_repository, is_installed, without_ids};

/// Runs the checker with these arguments, and a bot after them.
fn checker(args: &[&str], bot: &[&str], folder: &Path) -> Output {
    let mut command = Command::new("python3");
    command.arg(in_repository("examples/check_bot.py")).args(args).arg("--").args(bot).current_dir(folder);
    command.output().expect("python3 starts")
}

/// What it says, with its exit code.
fn said(output: &Output) -> String {
    let [stdout, stderr] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    format!("exit {}\n{stdout}{stderr}", output.status.code().unwrap_or(-1))
}

/// The first fault that it names, if it names one.
fn fault(output: &Output) -> Option<String> {
    let text = said(output);
    let line = text.lines().find_map(|line| line.strip_prefix("FAIL  "))?;
    Some(line.split(' ').next().unwrap_or_default().to_owned())
}

#[test]
fn the_starter_has_no_fault_in_any_game() {
    if !is_installed("python3", "the checker of bots") {
        return;
    }
    let dir = Dir::new();
    let starter = in_repository("bots/starters/python/bot.py").display().to_string();
    let check = |args: &[&str]| {
        let args = [&["--games", "4", "--move-ms", "30000"], args].concat();
        let output = checker(&args, &["python3", &starter], &dir.path(""));
        let text = said(&output);
        assert!(text.starts_with("exit 0\nok    starts         answered hello, python starter\n"), "{args:?}: {text}");
        assert_eq!(text.matches("\nok    game ").count(), 4, "{args:?}: {text}");
        assert!(text.contains("\nok    leaves ") && !text.contains("surplus"), "{args:?}: {text}");
    };
    check(&["--game", "connect4"]);
    check(&["--game", "tictactoe"]);
    for game in ["amazons", "dots_and_boxes", "goofspiel", "kuhn", "othello", "sticks", "ultimate"] {
        check(&["--rules", &in_repository(&format!("examples/games/{game}.py")).display().to_string()]);
    }
    let four = dir.path("four").display().to_string();
    let source = in_repository("examples/games/four.c");
    let built = Command::new("cc").args(["-O2", "-o", &four]).arg(source).status();
    assert!(built.is_ok_and(|status| status.success()), "cc is there, as for Rust");
    check(&["--rules", &four, "--param", "rows=5"]);
}

/// Faults of `tests/bots/faulty.rs`, and habits that are none. Those that wait for a limit of seconds are left out, and those
/// that leave a process behind.
const FAULTS: [&str; 40] = [
    "exit-at-start=3",
    "flood-at-start",
    "hello-2",
    "hello-other",
    "hello-bad",
    "ready-exit",
    "ready-wrong",
    "exit=3",
    "no-newline-exit",
    "close-stdout at=2",
    "sleep",
    "late=400",
    "partial",
    "array",
    "wrong-kind",
    "text",
    "null",
    "wide",
    "huge-id",
    "no-id",
    "shape",
    "pretty",
    "utf8",
    "twin-keys",
    "utf16",
    "deep",
    "line=65537",
    "endless=x",
    "wrong-id at=2",
    "flood-stray",
    "occupied at=2",
    "int",
    "empty",
    "none",
    "hello-hostile",
    "bom",
    "stray at=2",
    "comment",
    "ignore-quit",
    "crash-on-over",
];

/// The checker and the arena find the same: that takes some seconds, since each fault is committed twice.
#[test]
fn the_checker_names_the_fault_that_the_arena_names() {
    if !is_installed("python3", "the checker of bots") {
        return;
    }
    let dir = Dir::new();
    let program = faulty().display().to_string();
    for (number, fault_args) in FAULTS.iter().enumerate() {
        let words: Vec<&str> = std::iter::once(program.as_str()).chain(fault_args.split(' ')).collect();
        let name = format!("bot{number}");
        dir.file(&format!("bots/{name}.toml"), format!("command = {words:?}"));
    }
    crate::programs::few_at_a_time(&(0..FAULTS.len()).collect::<Vec<_>>(), |&number| {
        let args = FAULTS[number];
        let words: Vec<&str> = std::iter::once(program.as_str()).chain(args.split(' ')).collect();
        // Only where time is what matters is it short.
        let is_slow = ["sleep", "late=400", "partial", "array", "wrong-kind"].contains(&args);
        let move_ms = if is_slow { 100 } else { 30_000 };
        let found = dir.process(&format!("check bot{number} --json --game tictactoe --move-time {move_ms}ms"));
        let card: Value = serde_json::from_str(&found.stdout).unwrap_or_else(|error| panic!("{args}: {error} {found}"));
        let rows = card["rows"].as_array().expect("rows");
        let failed = rows.iter().find(|row| row["ok"] == false);
        let expected = failed.map(|row| row["explain"].as_str().or(row["test"].as_str()).expect("a word").to_owned());
        let output =
            checker(&["--game", "tictactoe", "--games", "4", "--move-ms", &move_ms.to_string()], &words, &dir.path(""));
        assert_eq!(fault(&output), expected, "{args}: {found}{}", said(&output));
        assert_eq!(output.status.code(), Some(i32::from(expected.is_some())), "{args}: {}", said(&output));
        assert!(!said(&output).contains(['\u{1b}', '\u{202e}']), "{args}: text of the bot is not escaped");
    });
}

/// What comes before an id, in the lines of the checker and in those of a bot.
const ID: &str = "\"id\":";
/// A bot that always takes seven.
const SEVEN: &str = r#"
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello": r = {"type": "hello", "protocol": 1}
    elif m["type"] == "new_game": r = {"type": "ready", "id": m["id"]}
    elif m["type"] == "move_request": r = {"type": "move", "id": m["id"], "move": 7}
    else: continue
    print(json.dumps(r).replace(": ", ":"), flush=True)
"#;

#[test]
fn a_fault_is_shown_with_the_lines_of_both_sides_and_what_to_do() {
    if !is_installed("python3", "the checker of bots") {
        return;
    }
    let dir = Dir::new();
    dir.file("seven.py", SEVEN);
    let rules = in_repository("examples/games/sticks.py").display().to_string();
    let seven = ["python3", "seven.py"];
    let output = checker(&["--rules", &rules], &seven, &dir.path(""));
    assert_eq!(output.status.code(), Some(1));
    let page = std::fs::read_to_string(in_repository("docs/other-systems.md")).expect("the page");
    let shown =
        page.split_once("-- python seven.py\n").and_then(|(_, rest)| rest.split_once("```")).expect("an example").0;
    assert_eq!(
        without_ids(&String::from_utf8_lossy(&output.stdout), ID),
        without_ids(shown, ID),
        "docs/other-systems.md"
    );
    let options = String::from_utf8(checker(&["--help"], &[], &dir.path("")).stdout).expect("text");
    for option in options.split(|c: char| c != '-' && !c.is_ascii_lowercase()).filter(|word| word.starts_with("--")) {
        assert!(
            ["--", "--help"].contains(&option) || page.contains(&format!("| `{option} ")),
            "{option} is not on the page"
        );
    }
    let output = checker(&["--rules", "none.py"], &seven, &dir.path(""));
    let text = said(&output);
    assert!(text.starts_with("exit 2\nerror: the rules failed: it exited with status 2"), "{text}");
    let output = checker(&["--rules", &rules], &["./no-such-bot"], &dir.path(""));
    assert_eq!(fault(&output).as_deref(), Some("startup_failed"), "{}", said(&output));
}
