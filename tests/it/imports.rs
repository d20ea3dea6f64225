//! `standings FILE`: files as other tools write them, and the messages about each.

use std::fmt::Write as _;
use std::io::{self, Read};

use arena::import::{ImportOptions, Paired, read_all};
use arena::rng::Rng;

use crate::support::Dir;

/// The messages about files, the resulting ratings, and the sentences about openings and seats.
fn said(files: &[(&str, String)], flags: &str) -> String {
    let dir = Dir::new();
    for (name, text) in files {
        dir.file(name, text);
    }
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
    let ended = dir.arena_ends(0, &format!("standings {} --out out {flags}", names.join(" ")));
    let table = dir.read("out/standings.csv");
    let mut text = ended.stderr;
    for row in table.lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        let _ = writeln!(text, "    {}: {} of {}, Elo {}", cells[3], cells[5], cells[4], cells[10]);
    }
    for line in
        ended.stdout.lines().filter(|line| line.contains("these openings") || line.starts_with("The first seat"))
    {
        let _ = writeln!(text, "    {line}");
    }
    text
}

/// 400 decisive games between bots of which `b` is 100 Elo stronger than `a`: the seats, and whether the first one won.
fn games() -> Vec<([&'static str; 2], bool)> {
    let mut rng = Rng::new(5);
    let game = |number: u64| {
        let wins = rng.below(100) < 64;
        let seats = if number.is_multiple_of(2) { ["a", "b"] } else { ["b", "a"] };
        (seats, wins == (seats[0] == "b"))
    };
    (0..400).map(game).collect()
}

fn row([first, second]: [&str; 2], result: &str, rest: &str) -> String {
    format!("{first},{second},{result}{rest}\n")
}

fn pgn([first, second]: [&str; 2], result: &str, rest: &str) -> String {
    format!("[Event \"?\"]\n{rest}[White \"{first}\"]\n[Black \"{second}\"]\n[Result \"{result}\"]\n\n{result}\n\n")
}

const HEADER: &str = "white,black,result\n";

/// What files are like, the files, and flags.
type Shape = (&'static str, Vec<(&'static str, String)>, &'static str);

fn all_said(shapes: &[Shape]) -> String {
    shapes.iter().map(|(what, files, flags)| [what, ": ", &said(files, flags)].concat()).collect()
}

fn table(rows: &str) -> Vec<(&'static str, String)> {
    vec![("games.csv", format!("{HEADER}{rows}"))]
}

const fn result(won: bool) -> &'static str {
    if won { "1-0" } else { "0-1" }
}

/// The games in rows with `rest` at the end.
fn rows(rest: &str) -> String {
    games().into_iter().map(|(seats, won)| row(seats, result(won), rest)).collect()
}

#[test]
fn what_is_said_about_winners_and_pairs() {
    let won_by = |first: bool| -> String {
        let order = |([a, b], won): ([&'static str; 2], bool)| if won == first { [a, b] } else { [b, a] };
        games().into_iter().map(|game| row(order(game), result(first), "")).collect()
    };
    let half = rows("") + "a,b,1-0\n";
    let shapes = [
        ("plain", table(&rows("")), ""),
        ("winner first", table(&won_by(true)), ""),
        ("winner first, said so", table(&won_by(true)), "--side none"),
        ("winner first, and these are seats", table(&won_by(true)), "--side fit"),
        ("loser first", table(&won_by(false)), ""),
        ("too few to tell", table(&won_by(true)[..19 * row(["a", "b"], "1-0", "").len()]), ""),
        ("half a pair", table(&half), ""),
        ("half a pair, asked for pairs", table(&half), "--pairs consecutive"),
        ("pairs, with the advantage fitted", table(&rows("")), "--side fit"),
    ];
    insta::assert_snapshot!(all_said(&shapes), @"
    plain: 400 games, consecutive games paired with seats swapped (--pairs none treats each game alone)
        b: 255.0 of 400, Elo 49.03
        a: 145.0 of 400, Elo -49.03
        The first seat scored 45.8 % of 400 games (-32.1 ± 34.4 Elo).
    winner first: 400 games, each taken alone, with the first seat's advantage fitted (a column `pair` pairs them)
    warning: the first player has 100.0 % of the points in 400 games: are the columns winners and losers? They are read as seats, so most of the difference is attributed to moving first: b is +49.1 Elo against a. With --side none, for winners and losers, it is +98.1. If they are seats, use --side fit
        b: 255.0 of 400, Elo 24.55
        a: 145.0 of 400, Elo -24.55
        The first seat scored 100.0 % of 400 games.
    winner first, said so: 400 games, each taken alone (a column `pair` pairs them)
        b: 255.0 of 400, Elo 49.03
        a: 145.0 of 400, Elo -49.03
    winner first, and these are seats: 400 games, each taken alone, with the first seat's advantage fitted (a column `pair` pairs them)
        b: 255.0 of 400, Elo 24.55
        a: 145.0 of 400, Elo -24.55
        The first seat scored 100.0 % of 400 games.
    loser first: 400 games, each taken alone, with the first seat's advantage fitted (a column `pair` pairs them)
    warning: the first player has 0.0 % of the points in 400 games: are the columns losers and winners? They are read as seats, so most of the difference is attributed to moving first: b is +49.1 Elo against a. With --side none, for winners and losers, it is +98.1. If they are seats, use --side fit
        b: 255.0 of 400, Elo 24.55
        a: 145.0 of 400, Elo -24.55
        The first seat scored 0.0 % of 400 games.
    too few to tell: 19 games, each taken alone, with the first seat's advantage fitted (a column `pair` pairs them)
        b: 11.0 of 19, Elo 14.19
        a: 8.0 of 19, Elo -14.19
        The first seat scored 100.0 % of 19 games.
    half a pair: 401 games, consecutive games paired with seats swapped (--pairs none treats each game alone), 1 without a pair taken alone
        b: 255.0 of 401, Elo 48.44
        a: 146.0 of 401, Elo -48.44
        The first seat scored 45.9 % of 401 games (-30.7 ± 34.3 Elo).
    half a pair, asked for pairs: 401 games, consecutive games paired with seats swapped (--pairs none treats each game alone), 1 without a pair taken alone
        b: 255.0 of 401, Elo 48.44
        a: 146.0 of 401, Elo -48.44
        The first seat scored 45.9 % of 401 games (-30.7 ± 34.3 Elo).
    pairs, with the advantage fitted: 400 games, consecutive games paired with seats swapped (--pairs none treats each game alone), with the first seat's advantage fitted
        b: 255.0 of 400, Elo 49.44
        a: 145.0 of 400, Elo -49.44
        The first seat scored 45.8 % of 400 games (-32.1 ± 34.4 Elo).
    ");
}

#[test]
fn what_is_said_about_files_of_other_tools() {
    let all = || games().into_iter();
    let chess: String = all().map(|(seats, won)| pgn(seats, result(won), "")).collect();
    let round = |number: usize| format!("[Round \"{}\"]\n", number / 2 + 1);
    let by_round = all().enumerate().map(|(number, (seats, won))| pgn(seats, result(won), &round(number)));
    let mut by_round: Vec<String> = by_round.collect();
    by_round.reverse();
    by_round.swap(0, 3);
    let words = ["1", "0", "0.5", "½-½", "0.5-0.5", "1-0", "0-1", "1/2-1/2"].into_iter().cycle();
    let in_words: String = all().zip(words).map(|((seats, _), word)| row(seats, word, "")).collect();
    let plain = format!("{HEADER}{}", rows(""));
    let swapped = format!("{HEADER}b,a,1-0\na,b,1-0\n");
    let shapes = [
        ("one opening", vec![("games.csv", format!("white,black,result,opening\n{}", rows(",3 3")))], ""),
        ("PGN", vec![("games.pgn", chess.clone())], ""),
        ("PGN of another name", vec![("games.txt", chess)], ""),
        ("PGN by rounds, in another order", vec![("games.pgn", by_round.concat())], ""),
        ("semicolons", vec![("games.csv", plain.replace(',', ";"))], ""),
        ("tabs and CRLF", vec![("games.tsv", plain.replace(',', "\t").replace('\n', "\r\n"))], ""),
        ("a byte order mark", vec![("games.csv", format!("\u{feff}{plain}").replace('\n', "\r\n"))], ""),
        ("unfinished games", table(&(rows("") + "a,b,*\nb,a,void\na,b,*\n")), ""),
        ("results in other words", table(&in_words), ""),
        ("copies", vec![("one.csv", plain.clone()), ("other.csv", swapped), ("two.csv", plain)], ""),
    ];
    insta::assert_snapshot!(all_said(&shapes), @"
    one opening: 400 games, consecutive games paired with seats swapped (--pairs none treats each game alone)
        b: 255.0 of 400, Elo 49.03
        a: 145.0 of 400, Elo -49.03
        All ratings and margins apply to these openings only: one was played, too few to generalise.
        The first seat scored 45.8 % of 400 games (-32.1 ± 34.4 Elo in these openings).
    PGN: 400 games, consecutive games paired with seats swapped (--pairs none treats each game alone)
        b: 255.0 of 400, Elo 49.03
        a: 145.0 of 400, Elo -49.03
        The first seat scored 45.8 % of 400 games (-32.1 ± 34.4 Elo).
    PGN of another name: 400 games, consecutive games paired with seats swapped (--pairs none treats each game alone)
        b: 255.0 of 400, Elo 49.03
        a: 145.0 of 400, Elo -49.03
        The first seat scored 45.8 % of 400 games (-32.1 ± 34.4 Elo).
    PGN by rounds, in another order: 400 games, paired by the tag `Round`
        b: 255.0 of 400, Elo 49.03
        a: 145.0 of 400, Elo -49.03
        The first seat scored 45.8 % of 400 games (-32.1 ± 34.4 Elo).
    semicolons: 400 games, consecutive games paired with seats swapped (--pairs none treats each game alone)
        b: 255.0 of 400, Elo 49.03
        a: 145.0 of 400, Elo -49.03
        The first seat scored 45.8 % of 400 games (-32.1 ± 34.4 Elo).
    tabs and CRLF: 400 games, consecutive games paired with seats swapped (--pairs none treats each game alone)
        b: 255.0 of 400, Elo 49.03
        a: 145.0 of 400, Elo -49.03
        The first seat scored 45.8 % of 400 games (-32.1 ± 34.4 Elo).
    a byte order mark: 400 games, consecutive games paired with seats swapped (--pairs none treats each game alone)
        b: 255.0 of 400, Elo 49.03
        a: 145.0 of 400, Elo -49.03
        The first seat scored 45.8 % of 400 games (-32.1 ± 34.4 Elo).
    unfinished games: 400 games, consecutive games paired with seats swapped (--pairs none treats each game alone); 1 void game and 2 unfinished games of 403 left out
        b: 255.0 of 400, Elo 49.03
        a: 145.0 of 400, Elo -49.03
        The first seat scored 45.8 % of 400 games (-32.1 ± 34.4 Elo).
    results in other words: results read as points 1, 0.5, 0 (games.csv)
    400 games, consecutive games paired with seats swapped (--pairs none treats each game alone)
        a: 200.0 of 400, Elo 0.00
        b: 200.0 of 400, Elo 0.00
        The first seat scored 50.0 % of 400 games (+0.0 ± 17.1 Elo).
    copies: 402 games, consecutive games paired with seats swapped (--pairs none treats each game alone)
    warning: two.csv is identical to one.csv; its games count once. If they are different games with the same results, put them in one file
        b: 256.0 of 402, Elo 48.78
        a: 146.0 of 402, Elo -48.78
        The first seat scored 46.0 % of 402 games (-30.0 ± 34.4 Elo).
    ");
}

/// Two games of two players, each with the first one's result in a scale.
fn in_scale([win, draw, loss]: [&str; 3]) -> Vec<(&'static str, String)> {
    let results = [win, loss, draw, draw, win, draw];
    let rows = results.iter().enumerate().map(|(number, result)| {
        let seats = if number.is_multiple_of(2) { ["a", "b"] } else { ["b", "a"] };
        row(seats, result, "")
    });
    table(&rows.collect::<String>())
}

#[test]
fn what_is_said_about_scales() {
    let scores = "white,white_score,black,black_score\na,1,b,-1\nb,-1,a,1\na,0,b,0\n".to_owned();
    let shapes = [
        ("rewards", in_scale(["1", "0", "-1"]), ""),
        ("a decimal comma", in_scale(["\"1,0\"", "\"0,5\"", "\"0,0\""]), ""),
        ("names", in_scale(["a", "draw", "b"]), ""),
        ("points, said so", in_scale(["2", "1", "0"]), "--scale doubled"),
        ("values, said so", in_scale(["3", "1", "0"]), "--scale 3/1/0"),
        ("two columns", vec![("games.csv", scores)], ""),
    ];
    insta::assert_snapshot!(all_said(&shapes), @"
    rewards: results read as rewards 1, 0, -1 (games.csv)
    6 games, consecutive games paired with seats swapped (--pairs none treats each game alone)
        a: 4.5 of 6, Elo 95.42
        b: 1.5 of 6, Elo -95.42
        The first seat scored 58.3 % of 6 games (+79.6 ± 228.7 Elo).
    a decimal comma: results read as points 1, 0.5, 0 (games.csv)
    6 games, consecutive games paired with seats swapped (--pairs none treats each game alone)
        a: 4.5 of 6, Elo 95.42
        b: 1.5 of 6, Elo -95.42
        The first seat scored 58.3 % of 6 games (+79.6 ± 228.7 Elo).
    names: results read as names of the winner (games.csv)
    6 games, consecutive games paired with seats swapped (--pairs none treats each game alone)
        a: 3.5 of 6, Elo 29.23
        b: 2.5 of 6, Elo -29.23
        The first seat scored 75.0 % of 6 games (+200.0 ± 284.6 Elo).
    points, said so: results read as points 2, 1, 0 (games.csv)
    6 games, consecutive games paired with seats swapped (--pairs none treats each game alone)
        a: 4.5 of 6, Elo 95.42
        b: 1.5 of 6, Elo -95.42
        The first seat scored 58.3 % of 6 games (+79.6 ± 228.7 Elo).
    values, said so: results read as 3 for a win, 1 for a draw, 0 for a loss of the first player (games.csv)
    6 games, consecutive games paired with seats swapped (--pairs none treats each game alone)
        a: 4.5 of 6, Elo 95.42
        b: 1.5 of 6, Elo -95.42
        The first seat scored 58.3 % of 6 games (+79.6 ± 228.7 Elo).
    two columns: results read as rewards 1, 0, -1 (games.csv)
    3 games, consecutive games paired with seats swapped (--pairs none treats each game alone), 1 without a pair taken alone
        a: 2.5 of 3, Elo 139.79
        b: 0.5 of 3, Elo -139.79
        The first seat scored 50.0 % of 3 games.
    ");
    let dir = Dir::new();
    let mut text = String::new();
    for (name, cells) in [("two.csv", ["2", "1", "0"]), ("three.csv", ["3", "1", "0"]), ("one.csv", ["1", "0", "1"])] {
        dir.file(name, &in_scale(cells)[0].1);
        text.push_str(&said_of(&dir, name, ""));
    }
    dir.file("tie.csv", &in_scale(["1-0", "5-5", "0-1"])[0].1);
    text.push_str(&said_of(&dir, "tie.csv", ""));
    text.push_str(&said_of(&dir, "two.csv", "--scale points"));
    text.push_str(&said_of(&dir, "two.csv", "--scale 2/1"));
    insta::assert_snapshot!(text, @"
    two.csv 
    error: games two.csv
      caused by: its results have more than one meaning: `1` (3 games), `2` (2 games), `0` (1 game); choose the scale: --scale doubled (points 2, 1, 0) or --scale seat (the winner's seat 1, 2)
    three.csv 
    error: games three.csv
      caused by: its results are in no scale that explains all of them: `1` (3 games), `3` (2 games), `0` (1 game); write 1-0, 0-1, 1/2-1/2, * (unfinished) or void; choose the scale: --scale WIN/DRAW/LOSS, the values for a win, a draw and a loss of the first player
    one.csv 
    error: games one.csv
      caused by: its results have more than one meaning: `1` (3 games), `0` (3 games); choose the scale: --scale points (points 1, 0.5, 0) or --scale rewards (rewards 1, 0, -1) or --scale doubled (points 2, 1, 0) or --scale seat (the winner's seat 1, 2) or --scale seat0 (the winner's seat 0, 1)
    tie.csv 
    error: games tie.csv
      caused by: its results are in no scale that explains all of them: `5-5` (3 games), `1-0` (2 games), `0-1` (1 game); write 1-0, 0-1, 1/2-1/2, * (unfinished) or void; choose the scale: --scale WIN/DRAW/LOSS, the values for a win, a draw and a loss of the first player
    two.csv --scale points
    error: games two.csv
      caused by: its results are not in the scale `points`: `2` (2 games); write 1-0, 0-1, 1/2-1/2, * (unfinished) or void; choose the scale: --scale WIN/DRAW/LOSS, the values for a win, a draw and a loss of the first player
    two.csv --scale 2/1
    error: invalid value '2/1' for '--scale <SCALE>': expected points, rewards, doubled, seat, seat0, words, names, or three different values for a win, a draw and a loss of the first player, such as 3/1/0

    For more information, try '--help'.
    ");
    let json = dir.arena_ends(0, "standings two.csv --scale doubled --json --out tables").stdout;
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["scales"], serde_json::json!([{"file": "two.csv", "scale": "doubled"}]));
}

#[test]
fn what_is_said_about_copies_and_labels() {
    let tags = |number: usize| format!("[Round \"{}\"]\n[Date \"2026.03.01\"]\n", number / 2 + 1);
    let all: Vec<String> = games()
        .into_iter()
        .enumerate()
        .map(|(number, (seats, won))| {
            pgn(seats, result(won), &tags(number))
                .replace("\n\n1-0", "\n\n1. e4 1-0")
                .replace("\n\n0-1", "\n\n1. e4 0-1")
        })
        .collect();
    let night = all[..41].concat();
    let labelled =
        |label: &str| vec![("games.csv", format!("white,black,result,pair\n{}", rows(&format!(",{label}"))))];
    let shapes = [
        ("all games", vec![("all.pgn", all.concat())], ""),
        ("with those of a night", vec![("night.pgn", night.clone()), ("all.pgn", all.concat())], ""),
        ("pasted twice", vec![("all.pgn", all.concat() + &night)], ""),
        ("no label", labelled("NA"), ""),
        ("one label", labelled("1"), ""),
    ];
    insta::assert_snapshot!(all_said(&shapes), @"
    all games: 400 games, paired by the tag `Round`
        b: 255.0 of 400, Elo 49.03
        a: 145.0 of 400, Elo -49.03
        The first seat scored 45.8 % of 400 games (-32.1 ± 372.6 Elo).
    with those of a night: 400 games, paired by the tag `Round`; 41 second records of 441 left out
    warning: left out: 41 games recorded more than once (night.pgn line 1, line 10, line 19, and 38 more); each counts once
        b: 255.0 of 400, Elo 49.03
        a: 145.0 of 400, Elo -49.03
        The first seat scored 45.8 % of 400 games (-32.1 ± 372.6 Elo).
    pasted twice: 400 games, paired by the tag `Round`; 41 second records of 441 left out
    warning: left out: 41 games recorded more than once (all.pgn line 3601, line 3610, line 3619, and 38 more); each counts once
        b: 255.0 of 400, Elo 49.03
        a: 145.0 of 400, Elo -49.03
        The first seat scored 45.8 % of 400 games (-32.1 ± 372.6 Elo).
    no label: 400 games, consecutive games paired with seats swapped (--pairs none treats each game alone)
        b: 255.0 of 400, Elo 49.03
        a: 145.0 of 400, Elo -49.03
        The first seat scored 45.8 % of 400 games (-32.1 ± 34.4 Elo).
    one label: 400 games, paired by the column `pair`, in order where more than two games share a label
        b: 255.0 of 400, Elo 49.03
        a: 145.0 of 400, Elo -49.03
        The first seat scored 45.8 % of 400 games (-32.1 ± 34.4 Elo).
    ");
    let dir = Dir::new();
    dir.file("night.pgn", &night);
    dir.file("all.pgn", all.concat());
    let json = dir.arena_ends(0, "standings night.pgn all.pgn --json --out tables").stdout;
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json["read_games"], &json["games"]), (&441.into(), &400.into()));
    assert_eq!((&json["left_out"][0]["cause"], &json["left_out"][0]["games"]), (&"copy".into(), &41.into()));
    let refused = dir.arena_ends(1, "standings night.pgn all.pgn --strict --out tables").stderr;
    assert!(refused.contains("a game recorded more than once"), "{refused}");
}

#[test]
fn files_of_other_kinds_are_named() {
    let dir = Dir::new();
    let mut text = String::new();
    for (name, content) in [
        (
            "x.trf",
            "012 Open\n001    1 m  Ann                               2500 ICE           1 1990/01/01  1.0    1     2 w 1\n",
        ),
        ("x.sgf", "(;GM[1]FF[4]SZ[19];B[aa])\n"),
        ("x.dat", "ann 5 3\n"),
        ("x.json", "[{\"white\": \"a\", \"black\": \"b\", \"result\": \"1-0\"}]\n"),
    ] {
        dir.file(name, content);
        text.push_str(&said_of(&dir, name, ""));
    }
    insta::assert_snapshot!(text, @"
    x.trf 
    error: games x.trf
      caused by: it is a Tournament Report File of FIDE: it has the results of players by round, not games; save the games as PGN, or write a table with the columns white,black,result
    x.sgf 
    error: games x.sgf
      caused by: it is a file of Smart Game Format, which has one game or a tree of variations; write a table with the columns white,black,result from the properties PW, PB and RE of the files
    x.dat 
    error: games x.dat
      caused by: it is a data file of another program, not a table or PGN; save its games there as PGN, or as CSV with the columns white,black,result
    x.json 
    error: games x.json
      caused by: it is JSON; write its games as a table with the columns white,black,result, for instance with jq and @csv. A tournament of arena is rated by its folder or its journal games.jsonl: arena standings FOLDER
    ");
    // A table is one whatever its name.
    dir.file("games.dat", "white,black,result\na,b,1-0\nb,a,1-0\n");
    assert!(said_of(&dir, "games.dat", "").contains("a 2 1.0; b 2 1.0"));
}

/// What is said about a file, or why it is refused.
fn said_of(dir: &Dir, file: &str, flags: &str) -> String {
    let ended = dir.arena(&format!("standings {file} --out tables {flags}"));
    let mut text = format!("{file} {flags}\n{}", ended.stderr);
    if ended.status == Some(0) {
        let table = dir.read("tables/standings.csv");
        let names = table.lines().skip(1).map(|row| row.split(',').skip(3).take(3).collect::<Vec<_>>().join(" "));
        let _ = writeln!(text, "    {}", names.collect::<Vec<_>>().join("; "));
        std::fs::remove_dir_all(dir.path("tables")).expect("removed");
    }
    text
}

/// Files as they were found, and what becomes of their games.
#[test]
fn odd_files_of_other_tools() {
    let dir = Dir::new();
    let edges = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/edges");
    let mut files: Vec<String> = std::fs::read_dir(edges)
        .expect("a folder")
        .map(|entry| entry.expect("a file").file_name().into_string().expect("UTF-8"))
        .filter(|name| [".pgn", ".csv"].iter().any(|end| name.ends_with(end)))
        .collect();
    files.sort_unstable();
    assert_eq!(files.len(), 12);
    let mut text = String::new();
    for file in &files {
        dir.file(file, std::fs::read(format!("{edges}/{file}")).expect("a file"));
        text.push_str(&said_of(&dir, file, ""));
    }
    text.push_str(&said_of(&dir, "self_named.pgn", "--strict"));
    text.push_str(&said_of(&dir, "result_disagrees.pgn", "--strict"));
    dir.file("names.csv", "white,black,result\nAnn,bob,1-0\nbob,ann,1-0\na\u{301}b,\u{e1}b,1-0\ncy\u{200b}d,cyd,*\n");
    text.push_str(&said_of(&dir, "names.csv", ""));
    dir.file("games.pgn.gz", b"\x1f\x8b\x08\0");
    text.push_str(&said_of(&dir, "games.pgn.gz", ""));
    insta::assert_snapshot!(text);

    // All that is said is in the summary too.
    let json = dir.arena_ends(0, "standings bye.pgn self_named.pgn result_disagrees.pgn --json --out tables").stdout;
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json["read_games"], &json["games"]), (&10.into(), &7.into()));
    insta::assert_snapshot!(
        serde_json::to_string_pretty(&[&json["left_out"], &json["two_results"], &json["warnings"]]).expect("JSON")
    );
}

#[test]
fn a_player_called_name_makes_no_second_column_of_that_name() {
    let dir = Dir::new();
    dir.file("games.csv", "white,black,result\nname,bob,1-0\nbob,name,0-1\nbob,name,1-0\n");
    dir.arena_ends(0, "standings games.csv --covariance --out out");
    for table in ["crosstable.csv", "los.csv"] {
        let text = dir.read(&format!("out/{table}"));
        let head = text.lines().next().expect("a header");
        assert_eq!(head, "name,\\u{6e}ame,bob", "{table}");
        assert!(text.lines().any(|row| row.starts_with("\\u{6e}ame,")), "{text}");
    }
    assert_eq!(arena::text::of_cell("\\u{6e}ame"), "name");
    let json = dir.arena_ends(0, "standings games.csv --json --out out").stdout;
    assert!(json.contains("\"name\": \"name\""), "{json}");
}

#[test]
fn a_file_given_twice_counts_once() {
    let dir = Dir::new();
    dir.file("games.csv", "white,black,result\na,b,1-0\nb,a,1-0\n");
    dir.file("other.csv", "white,black,result\nb,a,1-0\na,b,1-0\n");
    let ended = dir.arena_ends(0, "standings games.csv other.csv ./games.csv");
    insta::assert_snapshot!(ended.stderr, @"
    4 games, consecutive games paired with seats swapped (--pairs none treats each game alone)
    warning: ./games.csv is identical to games.csv; its games count once. If they are different games with the same results, put them in one file
    ");
    assert!(dir.read("games.standings/summary.json").contains("is identical to"));
    assert!(dir.read("games.standings/standings.csv").lines().skip(1).all(|row| row.contains(",4,2.0,")));
}

/// A file that exists only while it is read: `games` times the text that `game` makes of a number.
struct Generated<F> {
    game: F,
    left: std::ops::Range<u32>,
    text: io::Cursor<String>,
}

impl<F: Fn(u32) -> String> Read for Generated<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.text.position() as usize == self.text.get_ref().len() {
            let Some(number) = self.left.next() else { return Ok(0) };
            self.text = io::Cursor::new((self.game)(number));
        }
        self.text.read(buffer)
    }
}

/// Which of ten bots play game `number`, and who wins: seats swap within a pair, and the lower number wins three of four.
fn million(number: u32) -> ([u32; 2], &'static str) {
    let pair = number / 2;
    let (low, high) = (pair % 9, 9);
    let wins = !(pair / 9).is_multiple_of(4);
    let seats = if number.is_multiple_of(2) { [low, high] } else { [high, low] };
    (seats, if wins == number.is_multiple_of(2) { "1-0" } else { "0-1" })
}

const MILLION: u32 = 1_000_000;

#[test]
fn a_hundred_thousand_games_of_pgn_are_read_as_they_come() {
    const GAMES: u32 = 100_000;
    let game = |number: u32| {
        let ([white, black], result) = million(number);
        format!(
            "[White \"{white}\"]\n[Black \"{black}\"]\n[Round \"{}\"]\n[Result \"{result}\"]\n\n\
             1. e4 {{ a comment }} e5 2. Nf3 M{number} {result}\n\n",
            number / 2
        )
    };
    let input = Generated { game, left: 0..GAMES, text: io::Cursor::default() };
    let (table, paired) = read_all([("many.pgn".to_owned(), input)], &ImportOptions::default()).expect("sound");
    assert_eq!((table.names.len(), paired, table.unpaired, table.repeated), (10, Paired::ByRound, 0, 0));
    assert_eq!(table.games.len(), GAMES as usize);
    for (number, game) in (0..).zip(&table.games) {
        let (seats, result) = million(number);
        assert_eq!((game.pair, [game.first, game.second], game.result.name()), (number / 2, seats, result));
    }
}

#[test]
fn a_million_rows_are_rated() {
    let row = |number: u32| {
        let ([white, black], result) = million(number);
        format!("{white},{black},{result}\n")
    };
    let rows: String = (0..MILLION).map(row).collect();
    insta::assert_snapshot!(said(&[("games.csv", format!("white,black,result\n{rows}"))], ""), @"
    1,000,000 games, consecutive games paired with seats swapped (--pairs none treats each game alone)
        0: 83334.0 of 111112, Elo 19.09
        1: 83334.0 of 111112, Elo 19.09
        2: 83334.0 of 111112, Elo 19.09
        3: 83334.0 of 111112, Elo 19.09
        4: 83334.0 of 111112, Elo 19.09
        5: 83332.0 of 111110, Elo 19.08
        6: 83332.0 of 111110, Elo 19.08
        7: 83332.0 of 111110, Elo 19.08
        8: 83332.0 of 111110, Elo 19.08
        9: 250002.0 of 1000000, Elo -171.76
        The first seat scored 50.0 % of 1,000,000 games (+0.0 ± 0.0 Elo).
    ");
}
