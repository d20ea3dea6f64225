use crate::import::tests::{strict, table};
use crate::import::{GameTable, ImportOptions, OddGames, PairMode, Paired, read_all};

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
    let error = read_all(files, &ImportOptions::default()).unwrap_err();
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
    said.push(
        read_all(named, &ImportOptions { pairs: PairMode::Guess, odd: OddGames::Refused, ..ImportOptions::default() })
            .unwrap_err()
            .source
            .to_string(),
    );
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
    let none = read_all([("it.pgn".to_owned(), &b""[..])], &ImportOptions::default()).unwrap_err();
    assert_eq!(none.source.to_string(), "it has no game that can be rated");
}

/// The players of games that are read, as `white-black result`, and the causes of those left out.
fn seen(text: &str) -> String {
    let Ok((table, _)) = read_all([("it.pgn".to_owned(), text.as_bytes())], &ImportOptions::default()) else {
        return "refused".to_owned();
    };
    let name = |player: u32| String::from_utf8_lossy(&table.names[player as usize]).into_owned();
    let games = table.games.iter().map(|game| format!("{}-{} {}", name(game.first), name(game.second), game.result));
    let left_out = table.left_out.iter().map(|left_out| format!("{:?}", left_out.cause));
    let twice = table.tags_twice.first.iter().map(|place| format!("line {} {}", place.line, place.detail));
    games.chain(left_out).chain(twice).collect::<Vec<_>>().join(", ")
}

#[test]
fn text_between_braces_is_a_comment_whatever_it_is() {
    let quoted = "[Event \"old\"]\n[White \"x\"]\n[Black \"y\"]\n[Result \"0-1\"]\n\n1. d4 0-1\n";
    for comment in [
        format!("{{ compare:\n\n{quoted}}}"),
        format!("{{ compare:\n\n{quoted}\n{quoted} }}"),
        format!("{{\n{}}}", quoted.replace("d4", "d4 { good }")),
        "{ he said:\n[Black \"x\"] was the tag }".to_owned(),
        "{ he said:\n[Black \"x\"] and a brace { was the tag }".to_owned(),
        "{ a brace { and\n a semicolon ; }".to_owned(),
        "; { to the end\n".to_owned(),
        "; [Black \"x\"] }\n".to_owned(),
        "{\n% no line of its own }".to_owned(),
        format!("( 1. d4 {{\n{quoted}}} d5 )"),
    ] {
        let text = pgn("a", "b", "", &format!("1. e4 {comment} e5")) + &pgn("b", "a", "", "1. c4 { why } c5");
        assert_eq!(seen(&text), "a-b 1-0, b-a 1-0", "{text}");
        let among_tags = pgn("a", "b", &format!("{comment}\n[Round \"1\"]"), "1. e4") + &pgn("b", "a", "", "1. c4");
        if !comment.starts_with('(') && !comment.ends_with('\n') {
            assert_eq!(seen(&among_tags), "a-b 1-0, b-a 1-0", "{among_tags}");
        }
    }
    // One that is not closed costs its game.
    let open = pgn("a", "b", "", "1. e4 { why");
    let games =
        ["", "{ x }", "", "{ y\n\nz }", "{ x } { y }"].map(|comment| pgn("b", "a", "", &format!("1. c4 {comment}")));
    for count in 1..=games.len() {
        let expected = vec!["b-a 1-0"; count].join(", ") + ", Comment";
        assert_eq!(seen(&(open.clone() + &games[..count].concat())), expected);
    }
}

#[test]
fn a_tag_that_comes_twice_is_in_one_game() {
    let game = |tags: &str| format!("[Event \"e\"]\n{tags}\n1. e4 e5 1-0\n\n");
    let tags = |more: &str| format!("[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n{more}");
    for (text, expected) in [
        (game(&tags("[White \"x\"]\n")), "a-b 1-0, line 5 `White`"),
        (game(&tags("[Result \"*\"]\n")), "a-b 1-0, line 5 `Result`"),
        (game(&format!("[Result \"*\"]\n{}", tags(""))), "a-b 1-0, line 5 `Result`"),
        (game(&format!("[Result \"0-1\"]\n{}", tags(""))), "a-b 1-0, line 5 `Result`"),
        (game(&tags("[Event \"e\"]\n[ECO \"A\"]\n[eco \"B\"]\n")), "a-b 1-0, line 5 `Event`"),
        (game(&format!("[White \"?\"]\n{}", tags(""))), "a-b 1-0, line 3 `White`"),
        // Games without moves, and without a line between.
        (tags("") + &tags(""), "a-b 1-0, a-b 1-0"),
        (tags("") + &tags("") + &tags("\n1. e4 1-0\n"), "a-b 1-0, a-b 1-0, a-b 1-0"),
        (tags("").repeat(5), "a-b 1-0, a-b 1-0, a-b 1-0, a-b 1-0, a-b 1-0"),
        (tags("") + &tags("[White \"x\"]\n\n1. e4 1-0\n"), "a-b 1-0, a-b 1-0, line 7 `White`"),
    ] {
        assert_eq!(seen(&text), expected, "{text}");
    }
    assert!(
        strict(&game(&tags("[White \"x\"]\n")))
            .unwrap_err()
            .ends_with("line 5: a game with a tag that comes twice: `White`")
    );
}

#[test]
fn many_tags_take_no_more_time_than_others() {
    let tag = |number: u32| format!("[T{number} \"x\"]\n");
    let tags: String = (0..20_000).map(tag).collect();
    assert_eq!(seen(&(pgn("a", "b", &tags, "1. e4") + &pgn("b", "a", "", "1. e4"))), "b-a 1-0, Tag");
    let games = "[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n".repeat(20_000);
    assert_eq!(seen(&games).matches("a-b 1-0").count(), 20_000);
}

#[test]
fn a_tag_over_two_lines_is_read() {
    let game = |tag: &str| format!("[Black \"b\"]\n{tag}\n[Result \"1-0\"]\n\n1. e4 1-0\n");
    for tag in [
        "[White \"a\nc\"]",
        "[White\n\"a c\"]",
        "[\nWhite \"a c\"\n]",
        "[White \"a c\"\n]",
        "[Round \"1\"] [White \"a\r\nc\"] [Site \"x\"]",
        "[White \"a \n   c\"]",
    ] {
        let text = game(tag).replace("a \n   c", "a\n   c");
        assert_eq!(seen(&text), "a c-b 1-0", "{text}");
    }
    // A tag that the next one begins in is cut.
    let cut = game("[White \"a\n[Site \"c\"]") + &pgn("c", "d", "", "1. e4");
    assert_eq!(seen(&cut), "c-d 1-0, Tag");
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
                if let Ok((table, _)) = read_all([(name.to_owned(), &bytes[..])], &ImportOptions { pairs: mode, ..ImportOptions::default() }) {
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
                read_all([(name.to_owned(), text.as_bytes())], &ImportOptions::default()).unwrap()
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
