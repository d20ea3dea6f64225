//! Games of the bots that come with the arena: the same tables to the byte at any concurrency, after any number of kills, in any order
//! of ending, and on a busy machine. What the README shows is such a table.

use std::collections::HashMap;
use std::fs;

use arena::record::Record;
use arena::rng::Rng;
use rustix::process::Signal;

use crate::hostile::Hogs;
use crate::scripted::Cup;
use crate::support::{Dir, LIMIT, in_repository, until};

const FIELD: [&str; 4] = ["random", "greedy", "minimax depth=1", "mcts playouts=10"];
const GAMES: usize = 600;
/// 10 pairings in 30 rounds.
const PLAY: &str = "tournament --game tictactoe --rounds 30 --move-time 30s --oversubscribe --pin off --sandbox off --no-check \
                    --no-times --quiet";
const JOURNAL: &str = "results/tictactoe/games.jsonl";
const KILLS: usize = 10;

fn field() -> Dir {
    let dir = Dir::with_bots(&FIELD);
    dir.builtin("deep", "minimax depth=2");
    dir
}

/// The tables and the report, and every game without its times.
fn results(dir: &Dir) -> String {
    let games = dir.read("results/tictactoe/games.csv");
    let games: Vec<&str> = games.lines().map(|line| line.rsplitn(5, ',').last().unwrap_or_default()).collect();
    assert_eq!(games.len(), 1 + GAMES);
    let tables = ["standings", "crosstable", "head_to_head"].map(|it| dir.read(&format!("results/tictactoe/{it}.csv")));
    // Only the folder of the bots differs, which is named in their commands.
    let report = dir.read("results/tictactoe/report.html").replace(&dir.path("").display().to_string(), "");
    format!("{}\n{}\n{report}", games.join("\n"), tables.join("\n"))
}

#[test]
fn six_hundred_games_are_the_same_however_they_are_played() {
    let one = field();
    one.process_ends(0, &format!("{PLAY} -j 1"));
    let expected = results(&one);
    for concurrency in [2, 5] {
        let other = field();
        other.process_ends(0, &format!("{PLAY} -j {concurrency}"));
        assert_eq!(results(&other), expected, "at -j {concurrency}");
    }

    // The outcomes of the first, as if they had come in any order.
    let recorded = one.journal("tictactoe");
    let games: HashMap<&str, &Record> = recorded.games.iter().map(|game| (game.id.as_str(), game)).collect();
    let event = recorded.event.as_ref().expect("an event");
    let tables: Vec<String> = [(1, 0), (8, 1), (600, 2), (600, 3)]
        .map(|(slots, seed)| {
            let cup = Cup::new(event.clone());
            cup.run(slots, seed, &mut (), |job| games[job.game.id.to_string().as_str()].clone());
            cup.tables(&mut ())
        })
        .into();
    let own: Vec<String> = ["standings", "crosstable", "head_to_head", "bots", "games"]
        .map(|table| one.read(&format!("results/tictactoe/{table}.csv")))
        .into();
    assert!(tables.iter().all(|tables| *tables == own.concat()), "in another order");
}

#[test]
fn six_hundred_games_are_the_same_after_ten_kills() {
    let whole = field();
    whole.process_ends(0, &format!("{PLAY} -j 2"));
    let bytes = whole.read(JOURNAL).len() as u64;

    let killed = field();
    let written = || fs::metadata(killed.path(JOURNAL)).map_or(0, |file| file.len());
    let mut rng = Rng::new(9);
    let mut moments: Vec<u64> = (0..KILLS).map(|_| rng.below(bytes * 9 / 10)).collect();
    moments.sort_unstable();
    for moment in moments {
        let mut running = killed.start(&format!("{PLAY} -j {}", 1 + rng.below(4)));
        // Its own part, however far the last one came before it was killed.
        let moment = moment.max(written() + 1);
        until(LIMIT, "some games are in the journal", || written() >= moment || running.has_ended());
        // It has not ended by itself: the last moment comes long before the last game.
        running.signal(Signal::KILL);
        assert_eq!(running.wait(LIMIT).status, None);
        until(LIMIT, "bots leave at the end of their input", || killed.processes().is_empty());
    }
    killed.process_ends(0, &format!("{PLAY} -j 2"));
    assert_eq!(results(&killed), results(&whole));
    assert_eq!(killed.journal("tictactoe").games.len(), GAMES, "no game twice");
    killed.process_ends(0, "verify");
}

#[test]
#[ignore = "its busy processes slow the other tests down: cargo test --test it -- --ignored busy_machine"]
fn the_shipped_bots_play_the_same_games_on_a_busy_machine() {
    // Ten rounds of ten pairings. Without optimisation a move takes a multiple of its time in a release, so the move time is longer.
    const GAMES: usize = 200;
    let play = |concurrency: usize| {
        let dir = Dir::with_shipped_bots();
        dir.process_ends(
            0,
            &format!("tournament --seed 1 --rounds 10 --move-time 5s --no-check --quiet -j {concurrency}"),
        );
        let tables =
            ["standings", "crosstable", "head_to_head"].map(|it| dir.read(&format!("results/connect4/{it}.csv")));
        let mut games: Vec<String> = dir
            .journal("connect4")
            .games
            .iter()
            .map(|game| format!("{} {:?} {:?}", game.id, game.moves, game.result))
            .collect();
        games.sort_unstable();
        assert_eq!(games.len(), GAMES);
        (tables, games)
    };
    let alone = play(1);
    assert!(alone.0[0].contains("perfect"), "{}", alone.0[0]);
    assert_eq!(play(2), alone, "at -j 2");
    let busy = Hogs::start(4, None, None);
    assert_eq!(play(2), alone, "beside four busy processes");
    drop(busy);
}

#[test]
#[ignore = "it takes half a minute: cargo test --test it -- --ignored readme"]
fn the_readme_shows_the_tournament_that_its_command_plays() {
    let readme = fs::read_to_string(in_repository("README.md")).expect("the README");
    let (_, shown) = readme.split_once("$ cargo run --release -- tournament --seed 1\n").expect("its first command");
    let (shown, _) = shown.split_once("```").expect("the end of what it prints");
    let ended = Dir::with_shipped_bots().process_ends(0, "tournament --seed 1 -j 2");
    let said: Vec<&str> = ended.stdout.lines().chain(ended.stderr.lines()).collect();
    let mut compared = 0;
    for line in shown.lines() {
        // When it finished, and how long it took.
        if !line.contains("finished") {
            assert!(said.contains(&line), "the README says\n{line}\n{ended}");
            compared += 1;
        }
    }
    assert!(compared > 20, "{shown}");
}
