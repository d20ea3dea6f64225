//! Programs that cannot show what they play: a check finds them, people see less, and games go on as if they had not been asked.

use std::path::Path;
use std::time::Duration;

use arena::program::{game_of, try_out};
use arena::rules::{Picture, State, Variant, Viewer};

use super::bad::HANG_MS;
use super::{alone, bad_rules};
use crate::faults::{EXTRA, Lateness, beside, now};

fn rules(dir: &Path, mode: &str) -> Variant {
    let limit = if mode == "show_hang" { format!("answer_ms = {HANG_MS}\n") } else { String::new() };
    bad_rules(dir, mode, &limit)
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
        picture @ (Picture::Text(_) | Picture::Image(_)) => picture.to_string(),
        other => panic!("{other:?}"),
    }
}

/// Watches a whole game, in which people see what contains this.
#[track_caller]
fn assert_plays_on(mode: &str, says: &str) {
    let _beside = beside();
    let dirs = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
    let [game, honest] = [rules(dirs[0].path(), mode), rules(dirs[1].path(), "good")];
    let (watch, begun) = (Lateness::watch(), now());
    let (answers, seen) = played(&game, true);
    let (took, late) = (now() - begun, watch.end());
    assert!(seen.len() == 21 && seen.iter().all(|text| text.contains(says)), "{mode}: {seen:?}");
    assert_eq!(answers, played(&honest, false).0, "{mode}: watching changes nothing");
    // It is not asked for ever: what people see is not worth that.
    let most = 4 * (Duration::from_millis(HANG_MS) + EXTRA) + Duration::from_secs(4) + 2 * late;
    assert!(took < most, "{mode}: {took:?}");
}

/// Why random games with these rules break a contract, if they do.
fn tried(mode: &str) -> Option<String> {
    let dir = tempfile::tempdir().expect("a folder");
    let game = rules(dir.path(), mode);
    let program = game_of(&game).expect("a program");
    try_out(program, &game.params, 1, Duration::from_secs(60)).err().map(|error| error.to_string())
}

#[test]
fn rules_that_fail_to_show_play_on() {
    alone("shows::rules_that_fail_to_show_play_on", || {
        for mode in ["show_crash", "show_hang"] {
            assert_plays_on(mode, "\"heap\": ");
        }
        for mode in ["show_nothing", "show_labels"] {
            assert_plays_on(mode, "");
        }
    });
}

#[test]
fn what_rules_show_is_text() {
    alone("shows::what_rules_show_is_text", || {
        assert_plays_on("show_script", "<script>alert(1)</script>");
    });
}

#[test]
fn a_check_finds_rules_that_fail_to_show_or_change_by_it() {
    alone("shows::a_check_finds_rules_that_fail_to_show_or_change_by_it", || {
        for (mode, says) in [
            ("show_crash", "RuntimeError: the rules crash on purpose"),
            ("show_hang", "no answer to `show` within 800 ms"),
            ("show_nothing", "no `view`"),
            ("show_labels", "they give 4 labels for 3 legal moves"),
            ("show_plays", " after `show`: their `legal_moves` is empty"),
            ("show_eats", " after `show` and then by {\"type\": "),
        ] {
            let found = tried(mode).unwrap_or_else(|| panic!("{mode} is not found"));
            assert!(found.contains(says), "{mode}: {found}");
        }
        assert_eq!(tried("good"), None);
    });
}
