//! Every starter bot, and the benchmark's bot, through a scripted conversation over real pipes.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use arena::protocol::{self, BotClock, GameOver, Hello, MoveRequest, NewGame, RequestClock, ToBot};
use arena::record::Status;
use arena::rules::Move;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::support::{Contents, Dir, in_repository, is_installed};

/// Interpreters take a while to start on a busy machine; what is bounded here is a hang.
const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn the_python_starter_plays() {
    converse(&in_repository("bots/starters/python/bot.py"), "python3", true);
}

#[test]
fn the_javascript_starter_plays() {
    converse(&in_repository("bots/starters/javascript/bot.js"), "node", true);
}

const CC: &[&str] = &["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o"];
const CXX: &[&str] = &["c++", "-std=c++17", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-o"];
const JAVAC: &[&str] = &["javac", "-Xlint:all", "-Werror", "-d"];
const RUSTC: &[&str] = &["rustc", "-O", "-D", "warnings", "-o"];

#[test]
fn the_c_starter_plays() {
    compile_and_converse("bots/starters/c/bot.c", CC);
}

#[test]
fn the_cpp_starter_plays() {
    compile_and_converse("bots/starters/cpp/bot.cpp", CXX);
}

#[test]
fn the_go_starter_plays() {
    compile_and_converse("bots/starters/go/bot.go", &["go", "build", "-o"]);
}

#[test]
fn the_java_starter_plays() {
    compile_and_converse("bots/starters/java/Bot.java", JAVAC);
}

#[test]
fn the_rust_starter_plays() {
    compile_and_converse("bots/starters/rust/bot.rs", RUSTC);
}

#[test]
fn the_instant_bot_of_the_benchmarks_plays() {
    let folder = tempfile::tempdir().unwrap();
    if let Some(program) = compile(&in_repository("benches/instant.c"), CC, folder.path()) {
        converse(&program, "cc", false);
    }
}

/// Starters without a library have a reader of JSON of their own: authors read the position with it.
#[test]
fn the_readers_of_starters_read_the_position_too() {
    for (source, compiler, sample, best) in [
        ("c/bot.c", CC, r#"field(line, "sample_move")"#, r#"field(field(line, "state").start, "best")"#),
        ("cpp/bot.cpp", CXX, r#"field(line, "sample_move")"#, r#"field(field(line, "state"), "best")"#),
        ("java/Bot.java", JAVAC, r#"field(request, "sample_move")"#, r#"field(field(request, "state"), "best")"#),
        ("rust/bot.rs", RUSTC, r#"field(message, "sample_move")?"#, r#"field(field(message, "state")?, "best")?"#),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let text = std::fs::read_to_string(in_repository(&format!("bots/starters/{source}"))).unwrap();
        assert_eq!(text.matches(sample).count(), 1, "{source}");
        let changed = folder.path().join(source.split('/').next_back().unwrap());
        std::fs::write(&changed, text.replace(sample, best)).unwrap();
        let Some(program) = compile(&changed, compiler, folder.path()) else { continue };
        let mut bot = Bot::start(&program);
        bot.tell(&hello());
        bot.reply();
        let before = json!({ "best": 1, "text": "\"best\":2,\\" });
        let state = json!({ "before": [before], "best": ["b,4", [5, -6]], "z": {} });
        for is_spaced in [false, true] {
            bot.is_spaced = is_spaced;
            bot.tell(&request(7, &state, None, Move::Int(0)));
            assert_eq!(bot.reply(), json!({ "type": "move", "id": 7, "move": state["best"] }), "{source}");
        }
    }
}

/// Takes some seconds of processor time: each language is compiled, and starts once for each game.
#[test]
fn every_starter_plays_every_game() {
    let dir = Dir::with_bots(&["random"]);
    let mut bots = 0;
    for (lang, tool) in [
        ("python", "python3"),
        ("javascript", "node"),
        ("c", "cc"),
        ("cpp", "c++"),
        ("go", "go"),
        ("java", "javac"),
        ("rust", "rustc"),
    ] {
        if !is_installed(tool, &format!("the starter in {lang}")) {
            continue;
        }
        bots += 1;
        dir.arena_ends(0, &format!("new-bot {lang} --lang {lang}"));
        let folder = dir.path(format!("bots/{lang}"));
        if !folder.is_dir() {
            continue;
        }
        let manifest: toml::Table = dir.read(&format!("bots/{lang}/bot.toml")).parse().unwrap();
        let command = manifest["build"].as_str().unwrap();
        let built = Command::new("sh").args(["-c", command]).current_dir(&folder).output().unwrap();
        assert!(built.status.success(), "{lang}: {}", String::from_utf8_lossy(&built.stderr));
    }
    let mut games =
        ["tictactoe", "gomoku:rows=7,cols=7", "connect4", "marbles", "mastermind"].map(str::to_owned).to_vec();
    for name in [
        "amazons.toml:size=5",
        "dots_and_boxes.toml",
        "goofspiel.toml",
        "kuhn.toml",
        "othello.toml",
        "sticks.toml",
        "ultimate.toml",
    ] {
        games.push(in_repository(&format!("examples/games/{name}")).display().to_string());
    }
    // The rules in C are built where they lie.
    dir.file("four.toml", std::fs::read(in_repository("examples/games/four.toml")).unwrap());
    if compile(&in_repository("examples/games/four.c"), CC, &dir.path("")).is_some() {
        std::fs::rename(dir.path("bot"), dir.path("four")).unwrap();
        games.push("./four.toml".to_owned());
    }
    for (index, game) in games.iter().enumerate() {
        let flags =
            "--format gauntlet --challenger random --rounds 1 --seed 1 --move-time 30s --no-check --sandbox off";
        dir.process_ends(0, &format!("tournament --game {game} --name {index} {flags}"));
        let played = Contents::read(&dir.path(format!("results/{index}"))).games;
        assert_eq!(played.len(), 2 * bots, "{game}");
        for record in played {
            assert!(record.statuses.iter().all(|status| *status == Status::Ok), "{game}: {record:?}");
        }
    }
}

#[test]
fn a_new_bot_of_each_language_is_the_starter_and_plays() {
    let dir = Dir::new();
    std::fs::remove_dir(dir.path("bots")).unwrap();
    for (lang, made, tools) in [
        ("python", "mine.py", ["python3", ""]),
        ("javascript", "mine.js", ["node", ""]),
        ("c", "mine-c/bot.c", ["cc", ""]),
        ("rust", "mine-rust/bot.rs", ["rustc", ""]),
        ("cpp", "mine-cpp/bot.cpp", ["c++", ""]),
        ("go", "mine-go/bot.go", ["go", ""]),
        ("java", "mine-java/Bot.java", ["javac", "java"]),
    ] {
        let folder = made.split('/').next().unwrap();
        let is_script = folder == made;
        let name = if is_script { "mine" } else { folder };
        let told = dir.arena_ends(0, &format!("new-bot {name} --lang {lang}")).stdout;
        let starter = made.rsplit('/').next().unwrap().replace("mine", "bot");
        let starter = in_repository(&format!("bots/starters/{lang}/{starter}"));
        assert_eq!(dir.read(&format!("bots/{made}")), std::fs::read_to_string(starter).unwrap());
        // What is printed is done, word for word.
        let after = |what: &str| {
            let line = told.lines().find_map(|line| line.split_once(what));
            line.unwrap_or_else(|| panic!("{what}: {told}")).1.to_owned()
        };
        assert_eq!(after("made "), format!("bots/{folder}"));
        if !is_script {
            let said = dir.process_ends(2, &format!("check {folder} --quick --game tictactoe")).stdout;
            let build = dir.read(&format!("bots/{folder}/bot.toml"));
            let build = build.split("build = \"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
            assert!(said.contains(&format!("build it in its folder: {build}")), "{said}");
        }
        if !tools.iter().all(|tool| tool.is_empty() || is_installed(tool, &format!("a new bot in {lang}"))) {
            continue;
        }
        if !is_script {
            let words = after("build it, now and after each change: ");
            let words: Vec<&str> = words.split(' ').collect();
            let built = Command::new(words[0]).args(&words[1..]).current_dir(dir.path("")).output().unwrap();
            assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        }
        let check = after("try it: arena ");
        assert_eq!(check, format!("check {folder}"));
        dir.process_ends(0, &format!("{check} --game tictactoe --move-time 30s"));
    }
    // Nothing is written over, whatever the case.
    let before = dir.read("bots/mine.py");
    for name in ["mine", "mine.py", "MINE"] {
        let ended = dir.arena_ends(1, &format!("new-bot {name} --lang python"));
        assert_eq!(ended.stderr, "error: bots/mine.py exists already; choose another name\n");
    }
    assert_eq!(dir.read("bots/mine.py"), before);
    let ended = dir.arena_ends(1, "new-bot a/b");
    assert!(ended.stderr.starts_with("error: `a/b.py` is not a valid bot name; use 1 to 32 of "), "{ended}");
    let ended = dir.arena_ends(1, "new-bot starters --lang c");
    assert!(ended.stderr.contains("cannot be called `starters`, because such files are skipped"), "{ended}");
    let told = dir.arena_ends(0, "new-bot other --lang c --bots elsewhere").stdout;
    assert!(told.contains("cc -O2 -o elsewhere/other/bot elsewhere/other/bot.c\n"), "{told}");
    assert!(told.ends_with("try it: arena check other --bots elsewhere\n"), "{told}");
}

fn compile_and_converse(source: &str, compiler: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    if let Some(program) = compile(&in_repository(source), compiler, folder.path()) {
        converse(&program, compiler[0], true);
    }
}

/// The program made of `source` in `folder`; none if the compiler is not installed. Its last argument names the result.
fn compile(source: &Path, compiler: &[&str], folder: &Path) -> Option<PathBuf> {
    if !is_installed(compiler[0], &source.display().to_string()) {
        return None;
    }
    let program = folder.join("bot");
    let is_java = compiler[0] == "javac";
    let result = if is_java { folder } else { &program };
    let output = Command::new(compiler[0]).args(&compiler[1..]).arg(result).arg(source).output().unwrap();
    assert!(output.status.success(), "{}: {}", source.display(), String::from_utf8_lossy(&output.stderr));
    if is_java {
        std::fs::write(&program, format!("#!/bin/sh\nexec java -cp {} Bot\n", folder.display())).unwrap();
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    Some(program)
}

/// A bot and what it writes, killed when dropped.
struct Bot {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Whether it is told with white space wherever JSON allows it.
    is_spaced: bool,
}

impl Bot {
    fn start(program: &Path) -> Self {
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { child, stdin, lines, is_spaced: false }
    }

    fn tell(&mut self, message: &ToBot) {
        let mut line = Vec::new();
        message.encode(&mut line);
        self.write(&if self.is_spaced { spaced(&line) } else { line });
    }

    fn write(&mut self, line: &[u8]) {
        self.stdin.as_mut().expect("input is still open").write_all(line).unwrap();
    }

    fn reply(&self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("a reply in time");
        assert!(line.len() <= protocol::LINE_BYTES_MAX);
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    /// Waits until the bot has closed its output and left by itself.
    fn left(mut self) {
        assert_eq!(self.lines.recv_timeout(PATIENCE), Err(mpsc::RecvTimeoutError::Disconnected), "no further lines");
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        // Both fail only if the bot has left already, as it should have.
        let _gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}

/// A line with white space around all marks outside of strings.
fn spaced(line: &[u8]) -> Vec<u8> {
    let (mut in_string, mut is_escaped) = (false, false);
    let mut out = Vec::new();
    for &byte in line.trim_ascii_end() {
        let is_mark = !in_string && b"{}[]:,".contains(&byte);
        out.extend_from_slice(if is_mark { b" \t" } else { b"" });
        out.push(byte);
        out.extend_from_slice(if is_mark { b"  " } else { b"" });
        in_string ^= byte == b'"' && !is_escaped;
        is_escaped = in_string && byte == b'\\' && !is_escaped;
    }
    out.push(b'\n');
    out
}

fn hello() -> ToBot {
    ToBot::Hello(Hello {
        protocol: protocol::VERSION,
        arena: "0.0.0".to_owned(),
        max_line_bytes: protocol::LINE_BYTES_MAX,
        startup_ms: 10_000,
    })
}

fn new_game(id: u64) -> ToBot {
    ToBot::NewGame(NewGame {
        id,
        game_id: "0123456789abcdef".to_owned(),
        game: "mnk".to_owned(),
        rules_version: 1,
        params: json!({ "rows": 3, "cols": 3, "k": 3 }).as_object().cloned().unwrap(),
        seat: 0,
        seed: u64::MAX,
        clock: BotClock { move_ms: Some(1_000), bank_ms: None, increment_ms: None },
    })
}

fn request(id: u64, state: &Value, legal_moves: Option<Vec<Move>>, sample_move: Move) -> ToBot {
    ToBot::MoveRequest(MoveRequest {
        id,
        ply: 0,
        seat: 0,
        state: RawValue::from_string(state.to_string()).unwrap(),
        legal_moves,
        sample_move,
        clock: RequestClock { deadline_ms: 1_000, bank_ms: None, opponent_bank_ms: None, last_ms: Some(3) },
    })
}

/// Two games with everything that has misled hand-written parsers: ids at the limit, moves that are lists, names of
/// protocol fields and brackets inside of the state, no list of legal moves, a line far longer than a pipe's buffer,
/// and a message of a later protocol version; the second game with white space, which the arena does not write.
fn converse(program: &Path, tool: &str, reads_space: bool) {
    if !is_installed(tool, &program.display().to_string()) {
        return;
    }
    let cell = |index: i64| Move::List(vec![index / 32, index % 32]);
    let confusing = json!({ "id": 5, "type": "quit", "sample_move": 9, "text": "\"}],{\\" });
    let long = json!({ "board": vec![".".repeat(32); 32], "moves": vec![[31, 31]; 40_000] });
    let requests = [
        (confusing, Some(vec![cell(0), cell(40), cell(1023)]), cell(40)),
        (json!({ "heap": 9, "moves": [] }), Some(vec![Move::Int(3)]), Move::Int(3)),
        (json!({ "guesses": [], "opponent_guesses": 0 }), None, Move::List(vec![11; 8])),
        (long, Some((0..1_000).map(cell).collect()), cell(999)),
    ];

    let mut bot = Bot::start(program);
    bot.tell(&hello());
    assert_eq!(bot.reply()["protocol"], protocol::VERSION);
    // Near the end of the integers that JSON readers keep exact.
    let mut id = (1_u64 << 53) - 101;
    for is_second in [false, true] {
        bot.is_spaced = is_second && reads_space;
        id += 1;
        bot.tell(&new_game(id));
        assert_eq!(bot.reply(), json!({ "type": "ready", "id": id }));
        bot.write(b"{\"type\":\"x_later\",\"id\":1,\"sample_move\":0}\n");
        for (state, legal, sample) in &requests {
            id += 1;
            bot.tell(&request(id, state, legal.clone(), sample.clone()));
            let reply = bot.reply();
            assert_eq!((&reply["type"], &reply["id"]), (&json!("move"), &json!(id)));
            let played: Move = serde_json::from_value(reply["move"].clone()).unwrap();
            let expected = legal.as_deref().unwrap_or(std::slice::from_ref(sample));
            assert!(expected.contains(&played), "{played} is not legal");
        }
        bot.tell(&ToBot::GameOver(GameOver {
            outcome: "win".to_owned(),
            reason: "line".to_owned(),
            moves: vec![cell(0)],
            reveal: None,
        }));
    }
    bot.tell(&ToBot::Quit { reason: None });
    bot.left();

    // The end of the input means the same as `quit`.
    let mut bot = Bot::start(program);
    bot.tell(&hello());
    bot.reply();
    bot.stdin = None;
    bot.left();
}
