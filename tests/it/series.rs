//! `arena series` with real processes.

use rustix::process::Signal;
use serde_json::Value;

use crate::support::{Dir, LIMIT, until};

const GAMES: [&str; 3] = ["tictactoe", "connect4-cols=5", "marbles"];
const SERIES: &str = "series --game tictactoe --game connect4:cols=5 --game marbles --seed 3 --move-time 30s --quiet";

fn field() -> Dir {
    let dir = Dir::with_bots(&["greedy", "random", "mcts playouts=20"]);
    dir.builtin("late", "mcts playouts=5");
    dir
}

fn tables(dir: &Dir) -> Vec<String> {
    let of_game = |game: &&str| dir.read(&format!("results/series/{game}/standings.csv"));
    GAMES.iter().map(of_game).chain([dir.read("results/series/combined.csv")]).collect()
}

fn games(dir: &Dir) -> [usize; 3] {
    GAMES.map(|game| dir.journal_lines(&format!("series/{game}")))
}

#[test]
fn its_tables_are_the_same_however_it_was_played() {
    let whole = field();
    whole.arena_ends(0, &format!("{SERIES} --rounds 4 -j 1"));
    let killed = field();
    for part in 1..=3 {
        let mut running = killed.start(&format!("{SERIES} --rounds 4 -j 4 --oversubscribe"));
        let lines = |dir: &Dir| games(dir).iter().sum::<usize>();
        until(LIMIT, "some games are in the journals", || {
            lines(&killed) >= lines(&whole) * part / 4 || running.has_ended()
        });
        if !running.has_ended() {
            running.signal(Signal::KILL);
        }
        running.wait(LIMIT);
    }
    killed.arena_ends(0, &format!("{SERIES} --rounds 4 -j 2"));
    assert_eq!(tables(&killed), tables(&whole));
    // Each game is a tournament, and nothing is played twice.
    let before = games(&killed);
    killed.arena_ends(
        0,
        "tournament --game marbles --rounds 4 --results results/series --seed 3 --move-time 30s --quiet",
    );
    killed.arena_ends(0, "verify --results results/series tictactoe");
    killed.arena_ends(0, &format!("{SERIES} --rounds 4"));
    assert_eq!(games(&killed), before);
}

#[test]
fn games_that_are_in_it_twice_are_refused_and_not_counted_twice() {
    let dir = Dir::with_bots(&["greedy", "random"]);
    dir.arena_ends(0, "series --game tictactoe --game marbles:heap=3 --rounds 1 --seed 3 --quiet --no-check");
    let plain = dir.arena_ends(0, "standings series").stdout;
    let read = || -> Value { serde_json::from_str(&dir.read("results/series/series.json")).expect("JSON") };
    let (mut named_twice, mut copied) = (read(), read());
    // The same folder under another name of the game, and a copy of the folder.
    named_twice["games"][1]["folder"] = named_twice["games"][0]["folder"].clone();
    copied["games"][1]["folder"] = "copy".into();
    dir.file("results/series/copy/games.jsonl", dir.read("results/series/tictactoe/games.jsonl"));
    let before = dir.read("results/series/series.json");
    for (file, says) in [
        (named_twice, "the folder `tictactoe` is named twice, so its games would count twice"),
        (copied, "results/series: `tictactoe` and `copy` hold the same games, which would count twice"),
    ] {
        dir.file("results/series/series.json", file.to_string());
        let refused = dir.arena_ends(1, "standings series").stderr;
        assert!(refused.contains(says), "{refused}");
        let passed_over = dir.arena("publish public").stderr;
        assert!(passed_over.contains(says), "{passed_over}");
    }
    dir.file("results/series/series.json", before);
    assert_eq!(dir.arena_ends(0, "standings series").stdout, plain);
}

#[test]
fn no_game_is_far_ahead_when_it_stops() {
    let dir = field();
    let ended = dir.arena_ends(0, &format!("{SERIES} --rounds 5000 --for 1s -j 2"));
    for game in GAMES {
        assert!(ended.stderr.contains(&format!("{game}: Stopped by its budget after ")), "{ended}");
        assert!(dir.journal(&format!("series/{game}")).stop.is_some());
    }
    let games = games(&dir);
    let (least, most) = (games.iter().min(), games.iter().max());
    // A turn has at least 16 games or a sixteenth of those before, and ends with a round of 12; the games of a turn cut short
    // are missing.
    assert!(most.zip(least).is_some_and(|(most, least)| *most - *least <= 48 + most / 8), "{games:?}");
    assert!(ended.stdout.contains("greedy"), "{ended}");
}

#[test]
fn a_bot_that_misses_a_game_has_no_rank_or_no_points() {
    let dir = field();
    dir.file("bots/late.toml", "builtin = \"mcts\"\ngames = [\"tictactoe\", \"marbles\"]\n[options]\nplayouts = 5\n");
    let ended = dir.arena_ends(0, &format!("{SERIES} --rounds 2 --weight marbles=3"));
    assert!(ended.stdout.contains("late has no rank: it did not play connect4-cols=5."), "{ended}");
    assert!(ended.stdout.contains("over 3 games, where marbles counts 3 times."), "{ended}");
    let row = |name: &str| {
        let table = dir.read("results/series/combined.csv");
        let row = table.lines().find(|row| row.contains(&format!(",{name},"))).expect("a row");
        row.split(',').map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(row("late")[..8], ["", "", "", "late", "", "", "", ""]);
    assert_eq!(row("late")[13..18], ["", "", "", "", ""]);
    let number = |cell: &str| cell.parse::<f64>().expect("a number");
    let greedy = row("greedy");
    let mean = (number(&greedy[8]) + number(&greedy[13]) + 3.0 * number(&greedy[18])) / 5.0;
    assert!((number(&greedy[4]) - mean).abs() < 2e-4, "{greedy:?}");
    dir.arena_ends(0, &format!("{SERIES} --rounds 2 --weight marbles=3 --strict"));
    let late = row("late");
    assert!((number(&late[4]) - (number(&late[8]) + 3.0 * number(&late[18])) / 5.0).abs() < 2e-4, "{late:?}");
}

#[test]
fn ladders_are_combined_by_what_their_ratings_predict() {
    let ladder = format!("{SERIES} --format ladder --pairs-per-bot 12");
    let [one, other] = ["-j 1", "-j 4 --oversubscribe"].map(|how| {
        let dir = field();
        let heard = ladder.replace(" --quiet", "");
        let ended = dir.arena_ends(0, &format!("{heard} {how}"));
        assert!(
            ended.stderr.contains("tictactoe: 4 bots, ladder, 12 pairs for each bot, ")
                && ended.stderr.contains("playing in turns, "),
            "{ended}"
        );
        let again = dir.arena_ends(0, &format!("{heard} {how}"));
        assert!(again.stderr.contains("nothing new to play") && !ended.stderr.contains("nothing new"), "{again}");
        let combined = dir.read("results/series/combined.csv");
        dir.arena_ends(0, "standings series");
        assert_eq!(dir.read("results/series/combined.csv"), combined);
        combined
    });
    assert_eq!(one, other);
    let scores = one.lines().skip(1).map(|row| row.split(',').nth(4).and_then(|cell| cell.parse::<f64>().ok()));
    let scores: Vec<f64> = scores.map(|score| score.expect("a score")).collect();
    // The shares of a round-robin have the mean one half.
    assert!((scores.iter().sum::<f64>() / scores.len() as f64 - 0.5).abs() < 2e-4, "{one}");
}

#[test]
fn other_commands_know_a_series() {
    let dir = field();
    dir.arena_ends(0, &format!("{SERIES} --rounds 2 --weight marbles=3"));
    let before = tables(&dir);
    for file in ["combined.csv", "tictactoe/standings.csv"] {
        std::fs::remove_file(dir.path(format!("results/series/{file}"))).expect("removed");
    }
    let shown = dir.arena_ends(0, "standings series").stdout;
    assert!(shown.contains("where marbles counts 3 times") && shown.contains("greedy"), "{shown}");
    assert_eq!(tables(&dir), before);
    let refused = dir.arena_ends(1, "standings series --markdown").stderr;
    assert!(refused.contains("results/series is a series: name results/series/GAME"), "{refused}");
    assert!(dir.arena_ends(0, "standings series/marbles --markdown").stdout.contains("| Rank |"));

    for what in ["", "series", "results/series"] {
        let verified = dir.arena_ends(0, &format!("verify {what}")).stdout;
        assert_eq!(verified.matches("follow the rules; none of the ").count(), 3, "{verified}");
    }
    assert!(dir.arena_ends(0, "replay").stdout.contains("marbles"));
    let named = dir.arena_ends(1, "export --moves series").stderr;
    assert!(named.contains("name one: series/connect4-cols=5, series/marbles, series/tictactoe"), "{named}");
    // Its folder is no place for a tournament.
    let refused = dir.arena_ends(1, "tournament --game tictactoe --name series --rounds 1").stderr;
    assert!(refused.contains("results/series is a series; --name NAME"), "{refused}");
}

#[test]
fn it_has_a_report_and_one_card_on_the_page_of_all() {
    let dir = field();
    dir.file("bots/late.toml", "builtin = \"random\"\ngames = [\"tictactoe\"]\n");
    dir.arena_ends(0, &format!("{SERIES} --rounds 2"));
    let report = dir.read("results/series/report.html");
    let of_games = GAMES.map(|game| format!("href=\"./{}/report.html\"", game.replace('=', "%3D")));
    assert!(of_games.iter().all(|link| report.matches(link.as_str()).count() == 2), "{report}");
    assert!(report.contains(" is first with ") && report.contains("late has no rank: it did not play"), "{report}");
    let index = dir.read("results/index.html");
    assert_eq!(index.matches("<article").count(), 1);
    assert!(index.contains("\"./series/report.html\"") && index.contains("series of 3 games · 4 bots"), "{index}");
    assert!(index.contains("\"./series/marbles/report.html\""), "{index}");
    assert_eq!(dir.arena_ends(0, "open series").stdout, "results/series/report.html\n");
    // The same again, and for others.
    std::fs::remove_file(dir.path("results/series/report.html")).expect("removed");
    dir.arena_ends(0, "standings series");
    dir.arena_ends(0, "publish public");
    for place in ["results", "public"] {
        assert_eq!(dir.read(&format!("{place}/series/report.html")), report, "{place}");
    }
    assert_eq!(dir.read("public/series/combined.csv"), dir.read("results/series/combined.csv"));
    let index = dir.read("public/index.html");
    assert_eq!(index.matches("<article").count(), 1);
    // What is not played any more is published no more; a game that cannot be read takes the table of all with it.
    dir.file("results/series/marbles/games.jsonl", "?\n");
    let ended = dir.arena_ends(0, "publish public").stderr;
    assert_eq!(
        ended.matches(" is passed over: journal results/series/marbles/games.jsonl, line 1").count(),
        2,
        "{ended}"
    );
    assert!(!dir.path("public/series/report.html").exists() && !dir.path("public/series/marbles").exists());
    assert!(dir.path("public/series/tictactoe/report.html").exists());
}

#[test]
fn a_game_that_nobody_plays_leaves_nothing_behind() {
    let dir = field();
    let refused = dir.arena_ends(1, "series --game tictactoe --game mastermind").stderr;
    assert!(refused.contains("--game mastermind") && refused.contains("needs two bots"), "{refused}");
    assert!(!dir.path("results/series").exists());
}

#[test]
fn wrong_games_are_refused() {
    let dir = field();
    let refused = |flags: &str| dir.arena_ends(1, &format!("series {flags}")).stderr;
    let expect = |flags: &str, text: &str| assert!(refused(flags).contains(text), "{flags}: {}", refused(flags));
    expect("--game gomoku", "a series has two games or more; `arena tournament --game gomoku` plays one");
    expect("--game gomoku --game gomoku:rows=15", "--game gomoku is given twice");
    expect("--game gomoku --game marbles --weight gomko=2", "the series has no game `gomko`; it has gomoku, marbles");
    expect("--game gomoku --game marbles --weight gomoku=0", "`gomoku=0` is not GAME=X with X above 0");
    expect("--game gomoku --game marbles --format swiss", "a series has round-robins or ladders; a swiss does not");
    assert!(!dir.path("results").exists(), "nothing is written");
    dir.arena_ends(0, "tournament --game marbles --rounds 1 --name cup --quiet");
    expect("--game gomoku --game marbles --name cup", "is a tournament; --name NAME gives the series another folder");
}
