//! `arena rerun`: a recorded tournament is played again, and what went otherwise is named with its cause.

use std::fs;

use arena::event::BotOptions;
use arena::journal::{self, Journal, JournalLine};
use arena::results_folder::ResultsFolder;
use serde_json::Value;

use crate::support::{Dir, Ended};

/// Bots without randomness but their seed, with time enough.
const FIELD: [&str; 3] = ["random", "greedy", "minimax depth=2"];
const PLAY: &str = "tournament --game tictactoe --rounds 2 --move-time 30s -j 1 -q";
const AGAIN: &str = "rerun tictactoe -j 1 -q";

/// A tournament of four bots, one of which is a script.
fn played(options: &str) -> Dir {
    let dir = Dir::with_bots(&FIELD);
    dir.script_bot("eve", "greedy");
    dir.arena_ends(0, &format!("{PLAY} {options}"));
    dir
}

#[track_caller]
fn json(ended: &Ended) -> Value {
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended}"))
}

#[test]
fn deterministic_bots_play_the_same_games_again() {
    let dir = played("");
    let ended = dir.arena_ends(0, AGAIN);
    assert_eq!(ended.stdout, "all 24 games of tictactoe went as recorded, move for move and in the result\n");
    let games = |name: &str| {
        let mut games: Vec<_> = dir.journal(name).games.into_iter().map(|game| (game.id, game.moves)).collect();
        games.sort_by(|a, b| a.0.cmp(&b.0));
        games
    };
    assert_eq!(games("tictactoe"), games("tictactoe-rerun"), "the same games, with the same seeds");
    // They are results like others.
    dir.arena_ends(0, "verify tictactoe-rerun");
    dir.arena_ends(0, "standings tictactoe-rerun");
    // Again, it plays nothing.
    let lines = dir.journal_lines("tictactoe-rerun");
    assert_eq!(dir.arena_ends(0, AGAIN).stdout, ended.stdout);
    assert_eq!(dir.journal_lines("tictactoe-rerun"), lines);
    // A rerun can be played again, from its path as well.
    dir.arena_ends(0, "rerun results/tictactoe-rerun -q -j 1 --results elsewhere");
    assert!(dir.path("elsewhere/tictactoe-rerun-rerun/games.jsonl").exists());
}

#[test]
fn every_format_is_a_list_of_games() {
    let dir = Dir::with_bots(&FIELD);
    dir.builtin("deep", "minimax depth=3");
    let formats = [
        ("ladder", "--pairs-per-bot 4"),
        ("knockout", "--third-place"),
        ("swiss", "--swiss-rounds 2"),
        ("gauntlet", "--challenger deep --rounds 2"),
        ("round-robin", "--until 400 --rounds 2 --max-rounds 4"),
    ];
    for (format, options) in formats {
        let play =
            format!("tournament --game tictactoe --format {format} --name {format} --move-time 30s -q -j 1 {options}");
        dir.arena_ends(0, &play);
        dir.arena_ends(0, &format!("rerun {format} -q -j 1"));
        let count = |name: &str| dir.journal(name).games.len();
        assert_eq!(count(format), count(&format!("{format}-rerun")), "{format}");
        dir.arena_ends(0, &format!("verify {format}-rerun"));
    }
    // A changed bot plays the same pairs, whatever the ladder would choose now.
    dir.builtin("greedy", "random");
    dir.arena_ends(2, "rerun ladder -q -j 1 --name changed");
    let pairs = |name: &str| -> Vec<[String; 2]> {
        let names = |game: arena::record::Record| game.bots.map(|bot| bot.name);
        dir.journal(name).games.into_iter().map(names).collect()
    };
    assert_eq!(pairs("changed"), pairs("ladder"));
}

#[test]
fn a_changed_bot_is_named_with_what_has_changed() {
    let dir = played("");
    dir.script_bot("eve", "minimax depth=1");
    let ended = dir.arena_ends(2, AGAIN);
    assert!(ended.stdout.contains("\nchanged: eve: changed eve\n"), "{ended}");
    assert!(ended.stdout.contains(" games: eve is another version\n"), "{ended}");
    let found = json(&dir.arena_ends(2, &format!("{AGAIN} --json")));
    assert_eq!(found["games"], 24);
    let differences = found["differences"].as_array().expect("a list");
    assert_eq!(found["equal"].as_u64(), Some(24 - differences.len() as u64));
    for difference in differences {
        assert_eq!(difference["bots"].as_array().expect("two").iter().filter(|name| *name == "eve").count(), 1);
        let both = difference["moves"].as_array().expect("two");
        assert!(difference["ply"].as_u64() > Some(1) && both[0] != both[1], "{difference}");
    }

    dir.script_bot("eve", "greedy");
    let ended = dir.arena("rerun tictactoe -j 1 -q --name limited --limits processes=100");
    assert!(ended.stdout.contains("changed: random: limits processes=100 (recorded: processes=128)\n"), "{ended}");
    let manifest = dir.read("bots/greedy.toml").replace("[options]", "fresh = true\n[options]");
    dir.file("bots/greedy.toml", manifest);
    let ended = dir.arena("rerun tictactoe -j 1 -q --name fresh");
    assert!(ended.stdout.contains("changed: greedy: fresh true (recorded: false)\n"), "{ended}");
}

#[test]
fn a_bot_that_answers_the_same_question_otherwise_is_not_deterministic() {
    let dir = Dir::with_bots(&FIELD);
    let arena = crate::support::arena();
    let (flag, plays) = (dir.path("out/flag"), "exec");
    let text = format!("[ -e {} ] && {plays} {arena} bot greedy; {plays} {arena} bot random", flag.display());
    dir.script("bots/fickle", &text);
    dir.arena_ends(0, &format!("{PLAY} --sandbox off"));
    // A sandbox is not taken off because a record says so.
    dir.file("out/flag", "");
    let ended = dir.arena("rerun tictactoe -j 1 -q --name fenced");
    assert!(ended.stderr.contains("it was played with --sandbox off, which gives bots more than usual"), "{ended}");
    assert!(ended.stdout.contains("changed: greedy: sandbox auto (recorded: off)\n"), "{ended}");
    let ended = dir.arena_ends(2, &format!("{AGAIN} --sandbox off"));
    let why = "games: fickle answered the same question otherwise: it is random, or remembers earlier games\n";
    assert!(ended.stdout.contains(why) && !ended.stdout.contains("changed:"), "{ended}");
    fs::remove_file(flag).expect("a file");
    dir.arena_ends(0, "rerun tictactoe -j 1 -q --sandbox off --name as-before");
}

#[test]
fn games_of_missing_bots_are_missing() {
    let dir = played("");
    fs::remove_file(dir.path("bots/eve")).expect("a bot");
    let ended = dir.arena_ends(3, AGAIN);
    assert_eq!(
        ended.stdout,
        "12 of 24 games of tictactoe went as recorded, move for move and in the result\n\
         changed: eve: missing\n\
         12 games: eve is missing\n"
    );
    // One that fails the check is left out.
    dir.script("bots/eve", "exit 3");
    let ended = dir.arena_ends(3, "rerun tictactoe -j 1 -q --name broken");
    assert!(
        ended.stdout.contains("\nchanged: eve: left out: ") && ended.stdout.contains("\n12 games: eve is missing\n"),
        "{ended}"
    );
    // Put back, it plays.
    dir.script_bot("eve", "greedy");
    dir.arena_ends(0, "rerun tictactoe -j 1 -q --fresh");

    let own = Dir::new();
    own.script_bot("a", "greedy");
    own.script_bot("b", "greedy");
    own.arena_ends(0, PLAY);
    for (bots, seen) in [("empty", "none"), ("one", "only one")] {
        own.file(&format!("{bots}/README"), "");
        if bots == "one" {
            own.script("one/a", "exit");
        }
        let ended = own.arena_ends(1, &format!("{AGAIN} --bots {bots}"));
        let why =
            format!("error: {seen} of the 2 bots of this tournament are in {bots} (a, b); --bots DIR names the folder");
        assert!(ended.stderr.starts_with(&why), "{ended}");
    }
    assert!(!own.path("results/tictactoe-rerun").exists());
}

#[test]
fn another_time_control_is_a_cause() {
    let dir = played("");
    let ended = dir.arena_ends(2, &format!("{AGAIN} --move-time 20s"));
    assert!(ended.stdout.contains("changed: time control: 20000 ms a move (recorded: 30000 ms a move)\n"), "{ended}");
    assert!(ended.stdout.contains(" games: another time control\n"), "{ended}");
}

#[test]
fn the_results_of_others_say_what_is_played_and_never_what_is_started() {
    let dir = played("");
    let ran = dir.path("out/ran");
    let home = dir.path("results/tictactoe");
    let bytes = fs::read(home.join(journal::FILE_NAME)).expect("a journal");
    fs::remove_file(home.join(journal::FILE_NAME)).expect("a journal");
    let (mut edited, _) = Journal::open(&ResultsFolder::open(&home).expect("a folder")).expect("a new journal");
    for located in journal::lines(&bytes[..]) {
        match located.expect("a line").line.expect("a sound line") {
            JournalLine::Event(mut event) => {
                event.bots.iter_mut().for_each(|bot| bot.command = format!("touch {}", ran.display()));
                let limits = "memory_mb=off".to_owned();
                let more =
                    BotOptions { sandbox: "off".to_owned(), limits, startup_max_ms: 1 << 40, freeze_idle: false };
                event.bot_options = Some(more);
                edited.append_event(&event).expect("written");
            }
            JournalLine::Game(record) => drop(edited.append_game(&record).expect("written")),
            _ => {}
        }
    }
    drop(edited);
    let ended = dir.arena_ends(0, AGAIN);
    assert!(!ran.exists());
    assert!(ended.stderr.contains("--sandbox off --limits memory_mb=off --startup-max 1099511627776ms"), "{ended}");
    let options = dir.journal("tictactoe-rerun").event.expect("an event").bot_options.expect("options");
    assert_eq!((options.sandbox.as_str(), options.limits.as_str(), options.startup_max_ms), ("auto", "", 10_000));
}

#[test]
fn other_results_are_not_mixed_with_a_rerun() {
    let dir = played("");
    for name in ["tictactoe", "other"] {
        if name == "other" {
            dir.arena_ends(0, "tournament --game connect4:rows=4,cols=4 --rounds 1 --name other -q -j 1");
        }
        let lines = dir.journal_lines(name);
        let ended = dir.arena_ends(1, &format!("{AGAIN} --name {name}"));
        assert!(ended.stderr.contains("has another tournament; --name NAME gives this one another folder"), "{ended}");
        assert_eq!(dir.journal_lines(name), lines);
    }
    let ended = dir.arena_ends(1, "rerun tictaktoe");
    assert!(ended.stderr.contains("did you mean `tictactoe`?"), "{ended}");
}
