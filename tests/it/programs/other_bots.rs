//! Bots of other protocols play games of programs: engines, which know the game, and bots that read plain lines.

use crate::support::{Dir, in_repository};

use super::{PATIENT, games, table};

/// Engines note what they read in files that no bot may write.
const OPEN: &str = "--sandbox off";

/// A folder with rules in words; `without` is a field that they lack.
fn words(without: &str) -> Dir {
    let dir = Dir::new();
    for name in ["words.py", "engine.py"] {
        dir.file(name, std::fs::read(in_repository("tests/bots").join(name)).expect("a program"));
    }
    let command = ["python3", "words.py"].into_iter().chain(without.split_whitespace()).collect::<Vec<_>>();
    dir.file("words.toml", format!("command = {command:?}\n"));
    dir
}

/// Adds an engine, and the file with all that it reads.
fn add_engine(dir: &Dir, name: &str, protocol: &str, mode: &str, entries: &str) {
    let [script, notes] =
        ["engine.py".to_owned(), format!("{name}.txt")].map(|file| dir.path(file).to_string_lossy().into_owned());
    let command = ["python3", "-SE", &script, protocol, mode, &notes];
    dir.file(&format!("bots/{name}.toml"), format!("command = {command:?}\nprotocol = {protocol:?}\n{entries}\n"));
}

/// Adds a bot that reads lines, and does this with the number of sticks that is left, `n`.
fn add_reader(dir: &Dir, name: &str, does: &str, entries: &str) {
    const BOT: &str = "import sys\nprint('awake', file=sys.stderr)\nfirst = input()\nn = int(input())\nwhile True:\n    DOES\n    \
                       n = int(input())\n";
    dir.file(&format!("{name}.py"), BOT.replace("DOES", does));
    let script = dir.path(format!("{name}.py")).to_string_lossy().into_owned();
    let command = ["python3", "-SE", &script];
    dir.file(&format!("bots/{name}.toml"), format!("command = {command:?}\nprotocol = \"lines\"\n{entries}\n"));
}

const TAKES: &str = "print(f'take{max(1, n % 4)}', flush=True)";

#[test]
fn engines_and_readers_and_others_play_each_other() {
    let dir = words("");
    add_engine(&dir, "anna", "uci", "good", "options = { Level = 2, \"own book\" = true, nodes = 5, overhead_ms = 0 }");
    add_engine(&dir, "bert", "ugi", "good", "");
    add_reader(&dir, "carl", TAKES, "");
    dir.builtin("dora", "random");
    dir.process_ends(0, &format!("tournament --game ./words.toml --rounds 2 {PATIENT} {OPEN} -j 2"));
    let played = games(&dir, "words").split_off(1);
    assert_eq!(played.len(), 24, "{played:?}");
    assert!(played.iter().all(|game| game.contains(",last_stick,ok,ok,")), "{played:?}");
    let ended = dir.process_ends(0, "verify --game ./words.toml");
    assert!(ended.stdout.contains("24 games follow the rules"), "{ended}");
    // Nothing that they wrote was unexpected.
    let bots = table(&dir, "words", "bots.csv");
    let mut rows = csv::Reader::from_reader(bots.as_bytes());
    let column = rows.headers().expect("headers").iter().position(|name| name == "surplus_lines").expect("a column");
    for row in rows.records().map(|row| row.expect("a row")) {
        assert_eq!(&row[column], "0", "{bots}");
    }

    let notes = std::fs::read_to_string(dir.path("anna.txt")).expect("notes");
    let start = "uci\nsetoption name Level value 2\nsetoption name Own Book value true\nisready\n";
    assert!(notes.starts_with(start), "{notes}");
    assert!(notes.contains("ucinewgame\nisready\nisready\nposition startpos"), "{notes}");
    assert!(notes.lines().filter(|line| line.starts_with("go")).all(|go| go == "go movetime 30000 nodes 5"), "{notes}");
    let notes = std::fs::read_to_string(dir.path("bert.txt")).expect("notes");
    assert!(notes.contains("uginewgame\nisready\n") && notes.contains("go movetime 29980\n"), "{notes}");
    let journal = std::fs::read_to_string(dir.path("results/words/games.jsonl")).expect("a journal");
    assert!(journal.contains(r#""comment":"depth 1, +0.50: take1 take2""#), "{journal}");
    let log = std::fs::read_to_string(dir.path("results/words/bots/carl.log")).expect("a log");
    assert!(log.matches("awake").count() >= 12, "a new process for every game: {log}");
}

#[test]
fn an_engine_is_given_the_start_and_the_clocks() {
    let dir = words("");
    add_engine(&dir, "anna", "uci", "good", "");
    add_engine(&dir, "bert", "ugi", "good", "options = { depth = 3, overhead_ms = 1000 }");
    dir.process_ends(
        0,
        &format!(
            "match anna bert --game ./words.toml:start=few --rounds 1 --time 60s+2s --oversubscribe -q --opening-plies 0 {OPEN}"
        ),
    );
    let notes = std::fs::read_to_string(dir.path("anna.txt")).expect("notes");
    assert!(notes.contains("position fen 6 sticks\ngo wtime 59980 winc 2000 btime 59980 binc 2000\n"), "{notes}");
    assert!(notes.contains("position fen 6 sticks moves take2\n"), "{notes}");
    let notes = std::fs::read_to_string(dir.path("bert.txt")).expect("notes");
    let gos: Vec<&str> = notes.lines().filter(|line| line.starts_with("go")).collect();
    assert!(gos.contains(&"go p1time 59000 p1inc 2000 p2time 59000 p2inc 2000 depth 3"), "{gos:?}");
    assert!(gos.iter().all(|go| !go.contains("movetime")), "{gos:?}");
}

#[test]
fn what_an_engine_does_wrong_is_named() {
    let dir = words("");
    let faults = [
        ("mute", "", "startup_failed", "no uciok and readyok within 1000 ms of its start"),
        ("unready", "", "startup_failed", "no uciok and readyok within 1000 ms of its start"),
        ("good", "options = { Levl = 2 }", "startup_failed", "it has no option named `Levl` (did you mean `Level`?)"),
        ("good", "options = { Nodes = 2 }", "startup_failed", "it has no option named `Nodes` (did you mean `nodes`?)"),
        (
            "good",
            "options = { Level = 12 }",
            "startup_failed",
            "its option `Level` is an integer from 1 to 9, not `12`",
        ),
        (
            "good",
            "options = { style = \"Mild\" }",
            "startup_failed",
            "`Style` is one of Very Calm, Wild, not `Mild` (did you",
        ),
        (
            "good",
            "options = { \"own book\" = 1 }",
            "startup_failed",
            "its option `Own Book` is `true` or `false`, not `1`",
        ),
        (
            "good",
            "options = { overhead_ms = 500 }",
            "startup_failed",
            "`overhead_ms` is 500, which leaves nothing of 500 ms",
        ),
        ("none", "", "illegal_move", "move \"(none)\" is not legal; legal: \"take1\""),
        ("illegal", "", "illegal_move", "move \"take9\" is not legal"),
        ("nothing", "", "protocol_error", "it names no move: bestmove"),
        ("dies", "", "crashed", "exited with status 3"),
        ("late", "", "timeout", "no move within 500 ms"),
        ("twice", "", "", "stdout answered no request"),
    ];
    for (index, (mode, entries, status, says)) in faults.into_iter().enumerate() {
        let name = format!("{mode}{index}");
        add_engine(&dir, &name, "uci", mode, &format!("startup_ms = 1000\n{entries}"));
        let code = if status.is_empty() { 0 } else { 2 };
        let ended =
            dir.process_ends(code, &format!("check {name} --game ./words.toml --quick --move-time 500ms {OPEN}"));
        assert!(ended.stdout.contains(says) && ended.stdout.contains(status), "{name}: {ended}");
        assert!(status.is_empty() || ended.stdout.contains(&format!("explain {status}")), "{name}: {ended}");
    }
}

#[test]
fn an_engine_whose_options_are_wrong_is_left_out_of_a_run() {
    let dir = words("");
    add_engine(&dir, "anna", "uci", "good", "options = { Level = -1 }");
    add_engine(&dir, "bert", "uci", "good", "options = { STYLE = \"very calm\", level = 9, \"Clear Hash\" = true }");
    add_engine(&dir, "carl", "ugi", "good", "options = { overhead_ms = 10000 }");
    dir.builtin("dora", "random");
    let ended = dir.process_ends(
        2,
        &format!("tournament --game ./words.toml --rounds 1 --move-time 10s --oversubscribe -q {OPEN}"),
    );
    assert!(ended.stderr.contains("its option `Level` is an integer from 1 to 9, not `-1`"), "{ended}");
    assert!(ended.stderr.contains("`overhead_ms` is 10000, which leaves nothing of 10000 ms"), "{ended}");
    let played = games(&dir, "words").split_off(1);
    assert!(played.iter().all(|game| game.contains(",bert,") && game.contains(",last_stick,ok,ok,")), "{played:?}");
    // In the spelling of the engine.
    let notes = std::fs::read_to_string(dir.path("bert.txt")).expect("notes");
    let options = "setoption name Clear Hash\nsetoption name Style value Very Calm\nsetoption name Level value 9\n";
    assert!(notes.starts_with(&format!("uci\n{options}isready\n")), "{notes}");
}

#[test]
fn what_a_reader_of_lines_does_wrong_is_named() {
    let dir = words("");
    let faults = [
        ("none", "input()", "timeout", "no move within 700 ms"),
        ("wrong", "print('take', n, flush=True)", "illegal_move", "move \"take 21\" is not legal"),
        ("dies", "sys.exit(3)", "crashed", "exited with status 3"),
        ("twice", "print('take1\\n\\ntake1', flush=True)", "", "stdout answered no request"),
    ];
    for (name, does, status, says) in faults {
        add_reader(&dir, name, does, "startup_ms = 200");
        let code = if status.is_empty() { 0 } else { 2 };
        let ended =
            dir.process_ends(code, &format!("check {name} --game ./words.toml --quick --move-time 500ms {OPEN}"));
        assert!(ended.stdout.contains(says), "{name}: {ended}");
        assert!(status.is_empty() || ended.stdout.contains(&format!("explain {status}")), "{name}: {ended}");
    }
}

#[test]
fn rules_keep_what_their_hello_promises() {
    for (without, declared) in [("start", "engines"), ("lines", "lines")] {
        let dir = words(without);
        dir.builtin("anna", "random");
        dir.builtin("bert", "random");
        let ended = dir.process_ends(1, &format!("tournament --game ./words.toml {PATIENT}"));
        let says = format!("their `position` has no `{without}`, but their hello has `{declared}`");
        assert!(ended.stderr.contains(&says), "{ended}");
    }
}

#[test]
fn bots_that_cannot_play_a_game_sit_out_with_the_reason() {
    let dir = words("");
    add_engine(&dir, "anna", "uci", "good", "");
    add_reader(&dir, "carl", TAKES, "");
    let ended = dir.process_ends(1, "tournament --game tictactoe --sandbox off");
    let why = "anna: a UCI engine plays games whose rules name uci in `engines` of their hello";
    assert!(ended.stderr.contains(why), "{ended}");
    assert!(ended.stderr.contains("carl: a bot that reads lines plays games whose rules have `lines`"), "{ended}");
    let ended = dir.process_ends(2, "check anna --sandbox off");
    assert!(ended.stdout.contains("name the file of such a game with --game"), "{ended}");
    let made = dir.process_ends(0, "new-bot erna --protocol lines -- python3 carl.py");
    assert!(made.stdout.ends_with("try it: arena check erna --game FILE\n"), "{made}");
    let made = dir.process_ends(0, "new-bot olga -- python3 carl.py");
    assert!(made.stdout.ends_with("try it: arena check olga\n"), "{made}");
}
