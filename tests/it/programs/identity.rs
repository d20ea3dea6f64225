//! Changed rules are another game: all is played again, in the same folder.

use std::collections::BTreeSet;

use super::{PATIENT, example, games};
use crate::support::Dir;

/// Plays four games, where they are missing. Returns the ids that count, and the number of games in the journal.
fn played(dir: &Dir) -> (BTreeSet<String>, usize) {
    played_with(dir, "./sticks.toml")
}

fn played_with(dir: &Dir, game: &str) -> (BTreeSet<String>, usize) {
    dir.process_ends(0, &format!("tournament --game {game} --rounds 2 {PATIENT} -j 1 --no-check"));
    played_last(dir)
}

/// What counts after the last run.
fn played_last(dir: &Dir) -> (BTreeSet<String>, usize) {
    let games = games(dir, "sticks");
    let ids: BTreeSet<String> = games[1..].iter().filter_map(|row| Some(row.split(',').next()?.to_owned())).collect();
    assert_eq!(ids.len(), 4, "{games:?}");
    (ids, dir.journal("sticks").games.len())
}

/// Replaces a text in a file.
fn edit(dir: &Dir, file: &str, from: &str, to: &str) {
    let text = dir.read(file);
    assert!(text.contains(from), "{text}");
    dir.file(file, text.replacen(from, to, 1));
}

#[test]
fn one_byte_of_the_program_makes_another_game_of_it() {
    let dir = example("sticks", &["a", "b"]);
    let (first, _) = played(&dir);
    // A limit is no part of the rules, and neither is a comment of the manifest.
    edit(&dir, "sticks.toml", "\ncommand", "\nanswer_ms = 9000\ncommand");
    edit(&dir, "sticks.toml", "# ", "# Again: ");
    assert_eq!(played(&dir), (first.clone(), 4), "the rules have not changed");

    edit(&dir, "sticks.py", "heap, seat = 21, 0", "heap, seat = 21,  0");
    let seed = dir.journal("sticks").event.expect("an event").seed;
    let ended = dir
        .process_ends(0, "tournament --game ./sticks.toml --rounds 2 --move-time 30s --oversubscribe -j 1 --no-check");
    assert!(
        ended.stderr.contains("4 games in results/sticks of other rules, settings, rounds or bots: kept"),
        "{ended}"
    );
    let (second, all) = played_last(&dir);
    assert_eq!((first.intersection(&second).count(), all), (0, 8));
    assert_eq!(dir.journal("sticks").event.expect("an event").seed, seed, "the old games are found again");
    let standings = dir.process_ends(0, "standings").stdout;
    assert!(standings.contains("of 4 games"), "the old games count nowhere: {standings}");
    let journal = dir.journal("sticks");
    let names: BTreeSet<&str> = journal.games.iter().map(|game| game.game.as_str()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(names.iter().all(|name| name.starts_with("sticks@") && name.len() == 15), "{names:?}");
    assert!(journal.event.is_some_and(|event| event.label == "sticks"));

    let verified = dir.process_ends(0, "verify --game ./sticks.toml").stdout;
    let old = format!("4 games of {} cannot be replayed, whose program is missing", journal.games[0].game);
    assert!(verified.contains(&old) && verified.contains("4 games follow the rules"), "{verified}");

    // The old rules have their games, wherever they lie.
    edit(&dir, "sticks.py", "heap, seat = 21,  0", "heap, seat = 21, 0");
    for file in ["sticks.toml", "sticks.py"] {
        dir.file(&format!("elsewhere/{file}"), dir.read(file));
        std::fs::remove_file(dir.path(file)).expect("removed");
    }
    assert_eq!(played_with(&dir, "./elsewhere/sticks.toml"), (first, 8));
}

#[test]
fn rules_that_are_known_by_their_version_may_be_edited() {
    let dir = example("sticks", &["a", "b"]);
    edit(&dir, "sticks.toml", "command", "identity = \"version\"\ncommand");
    let (first, _) = played(&dir);
    edit(&dir, "sticks.py", "import json", "# Neater.\nimport json");
    assert_eq!(played(&dir), (first.clone(), 4));
    // What they rest on is another thing.
    edit(&dir, "sticks.py", "\"version\": 1", "\"version\": 1, \"build\": \"lib 1.0\"");
    let (second, _) = played(&dir);
    assert_eq!((first.intersection(&second).count(), dir.journal("sticks").games.len()), (0, 8));
    let event = dir.journal("sticks").event.expect("an event");
    assert_eq!(event.program.map(|program| program.rules.build), Some("lib 1.0".to_owned()));
}
