//! `arena rerun`: a recorded tournament is played again, and what went otherwise is named with its cause.

use std::fs;

use arena::event::BotOptions;
use arena::journal::{self, Journal, JournalLine};
use arena::record::{GameResult, Status};
use arena::results_folder::ResultsFolder;
use serde_json::Value;

use crate::support::{Dir, Ended, LIMIT};

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
    let all = "all 24 games of tictactoe went as recorded, move for move and in the result\n";
    assert_eq!(ended.stdout, format!("{all}played now: 24 games\n"));
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
    assert_eq!(dir.arena_ends(0, AGAIN).stdout, format!("{all}played now: 0 games; here before: 24\n"));
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
    let why = "games: fickle answered the same question otherwise: it is random, remembers earlier games, or the record is false\n";
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
         played now: 12 games\n\
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
    let mut lines = journal::lines(&bytes[..]);
    while let Some(located) = lines.next() {
        match located.expect("a line").line.expect("a sound line") {
            JournalLine::Event(event) => {
                let mut event = lines.complete(*event).expect("openings");
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

/// Swaps the results of an edited game, with the statuses of its seats.
fn swap(record: &mut arena::record::Record) {
    record.result = match record.result {
        GameResult::FirstWins => GameResult::SecondWins,
        GameResult::SecondWins => GameResult::FirstWins,
        other => other,
    };
}

/// The field of [`FIELD`] alone, which has played.
fn field() -> Dir {
    let dir = Dir::with_bots(&FIELD);
    dir.arena_ends(0, PLAY);
    dir
}

#[test]
fn a_rerun_that_was_not_made_here_counts_for_nothing() {
    let dir = field();
    let refused = |why: &str| {
        let lines = dir.journal_lines("tictactoe-rerun");
        let ended = dir.arena_ends(1, AGAIN);
        assert!(
            ended.stderr.contains("results/tictactoe-rerun was not made here") && ended.stdout.is_empty(),
            "{why}: {ended}"
        );
        assert!(ended.stderr.ends_with("; --fresh plays it again\n"), "{why}: {ended}");
        assert_eq!(dir.journal_lines("tictactoe-rerun"), lines, "{why}");
    };
    // An archive with swapped results, and beside it a rerun that agrees with them.
    dir.arena_ends(0, AGAIN);
    dir.edit_games("tictactoe", |_, record| swap(record));
    dir.edit_games("tictactoe-rerun", |_, record| swap(record));
    refused("all games of the rerun are forged");
    dir.arena_ends(2, &format!("{AGAIN} --fresh"));
    // One game of a rerun that was made here.
    dir.edit_games("tictactoe", |_, record| swap(record));
    dir.arena_ends(0, &format!("{AGAIN} --fresh"));
    let sound = dir.read("results/tictactoe-rerun/games.jsonl");
    dir.edit_games("tictactoe-rerun", |number, record| {
        if number == 5 {
            record.reason = "other".to_owned();
        }
    });
    refused("one game is forged");
    // A decision without any game: it would say which games are played.
    let lines: Vec<&str> = sound.lines().collect();
    dir.file("results/tictactoe-rerun/games.jsonl", format!("{}\n", lines[..2].join("\n")));
    dir.arena_ends(0, AGAIN);
    fs::remove_file(dir.path("results/tictactoe-rerun/own-lines.txt")).expect("marks");
    refused("no line has a mark");
    dir.file("results/tictactoe-rerun/games.jsonl", format!("{}\n", lines[..2].join("\n")));
    refused("a definition and a decision are there, and no game");
    dir.file("results/tictactoe-rerun/games.jsonl", "");
    assert!(dir.arena_ends(0, AGAIN).stdout.ends_with("played now: 12 games\n"));
    // Moved together with its marks, it is still our own.
    fs::rename(dir.path("results/tictactoe-rerun"), dir.path("results/moved")).expect("renamed");
    let ended = dir.arena_ends(0, &format!("{AGAIN} --name moved"));
    assert!(ended.stdout.ends_with("played now: 0 games; here before: 12\n"), "{ended}");
}

#[test]
fn what_another_user_or_machine_has_played_again_does_not_count() {
    let dir = field();
    let again = |cache: &str, code: i32| {
        let mut command = dir.command(AGAIN);
        command.env("XDG_CACHE_HOME", dir.path(cache));
        let ended = dir.run(command).wait(LIMIT);
        assert_eq!(ended.status, Some(code), "{ended}");
        ended
    };
    assert!(again("cache", 0).stdout.ends_with("played now: 12 games\n"));
    assert!(again("cache", 0).stdout.ends_with("played now: 0 games; here before: 12\n"));
    let ended = again("other", 1);
    assert!(
        ended.stderr.contains("was not made here: its journal has 14 lines that this machine has not recorded"),
        "{ended}"
    );
    // Without a place for the key the games count now, and no later run can tell.
    dir.file("nowhere", "");
    fs::rename(dir.path("results/tictactoe-rerun"), dir.path("aside")).expect("renamed");
    let ended = again("nowhere/cache", 0);
    assert!(ended.stderr.contains("a later run cannot tell that these games were played here"), "{ended}");
    let ended = again("nowhere/cache", 1);
    assert!(ended.stderr.contains("whether results/tictactoe-rerun was made here is not known; --fresh"), "{ended}");
}

#[test]
fn a_stopped_rerun_goes_on_with_what_it_has_played() {
    let dir = field();
    dir.arena_ends(0, AGAIN);
    // Killed at any moment: whole lines, and the marks of all of them or one more.
    let text = dir.read("results/tictactoe-rerun/games.jsonl");
    let lines: Vec<&str> = text.lines().collect();
    for kept in [3, 8] {
        dir.file("results/tictactoe-rerun/games.jsonl", format!("{}\n{{\"torn", lines[..kept].join("\n")));
        let ended = dir.arena_ends(0, AGAIN);
        let (now, before) = (lines.len() - kept, kept - 2);
        assert!(ended.stdout.ends_with(&format!("played now: {now} games; here before: {before}\n")), "{ended}");
    }
}

#[test]
fn a_record_that_contradicts_itself_is_never_the_fault_of_a_bot() {
    let forge = |what: &str, change: &dyn Fn(&mut arena::record::Record)| {
        let dir = field();
        dir.edit_games("tictactoe", |number, record| {
            if number % 3 == 0 {
                change(record);
            }
        });
        let found = json(&dir.arena_ends(2, &format!("{AGAIN} --json")));
        let causes = found["causes"].as_array().expect("causes");
        assert_eq!(causes.len(), 1, "{what}: {causes:?}");
        assert_eq!((&causes[0]["cause"], &causes[0]["games"]), (&"record".into(), &4.into()), "{what}");
        assert_eq!(causes[0]["says"], "the record contradicts itself");
        assert!(
            found["differences"][0]["contradiction"].is_string() && found["differences"][0]["bot"].is_null(),
            "{what}"
        );
        assert_eq!(found["equal"], 8, "{what}");
        let ended = dir.arena_ends(2, AGAIN);
        assert!(ended.stdout.contains("\n4 games: the record contradicts itself\n"), "{ended}");
    };
    let flip = |record: &mut arena::record::Record| {
        record.result = if record.result == GameResult::FirstWins { GameResult::Draw } else { GameResult::FirstWins };
    };
    forge("results flipped, moves as they were", &flip);
    forge("a garbled reason", &|record| record.reason = "the other one gave up".to_owned());
    forge("a reason of other rules", &|record| record.reason = "timeout".to_owned());
    forge("an illegal move", &|record| record.moves[2] = record.moves[0].clone());
    forge("the end cut off", &|record| {
        record.moves.pop();
        record.played.pop();
    });
    forge("a fault after the end", &|record| record.statuses[0] = Status::Crashed);
    forge("another seed", &|record| record.seed += 1);
}

#[test]
fn a_fault_that_only_the_record_has_is_not_held_against_the_bot() {
    let dir = field();
    for status in [Status::Timeout, Status::Crashed] {
        dir.edit_games("tictactoe", |_, record| {
            record.moves.truncate(record.opening.len() + 1);
            record.played.truncate(1);
            let mut movers = arena::rules::Movers::default();
            let mut state =
                "tictactoe".parse::<arena::rules::Variant>().expect("a game").start(record.seed).expect("a start");
            for (ply, played) in record.moves.iter().enumerate() {
                movers.push(ply, state.to_move());
                arena::rules::step(state.as_mut(), played).expect("legal");
            }
            record.movers = movers;
            let loser = state.to_move();
            record.statuses = [Status::Ok; 2];
            record.statuses[loser.index()] = status;
            record.result = GameResult::of(Some(loser.other()));
            record.reason = status.name().to_owned();
        });
        assert_eq!(dir.arena("verify tictactoe").status, Some(0));
        let found = json(&dir.arena_ends(2, &format!("{AGAIN} --json")));
        for cause in found["causes"].as_array().expect("causes") {
            assert_eq!(cause["cause"], "recorded_fault", "{cause}");
            assert!(
                cause["says"].as_str().expect("words").ends_with("in the record alone, which a record cannot prove")
            );
        }
    }
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
