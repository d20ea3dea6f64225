use crate::import::tests::{strict, table};
use crate::import::{GameTable, OddGames, PairMode, Paired, read_all};

#[test]
fn games_of_pgn_are_those_of_a_table() {
    let pgn = "[Event \"x\"]\n[White \"ann\"]\n[Black \"bob\"]\n[Result \"1-0\"]\n\n1. e4 {[Black \"x\"]} e5 1-0\n\n\
               [White \"bob\"][Black \"ann\"]\n[Result \"1/2-1/2\"] 1. d4 d5 1/2-1/2\n";
    let csv = "white,black,result,moves\nann,bob,1-0,x\nbob,ann,1/2-1/2,y\n";
    let read = |text| table(text, PairMode::Guess).unwrap();
    let ((one, paired), (other, by_rows)) = (read(pgn), read(csv));
    assert_eq!((one.names, one.games, paired), (other.names, other.games, by_rows));
}

/// A game of a PGN file.
fn pgn(white: &str, black: &str, tags: &str, moves: &str) -> String {
    format!("[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"1-0\"]\n{tags}\n\n{moves} 1-0\n\n")
}

#[test]
fn rounds_pair_the_games_of_pgn_in_any_order() {
    let round = |number: &str| format!("[Round \"{number}\"]");
    let games = [
        pgn("a", "b", &round("1"), ""),
        pgn("a", "b", &round("2"), ""),
        pgn("b", "a", &round("2"), ""),
        pgn("a", "c", &round("1"), ""),
        pgn("b", "a", &round("1"), ""),
        pgn("b", "a", &round("?"), ""),
        pgn("a", "b", "", ""),
    ]
    .concat();
    let (read, paired) = table(&games, PairMode::Guess).unwrap();
    let pairs: Vec<u32> = read.games.iter().map(|game| game.cluster).collect();
    assert_eq!((&pairs[..5], paired, read.unpaired), (&[0, 1, 1, 2, 0][..], Paired::ByRound, 3));
    assert_ne!(pairs[5], pairs[6]);
    assert_eq!(table(&games, PairMode::None).unwrap().1, Paired::NotAtAll);
    // The rounds of a league pair nothing.
    let league = [pgn("a", "b", &round("1"), ""), pgn("b", "a", &round("2"), "")].concat();
    let (read, paired) = table(&league, PairMode::Guess).unwrap();
    assert_eq!((paired, read.unpaired), (Paired::NotAtAll, 2));
    let files = [("a.pgn".to_owned(), league.as_bytes()), ("b".to_owned(), &b"white,black,result\na,b,1-0\n"[..])];
    let error = read_all(files, PairMode::Guess, OddGames::LeftOut).unwrap_err();
    insta::assert_snapshot!(crate::text::causes(&error).join(": "), @"games b: line 1: its games are paired by the order of the rows, those of another file by the tag `Round`; rate them separately, or choose how the pairs are found");
}

#[test]
fn a_position_to_begin_from_is_an_opening() {
    let fen = |text: &str, setup: &str| format!("[FEN \"{text}\"]\n[Opening \"Sicilian\"]\n{setup}");
    let games = [
        pgn("a", "b", &fen("x w - -", "[SetUp \"1\"]"), "e4"),
        pgn("b", "a", &fen("x w - -", ""), "e4"),
        pgn("a", "b", &fen("y w - -", "[SetUp \"0\"]"), "e4"),
        pgn("b", "a", &fen("z w - -", ""), "e4"),
        pgn("b", "a", &fen("z w - -", ""), "1. e4"),
        pgn("b", "a", "[ECO \"B20\"]", "e4"),
    ]
    .concat();
    let (read, _) = table(&games, PairMode::Guess).unwrap();
    let openings: Vec<Option<u32>> = read.games.iter().map(|game| game.opening).collect();
    assert_eq!(openings, [Some(0), Some(0), None, Some(1), Some(1), None]);
    assert_eq!(read.repeated, 1, "the same moves from the same position");
}

#[test]
fn flaws_of_pgn_are_reported_with_their_line() {
    let cases = [
        "\n[White \"a\"]\n[Black \"b\"]\n\n1. e4 *\n".to_owned(),
        pgn("a", "b", "", "") + &pgn("a", "a", "", ""),
        pgn("?", "b", "", ""),
        pgn("a", "b", "", "").replace("[Result \"1-0\"]", "[Result \"2-0\"]"),
        "[White \"a\"]\n[Black b]\n".to_owned(),
        pgn("a", "b", "", "1. e4 { never\nclosed"),
        pgn("a", "b", "", "1. e4 { never") + &pgn("a", "b", "", "{ closed }"),
        pgn("a", "b", "", "") + "1. e4 e5 1-0\n",
        pgn("a", "b", "", "1. e4 [x"),
    ];
    let mut said = cases.map(|text| strict(&text).unwrap_err()).to_vec();
    let named = [("it.pgn".to_owned(), &b"% a remark\n; another\n1. e4 e5 1-0\n"[..])];
    said.push(read_all(named, PairMode::Guess, OddGames::Refused).unwrap_err().source.to_string());
    insta::assert_snapshot!(said.join("\n"), @r#"
    games it: line 2: a game without a result
    games it: line 8: a game of a player against itself: `a`
    games it: line 1: a game with a bye or an unknown player: `?` and `b`
    games it: line 1: a game with an unknown result: `2-0`; write 1-0, 0-1, 1/2-1/2, * (unfinished) or void
    games it: line 2: a game with a damaged tag: `[Black b]`
    games it: line 6: a game with an open comment; is its `}` missing?
    games it: line 6: a game with an open comment; is its `}` missing?
    games it: line 8: a game without tags: `e4 e5 1-0`; a game begins with tags such as [White "ann"]
    games it: line 6: a game with a damaged tag: `[x 1-0`
    line 3: a game without tags: `1. e4 e5 1-0`; a game begins with tags such as [White "ann"]
    "#);
}

#[test]
fn pgn_is_read_however_it_is_written() {
    let plain = pgn("ann \\\"x\\\" b", "bob", "", "1. e4 e5 2. Nf3") + &pgn("bob", "ann \\\"x\\\" b", "", "1. d4");
    let seen = |text: &str| {
        let (read, paired) = table(text, PairMode::Guess).unwrap();
        (read.names, read.games, paired)
    };
    let expected = seen(&plain);
    assert_eq!(expected.0, [&b"ann \"x\" b"[..], b"bob"]);
    for (why, text) in [
        ("CRLF", plain.replace('\n', "\r\n")),
        ("CR", plain.replace('\n', "\r")),
        ("a byte order mark", format!("\u{feff}{plain}")),
        ("no line at the end", plain.trim_end().to_owned()),
        ("remarks", format!("\n{}", plain.replace("1. ", "\n% [x\n; [White \"\n{a [comment\n over; } 1. "))),
        ("quotes as they are", plain.replace("\\\"", "\"")),
        ("no moves", plain.replace("1. e4 e5 2. Nf3 1-0", "").replace("1. d4 1-0", "")),
        ("no empty lines", plain.replace("\n\n", "\n")),
        ("an empty line among the tags", plain.replace("[Result", "\n[Result")),
    ] {
        assert_eq!(seen(&text), expected, "{why}");
    }
    let none = read_all([("it.pgn".to_owned(), &b""[..])], PairMode::Guess, OddGames::LeftOut).unwrap_err();
    assert_eq!(none.source.to_string(), "it has no game that can be rated");
}

mod properties {
    use std::fmt::Write as _;

    use proptest::prelude::*;

    use super::*;

    /// Pieces of PGN, whole and broken.
    fn pieces() -> impl Strategy<Value = Vec<u8>> {
        let words = [
            "[",
            "]",
            "\"",
            "\\",
            "{",
            "}",
            "(",
            ")",
            ";",
            "%",
            "\n",
            "\r",
            " ",
            "[White \"a\"]",
            "[Black \"b\"]",
            "[Result \"1-0\"]",
            "[Result \"*\"]",
            "[Round \"1\"]",
            "[FEN \"x\"]",
            "1. e4",
            "$1",
            "1-0",
            "*",
            "\u{feff}",
            "\0",
            "...",
        ];
        let word = prop::sample::select(words.to_vec()).prop_map(|word| word.as_bytes().to_vec());
        let piece = prop_oneof![4 => word, 1 => prop::collection::vec(any::<u8>(), 0..6)];
        prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn no_bytes_are_too_much_for_the_reader(bytes in pieces(), mode in 0..3_usize) {
            let mode = [PairMode::Guess, PairMode::Consecutive, PairMode::None][mode];
            for name in ["it.pgn", "it"] {
                if let Ok((table, _)) = read_all([(name.to_owned(), &bytes[..])], mode, OddGames::LeftOut) {
                    prop_assert!(table.games.iter().all(|game| game.first != game.second));
                }
            }
        }
    }

    proptest! {
        #[test]
        fn a_table_and_its_pgn_have_the_same_games(
            games in prop::collection::vec((0..4_usize, 1..4_usize, 0..4_usize, 0..5_u8, 0..3_u8), 0..30),
        ) {
            let names = ["a\"b", "c\\", "d]", "e f"];
            let mut csv = "white,black,result,moves,opening\nx,y,1-0,,\n".to_owned();
            let mut pgn = "\u{feff}\r\n[White \"x\"]\n[Black \"y\"]\n[Result \"1-0\"]\n\n".to_owned();
            for (first, offset, result, moves, opening) in games {
                let (white, black) = (names[first], names[(first + offset) % 4]);
                let result = ["1-0", "0-1", "1/2-1/2", "*"][result];
                let quoted = |name: &str| name.replace('"', "\"\"");
                let escaped = |name: &str| name.replace('\\', "\\\\").replace('"', "\\\"");
                let _ = writeln!(csv, "\"{}\",\"{}\",{result},{opening} {moves},{opening}", quoted(white), quoted(black));
                let _ = write!(
                    pgn,
                    "[White \"{}\"]\r\n[Black \"{}\"]\r\n[FEN \"{opening}\"]\r\n[Result \"{result}\"]\r\n\r\n\
                     1. e{moves} {{ a comment }} {result}\r\n\r\n",
                    escaped(white),
                    escaped(black)
                );
            }
            let read = |name: &str, text: &str| {
                read_all([(name.to_owned(), text.as_bytes())], PairMode::Guess, OddGames::LeftOut).unwrap()
            };
            let ((table, by_rows), (games, paired)) = (read("it.csv", &csv), read("it.pgn", &pgn));
            prop_assert_eq!((&table.names, &table.games, by_rows), (&games.names, &games.games, paired));
            prop_assert_eq!((table.read, table.repeated), (games.read, games.repeated));
            let counted = |table: &GameTable| -> usize { table.left_out.iter().map(|left_out| left_out.places.games).sum() };
            prop_assert_eq!(counted(&table), table.read - table.games.len());
            prop_assert_eq!(counted(&games), games.read - games.games.len());
        }
    }
}
