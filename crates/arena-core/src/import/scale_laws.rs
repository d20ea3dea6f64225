//! Results in any scale are those of the plain form, or the file is refused.

use proptest::prelude::*;

use super::*;

/// A way to write a win, a draw and a loss of the first player: one cell, or two.
type Form = (&'static str, [&'static str; 3]);

/// Ways that are read in some scale. `FIRST` and `SECOND` are the names of the players.
const KNOWN: [Form; 22] = [
    ("points", ["1", "0.5", "0"]),
    ("points", ["1.0", ".5", "0.0"]),
    ("points", ["\"1,0\"", "\"0,5\"", "\"0,0\""]),
    ("points", ["1", "½", "0"]),
    ("points", ["1.0-0.0", "0.5-0.5", "0.0-1.0"]),
    ("points", ["1:0", "½:½", "0:1"]),
    ("points", ["1-0", "draw", "0-1"]),
    ("rewards", ["1", "0", "-1"]),
    ("rewards", ["1.0", "-0.0", "-1.0"]),
    ("rewards", ["+1", "0", "−1"]),
    ("doubled", ["2", "1", "0"]),
    ("doubled", ["2-0", "1-1", "0-2"]),
    ("seat", ["1", "0", "2"]),
    ("seat", ["1", "X", "2"]),
    ("seat", ["1", "draw", "2"]),
    ("seat0", ["0", "draw", "1"]),
    ("words", ["white", "draw", "black"]),
    ("words", ["First", "Tie", "Second"]),
    ("words", ["W", "D", "L"]),
    ("names", ["FIRST", "draw", "SECOND"]),
    ("W/NA/L", ["W", "NA", "L"]),
    ("win/-/loss", ["win", "-", "loss"]),
];
/// Ways that are only read if they are described.
const DESCRIBED: [Form; 6] = [
    ("3/1/0", ["3", "1", "0"]),
    ("100/50/0", ["100", "50", "0"]),
    ("1/3/2", ["1", "3", "2"]),
    ("0/2/1", ["0", "2", "1"]),
    ("A/B/C", ["A", "B", "C"]),
    ("yes/so so/no", ["yes", "so so", "no"]),
];
/// The scores of both players in two columns.
const SCORES: [[&str; 3]; 4] =
    [["1,0", "0.5,0.5", "0,1"], ["1.0,-1.0", "0.0,0.0", "-1.0,1.0"], ["2,0", "1,1", "0,2"], ["3,0", "1,1", "0,3"]];

/// Numbers of players and results, from 0.
type Games = Vec<(usize, usize, usize)>;

fn games() -> impl Strategy<Value = Games> {
    // Some tables lack a result.
    (1..8_usize).prop_flat_map(|results| {
        let result = (0..3_usize).prop_filter("not in this table", move |result| results >> result & 1 == 1);
        prop::collection::vec((0..3_usize, 1..3_usize, result), 1..24)
    })
}

fn rows(games: &Games, header: &str, cells: [&str; 3]) -> String {
    let names = ["ann", "bob", "cid"];
    let row = |(first, offset, result): &(usize, usize, usize)| {
        let (first, second) = (names[*first], names[(first + offset) % 3]);
        let cell = cells[*result].replace("FIRST", first).replace("SECOND", second);
        format!("{first},{second},{cell}\n")
    };
    format!("white,black,{header}\n{}", games.iter().map(row).collect::<String>())
}

fn read(text: &str, scale: Option<Scale>) -> Result<GameTable, String> {
    let options = ImportOptions { scale, ..ImportOptions::default() };
    let read = read_all([("it".to_owned(), text.as_bytes())], &options);
    read.map(|(table, _)| table).map_err(|error| crate::text::causes(&error).join(": "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn standings_are_those_of_the_plain_form_or_an_error(games in games()) {
        let plain = read(&rows(&games, "result", ["1-0", "1/2-1/2", "0-1"]), None).unwrap();
        for (scale, cells) in KNOWN.into_iter().chain(DESCRIBED) {
            let text = rows(&games, "result", cells);
            if let Ok(table) = read(&text, None) {
                prop_assert_eq!((&table.games, table.read), (&plain.games, plain.read), "{}", text);
            }
            let chosen = read(&text, Some(scale.parse().unwrap()));
            prop_assert_eq!(&chosen.unwrap().games, &plain.games, "{} {}", scale, text);
        }
        for cells in SCORES {
            let text = rows(&games, "white_score,black_score", cells);
            if let Ok(table) = read(&text, None) {
                prop_assert_eq!((&table.games, table.read), (&plain.games, plain.read), "{}", text);
            }
        }
    }
}

/// What is said about results with all three values, and with some.
#[test]
fn each_scale_is_named_or_asked_for() {
    let all = vec![(0, 1, 0), (1, 2, 1), (0, 1, 2), (0, 2, 0), (2, 1, 2)];
    let decisive = vec![(0, 1, 0), (0, 1, 2), (0, 2, 0), (2, 1, 2)];
    let said = |games: &Games, (scale, cells): &Form| match read(&rows(games, "result", *cells), None) {
        Ok(table) => format!("{scale}: {}", table.scales[0].scale),
        Err(error) => format!("{scale}: {error}"),
    };
    let of = |games: &Games, forms: &[usize]| {
        forms.iter().map(|form| said(games, &KNOWN[*form])).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(of(&all, &[2, 4, 7, 10, 11, 12, 13, 15, 16, 19, 20]), @"
    points: points 1, 0.5, 0
    points: points 1, 0.5, 0
    rewards: rewards 1, 0, -1
    doubled: games it: its results have more than one meaning: `2` (2 games), `0` (2 games), `1` (1 game); choose the scale: doubled (points 2, 1, 0) or seat (the winner's seat 1, 2)
    doubled: points 2, 1, 0
    seat: games it: its results have more than one meaning: `1` (2 games), `2` (2 games), `0` (1 game); choose the scale: doubled (points 2, 1, 0) or seat (the winner's seat 1, 2)
    seat: the winner's seat 1, 2
    seat0: games it: its results have more than one meaning: `0` (2 games), `1` (2 games), `draw` (1 game); choose the scale: points (points 1, 0.5, 0) or seat0 (the winner's seat 0, 1)
    words: words for the winner
    names: names of the winner
    W/NA/L: games it: 1 game without a result (line 3) where the others say who won; if these are draws, write `draw` into them; choose the scale: words, which leaves them out
    ");
    insta::assert_snapshot!(of(&decisive, &[0, 4, 7, 10, 12, 16, 19]), @"
    points: games it: its results have more than one meaning: `1` (2 games), `0` (2 games); choose the scale: points (points 1, 0.5, 0) or rewards (rewards 1, 0, -1) or doubled (points 2, 1, 0) or seat (the winner's seat 1, 2) or seat0 (the winner's seat 0, 1)
    points: points 1, 0.5, 0
    rewards: rewards 1, 0, -1
    doubled: games it: its results have more than one meaning: `2` (2 games), `0` (2 games); choose the scale: doubled (points 2, 1, 0) or seat (the winner's seat 1, 2)
    seat: games it: its results have more than one meaning: `1` (2 games), `2` (2 games); choose the scale: doubled (points 2, 1, 0) or seat (the winner's seat 1, 2)
    words: words for the winner
    names: names of the winner
    ");
    insta::assert_snapshot!(DESCRIBED.iter().map(|form| said(&all, form)).collect::<Vec<_>>().join("\n"), @"
    3/1/0: games it: its results are in no scale that explains all of them: `3` (2 games), `0` (2 games), `1` (1 game); write 1-0, 0-1, 1/2-1/2, * (unfinished) or void; choose the scale: WIN/DRAW/LOSS, the values for a win, a draw and a loss of the first player
    100/50/0: games it: its results are in no scale that explains all of them: `100` (2 games), `0` (2 games), `50` (1 game); write 1-0, 0-1, 1/2-1/2, * (unfinished) or void; choose the scale: WIN/DRAW/LOSS, the values for a win, a draw and a loss of the first player
    1/3/2: games it: its results are in no scale that explains all of them: `1` (2 games), `2` (2 games), `3` (1 game); write 1-0, 0-1, 1/2-1/2, * (unfinished) or void; choose the scale: WIN/DRAW/LOSS, the values for a win, a draw and a loss of the first player
    0/2/1: games it: its results have more than one meaning: `0` (2 games), `1` (2 games), `2` (1 game); choose the scale: doubled (points 2, 1, 0) or seat (the winner's seat 1, 2)
    A/B/C: games it: its results are in no scale that explains all of them: `A` (2 games), `C` (2 games), `B` (1 game); write 1-0, 0-1, 1/2-1/2, * (unfinished) or void; choose the scale: WIN/DRAW/LOSS, the values for a win, a draw and a loss of the first player
    yes/so so/no: games it: its results are in no scale that explains all of them: `yes` (2 games), `no` (2 games), `so so` (1 game); write 1-0, 0-1, 1/2-1/2, * (unfinished) or void; choose the scale: WIN/DRAW/LOSS, the values for a win, a draw and a loss of the first player
    ");
    let missing = "white,black,result\na,b,a\nb,a,\na,b,b\n";
    insta::assert_snapshot!(read(missing, None).unwrap_err(), @"games it: 1 game without a result (line 3) where the others say who won; if these are draws, write `draw` into them; choose the scale: names, which leaves them out");
    let rewards = "white,black,result\na,b,1\nb,a,NaN\na,b,-1\n";
    insta::assert_snapshot!(read(rewards, None).unwrap_err(), @"games it: 1 game without a result (line 3) where the others say who won; if these are draws, write `0` into them; choose the scale: rewards, which leaves them out");
    assert_eq!(read(rewards, Some(Scale::Rewards)).unwrap().left_out_for(LeftOutCause::NoResult), 1);
    // Cures that work.
    let several = "white,black,result\na,b,1/0\nb,a,0/1\na,b,0.5/0.5\n";
    insta::assert_snapshot!(read(several, None).unwrap_err(), @"games it: its results are in no scale that explains all of them: `1/0` (1 game), `0/1` (1 game), `0.5/0.5` (1 game); write 1-0, 0-1, 1/2-1/2, * (unfinished) or void");
    let named = "white,black,result\na,b,a\nb,a,a\na,b,none\nb,a,b\n";
    insta::assert_snapshot!(read(named, None).unwrap_err(), @"games it: its results are in no scale that explains all of them: the first player's name (1 game), the second player's name (1 game), `none` (1 game), `b` (1 game); write 1-0, 0-1, 1/2-1/2, * (unfinished) or void; choose the scale: names, once all others are `draw` or empty");
    for draw in ["draw", ""] {
        read(&named.replace("none", draw), Some(Scale::Names)).unwrap();
    }
    let scores = "white,black,reward_white,reward_black\na,b,1,None\nb,a,None,None\nb,a,None,1\n";
    let table = read(scores, Some("1:None/None:None/None:1".parse().unwrap())).unwrap();
    assert_eq!((table.games.len(), table.games[1].result), (3, crate::record::GameResult::Draw));
    insta::assert_snapshot!(read("white,black,result\na,b,1\nb,a,2\n", Some(Scale::Points)).unwrap_err(), @"games it: its results are not in the scale `points`: `2` (1 game); write 1-0, 0-1, 1/2-1/2, * (unfinished) or void; choose the scale: WIN/DRAW/LOSS, the values for a win, a draw and a loss of the first player");
}

#[test]
fn a_few_damaged_cells_cost_their_games_only() {
    let rows = |odd: &[&str]| -> String {
        let six = |cell: &&str| format!("a,b,{cell}\nb,a,1-0\nc,a,0-1\na,c,1-0\nb,c,0-1\nc,b,1-0\n");
        odd.iter().map(six).collect()
    };
    let read = |odd: &[&str]| read(&format!("white,black,result\n{}", rows(odd)), None);
    assert_eq!(read(&["1-0", "1-O"]).unwrap().left_out_for(LeftOutCause::UnknownResult), 1);
    assert_eq!(read(&["!", "1-O"]).unwrap().left_out_for(LeftOutCause::UnknownResult), 2);
    // A value that comes again and again has a meaning.
    assert!(read(&["5-5"; 4]).unwrap_err().contains("`5-5` (4 games)"));
}
