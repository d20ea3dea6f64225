//! `--json` of the commands that show results: one JSON document on stdout, whatever is on stderr.

use serde_json::Value;

use crate::support::{Dir, Ended};

#[track_caller]
fn json(ended: &Ended) -> Value {
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}\n{ended}"))
}

fn played() -> Dir {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.arena_ends(0, "tournament --game tictactoe --rounds 2 --move-time 30s");
    dir
}

#[test]
fn standings_are_rows_by_column() {
    let dir = played();
    let shown = json(&dir.arena_ends(0, "standings --json"));
    let rows = shown["summary"]["standings"].as_array().expect("rows");
    let names: Vec<&str> = rows.iter().filter_map(|row| row["name"].as_str()).collect();
    assert_eq!(names, ["greedy", "random"]);
    let table = dir.read("results/tictactoe/standings.csv");
    let header: Vec<&str> = table.lines().next().expect("a header").split(',').collect();
    for (row, line) in rows.iter().zip(table.lines().skip(1)) {
        assert_eq!(row.as_object().expect("a row").len(), header.len());
        for (name, cell) in header.iter().zip(line.split(',')) {
            let same = match &row[*name] {
                Value::Null => cell.is_empty(),
                Value::Number(number) => number.as_f64() == cell.parse().ok(),
                text => text.as_str() == Some(cell),
            };
            assert!(same, "{name}: {} and `{cell}`", row[*name]);
        }
    }
    dir.file("games.csv", "white,black,result\nann,bob,1-0\nbob,ann,1-0\n");
    let rated = dir.arena_ends(0, "standings games.csv --json --out games.standings");
    assert_eq!(rated.stdout, dir.read("games.standings/summary.json"));
    assert_eq!(json(&rated)["standings"][0]["games"], 2);
}

#[test]
fn verify_names_the_lines_of_problems() {
    let dir = played();
    let sound = json(&dir.arena_ends(0, "verify --json"));
    assert_eq!((&sound[0]["games"], sound[0]["problems"].as_array().map(Vec::len)), (&4.into(), Some(0)));
    let journal = dir.read("results/tictactoe/games.jsonl").replacen("\"reason\":\"", "\"reason\":\"x", 1);
    dir.file("results/tictactoe/games.jsonl", journal);
    let damaged = json(&dir.arena_ends(1, "verify --json"));
    assert_eq!(damaged[0]["problems"][0]["line"], 2, "{damaged}");
}
