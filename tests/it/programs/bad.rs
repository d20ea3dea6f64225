//! Every mode of the bad rules: who loses, what is said, and that nothing is left behind.

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use arena::rules::{Move, Refusal, RulesFault, Variant};

use super::{PATIENT, add_rules, alone, bad_rules, with_bots};
use crate::faults::{EXTRA, Lateness, beside, now, processes_with};
use crate::support::{Dir, Ended, in_repository, until};

/// Time for an answer of rules that hang.
pub(super) const HANG_MS: u64 = 800;

/// What is said of modes that cannot be played at all.
const USAGE: [(&str, &str); 18] = [
    ("wrong_protocol", "`protocol` is 2; it must be 1"),
    ("builtin_name", "`connect4` is a built-in game; give it another name"),
    ("builtin_alias", "`gomoku` is a built-in game; give it another name"),
    ("bad_name", "`game` is \"My Game\"; it must be 1 to 32 characters, each of a-z, 0-9 or _"),
    ("long_name", "`game` is \"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn\"; it must be 1 to 32 characters"),
    ("bad_version", "`version` is 0; it must be an integer from 1 to "),
    ("three_seats", "`seats` is 3; it must be 2"),
    ("bad_default", "`default of parameter heap` is 9; it must be within 1 to 3"),
    ("twin_params", "`params` is two times `a`; it must be distinct by name"),
    ("bad_word", "`words of parameter a` is [\"y\",\"z\"]; it must be"),
    ("many_params", "`params` is a list of 33; it must be at most 32"),
    ("hidden_openings", "`opening_plies` is 2; it must be 0 where `hidden` is true"),
    ("no_hello", "no hello within 300 ms"),
    ("slow_hello", "no hello within 300 ms"),
    ("hello_json", "they write a line that is not valid: "),
    ("no_protocol", "their `hello` has no `protocol`"),
    ("import_error", "its stderr ends: ModuleNotFoundError: No module named 'no_such_library_of_rules'"),
    ("refused", "its program says: no heap is good enough (refused)"),
];

/// The modes that must lead to this.
pub(super) fn modes(verdict: &str) -> Vec<String> {
    let script = in_repository("tests/bots/rules.py");
    let output = Command::new("python3").arg(script).arg("--modes").output().expect("python3 starts");
    let text = String::from_utf8(output.stdout).expect("text");
    let words = text.lines().map(|line| line.split_whitespace().take(2).collect::<Vec<_>>());
    let all: Vec<(&str, &str)> = words.map(|words| (words[0], words[1])).collect();
    let known = ["plays", "bot", "usage", "rules", "not_deterministic", "shown"];
    assert!(all.len() >= 98 && all.iter().all(|(_, verdict)| known.contains(verdict)), "{text}");
    all.iter().filter(|(_, of)| *of == verdict).map(|(name, _)| (*name).to_owned()).collect()
}

/// Does something with each of these, a few at a time: it mostly is a program that starts, or does not answer.
pub(crate) fn few_at_a_time<T: Sync>(all: &[T], work: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(one);
                }
            });
        }
    });
}

/// A tournament of two bots with the rules in this mode, in this folder.
pub(super) fn tournament(dir: &Dir, mode: &str, manifest: &str, flags: &str) -> Ended {
    add_rules(dir, "bad", mode, manifest);
    let ended = dir.process(&format!("tournament --game ./bad.toml --name t --seed 1 {PATIENT} -j 1 {flags}"));
    until(Duration::from_secs(2), "no process is left", || dir.processes().is_empty());
    ended
}

#[track_caller]
fn assert_nothing_is_played(dir: &Dir, mode: &str, ended: &Ended, says: &str) {
    assert_eq!(ended.status, Some(1), "{mode}: {ended}");
    assert!(ended.stderr.contains(says), "{mode}: {ended}");
    assert_eq!(dir.journal_lines("t"), 0, "{mode}: {ended}");
}

#[test]
fn what_cannot_be_played_at_all_is_a_usage_error_in_the_programs_words() {
    let modes = modes("usage");
    assert_eq!(modes.iter().map(String::as_str).collect::<BTreeSet<_>>(), USAGE.map(|(mode, _)| mode).into());
    few_at_a_time(&USAGE, |(mode, says)| {
        let dir = with_bots(&["a", "b"]);
        let hangs = mode.ends_with("_hello");
        let ended = tournament(&dir, mode, if hangs { "startup_ms = 300\n" } else { "" }, "--rounds 1");
        assert_nothing_is_played(&dir, mode, &ended, &format!("error: game `./bad.toml`: {}", prefixed(mode, says)));
        assert!(!dir.path("results/t/standings.csv").exists());
    });
}

/// What comes before the words of a program that has ended.
fn prefixed(mode: &str, says: &str) -> String {
    let ended = if mode == "import_error" { "the program exited with status 1 before its hello; " } else { "" };
    format!("{ended}{says}")
}

#[test]
fn rules_that_are_not_deterministic_are_not_played() {
    let mut modes = modes("not_deterministic");
    // It is another game from the first answer on, and always the same; `proof` has rules that change their mind.
    modes.retain(|mode| mode != "other_winner");
    assert_eq!(modes.len(), 6);
    few_at_a_time(&modes, |mode| {
        let dir = with_bots(&["a", "b"]);
        let ended = tournament(&dir, mode, "", "--rounds 1");
        let says = match mode.as_str() {
            "seed" => {
                "the rules say \"hidden\": false, but their positions depend on the seed: declare hidden (ply 3 was"
            }
            _ => "the rules are not deterministic: ply 3 was answered by {",
        };
        assert_nothing_is_played(&dir, mode, &ended, says);
        assert_eq!(ended.stderr.matches("\"id\": 3").count(), 2, "both lines: {ended}");
    });
}

/// How one mode has failed in this process.
struct Failed {
    fault: RulesFault,
    /// The moves before.
    moves: usize,
    /// The one that could not be played.
    played: Move,
}

/// Plays games until the rules fail; `turn` chooses the moves.
fn play_until_it_fails(game: &Variant, mode: &str) -> Failed {
    for turn in 0.. {
        assert!(turn < 200, "{mode}: no fault in 200 games");
        let mut state = game.start(1).unwrap_or_else(|fault| panic!("{mode}: {fault}"));
        let mut moves = 0;
        while state.outcome().is_none() {
            let played = state.nth_legal(((turn >> (moves % 8)) % 3) % state.legal_count());
            match state.apply(&played) {
                Ok(()) => moves += 1,
                Err(Refusal::Broken(fault)) => return Failed { fault: *fault, moves, played },
                Err(refusal) => panic!("{mode}: {refusal:?}"),
            }
        }
    }
    unreachable!("it fails or panics")
}

#[test]
fn every_fault_of_the_rules_comes_again_and_names_the_program_and_the_ply() {
    alone("bad::every_fault_of_the_rules_comes_again_and_names_the_program_and_the_ply", || {
        let _beside = beside();
        let mut modes = modes("rules");
        assert!(modes.len() > 50);
        // 100,000 moves take minutes.
        modes.retain(|mode| mode != "endless");
        few_at_a_time(&modes, |mode| {
            let dir = tempfile::tempdir().expect("a folder");
            let hangs = ["hang", "half_line", "no_newline", "array_line"].contains(&mode.as_str());
            let limit = if hangs { HANG_MS } else { 10_000 };
            let mark = format!("{mode}-{}-", std::process::id());
            let manifest = format!("answer_ms = {limit}\nmemory_mb = 256\nenv = {{ RULES_MARK = {mark:?} }}\n");
            let (watch, begun) = (Lateness::watch(), now());
            let game = bad_rules(dir.path(), mode, &manifest);
            let started = now() - begun;
            let begun = now();
            let Failed { fault, moves, played } = play_until_it_fails(&game, mode);
            let (took, late) = (now() - begun, watch.end());

            let says = format!("the rules {} failed at ply {moves}: ", game.rules.name);
            assert!(
                fault.message.starts_with(&says) && fault.message.len() > says.len() + 5,
                "{mode}: {}",
                fault.message
            );
            assert!(fault.again, "{mode}: {}", fault.message);
            assert_eq!(fault.played.as_ref(), Some(&played), "{mode}");
            if hangs {
                // A miss is tried once more, in a process that is started for it.
                let most = 2 * (Duration::from_millis(limit) + EXTRA) + 3 * started + 2 * late;
                assert!(took <= most, "{mode}: took {took:?}, more than {most:?}");
            }
            let left = || processes_with(&format!("RULES_MARK={mark}"));
            until(Duration::from_secs(1), "no process is left", || left().is_empty());
        });
    });
}

#[test]
fn oddities_that_are_no_faults_cost_nothing() {
    alone("bad::oddities_that_are_no_faults_cost_nothing", || {
        let mut modes = modes("plays");
        assert!(modes.len() >= 9);
        // 100,000 moves are not waited for here: the organiser may draw a game earlier.
        modes.push("endless".to_owned());
        few_at_a_time(&modes, |mode| {
            if !["stray", "stays", "hostile", "endless"].contains(&mode.as_str()) {
                return assert_a_game_ends(mode);
            }
            let dir = with_bots(&["a", "b"]);
            let ended = tournament(&dir, mode, "", "--rounds 1 --no-check --max-plies 30");
            assert_eq!(ended.status, Some(0), "{mode}: {ended}");
            let games = dir.journal("t").games;
            let reason = if mode == "endless" { "max_plies" } else { "last_stick" };
            assert!(games.len() == 2 && games.iter().all(|game| game.reason == reason && game.counts()), "{games:?}");
            let log = std::fs::read_to_string(dir.path("results/t/rules.log")).unwrap_or_default();
            match mode.as_str() {
                "stray" => assert!(log.contains(" stdout: debug: here"), "{log}"),
                "hostile" => check_harm(&ended, &log),
                _ => assert_eq!(log, "", "{mode}"),
            }
        });
    });
}

/// Plays one game with rules in this mode.
fn assert_a_game_ends(mode: &str) {
    let dir = tempfile::tempdir().expect("a folder");
    let keys = if mode == "slow" { "slow ms=5" } else { mode };
    let mut state = bad_rules(dir.path(), keys, "").start(1).expect("a start");
    while state.outcome().is_none() {
        let last = state.nth_legal(state.legal_count() - 1);
        state.apply(&last).unwrap_or_else(|refusal| panic!("{mode}: {refusal:?}"));
    }
    assert_eq!(state.outcome().map(|end| end.reason), Some("last_stick"), "{mode}");
}

/// What the sandbox of bots forbids is forbidden to rules.
fn check_harm(ended: &Ended, log: &str) {
    if format!("{ended}").contains("sandbox") {
        crate::support::not_tested("rules that are hostile", "there is no sandbox");
        return;
    }
    let harm: Vec<&str> = log.lines().filter(|line| line.contains("HARM: ")).collect();
    // Its process group is no fence: its cgroup or session is.
    assert!(harm.iter().all(|line| line.ends_with("left its process group")), "{log}");
    assert_eq!(log.matches("kept from it: ").count(), 4, "{log}");
}
