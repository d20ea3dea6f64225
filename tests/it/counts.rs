//! Exit codes and counts say what happened.

use std::fs;

use serde_json::Value;

use crate::support::{Dir, in_repository};

const PLAY: &str = "--game tictactoe --sandbox off --no-check --oversubscribe -j 2 --quiet";
const NO_INTERPRETER: &str = "the interpreter named in its first line is missing: /nonexistent/interpreter";
const EXITS: &str = "it exited with status 3 before it said hello";

/// A copy of a file of `tests/data/edges` among the bots.
fn edge(dir: &Dir, name: &str) {
    fs::create_dir_all(dir.path("bots")).expect("a folder");
    fs::copy(in_repository(&format!("tests/data/edges/{name}")), dir.path(format!("bots/{name}"))).expect("a copy");
}

fn two_that_cannot_start() -> Dir {
    let dir = Dir::new();
    edge(&dir, "unstartable_a");
    edge(&dir, "unstartable_b");
    dir
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn has_both_causes(text: &str) -> bool {
    [NO_INTERPRETER, EXITS]
        .iter()
        .all(|cause| text.contains(&format!("did not start: {cause}")) || text.contains(cause))
}

#[test]
fn games_that_neither_bot_can_start_are_missing_whatever_the_strikes() {
    let dir = two_that_cannot_start();
    let missing = 2;
    for (what, strikes) in
        [("tournament", ""), ("tournament", "--strikes off"), ("match unstartable_a unstartable_b", "")]
    {
        let command = format!("{what} {PLAY} --rounds 1 {strikes} --json");
        let ended = dir.process_ends(3, &format!("{command} --fresh"));
        let warnings = json(&ended.stdout)["warnings"].to_string();
        assert!(has_both_causes(&warnings) && warnings.contains("2 of 2 games missing"), "{command}: {warnings}");
        let again = dir.process_ends(3, &command);
        assert!(!again.stderr.contains("nothing new to play") && again.stderr.contains("resume with: "), "{again}");
        let screen = dir.process_ends(3, &command.replace(" --json", "")).stdout;
        assert!(has_both_causes(&screen) && screen.contains("2 of 2 games missing"), "{screen}");
        if what == "tournament" {
            assert_eq!(json(&again.stdout)["counts"]["missing"], missing, "{again}");
            assert_eq!(dir.journal("tictactoe").games.len(), 3 * missing, "one attempt at each game in every run");
        }
    }
    // Without strikes nothing but this ends a run in which no game can start.
    let ended = dir.process_ends(3, &format!("tournament {PLAY} --rounds 30 --strikes off --fresh"));
    assert!(ended.stderr.contains("10 consecutive games could not be run: neither bot could start"), "{ended}");
    assert!(dir.journal("tictactoe").games.len() < 20);
}

#[test]
fn a_knockout_waits_for_a_pair_that_cannot_start_and_goes_on_without_one_of_its_bots() {
    let dir = two_that_cannot_start();
    let cup = format!("tournament {PLAY} --format knockout --pairs 1");
    let ended = dir.process_ends(3, &cup);
    assert!(ended.stdout.contains("--drop NAME goes on without a bot") && has_both_causes(&ended.stdout), "{ended}");
    let dropped = dir.process_ends(0, &format!("{cup} --drop unstartable_a"));
    assert!(!dropped.stdout.contains("missing, since"), "{dropped}");
}

#[test]
fn where_a_repaired_bot_cannot_come_back_the_first_run_says_so() {
    for format in ["swiss", "knockout", "ladder", "round-robin"] {
        let dir = two_that_cannot_start();
        let cup = format!("tournament {PLAY} --format {format} --seed 2");
        let ended = dir.process_ends(3, &cup);
        let repaired = format!("{}{}", ended.stdout, ended.stderr);
        assert!(repaired.contains("WITHDRAWN: ") && repaired.contains(" missing, since"), "{ended}");
        // One number of games that were not played: at the end, when it is known.
        assert!(!repaired.contains("not played: "), "{ended}");
        let keeps_field = ["swiss", "knockout"].contains(&format);
        let (again, fresh) = ("repair it and run the same command again", "repair it and start over with --fresh");
        assert_eq!((repaired.contains(again), repaired.contains(fresh)), (!keeps_field, keeps_field), "{ended}");
        for bot in ["unstartable_a", "unstartable_b"] {
            fs::remove_file(dir.path(format!("bots/{bot}"))).expect("the broken one");
            dir.builtin(bot, if bot.ends_with('a') { "random" } else { "greedy" });
        }
        if keeps_field {
            let ended = dir.process_ends(1, &cup);
            assert!(ended.stderr.contains(&format!("changed since the {format} began")), "{ended}");
        }
        // What it says works.
        let fresh = if keeps_field { " --fresh" } else { "" };
        let ended = dir.process_ends(0, &format!("{cup}{fresh}"));
        assert!(!ended.stdout.contains("WITHDRAWN"), "{ended}");
    }
}

#[test]
fn json_is_printed_or_refused_with_what_prints_it() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.process_ends(0, &format!("tournament {PLAY} --rounds 1"));
    for list in ["--bot greedy --lost", "--bot greedy", "--reason line", "--pair 1", "--last 1", ""] {
        let ended = dir.process_ends(1, &format!("replay {list} --json"));
        let is_refused = ended.stderr.contains("replay ID --json") || ended.stderr.contains("<ID");
        assert!(ended.stdout.is_empty() && is_refused, "{list}: {ended}");
    }
    let last = dir.process_ends(1, "replay --last 1 --from 3").stderr;
    assert!(last.contains("--from is for one game: `arena replay ID --from`"), "{last}");
    for command in ["series", "games", "explain timeout", "export --moves", "schema", "play", "talk random", "judge"] {
        let ended = dir.process_ends(1, &format!("{command} --json"));
        let name = command.split(' ').next().unwrap_or_default();
        let said = format!("`arena {name}` has no --json; these have it: tournament, ");
        assert!(ended.stdout.is_empty() && ended.stderr.contains(&said), "{ended}");
    }
    for alone in ["bots", "standings", "verify", "sprt +1 =2 -3 --elo0 0 --elo1 5", "standings tictactoe"] {
        json(&dir.process_ends(0, &format!("{alone} --json")).stdout);
    }
}
