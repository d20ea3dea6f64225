//! `games.csv` of a tournament rated as a file: the tables of the tournament, or a sentence about the columns that differ.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::{Dir, Ended};

const BOTS: [&str; 5] = ["random", "greedy", "minimax depth=1", "mcts playouts=5", "mcts playouts=10"];

fn played(formats: &[&str]) -> Dir {
    let dir = Dir::with_bots(&BOTS[..3]);
    dir.builtin("five", BOTS[3]);
    dir.builtin("ten", BOTS[4]);
    for format in formats {
        let name = format.split(' ').next().expect("a word");
        dir.arena_ends(
            0,
            &format!(
                "tournament --game tictactoe --move-time 30s --sandbox off --no-check -q --seed 7 --name {name} --format {format}"
            ),
        );
    }
    dir
}

fn rated(dir: &Dir, files: &str) -> Ended {
    dir.arena_ends(0, &format!("standings {files} --out o"))
}

/// The cells of a table, by player and column.
fn cells(table: &str) -> BTreeMap<(String, String), String> {
    let mut rows = table.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let head = rows.next().expect("a header");
    let name = head.iter().position(|column| column == "name").expect("a column");
    let cell = |row: Vec<String>| {
        let player = row[name].clone();
        head.clone().into_iter().map(move |column| (player.clone(), column)).zip(row).collect::<Vec<_>>()
    };
    rows.flat_map(cell).collect()
}

/// The columns of the standings of a tournament that are others, or not there, where its games are rated as a file.
fn different(dir: &Dir, name: &str) -> BTreeSet<String> {
    let [own, elsewhere] =
        [format!("results/{name}"), "o".to_owned()].map(|folder| cells(&dir.read(&format!("{folder}/standings.csv"))));
    let is_other = |(at, cell): &(&(String, String), &String)| elsewhere.get(*at) != Some(*cell);
    own.iter().filter(is_other).map(|((_, column), _)| column.clone()).collect()
}

#[test]
fn tables_are_those_of_the_tournament_or_it_is_said_which_columns_are_not() {
    let dir = played(&["round-robin --rounds 3", "ladder --pairs-per-bot 8", "swiss --pairs 2", "knockout --pairs 1"]);
    for name in ["round-robin", "ladder"] {
        let ended = rated(&dir, &format!("results/{name}/games.csv"));
        assert_eq!(different(&dir, name), BTreeSet::new(), "{ended}");
        assert!(!ended.stderr.contains(" is of a "), "{ended}");
        assert_eq!(dir.read("o/head_to_head.csv"), dir.read(&format!("results/{name}/head_to_head.csv")), "{name}");
    }
    // A table that another program has written again is the same table.
    let table = dir.read("results/ladder/games.csv");
    let rows: Vec<csv::StringRecord> = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(table.as_bytes())
        .records()
        .map(|row| row.expect("a row"))
        .collect();
    let write = |builder: &mut csv::WriterBuilder, is_backwards: bool| {
        let mut writer = builder.terminator(csv::Terminator::CRLF).from_writer(Vec::new());
        for row in &rows {
            let cells: Vec<&str> = if is_backwards { row.iter().rev().collect() } else { row.iter().collect() };
            writer.write_record(cells).expect("a row");
        }
        writer.into_inner().expect("a table")
    };
    let quoted = write(csv::WriterBuilder::new().delimiter(b';').quote_style(csv::QuoteStyle::Always), false);
    let backwards = write(csv::WriterBuilder::new().delimiter(b'\t'), true);
    let utf16: Vec<u8> = format!("\u{feff}{table}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (kind, text) in [
        ("quoted", [&b"sep=;\n"[..], &quoted].concat()),
        ("backwards", backwards),
        ("utf16", utf16),
        ("capitals", table.replace(",ladder,", ",LADDER,").into_bytes()),
    ] {
        std::fs::write(dir.path("again.csv"), text).expect("a file");
        let ended = rated(&dir, "again.csv");
        assert_eq!(different(&dir, "ladder"), BTreeSet::new(), "{kind}: {ended}");
    }
    for (name, title) in [("swiss", "Swiss"), ("knockout", "knockout")] {
        let file = format!("results/{name}/games.csv");
        let ended = rated(&dir, &file);
        assert!(ended.stderr.contains(&format!("{file} is of a {title}, which ranks by rules of its own")), "{ended}");
        let different = different(&dir, name);
        assert!(different.contains("rank_lo") || different.contains("rank"), "{different:?}");
        for column in different {
            assert!(ended.stderr.contains(&format!("`{column}`")), "{column}: {ended}");
        }
    }
}

#[test]
fn files_taken_together_say_what_is_no_longer_as_in_each() {
    let dir = played(&["round-robin --rounds 3", "ladder --pairs-per-bot 8", "swiss --pairs 2"]);
    let ended = rated(&dir, "results/ladder/games.csv results/round-robin/games.csv results/swiss/games.csv");
    let said = "results/ladder/games.csv is of a ladder, whose own ratings have a prior";
    assert!(ended.stderr.contains(said) && ended.stderr.contains("results/swiss/games.csv is of a Swiss"), "{ended}");
    assert!(!ended.stderr.contains("results/round-robin/games.csv is of"), "{ended}");
    // Two ladders are rated as one is.
    std::fs::copy(dir.path("results/ladder/games.csv"), dir.path("one.csv")).expect("a copy");
    let table = dir.read("one.csv");
    let half = table.lines().count() / 2;
    let (head, rows) = table.split_once('\n').expect("rows");
    let parts = rows.split_inclusive('\n').collect::<Vec<_>>();
    dir.file("a.csv", format!("{head}\n{}", parts[..half / 2 * 2].concat()));
    dir.file("b.csv", format!("{}\n{}", head.replace(',', ";"), parts[half / 2 * 2..].concat().replace(',', ";")));
    let ended = rated(&dir, "a.csv b.csv");
    assert!(ended.stdout.contains("Ratings have a normal prior") && !ended.stderr.contains("is of a"), "{ended}");
    // A column of that name in any other table means nothing.
    dir.file("c.csv", "format,white,black,result\nladder,x,y,1-0\nladder,y,x,0-1\n");
    let ended = rated(&dir, "c.csv");
    assert!(!ended.stdout.contains("normal prior") && !ended.stderr.contains("is of a"), "{ended}");
}
