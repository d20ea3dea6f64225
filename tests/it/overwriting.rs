//! Options that write files: nothing that a person did not mean is overwritten.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::hostile::watched::contents;
use crate::support::Dir;

/// A tournament with two bots, and files of all kinds around it.
fn ground() -> Dir {
    let dir = Dir::with_bots(&["random", "greedy"]);
    for name in ["cup", "old"] {
        dir.arena_ends(0, &format!("{PLAY} --name {name}"));
    }
    dir.file("results/cup/mine.txt", "notes\n");
    for name in ["notes.txt", "other.txt"] {
        dir.file(name, "notes\n");
    }
    dir.file("games.csv", "white,black,result\na,b,1-0\nb,a,1-0\n");
    dir.file("empty", "");
    symlink("results/cup/games.jsonl", dir.path("to_journal")).expect("it is there");
    symlink("bots/random.toml", dir.path("to_bot")).expect("it is there");
    symlink("nowhere", dir.path("to_nothing")).expect("it is there");
    symlink("other.txt", dir.path("to_other")).expect("it is there");
    symlink("bots", dir.path("to_bots")).expect("it is there");
    fs::hard_link(dir.path("results/old/games.jsonl"), dir.path("second_journal")).expect("it is there");
    fs::hard_link(dir.path("results/old/standings.csv"), dir.path("second_table")).expect("it is there");
    fs::hard_link(dir.path("bots/greedy.toml"), dir.path("second_bot")).expect("it is there");
    dir
}

const PLAY: &str = "tournament --game tictactoe --rounds 1 -j 1 -q --sandbox off --no-check --seed 1";

/// What becomes of a file that an option names.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fate {
    /// It is refused whatever else is given.
    Never,
    /// It is written with `--force`.
    Forced,
    Written,
}

use Fate::{Forced, Never, Written};

/// Files, and what becomes of them.
const TARGETS: [(&str, Fate); 22] = [
    ("results/cup/games.jsonl", Never),
    ("results/old/../cup/games.jsonl", Never),
    ("results/old/games.jsonl", Never),
    ("results/old/standings.csv", Never),
    ("results/cup/report.html", Never),
    ("results/cup/covariance.csv", Never),
    ("results/cup/games.jsonl.1", Never),
    ("results/cup/mine.txt", Never),
    ("to_journal", Never),
    ("second_journal", Never),
    ("second_table", Never),
    ("bots/random.toml", Never),
    ("bots/new.py", Never),
    ("to_bots/new.py", Never),
    ("to_bot", Never),
    ("second_bot", Never),
    ("to_nothing", Never),
    ("bots", Never),
    ("notes.txt", Forced),
    ("empty", Written),
    ("new", Written),
    ("results/cup/new", Written),
];

/// All files, except what the arena prints here.
fn tree(dir: &Dir) -> BTreeMap<String, Vec<u8>> {
    let mut files = contents(&dir.path(""));
    files.retain(|path, _| !Path::new(path).starts_with(dir.path("out")));
    files
}

/// Runs a command that names `target`, with and without `--force`, and compares the whole tree before and after. `own` are the
/// files that it defines besides, and the page of all tournaments.
fn try_target(dir: &Dir, command: &str, target: &str, own: &[&str], fate: Fate) {
    for force in ["", " --force"] {
        let before = tree(dir);
        let ended = dir.arena(&format!("{command} {target}{force}"));
        let after = tree(dir);
        let what = format!("{command} {target}{force}\n{ended}");
        let may = fate == Written || fate == Forced && !force.is_empty();
        assert_eq!(ended.status, Some(i32::from(!may)), "{what}");
        let named = dir.path(target);
        let is_allowed = |path: &str| {
            may && (Path::new(path).starts_with(&named)
                || own.iter().chain(&["results/index.html"]).any(|own| Path::new(path).starts_with(dir.path(own))))
        };
        for path in before.keys().chain(after.keys()) {
            assert!(before.get(path) == after.get(path) || is_allowed(path), "{path} changed: {what}");
        }
        if !may {
            assert!(ended.stderr.contains(target) && ended.stderr.contains(';'), "names it and the cure: {what}");
        }
    }
}

#[test]
fn an_option_overwrites_only_what_is_meant() {
    let dir = ground();
    for (target, fate) in TARGETS {
        try_target(&dir, "export cup --moves --output", target, &["results/cup/outputs.json"], fate);
        if fate == Written {
            // It was written by this option before.
            assert_ne!(dir.read(target), "");
            dir.arena_ends(0, &format!("export cup --moves --output {target}"));
            let other = dir.arena_ends(1, &format!("export old --moves --output {target}")).stderr;
            assert!(other.contains("has not written it"), "{other}");
        }
    }
}

#[test]
fn files_of_a_run_overwrite_only_what_is_meant() {
    for option in ["--events", "--junit"] {
        let dir = ground();
        // Everything is played: a command that is not refused makes the tables again.
        let play = format!("{PLAY} --name cup {option}");
        for (target, fate) in TARGETS.into_iter().chain([("to_other", Forced)]) {
            let own = if target == "to_other" { vec!["results/cup", "other.txt"] } else { vec!["results/cup"] };
            try_target(&dir, &play, target, &own, fate);
            if fate == Written {
                dir.arena_ends(0, &format!("{play} {target}"));
            }
        }
        dir.file("openings.txt", "[0]\n");
        let read = dir.arena_ends(1, &format!("{play} openings.txt --openings openings.txt --force --fresh")).stderr;
        assert!(read.contains("is what this command reads"), "{read}");
        dir.script("elsewhere/mine.sh", "exit 3");
        let bot = dir.arena_ends(1, &format!("{play} elsewhere/mine.sh --bot mine=elsewhere/mine.sh --force")).stderr;
        assert!(bot.contains("is what this command reads"), "{bot}");
    }
}

#[test]
fn files_of_a_run_are_opened_before_it() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let both = dir.arena_ends(1, &format!("{PLAY} --events new --junit ./new")).stderr;
    assert!(both.contains("--junit ./new: --events names this file too"), "{both}");
    let lost = dir.arena_ends(1, &format!("{PLAY} --junit nowhere/new")).stderr;
    assert!(lost.contains("writing --junit nowhere/new"), "{lost}");
    assert_eq!(dir.journal_lines("tictactoe"), 0, "nothing was played");
    // An empty file of another is written to, and one that was written by this option again.
    dir.file("summary", "");
    for _ in 0..2 {
        let command = "match greedy random --game tictactoe --rounds 1 --no-check -q --markdown summary";
        dir.arena_ends(0, command);
        assert!(dir.read("summary").starts_with("### greedy scored "), "{}", dir.read("summary"));
    }
}

/// What cannot be overwritten is written to in its place.
#[test]
fn streams_pass() {
    let dir = ground();
    let moves = dir.arena_ends(0, "export cup --moves").stdout;
    dir.arena_ends(0, "export cup --moves --output /dev/null");
    let printed = dir.arena_ends(0, "export cup --moves --output /dev/stdout");
    assert_eq!(printed.stdout, moves);
    let full = dir.arena_ends(1, "export cup --moves --output /dev/full").stderr;
    assert!(full.contains("could not write `/dev/full`") && full.contains("No space left"), "{full}");
    dir.arena_ends(0, &format!("{PLAY} --name cup --events /dev/null --junit /dev/null"));
    dir.arena_ends(1, "standings games.csv --out /dev/null");
    assert!(!dir.path("results/cup/outputs.json").exists(), "nothing is remembered");
}

#[test]
fn folders_of_outputs_keep_what_is_in_them() {
    let dir = ground();
    for (folder, link) in [("journal", "results/cup/games.jsonl"), ("bot", "bots/random.toml")] {
        for name in ["elo.svg", "standings.csv", "arena.1"] {
            fs::create_dir_all(dir.path(folder)).expect("it is there");
            fs::hard_link(dir.path(link), dir.path(folder).join(name)).expect("it is there");
        }
    }
    for name in ["elo.svg", "standings.csv", "arena.1"] {
        dir.file(&format!("taken/{name}"), "mine\n");
    }
    dir.file("t/standings.csv", "white,black,result\na,b,1-0\nb,a,1-0\n");
    let commands = [
        ("standings cup --svg", "results/cup/outputs.json"),
        ("standings games.csv --markdown --svg", "none"),
        ("standings games.csv --out", "none"),
        ("man --dir", "none"),
    ];
    for (command, own) in commands {
        let targets = [("bots", Never), ("to_bots", Never), ("bots/new", Never), ("journal", Never), ("bot", Never)];
        for (target, fate) in targets.into_iter().chain([("taken", Forced), ("fresh", Written)]) {
            // The man pages do not know the results.
            let fate = if command == "man --dir" && target == "journal" { continue } else { fate };
            // A plain `standings` makes the tables again.
            let own = if command == "standings cup --svg" { vec![own, "results/cup"] } else { vec![own] };
            try_target(&dir, command, target, &own, fate);
        }
        dir.arena_ends(0, &format!("{command} fresh"));
        for folder in ["taken", "fresh"] {
            fs::remove_dir_all(dir.path(folder)).expect("it is there");
        }
        for name in ["elo.svg", "standings.csv", "arena.1"] {
            dir.file(&format!("taken/{name}"), "mine\n");
        }
    }
    try_target(&dir, "standings games.csv --out", "results/cup", &[], Never);
    try_target(&dir, "standings t/standings.csv --out", "t", &[], Never);
    let before = contents(&dir.path("results"));
    dir.file("results/lost/standings.csv", "the only table\n");
    let lost = dir.arena_ends(1, &format!("{PLAY} --name lost")).stderr;
    assert!(lost.contains("has `standings.csv` and no journal"), "{lost}");
    assert_eq!(dir.read("results/lost/standings.csv"), "the only table\n");
    dir.arena_ends(0, &format!("{PLAY} --name lost --fresh"));
    fs::remove_dir_all(dir.path("results/lost")).expect("it is there");
    // The page of all tournaments lists those that are there.
    dir.arena_ends(0, "open");
    assert!(contents(&dir.path("results")) == before);
}

#[test]
fn what_a_tournament_was_asked_for_is_kept() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.arena_ends(0, &format!("{PLAY} --anchor greedy:1000 --no-times"));
    dir.arena_ends(0, "standings --covariance --nash");
    let folder = dir.path("results/tictactoe");
    let tables = || {
        let mut tables = contents(&folder);
        // They say when they were written, and what else was asked for.
        tables.retain(|path, _| !path.ends_with("tournament.json") && !path.ends_with("/.lock"));
        tables
    };
    let asked = tables();
    let at = |name: &str| folder.join(name).to_string_lossy().into_owned();
    assert!(asked.contains_key(&at("covariance.csv")) && asked.contains_key(&at("los.csv")));
    let head =
        |name: &str| dir.read(&format!("results/tictactoe/{name}")).lines().next().expect("it is there").to_owned();
    assert!(head("standings.csv").contains("nash"), "{}", head("standings.csv"));
    for command in
        ["standings", "standings --markdown", "standings --latex", "standings --json", "standings --svg plots"]
    {
        dir.arena_ends(0, command);
        let mut now = tables();
        now.retain(|path, _| !path.ends_with("outputs.json"));
        for (path, was) in &now {
            assert!(asked.get(path) == Some(was), "{command} changes {path}");
        }
        assert_eq!(now.len(), asked.len() - 1, "{command}");
    }
    // The same command again without flags.
    dir.arena_ends(0, PLAY);
    assert!(head("standings.csv").contains("nash") && dir.read("results/tictactoe/standings.csv").contains("1000"));
    // Printing writes nothing; what is asked for when tables are written is kept in their place.
    dir.arena_ends(0, "standings --markdown --nash=off");
    assert!(head("standings.csv").contains("nash"));
    dir.arena_ends(0, "standings --nash=off --covariance=off --anchor mean");
    dir.arena_ends(0, "standings");
    assert!(!head("standings.csv").contains("nash") && !folder.join("covariance.csv").exists());
    assert!(!dir.read("results/tictactoe/standings.csv").contains("1000"));
    let wrong = dir.arena_ends(1, "standings --anchor grady").stderr;
    assert!(
        wrong.contains("there is no bot named `grady`, did you mean `greedy`?") || wrong.contains("grady"),
        "{wrong}"
    );
    dir.file("results/tictactoe/outputs.json", "{\"tables\":{\"prior_draws\":-1}}");
    let damaged = dir.arena_ends(1, "standings").stderr;
    assert!(damaged.contains("outputs.json: remove it") && damaged.contains("prior_draws -1"), "{damaged}");
}

/// A stranger's folder says that options have written files of ours.
#[test]
fn a_planted_memory_of_files_lifts_no_protection() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let play = format!("{PLAY} --name cup");
    dir.arena_ends(0, &play);
    dir.arena_ends(0, "export cup --moves --output moves.csv");
    let path = "results/cup/outputs.json";
    let read = |text: &str| -> serde_json::Value { serde_json::from_str(text).expect("JSON") };
    let own = read(&dir.read(path));
    let mark = own["files"][0]["mark"].as_str().expect("a mark of ours").to_owned();
    for (command, option, target) in [
        ("export cup --moves --output mine/x", "--output", "mine/x"),
        ("standings cup --svg mine", "--svg", "mine/elo.svg"),
        (&*format!("{play} --events mine/x"), "--events", "mine/x"),
        (&*format!("{play} --junit mine/x"), "--junit", "mine/x"),
    ] {
        dir.file("mine/x", "precious\n");
        dir.file("mine/elo.svg", "precious\n");
        let absolute = dir.path(target).canonicalize().expect("it is there");
        for (path, mark) in [
            (absolute.to_string_lossy().into_owned(), None),
            (absolute.to_string_lossy().into_owned(), Some("0".repeat(32))),
            // The mark of another file.
            (absolute.to_string_lossy().into_owned(), Some(mark.clone())),
            (format!("../../{target}"), None),
        ] {
            let mut planted = serde_json::json!({ "files": [{ "option": option, "path": path }] });
            if let Some(mark) = mark {
                planted["files"][0]["mark"] = mark.into();
            }
            dir.file("results/cup/outputs.json", planted.to_string());
            let refused = dir.arena_ends(1, command).stderr;
            assert!(refused.contains("this option has not written it"), "{command}: {refused}");
            assert_eq!(dir.read(target), "precious\n", "{command}");
        }
        fs::remove_dir_all(dir.path("mine")).expect("it is there");
    }
    // What this user's arena has written is written again, also where the folder has been moved.
    dir.file(path, own.to_string());
    dir.arena_ends(0, "export cup --moves --output moves.csv");
    fs::rename(dir.path("results/cup"), dir.path("results/moved")).expect("it is there");
    dir.arena_ends(0, "export moved --moves --output moves.csv");
}

/// A stranger's folder changes the numbers, and whatever shows them says so.
#[test]
fn options_that_change_numbers_are_named_with_them() {
    let dir = Dir::with_bots(&["random", "greedy", "mcts playouts=20"]);
    let play = "tournament --game tictactoe --rounds 3 --seed 1 --no-check -q --name cup";
    dir.arena_ends(0, play);
    dir.arena_ends(0, "series --game tictactoe --game marbles:heap=3 --rounds 1 --seed 3 -q --no-check --name both");
    let said = || {
        let mut said = Vec::new();
        for command in ["", "--markdown", "--latex", "--json", "--markdown --bot greedy"] {
            said.push((format!("standings {command}"), dir.arena_ends(0, &format!("standings cup {command}")).stdout));
        }
        said.push(("series".to_owned(), dir.arena_ends(0, "standings both").stdout));
        dir.arena_ends(0, "standings cup --svg plots --force");
        dir.arena_ends(0, "open");
        dir.arena_ends(0, &format!("{play} --junit junit.xml --force"));
        dir.arena_ends(0, "publish public");
        let plots = ["elo.svg", "scores.svg", "los.svg", "elo_over_rounds.svg"].map(|plot| format!("plots/{plot}"));
        let files = ["results/cup/report.html", "results/cup/tournament.json", "results/index.html", "junit.xml"];
        let published = ["public/index.html", "public/cup/report.html", "public/both/report.html"];
        for file in files.into_iter().chain(published).chain(plots.iter().map(String::as_str)) {
            // Descriptions in pictures are broken into lines.
            said.push((file.to_owned(), dir.read(file).replace("</text>", " ").replace('\n', " ")));
        }
        said
    };
    let phrase = "virtual draws for each bot";
    for (what, text) in said() {
        assert!(!text.contains("Options of the tables"), "{what}: {text}");
    }
    for folder in ["results/cup", "results/both/tictactoe"] {
        dir.file(
            &format!("{folder}/outputs.json"),
            r#"{"tables":{"prior_draws":1000,"anchor":"random:1500","rank_by":"elo"}}"#,
        );
    }
    for (what, text) in said() {
        let words: Vec<&str> = text.split_whitespace().collect();
        let text = words.join(" ");
        assert!(text.contains("Options of the tables: 1000") && text.contains(phrase), "{what}: {text}");
        for other in ["random is fixed at", "1500.0", "ranks by Elo, not by points"] {
            assert!(text.contains(other), "{what}: {other}: {text}");
        }
    }
    for (planted, says) in [
        (r#"{"anchor":"random:1e308"}"#, "not a rating from -100000 to 100000"),
        (r#"{"anchor":"random:NaN"}"#, "not a rating from"),
        (r#"{"anchor":"random:-inf"}"#, "not a rating from"),
        (r#"{"prior_draws":1e7}"#, "neither 0 nor a number of draws"),
        (r#"{"prior_draws":1e-9}"#, "neither 0 nor a number of draws"),
        (r#"{"nash":7}"#, "invalid type"),
        (r#"{"fit":true}"#, "unknown field"),
    ] {
        dir.file("results/cup/outputs.json", format!(r#"{{"tables":{planted}}}"#));
        let refused = dir.arena_ends(1, "standings cup").stderr;
        assert!(refused.contains("outputs.json: remove it") && refused.contains(says), "{planted}: {refused}");
    }
    dir.file("results/cup/outputs.json", "{}");
    let refused = dir.arena_ends(1, "standings cup --anchor random:1e308").stderr;
    assert!(refused.contains("--anchor: ") && refused.contains("not a rating from -100000 to 100000"), "{refused}");
}

#[test]
fn a_tournament_that_starts_over_forgets_what_it_was_asked_for() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.arena_ends(0, PLAY);
    dir.arena_ends(0, "standings --covariance");
    assert!(dir.path("results/tictactoe/covariance.csv").exists());
    dir.arena_ends(0, &format!("{PLAY} --fresh"));
    assert!(!dir.path("results/tictactoe/covariance.csv").exists());
}
