//! What a journal tells about bots over time: who moves alike, whose files another one had, and what a new version was worth.

use arena::journal::Journal;
use arena::results_folder::ResultsFolder;
use serde_json::Value;

use crate::support::Dir;

const PLAY: &str = "tournament --game tictactoe --rounds 8 --opening-plies 1 --move-time 30s -j 2 --oversubscribe --sandbox off --name cup";

/// Four bots, two of which are one program with another limit that it never reaches.
fn field() -> Dir {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.builtin("alice", "minimax depth=3");
    dir.builtin("bob", "minimax depth=3 nodes=90000");
    dir.arena_ends(0, PLAY);
    dir
}

fn json(dir: &Dir, args: &str) -> Value {
    serde_json::from_str(&dir.arena_ends(0, args).stdout).expect("JSON")
}

#[test]
fn bots_that_move_alike_are_listed_with_games_to_look_at() {
    let dir = field();
    let all = json(&dir, "similar --json");
    let pairs = all["pairs"].as_array().expect("pairs");
    assert_eq!((pairs.len(), &pairs[0]["bots"]), (6, &serde_json::json!(["alice", "bob"])));
    assert_eq!(pairs[0]["agree"], 1.0);
    let of = |pair: &Value, key: &str| pair[key].as_f64().expect("a number");
    for pair in pairs {
        assert!(of(pair, "agree_lo") <= of(pair, "agree") && of(pair, "agree") <= of(pair, "agree_hi"), "{pair}");
    }
    assert!(pairs[1..].iter().all(|pair| of(pair, "agree") < 0.9), "{all}");
    assert_eq!(all["identical"], serde_json::json!([]));

    let said = dir.arena_ends(0, "similar cup").stdout;
    assert!(said.starts_with("4 bots, 6 pairings with positions in common that left a choice: half of them"), "{said}");
    // Each game that is named is one of the bot, and both have the same moves for a while.
    let games = pairs[0]["games"].as_array().expect("games");
    assert!(!games.is_empty());
    for both in games {
        for (id, name) in [(&both[0], "alice"), (&both[1], "bob")] {
            let shown = dir.arena_ends(0, &format!("replay {} --json", id.as_str().expect("an id"))).stdout;
            assert!(shown.contains(&format!("\"{name}\"")), "{shown}");
        }
    }
}

#[test]
fn files_of_a_former_version_of_another_bot_are_recognised() {
    let dir = field();
    dir.builtin("alice", "minimax depth=2");
    dir.builtin("eve", "minimax depth=3");
    dir.builtin("mallory", "greedy");
    dir.arena_ends(0, PLAY);
    let identical = json(&dir, "similar --json")["identical"].clone();
    let said: Vec<&str> = identical.as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].starts_with("eve is identical to a former version of alice ("), "{said:?}");
    assert!(said[0].ends_with(", 48 games)") && said[1] == "mallory is identical to greedy", "{said:?}");
}

#[test]
fn the_versions_of_a_bot_are_rated_against_each_other() {
    let dir = field();
    let one = dir.arena_ends(0, "history alice").stdout;
    assert!(one.ends_with("alice has one version here; play a changed one under the same name\n"), "{one}");
    dir.builtin("alice", "random");
    dir.arena_ends(0, PLAY);
    let all = json(&dir, "history alice --json");
    let versions = all[0]["versions"].as_array().expect("versions");
    assert_eq!((versions.len(), &versions[0]["gain"], &all[0]["tournament"]), (2, &Value::Null, &Value::from("cup")));
    // From the best bot to one that moves at random; that one has the files of another bot.
    assert!(versions[1]["gain"]["hi"].as_f64().is_some_and(|hi| hi < -50.0), "{all}");
    assert_eq!(versions[1]["played"].as_array().map(Vec::len), Some(2), "{all}");
    let said = dir.arena_ends(0, "history alice").stdout;
    assert!(said.contains("against the version before (weaker)"), "{said}");

    // Games of another clock, as earlier versions kept them in the same folder, are of other settings, and do not count.
    let play_with = |clock: &str| {
        dir.arena_ends(0, &format!("{} --results apart{clock}", PLAY.replace("30s", clock)));
        let both = dir.read("results/cup/games.jsonl") + &dir.read(&format!("apart{clock}/cup/games.jsonl"));
        dir.file("results/cup/games.jsonl", both);
    };
    dir.builtin("alice", "minimax depth=2");
    play_with("31s");
    let later = json(&dir, "history alice --json")[0]["versions"].clone();
    assert!(later[0]["rating"].is_null() && later[2]["rating"]["elo"].is_number(), "{later}");
    dir.builtin("alice", "minimax depth=4");
    play_with("32s");
    let said = dir.arena_ends(0, "history alice").stdout;
    assert!(said.contains("no games connect its last two versions"), "{said}");
    let unknown = dir.arena_ends(1, "history alise").stderr;
    assert!(unknown.contains("no games of `alise` in results (did you mean `alice`?)"), "{unknown}");
}

#[test]
fn lines_that_cannot_be_read_are_told_with_the_versions() {
    let dir = field();
    let journal = dir.read("results/cup/games.jsonl");
    let edited = |lines: &[usize]| {
        let edit = |(number, line): (usize, &str)| {
            let line = if lines.contains(&number) { line.replace("\"id\"", "\"ID\"") } else { line.to_owned() };
            line + "\n"
        };
        dir.file("results/cup/games.jsonl", journal.lines().enumerate().map(edit).collect::<String>());
    };
    assert_eq!(dir.arena_ends(0, "history alice").stderr, "");
    edited(&[3, 5, 9]);
    let ended = dir.arena_ends(0, "history alice --json");
    let said = "journal results/cup/games.jsonl has 3 lines that cannot be read and whose games are left out (line 4: ";
    assert!(ended.stderr.contains(said) && ended.stderr.contains("`arena verify` lists them"), "{ended}");
    // Nothing is said to be not there that only cannot be read.
    edited(&(0..journal.lines().count()).collect::<Vec<_>>());
    let ended = dir.arena_ends(1, "history alice");
    assert!(ended.stderr.contains("no games of `alice` in results, as far as the journals can be read"), "{ended}");
}

/// A journal of `versions` versions of `alice`, each in a pair with the one before, as a stranger could write it.
fn plant_versions(dir: &Dir, name: &str, versions: usize) {
    let contents = dir.journal("cup");
    std::fs::create_dir(dir.path(format!("results/{name}"))).expect("a folder");
    let folder = ResultsFolder::open(&dir.path(format!("results/{name}"))).expect("a folder");
    let (mut journal, _) = Journal::open(&folder).expect("a journal");
    journal.append_event(&contents.event.expect("a definition")).expect("written");
    for number in 1..versions {
        for seat in 0..2 {
            let mut game = contents.games[0].clone();
            game.id = format!("{:016x}", 2 * number + seat);
            for (at, version) in [(seat, number), (1 - seat, number + 1)] {
                (game.bots[at].name, game.bots[at].fingerprint) = ("alice".to_owned(), format!("{version:032x}"));
            }
            journal.append_game(&game).expect("written");
        }
    }
}

#[test]
fn more_versions_than_can_be_rated_are_refused_with_their_number() {
    let dir = field();
    plant_versions(&dir, "few", 40);
    assert_eq!(json(&dir, "history alice few --json")[0]["versions"].as_array().expect("versions").len(), 40);
    plant_versions(&dir, "many", 10_000);
    let why = "results/many has 10,000 versions of bots; at most 1,250 are rated together";
    let refused = dir.arena_ends(1, "history alice many").stderr;
    assert!(refused.contains(why), "{refused}");
    // Others are shown.
    let all = dir.arena_ends(0, "history alice --json");
    assert!(all.stderr.contains(&format!("{why}, so it is passed over")), "{}", all.stderr);
    let all: Value = serde_json::from_str(&all.stdout).expect("JSON");
    assert_eq!(all.as_array().expect("tournaments").len(), 2);
    // One that has no game of the bot does not matter.
    assert_eq!(dir.arena_ends(0, "history bob --json").stderr, "");
}
