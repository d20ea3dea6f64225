//! Processes of rules, under the guard.

use std::path::PathBuf;
use std::sync::Arc;

use arena::guard::SandboxMode;
use arena::guard::time::now;
use arena::program::{Answer, Broken, Failing, Hello, Mistake, Process, Program, Request, RulesLog, hash, requests};
use arena::roster::RosterSettings;
use arena::rules::Move;

use crate::support::{LIMIT, guard};

/// The smallest rules, with one fault for each word in the environment.
const STICKS: &str = r#"
import json, os, sys, time
fault = os.environ.get("FAULT")
def position(i):
    if heap == 0: return {"type": "over", "id": i, "winner": 1 - seat, "reason": "last_stick"}
    return {"type": "position", "id": i, "to_move": seat, "legal_moves": list(range(1, min(3, heap) + 1)), "view": {"heap": heap}}
if fault == "import": import no_such_module
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello":
        r = {"type": "hello", "protocol": 1, "game": "sticks", "version": 1}
        if fault == "silent": continue
    elif m["type"] == "start": heap, seat = 21, 0; r = position(m["id"])
    elif m["type"] == "apply":
        heap, seat = heap - m["move"], 1 - seat; r = position(m["id"])
        if fault == "twice": r["legal_moves"] = [1, 2, 1]
        if fault == "exit": sys.exit(3)
        if fault == "raise": raise ValueError("no such move")
        if fault == "hang": time.sleep(1000)
        if fault == "child":
            if os.fork() == 0: time.sleep(1000)
            os._exit(4)
        if fault == "memory": x = bytearray(1 << 30)
        if fault == "flood": sys.stderr.write("x" * (8 << 20)); sys.stderr.write("\nlast\n"); sys.stderr.flush()
        if fault == "buffer": sys.stdout = open(1, "w", buffering=1 << 20, closefd=False); fault = "buffered"
    else:
        if fault == "stay": time.sleep(1000)
        continue
    print(json.dumps(r), flush=fault != "buffered")
"#;

struct Rules {
    // Held until the end.
    _dir: tempfile::TempDir,
    program: Program,
    log: Arc<RulesLog>,
    log_path: PathBuf,
}

/// The rules with a fault and further lines of the manifest.
fn rules(fault: &str, more: &str) -> Rules {
    let dir = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path
    };
    write("sticks.py", STICKS);
    let manifest = format!("command = [\"python3\", \"sticks.py\"]\nenv = {{ FAULT = \"{fault}\" }}\n{more}");
    let path = write("sticks.toml", &manifest);
    let settings = RosterSettings { guard: guard(), sandbox: SandboxMode::Auto, ..RosterSettings::default() };
    let mut program = Program::load(&path, &settings).expect("a manifest");
    program.launch.scratch = dir.path().join("scratch");
    std::fs::create_dir(&program.launch.scratch).expect("a folder");
    program.fence_in(&[]).expect("nothing is hidden");
    let log_path = write("rules.log", "");
    let log = Arc::new(RulesLog::new(std::fs::File::create(&log_path).expect("a log")));
    Rules { _dir: dir, program, log, log_path }
}

impl Rules {
    fn try_start(&self) -> Result<Process, Box<Broken>> {
        Process::start(&self.program, &self.log)
    }

    /// Why it does not start.
    fn unstarted(&self) -> Box<Broken> {
        self.try_start().expect_err("it has a fault")
    }

    /// A process in a game.
    fn start(&self) -> Process {
        let mut process = self.try_start().expect("a process");
        let params = serde_json::Map::new();
        process.ask(&Request::Start { params: &params, seed: 7 }).expect("a position");
        process
    }
}

const FIRST: Request<'static> = Request::Apply { id: 1, played: &Move::Int(2) };

/// How the first move fails.
fn broken(process: &mut Process) -> Box<Broken> {
    process.ask(&FIRST).expect_err("it has a fault")
}

#[test]
fn a_game_is_played_step_by_step_and_ahead() {
    let rules = rules("", "");
    let params = serde_json::Map::new();
    let mut process = rules.start();
    assert_eq!(process.hello().game, "sticks");
    assert_eq!(hash(&rules.program, process.hello()).len(), 8);
    let moves = vec![Move::Int(3); 7];
    let applies = (1..).zip(&moves).map(|(id, played)| Request::Apply { id, played });
    let all: Vec<Request<'_>> = std::iter::once(Request::Start { params: &params, seed: 7 }).chain(applies).collect();
    let alone: Vec<Answer> = all.iter().map(|request| process.ask(request).expect("an answer")).collect();
    let mut ahead = Vec::new();
    process.ask_all(&all, |answer| ahead.push(answer)).expect("answers");
    assert_eq!(alone, ahead);
    assert!(matches!(&ahead[7], Answer::Over(over) if over.reason == "last_stick"));
    let hello = process.hello().clone();
    assert!(process.leave());
    assert!(Process::start_again(&rules.program, &hello, &rules.log).is_ok());
    let other = Process::start_again(&rules.program, &Hello { version: 2, ..hello }, &rules.log);
    assert_eq!(other.expect_err("another version").how, Failing::Changed);
    assert_eq!(requests(&params, 7, &moves).lines().count(), 9, "what reproduces a fault");
}

#[test]
fn a_failure_says_how_and_with_which_lines() {
    let exited = |status| format!("the program exited with status {status}");
    for (fault, how, says, telling) in [
        ("exit", Failing::Ended, exited(3), ""),
        ("child", Failing::Ended, exited(4), ""),
        ("raise", Failing::Ended, exited(1), "ValueError: no such move"),
        ("memory", Failing::Ended, "the program was ended: out of memory (limit 256 MB)".to_owned(), ""),
        ("twice", Failing::Mistake(Mistake::Twice("1".to_owned())), "they list the move 1 twice".to_owned(), ""),
    ] {
        let rules = rules(fault, "memory_mb = 256\n");
        let broken = broken(&mut rules.start());
        assert_eq!(broken.how, how, "{fault}: {broken}");
        let says = if telling.is_empty() { says } else { format!("{says}; its stderr ends: {telling}") };
        assert_eq!(broken.to_string(), says, "{fault}");
        let evidence = &broken.evidence;
        assert_eq!(evidence.last_sent.as_deref(), Some(r#"{"type":"apply","id":1,"move":2}"#), "{fault}");
        assert!(evidence.last_received.as_ref().is_some_and(|line| line.starts_with("{\"type\": \"position\"")));
        assert!(evidence.stderr_tail.as_deref().unwrap_or_default().ends_with(telling), "{evidence:?}");
        let log = std::fs::read_to_string(&rules.log_path).expect("a log");
        assert!(log.contains(telling) && log.ends_with(&format!("1 arena: {says}\n")), "{log}");
    }
}

#[test]
fn a_hang_costs_its_limit_and_little_more() {
    for (fault, says) in [
        ("hang", "no answer to `apply` within 300 ms"),
        (
            "buffer",
            "no answer to `apply` within 300 ms; the answer came when its input was closed, so it was slow, or did not \
             flush its output",
        ),
    ] {
        let rules = rules(fault, "answer_ms = 300\n");
        let mut process = rules.start();
        let begun = now();
        let broken = broken(&mut process);
        assert_eq!((broken.to_string().as_str(), broken.how), (says, Failing::TimedOut));
        assert!(now() - begun < LIMIT, "{fault}: {:?}", now() - begun);
        assert_eq!(self::broken(&mut process).to_string(), "the program has failed before");
    }
}

#[test]
fn a_start_that_fails_says_why() {
    assert_eq!(
        rules("import", "").unstarted().to_string(),
        "the program exited with status 1 before its hello; its stderr ends: ModuleNotFoundError: No module named \
         'no_such_module'"
    );
    assert_eq!(rules("silent", "startup_ms = 400\n").unstarted().to_string(), "no hello within 400 ms");
}

#[test]
fn a_flood_on_stderr_blocks_nothing_and_its_end_is_kept() {
    let rules = rules("flood", "");
    let mut process = rules.start();
    process.ask(&FIRST).expect("an answer");
    assert!(process.leave());
    rules.log.finish().expect("a log");
    assert!(std::fs::read_to_string(&rules.log_path).expect("a log").ends_with("1 stderr: last\n"));
}

#[test]
fn a_program_that_does_not_leave_is_removed() {
    let rules = rules("stay", "");
    let process = rules.start();
    let begun = now();
    assert!(!process.leave());
    assert!(now() - begun < LIMIT);
}

#[test]
fn a_program_whose_files_have_changed_is_not_started() {
    let rules = rules("", "");
    drop(rules.start());
    let file = rules.program.launch.dir.join("sticks.py");
    std::fs::write(file, STICKS.replace("21", "22")).expect("a file");
    let broken = rules.unstarted();
    assert_eq!(broken.how, Failing::Changed);
    assert!(broken.to_string().ends_with("sticks.py has changed since this run began"), "{broken}");
}
