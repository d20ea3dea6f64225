use super::*;

pub(super) fn table(text: &str, pairs: PairMode) -> Result<(GameTable, Paired), String> {
    table_with(text, &ImportOptions { pairs, ..ImportOptions::default() })
}

/// The same for a file whose odd games are refused.
pub(super) fn strict(text: &str) -> Result<(GameTable, Paired), String> {
    table_with(text, &ImportOptions { odd: OddGames::Refused, ..ImportOptions::default() })
}

fn table_with(text: &str, options: &ImportOptions) -> Result<(GameTable, Paired), String> {
    read_all([("it".to_owned(), text.as_bytes())], options).map_err(|error| crate::text::causes(&error).join(": "))
}

#[test]
fn two_rows_with_swapped_seats_are_a_pair() {
    let (table, paired) =
        table("white,black,result\nb,a,1-0\na,b,1/2-1/2\nc,a,0-1\na,c,0-1\n", PairMode::Guess).unwrap();
    assert_eq!(paired, Paired::Consecutively);
    assert_eq!(table.names, [b"a", b"b", b"c"]);
    assert_eq!(table.games.iter().map(|game| game.cluster).collect::<Vec<_>>(), [0, 0, 1, 1]);
    assert_eq!(
        table.games[0],
        GameRow {
            first: 1,
            second: 0,
            pair: 0,
            cluster: 0,
            opening: None,
            result: GameResult::FirstWins,
            forfeit: false,
            rated: true
        }
    );
}

#[test]
fn other_rows_are_independent_games() {
    let text = "White, Black, Result \na,b,1-0\na,b,1-0\n";
    assert_eq!(table(text, PairMode::Guess).unwrap().1, Paired::NotAtAll);
    let refused = table(text, PairMode::Consecutive).unwrap_err();
    assert!(refused.starts_with("games it: "), "{refused}");
    assert_eq!(table("white,black,result\na,b,1-0\nb,a,1-0\n", PairMode::None).unwrap().1, Paired::NotAtAll);
}

#[test]
fn repeated_moves_join_clusters_without_labels() {
    let clusters = |text: &str, pairs: PairMode| -> Vec<u32> {
        table(text, pairs).unwrap().0.games.iter().map(|game| game.cluster).collect()
    };
    let rows = "white,black,result,moves\na,b,1-0,x\nb,a,1-0,y\na,b,1-0,x\nb,a,1-0,z\n";
    assert_eq!(clusters(rows, PairMode::Guess), [0, 0, 0, 1]);
    let hidden = "white,black,result,moves,seed,hidden\na,b,1-0,x,1,p\nb,a,1-0,y,2,q\na,b,1-0,x,3,r\nb,a,1-0,z,4,s\n";
    assert_eq!(clusters(hidden, PairMode::Guess), [0, 0, 1, 1], "another code was hidden");
    assert_eq!(clusters(&hidden.replace(",hidden", ",other"), PairMode::Guess), [0, 0, 0, 1]);
    let labelled = "white,black,result,moves,pair\na,b,1-0,x,p\nb,a,1-0,y,p\n";
    assert_eq!(clusters(labelled, PairMode::None), [0, 1]);
}

#[test]
fn games_csv_can_be_imported() {
    let text = "id,round,pair,first,second,result,first_status,second_status\n\
                x,1,7,a,b,0-1,timeout,ok\ny,1,8,a,c,void,ok,ok\nz,1,7,b,a,1-0,ok,resigned\n";
    let (table, paired) = table(text, PairMode::Guess).unwrap();
    assert_eq!((paired, table.left_out_for(LeftOutCause::Void), table.games.len()), (Paired::ByColumn, 1, 2));
    assert_eq!(
        table.games.iter().map(|game| (game.cluster, game.forfeit)).collect::<Vec<_>>(),
        [(0, true), (0, false)]
    );
}

#[test]
fn a_game_without_a_label_has_no_partner() {
    let some = "white,black,result,pair,moves\na,b,1-0,,x\nb,a,1-0,p,y\na,b,1-0,p,z\na,b,0-1, ,v\na,b,void,,w\n";
    let (table, paired) = table(some, PairMode::Guess).unwrap();
    assert_eq!((paired, table.unpaired, table.left_out_for(LeftOutCause::Void)), (Paired::ByColumn, 2, 1));
    let clusters: Vec<u32> = table.games.iter().map(|game| game.cluster).collect();
    assert!(clusters[1] == clusters[2] && clusters[0] != clusters[3], "{clusters:?}");
    assert!(clusters[0].min(clusters[3]) > clusters[1], "{clusters:?}");
    // Labels that are all missing are no labels, and labels that are all different pair nothing.
    for mark in ["", "NA", "-", "?", "null"] {
        let text = format!("white,black,result,pair\na,b,1-0,{mark}\nb,a,1-0,{mark}\n");
        let (table, paired) = super::tests::table(&text, PairMode::Guess).unwrap();
        assert_eq!((paired, table.unpaired), (Paired::Consecutively, 0), "{mark}");
    }
    let (table, paired) =
        super::tests::table("white,black,result,pair\na,b,1-0,1\nb,a,1-0,2\n", PairMode::Guess).unwrap();
    assert_eq!((paired, table.unpaired), (Paired::NotAtAll, 2));
    assert_ne!(table.games[0].cluster, table.games[1].cluster);
}

#[test]
fn labels_are_local_to_their_table() {
    // Labels that are days or counters are large numbers; those of many tables must not overflow together.
    let labels = ["10", "20", "536870911", "536870912", "20261120", "99999999999", "007", "p", ""];
    let rows = labels.map(|label| format!("a,b,1-0,{label},x\nb,a,1-0,{label},x\n")).concat();
    for columns in ["white,black,result,pair,moves\n", "white,black,result,pair,other\n"] {
        let tables = (0..300).map(|number| (number.to_string(), std::io::Cursor::new(format!("{columns}{rows}"))));
        let (table, paired) = read_all(tables, &ImportOptions::default()).unwrap();
        assert_eq!(paired, Paired::ByColumn);
        let mut seen = std::collections::HashSet::new();
        for pair in table.games.chunks(2) {
            let is_one = pair[0].pair == pair[1].pair;
            assert!(seen.insert(pair[0].pair) && (is_one || seen.insert(pair[1].pair)), "{pair:?}");
        }
        assert_eq!(seen.len(), 300 * (labels.len() + 1));
    }
}

#[test]
fn openings_are_numbered_by_their_text() {
    let text = "first,second,result,opening\na,b,1-0,3 4\nb,a,1-0,3 4\na,c,1-0,\na,c,void,9\nc,a,1-0,5\nb,c,1-0,3 4\n";
    let (table, _) = table(text, PairMode::Guess).unwrap();
    let openings: Vec<Option<u32>> = table.games.iter().map(|game| game.opening).collect();
    assert_eq!(openings, [Some(0), Some(0), None, Some(1), Some(0)]);
}

#[test]
fn names_are_trimmed_and_otherwise_kept_byte_for_byte() {
    let (table, _) = read_all(
        [("it".to_owned(), &b"white,black,result\n\"a, \"\"b\"\"\n\",\xff\xfe ,1-0\n"[..])],
        &ImportOptions { pairs: PairMode::None, odd: OddGames::LeftOut, ..ImportOptions::default() },
    )
    .unwrap();
    assert_eq!(table.names, [&b"a, \"b\""[..], &b"\xff\xfe"[..]]);
}

#[test]
fn every_error_names_its_line() {
    let cases = [
        " white ,result\na,1-0\n",
        "",
        "white,black,result\na,b,3-0\n",
        "white,black,result\na,b,1-0\na,a,1-0\n",
        "white,black,result\na,,1-0\n",
        "white,black,result\na,b\n",
    ];
    insta::assert_snapshot!(cases.map(|text| strict(text).unwrap_err()).join("\n"), @r#"
    games it: the header has no column `black` or `second`; it has: white, result
    games it: it is empty; the first line must name the columns, white,black,result or first,second,result, or be a tag of PGN
    games it: line 2: a game with an unknown result: `3-0`; write 1-0, 0-1, 1/2-1/2, * (unfinished) or void
    games it: line 3: a game of a player against itself: `a`
    games it: line 2: a game without the name of a player
    games it: line 2: a game with another number of cells than the header: 2 instead of 3; a name with a comma or a quote must be quoted: "a, b"
    "#);
}

#[test]
fn half_a_pair_at_the_end_is_one_game() {
    let clusters = |text: &str, pairs| {
        let (table, paired) = table(&format!("white,black,result\n{text}"), pairs).unwrap();
        (table.games.iter().map(|game| game.cluster).collect::<Vec<_>>(), paired, table.unpaired)
    };
    for mode in [PairMode::Guess, PairMode::Consecutive] {
        assert_eq!(clusters("a,b,1-0\nb,a,1-0\na,b,0-1\n", mode), (vec![0, 0, 1], Paired::Consecutively, 1));
        // Games that are left out need no partner.
        assert_eq!(clusters("a,b,1-0\nb,a,1-0\na,b,*\n", mode), (vec![0, 0], Paired::Consecutively, 0));
    }
    assert_eq!(clusters("a,b,1-0\n", PairMode::Guess), (vec![0], Paired::NotAtAll, 0));
    assert_eq!(clusters("a,b,1-0\n", PairMode::Consecutive), (vec![0], Paired::Consecutively, 1));
    // Rows do not pair across files.
    let one = "white,black,result\na,b,1-0\nb,a,1-0\na,b,1-0\n";
    let other = "white,black,result\nb,a,1-0\na,b,1-0\n";
    let files = [("one".to_owned(), one.as_bytes()), ("other".to_owned(), other.as_bytes())];
    let (table, paired) = read_all(files, &ImportOptions::default()).unwrap();
    assert_eq!(table.games.iter().map(|game| game.cluster).collect::<Vec<_>>(), [0, 0, 1, 2, 2]);
    assert_eq!((paired, table.unpaired), (Paired::Consecutively, 1));
}

#[test]
fn results_are_read_as_other_tools_write_them() {
    use GameResult::{Draw, FirstWins, SecondWins};
    let text = [
        ("1-0", FirstWins),
        ("1", FirstWins),
        ("1.0", FirstWins),
        ("0-1", SecondWins),
        ("0", SecondWins),
        ("0.0", SecondWins),
        ("1/2-1/2", Draw),
        ("½-½", Draw),
        (" ½ ", Draw),
        ("1/2", Draw),
        ("0.5-0.5", Draw),
        ("0.5", Draw),
        (".5", Draw),
        ("\"0,5\"", Draw),
        ("\"0,5-0,5\"", Draw),
    ];
    let rows = text.map(|(word, _)| format!("a,b,{word}\n")).concat();
    let (games, _) = table(&format!("white,black,result\n{rows}a,b,*\na,b,void\n"), PairMode::None).unwrap();
    assert_eq!(games.games.iter().map(|game| game.result).collect::<Vec<_>>(), text.map(|(_, result)| result));
    assert_eq!([LeftOutCause::Unfinished, LeftOutCause::Void].map(|cause| games.left_out_for(cause)), [1, 1]);
}

#[test]
fn labels_that_many_games_share_are_split_in_order() {
    let read = |labels: [&str; 8]| {
        let games = ["a,b", "b,a", "a,b", "b,a", "c,d", "d,c", "b,a", "a,b"];
        let row = |(game, label): (&str, &str)| format!("{game},1-0,{label}\n");
        let rows: String = games.into_iter().zip(labels).map(row).collect();
        let (table, paired) = table(&format!("white,black,result,pair\n{rows}"), PairMode::Guess).unwrap();
        (table.games.iter().map(|game| game.cluster).collect::<Vec<_>>(), paired, table.unpaired, table.split_labels)
    };
    let pairs = vec![0, 0, 1, 1, 2, 2, 3, 3];
    assert_eq!(read(["1"; 8]), (pairs.clone(), Paired::ByColumn, 0, 1), "one label for all");
    assert_eq!(read(["1", "1", "2", "2", "1", "1", "2", "2"]), (pairs.clone(), Paired::ByColumn, 0, 1), "begun anew");
    assert_eq!(
        read(["x", "x", "y", "y", "x", "x", "z", "z"]),
        (pairs.clone(), Paired::ByColumn, 0, 0),
        "a round for all"
    );
    assert_eq!(read(["1.1", "1.2", "2.1", "2.2", "1.1", "1.2", "3.1", "3.2"]), (pairs, Paired::ByColumn, 0, 0));
    let (clusters, _, unpaired, _) = read(["1", "1", "NA", "NA", "", "-", "2", "2"]);
    assert_eq!((clusters[0] == clusters[1], clusters[6] == clusters[7], unpaired), (true, true, 4), "{clusters:?}");
}

/// A label for all games, and numbers that begin anew, pair the games that are paired without labels: also where games were
/// not finished.
#[test]
fn one_label_for_all_pairs_what_its_order_does() {
    let mut rng = crate::rng::Rng::new(5);
    for _ in 0..300 {
        let pairs = 1 + rng.below(6) as usize;
        let games: Vec<(&str, &str)> = (0..2 * pairs)
            .map(|game| (if game % 2 == 0 { "a,b" } else { "b,a" }, ["1-0", "0-1", "*", "1-0"][rng.below(4) as usize]))
            .collect();
        let read = |label: &dyn Fn(usize) -> String| {
            let row =
                |(number, (seats, result)): (usize, &(&str, &str))| format!("{seats},{result},{}\n", label(number));
            let rows: String = games.iter().enumerate().map(row).collect();
            table(&format!("white,black,result,pair\n{rows}"), PairMode::Guess).map(|(table, _)| {
                let clusters = table.games.iter().map(|game| game.cluster);
                (
                    clusters.collect::<Vec<_>>().chunk_by(PartialEq::eq).map(<[u32]>::len).collect::<Vec<_>>(),
                    table.unpaired,
                )
            })
        };
        let Ok(told) = read(&|number| (number / 2).to_string()) else { continue };
        for (kind, label) in [
            ("one for all", &(|_| "1".to_owned()) as &dyn Fn(usize) -> String),
            ("begun anew", &|number| (number / 2 % 2).to_string()),
            ("numbers of games", &|number| format!("1.{number}")),
        ] {
            assert_eq!(read(label), Ok(told.clone()), "{kind}: {games:?}");
        }
        let (_, unpaired) = read(&|_| String::new()).unwrap();
        let is_alone = told.0.iter().all(|games| *games == 1);
        assert!(unpaired == told.1 || is_alone, "{unpaired} of {}: {games:?}", told.1);
    }
    // Where most games have no neighbour with swapped seats, nothing is told by their order.
    let read = |games: &str| {
        let row = |seats: &str| format!("{seats},1-0,1\n");
        let rows: String = games.split(' ').map(row).collect();
        table(&format!("white,black,result,pair\n{rows}"), PairMode::Guess).unwrap().0.unpaired
    };
    assert_eq!((read("a,b a,b a,b b,a b,a b,a"), read("b,a b,a a,b a,b")), (6, 4));
    assert_eq!(read("a,b a,b b,a a,b b,a"), 1, "the first night ended after one game");
}

#[test]
fn a_game_whose_partner_is_left_out_has_none() {
    let half = "a,b,1-0\nb,a,*\nb,a,1-0\na,b,*\na,c,1-0\nc,a,NA\n";
    let (read, paired) = table(&format!("white,black,result\n{half}"), PairMode::Guess).unwrap();
    assert_eq!((paired, read.games.len()), (Paired::NotAtAll, 3));
    let (read, paired) = table(&format!("white,black,result\n{half}a,b,1-0\nb,a,1-0\n"), PairMode::Guess).unwrap();
    assert_eq!((paired, read.games.len(), read.unpaired), (Paired::Consecutively, 5, 3));
    // Games of others that were not played do not come between two games.
    for place in 0..=4 {
        let mut rows = vec!["a,b,1-0", "b,a,1-0", "a,c,1-0", "c,a,0-1"];
        rows.insert(place, "d,e,+/-");
        let (read, paired) = table(&format!("white,black,result\n{}\n", rows.join("\n")), PairMode::Guess).unwrap();
        let clusters: Vec<u32> = read.games.iter().map(|game| game.cluster).collect();
        assert_eq!((paired, read.unpaired), (Paired::Consecutively, 0), "{place}");
        assert!(clusters[0] == clusters[1] && clusters[1] != clusters[2] && clusters[2] == clusters[3], "{place}");
    }
}

#[test]
fn a_header_between_rows_is_no_game() {
    for columns in ["white,black,result", "white, black,white_score,black_score"] {
        let of = |first: u32, second: u32| match columns.len() {
            18 => format!("{first}-{second}"),
            _ => format!("{first},{second}"),
        };
        let table_of = format!("{columns}\na,b,{}\nb,a,{}\n", of(1, 0), of(0, 1));
        let (read, paired) = table(&table_of.repeat(3), PairMode::Guess).unwrap();
        assert_eq!((read.names.len(), read.read, read.unpaired, paired), (2, 6, 0, Paired::Consecutively), "{columns}");
        assert_eq!(read.left_out, []);
    }
}

#[test]
fn missing_cells_say_nothing_in_any_column() {
    for mark in ["", "NA", "-", "?", "null", "None", "NaN"] {
        let rows = format!("a,b,1-0,{mark},{mark}\nb,a,0-1,{mark},{mark}\n").repeat(3);
        let (read, _) = table(&format!("white,black,result,moves,opening\n{rows}"), PairMode::Guess).unwrap();
        assert_eq!((read.games.len(), read.repeated), (6, 0), "{mark}");
        assert!(read.games.iter().all(|game| game.opening.is_none()), "{mark}");
        let odd = format!("white,black,result\na,b,1-0\nb,a,{mark}\na,{mark},1-0\n");
        let (read, _) = table(&odd, PairMode::Guess).unwrap();
        let no_name = if mark == "?" { LeftOutCause::Bye } else { LeftOutCause::NoName };
        assert_eq!((read.left_out_for(LeftOutCause::NoResult), read.left_out_for(no_name)), (1, 1), "{mark}");
    }
}

/// Reads two files together.
fn both(one: &str, other: &str) -> GameTable {
    let files = [("one".to_owned(), one.as_bytes()), ("other".to_owned(), other.as_bytes())];
    read_all(files, &ImportOptions::default()).unwrap().0
}

#[test]
fn a_game_in_two_files_is_one_record_if_something_names_it() {
    let rows = |columns: &str, games: std::ops::Range<u32>| {
        let row = |number: u32| {
            let seats = if number.is_multiple_of(2) { "a,b" } else { "b,a" };
            let result = if number.is_multiple_of(3) { "1-0" } else { "0-1" };
            // Four games of these bots are all there are.
            let rest = columns.split(',').map(|column| match column {
                "id" => format!("{number:08x}f"),
                "number" => number.to_string(),
                "round" => format!("{}", number / 2),
                "started" => format!("2026-03-01 10:{:02}:{:02}", number / 60, number % 60),
                "date" => "2026-03-01".to_owned(),
                "moves" => format!("m{}", number % 4),
                _ => "x".to_owned(),
            });
            format!("{seats},{result},{}\n", rest.collect::<Vec<_>>().join(","))
        };
        format!("white,black,result,{columns}\n{}", games.map(row).collect::<String>())
    };
    for columns in ["id", "started", "round,moves", "date,round,moves", "number,moves,plies"] {
        let (night, all) = (rows(columns, 0..9), rows(columns, 0..30));
        let alone = table(&all, PairMode::Guess).unwrap().0;
        for together in [both(&night, &all), both(&all, &night)] {
            assert_eq!((together.read, together.left_out_for(LeftOutCause::Copy)), (39, 9), "{columns}");
            assert_eq!((together.games, together.unpaired), (alone.games.clone(), alone.unpaired), "{columns}");
        }
        // In one file twice.
        let twice = all.clone() + night.split_once('\n').unwrap().1;
        let read = table(&twice, PairMode::Guess).unwrap().0;
        assert_eq!((&read.games, read.left_out_for(LeftOutCause::Copy)), (&alone.games, 9), "{columns}");
    }
    // Nothing here tells games apart.
    for columns in ["x", "moves", "date,moves", "round", "number", "pair", "plies"] {
        let (night, all) = (rows(columns, 0..9), rows(columns, 0..30));
        assert_eq!(both(&night, &all).games.len(), 39, "{columns}");
    }
    // The numbers begin anew every night.
    let other = rows("number,moves", 0..20).replace(",m1", ",m9").replace(",m2", ",m8");
    let together = both(&rows("number,moves", 0..20), &other);
    assert_eq!((together.games.len(), together.doubtful_copies), (40, 10));
}

#[test]
fn a_record_is_the_same_however_its_result_and_its_notes_are_written() {
    let file = |columns: &str, cells: [&str; 3], notes: &str| {
        let row = |number: usize| format!("game{number:04},a,b,{},{notes}\n", cells[number % 3]);
        format!("id,white,black,{columns}\n{}", (0..6).map(row).collect::<String>())
    };
    let plain = file("result,eco", ["1-0", "1/2-1/2", "0-1"], "B20");
    for (columns, cells, notes) in [
        ("result,eco", ["1–0", "½-½", "0–1"], "B20"),
        ("result,eco", ["1.0", "0.5", "0.0"], "B21"),
        ("result,white_elo", ["1", "0", "-1"], "2400"),
        ("result,note", ["white", "draw", "black"], "a fine game"),
        ("white_score,black_score,note", ["1,0", "0.5,0.5", "0,1"], ""),
    ] {
        let other = file(columns, cells, notes);
        for together in [both(&plain, &other), both(&other, &plain)] {
            assert_eq!((together.read, together.left_out_for(LeftOutCause::Copy)), (12, 6), "{other}");
        }
    }
    // Another result, or another cell, is another record.
    let together = both(&plain, &plain.replace("1/2-1/2", "0-1"));
    assert_eq!((together.games.len(), together.doubtful_copies), (12, 4));
    assert_eq!(both(&plain, &plain.replace("eco", "depth")).games.len(), 12);
    let game = |result: &str, rest: &str| {
        format!(
            "[Site \"https://example.org/abcdefgh\"]\n[White \"a\"]\n[Black \"b\"]\n[Result \"{result}\"]\n{rest}\n1. e4 e5 1/2-1/2\n"
        )
    };
    let together = both(&game("1/2-1/2", ""), &game("½-½", "[ECO \"C20\"]\n[WhiteElo \"2400\"]\n"));
    assert_eq!((together.games.len(), together.doubtful_copies), (1, 0));
}
