//! The identity of games and bots, and secrets: unpredictable seeds, copies of bots, repeated games. Rows 97, 98 and 104 of
//! the table in `hostile/MATRIX.md`.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;

use arena::event::bot_seeds;
use arena::record::{Record, Status};
use arena::rng::derive_seed;
use arena::rules::{Params, Seat, Variant};
use arena::strategy::{Query, SearchDeadline, Strategy};
use serde_json::Value;

use crate::support::{Dir, arena};

const PLAY: &str = "tournament --game tictactoe --move-time 30s --oversubscribe --sandbox off --no-check -j 1";
const JOURNAL: &str = "results/tictactoe/games.jsonl";

/// A bot that plays as `random` and writes everything it receives to `told-NAME` beside the bots.
fn spy(dir: &Dir, name: &str) {
    dir.script(&format!("bots/{name}"), &format!("tee -a ../told-{name} | {} bot random", arena()));
}

/// The `new_game` messages that a spy received, in order.
fn told(dir: &Dir, name: &str) -> Vec<Value> {
    let text = dir.read(&format!("told-{name}"));
    let messages = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    messages.filter(|message| message["type"] == "new_game").collect()
}

/// Number of moves of `seat` that the strategy `random` makes too, given this seed; and the number of all of them.
fn foretold(record: &Record, seat: Seat, seed: u64) -> (usize, usize) {
    let variant = Variant::from_json(&record.game, &record.params).expect("a game");
    let random = Strategy::named("random").expect("a strategy");
    let mut engine = (random.build)(&variant, &Params::defaults(random.options), seed);
    let mut state = variant.start(record.seed).expect("built-in rules");
    let (mut same, mut all) = (0, 0);
    for (ply, played) in record.moves.iter().enumerate() {
        if ply >= record.opening.len() && state.to_move() == seat {
            let (view, legal) = (state.view(seat), state.legal_moves());
            let query = Query { seat, view: &view, legal_moves: Some(&legal), sample_move: &legal[0] };
            let choice =
                engine.choose(&query, &SearchDeadline::within(std::time::Duration::from_secs(3_600))).expect("a move");
            same += usize::from(choice.played == *played);
            all += 1;
        }
        state.apply(played).expect("built-in rules");
    }
    (same, all)
}

#[test]
fn no_bot_can_work_out_what_its_opponent_draws() {
    let dir = Dir::with_bots(&["random"]);
    spy(&dir, "spy");
    let play = PLAY.replace("tictactoe", "gomoku") + " --rounds 3";
    dir.arena_ends(0, &play);
    let journal = dir.journal("gomoku");
    let (messages, seed) = (told(&dir, "spy"), journal.event.as_ref().expect("an event").seed);
    assert_eq!((messages.len(), journal.games.len()), (6, 6));
    let mut moves = 0;
    let mut best = BTreeMap::new();
    for (message, game) in messages.iter().zip(&journal.games) {
        let own = Seat::BOTH[message["seat"].as_u64().expect("a seat") as usize];
        let other = own.other();
        let text = |field: &str| message[field].as_str().expect("text").to_owned();
        let (game_id, own_seed) = (text("game_id"), text("seed").parse::<u64>().expect("a seed"));
        // A check of this test: with the event's seed and the game, every move can be computed.
        let seeds = bot_seeds(seed, &game.id);
        assert_eq!(seeds[own.index()], own_seed);
        let (known, all) = foretold(game, other, seeds[other.index()]);
        assert_eq!(known, all);
        moves += all;
        let number = u64::from_str_radix(&game_id, 16).unwrap_or(0);
        let old = |parent: u64, id: &str| derive_seed(parent, "bot", &[id.as_bytes(), &[other.index() as u8]]);
        let guesses = [
            ("as it was", old(0, &game_id)),
            ("of the default seed", bot_seeds(1, &game_id)[other.index()]),
            ("of its own seed", bot_seeds(own_seed, &game_id)[other.index()]),
            ("of its own seed and no game", old(own_seed, "")),
            ("of the game's name", bot_seeds(number, &game_id)[other.index()]),
            ("the game's name", number),
            ("its own seed", own_seed),
            ("its own seed and one", own_seed ^ 1),
        ];
        for (guess, seed) in guesses {
            *best.entry(guess).or_insert(0) += foretold(game, other, seed).0;
        }
    }
    assert!(moves > 60, "{moves}");
    assert!(best.values().all(|same| same * 10 < moves), "{best:?} of {moves}");
}

#[test]
fn what_a_game_is_called_on_the_wire_means_nothing() {
    let dir = Dir::new();
    spy(&dir, "one");
    spy(&dir, "two");
    dir.arena_ends(0, &format!("{PLAY} --rounds 2"));
    let first = dir.journal("tictactoe").games;
    dir.arena_ends(0, &format!("{PLAY} --rounds 2 --fresh"));
    let again = dir.journal("tictactoe").games;
    let played = |games: &[Record]| games.iter().map(|game| (game.id.clone(), game.moves.clone())).collect::<Vec<_>>();
    assert_eq!(played(&first), played(&again), "the seed alone says how they play");
    let messages = [told(&dir, "one"), told(&dir, "two")].concat();
    let names: HashSet<&str> = messages.iter().filter_map(|message| message["game_id"].as_str()).collect();
    assert_eq!(names.len(), 16, "never the same, not for the two bots of a game either");
    assert!(first.iter().all(|game| !names.contains(game.id.as_str())));
    let seeds: HashSet<&str> = messages.iter().filter_map(|message| message["seed"].as_str()).collect();
    assert_eq!(seeds.len(), 8, "the same in both runs, and else never");
}

/// Games in which `name` meets `opponent`, as `games.csv` has them: ids, rounds, and what was played.
fn games_of(dir: &Dir, name: &str, opponent: &str) -> BTreeSet<String> {
    let csv = dir.read("results/tictactoe/games.csv");
    let of = |line: &&str| [name, opponent].iter().all(|bot| line.contains(&format!(",{bot},")));
    let told = |line: &str| {
        // Without times, and the number of the pair, which other bots change.
        let (id, rest) = line.split_once(',').expect("an id");
        let (round, rest) = rest.split_once(',').expect("a round");
        let (_, rest) = rest.split_once(',').expect("a pair");
        format!("{id} {round} {}", rest.rsplitn(5, ',').last().unwrap_or_default())
    };
    csv.lines().filter(of).map(told).collect()
}

#[test]
fn a_copy_takes_no_games_from_its_original() {
    let dir = Dir::with_bots(&["greedy"]);
    dir.script_bot("mine", "random");
    let play = format!("{PLAY} --rounds 2");
    let played = |why: &str, games: usize| {
        let before = dir.journal_lines("tictactoe");
        let ended = dir.arena_ends(0, &play);
        let text = dir.read(JOURNAL);
        let new = text.lines().skip(before).filter(|line| line.starts_with("{\"type\":\"game\"")).count();
        assert_eq!(new, games, "{why}\n{ended}");
        dir.arena_ends(0, "verify");
        ended
    };
    played("two bots", 4);
    let own = games_of(&dir, "mine", "greedy");
    assert_eq!(own.len(), 4);

    // One that comes before it in the roster, and one after.
    for copy in ["copy", "zcopy"] {
        fs::copy(dir.path("bots/mine"), dir.path(format!("bots/{copy}"))).expect("copied");
    }
    let ended = played("two copies meet all others and each other", 20);
    let said = "copy, mine, zcopy are identical bots; only their names distinguish their games";
    assert!(ended.stderr.contains(&format!("warning: {said}\n")) && ended.stdout.contains(said), "{ended}");
    let json: Value = serde_json::from_str(&dir.read("results/tictactoe/tournament.json")).expect("JSON");
    assert!(json["warnings"].as_array().expect("a list").iter().any(|warning| warning == said), "{json}");
    assert_eq!(games_of(&dir, "mine", "greedy"), own, "the original keeps its games");
    let prints: HashSet<String> = dir
        .journal("tictactoe")
        .games
        .into_iter()
        .flat_map(|game| game.bots)
        .filter(|bot| bot.name != "greedy")
        .map(|bot| bot.fingerprint)
        .collect();
    assert_eq!(prints.len(), 1);

    // The original leaves: its copies keep their games, under any name.
    let theirs = games_of(&dir, "copy", "greedy");
    fs::remove_file(dir.path("bots/zcopy")).expect("removed");
    fs::rename(dir.path("bots/mine"), dir.path("kept")).expect("moved");
    played("the copy alone", 0);
    assert_eq!(games_of(&dir, "copy", "greedy"), theirs);
    fs::rename(dir.path("bots/copy"), dir.path("bots/mine2")).expect("renamed");
    let ended = played("a new name of a copy is a new bot", 4);
    assert!(!ended.stderr.contains("takes over its games"), "{ended}");
    let renamed = games_of(&dir, "mine2", "greedy");
    assert!(own.union(&theirs).all(|row| renamed.iter().all(|own| own[..16] != row[..16])), "{renamed:?}");

    // And the original gets its own back.
    fs::remove_file(dir.path("bots/mine2")).expect("removed");
    fs::rename(dir.path("kept"), dir.path("bots/mine")).expect("moved");
    played("the original alone", 0);
    assert_eq!(games_of(&dir, "mine", "greedy"), own);
}

#[test]
fn a_renamed_bot_goes_on_with_its_games_and_it_is_said() {
    let dir = Dir::with_bots(&["greedy"]);
    dir.script_bot("mine", "random");
    let play = format!("{PLAY} --rounds 1 --quiet");
    dir.arena_ends(0, &play);
    fs::rename(dir.path("bots/mine"), dir.path("bots/yours")).expect("renamed");
    let ended = dir.arena_ends(0, &play);
    assert_eq!(
        ended.stderr,
        "yours has the same files as mine, which is gone, and takes over its games\nnothing new to play: every game is in the journal; ask for more --rounds, or change a bot\n"
    );
    assert_eq!(dir.arena_ends(0, &play).stderr.lines().count(), 1, "it is said once");
    // A copy that waits for its original to be repaired takes none of its games either.
    fs::copy(dir.path("bots/yours"), dir.path("bots/copy")).expect("copied");
    dir.script_bot("yours", "minimax depth=2");
    let ended = dir.arena_ends(0, &play);
    assert!(!ended.stderr.contains("takes over its games"), "{ended}");
    assert_eq!(dir.journal("tictactoe").games.len(), 2 + 6);
}

#[test]
fn a_copy_takes_no_games_from_an_original_that_is_broken_or_not_named() {
    use std::os::unix::fs::PermissionsExt;
    let dir = Dir::with_bots(&["greedy"]);
    dir.script_bot("mine", "random");
    let play = format!("{PLAY} --rounds 1");
    dir.arena_ends(0, &play);
    fs::copy(dir.path("bots/mine"), dir.path("bots/copy")).expect("copied");
    let names = |why: &str, code: i32, play: &str, games: usize| {
        let journal = dir.read(JOURNAL);
        let ended = dir.arena_ends(code, play);
        assert!(!ended.stderr.contains("takes over its games"), "{why}\n{ended}");
        assert_eq!(dir.journal("tictactoe").games.len(), 2 + games, "{why}\n{ended}");
        // For the next one.
        fs::write(dir.path(JOURNAL), journal).expect("written");
    };
    let play_match = play.replace("tournament", "match copy greedy --name tictactoe");
    names("a match that does not name it", 0, &play_match, 2);
    let by_path = play.replace("tournament", "match bots/copy bots/greedy.toml --name tictactoe");
    names("a match of paths", 0, &by_path, 2);

    let text = dir.read("bots/mine");
    fs::write(dir.path("bots/mine"), text.replacen('\n', "\r\n", 1)).expect("written");
    names("a script of another system", 2, &play, 2);
    fs::write(dir.path("bots/mine"), &text).expect("written");
    fs::set_permissions(dir.path("bots/mine"), fs::Permissions::from_mode(0o644)).expect("set");
    names("one that is not executable", 2, &play, 2);
    fs::remove_file(dir.path("bots/mine")).expect("removed");
    dir.file("bots/mine.toml", "command = [");
    names("a manifest that is damaged", 2, &play, 2);
    fs::remove_file(dir.path("bots/mine.toml")).expect("removed");
    dir.file("bots/mine/bot.toml", "commend = []");
    names("a folder that is damaged", 2, &play, 2);
}

#[test]
fn a_copy_that_cannot_start_withdraws_no_other_bot() {
    let dir = Dir::with_bots(&["greedy"]);
    let text = format!("case $(pwd) in */evil) exit 7;; esac; exec {} bot random", arena());
    for name in ["evil", "good"] {
        dir.script(&format!("bots/{name}/run"), &text);
        dir.file(&format!("bots/{name}/bot.toml"), "command = [\"./run\"]\n");
    }
    let ended = dir.arena_ends(2, &format!("{PLAY} --rounds 3"));
    assert!(ended.stderr.contains("evil is withdrawn after 3 failed starts in a row"), "{ended}");
    assert_eq!(ended.stderr.matches(" is withdrawn ").count(), 1, "{ended}");
    let games = dir.journal("tictactoe").games;
    let mut prints = HashSet::new();
    for game in &games {
        for (bot, status) in game.bots.iter().zip(game.statuses) {
            if bot.name != "greedy" {
                prints.insert(bot.fingerprint.clone());
            }
            assert_eq!(status == Status::Ok, bot.name != "evil", "{game:?}");
        }
    }
    // Games lost unplayed are only in the tables.
    assert_eq!((games.len(), prints.len()), (9, 1));
    assert_eq!(dir.read("results/tictactoe/games.csv").lines().count(), 1 + 18);
    // It is still known after the run.
    let again = dir.arena_ends(2, &format!("{PLAY} --rounds 3"));
    assert!(again.stderr.contains("nothing new to play"), "{again}");
    dir.arena_ends(0, "verify");
}

/// Two bots, of which one ends in its first game for an unknown cause; `starts-NAME` beside the bots has a line for each
/// start.
fn interrupted(game: &str) -> Dir {
    let dir = Dir::new();
    let kill = format!(
        "[ -e ../ended ] && exec {} bot random\n: >../ended\n{}\nkill -KILL $$",
        arena(),
        crate::support::ASKED
    );
    for (name, text) in [("victim", kill), ("witness", format!("exec {} bot random", arena()))] {
        dir.script(&format!("bots/{name}"), &format!("echo x >>../starts-{name}\n{text}"));
    }
    dir.arena_ends(0, &format!("{} --rounds 2", PLAY.replace("tictactoe", game)));
    dir
}

fn starts(dir: &Dir, name: &str) -> usize {
    dir.read(&format!("starts-{name}")).lines().count()
}

#[test]
fn a_void_game_is_followed_by_another_with_another_secret() {
    let dir = interrupted("mastermind");
    let games = dir.journal("mastermind").games;
    assert_eq!((games.len(), games.iter().filter(|game| game.counts()).count()), (5, 4));
    // It is in the journal only after a moment in which the arena might have been told to stop.
    let void = games.iter().find(|game| !game.counts()).expect("a void game");
    let again = games.iter().find(|game| game.repeat > 0).expect("a new attempt");
    assert_eq!((void.repeat, again.repeat), (0, 1));
    assert_ne!((&void.id, void.seed), (&again.id, again.seed));
    assert_ne!(void.seed, again.seed, "the code that both have seen is not the one to be broken");
    assert_eq!((&void.bots, &void.opening), (&again.bots, &again.opening));
    // Neither process has seen the void game: that of `victim` ended with it, and both start again for the new attempt.
    assert_eq!((starts(&dir, "victim"), starts(&dir, "witness")), (3, 2));

    let csv = dir.read("results/mastermind/games.csv");
    assert_eq!(csv.lines().count(), 1 + 4, "one row for each game of the schedule");
    assert!(csv.contains(&format!("{},1,1,", again.id)) && !csv.contains(&void.id), "{csv}");
    let bots = dir.read("results/mastermind/bots.csv");
    let rows: Vec<Vec<&str>> = bots.lines().map(|line| line.split(',').collect()).collect();
    let column = rows[0].iter().position(|name| *name == "void").expect("a column");
    assert!(rows[1..].iter().all(|row| (row[2], row[column]) == ("4", "1")), "{bots}");
    let said = "1 of 5 games of victim were void, more than 2 %";
    let json = dir.read("results/mastermind/tournament.json");
    assert!(json.contains(said), "{json}");
    let replayed = dir.arena_ends(0, &format!("replay {}", void.id));
    assert!(replayed.stdout.contains("void: bot `victim`: it was killed"), "{replayed}");
    dir.arena_ends(0, "verify");
    let again = dir.arena_ends(0, &format!("{} --rounds 2", PLAY.replace("tictactoe", "mastermind")));
    assert!(again.stderr.contains("nothing new to play"), "{again}");
    assert!(again.stderr.contains(&format!("warning: {said}")), "{again}");
}

#[test]
fn a_stop_after_a_void_game_changes_nothing() {
    for game in ["mastermind", "tictactoe"] {
        let dir = interrupted(game);
        let play = format!("{} --rounds 2", PLAY.replace("tictactoe", game));
        let results = || {
            let csv = dir.read(&format!("results/{game}/games.csv"));
            let games: Vec<String> =
                csv.lines().map(|line| line.rsplitn(5, ',').last().unwrap_or_default().to_owned()).collect();
            (games, dir.read(&format!("results/{game}/standings.csv")))
        };
        let expected = results();
        let journal = dir.read(&format!("results/{game}/games.jsonl"));
        let lines: Vec<&str> = journal.split_inclusive('\n').collect();
        let [void, again] = [r#""result":"void""#, r#""repeat":1"#]
            .map(|words| lines.iter().position(|line| line.contains(words)).expect("a line"));
        assert_eq!((lines.len(), void < again), (6, true));
        for kept in void + 1..lines.len() {
            dir.file(&format!("results/{game}/games.jsonl"), lines[..kept].concat());
            let shown = dir.arena_ends(0, "standings").stdout;
            assert_eq!(shown.contains("1 game void"), kept <= again, "{kept}: {shown}");
            dir.arena_ends(0, &play);
            assert_eq!(results(), expected, "{game}, after {kept} lines");
            dir.arena_ends(0, "verify");
        }
    }
}
