//! The pages in `docs/` and the README: their tables name what the files really have, their commands have flags that exist,
//! and their links lead somewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use arena::format::{FORMATS, FormatColumn};
use arena::rules::{EndReason, RULES};
use serde_json::{Map, Value};

use crate::support::{Dir, arena, not_tested};

fn home() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The README and all pages, with their paths.
fn pages() -> Vec<(PathBuf, String)> {
    let docs = fs::read_dir(home().join("docs")).expect("the docs").map(|entry| entry.expect("an entry").path());
    let pages = docs.chain(["README.md", "CONTRIBUTING.md"].map(|name| home().join(name)));
    let pages = pages.filter(|path| path.extension() == Some("md".as_ref()));
    pages.map(|path| (path.clone(), fs::read_to_string(path).expect("a page"))).collect()
}

/// The text below the heading that begins with `heading`, up to the next one.
fn section<'a>(page: &'a str, heading: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("\n### {heading}")).unwrap_or_else(|| panic!("no section {heading}"));
    rest.split("\n##").next().unwrap_or(rest)
}

/// The words in backquotes in the first cells of the tables of `text`.
fn first_cells(text: &str) -> BTreeSet<&str> {
    let cells = text.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect()
}

fn keys(object: &Value) -> impl Iterator<Item = &str> {
    object.as_object().into_iter().flat_map(Map::keys).map(String::as_str)
}

/// A tournament with everything that adds a column.
fn played() -> Dir {
    let dir = Dir::new();
    dir.builtin("a", "random");
    dir.builtin("b", "codebreaker");
    for (name, options) in [
        ("mastermind", "--rounds 2"),
        ("mastermind-ladder", "--format ladder --pairs-per-bot 8"),
        ("mastermind-knockout", "--format knockout"),
        ("mastermind-swiss", "--format swiss"),
    ] {
        dir.arena_ends(0, &format!("tournament --game mastermind --seed 1 -q {options}"));
        dir.arena_ends(0, &format!("standings {name} --covariance --family-wise --nash --draw-model davidson"));
    }
    dir
}

#[test]
fn every_column_and_field_is_in_the_tables_of_files_md() {
    let page = fs::read_to_string(home().join("docs/files.md")).expect("the page");
    let dir = played();
    for table in ["standings.csv", "head_to_head.csv", "games.csv", "bots.csv", "covariance.csv"] {
        let heads = ["", "-ladder", "-knockout", "-swiss"].map(|format| {
            let text = dir.read(&format!("results/mastermind{format}/{table}"));
            text.lines().next().expect("a header").to_owned()
        });
        let columns: BTreeSet<&str> = heads.iter().flat_map(|head| head.split(',')).collect();
        assert_eq!(first_cells(section(&page, table)), columns, "{table}");
    }
    let rounds = dir.read("results/mastermind-swiss/rounds.csv");
    let columns: BTreeSet<&str> = rounds.lines().next().expect("a header").split(',').collect();
    assert_eq!(first_cells(section(&page, "rounds.csv")), columns);
    let moves = dir.arena_ends(0, "export mastermind --moves").stdout;
    let columns: BTreeSet<&str> = moves.lines().next().expect("a header").split(',').collect();
    assert_eq!(first_cells(section(&page, "Moves")), columns, "export --moves");
    let summary: Value = serde_json::from_str(&dir.read("results/mastermind/tournament.json")).expect("JSON");
    let documented = first_cells(section(&page, "tournament.json"));
    let missing: Vec<&str> =
        keys(&summary).chain(keys(&summary["summary"])).filter(|key| !documented.contains(key)).collect();
    assert_eq!(missing, [""; 0], "fields of tournament.json");
    let journal = dir.read("results/mastermind/games.jsonl");
    let documented = first_cells(section(&page, "games.jsonl"));
    for line in journal.lines().skip(1) {
        let game: Value = serde_json::from_str(line).expect("JSON");
        let missing: Vec<&str> = keys(&game)
            .chain(keys(&game["played"][0]))
            .filter(|key| !documented.contains(key) && !["type", "sum"].contains(key))
            .collect();
        assert_eq!(missing, [""; 0], "fields of a game");
    }
}

#[test]
fn columns_of_formats_and_reasons_of_games_are_described_as_declared() {
    let page = |name: &str| fs::read_to_string(home().join(name)).expect("a page");
    let files = page("docs/files.md");
    let standings = section(&files, "standings.csv");
    for format in FORMATS {
        for FormatColumn { name, means, .. } in format.columns {
            let is_its_row = |row: &str| row.contains(&format!("`{name}`")) && row.contains(format.title);
            let row = standings.lines().find(|row| is_its_row(row));
            assert!(row.is_some_and(|row| row.contains(means)), "{name}: {means}");
        }
    }
    let dir = Dir::new();
    let mut reasons = Vec::new();
    for EndReason { name, means, .. } in RULES.iter().flat_map(|rules| rules.reasons) {
        let word = format!("`{name}`");
        if !reasons.contains(&word) {
            assert_eq!(dir.arena_ends(0, &format!("explain {name}")).stdout, format!("{name}\n\n{means}\n"));
            reasons.push(word);
        }
    }
    let reasons = reasons.join(", ");
    for name in ["docs/files.md", "docs/judge.md", "docs/protocol.md"] {
        assert!(page(name).contains(&reasons), "{name}: {reasons}");
    }
}

/// Lines of the examples of a page that run the arena, continued lines joined.
fn commands(page: &str) -> Vec<String> {
    let blocks = page.split("```").skip(1).step_by(2);
    let shell = blocks.filter(|block| ["sh\n", "console\n", "bash\n"].iter().any(|kind| block.starts_with(kind)));
    let joined = shell.map(|block| block.replace("\\\n", " ")).collect::<Vec<_>>().join("\n");
    joined.lines().filter(|line| line.contains("arena ")).map(ToOwned::to_owned).collect()
}

/// Commands of the feature `nats`.
const OF_WORKERS: [&str; 3] = ["coordinate", "worker", "workers"];
/// A flag that only builds with that feature show.
const OF_SIGNATURES: &str = "--sign-key";

#[test]
fn commands_and_flags_of_the_examples_exist() {
    if cfg!(not(feature = "serve")) {
        return not_tested("commands of the pages", "they tell of --serve");
    }
    let mut helps: BTreeMap<String, String> = BTreeMap::new();
    for (path, page) in pages() {
        for line in commands(&page) {
            for call in line.split(" #").next().unwrap_or_default().split(['|', ';', '&', '(']) {
                let mut words = call.split_whitespace().skip_while(|word| !word.ends_with("arena")).skip(1);
                let Some(name) = words.next() else { continue };
                if cfg!(not(feature = "nats")) && OF_WORKERS.contains(&name) {
                    continue;
                }
                let help = helps.entry(name.to_owned()).or_insert_with(|| {
                    let output = Command::new(arena()).args([name, "--help"]).output().expect("the arena");
                    assert!(output.status.success(), "{}: there is no command `{name}`: {line}", path.display());
                    String::from_utf8(output.stdout).expect("UTF-8")
                });
                // What comes after a bare `--` is for another program.
                for flag in words.take_while(|word| *word != "--").filter(|word| word.starts_with("--")) {
                    let flag = flag.split(['=', '`', ']', '"']).next().unwrap_or(flag);
                    if cfg!(not(feature = "nats")) && flag == OF_SIGNATURES {
                        continue;
                    }
                    let has = help.split_whitespace().any(|word| word.split(['=', '[', ',']).next() == Some(flag));
                    assert!(has, "{}: `arena {name}` has no {flag}: {line}", path.display());
                }
            }
        }
    }
}

#[test]
fn every_command_is_on_the_page_of_commands() {
    let page = fs::read_to_string(home().join("docs/commands.md")).expect("the page");
    let listed: BTreeSet<&str> = first_cells(&page).into_iter().filter_map(|cell| cell.split(' ').next()).collect();
    let output = Command::new(arena()).arg("--help").output().expect("the arena");
    let help = String::from_utf8(output.stdout).expect("UTF-8");
    let (_, commands) = help.split_once("\nCommands:\n").expect("a list of commands");
    let lines = commands.lines().take_while(|line| !line.is_empty());
    let commands = lines.filter_map(|line| line.split_whitespace().next());
    // The page has those of every build.
    let declared: BTreeSet<&str> = commands.chain(OF_WORKERS).collect();
    assert_eq!(listed, declared);
}

#[test]
fn the_words_of_the_filter_are_on_its_page() {
    let page = fs::read_to_string(home().join("docs/replay.md")).expect("the page");
    let words = arena::report::FILTER_WORDS.split([' ', ',', '(', ')']).filter(|word| !["", "or"].contains(word));
    let words: Vec<&str> = words.take_while(|word| *word != "part").collect();
    assert!(words.len() > 9, "{words:?}");
    let missing: Vec<&str> = words.into_iter().filter(|word| !page.contains(&format!("`{word}"))).collect();
    assert_eq!(missing, [""; 0]);
}

/// The anchor of a heading, as web pages of repositories make it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn links_lead_to_files_and_headings() {
    for (path, page) in pages() {
        for link in page.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.contains("://") {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { path.clone() } else { path.parent().expect("a folder").join(file) };
            assert!(target.exists(), "{}: link to {link}", path.display());
            if !heading.is_empty() {
                let text = fs::read_to_string(&target).expect("a page");
                let headings = text.lines().filter(|line| line.starts_with('#'));
                let has = headings.map(|line| anchor(line.trim_start_matches('#'))).any(|anchor| anchor == heading);
                assert!(has, "{}: no heading for {link}", path.display());
            }
        }
    }
}
