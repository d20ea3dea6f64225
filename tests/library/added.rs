//! `arena` with a game and a format of another program. All that it says of them comes from their two files.

use std::path::Path;
use std::process::Command;

use arena::cli::{self, Exit};
use arena::{format, rules};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use miniz_oxide::inflate::decompress_to_vec;

use crate::sticks::sticks;
use crate::toy::KING_OF_THE_HILL;
use crate::{ARENA, linked};

pub(crate) const PROGRAM: &str = "arena-with-more";
const CUP: &str = "tournament --game sticks:sticks=9 --format king-of-the-hill --rounds 2 --seed 1 --move-time 30s -q";
const FOLDER: &str = "results/sticks-sticks=9-king-of-the-hill";

/// The whole program: a line for each, and the rest is arena's.
pub(crate) fn main() -> Exit {
    rules::add(sticks(3)).expect("a name of its own");
    format::add(KING_OF_THE_HILL).expect("a name of its own");
    cli::main()
}

/// A folder in which it plays.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
        linked(dir.path(), PROGRAM);
        std::fs::create_dir(dir.path().join("bots")).expect("a folder");
        for name in ["one", "two", "three"] {
            let manifest = dir.path().join("bots").join(name).with_extension("toml");
            std::fs::write(manifest, "builtin = \"random\"").expect("a file");
        }
        Self(dir)
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.0.path().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// What `program` says on stdout, then on stderr.
    fn said_by(&self, program: &Path, args: &str) -> String {
        let output = Command::new(program).args(args.split(' ')).current_dir(self.0.path()).output().expect("it runs");
        let texts = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("UTF-8"));
        texts.concat()
    }

    fn says(&self, args: &str) -> String {
        self.said_by(&self.0.path().join(PROGRAM), args)
    }
}

/// However the text is wrapped.
#[track_caller]
fn has(text: &str, parts: &[&str]) {
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in parts {
        assert!(flat(text).contains(&flat(part)), "no {part:?} in:\n{text}");
    }
}

pub(crate) fn test() {
    names_of_others_are_refused();
    let home = Home::new();
    its_words_are_in_help_and_errors(&home);
    its_words_are_in_tables_and_pages(&home);
    its_games_are_judged_and_shown(&home);
}

fn names_of_others_are_refused() {
    let first = rules::add(sticks(3)).expect("a name of its own");
    assert!(std::ptr::eq(first, rules::add(sticks(4)).expect("it is known")));
    for taken in ["connect4", "tictactoe@01"] {
        let error = rules::add(rules::Rules { name: taken, ..sticks(3) }).expect_err("it is taken");
        let name = taken.trim_end_matches("@01");
        assert_eq!(error.to_string(), format!("`{name}` is a built-in game; give it another name"));
    }
    let error = format::add(format::Format { name: "swiss", ..KING_OF_THE_HILL }).expect_err("it is taken");
    assert_eq!(error.to_string(), "`swiss` is a built-in format; give it another name");
    let variant: rules::Variant = "sticks:sticks=5".parse().expect("a game");
    assert_eq!((variant.to_string().as_str(), variant.rules.name), ("sticks:sticks=5", "sticks@0123abcd"));
    assert!(variant.is_called("sticks") && variant.is_called("sticks@0123abcd"));
}

fn its_words_are_in_help_and_errors(home: &Home) {
    let game = "sticks  draw sticks; the last one wins
    sticks       sticks at the start; an integer from 1 to 99 (default 21)
  ten_sticks  a short game (sticks:sticks=10)
";
    has(&home.says("games"), &[game]);
    assert_eq!(home.says("explain last_stick"), "last_stick\n\nThe winner took the last stick.\n");
    has(&home.says("explain last_stic"), &["did you mean `last_stick`?"]);
    has(&home.says("check one --game stiks"), &["did you mean `sticks`?", ", mastermind, sticks, ten_sticks"]);
    has(&home.says("check one --game sticks:sticks=0"), &["`sticks` cannot be 0; expected an integer from 1 to 99"]);
    has(&home.says("schema"), &["\"title\": \"sticks\"", "sticks at the start"]);
    has(&home.says("check one --game ten_sticks"), &["plays ten_sticks"]);
    let help = home.says("tournament --help");
    has(
        &help,
        &["swiss or king-of-the-hill (docs", "--reign <N>", "Pairs after which a king of a King of the Hill retires"],
    );
    has(&home.says("tournament --reign 3"), &["--reign is for --format king-of-the-hill; round-robin has "]);
    has(
        &home.says("tournament --format king"),
        &["known: round-robin, gauntlet, ladder, knockout, swiss, king-of-the-hill"],
    );
}

fn its_words_are_in_tables_and_pages(home: &Home) {
    let said = home.says(CUP);
    has(&said, &["Crowns", "The duels (* stays):", "A king rules by luck too."]);
    has(&home.read(&format!("{FOLDER}/standings.csv")), &[",challenges,crowns\n"]);
    has(&home.read(&format!("{FOLDER}/rounds.csv")), &["1,1,duel,one,", "6,6,duel,"]);
    has(&home.read(&format!("{FOLDER}/games.csv")), &[",last_stick,"]);
    let journal = home.read(&format!("{FOLDER}/games.jsonl"));
    has(&journal, &["\"game\":\"sticks@0123abcd\"", "\"label\":\"sticks\""]);
    let page = home.read(&format!("{FOLDER}/report.html"));
    has(&page, &["king-of-the-hill", "The duels", "Crowns", "A king rules by luck too."]);
    let block = page.split_once("id=\"games-data\">").and_then(|(_, rest)| rest.trim_start().lines().next());
    let block = STANDARD.decode(block.expect("a block of games")).expect("base64");
    let rows = decompress_to_vec(&block).expect("deflated");
    has(&String::from_utf8_lossy(&rows), &["\"sides\":[\"North\",\"South\"]", "last_stick"]);
}

fn its_games_are_judged_and_shown(home: &Home) {
    has(&home.says(&format!("verify {FOLDER}")), &["12 games follow the rules; none of the 12 scheduled is missing"]);
    let rounds = home.read(&format!("{FOLDER}/rounds.csv"));
    let id = rounds.trim_end().rsplit(',').next().expect("a game");
    let replay = home.says(&format!("replay {id}"));
    has(
        &replay,
        &[
            "sticks:sticks=9",
            "(North) against ",
            "(South)",
            "wins: the last stick was drawn",
            "heap: 0 (nothing left to take)",
        ],
    );
    has(&home.says(&format!("replay {id} --wire first")), &["\"game\":\"sticks\"", "\"params\":{\"sticks\":9}"]);
    has(&home.said_by(Path::new(ARENA), &format!("verify {FOLDER}")), &["no game named `sticks@0123abcd`"]);
}
