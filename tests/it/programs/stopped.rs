//! Rules that fail in a tournament: it is stopped, no bot is at fault, and the program can be made to fail again.

use std::process::Command;

use arena::record::{GameResult, Record, Status};

use super::bad::{HANG_MS, few_at_a_time, tournament};
use super::{table, with_bots};
use crate::support::Dir;

/// A folder in which the rules fail only once a bot has been started, which is after all checks.
fn with_mark() -> (Dir, String) {
    let dir = with_bots(&["b"]);
    let mark = dir.path("mark").to_string_lossy().into_owned();
    dir.script("bots/a", &format!(": > {mark}\nexec {} bot random", crate::support::arena()));
    (dir, mark)
}

const MARKED: &str = "--rounds 1 --no-check --sandbox off";

fn assert_no_bot_is_at_fault(game: &Record) {
    assert_eq!((game.result, game.statuses), (GameResult::Void, [Status::Ok; 2]), "{game:?}");
    assert!(game.rules_fault.as_ref().is_some_and(|fault| fault.again), "{game:?}");
}

#[test]
fn a_fault_in_a_tournament_stops_it_and_costs_no_bot_a_game() {
    // One of each kind: it ends, answers wrongly, contradicts itself.
    let all = [
        ("crash", "the program exited with status 1; its stderr ends: RuntimeError: the rules crash on purpose", None),
        ("wrong_id", "they answer id 3 with id 4", Some("\"id\": 4, ")),
        ("illegal_listed", "they refuse the move ", Some("\"type\": \"illegal\"")),
    ];
    few_at_a_time(&all, |(mode, says, faulty)| {
        let (dir, mark) = with_mark();
        let ended = tournament(&dir, &format!("{mode} if={mark}"), "", MARKED);
        assert_eq!(ended.status, Some(1), "{ended}");
        let games = dir.journal("t").games;
        assert!(!games.is_empty() && games.len() <= 2, "{games:?}");
        games.iter().for_each(assert_no_bot_is_at_fault);
        let game = &games[0];
        let fault = format!("game {}: the rules {} failed at ply 2: {says}", game.id, game.game);
        let line = ended.stderr.lines().find(|line| line.contains(&fault)).unwrap_or_else(|| panic!("{ended}"));
        let (said, command) = line.split_once("; to reproduce: ").expect("a command");
        assert!(said.ends_with("; no bot is at fault"), "{said}");
        // Bots are not blamed anywhere else either.
        assert!(!format!("{ended}").contains("a bot causes it"), "{mode}: {ended}");
        assert!(!dir.path("results/t/bots").exists(), "{mode}");
        assert!(table(&dir, "t", "rules.log").contains(" arena: "), "{mode}");
        assert!(table(&dir, "t", "games.csv").lines().skip(1).all(|row| row.contains(",void,")), "{mode}");

        // The command makes the program fail again, on the last request.
        let path = format!("results/t/rules.faults/{}.jsonl", game.id);
        assert!(command.ends_with(&path), "{command}");
        let requests = dir.read(&path);
        assert_eq!(requests.lines().count(), 2 + game.moves.len() + 1, "hello, start and moves: {requests}");
        let again = Command::new("sh").args(["-c", command]).current_dir(dir.path("")).output().expect("sh");
        let answers = String::from_utf8_lossy(&again.stdout);
        match faulty {
            Some(faulty) => assert!(answers.lines().last().is_some_and(|line| line.contains(faulty)), "{mode}"),
            None => assert!(String::from_utf8_lossy(&again.stderr).contains("RuntimeError"), "{again:?}"),
        }
        assert_eq!(answers.lines().count(), requests.lines().count() - usize::from(faulty.is_none()), "{mode}");
    });
}

#[test]
fn tables_of_what_was_played_are_written_before_the_rules_stop_a_run() {
    let dir = with_bots(&["a", "b"]);
    // At most 64 games have different reasons.
    let ended = tournament(&dir, "many_reasons", "", "--rounds 36 --no-check");
    assert_eq!(ended.status, Some(1), "{ended}");
    let says = "after 64 others; no more different ones are allowed; no bot is at fault; to reproduce: ";
    assert!(ended.stderr.contains(says), "{ended}");
    let games = dir.journal("t").games;
    let (void, played): (Vec<_>, Vec<_>) = games.into_iter().partition(|game| game.result == GameResult::Void);
    void.iter().for_each(assert_no_bot_is_at_fault);
    assert!(!void.is_empty() && played.len() >= 50, "{} of {}", void.len(), played.len());
    let standings = table(&dir, "t", "standings.csv");
    assert!(standings.lines().nth(1).is_some_and(|row| row.contains(&format!(",{},", played.len()))), "{standings}");
    // The games that are missing can be played by rules that are repaired.
    assert!(ended.stderr.contains("resume with: "), "{ended}");
}

#[test]
fn a_fault_that_does_not_come_again_costs_one_game_that_is_replaced() {
    let both = [("crash", 1), ("hang", 0)];
    few_at_a_time(&both, |(mode, void)| {
        let (dir, mark) = with_mark();
        let once = dir.path("once").to_string_lossy().into_owned();
        let keys = format!("{mode} if={mark} once={once}");
        let ended = tournament(&dir, &keys, &format!("answer_ms = {HANG_MS}\n"), MARKED);
        assert!(dir.path("once").exists(), "{mode}: {ended}");
        assert_eq!(ended.status, Some(0), "{mode}: {ended}");
        let games = dir.journal("t").games;
        let counted: Vec<&Record> = games.iter().filter(|game| game.counts()).collect();
        assert_eq!((counted.len(), games.len()), (2, 2 + void), "{games:?}");
        assert!(games.iter().all(|game| game.statuses == [Status::Ok; 2]), "{games:?}");
        for game in games.iter().filter(|game| !game.counts()) {
            assert!(game.rules_fault.as_ref().is_some_and(|fault| !fault.again), "{game:?}");
            assert!(counted.iter().any(|again| again.repeat == 1 && again.bots == game.bots), "{games:?}");
        }
        dir.process_ends(0, "verify --game ./bad.toml");
    });
}

#[test]
fn a_void_game_of_the_rules_follows_them() {
    // Faults at the start and in the opening leave no moves of bots.
    few_at_a_time(&["at=0", "at=1"], |at| {
        let (dir, mark) = with_mark();
        let ended = tournament(&dir, &format!("crash if={mark} {at}"), "", MARKED);
        assert_eq!(ended.status, Some(1), "{at}: {ended}");
        for game in dir.journal("t").games {
            assert_no_bot_is_at_fault(&game);
            let requests = dir.read(&format!("results/t/rules.faults/{}.jsonl", game.id));
            let fault = game.rules_fault.expect("a fault");
            let before = match fault.message.split_once("failed at ply ") {
                Some((_, rest)) => rest.split(':').next().and_then(|ply| ply.parse().ok()).expect("a ply"),
                None => 0,
            };
            let expected = 2 + before + usize::from(fault.played.is_some());
            assert_eq!(requests.lines().count(), expected, "{at}: {}\n{requests}", fault.message);
        }
        std::fs::remove_file(dir.path("mark")).expect("removed");
        dir.process_ends(0, "verify --game ./bad.toml");
    });
}
