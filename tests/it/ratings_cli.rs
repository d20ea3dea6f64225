//! `standings FILE`: plain tables of games, rated as a tournament would be.

use std::fmt::Write as _;
use std::fs;

use arena::import::{self, ImportOptions, PairMode};
use arena::report::{
    ImportOrigin, covariance_csv, crosstable_csv, head_to_head_csv, los_csv, standings_csv, statements, summary_json,
};
use arena::rng::Rng;
use arena::stats::{Analysis, AnalysisOptions, CountsBuilder, RatingOptions, Sample};
use arena::views::Ranking;
use proptest::prelude::*;

use crate::support::{Dir, Ended};

const TABLES: [&str; 3] = ["standings.csv", "crosstable.csv", "head_to_head.csv"];

/// Rates one file called `games.csv`, and returns its tables.
#[track_caller]
fn rated(dir: &Dir, text: impl AsRef<[u8]>, flags: &str) -> (Ended, Vec<Vec<u8>>) {
    dir.file("games.csv", text);
    let ended = dir.arena_ends(0, &format!("standings games.csv {flags}"));
    let read = |table: &&str| fs::read(dir.path("games.standings").join(table)).expect("a table");
    (ended, TABLES.iter().map(read).collect())
}

#[track_caller]
fn refused(dir: &Dir, text: impl AsRef<[u8]>, flags: &str) -> String {
    dir.file("games.csv", text);
    let ended = dir.arena_ends(1, &format!("standings games.csv {flags}"));
    assert_eq!(ended.stdout, "");
    assert!(!dir.path("games.standings").exists());
    ended.stderr
}

fn records(table: &[u8]) -> Vec<Vec<Vec<u8>>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(table);
    let record = |record: csv::Result<csv::ByteRecord>| record.expect("CSV").iter().map(<[u8]>::to_vec).collect();
    reader.byte_records().map(record).collect()
}

const SWAPPED: &str = "white,black,result\nann,bob,1-0\nbob,ann,1/2-1/2\nann,cid,1-0\ncid,ann,1-0\n";

#[test]
fn a_table_of_games_is_rated() {
    let dir = Dir::new();
    let (ended, _) = rated(&dir, SWAPPED, "");
    insta::assert_snapshot!(ended, @"
    exit 0
    --- stdout
    Wins-draws-losses of the row against the column:
    #  Name      1      2      3
    1  cid       *  1-0-1      -
    2  ann   1-0-1      *  1-1-0
    3  bob       -  0-1-1      *

    2 of 2 pairs of neighbours in the standings are not separated: cid and ann (+0.0 ± 481.5 Elo, LOS 50.0%), ann and bob (+190.8 ± 556.0 Elo, LOS 74.9%); too few games to tell.
    The first seat scored 87.5 % of 4 games.

    tables: games.standings/*.csv

    Rank  Name     Elo   ±95%  Games  W-D-L  Points  Score    LOS   First  Second  Faults
     1–3  cid    +63.6  370.7      2  1-0-1     1.0  50.0%  50.0%  100.0%    0.0%       0
     1–3  ann    +63.6  245.2      4  2-1-1     2.5  62.5%  74.9%  100.0%   25.0%       0
     1–3  bob   -127.2  403.9      2  0-1-1     0.5  25.0%          50.0%    0.0%       0
    --- stderr
    4 games, consecutive games paired with seats swapped (--pairs none treats each game alone)
    ");
    insta::assert_snapshot!(dir.read("games.standings/standings.csv"), @"
    rank,rank_lo,rank_hi,name,games,points,wins,draws,losses,score,elo,elo_lo,elo_hi,los,direct,sb,first_score,second_score,forfeits,group
    1,1,3,cid,2,1.0,1,0,1,0.5000,63.62,-307.05,434.28,0.500000,1.0,2.50,1.0000,0.0000,0,1
    2,1,3,ann,4,2.5,2,1,1,0.6250,63.62,-181.56,308.79,0.749450,1.0,1.75,1.0000,0.2500,0,1
    3,1,3,bob,2,0.5,0,1,1,0.2500,-127.23,-531.16,276.69,,,1.25,0.5000,0.0000,0,1
    ");
    insta::assert_snapshot!(dir.read("games.standings/head_to_head.csv"), @"
    a,b,games,wins,draws,losses,score,elo_diff,elo_lo,elo_hi,los,los_overall,p,expected,residual_z,LL,LD,DD_WL,WD,WW,a_first_w,a_first_d,a_first_l,a_second_w,a_second_d,a_second_l
    cid,ann,2,1,0,1,0.5000,0.00,-680.96,680.96,0.500000,0.500000,1.00000,0.5000,,0,0,1,0,0,1,0,0,0,0,1
    ann,bob,2,1,1,0,0.7500,190.85,-595.46,977.15,0.682861,0.749450,0.501100,0.7500,,0,0,0,1,0,1,0,0,0,1,0
    ");
    insta::assert_snapshot!(dir.read("games.standings/summary.json"), @r#"
    {
      "bots": 3,
      "games": 4,
      "rated_games": 4,
      "draw_rate": 0.25,
      "ranked_by": "elo",
      "anchor": null,
      "prior_draws": 0.0,
      "repeated_games": 0,
      "openings": null,
      "first_seat": {
        "wins": 3,
        "draws": 1,
        "losses": 0,
        "score": 0.875,
        "fitted": false,
        "elo": "inf",
        "elo_lo": -235.86,
        "elo_hi": "inf"
      },
      "transitivity": null,
      "standings": [
        {
          "direct": 1.0,
          "draws": 0,
          "elo": 63.62,
          "elo_hi": 434.28,
          "elo_lo": -307.05,
          "first_score": 1.0,
          "forfeits": 0,
          "games": 2,
          "group": 1,
          "los": 0.5,
          "losses": 1,
          "name": "cid",
          "points": 1.0,
          "rank": 1,
          "rank_hi": 3,
          "rank_lo": 1,
          "sb": 2.5,
          "score": 0.5,
          "second_score": 0.0,
          "wins": 1
        },
        {
          "direct": 1.0,
          "draws": 1,
          "elo": 63.62,
          "elo_hi": 308.79,
          "elo_lo": -181.56,
          "first_score": 1.0,
          "forfeits": 0,
          "games": 4,
          "group": 1,
          "los": 0.74945,
          "losses": 1,
          "name": "ann",
          "points": 2.5,
          "rank": 2,
          "rank_hi": 3,
          "rank_lo": 1,
          "sb": 1.75,
          "score": 0.625,
          "second_score": 0.25,
          "wins": 2
        },
        {
          "direct": null,
          "draws": 1,
          "elo": -127.23,
          "elo_hi": 276.69,
          "elo_lo": -531.16,
          "first_score": 0.5,
          "forfeits": 0,
          "games": 2,
          "group": 1,
          "los": null,
          "losses": 1,
          "name": "bob",
          "points": 0.5,
          "rank": 3,
          "rank_hi": 3,
          "rank_lo": 1,
          "sb": 1.25,
          "score": 0.25,
          "second_score": 0.0,
          "wins": 0
        }
      ],
      "paired": "consecutive",
      "unpaired_games": 0,
      "unfinished_games": 0,
      "read_games": 4,
      "left_out": [],
      "two_results": {
        "games": 0,
        "first": []
      },
      "tags_twice": {
        "games": 0,
        "first": []
      },
      "doubtful_copies": 0,
      "split_labels": 0,
      "scales": [
        {
          "file": "games.csv",
          "scale": "points"
        }
      ],
      "warnings": [
        "2 of 2 pairs of neighbours in the standings are not separated: cid and ann (+0.0 ± 481.5 Elo, LOS 50.0%), ann and bob (+190.8 ± 556.0 Elo, LOS 74.9%); too few games to tell.",
        "The first seat scored 87.5 % of 4 games."
      ],
      "versions": {
        "arena": "0.1.0"
      }
    }
    "#);
}

#[test]
fn headers_columns_and_line_ends_may_vary() {
    let dir = Dir::new();
    let (ended, expected) = rated(&dir, SWAPPED, "");
    let reordered =
        "date,Result,BLACK,site,White\n,1-0,bob,x,ann\n,1/2-1/2,ann,x,bob\n,1-0,cid,y,ann\n,1-0,ann,y,cid\n";
    for (why, text) in [
        ("first and second", SWAPPED.replace("white,black", "first,second")),
        ("any order, more columns", reordered.to_owned()),
        ("CRLF", SWAPPED.replace('\n', "\r\n")),
        ("a byte order mark", format!("\u{feff}{SWAPPED}")),
        ("no newline at the end", SWAPPED.trim_end().to_owned()),
        ("empty lines", SWAPPED.replace("\nann,cid", "\n\n\nann,cid")),
        ("quotes", SWAPPED.replace("ann", "\"ann\"").replace("1-0", "\"1-0\"")),
    ] {
        let (other, tables) = rated(&dir, text, "");
        assert_eq!(tables, expected, "{why}");
        assert_eq!(other.stdout, ended.stdout, "{why}");
    }
    // Several files are one table; a pair never spans two.
    let (header, rows) = SWAPPED.split_at(19);
    let (one, two) = rows.split_at(rows.find("ann,cid").expect("a row"));
    dir.file("one.csv", format!("{header}{one}"));
    dir.file("two.csv", format!("{header}{two}"));
    dir.arena_ends(0, "standings one.csv two.csv --out tables");
    assert_eq!(TABLES.map(|table| fs::read(dir.path("tables").join(table)).expect("a table")).to_vec(), expected);
}

#[test]
fn names_are_compared_byte_for_byte_and_written_as_cells() {
    let dir = Dir::new();
    let names: [&[u8]; 5] = [b"a, \"b\"", b"two\r\nlines", b"\xff\xfe", b" spaces ", b"plain"];
    let quoted = |name: &[u8]| {
        [
            b"\"",
            &name.iter().flat_map(|byte| vec![*byte; 1 + usize::from(*byte == b'"')]).collect::<Vec<_>>()[..],
            b"\"",
        ]
        .concat()
    };
    let mut text = b"white,black,result\n".to_vec();
    for (place, name) in names.iter().enumerate() {
        for other in &names[..place] {
            for (first, second) in [(name, other), (other, name)] {
                text.extend([quoted(first), quoted(second), b"1-0\n".to_vec()].join(&b','));
            }
        }
    }
    let (_, tables) = rated(&dir, &text, "");
    let mut expected: Vec<Vec<u8>> =
        names.iter().map(|name| arena::text::cell(name.trim_ascii()).into_bytes()).collect();
    expected.sort_unstable();
    for (table, column) in [(0, 3), (1, 0)] {
        let mut found: Vec<Vec<u8>> = records(&tables[table])[1..].iter().map(|row| row[column].clone()).collect();
        assert_eq!(if table == 1 { records(&tables[1])[0][1..].to_vec() } else { found.clone() }, found);
        found.sort_unstable();
        assert_eq!(found, expected);
    }
    assert!(records(&tables[2])[1..].iter().flat_map(|row| &row[..2]).all(|name| expected.contains(name)));
    // What was written can be read again by the same command.
    assert!(tables.iter().all(|table| !table.windows(2).any(|two| two == b"\n\n")));
}

#[test]
fn a_flaw_is_reported_with_file_line_value_and_fix() {
    let dir = Dir::new();
    let h = "white,black,result\n";
    let flaws = [
        String::new(),
        "white,result\na,1-0\n".to_owned(),
        "winner,loser\na,b\n".to_owned(),
        "white,black,result,first\na,b,1-0,c\n".to_owned(),
        "white,black,result,pair,Pair\na,b,1-0,1,2\n".to_owned(),
        format!("{h}a,b,1-0\n\n\r\nb,a,2-0\n"),
        format!("{h}a,b,1-0\nb,a,1-0\n").replace('\n', "\r\n") + "b,a,drew\r\n",
        format!("\u{feff}{h}\"a\nx\",b,1-0\nb,a\n"),
        format!("{h}a, the first,b,1-0\n"),
        format!("{h}a,\"b,1-0\nb,a,1-0\n"),
        format!("{h}a,b,1-0\na,a,1-0\n"),
        format!("{h}a,,1-0\n"),
    ];
    let said: Vec<String> = flaws.iter().map(|flaw| refused(&dir, flaw, "--strict")).collect();
    insta::assert_snapshot!(said.join(""), @r#"
    error: games games.csv
      caused by: it is empty; the first line must name the columns, white,black,result or first,second,result, or be a tag of PGN
    error: games games.csv
      caused by: the header has no column `black` or `second`; it has: white, result
    error: games games.csv
      caused by: the columns `winner` and `loser` do not say who moved first; call them `first` and `second`, add a column `result` with 1-0 in every row, and choose `none` for the side
    error: games games.csv
      caused by: the header has a column `white`, or `first`, more than once; keep one of them
    error: games games.csv
      caused by: the header has a column `pair` more than once; keep one of them
    error: games games.csv
      caused by: line 5: a game with an unknown result: `2-0`; write 1-0, 0-1, 1/2-1/2, * (unfinished) or void
    error: games games.csv
      caused by: line 4: a game with an unknown result: `drew`; write 1-0, 0-1, 1/2-1/2, * (unfinished) or void
    error: games games.csv
      caused by: line 4: a game with another number of cells than the header: 2 instead of 3; a name with a comma or a quote must be quoted: "a, b"
    error: games games.csv
      caused by: line 2: a game with another number of cells than the header: 4 instead of 3; a name with a comma or a quote must be quoted: "a, b"
    error: games games.csv
      caused by: line 2: a game in a quoted cell of another one: 2 rows; is a quote missing?
    error: games games.csv
      caused by: line 3: a game of a player against itself: `a`
    error: games games.csv
      caused by: line 2: a game without the name of a player
    "#);
    let said = refused(&dir, "white,black,result\ra:b,c,1-0\r", "--anchor a:b:x")
        + &refused(&dir, "white,black,result\ra:b,c,1-0\r", "--anchor a:1500");
    insta::assert_snapshot!(said, @"
    error: --anchor: `x` is not a rating; write NAME or NAME:ELO, such as greedy:1500
    error: --anchor: there is no bot named `a`
    ");
    let unpaired = format!("{h}a,b,1-0\n\na,b,1-0\n");
    insta::assert_snapshot!(refused(&dir, unpaired, "--pairs consecutive"), @"
    error: games games.csv
      caused by: lines 2 and 4 are not the two games of a pair with seats swapped; choose `none` for the pairs, or add a column `pair`
    ");
    let said = refused(&dir, SWAPPED, "--anchor an") + &refused(&dir, SWAPPED, "--prior-draws -1");
    insta::assert_snapshot!(said, @"
    error: --anchor: there is no bot named `an` (did you mean `ann`?)
    error: invalid value '-1' for '--prior-draws <X>': `-1` is neither 0 nor a number of draws from 0.1 to 1000000

    For more information, try '--help'.
    ");
}

#[test]
fn lines_are_right_in_long_tables_too() {
    let dir = Dir::new();
    for end in ["\n", "\r\n", "\r"] {
        let mut text = format!("white,black,result{end}");
        for row in 0..9_000 {
            let _ = write!(text, "\"player{end}{}\",b,1-0{end}", row % 7);
            text.push_str(if row % 1_000 == 0 { end } else { "" });
        }
        let line = text.matches(end).count() + 1;
        let said = refused(&dir, text + "a,b,3-0" + end, "--strict");
        assert!(said.contains(&format!("line {line}: a game with an unknown result: `3-0`")), "{line} {said}");
    }
}

#[test]
fn a_pipe_is_read_as_a_file_is() {
    let dir = Dir::new();
    let (_, expected) = rated(&dir, SWAPPED, "");
    for input in ["/dev/stdin", "/proc/self/fd/0"] {
        let ended = dir.arena_ends(1, &format!("standings {input}"));
        assert!(ended.stderr.contains("name a folder for the tables with --out DIR"), "{ended}");
    }
    let pipe = dir.path("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).expect("a pipe");
    let writer = std::thread::spawn(move || fs::write(pipe, SWAPPED));
    dir.arena_ends(0, "standings pipe --out piped");
    writer.join().expect("no panic").expect("written");
    assert_eq!(TABLES.map(|table| fs::read(dir.path("piped").join(table)).expect("a table")).to_vec(), expected);
}

#[test]
fn a_file_without_any_game_is_refused() {
    let dir = Dir::new();
    let said = refused(&dir, "white,black,result\n", "") + &refused(&dir, "white,black,result\na,b,void\n", "");
    insta::assert_snapshot!(said, @"
    error: games games.csv
      caused by: it has no game that can be rated
    error: games games.csv
      caused by: it has no game that can be rated; left out: 1 game with the result void (games.csv line 2)
    ");
}

#[test]
fn single_games_fit_the_side_advantage() {
    let dir = Dir::new();
    let unswapped = SWAPPED.replace("bob,ann,1/2-1/2\n", "ann,bob,1/2-1/2\n");
    let (ended, _) = rated(&dir, &unswapped, "");
    assert!(ended.stderr.contains("each taken alone, with the first seat's advantage fitted"), "{ended}");
    let (ended, alone) = rated(&dir, SWAPPED, "--pairs none");
    assert!(ended.stderr.contains("each taken alone"), "{ended}");
    let (ended, paired) = rated(&dir, SWAPPED, "--pairs consecutive");
    assert!(ended.stderr.contains("consecutive games paired"), "{ended}");
    assert_ne!(alone, paired);
}

#[test]
fn an_empty_cell_of_the_column_pair_pairs_nothing() {
    let dir = Dir::new();
    // A scores two of three from either seat.
    let rows =
        |label: &str| ["a,b,1-0", "b,a,0-1", "a,b,0-1"].map(|row| format!("{row}{label}\n")).concat().repeat(100);
    let (_, alone) = rated(&dir, format!("white,black,result\n{}", rows("")), "--pairs none");
    let (ended, blank) = rated(&dir, format!("white,black,result,pair\n{}", rows(",")), "");
    assert_eq!(blank, alone);
    // A column without any label is as if it were not there.
    let said = "300 games, each taken alone, with the first seat's advantage fitted (a column `pair` pairs them)\n";
    assert_eq!(ended.stderr, said);
    // Two swapped pairs among many games change next to nothing; among few they balance the seats.
    let pairs = "a,b,1-0,1\nb,a,0-1,1\na,b,1-0,x\nb,a,0-1,x\n";
    let (ended, _) = rated(&dir, format!("white,black,result,pair\n{}{pairs}", rows(",")), "");
    let said = "304 games, paired by the column `pair`, 300 without a pair taken alone, with the first seat's advantage \
                fitted\n";
    assert_eq!(ended.stderr, said);
    let (ended, _) = rated(&dir, format!("white,black,result,pair\n{pairs}a,b,1-0,\n"), "");
    assert_eq!(ended.stderr, "5 games, paired by the column `pair`, 1 without a pair taken alone\n");
}

#[test]
fn an_advantage_that_cannot_be_told_from_strength_is_said_to_be() {
    let dir = Dir::new();
    let games = |rows: usize| "a,b,1-0\na,b,1-0\na,b,0-1\n".repeat(rows / 3);
    let (ended, _) = rated(&dir, format!("white,black,result\n{}", games(300)), "");
    insta::assert_snapshot!(ended, @"
    exit 0
    --- stdout
    Wins-draws-losses of the row against the column:
    #  Name          1          2
    1  a             *  200-0-100
    2  b     100-0-200          *

    a is stronger than b: the difference is significant at 95 %.
    The first seat scored 66.7 % of 300 games. Seats were never swapped, so any advantage of moving first is included in the ratings.

    tables: games.standings/*.csv

    Rank  Name    Elo  ±95%  Games      W-D-L  Points  Score     LOS  First  Second  Faults
       1  a     +60.2  20.9    300  200-0-100   200.0  66.7%  >99.9%  66.7%       -       0
       2  b     -60.2  20.9    300  100-0-200   100.0  33.3%              -   33.3%       0
    --- stderr
    300 games, each taken alone (a column `pair` pairs them)
    ");
    assert_eq!(dir.read("games.standings/summary.json").matches("\"fitted\": false").count(), 1);
    let swapped = format!("white,black,result\n{}b,a,1-0\nb,a,1-0\n", games(300));
    let (ended, _) = rated(&dir, swapped, "");
    assert!(ended.stderr.contains("with the first seat's advantage fitted"), "{ended}");
    assert!(!ended.stdout.contains("Seats were never swapped"), "{ended}");
    assert_eq!(dir.read("games.standings/summary.json").matches("\"fitted\": true").count(), 1);
}

/// Rows of a random table with pairs by number or by name, a few of them played twice move for move.
fn table(seed: u64, named: bool) -> (String, Vec<String>) {
    let mut rng = Rng::new(seed);
    let mut rows = Vec::new();
    for pair in 0..60 {
        let (a, b) = (rng.below(4), rng.below(4));
        let b = if a == b { (b + 1) % 4 } else { b };
        let label = if named { format!("p{}", 100 - pair) } else { pair.to_string() };
        let label = if pair % 7 == 6 { String::new() } else { label };
        for [first, second] in [[a, b], [b, a]] {
            // Moves decide the result, as they do in games.
            let moves = rng.below(9);
            let result = ["1-0", "0-1", "1/2-1/2"][(moves as usize + first as usize) % 3];
            rows.push(format!("{first},{second},{result},{label},{moves}"));
        }
    }
    ("first,second,result,pair,moves\n".to_owned(), rows)
}

#[test]
fn the_order_of_rows_changes_nothing() {
    let dir = Dir::new();
    for (seed, named) in [(1, false), (2, true)] {
        let (header, mut rows) = table(seed, named);
        let (ended, expected) = rated(&dir, header.clone() + &rows.join("\n"), "");
        assert!(ended.stderr.contains("paired by the column `pair`"), "{ended}");
        assert!(ended.stdout.contains(" repeat another game move for move"), "{ended}");
        let summary = dir.read("games.standings/summary.json");
        let mut rng = Rng::new(seed);
        for _ in 0..4 {
            for place in (1..rows.len()).rev() {
                rows.swap(place, rng.below(place as u64 + 1) as usize);
            }
            let (other, tables) = rated(&dir, header.clone() + &rows.join("\n"), "");
            assert_eq!(tables, expected);
            assert_eq!(other.stdout, ended.stdout);
            assert_eq!(dir.read("games.standings/summary.json"), summary);
        }
    }
}

#[test]
fn a_tournaments_games_give_its_own_tables() {
    let dir = Dir::with_bots(&["random", "greedy", "minimax depth=1"]);
    dir.builtin("twin", "minimax depth=1");
    dir.script("bots/mute", "exit 0");
    // Few openings, so that bots which repeat themselves play games again.
    dir.arena_ends(2, "tournament --game tictactoe --opening-plies 1 --rounds 20 --no-check --move-time 30s --quiet");
    let own: Vec<String> = TABLES.map(|table| dir.read(&format!("results/tictactoe/{table}"))).to_vec();
    let ended = dir.arena_ends(0, "standings results/tictactoe/games.csv --out again");
    assert!(ended.stdout.contains("repeat another game move for move"), "{ended}");
    for (table, own) in TABLES.iter().zip(&own) {
        assert_eq!(&dir.read(&format!("again/{table}")), own, "{table}");
    }
    // The journal's name stands for its tournament, and no other tables are overwritten.
    dir.arena_ends(0, "standings results/tictactoe/games.jsonl");
    let ended = dir.arena_ends(1, "standings results/tictactoe/games.csv --out results/tictactoe --rank-by elo");
    assert!(
        ended.stderr.contains("is the folder of a tournament, whose tables would be lost; choose another --out"),
        "{ended}"
    );
    for flags in ["--out x", "--pairs none", "--side fit"] {
        let ended = dir.arena_ends(1, &format!("standings tictactoe {flags}"));
        assert!(ended.stderr.contains("are for files of games"), "{ended}");
    }
    let ended = dir.arena_ends(1, "standings results/tictactoe/games.csv none.csv");
    assert_eq!(ended.stderr, "error: no file `none.csv`; several arguments must all be files of games\n");
    let ended = dir.arena_ends(1, "standings none.csv");
    assert_eq!(ended.stderr, "error: no file `none.csv`\n");
    assert_eq!(TABLES.map(|table| dir.read(&format!("results/tictactoe/{table}"))).to_vec(), own);
}

/// The column of standings.csv, by name of the bot.
fn column(table: &[u8], name: &str) -> Vec<(String, String)> {
    let rows = records(table);
    let text = |cell: &Vec<u8>| String::from_utf8_lossy(cell).into_owned();
    let place = rows[0].iter().position(|cell| cell == name.as_bytes()).expect("a column");
    let mut cells: Vec<_> = rows[1..].iter().map(|row| (text(&row[3]), text(&row[place]))).collect();
    cells.sort();
    cells
}

#[test]
fn a_pairing_that_ratings_do_not_describe_is_named_with_its_scores() {
    let dir = Dir::new();
    let mut games = "first,second,result,pair\n".to_owned();
    for (pair, lost) in (0..40).map(|pair| (pair, pair % 8 == 0)) {
        for (index, [a, b]) in [["r", "s"], ["s", "p"], ["p", "r"]].into_iter().enumerate() {
            let [kept, other] = if lost { ["0-1", "1-0"] } else { ["1-0", "0-1"] };
            let pair = pair * 3 + index;
            writeln!(games, "{a},{b},{kept},{pair}\n{b},{a},{other},{pair}").expect("a string");
        }
    }
    let (ended, _) = rated(&dir, games, "");
    let said = ended.stdout.lines().find(|line| line.starts_with("One number per bot")).expect("it is found");
    assert!(said.contains("p scored 87.5 % against r where ratings predict 50.0 % (p = 5.4e-13)"), "{said}");
    assert!(!said.contains('σ') && said.ends_with("; arena standings --nash takes this into account."), "{said}");
}

#[test]
fn ratings_as_wanted() {
    let dir = Dir::new();
    let (_, plain) = rated(&dir, SWAPPED, "");
    let elo = |table: &[u8]| -> Vec<f64> {
        column(table, "elo").iter().map(|(_, elo)| elo.parse().expect("a number")).collect()
    };
    let (_, anchored) = rated(&dir, SWAPPED, "--anchor bob:1500");
    let shift = 1500.0 - elo(&plain[0])[1];
    assert_eq!(column(&anchored[0], "elo")[1].1, "1500.00");
    assert_eq!(column(&anchored[0], "elo_lo")[1].1, "1500.00", "the anchor is given, not measured");
    for (one, other) in elo(&plain[0]).iter().zip(elo(&anchored[0])) {
        assert!((one + shift - other).abs() < 0.011, "{one} {other}");
    }
    // Names may hold colons.
    let colons = SWAPPED.replace("bob", "b:ob:7");
    for (anchor, elo) in [("b:ob:7", "0.00"), ("b:ob:7:1500", "1500.00")] {
        let (_, tables) = rated(&dir, &colons, &format!("--anchor {anchor}"));
        assert_eq!(column(&tables[0], "elo")[1], ("b:ob:7".to_owned(), elo.to_owned()));
    }
    let spread =
        |elo: Vec<f64>| elo.iter().copied().fold(f64::MIN, f64::max) - elo.iter().copied().fold(f64::MAX, f64::min);
    let (_, pulled) = rated(&dir, SWAPPED, "--prior-draws 2");
    assert!(spread(elo(&pulled[0])) < spread(elo(&plain[0])));
    // Ann has most points, from most games; Cid did as well against the only one he met.
    for (rank_by, best) in [("points", "ann"), ("elo", "cid")] {
        let (ended, _) = rated(&dir, SWAPPED, &format!("--rank-by {rank_by}"));
        let mut rows = ended.stdout.lines().skip_while(|line| !line.starts_with("Rank"));
        assert!(rows.nth(1).expect("a row").contains(best), "{ended}");
    }

    let full = SWAPPED.to_owned() + "bob,cid,1-0\ncid,bob,1/2-1/2\n";
    let (_, nash) = rated(&dir, &full, "--nash");
    let shares: Vec<f64> = column(&nash[0], "nash").iter().map(|(_, share)| share.parse().expect("a number")).collect();
    assert!((shares.iter().sum::<f64>() - 1.0).abs() < 0.001, "{shares:?}");
    let (_, again) = rated(&dir, &full, "--nash");
    assert_eq!(nash, again);
    // Bob and Cid never met, and 51 bots are too many: the tables come without it, and with the reason.
    let (ended, _) = rated(&dir, SWAPPED, "--nash");
    let said = "No Nash average: it needs rated games between every two bots, and some pairings have none.";
    assert!(ended.stdout.contains(said) && dir.read("games.standings/summary.json").contains(said), "{ended}");
    let all_met = (0..51).flat_map(|a| (0..a).map(move |b| format!("{a},{b},1-0\n{b},{a},1-0\n"))).collect::<String>();
    let (ended, without) = rated(&dir, format!("white,black,result\n{all_met}"), "--nash");
    assert!(ended.stdout.contains("No Nash average: it supports at most 50 bots, not 51."), "{ended}");
    assert!(!records(&without[0])[0].contains(&b"nash".to_vec()));
}

#[test]
fn davidsons_model_tells_the_chances_of_every_pairing() {
    let dir = Dir::new();
    // Who always met from the same seats has the chances that were seen.
    let [win, draw, loss] = ["a,b,1-0,ok,ok\n", "a,b,1/2-1/2,ok,ok\n", "a,b,0-1,ok,ok\n"];
    let rows = win.repeat(3) + &draw.repeat(6) + loss + "c,b,0-1,withdrawn,ok\n";
    let (_, tables) =
        rated(&dir, format!("white,black,result,first_status,second_status\n{rows}"), "--draw-model davidson");
    insta::assert_snapshot!(String::from_utf8_lossy(&tables[2]), @"
    a,b,games,wins,draws,losses,score,elo_diff,elo_lo,elo_hi,los,los_overall,p,expected,residual_z,LL,LD,DD_WL,WD,WW,a_first_w,a_first_d,a_first_l,a_second_w,a_second_d,a_second_l,davidson_w,davidson_d,davidson_l
    a,b,10,3,6,1,0.6000,70.44,-81.04,221.91,0.818959,0.818959,0.362081,0.6000,,0,0,0,0,0,3,6,1,0,0,0,0.3000,0.6000,0.1000
    b,c,1,1,0,0,1.0000,,,,,,,,,0,0,0,0,0,0,0,0,1,0,0,,,
    ");
    let (_, plain) = rated(&dir, SWAPPED, "");
    assert!(!String::from_utf8_lossy(&plain[2]).contains("davidson"));
}

#[test]
fn islands_and_sweeps_have_open_ends() {
    let dir = Dir::new();
    let text = "white,black,result\na,b,1-0\nb,a,0-1\nb,c,1/2-1/2\nc,b,1-0\nc,b,0-1\nb,c,1-0\n\
                x,y,1/2-1/2\ny,x,1-0\n";
    let (ended, tables) = rated(&dir, text, "");
    let cells = |name| column(&tables[0], name).into_iter().map(|(_, cell)| cell).collect::<Vec<_>>().join(" ");
    assert_eq!(cells("group"), "1 1 1 2 2");
    assert!(cells("elo_hi").starts_with("inf "), "{}", cells("elo_hi"));
    assert!(ended.stdout.contains("There are 2 groups of bots not connected by games"), "{ended}");
    assert!(ended.stdout.contains("A rating with > or <"), "{ended}");
    assert_eq!(column(&tables[0], "los").iter().filter(|(_, los)| los.is_empty()).count(), 2, "the last of each group");
    let (_, swept) = rated(&dir, "white,black,result\na,b,1-0\nb,a,0-1\n", "");
    assert_eq!(column(&swept[0], "elo_hi")[0].1, "inf");
    assert_eq!(column(&swept[0], "elo_lo")[1].1, "-inf");
}

/// 630 of 900 points moving first are less than 5 of 100 lost moving second: A scores more and is the weaker one.
#[test]
fn more_points_by_moving_first_do_not_make_the_stronger_one() {
    let dir = Dir::new();
    let games = [("A,B,1-0", 630), ("A,B,0-1", 270), ("B,A,1-0", 95), ("B,A,0-1", 5)];
    let rows: String = games.map(|(row, count)| format!("{row}\n").repeat(count)).concat();
    let text = format!("white,black,result\n{rows}");
    let rank_and_verdict = |flags: &str| {
        let (ended, tables) = rated(&dir, &text, &format!("--pairs none {flags}"));
        let verdict = ended.stdout.lines().find(|line| line.contains("significant")).unwrap_or_default().to_owned();
        format!("{:?} {verdict}\n", column(&tables[0], "rank"))
    };
    insta::assert_snapshot!(rank_and_verdict("") + &rank_and_verdict("--rank-by points"), @r#"
    [("A", "2"), ("B", "1")] B is stronger than A: the difference is significant at 95 %.
    [("A", "1"), ("B", "2")] B is stronger than A, although points rank A higher: the difference is significant at 95 %.
    "#);
    // More than two are told so beside what is said of them all.
    let others = "A,C,1-0\nC,A,1-0\nA,C,1-0\nC,A,0-1\n".repeat(300);
    let (ended, _) = rated(&dir, text.clone() + &others, "--pairs none --rank-by points");
    let said = ended.stdout.lines().filter(|line| line.contains("at 95 %"));
    insta::assert_snapshot!(said.collect::<Vec<_>>().join("\n"), @"
    All neighbours in the standings differ significantly at 95 %.
    B is stronger than A, although points rank A higher: the difference is significant at 95 %.
    ");
}

#[test]
fn neighbours_are_of_one_group_whatever_decides_the_ranks() {
    let dir = Dir::new();
    let pairs = [
        ("a", "b", 12),
        ("b", "a", 8),
        ("c", "d", 11),
        ("d", "c", 9),
        ("e", "f", 30),
        ("f", "e", 1),
        ("f", "g", 12),
        ("e", "g", 12),
    ];
    let rows: String =
        pairs.map(|(won, lost, count)| format!("{won},{lost},1-0\n{lost},{won},0-1\n").repeat(count)).concat();
    let los = |flags: &str| {
        let (ended, tables) = rated(&dir, format!("white,black,result\n{rows}"), flags);
        (column(&tables[0], "los"), ended.stdout.lines().find(|line| line.contains("not separated")).map(str::to_owned))
    };
    let by_elo = los("");
    assert_eq!(los("--rank-by points"), by_elo);
    let empty: Vec<&str> = by_elo.0.iter().filter(|(_, los)| los.is_empty()).map(|(name, _)| &name[..]).collect();
    assert_eq!(empty, ["b", "d", "g"], "the last of each group");
    assert!(by_elo.1.is_some_and(|said| said.starts_with("2 of 4 pairs of") && said.contains("c and d (")));
}

/// Everything that is written of a table, by library calls.
fn written(text: &str, pairs: PairMode, options: &AnalysisOptions) -> String {
    let Ok((table, paired)) =
        import::read_all([("it".to_owned(), text.as_bytes())], &ImportOptions { pairs, ..ImportOptions::default() })
    else {
        return String::new();
    };
    let origin = ImportOrigin::of(&table, paired);
    let mut counts = CountsBuilder::new(table.names.len());
    for game in &table.games {
        let sample = Sample { pair: Some(game.pair), cluster: Some(game.cluster), opening: game.opening };
        counts.add_sample(game.first as usize, game.second as usize, game.result, sample);
    }
    let forfeits = vec![0; table.names.len()];
    let ranking = Ranking::new(table.names, Analysis::new(counts.finish(), None, &forfeits, options), table.repeated);
    let mut out = Vec::new();
    standings_csv(&ranking, &mut out).expect("written");
    let standings = records(&out);
    for row in &standings[1..] {
        for (name, cell) in standings[0].iter().zip(row).filter(|(name, _)| *name != b"name") {
            let cell = std::str::from_utf8(cell).expect("text");
            assert!(cell.is_empty() || cell.parse::<f64>().is_ok_and(|number| !number.is_nan()), "{name:?} {cell}");
        }
    }
    let mut all = String::from_utf8(out).expect("text");
    let mut out = Vec::new();
    crosstable_csv(&ranking, &mut out).expect("written");
    head_to_head_csv(&ranking, &mut out).expect("written");
    covariance_csv(&ranking, &mut out).expect("written");
    los_csv(&ranking, &mut out).expect("written");
    summary_json(&ranking, origin, &mut out).expect("written");
    all.push_str(&String::from_utf8(out).expect("text"));
    all + &statements(&ranking, None).join("\n") + &arena::report::standings_markdown(&ranking, &[])
}

proptest! {
    #[test]
    fn whatever_the_games_every_table_can_be_read(
        games in proptest::collection::vec((0..5_usize, 1..5_usize, 0..4_usize, 0..6_u8), 0..24),
        pairs in 0..3_usize,
        by_column in any::<bool>(),
        by_opening in any::<bool>(),
        fit_side in any::<bool>(),
        nash in any::<bool>(),
        prior in 0..2_u8,
    ) {
        let opening = if by_opening { ",opening" } else { ",other" };
        let mut text = format!("first,second,result,moves{opening}{}\n", if by_column { ",pair" } else { "" });
        for (first, offset, result, moves) in games {
            let result = ["1-0", "0-1", "1/2-1/2", "void"][result];
            let pair = if by_column { format!(",{}", moves / 2) } else { String::new() };
            let _ = writeln!(text, "p{first},p{},{result},{moves},o{}{pair}", (first + offset) % 5, moves / 2);
        }
        let options = AnalysisOptions {
            davidson: fit_side,
            rating: RatingOptions { fit_side, anchor: None, prior_draws: prior.into(), fitted_prior: false },
            rank_by: None,
            nash_seed: nash.then_some(1),
            family_wise: nash,
            covariance: true,
        };
        let all = written(&text, [PairMode::Guess, PairMode::Consecutive, PairMode::None][pairs], &options);
        prop_assert!(!all.to_lowercase().contains("nan"), "{}", all);
    }
}
