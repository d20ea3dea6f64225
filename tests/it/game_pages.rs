//! docs/games.md is true: its programs are those of examples/games, its conversation is what they say, and its picture is theirs.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

const GAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/games");
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/games.md");
const PICTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/pictures/othello.svg");

/// A program of rules, fed by hand.
struct Fed {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Fed {
    fn start(program: &str) -> Self {
        let mut command = Command::new("python3");
        let mut child = command
            .arg(program)
            .current_dir(GAMES)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3");
        let (stdin, stdout) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        Self { child, stdin, stdout: BufReader::new(stdout) }
    }

    fn ask(&mut self, line: &str) -> Value {
        writeln!(self.stdin, "{line}").expect("it reads");
        let mut answer = String::new();
        self.stdout.read_line(&mut answer).expect("an answer");
        serde_json::from_str(&answer).expect("JSON")
    }
}

impl Drop for Fed {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The fenced blocks of the page in this language.
fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("```{language}\n");
    page.split(&fence).skip(1).map(|rest| rest.split("```").next().expect("an end")).collect()
}

#[test]
fn every_program_of_the_page_is_a_piece_of_an_example() {
    let page = fs::read_to_string(PAGE).expect("the page");
    let files: Vec<String> = fs::read_dir(GAMES)
        .expect("the examples")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            path.extension().is_some_and(|extension| ["py", "c", "toml"].iter().any(|known| extension == *known))
        })
        .map(|path| fs::read_to_string(path).expect("a text"))
        .collect();
    let programs = [blocks(&page, "python"), blocks(&page, "c")].concat();
    assert!(programs.len() >= 4, "{}", programs.len());
    for program in programs {
        let is_piece = |file: &String| program.split("…\n").all(|piece| file.contains(piece.trim_matches('\n')));
        assert!(files.iter().any(is_piece), "no example has:\n{program}");
    }
}

#[test]
fn the_conversation_of_the_page_is_what_the_program_says() {
    let page = fs::read_to_string(PAGE).expect("the page");
    let text = blocks(&page, "text").into_iter().find(|block| block.contains("\"othello\"")).expect("a conversation");
    let mut rules = Fed::start("othello.py");
    let mut answers = 0;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let request = line.strip_prefix("< ").expect("a request");
        let Some(expected) = lines.next_if(|line| line.starts_with("> ")) else {
            assert!(request.contains("quit"), "{request}");
            continue;
        };
        let expected: Value = serde_json::from_str(expected.trim_start_matches("> ")).expect("JSON");
        assert_eq!(rules.ask(request), expected, "{request}");
        answers += 1;
    }
    assert!(answers >= 4, "{answers}");
}

#[test]
fn the_picture_of_a_game_of_ones_own_is_what_its_program_shows() {
    let mut rules = Fed::start("othello.py");
    rules.ask(r#"{"type":"hello","protocol":1,"arena":"0.1.0","max_line_bytes":1048576}"#);
    let mut answer = rules.ask(r#"{"type":"start","id":0,"params":{"size":8},"seed":"1"}"#);
    for id in 1..=20 {
        let moves = answer["legal_moves"].as_array().expect("moves");
        let played = moves[(7 * id) % moves.len()].clone();
        answer = rules.ask(&json!({ "type": "apply", "id": id, "move": played }).to_string());
    }
    let shown = rules.ask(r#"{"type":"show","id":20,"seat":null}"#);
    let drawn = format!("{}\n", shown["svg"].as_str().expect("a picture"));
    if std::env::var_os("ARENA_BLESS").is_some() {
        fs::write(Path::new(PICTURE), &drawn).expect("written");
    }
    assert!(
        fs::read_to_string(PICTURE).expect("a picture") == drawn,
        "docs/pictures/othello.svg differs; ARENA_BLESS=1 rewrites it"
    );
}
