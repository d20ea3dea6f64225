//! Tags of bots: columns of tables and plots, and no part of a bot's identity.

use crate::support::Dir;

const PLAY: &str = "tournament --game tictactoe --rounds 2 -j 1 -q --no-check --seed 1";

fn sweep() -> Dir {
    let dir = Dir::new();
    for (name, tags) in [("a", "c = 0.7\nkind = \"=x, y\""), ("b", "c = 1\nfast = true"), ("none", "")] {
        dir.file(&format!("bots/{name}.toml"), format!("builtin = \"random\"\n[tags]\n{tags}\n"));
    }
    dir.script("bots/folder/run", &format!("exec {} bot greedy", crate::support::arena()));
    dir.file("bots/folder/bot.toml", "command = [\"./run\"]\n[tags]\nc = 5\nkind = \"own\"");
    dir.file("bots/folder.toml", "[tags]\nc = 6");
    dir
}

/// The last columns of a table, by bot.
fn columns(dir: &Dir, table: &str, count: usize) -> Vec<String> {
    let text = dir.read(&format!("results/tictactoe/{table}"));
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let head = reader.headers().expect("a head").clone();
    let name = head.iter().position(|column| column == "name").expect("names");
    let of = |row: &csv::StringRecord| row.iter().skip(row.len() - count).collect::<Vec<_>>().join("|");
    let mut rows: Vec<String> =
        reader.records().map(|row| row.expect("a row")).map(|row| format!("{} {}", &row[name], of(&row))).collect();
    rows.sort();
    rows.insert(0, of(&head));
    rows
}

#[test]
fn tags_are_columns_and_change_no_game() {
    let dir = sweep();
    dir.arena_ends(0, PLAY);
    let expected = ["c|fast|kind", "a 0.7||\\=x, y", "b 1|true|", "folder 6||own", "none ||"];
    for table in ["standings.csv", "bots.csv"] {
        assert_eq!(columns(&dir, table, 3), expected, "{table}");
    }
    // They are recorded: without the bots the tables are the same.
    let before = dir.read("results/tictactoe/standings.csv");
    std::fs::remove_dir_all(dir.path("bots")).expect("it is there");
    dir.arena_ends(0, "standings");
    assert_eq!(dir.read("results/tictactoe/standings.csv"), before);
    let json: serde_json::Value = serde_json::from_str(&dir.read("results/tictactoe/tournament.json")).expect("JSON");
    assert_eq!(json["bots"][1]["tags"], serde_json::json!({ "c": 1, "fast": true }));
    let rows = json["summary"]["standings"].as_array().expect("rows");
    let row = rows.iter().find(|row| row["name"] == "a").expect("a row");
    assert_eq!((&row["c"], &row["fast"], &row["kind"]), (&0.7.into(), &serde_json::Value::Null, &"=x, y".into()));
    // Another tag is another table, and no other game.
    let again = sweep();
    again.file("bots/a.toml", "builtin = \"random\"\n[tags]\nc = 8");
    again.file("bots/folder.toml", "[tags]\nnew = 1");
    std::fs::create_dir_all(again.path("results/tictactoe")).expect("a folder");
    again.file("results/tictactoe/games.jsonl", dir.read("results/tictactoe/games.jsonl"));
    let games = dir.journal("tictactoe").games.len();
    again.arena_ends(0, PLAY);
    assert_eq!(again.journal("tictactoe").games.len(), games, "a game was played again");
    let changed = ["c|fast|kind|new", "a 8|||", "b 1|true||", "folder 5||own|1", "none |||"];
    assert_eq!(columns(&again, "standings.csv", 4), changed);
}

#[test]
fn ratings_are_plotted_by_tags() {
    let dir = sweep();
    dir.arena_ends(0, PLAY);
    dir.arena_ends(0, "standings --svg plots --by c --by kind");
    assert!(dir.read("plots/by-c.svg").contains("3 of 4 bots with a rating and this tag"));
    assert!(dir.read("plots/by-kind.svg").contains(">=x, y<"));
    // They were written by this option, so they are written again.
    dir.arena_ends(0, "standings --svg plots --by c");
    dir.file("plots/by-fast.svg", "mine");
    let refused = dir.arena_ends(1, "standings --svg plots --by fast").stderr;
    assert!(refused.contains("by-fast.svg exists already"), "{refused}");
    let unknown = dir.arena_ends(1, "standings --svg plots --by kin").stderr;
    assert!(unknown.contains("no tag named `kin` (did you mean `kind`?)"), "{unknown}");
}

#[test]
fn two_tags_make_a_line_for_each_value_of_the_second_and_columns_for_papers() {
    let dir = Dir::new();
    for (name, tags) in [("a", "c = 1\nn = 8"), ("b", "c = 2\nn = 8.0"), ("d", "c = 1.0\nn = 50"), ("e", "c = 2")] {
        dir.file(&format!("bots/{name}.toml"), format!("builtin = \"random\"\n[tags]\n{tags}\n"));
    }
    dir.arena_ends(0, PLAY);
    dir.arena_ends(0, "standings --svg plots --by c,n");
    let plot = dir.read("plots/by-c,n.svg");
    assert!(plot.contains("3 of 4 bots with a rating and these tags"), "{plot}");
    assert_eq!(plot.matches("class=\"series ").count(), 2, "8 and 8.0 are one line: {plot}");
    let latex = dir.arena_ends(0, "standings --latex --by c,n --by c").stdout;
    let markdown = dir.arena_ends(0, "standings --markdown --by n").stdout;
    let head = |text: &str, part: &str| {
        let line = text.lines().find(|line| line.contains(part)).expect("a head");
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(head(&latex, "Rank &").starts_with("Rank & Name & c & n & Elo"), "{latex}");
    assert!(head(&markdown, "Rank |").starts_with("| Rank | Name | n | Elo"), "{markdown}");
    for (args, why) in [
        ("--by c", "--by needs --svg DIR for a plot, or --markdown or --latex for a table with these tags"),
        ("--latex --by c,k", "no tag named `k`; known: c, n"),
        ("--latex --by c,c", "`c,c` is not one tag, or two different ones such as c,n"),
    ] {
        let refused = dir.arena_ends(1, &format!("standings {args}")).stderr;
        assert!(refused.contains(why), "{refused}");
    }
}

#[test]
fn what_is_no_tag_is_refused_with_its_line() {
    let dir = Dir::new();
    for (tags, why) in [
        ("elo = 1", "line 3: tag `elo`: tables have a column of this name; choose another one"),
        ("\"a b\" = 1", "line 3: tag `a b`: names of tags are 1 to 32 of A-Z a-z 0-9 _ -"),
        ("x = [1]", "line 3: tag `x` is a finite number, a string or a boolean"),
        ("x = nan", "line 3: tag `x` is a finite number, a string or a boolean"),
    ] {
        dir.file("bots/a.toml", format!("builtin = \"random\"\n[tags]\n{tags}"));
        let ended = dir.arena("bots");
        assert!(ended.stdout.contains(why), "{why}\n{ended}");
    }
}
