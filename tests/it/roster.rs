//! What is found in a bots folder, what is refused and how, and which bots come to sit at the board.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;

use arena::guard::{Limits, NamedLimits, SandboxMode, can_close};
use arena::record::Status;
use arena::roster::{Roster, RosterSettings};

use crate::support::{Dir, LIMIT, arena, until};

/// Leaves at once without a word.
const DUMB: &str = "echo 'no licence' >&2; exit 7";
/// Speaks, but claims to play another game.
const CHECKERS: &str = r#"read -r line; echo '{"type":"hello","protocol":1,"games":["checkers"]}'; cat >/dev/null"#;
const QUICK: &str = "tournament --game tictactoe --rounds 1 --move-time 30s -j 1";

#[test]
fn everything_found_is_listed_and_everything_else_explained() {
    let dir = Dir::with_bots(&["random"]);
    dir.script_bot("program", "greedy");
    symlink("program", dir.path("bots/link")).expect("a link");
    dir.script("bots/folder/run.sh", "exit");
    dir.file("bots/folder/bot.toml", "command = [\"./run.sh\", \"x y\"]\ngames = [\"tictactoe\"]");
    dir.file("bots/python.toml", "command = [\"python3\", \"python.py\"]\nname = \"snake\"");
    for (file, text) in
        [("README.md", ""), (".hidden", ""), ("notes.txt", ""), ("python.py", ""), ("starters/c/bot.c", "")]
    {
        dir.file(&format!("bots/{file}"), text);
    }
    dir.file("bots/empty/main.py", "");
    symlink("nowhere", dir.path("bots/dangling")).expect("a link");
    symlink("loop", dir.path("bots/loop")).expect("a link");
    assert!(std::process::Command::new("mkfifo").arg(dir.path("bots/fifo")).status().expect("mkfifo").success());
    assert!(std::process::Command::new("mkfifo").arg(dir.path("bots/folder/fifo")).status().expect("mkfifo").success());
    insta::assert_snapshot!(dir.arena("bots"), @r#"
    exit 2
    --- stdout
    folder   [hash]  [dir]/bots/folder/run.sh x y
    link     [hash]  [dir]/bots/link
    program  [hash]  [dir]/bots/program
    random   [hash]  builtin random
    snake    [hash]  python3 python.py
    warning: link, program are identical bots; only their names distinguish them
    cannot be used: bots/dangling: a broken link to `nowhere` (No such file or directory (os error 2)); fix or remove it
    cannot be used: bots/loop: a broken link to `loop` (Too many levels of symbolic links (os error 40)); fix or remove it
    cannot be used: bots/empty: a folder without a bot.toml; write bots/empty/bot.toml with the `command` that starts it, such as command = ["python3", "bot.py"]
    skipped: bots/.hidden: hidden
    skipped: bots/README.md: documentation
    skipped: bots/fifo: neither a file nor a folder
    skipped: bots/notes.txt: not executable, and not a script with a #! line
    skipped: bots/python.py: part of the bot `snake`
    skipped: bots/starters: starter bots; copy one to use it
    --- stderr
    "#);
}

#[test]
fn what_a_manifest_names_is_no_bot_of_its_own() {
    let dir = Dir::with_bots(&["random"]);
    dir.script("bots/smart.py", "exit");
    dir.script("bots/helper.py", "exit");
    dir.file("bots/book.bin", "e4");
    dir.script("bots/other.py", "exit");
    dir.file("bots/smart.toml", "command = [\"./smart.py\"]\nfiles = [\"helper.py\", \"book.bin\"]");
    insta::assert_snapshot!(dir.arena("bots"), @"
    exit 0
    --- stdout
    other.py  [hash]  [dir]/bots/other.py
    random    [hash]  builtin random
    smart     [hash]  [dir]/bots/smart.py
    skipped: bots/book.bin: part of the bot `smart`
    skipped: bots/helper.py: part of the bot `smart`
    skipped: bots/smart.py: part of the bot `smart`
    --- stderr
    ");
    insta::assert_snapshot!(dir.arena("check smart.py"), @"
    exit 1
    --- stdout
    --- stderr
    error: bots/smart.py is not a bot: part of the bot `smart`
    ");
    // Who asks for it by its path, or under a name of its own, gets it.
    let bots = dir.arena_ends(0, "bots --bot alone=bots/smart.py").stdout;
    assert!(bots.contains("\nalone  ") || bots.starts_with("alone  "), "{bots}");
}

#[test]
fn a_name_that_was_passed_over_is_explained_when_it_is_asked_for() {
    let dir = Dir::new();
    dir.file("bots/mybot.py", "#!/usr/bin/env python3\n");
    dir.file("bots/folder/bot.py", "");
    for (name, says) in [
        ("mybot.py", "bots/mybot.py is not a bot: not executable; chmod +x bots/mybot.py"),
        ("mybot", "bots/mybot.py is not a bot: not executable; chmod +x bots/mybot.py"),
        ("folder", "bots/folder is not a bot: a folder without a bot.toml"),
        ("nobody", "no bot named `nobody`"),
    ] {
        let ended = dir.arena_ends(1, &format!("check {name}"));
        assert!(ended.stderr.contains(says), "{ended}");
    }
}

#[test]
fn line_ends_of_windows_are_found_behind_env_too() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.script("bots/windows", "");
    dir.file("bots/windows", "#!/usr/bin/env python3\r\nprint()\r\n");
    dir.script("bots/folder/run.py", "");
    dir.file("bots/folder/run.py", "#!/usr/bin/env python3\r\n");
    dir.file("bots/folder/bot.toml", "command = [\"./run.py\"]");
    let told = "its first line ends in CR LF; save it with Unix line ends";
    for bot in ["windows", "folder"] {
        let ended = dir.arena_ends(1, &format!("check {bot}"));
        assert!(ended.stderr.contains(told), "{ended}");
    }
    let ended = dir.arena_ends(2, QUICK);
    assert!(ended.stderr.contains(&format!("left out: bots/windows: {told}\n")), "{ended}");
}

#[test]
fn the_check_that_is_proposed_tries_the_bot_as_it_was_tried() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.script("other/dumb", DUMB);
    dir.script("else/where", DUMB);
    let ended = dir.arena_ends(1, "match other/dumb random --rounds 1 --move-time 30s --sandbox off -j 1");
    let told = "more: arena check other/dumb --move-time 30s --sandbox off --game connect4\n";
    assert!(ended.stderr.contains(told), "{ended}");
    let ended = dir.arena_ends(2, &format!("{QUICK} --bot far=else/where"));
    let (_, told) = ended.stderr.split_once("more: arena ").expect("a command");
    let told = told.lines().next().expect("a command");
    assert_eq!(told, "check far --game tictactoe --move-time 30s --bot far=else/where");
    let ended = dir.arena_ends(2, told);
    assert!(ended.stdout.contains("FAIL  starts"), "{ended}");
}

#[test]
fn a_broken_manifest_is_named_with_its_line_and_the_cure() {
    let dir = Dir::new();
    for (name, text) in [
        ("a-key", "builtin = \"random\"\n\ncomand = []"),
        ("b-both", "command = [\"x\"]\nbuiltin = \"random\""),
        ("c-neither", "games = [\"connect4\"]"),
        ("d-strategy", "\nbuiltin = \"minmax\""),
        ("e-option", "builtin = \"minimax\"\n[options]\ndepth = 2\nnode = 5"),
        ("f-value", "builtin = \"minimax\"\n[options]\ndepth = -1"),
        ("g-game", "builtin = \"random\"\ngames = [\n  \"connect4\",\n  \"conect4\",\n]"),
        ("h-syntax", "builtin = \"random"),
        ("i-type", "command = \"python3 bot.py\""),
        ("j-empty", "command = []"),
        ("k-options", "command = [\"x\"]\n[options]\ndepth = 2"),
        ("l-name", "name = \"a,b\"\nbuiltin = \"random\""),
        ("j-nobody", "command = [\"\"]"),
        ("j-nul", "command = [\"x\", \"\\u0000\"]"),
        ("k-env", "command = [\"x\"]\nenv = { \"A=B\" = \"C\" }"),
        ("k-files-builtin", "builtin = \"random\"\n\nfiles = [\"book\"]"),
        ("k-env-builtin", "builtin = \"random\"\n[env]\nLEVEL = \"2\""),
        ("k-startup", "command = [\"x\"]\nstartup_ms = 0"),
        ("k-games", "command = [\"x\"]\ngames = []"),
        ("k-startup-long", "command = [\"x\"]\nstartup_ms = 600001"),
        ("k-startup-large", "command = [\"x\"]\nstartup_ms = 99999999999999999999"),
        ("k-value-large", "builtin = \"mcts\"\n[options]\nplayouts = 99999999999999999999"),
        ("m-utf8", "builtin = \"\u{202e}random\""),
    ] {
        dir.file(&format!("bots/{name}.toml"), text);
    }
    dir.file("bots/n-bytes.toml", b"# A bot.\nbuiltin = \"\xff\"");
    dir.file("bots/o-folder/bot.toml", "biultin = \"random\"");
    insta::assert_snapshot!(dir.arena("bots"), @r#"
    exit 2
    --- stdout
    no bots in bots; put an executable, a manifest NAME.toml or a bot folder there, or make one with `arena new-bot NAME`
    cannot be used: bots/a-key.toml: line 3, `comand = []`: unknown field `comand`, expected one of `name`, `command`, `build`, `build_network`, `builtin`, `protocol`, `options`, `env`, `games`, `fresh`, `startup_ms`, `limits`, `sandbox`, `files`, `exclude`, `tags`
    cannot be used: bots/b-both.toml: line 2: `command` and `builtin` exclude each other; remove one
    cannot be used: bots/c-neither.toml: it needs `command = ["program", "argument"]` or `builtin = "strategy"`
    cannot be used: bots/d-strategy.toml: line 2: no strategy named `minmax` (did you mean `minimax`?); known: random, greedy, minimax, mcts, perfect, marbles-solver, codebreaker
    cannot be used: bots/e-option.toml: line 4: strategy `minimax`: no parameter named `node` (did you mean `nodes`?); known: depth, nodes
    cannot be used: bots/f-value.toml: line 3: strategy `minimax`: `depth` cannot be -1; expected an integer from 0 to 1024
    cannot be used: bots/g-game.toml: line 4: no game named `conect4` (did you mean `connect4`?); known: [every game]
    cannot be used: bots/h-syntax.toml: line 1, `builtin = "random`: invalid basic string, expected `"`
    cannot be used: bots/i-type.toml: line 1, `command = "python3 bot.py"`: invalid type: string "python3 bot.py", expected a list
    cannot be used: bots/j-empty.toml: `command` names no program; write for example command = ["python3", "bot.py"]
    cannot be used: bots/j-nobody.toml: `command` names no program; write for example command = ["python3", "bot.py"]
    cannot be used: bots/j-nul.toml: `command` contains a NUL character; remove it
    cannot be used: bots/k-env-builtin.toml: line 3: `env` only applies to a `command`; remove it
    cannot be used: bots/k-env.toml: `env` cannot set `A=B`: names cannot contain `=`, and neither names nor values NUL
    cannot be used: bots/k-files-builtin.toml: line 3: `files` only applies to a `command`; remove it
    cannot be used: bots/k-games.toml: `games` is empty; remove it to play all games
    cannot be used: bots/k-options.toml: line 3: the json protocol has no options; give arguments in `command`
    cannot be used: bots/k-startup-large.toml: line 2, `startup_ms = 99999999999999999999`: the number is too large; use at most 9223372036854775807
    cannot be used: bots/k-startup-long.toml: line 2: `startup_ms` cannot be 600001, at most 600000 (ten minutes)
    cannot be used: bots/k-startup.toml: line 2: `startup_ms` cannot be 0; remove it to use the default of 10000
    cannot be used: bots/k-value-large.toml: line 3, `playouts = 99999999999999999999`: the number is too large; use at most 9223372036854775807
    cannot be used: bots/l-name.toml: `a,b` is not a valid bot name; use 1 to 32 of A-Z a-z 0-9 . _ - (not beginning with . or -), or name it with --bot NAME=PATH
    cannot be used: bots/m-utf8.toml: line 1: no strategy named `\u{202e}random` (did you mean `random`?); known: random, greedy, minimax, mcts, perfect, marbles-solver, codebreaker
    cannot be used: bots/n-bytes.toml: the manifest cannot be read: line 2 is not UTF-8; save it as UTF-8
    cannot be used: bots/o-folder: line 1, `biultin = "random"`: unknown field `biultin`, expected one of `name`, `command`, `build`, `build_network`, `builtin`, `protocol`, `options`, `env`, `games`, `fresh`, `startup_ms`, `limits`, `sandbox`, `files`, `exclude`, `tags`
    --- stderr
    "#);
    insta::assert_snapshot!(dir.arena("check e-option"), @"
    exit 1
    --- stdout
    --- stderr
    error: bots/e-option.toml cannot be used: line 4: strategy `minimax`: no parameter named `node` (did you mean `nodes`?); known: depth, nodes
    ");
    insta::assert_snapshot!(dir.arena("check ./bots/e-option.toml"), @"
    exit 1
    --- stdout
    --- stderr
    error: ./bots/e-option.toml
      caused by: line 4
      caused by: strategy `minimax`: no parameter named `node` (did you mean `nodes`?); known: depth, nodes
    ");
}

#[test]
fn a_name_that_would_break_a_table_is_refused_escaped() {
    let dir = Dir::new();
    let names: [&[u8]; 9] =
        [b"a,b", b"a\nb", b"a\"b", b"-rf", b"a\xffb", b"a b", b"\x1b[31mred", "\u{202e}txt".as_bytes(), &[b'x'; 33]];
    for name in names {
        let path = dir.path("bots").join(OsStr::from_bytes(name));
        fs::write(&path, "#!/bin/sh\n").expect("a file");
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("a mode");
    }
    dir.file("bots/\u{1b}[2J.toml", "biultin = \"\u{1b}[2J\"");
    let ended = dir.arena("bots");
    assert!(!ended.stdout.contains(['\u{1b}', '\u{202e}']), "{ended}");
    insta::assert_snapshot!(ended, @r#"
    exit 2
    --- stdout
    no bots in bots; put an executable, a manifest NAME.toml or a bot folder there, or make one with `arena new-bot NAME`
    cannot be used: bots/\u{1b}[2J.toml: line 1, `biultin = "\u{1b}[2J"`: invalid basic string, expected non-double-quote visible characters, `\`
    cannot be used: bots/\u{1b}[31mred: `\u{1b}[31mred` is not a valid bot name; use 1 to 32 of A-Z a-z 0-9 . _ - (not beginning with . or -), or name it with --bot NAME=PATH
    cannot be used: bots/-rf: `-rf` is not a valid bot name; use 1 to 32 of A-Z a-z 0-9 . _ - (not beginning with . or -), or name it with --bot NAME=PATH
    cannot be used: bots/a\nb: `a\nb` is not a valid bot name; use 1 to 32 of A-Z a-z 0-9 . _ - (not beginning with . or -), or name it with --bot NAME=PATH
    cannot be used: bots/a b: `a b` is not a valid bot name; use 1 to 32 of A-Z a-z 0-9 . _ - (not beginning with . or -), or name it with --bot NAME=PATH
    cannot be used: bots/a"b: `a"b` is not a valid bot name; use 1 to 32 of A-Z a-z 0-9 . _ - (not beginning with . or -), or name it with --bot NAME=PATH
    cannot be used: bots/a,b: `a,b` is not a valid bot name; use 1 to 32 of A-Z a-z 0-9 . _ - (not beginning with . or -), or name it with --bot NAME=PATH
    cannot be used: bots/a�b: `a�b` is not a valid bot name; use 1 to 32 of A-Z a-z 0-9 . _ - (not beginning with . or -), or name it with --bot NAME=PATH
    cannot be used: bots/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx` is not a valid bot name; use 1 to 32 of A-Z a-z 0-9 . _ - (not beginning with . or -), or name it with --bot NAME=PATH
    cannot be used: bots/\u{202e}txt: `\u{202e}txt` is not a valid bot name; use 1 to 32 of A-Z a-z 0-9 . _ - (not beginning with . or -), or name it with --bot NAME=PATH
    --- stderr
    "#);
    let ended = dir.arena("tournament");
    assert!(!ended.stderr.contains(['\u{1b}', '\u{202e}']), "{ended}");
    insta::assert_snapshot!(dir.arena("bots --bot a,b=bots/x --bots bots"), @"
    exit 1
    --- stdout
    --- stderr
    error: invalid value 'a,b=bots/x' for '--bot <NAME=PATH>': `a,b` is not a valid bot name; use 1 to 32 of A-Z a-z 0-9 . _ - (not beginning with . or -), or name it with --bot NAME=PATH

    For more information, try '--help'.
    ");
}

#[test]
fn bots_that_cannot_play_are_reported_while_others_are_checked() {
    let dir = Dir::with_bots(&["random"]);
    dir.script("bots/dumb", DUMB);
    // It says hello when it is too late for this test.
    dir.file("bots/mute.toml", "command = [\"sleep\", \"1000\"]\nstartup_ms = 600000");
    let running = dir.start(&format!("{} --fresh", QUICK.replace("-j 1", "-j 2 --oversubscribe")));
    until(LIMIT, "it says so", || running.stderr().contains("left out: dumb: "));
    until(LIMIT, "the other is started", || dir.processes().iter().any(|words| words.starts_with("sleep")));
    running.signal(rustix::process::Signal::INT);
    let ended = running.wait(LIMIT);
    assert_eq!(ended.status, Some(3), "{ended}");
    assert!(!ended.stderr.contains("left out: mute"), "it was we who ended it: {ended}");
    let again = format!("stopped while checking the bots; start again with: {} ", crate::support::arena());
    assert!(ended.stderr.contains(&again) && ended.stderr.trim_end().ends_with(" --fresh --seed 1"), "{ended}");
}

#[track_caller]
fn fingerprint(dir: &Dir, name: &str) -> String {
    let roster = Roster::find(&dir.path("bots"), &[], &settings("")).expect("a roster");
    roster.get(name).unwrap_or_else(|error| panic!("{error:#}")).fingerprint.clone()
}

#[test]
fn a_fingerprint_changes_with_what_makes_a_bot_play_and_with_nothing_else() {
    let dir = Dir::new();
    dir.script("bots/script", "exit");
    dir.script("bots/pack/run.sh", "exit");
    dir.file("bots/pack/data/weights", "1");
    dir.file("bots/pack/bot.toml", "command = [\"./run.sh\"]");
    dir.file("bots/alone.toml", "command = [\"sh\", \"alone.sh\"]");
    dir.file("bots/alone.sh", "exit");
    dir.builtin("builtin", "minimax depth=2");
    let all = || ["script", "pack", "alone", "builtin"].map(|name| fingerprint(&dir, name));
    let unchanged = |why: &str, before: &[String; 4]| assert_eq!(&all(), before, "{why}");
    let changed = |why: &str, which: usize, before: &[String; 4]| {
        let now = all();
        for (index, (now, before)) in now.iter().zip(before).enumerate() {
            assert_eq!(now != before, index == which, "{why}: bot {index}");
        }
        now
    };
    let now = all();
    assert_eq!(now.iter().collect::<std::collections::HashSet<_>>().len(), 4);

    for file in ["script", "pack/run.sh", "alone.sh", "builtin.toml"] {
        let touched = fs::File::options().append(true).open(dir.path("bots").join(file)).expect("a file");
        touched.set_modified(std::time::SystemTime::UNIX_EPOCH).expect("a time");
    }
    if can_close(SandboxMode::Auto) {
        dir.file("bots/pack/__pycache__/x.pyc", "1");
        dir.file("bots/pack/data/.git/HEAD", "1");
    }
    dir.file("bots/other.py", "1");
    fs::rename(dir.path("bots"), dir.path("elsewhere")).expect("moved");
    fs::rename(dir.path("elsewhere"), dir.path("bots")).expect("moved");
    unchanged("touching, caches, strangers", &now);
    dir.file("bots/alone.toml", "name = \"alone\"\ncommand = [\"sh\",\n \"alone.sh\"]\n");
    dir.file("bots/builtin.toml", "name = \"builtin\"\nbuiltin = \"minimax\"\noptions = { depth = 2 } # The same.\n");
    unchanged("a name and a comment in a manifest", &now);

    dir.script("bots/script", "# A comment.\nexit");
    let now = changed("a comment in a script", 0, &now);
    dir.file("bots/pack/data/weights", "2");
    let now = changed("a file in its folder", 1, &now);
    dir.file("bots/pack/data/.hidden", "1");
    let now = changed("a hidden file in its folder", 1, &now);
    dir.file("bots/pack/bot.toml", "# A comment that it can read.\ncommand = [\"./run.sh\"]\n");
    let now = changed("a comment in the manifest in its folder", 1, &now);
    fs::rename(dir.path("bots/pack/data/weights"), dir.path("bots/pack/data/heights")).expect("renamed");
    let now = changed("the name of a file in its folder", 1, &now);
    dir.file("bots/pack/bot.toml", "command = [\"./run.sh\", \"--hard\"]");
    let now = changed("an argument", 1, &now);
    dir.file("bots/alone.sh", "exit 0");
    let now = changed("a file named in a command", 2, &now);
    dir.file("bots/alone.toml", "command = [\"sh\", \"alone.sh\"]\nenv = { LEVEL = \"2\" }");
    let now = changed("the environment", 2, &now);
    dir.file("bots/lib/a.py", "1");
    dir.file("bots/alone.toml", "command = [\"sh\", \"alone.sh\"]\nfiles = [\"lib\"]");
    let now = changed("more files", 2, &now);
    fs::rename(dir.path("bots/lib/a.py"), dir.path("bots/lib/b.py")).expect("renamed");
    let now = changed("the name of a file in a folder of its own", 2, &now);
    dir.builtin("builtin", "minimax depth=3");
    let now = changed("an option", 3, &now);
    dir.file("bots/pack.toml", "limits = { memory_mb = 2048 }");
    let now = changed("what its folder is allowed", 1, &now);
    dir.file("bots/alone.toml", "command = [\"sh\", \"alone.sh\"]\nfiles = [\"lib\"]\nsandbox = \"strict\"");
    let now = changed("a sandbox", 2, &now);
    dir.file("bots/builtin.toml", "builtin = \"minimax\"\noptions = { depth = 3 }\nstartup_ms = 20000");
    changed("a time to start", 3, &now);
}

#[test]
fn with_other_bounds_on_the_command_line_all_games_are_others() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let mut known = std::collections::HashSet::new();
    for (flags, others) in [
        ("", true),
        // What holds anyway is the same.
        ("--sandbox auto --limits memory_mb=1024 --startup-max 10s", false),
        ("--limits memory_mb=512", true),
        ("--sandbox off", true),
        ("--freeze-idle", true),
        ("--startup-max 5s", true),
    ] {
        let before = known.len();
        dir.arena_ends(0, &format!("{QUICK} {flags}"));
        known.extend(dir.journal("tictactoe").games.into_iter().map(|game| game.id));
        assert_eq!(known.len() > before, others, "{flags}");
    }
    assert_eq!(known.len(), 2 * 5);
}

/// What `arena bots` says of the only bot, `limited`, with what it is allowed.
fn limited(dir: &Dir, flags: &str) -> (Limits, u64, Vec<String>) {
    let roster = Roster::find(&dir.path("bots"), &[], &settings(flags)).expect("a roster");
    let found = roster.get("limited").unwrap_or_else(|error| panic!("{error:#}"));
    (found.launch.limits.clone(), found.launch.startup.as_millis() as u64, found.refused.clone())
}

fn settings(limits: &str) -> RosterSettings {
    let limits = if limits.is_empty() { NamedLimits::default() } else { limits.parse().expect("limits") };
    RosterSettings { guard: crate::support::guard(), limits, ..RosterSettings::default() }
}

#[test]
fn a_folder_lowers_its_limits_and_the_file_beside_it_raises_them() {
    const RAISED: &str = "startup_ms = 600000\nlimits = { memory_mb = 0, processes = 100000, open_files = 64 }";
    let dir = Dir::new();
    dir.script("bots/limited/run", "exit");
    dir.file("bots/limited/bot.toml", format!("command = [\"./run\"]\n{RAISED}"));
    let lowered = Limits { open_files: 64, ..Limits::default() };
    let (limits, startup_ms, refused) = limited(&dir, "");
    assert_eq!((limits, startup_ms, refused.len()), (lowered.clone(), 10_000, 2));
    insta::assert_snapshot!(dir.arena("bots"), @"
    exit 0
    --- stdout
    limited  [hash]  [dir]/bots/limited/run
    warning: limited: its bot.toml asks for memory_mb=off, processes=100000 and gets memory_mb=1024, processes=128, since a manifest inside a bot's folder can only lower limits; to allow it, write `limits = { memory_mb = 0, processes = 100000 }` into bots/limited.toml, or use --limits memory_mb=off,processes=100000
    warning: limited: its bot.toml asks for startup_ms=600000 and gets 10000, since a manifest inside a bot's folder can only lower limits; to allow it, write `startup_ms = 600000` into bots/limited.toml, or use --startup-max 600000ms
    --- stderr
    ");
    // Nobody else is asked.
    for (place, text) in [("bots/limited/limited.toml", RAISED), ("limited.toml", RAISED)] {
        dir.file(place, text);
        let (limits, startup_ms, _) = limited(&dir, "");
        assert_eq!((limits, startup_ms), (lowered.clone(), 10_000), "{place}");
    }

    dir.file("bots/limited.toml", "limits = { memory_mb = 4096 }\nsandbox = \"landlock\"");
    let (limits, startup_ms, refused) = limited(&dir, "");
    assert_eq!((limits, startup_ms, refused.len()), (Limits { memory_mb: 4096, ..lowered.clone() }, 10_000, 2));
    dir.file("bots/limited.toml", RAISED);
    let raised = Limits { memory_mb: 0, processes: 100_000, ..lowered };
    assert_eq!(limited(&dir, ""), (raised.clone(), 600_000, Vec::new()));
    // A link to the bots folder, or another way to it, is the bots folder.
    symlink("bots", dir.path("link")).expect("a link");
    let by_path = |path: &str| {
        let settings = RosterSettings { bots: Some(dir.path("link")), ..settings("processes=16") };
        Roster::only("x", &dir.path(path), &settings).expect("a bot").launch.limits
    };
    for path in ["bots/limited", "bots/../bots/limited", "bots/limited/bot.toml", "link/limited"] {
        assert_eq!(by_path(path), Limits { processes: 16, ..raised.clone() }, "{path}");
    }
    assert_eq!(limited(&dir, "memory_mb=512").0, Limits { memory_mb: 512, ..raised });
    let listed = dir.arena_ends(0, "bots").stdout;
    let beside = "skipped: bots/limited.toml: limits of the bot folder `limited`, which are in force\n";
    assert!(listed.contains(beside) && !listed.contains("warning"), "{listed}");
}

#[test]
fn a_manifest_outside_the_bots_folder_only_lowers_limits() {
    let dir = Dir::with_bots(&["random"]);
    dir.script("upload/alice/run", &format!("exec {} bot random", arena()));
    let text = "command = [\"./run\"]\nstartup_ms = 600000\nlimits = { memory_mb = 0, open_files = 64 }\n";
    dir.file("upload/alice/alt.toml", text);
    let only = |path: &str, bots: Option<&str>| {
        let settings = RosterSettings { bots: bots.map(|bots| dir.path(bots)), ..RosterSettings::default() };
        let launch = Roster::only("x", &dir.path(path), &settings).expect("a bot").launch;
        (launch.limits, launch.startup.as_millis())
    };
    let lowered = Limits { open_files: 64, ..Limits::default() };
    assert_eq!(only("upload/alice/alt.toml", Some("bots")), (lowered.clone(), 10_000));
    assert_eq!(only("upload/alice/alt.toml", None), (lowered.clone(), 10_000));
    assert_eq!(only("upload/alice/alt.toml", Some("upload")), (lowered.clone(), 10_000), "below it is not in it");
    let raised = Limits { memory_mb: 0, ..lowered };
    assert_eq!(only("upload/alice/alt.toml", Some("upload/../upload/alice")), (raised, 600_000));

    let why = "since a manifest outside the bots folder can only lower limits; to allow it, move the manifest into the \
               bots folder, or use --";
    let told = |manifest: &str| {
        [
            format!(
                "its manifest {manifest} asks for memory_mb=off and gets memory_mb=1024, {why}limits memory_mb=off"
            ),
            format!("its manifest {manifest} asks for startup_ms=600000 and gets 10000, {why}startup-max 600000ms"),
        ]
    };
    let listed = dir.arena_ends(0, "bots --bot a=upload/alice/alt.toml").stdout;
    let checked = dir.arena_ends(0, "check upload/alice/alt.toml --game tictactoe --move-time 30s").stderr;
    for told in told("upload/alice/alt.toml") {
        assert!(listed.contains(&format!("warning: a: {told}\n")), "{listed}");
        assert!(checked.contains(&format!("warning: alt: {told}\n")), "{checked}");
    }
}

#[test]
fn a_file_beside_a_folder_that_is_broken_leaves_it_out() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.script_bot("folder/run", "random");
    dir.file("bots/folder/bot.toml", "command = [\"./run\"]");
    for (text, says) in [
        (
            "limits = { memory = 1 }",
            "line 1, `limits = { memory = 1 }`: no limit named `memory` (did you mean `memory_mb`?)",
        ),
        ("limits = { open_files = 5 }", "line 1: limit open_files: `5` is too small"),
        ("startup_ms = 600001", "line 1: `startup_ms` cannot be 600001, at most 600000 (ten minutes)"),
        ("sandbox = \"off\"", "line 1: a manifest may only ask for a stricter sandbox"),
        (
            "env = { A = \"B\" }",
            "`env` cannot be set beside a bot folder, only `limits`, `startup_ms`, `sandbox`, `tags` and `build_network`",
        ),
    ] {
        dir.file("bots/folder.toml", text);
        let listed = dir.arena_ends(2, "bots").stdout;
        for place in ["bots/folder.toml: ", "bots/folder: permissions in bots/folder.toml: "] {
            assert!(listed.contains(&format!("cannot be used: {place}{says}")), "{text}: {place}: {listed}");
        }
    }
    // Without the folder it is a manifest like others.
    fs::remove_file(dir.path("bots/folder/bot.toml")).expect("removed");
    dir.file("bots/folder.toml", "startup_ms = 1");
    let listed = dir.arena_ends(2, "bots").stdout;
    assert!(listed.contains("cannot be used: bots/folder.toml: it needs `command = "), "{listed}");
}

#[test]
fn limits_that_are_not_granted_are_reported_and_recorded() {
    let dir = Dir::with_bots(&["random"]);
    dir.script("bots/greedy/run", &format!("exec {} bot greedy", arena()));
    dir.file("bots/greedy/bot.toml", "command = [\"./run\"]\nlimits = { memory_mb = 0 }\nstartup_ms = 60000");
    let told = [
        "greedy: its bot.toml asks for memory_mb=off and gets memory_mb=1024, since a manifest inside a bot's folder can \
         only lower limits; to allow it, write `limits = { memory_mb = 0 }` into bots/greedy.toml, or use --limits \
         memory_mb=off",
        "greedy: its bot.toml asks for startup_ms=60000 and gets 10000, since a manifest inside a bot's folder can only \
         lower limits; to allow it, write `startup_ms = 60000` into bots/greedy.toml, or use --startup-max 60000ms",
    ];
    let ended = dir.arena_ends(0, QUICK);
    let checked = dir.arena_ends(0, "check greedy --game tictactoe --move-time 30s");
    let matched = dir.arena_ends(0, &format!("match random bots/greedy {}", QUICK.trim_start_matches("tournament")));
    let kept = dir.journal("tictactoe").event.expect("an event").warnings;
    let summary = dir.read("results/tictactoe/tournament.json");
    for told in told {
        for said in [&ended.stderr, &checked.stderr, &matched.stderr] {
            assert!(said.contains(&format!("warning: {told}\n")), "{said}");
        }
        assert!(kept.iter().any(|kept| kept == told), "{kept:?}");
        assert!(summary.contains(&told[..40]), "{summary}");
    }
    // The cure works, and so does the other one.
    let ended = dir.arena_ends(0, &format!("{QUICK} --limits memory_mb=off --startup-max 60000ms"));
    assert!(!ended.stderr.contains("asks for"), "{ended}");
    dir.file("bots/greedy.toml", "limits = { memory_mb = 0 }\nstartup_ms = 60000");
    let ended = dir.arena_ends(0, QUICK);
    assert!(!ended.stderr.contains("asks for"), "{ended}");
    let warnings = dir.journal("tictactoe").event.expect("an event").warnings;
    assert!(!warnings.iter().any(|kept| kept.contains("asks for")), "{warnings:?}");
}

#[test]
fn the_most_time_to_start_is_within_reason() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    for most in ["0s", "601s", "x"] {
        let ended = dir.arena_ends(1, &format!("{QUICK} --startup-max {most}"));
        assert!(ended.stderr.contains(&format!("invalid value '{most}' for '--startup-max <TIME>'")), "{ended}");
    }
    dir.arena_ends(0, &format!("{QUICK} --startup-max 600s"));
}

#[test]
fn a_manifest_that_is_a_link_out_of_its_folder_is_not_read() {
    let dir = Dir::with_bots(&["random"]);
    dir.file("secret", "token = \"hunter2\"\n");
    dir.file("bots/neighbour", "token = \"hunter2\"");
    dir.file("bots/inside/deep/real.toml", "builtin = \"greedy\"");
    let link = |target: &str, name: &str| {
        fs::create_dir_all(dir.path(format!("bots/{name}"))).expect("a folder");
        symlink(target, dir.path(format!("bots/{name}/bot.toml"))).expect("a link");
    };
    link("deep/real.toml", "inside");
    link("../../secret", "outside");
    link("../neighbour", "other");
    link("/etc/os-release", "installed");
    link("/etc/shadow", "absolute");
    link("via/secret", "folder");
    symlink("../..", dir.path("bots/folder/via")).expect("a link");
    for (target, name) in [("/dev/zero", "device"), ("nowhere", "dangling"), ("bot.toml", "loop"), ("fifo", "fifo")] {
        link(target, name);
    }
    assert!(std::process::Command::new("mkfifo").arg(dir.path("bots/fifo/fifo")).status().expect("mkfifo").success());
    let ended = dir.arena("bots");
    assert!(!ended.stdout.contains("hunter2") && !ended.stdout.contains("PRETTY"), "{ended}");
    insta::assert_snapshot!(ended, @"
    exit 2
    --- stdout
    inside  [hash]  builtin greedy
    random  [hash]  builtin random
    cannot be used: bots/absolute: `bot.toml` is a link to `/etc/shadow`, which is not inside the bot's folder; put it there
    cannot be used: bots/folder: `bot.toml` is a link to `via/secret`, which is not inside the bot's folder; put it there
    cannot be used: bots/installed: `bot.toml` is a link to `/etc/os-release`, which is not inside the bot's folder; put it there
    cannot be used: bots/other: `bot.toml` is a link to `../neighbour`, which is not inside the bot's folder; put it there
    cannot be used: bots/outside: `bot.toml` is a link to `../../secret`, which is not inside the bot's folder; put it there
    cannot be used: bots/dangling: its bot.toml is a broken link or not a regular file; replace it with a file
    cannot be used: bots/device: its bot.toml is a broken link or not a regular file; replace it with a file
    cannot be used: bots/fifo: its bot.toml is a broken link or not a regular file; replace it with a file
    cannot be used: bots/loop: its bot.toml is a broken link or not a regular file; replace it with a file
    skipped: bots/neighbour: not executable, and not a script with a #! line
    --- stderr
    ");
    for name in ["outside", "folder", "other"] {
        let refused = dir.arena_ends(1, &format!("check ./bots/{name}"));
        assert!(!refused.stderr.contains("hunter2") && refused.stderr.contains("is a link to"), "{refused}");
        let refused = dir.arena_ends(1, &format!("check ./bots/{name}/bot.toml"));
        assert!(!refused.stderr.contains("hunter2") && refused.stderr.contains("is a link to"), "{refused}");
    }
}

#[test]
fn a_default_spelt_out_is_the_same_bot() {
    let dir = Dir::new();
    dir.builtin("plain", "minimax");
    let roster = Roster::find(&dir.path("bots"), &[], &settings("")).expect("a roster");
    let command = roster.get("plain").expect("a bot").command.clone();
    let options: Vec<&str> = command.split(' ').skip(2).collect();
    dir.builtin("spelt", &format!("minimax {}", options.join(" ")));
    assert!(!options.is_empty());
    assert_eq!(fingerprint(&dir, "plain"), fingerprint(&dir, "spelt"));
}

#[test]
fn a_bot_that_does_not_work_is_left_out_and_the_rest_play() {
    let dir = Dir::with_bots(&["random", "greedy", "codebreaker"]);
    dir.script("bots/dumb", DUMB);
    dir.script("bots/checkers", CHECKERS);
    dir.file("bots/silent.toml", "command = [\"sleep\", \"1000\"]\nstartup_ms = 200");
    dir.file("bots/absent.toml", "command = [\"./no-such-program\"]");
    dir.file("bots/broken.toml", "comand = []");
    insta::assert_snapshot!(dir.arena(QUICK), @r#"
    exit 2
    --- stdout
    Wins-draws-losses of the row against the column:
    #  Name        1      2
    1  greedy      *  1-1-0
    2  random  0-1-1      *

    tictactoe round-robin · 2 bots · 2 games · [when]
    bots/broken.toml is left out: line 1, `comand = []`: unknown field `comand`, expected one of `name`, `command`, `build`, `build_network`, `builtin`, `protocol`, `options`, `env`, `games`, `fresh`, `startup_ms`, `limits`, `sandbox`…
    absent is left out: cannot start [dir]/bots/no-such-program: no such program
    dumb is left out: no licence; it exited with status 7 before it said hello
    silent is left out: no hello within 200 ms of its start; it wrote nothing to stdout: a bot answers hello with {"type":"hello","protocol":1}; an engine of another protocol needs `protocol` in its manifest, or an adapter
    greedy scored 75.0% against random: 1-1-0.
    The games do not show whether greedy is stronger than random (+190.8 ± 786.3 Elo, LOS 68.3%); if that is the true difference, about 16 more rounds would settle it.
    All ratings and margins apply to these openings only: one was played, too few to generalise.
    The first seat scored 75.0 % of 2 games.
    Worth seeing: 5524a541 (random against greedy, the longest: 9 plies).

    report: results/tictactoe/report.html  tables: *.csv  journal: games.jsonl

    Rank  Name      Elo   ±95%  Games  W-D-L  Points  Score    LOS   First  Second  Faults
     1–2  greedy  +95.4  393.2      2  1-1-0     1.5  75.0%  68.3%  100.0%   50.0%       0
     1–2  random  -95.4  393.2      2  0-1-1     0.5  25.0%          50.0%    0.0%       0
    --- stderr
    left out: bots/broken.toml: line 1, `comand = []`: unknown field `comand`, expected one of `name`, `command`, `build`, `build_network`, `builtin`, `protocol`, `options`, `env`, `games`, `fresh`, `startup_ms`, `limits`, `sandbox`, `files`, `exclude`, `tags`
    left out: absent: cannot start [dir]/bots/no-such-program: no such program
    more: arena check absent --game tictactoe --move-time 30s
    left out: dumb: no licence; it exited with status 7 before it said hello
    left out: silent: no hello within 200 ms of its start; it wrote nothing to stdout: a bot answers hello with {"type":"hello","protocol":1}; an engine of another protocol needs `protocol` in its manifest, or an adapter
    tictactoe: 2 bots, 1 round, 2 games, 30000 ms a move, seed 1
    bots for other games: codebreaker, checkers
    playing 1 at a time
    "#);
    assert!(dir.processes().is_empty());
    insta::assert_snapshot!(dir.read("results/tictactoe/bots/dumb.log"), @r#"
    == check before the first game
    stderr: no licence
    referee: startup_failed: it exited with status 7 before it said hello
    referee: last line sent: {"type":"hello","protocol":1,"arena":"0.1.0","max_line_bytes":65536,"startup_ms":10000}
    "#);
    // What was left out is still left out when there is nothing to play.
    let ended = dir.arena_ends(2, QUICK);
    assert!(ended.stderr.contains("left out: dumb: ") && ended.stderr.contains("nothing new to play"), "{ended}");
}

#[test]
fn a_bot_that_plays_other_games_sits_out_without_a_fuss() {
    let dir = Dir::with_bots(&["random", "greedy", "codebreaker"]);
    dir.script("bots/checkers", CHECKERS);
    let ended = dir.arena_ends(0, QUICK);
    assert!(ended.stderr.contains("bots for other games: codebreaker, checkers\n"), "{ended}");
    let standings = dir.read("results/tictactoe/standings.csv");
    assert_eq!(standings.lines().count(), 3, "{standings}");
}

#[test]
fn without_the_check_a_broken_bot_loses_its_games() {
    let dir = Dir::with_bots(&["random"]);
    dir.script("bots/dumb", DUMB);
    dir.script("bots/checkers", CHECKERS);
    let ended = dir.arena_ends(3, &format!("{QUICK} --no-check"));
    insta::assert_snapshot!(ended, @"
    exit 3
    --- stdout
    Wins-draws-losses of the row against the column:
    #  Name          1      2      3
    1  random        *  2-0-0  2-0-0
    2  checkers  0-0-2      *      -
    3  dumb      0-0-2      -      *

    tictactoe round-robin · 3 bots · 4 of 6 games · [when]
    checkers: 2 startup_failed; game 0595bea8: it does not play mnk; its hello names checkers
    dumb: 2 startup_failed; game f0b32787: no licence; it exited with status 7 before it said hello
    Cause: arena explain startup_failed
    Game: arena replay 0595bea8 --name results/tictactoe
    To reproduce: (cd bots && ./checkers) < results/tictactoe/bots/checkers.faults/[hash].jsonl
    Log: results/tictactoe/bots/checkers.log
    WITHDRAWN: checkers was withdrawn after 3 failed starts in a row; the last: it does not play mnk; its hello names checkers. Not played, and not rated: 1 game. Games that neither bot could start are among its failed starts: repair it and run the same command again
    WITHDRAWN: dumb was withdrawn after 3 failed starts in a row; the last: no licence; it exited with status 7 before it said hello. Not played, and not rated: 1 game. Games that neither bot could start are among its failed starts: repair it and run the same command again
    1 of 6 games missing, since neither bot could start: repair the bots and run the same command again
    A rating with > or < is unbounded: the bot never lost, or never took, a point against that side of the table.
    All ratings and margins apply to these openings only: one was played, too few to generalise.
    The first seat scored 50.0 % of 4 games (+0.0 ± 472.9 Elo in these openings).

    report: results/tictactoe/report.html  tables: *.csv  journal: games.jsonl

    Rank  Name          Elo  ±95%  Games  W-D-L  Points   Score    LOS   First  Second  Faults
     1–3  random    >-136.3            4  4-0-0     4.0  100.0%  81.7%  100.0%  100.0%       0
     1–3  checkers  <+490.5            2  0-0-2     0.0    0.0%  50.0%    0.0%    0.0%       2
     1–3  dumb      <+490.5            2  0-0-2     0.0    0.0%           0.0%    0.0%       2
    --- stderr
    tictactoe: 3 bots, 1 round, 6 games, 30000 ms a move, seed 1
    playing 1 at a time
    estimate for 6 games: 20 minutes at most
    checkers is withdrawn after 3 failed starts in a row; the last: it does not play mnk; its hello names checkers; its further games are not played
    dumb is withdrawn after 3 failed starts in a row; the last: no licence; it exited with status 7 before it said hello; its further games are not played
    resume with: [arena] tournament --game tictactoe --rounds 1 --move-time 30s -j 1 --no-check --seed 1
    ");
    for game in dir.journal("tictactoe").games {
        for (bot, status) in game.bots.iter().zip(game.statuses) {
            match status {
                Status::Ok => assert_eq!(bot.name, "random"),
                Status::StartupFailed => assert_ne!(bot.name, "random"),
                other => panic!("{}: {other}", bot.name),
            }
        }
        assert_eq!(game.counts(), game.statuses.contains(&Status::Ok));
    }
    // The game that neither could start is tried again, once a run.
    assert_eq!(dir.journal("tictactoe").games.len(), 5);
    dir.arena_ends(3, &format!("{QUICK} --no-check"));
    assert_eq!(dir.journal("tictactoe").games.len(), 6);
    assert!(dir.read("results/tictactoe/bots/dumb.log").contains("no licence"));
}

#[test]
fn strictness_is_about_games_lost_by_faults() {
    let dir = Dir::with_bots(&["random"]);
    dir.script("bots/dumb", DUMB);
    dir.arena_ends(0, &format!("{QUICK} --no-check"));
    dir.arena_ends(2, &format!("{QUICK} --no-check --strict"));
}

#[test]
fn fewer_than_two_bots_play_nothing() {
    let dir = Dir::with_bots(&["random", "codebreaker"]);
    insta::assert_snapshot!(dir.arena(QUICK), @"
    exit 1
    --- stdout
    --- stderr
    error: tictactoe needs two bots; there is only `random` (for other games: codebreaker); `arena bots` lists what is in bots, --builtins adds the built-in bots, --bot NAME=PATH adds a bot from elsewhere
    ");
    assert!(!dir.path("results").exists(), "nothing was begun");
    dir.script("bots/dumb", DUMB);
    insta::assert_snapshot!(dir.arena(QUICK), @"
    exit 1
    --- stdout
    --- stderr
    left out: dumb: no licence; it exited with status 7 before it said hello
    more: arena check dumb --game tictactoe --move-time 30s
    error: tictactoe needs two bots; there is only `random` (for other games: codebreaker); `arena bots` lists what is in bots, --builtins adds the built-in bots, --bot NAME=PATH adds a bot from elsewhere
    ");
    let empty = Dir::new();
    insta::assert_snapshot!(empty.arena(QUICK), @"
    exit 1
    --- stdout
    --- stderr
    error: tictactoe needs two bots; there are none; `arena bots` lists what is in bots, --builtins adds the built-in bots, --bot NAME=PATH adds a bot from elsewhere
    ");
    insta::assert_snapshot!(empty.arena("bots"), @"
    exit 0
    --- stdout
    no bots in bots; put an executable, a manifest NAME.toml or a bot folder there, or make one with `arena new-bot NAME`
    --- stderr
    ");
    fs::remove_dir(empty.path("bots")).expect("removed");
    insta::assert_snapshot!(empty.arena(QUICK), @"
    exit 1
    --- stdout
    --- stderr
    error: there is no folder `bots`; `arena new-bot NAME` makes one with a bot in it, `arena tournament --builtins` plays the built-in bots, and --bots DIR names another folder
    ");
    empty.file("bots", "");
    insta::assert_snapshot!(empty.arena("bots"), @"
    exit 1
    --- stdout
    --- stderr
    error: reading the bots folder bots; name another one with --bots DIR
      caused by: Not a directory (os error 20)
    ");
}

#[test]
fn the_shipped_bots_are_listed() {
    let dir = Dir::with_shipped_bots();
    insta::assert_snapshot!(dir.arena("bots"), @"
    exit 0
    --- stdout
    codebreaker     [hash]  builtin codebreaker
    greedy          [hash]  builtin greedy
    marbles-solver  [hash]  builtin marbles-solver
    mcts            [hash]  builtin mcts playouts=3000 exploration=100
    minimax         [hash]  builtin minimax depth=64 nodes=40000
    perfect         [hash]  builtin perfect nodes=700000 style=resist slip=0
    random          [hash]  builtin random
    --- stderr
    ");
}

#[test]
fn no_link_of_a_folder_leads_out_of_it_wherever_it_lies() {
    let dir = Dir::with_bots(&[]);
    let elsewhere = tempfile::tempdir().expect("a folder");
    fs::write(elsewhere.path().join("notes"), "").expect("a file");
    // What is beside a folder of programs in PATH is installed: here that is everything, the bots folder too.
    dir.script("bin/tool", "");
    dir.file("lib/module", "");
    for name in ["fine", "file", "folder", "neighbour", "word"] {
        dir.script(&format!("bots/{name}/run"), "");
        dir.file(&format!("bots/{name}/bot.toml"), "command = [\"./run\"]");
    }
    dir.file("bots/fine/deep/data", "");
    let link = |target: &Path, place: &str| symlink(target, dir.path(place)).expect("a link");
    for (target, name) in [("deep", "inner"), (".", "round"), ("../../lib", "lib"), ("../../lib/module", "module")] {
        link(Path::new(target), &format!("bots/fine/{name}"));
    }
    link(&elsewhere.path().join("notes"), "bots/file/notes");
    link(elsewhere.path(), "bots/folder/lib");
    link(Path::new("../fine/deep"), "bots/neighbour/lib");
    dir.file("bots/word/bot.toml", "command = [\"../fine/run\"]");
    let path = format!("{}:/usr/bin:/bin", dir.path("bin").display());
    let output = dir.command("bots").env("PATH", path).output().expect("it starts");
    let listed = String::from_utf8_lossy(&output.stdout);
    assert!(listed.lines().any(|line| line.starts_with("fine ")), "{listed}");
    for (name, says) in [
        ("file", "`notes` is a link to `"),
        ("folder", "`lib` is a link to `"),
        ("neighbour", "`lib` is a link to `../fine/deep`, "),
        ("word", "line 1: `command` names `../fine/run`, "),
    ] {
        let says = format!("cannot be used: bots/{name}: {says}");
        let told = listed.lines().find(|line| line.starts_with(&says)).unwrap_or_else(|| panic!("{says}: {listed}"));
        assert!(told.ends_with("which is not inside the bot's folder; put it there"), "{told}");
    }
}

#[test]
fn a_manifest_with_what_no_program_can_be_started_with_is_refused() {
    let dir = Dir::with_bots(&[]);
    dir.script("bots/run", "");
    let variables = |count: usize| (0..count).map(|at| format!("a{at} = \"\"")).collect::<Vec<_>>().join("\n");
    let long = "x".repeat(131_060);
    dir.file("bots/many.toml", format!("command = [\"./run\"]\n[env]\n{}", variables(60_000)));
    dir.file("bots/long.toml", format!("command = [\"./run\"]\nenv = {{ LONG = \"{long}123456789\" }}\n"));
    dir.file("bots/args.toml", format!("\ncommand = [\"./run\", \"{long}12345678\"]\n"));
    dir.file("bots/just.toml", format!("command = [\"./run\"]\nenv = {{ LONG = \"{long}\" }}\n"));
    dir.file("bots/files.toml", "command = [\"./run\"]\n\nlimits = { open_files = 5 }\n");
    let listed = dir.arena_ends(2, "bots");
    let most = "at most 1000 of 131072 are allowed; put the rest into a file";
    for says in [
        format!("many.toml: line 3: `env` has 120000 names and values of 348890 bytes; {most}"),
        format!("long.toml: line 2: `env` has 2 names and values of 131073 bytes; {most}"),
        "files.toml: line 3: limit open_files: `5` is too small: at least 16, or 0 for no limit".to_owned(),
        format!("args.toml: line 2: `command` has 2 words of 131073 bytes; {most}"),
    ] {
        assert!(listed.stdout.contains(&says), "{says}: {listed}");
    }
    assert!(listed.stdout.contains("just "), "{listed}");
}
