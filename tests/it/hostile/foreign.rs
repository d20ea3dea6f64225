//! Rows 92 and 101: text from bots, manifests, files and the command line that would move the cursor, reorder or hide other
//! text, or run in a spreadsheet. Every field gets such text, and all output is inspected.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use arena::record::Status;

use super::watched::contents;
use crate::faults::faulty;
use crate::support::{Contents, Dir};

/// Text that a manifest or a file may contain; not valid in a JSON string.
const FOREIGN: &str = "=cmd|' /C calc'!A0;+1;@x;-1\u{1b}[31m\u{7f}\u{85}\u{9b}31m\u{ad}\u{200b}\u{200e}\u{2028}\u{202e}\
                       \u{2066}\u{feff}\u{e0041}\u{5d0}\u{661}e\u{301}\u{301}\u{301}\u{301}\u{301}\t\u{7}";

/// Text that a user may type or name a file with: letters and marks of people's own paths are shown unchanged.
const TYPED: &str = "=cmd|' 'C calc'!A0;+1;@x;-1\u{1b}[31m\u{7f}\u{85}\u{9b}31m\u{ad}\u{200b}\u{200e}\u{2028}\u{202e}\
                     \u{2066}\u{feff}\u{e0041}\t\u{7}";

const PLAY: &str = "--game tictactoe --seed 1 --rounds 1 --move-time 10s -j 1 --quiet";

/// The reader of an output.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// People: a stream, a log.
    Told,
    Csv,
    Json,
    JsonLines,
}

/// A separate list, so that a gap in the arena's own list is noticed.
fn is_unsafe(character: char) -> bool {
    matches!(character, '\0'..='\u{9}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{180e}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        | '\u{e0000}'..='\u{e007f}')
}

#[track_caller]
fn assert_safe(what: &str, kind: Kind, bytes: &[u8]) {
    let text = std::str::from_utf8(bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
    for line in text.lines() {
        let line: String = line.chars().take(100_000).collect();
        assert!(!line.contains(is_unsafe), "{what}: {line:?}");
        if kind == Kind::Told {
            let is_turned = |character| matches!(character, '\u{590}'..='\u{8ff}' | '\u{10800}'..='\u{10fff}');
            assert!(!line.contains(is_turned) && !line.contains("\u{301}\u{301}\u{301}"), "{what}: {line:?}");
        }
    }
    match kind {
        Kind::Told => {}
        Kind::Json | Kind::JsonLines => {
            let lines: Vec<&str> = if kind == Kind::Json { vec![text] } else { text.lines().collect() };
            for line in lines {
                let read: Result<serde_json::Value, _> = serde_json::from_str(line);
                assert!(read.is_ok(), "{what}: {read:?}: {line}");
            }
        }
        Kind::Csv => {
            // As read in most countries, and where `;` separates cells.
            for separator in [b',', b';'] {
                let mut reader = csv::ReaderBuilder::new();
                let reader = reader.has_headers(false).flexible(true).delimiter(separator);
                for row in reader.from_reader(bytes).records() {
                    for cell in &row.expect("a row") {
                        let is_number = cell.parse::<f64>().is_ok();
                        let runs = cell.trim_start().starts_with(['=', '+', '-', '@', '\t', '\r']);
                        assert!(is_number || !runs, "{what}: a spreadsheet would run {cell:?}");
                    }
                }
            }
        }
    }
}

/// Runs `arena` with these words; returns its inspected output on both streams.
#[track_caller]
fn arena(dir: &Dir, words: &[&OsStr], stdout: Kind) -> String {
    let mut command = dir.command("");
    command.args(words);
    let output = super::output(&mut command).expect("the arena starts");
    let what = format!("{:?}", words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>());
    assert_safe(&format!("stdout of {what}"), stdout, &output.stdout);
    assert_safe(&format!("stderr of {what}"), Kind::Told, &output.stderr);
    let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("looked at"));
    format!("{stdout}{stderr}")
}

#[track_caller]
fn told(dir: &Dir, line: &str) -> String {
    arena(dir, &line.split(' ').map(OsStr::new).collect::<Vec<_>>(), Kind::Told)
}

#[track_caller]
fn json(dir: &Dir, line: &str) {
    arena(dir, &line.split(' ').map(OsStr::new).collect::<Vec<_>>(), Kind::Json);
}

#[track_caller]
fn assert_all_safe(folder: &Path) {
    for (path, bytes) in contents(folder) {
        let kind = match Path::new(&path).extension().and_then(OsStr::to_str) {
            Some("csv") => Kind::Csv,
            Some("json") => Kind::Json,
            Some("jsonl") => Kind::JsonLines,
            _ => Kind::Told,
        };
        assert_safe(&path, kind, &bytes);
    }
}

/// A string in TOML.
fn quoted(text: &str) -> String {
    let units = text.chars().map(|character| match character {
        '"' | '\\' => format!("\\{character}"),
        _ if character.is_control() => format!("\\u{:04x}", u32::from(character)),
        _ => character.to_string(),
    });
    format!("\"{}\"", units.collect::<String>())
}

/// A bot whose manifest has such text in its command and its environment.
fn talker(dir: &Dir, name: &str, fault: &str) {
    let program = faulty().to_str().expect("UTF-8");
    let [note, value] = [format!("note={FOREIGN}"), FOREIGN.to_owned()].map(|text| quoted(&text));
    // The name of a variable contains no `=`.
    let variable = quoted(&FOREIGN.replace('=', ""));
    let text = format!("command = [{program:?}, {fault:?}, {note}]\n[env]\n{variable} = {value}\n");
    dir.file(&format!("bots/{name}.toml"), text);
}

#[test]
fn no_field_of_a_bot_reaches_a_file_or_a_stream_raw() {
    let dir = Dir::with_bots(&["random"]);
    for (name, fault) in [
        ("talker", "foreign"),
        ("mover", "foreign-move"),
        ("leaver", "foreign-exit"),
        ("claimer", "hello-other"),
        ("wordy", "hello-hostile"),
    ] {
        talker(&dir, name, fault);
    }
    let run = told(&dir, &format!("tournament {PLAY} --no-check"));
    assert!(run.contains("talker"), "{run}");
    assert_all_safe(&dir.path("results"));
    for command in
        ["standings", "verify", "bots", "check talker --game tictactoe", "check leaver", "check mover", "check claimer"]
    {
        told(&dir, command);
    }
    json(&dir, &format!("tournament {PLAY} --no-check --json"));
    json(&dir, &format!("match talker random {PLAY} --no-check --json"));
    told(&dir, &format!("match mover leaver {PLAY}"));
    // A bot's text can be recovered from its game.
    let games = Contents::read(&dir.path("results/tictactoe")).games;
    let mut said = 0;
    for game in &games {
        told(&dir, &format!("replay {} --name tictactoe --all", game.id));
        for played in &game.played {
            let Some(comment) = &played.comment else { continue };
            let debug = played.debug.as_ref().expect("both or none");
            let read: serde_json::Value = serde_json::from_str(debug.get()).expect("JSON");
            assert_eq!(read[comment], serde_json::json!([comment, -1.5]), "{}", debug.get());
            assert!(debug.get().contains("-1.50") && comment.contains("\u{9b}31m\u{ad}"), "{}", debug.get());
            said += 1;
        }
    }
    assert!(said > 0 && games.iter().any(|game| game.statuses.contains(&Status::ProtocolError)));
    let log = dir.read("results/tictactoe/bots/talker.log");
    for field in ["stderr: =cmd", "stray stdout: =stray", "eval -7.5 dropped"] {
        assert!(log.contains(field), "{field}: {log}");
    }
    let bots = dir.read("results/tictactoe/bots.csv");
    assert!(bots.contains(" foreign note==cmd|' /C calc'!A0;\\+1;\\@x;\\-1\\u{1b}[31m\\u{7f}"), "{bots}");
    assert_all_safe(&dir.path("results"));
}

#[test]
fn no_name_or_manifest_reaches_a_stream_raw() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let bots = dir.path("bots");
    let foreign = quoted(FOREIGN);
    let program = quoted(faulty().to_str().expect("UTF-8"));
    for (name, text) in [
        ("name", format!("name = {foreign}\nbuiltin = \"random\"")),
        ("files", format!("command = [{program}]\nfiles = [{foreign}]")),
        ("program", format!("command = [{foreign}]")),
        ("path", format!("command = [{}]", quoted(&format!("./{FOREIGN}")))),
        ("games", format!("command = [{program}]\ngames = [{foreign}]")),
        ("builtin", format!("builtin = {foreign}")),
        ("options", format!("builtin = \"random\"\noptions = {{ {foreign} = {foreign} }}")),
        ("sandbox", format!("builtin = \"random\"\nsandbox = {foreign}")),
        ("limits", format!("builtin = \"random\"\nlimits = {{ {foreign} = 1 }}")),
        ("key", format!("{foreign} = 1")),
        ("env", format!("command = [{program}]\nenv = {{ {foreign} = \"x\" }}")),
        ("broken", format!("command = {FOREIGN}")),
    ] {
        dir.file(&format!("bots/{name}.toml"), text);
    }
    dir.file("bots/folder/bot.toml", format!("command = [{foreign}]"));
    dir.file("bots/no-utf8.toml", b"command = \"\xff\x9b\"");
    // Files of all kinds with such names, and a link whose target has one.
    let named = |ending: &str| bots.join(OsStr::from_bytes(format!("{TYPED}{ending}").as_bytes()));
    for (ending, mode) in [("", 0o755), (".toml", 0o644), (".txt", 0o644)] {
        fs::write(named(ending), "#!/bin/sh\n").expect("a file");
        fs::set_permissions(named(ending), fs::Permissions::from_mode(mode)).expect("a mode");
    }
    fs::create_dir(named(".d")).expect("a folder");
    symlink(FOREIGN, bots.join("link")).expect("a link");
    fs::write(bots.join("interpreter"), format!("#!/{FOREIGN}\n")).expect("a file");
    fs::set_permissions(bots.join("interpreter"), fs::Permissions::from_mode(0o755)).expect("a mode");

    let listed = told(&dir, "bots");
    assert!(listed.contains("\\u{202e}"), "{listed}");
    told(&dir, &format!("tournament {PLAY}"));
    told(&dir, &format!("tournament {PLAY} --no-check"));
    arena(&dir, &[OsStr::new("check"), named("").as_os_str()], Kind::Told);
    arena(&dir, &[OsStr::new("check"), OsStr::new(TYPED)], Kind::Told);
    assert_all_safe(&dir.path("results"));

    // Typed text, or output of another program.
    let typed = |line: &str| {
        let words: Vec<String> = line.split(' ').map(|word| word.replace("TYPED", TYPED)).collect();
        arena(&dir, &words.iter().map(OsStr::new).collect::<Vec<_>>(), Kind::Told)
    };
    dir.file("openings", format!("[1]\n{FOREIGN}\n"));
    dir.file(TYPED, "[1]\n[9999]\n");
    for line in [
        "tournament --name TYPED",
        "tournament --game TYPED",
        "tournament --game tictactoe:TYPED=TYPED",
        "tournament --game tictactoe --openings openings",
        "tournament --game tictactoe --openings none/TYPED",
        "tournament --results bots/TYPED.txt --game tictactoe",
        "tournament --bots TYPED",
        "tournament --bot TYPED=TYPED",
        "tournament --bot x=TYPED --game tictactoe --rounds 1",
        "tournament --move-time TYPED",
        "tournament --limits TYPED=1",
        "tournament --sandbox TYPED",
        "tournament TYPED",
        "match TYPED TYPED",
        "match random greedy --sprt=elo0=TYPED",
        "standings TYPED",
        "standings --results TYPED",
        "replay TYPED",
        "verify TYPED",
        "explain TYPED",
        "bot TYPED",
        "bot random TYPED=TYPED",
        "sprt --counts TYPED",
        "TYPED",
    ] {
        assert!(!typed(line).is_empty(), "{line}");
    }
    let file = OsStr::from_bytes(TYPED.as_bytes());
    arena(
        &dir,
        &[OsStr::new("tournament"), OsStr::new("--game=tictactoe"), OsStr::new("--openings"), file],
        Kind::Told,
    );
    let mut judge = Command::new("sh");
    judge.args(["-c", "printf '%s\\n' \"$1\" | \"$0\" judge", crate::support::arena()]);
    judge.arg(format!("{{\"game\":{},\"moves\":[]}}", serde_json::to_string(FOREIGN).expect("JSON")));
    let judged = super::output(&mut judge).expect("sh");
    assert_safe("a judgement", Kind::Json, &judged.stdout);
}

#[test]
fn no_field_of_imported_games_reaches_a_file_or_a_stream_raw() {
    let dir = Dir::new();
    let quoted = |text: &[u8]| {
        let text = text.iter().flat_map(|byte| vec![*byte; 1 + usize::from(*byte == b'"')]);
        [b"\"".to_vec(), text.collect(), b"\"".to_vec()].concat()
    };
    let long = format!("{FOREIGN}\r\n{FOREIGN}");
    let names: [&[u8]; 8] =
        [b"=1+1", b"@SUM(A1)", b"-2", b" +x", b"\t=1", b"M\xfcller;=1\x9b", long.as_bytes(), b"\\=1+1"];
    let mut text = b"white,black,result,pair,moves,opening\n".to_vec();
    for (place, name) in names.iter().enumerate() {
        for other in &names[..place] {
            for (first, second) in [(name, other), (other, name)] {
                let label = [FOREIGN.as_bytes(), name, other].concat();
                let cells =
                    [quoted(first), quoted(second), b"1-0".to_vec(), quoted(&label), quoted(first), quoted(second)];
                text.extend([cells.join(&b','), b"\n".to_vec()].concat());
            }
        }
    }
    let file = format!("{TYPED}.csv");
    let words = |out: &'static str| ["standings".to_owned(), format!("./{file}"), "--out".to_owned(), out.to_owned()];
    dir.file(&file, &text);
    let run = |words: &[String]| arena(&dir, &words.iter().map(OsStr::new).collect::<Vec<_>>(), Kind::Told);
    run(&words("tables"));
    run(&[&words("anchored")[..], &["--anchor".to_owned(), "=1+1".to_owned()]].concat());
    let unknown = run(&[&words("unknown")[..], &["--anchor".to_owned(), FOREIGN.to_owned()]].concat());
    assert!(unknown.contains("no bot named"), "{unknown}");
    for folder in ["tables", "anchored"] {
        assert_all_safe(&dir.path(folder));
        // Three tables, and one file each for programs and for later commands.
        assert_eq!(contents(&dir.path(folder)).len(), 5);
    }
    // All names are distinguishable.
    let table = dir.read("tables/standings.csv");
    let mut found: Vec<String> =
        csv::Reader::from_reader(table.as_bytes()).records().map(|row| row.expect("a row")[3].to_owned()).collect();
    // White space around them is no part of them.
    let mut expected: Vec<String> = names.iter().map(|name| arena::text::cell(name.trim_ascii())).collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
    expected.dedup();
    assert_eq!(expected.len(), names.len());

    // Without --out the folder is named after the file.
    run(&words("tables")[..2]);
    for flawed in [
        format!("{FOREIGN},b\n"),
        format!("white,black,result\na,b,{}\n", FOREIGN.replace(['\t', '\u{1b}'], "")),
        format!("white,black,result\n{FOREIGN},{FOREIGN},1-0\n"),
        format!("white,black,result\n{FOREIGN}\n"),
    ] {
        dir.file(&file, &flawed);
        let flaw = run(&words("flawed"));
        assert!(flaw.contains("error: "), "{flaw}");
    }
}
