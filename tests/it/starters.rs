//! Every starter bot, and the benchmark's bot, through a scripted conversation over real pipes.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use arena::protocol::{self, BotClock, GameOver, Hello, MoveRequest, NewGame, RequestClock, ToBot};
use arena::rules::Move;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::support::{Dir, in_repository, is_installed};

/// Interpreters take a while to start on a busy machine; what is bounded here is a hang.
const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn the_python_starter_plays() {
    converse(&in_repository("bots/starters/python/bot.py"), "python3");
}

#[test]
fn the_javascript_starter_plays() {
    converse(&in_repository("bots/starters/javascript/bot.js"), "node");
}

#[test]
fn the_c_starter_plays() {
    compile_and_converse("bots/starters/c/bot.c", "cc", &["-O2", "-Wall", "-Wextra", "-Werror"]);
}

#[test]
fn the_cpp_starter_plays() {
    compile_and_converse(
        "bots/starters/cpp/bot.cpp",
        "c++",
        &["-std=c++17", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror"],
    );
}

#[test]
fn the_go_starter_plays() {
    compile_and_converse("bots/starters/go/bot.go", "go", &["build"]);
}

#[test]
fn the_java_starter_plays() {
    if !is_installed("javac", "the starter in Java") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = in_repository("bots/starters/java/Bot.java");
    let output =
        Command::new("javac").args(["-Xlint:all", "-Werror", "-d"]).arg(folder.path()).arg(source).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let program = folder.path().join("bot");
    std::fs::write(&program, format!("#!/bin/sh\nexec java -cp {} Bot\n", folder.path().display())).unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    converse(&program, "java");
}

#[test]
fn the_rust_starter_plays() {
    compile_and_converse("bots/starters/rust/bot.rs", "rustc", &["-O", "-D", "warnings"]);
}

#[test]
fn the_instant_bot_of_the_benchmarks_plays() {
    compile_and_converse("benches/instant.c", "cc", &["-O2", "-Wall", "-Wextra", "-Werror"]);
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

fn compile_and_converse(source: &str, compiler: &str, flags: &[&str]) {
    if !is_installed(compiler, source) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("bot");
    let output =
        Command::new(compiler).args(flags).arg("-o").arg(&program).arg(in_repository(source)).output().unwrap();
    assert!(output.status.success(), "{source}: {}", String::from_utf8_lossy(&output.stderr));
    converse(&program, compiler);
}

/// A bot and what it writes, killed when dropped.
struct Bot {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
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
        Self { child, stdin, lines }
    }

    fn tell(&mut self, message: &ToBot) {
        let mut line = Vec::new();
        message.encode(&mut line);
        self.write(&line);
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
/// and a message of a later protocol version.
fn converse(program: &Path, tool: &str) {
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
    for _game in 0..2 {
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
