//! Programs that cannot show what they play: people see less, and games go on as if they had not been asked.

use std::path::Path;
use std::time::Duration;

use arena::rules::{Picture, State, Variant, Viewer};

use super::loaded;
use crate::faults::{EXTRA, Lateness, beside, now};
use crate::support::in_repository;

const LIMIT_MS: u64 = 600;

/// The rules in this mode.
fn rules(dir: &Path, mode: &str) -> Variant {
    std::fs::copy(in_repository("tests/bots/rules.py"), dir.join("rules.py")).expect("bad rules");
    let manifest = format!("command = [\"python3\", \"-SE\", \"rules.py\", {mode:?}]\nanswer_ms = {LIMIT_MS}\n");
    let path = dir.join(format!("{mode}.toml"));
    std::fs::write(&path, manifest).expect("a manifest");
    loaded(&path, None, dir)
}

/// Plays a whole game of the first moves, and looks at every position if it is `watched`. Returns what the rules have said,
/// and the pictures.
fn played(game: &Variant, watched: bool) -> (Option<String>, Vec<String>) {
    let mut state = game.start(1).expect("a start");
    let mut seen = Vec::new();
    while state.outcome().is_none() {
        if watched {
            seen.push(text(state.as_ref()));
        }
        let first = state.nth_legal(0);
        state.apply(&first).unwrap_or_else(|refusal| panic!("{}: {refusal:?}", game.label));
    }
    (state.answers(), seen)
}

fn text(state: &dyn State) -> String {
    match state.picture(Viewer::All) {
        Picture::Text(text) => text,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn check(mode: &str, says: &str) {
    let _beside = beside();
    let dir = tempfile::tempdir().expect("a folder");
    let (game, honest) = (rules(dir.path(), mode), rules(dir.path(), "good"));
    let (watch, begun) = (Lateness::watch(), now());
    let (answers, seen) = played(&game, true);
    let (took, late) = (now() - begun, watch.end());
    assert!(seen.len() == 21 && seen.iter().all(|text| text.contains(says)), "{mode}: {seen:?}");
    assert_eq!(answers, played(&honest, false).0, "{mode}: watching changes nothing");
    // It is not asked for ever: what people see is not worth that.
    let most = 3 * (Duration::from_millis(LIMIT_MS) + EXTRA) + Duration::from_secs(3) + 2 * late;
    assert!(took < most, "{mode}: {took:?}");
}

#[test]
#[ignore = "it makes games known to all tests: cargo test --test it -- --ignored programs::"]
fn rules_that_crash_when_they_show_play_on() {
    check("show_crash", "\"heap\": ");
}

#[test]
#[ignore = "it makes games known to all tests: cargo test --test it -- --ignored programs::"]
fn rules_that_hang_when_they_show_play_on() {
    check("show_hang", "\"heap\": ");
}

#[test]
#[ignore = "it makes games known to all tests: cargo test --test it -- --ignored programs::"]
fn rules_that_show_nothing_or_too_much_play_on() {
    for mode in ["show_nothing", "show_labels"] {
        check(mode, "");
    }
}

#[test]
#[ignore = "it makes games known to all tests: cargo test --test it -- --ignored programs::"]
fn rules_that_play_when_they_show_play_on() {
    check("show_plays", "");
}

#[test]
#[ignore = "it makes games known to all tests: cargo test --test it -- --ignored programs::"]
fn what_rules_show_is_text() {
    check("show_script", "<script>alert(1)</script>");
}
