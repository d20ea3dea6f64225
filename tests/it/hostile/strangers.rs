//! Rows 54, 89 and 98 to 100: strangers' folders with a `bot.toml`. Whatever they contain, nothing outside is opened that
//! other bots could not read, and no limit is raised. And no `PATH` of the user opens a home.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::time::Duration;

use arena::guard::{Limits, SandboxMode};
use arena::record::{Record, Status};

use super::rows::{Ends, lacks};
use super::scenario::Scenario;
use super::{AMPLE_MS, HOSTILE};
use crate::faults::faulty;
use crate::support::{Dir, arena, is_installed, not_tested};

/// The folder bot, which reads `decoy/secret` beside the bots folder before it plays. `DECOY` is that folder.
#[track_caller]
fn reads_no_decoy(what: &str, first_line: &str, manifest: &str) {
    if let Some(why) = lacks(SandboxMode::Auto) {
        return not_tested(what, why);
    }
    for mode in ["auto", "strict"] {
        let mut scenario = Scenario::new(&format!("{what}, {mode}"), "tictactoe");
        if mode == "strict" && lacks(SandboxMode::Strict).is_some() {
            continue;
        }
        scenario.flags = format!("--sandbox {mode}");
        scenario.move_ms = AMPLE_MS;
        let dir = &scenario.dir;
        dir.file("decoy/secret", "a secret");
        dir.script("decoy/bin/tool", "exec sh \"$@\"");
        let decoy = dir.path("decoy").display().to_string();
        let filled = |text: &str| text.replace("DECOY", &decoy);
        let look = format!("if cat {decoy}/secret > /dev/null; then echo DID read; else echo tried read; fi >&2");
        dir.script(&format!("bots/{HOSTILE}/run"), &format!("{look}\nexec {} bot random", arena()));
        let script = dir.read(&format!("bots/{HOSTILE}/run"));
        let body = script.split_once('\n').expect("a first line").1;
        fs::write(dir.path(format!("bots/{HOSTILE}/run")), format!("{}\n{body}", filled(first_line))).expect("a file");
        dir.file(&format!("bots/{HOSTILE}/bot.toml"), format!("command = [\"./run\"]\n{}\n", filled(manifest)));
        scenario.play().assert_ends(Ends::Plays("stderr: tried read"));
    }
}

#[test]
fn a_path_of_its_own_opens_nothing() {
    reads_no_decoy("a PATH of its own", "#!/bin/sh", "env = { PATH = \"DECOY:DECOY/bin:/usr/bin:/bin\" }");
}

#[test]
fn an_option_of_env_is_no_interpreter() {
    reads_no_decoy("an option of env", "#!/usr/bin/env -S -u DECOY/secret sh", "");
    reads_no_decoy("a program as an option of env", "#!/usr/bin/env -S -u DECOY/bin/tool sh", "");
}

#[test]
fn a_command_that_leads_to_another_bot_is_refused_with_the_cure() {
    let scenario = Scenario::new("row 54, a link to another bot", "tictactoe");
    let dir = &scenario.dir;
    dir.script("bots/victim/bot", &format!("exec {} bot greedy", arena()));
    dir.file("bots/victim/bot.toml", "command = [\"./bot\"]");
    fs::create_dir(dir.path("bots/link")).expect("a folder");
    symlink("../victim/bot", dir.path("bots/link/bot")).expect("a link");
    for (command, named) in
        [("\"./bot\"", "./bot"), ("\"bot\"", "bot"), ("\"../victim/bot\"", "../victim/bot"), ("\"sh\", \"bot\"", "bot")]
    {
        dir.file("bots/link/bot.toml", format!("fresh = true\ncommand = [{command}]"));
        let listed = dir.arena_ends(2, "bots");
        let says = format!("line 2: `command` names `{named}`, which is not inside the bot's folder; put it there");
        assert!(listed.stdout.contains(&says), "{command}: {listed}");
    }
}

#[test]
fn a_link_to_an_installed_program_is_followed() {
    let scenario = Scenario::new("row 54, a link to a shell", "tictactoe");
    let dir = &scenario.dir;
    dir.file("bots/link/run", format!("exec {} bot random", arena()));
    dir.file("bots/link/bot.toml", "command = [\"./shell\", \"run\"]");
    symlink("/bin/sh", dir.path("bots/link/shell")).expect("a link");
    dir.process_ends(0, "tournament --game tictactoe --rounds 1 --move-time 30s -j 1 --quiet");
}

/// What a stranger's bot can read of a home and of a toolchain in it, by the user's `HOME` and the beginning of `PATH`; and
/// what the arena prints.
fn reads(mode: &str, home: &str, path: &str) -> (Vec<&'static str>, String) {
    let dir = Dir::with_bots(&["random"]);
    // As on clusters: the path of a home is a link.
    symlink(dir.path("disk"), dir.path("home")).expect("a link");
    let files = ["disk/ann/.ssh/key", "disk/ann/diary", "disk/ann/.pyenv/lib/module"];
    for file in files {
        dir.file(file, "a secret");
    }
    dir.script("disk/ann/bin/tool", "");
    dir.script("disk/ann/.pyenv/bin/tool", "");
    let here = dir.path("").display().to_string();
    let looks = files.map(|file| format!("if cat {here}/{file} > /dev/null 2>&1; then echo DID {file} >&2; fi"));
    dir.script("bots/spy/run", &format!("{}\necho looked >&2\nexec {} bot random", looks.join("\n"), arena()));
    dir.file("bots/spy/bot.toml", "command = [\"./run\"]");
    let filled = |text: &str| text.replace("HERE", here.trim_end_matches('/'));
    let args = "tournament --game tictactoe --rounds 1 --move-time 30s --no-check -j 1 --quiet --sandbox";
    let mut command = dir.command(&format!("{args} {mode}"));
    command.env("PATH", format!("{}:/usr/bin:/bin", filled(path)));
    if !home.is_empty() {
        command.env("HOME", filled(home));
    }
    let output = command.output().expect("it starts");
    let stderr = String::from_utf8_lossy(&output.stderr).replace(here.trim_end_matches('/'), "HERE");
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    let log = dir.read("results/tictactoe/bots/spy.log");
    assert!(log.contains("looked"), "{log}");
    (files.into_iter().filter(|file| log.contains(&format!("DID {file}"))).collect(), stderr)
}

#[test]
fn no_home_is_opened_because_programs_lie_in_it() {
    if let Some(why) = lacks(SandboxMode::Auto) {
        return not_tested("homes", why);
    }
    let modes = ["auto", "strict"].map(|mode| (mode, mode == "auto" || lacks(SandboxMode::Strict).is_none()));
    for mode in modes.into_iter().filter_map(|(mode, is_there)| is_there.then_some(mode)) {
        for (home, path) in [
            ("HERE/disk/ann", "HERE/disk/ann/bin"),
            ("HERE/home/ann", "HERE/home/ann/bin"),
            ("HERE/disk/ann", "HERE/home/ann/bin"),
            // With sudo, or from a script that clears the environment.
            ("/root", "HERE/disk/ann/bin"),
            ("", "HERE/disk/ann/.pyenv/../bin"),
        ] {
            let (read, stderr) = reads(mode, home, path);
            assert!(read.is_empty(), "HOME={home} PATH={path}, {mode}: {read:?}");
            assert!(!stderr.contains("warning: `"), "PATH={path}: {stderr}");
        }
        for (home, path) in [
            ("HERE/disk/ann", "HERE/disk/ann"),
            ("HERE/home/ann", "HERE/disk"),
            ("/root", "HERE/home/ann/bin/.."),
            ("/root", "HERE/home"),
            ("", "/"),
        ] {
            let (read, stderr) = reads(mode, home, path);
            assert!(read.is_empty(), "HOME={home} PATH={path}, {mode}: {read:?}");
            let warned = stderr.matches(&format!("warning: `{path}` in PATH is a home or holds homes")).count();
            assert_eq!(warned, 1, "PATH={path}: {stderr}");
        }
        let (read, stderr) = reads(mode, "HERE/home/ann", "HERE/home/ann/.pyenv/bin");
        assert_eq!(read, ["disk/ann/.pyenv/lib/module"], "{mode}: {stderr}");
    }
}

/// Makes the faulty bot a stranger's folder, with these lines in its manifest.
fn stranger(scenario: &Scenario, args: &str, manifest: &str) {
    let dir = &scenario.dir;
    fs::create_dir_all(dir.path(format!("bots/{HOSTILE}"))).expect("a folder");
    crate::support::copy_program(faulty(), dir.path(format!("bots/{HOSTILE}/run")));
    let words: Vec<&str> = ["./run"].into_iter().chain(args.split(' ')).collect();
    let text = format!("command = {words:?}\n{manifest}\nenv = {{ FAULTY_MARK = {:?} }}\n", scenario.mark);
    dir.file(&format!("bots/{HOSTILE}/bot.toml"), text);
}

#[test]
fn a_stranger_does_not_lift_its_own_limits() {
    const ALL: &str =
        "memory_mb = 0, processes = 0, open_files = 0, file_mb = 0, scratch_mb = 0, stack_mb = 0, cpu_s = 0";
    for (what, args, granted, flags, ends) in [
        ("open files", "harm=descriptors", "", "", Ends::Plays("stderr: tried descriptors: 253")),
        ("open files, strict", "harm=descriptors", "", "--sandbox strict", Ends::Plays("tried descriptors: 253")),
        // Granted values apply, even if they are below the default.
        (
            "memory",
            "harm=shared:2000",
            "limits = { memory_mb = 64 }",
            "",
            Ends::Loses(Status::Crashed, "out of memory (limit 64 MB)"),
        ),
        ("time", "mute", "", "--startup-max 200ms", Ends::Loses(Status::StartupFailed, "no hello within 200 ms")),
        ("time that is granted", "mute", "startup_ms = 150", "", Ends::Loses(Status::StartupFailed, "within 150 ms")),
    ] {
        if flags.contains("strict") && lacks(SandboxMode::Strict).is_some() {
            continue;
        }
        let mut scenario = Scenario::new(&format!("row 89, {what}"), "tictactoe");
        scenario.flags = flags.to_owned();
        scenario.move_ms = AMPLE_MS;
        scenario.allowed = Duration::from_millis(300);
        stranger(&scenario, args, &format!("limits = {{ {ALL} }}\nstartup_ms = 600000"));
        if !granted.is_empty() {
            scenario.dir.file(&format!("bots/{HOSTILE}.toml"), granted);
        }
        let played = scenario.play();
        played.assert_ends(ends);
        for asked in ["processes=off", "startup_ms=600000"] {
            let told = format!("warning: {HOSTILE}: its bot.toml asks for ");
            let told = played.stderr.lines().find(|line| line.starts_with(&told) && line.contains(asked));
            let cure = format!("into bots/{HOSTILE}.toml, or use --");
            assert!(told.is_some_and(|told| told.contains(&cure)), "{what}: {}", played.stderr);
        }
    }
}

#[test]
fn a_stranger_that_lowers_its_limits_to_the_least_has_no_game_voided() {
    let dir = Dir::with_bots(&["random"]);
    dir.script("bots/small/run", &format!("exec {} bot greedy", arena()));
    for limit in Limits::NAMES {
        let least = if limit == "open_files" { 16 } else { 1 };
        dir.file("bots/small/bot.toml", format!("command = [\"./run\"]\nlimits = {{ {limit} = {least} }}"));
        for mode in ["auto", "strict"] {
            if mode == "strict" && lacks(SandboxMode::Strict).is_some() {
                continue;
            }
            let name = format!("{limit}-{mode}");
            let args = "tournament --game tictactoe --rounds 1 --move-time 30s -j 1 --quiet --no-check";
            let ended = dir.process(&format!("{args} --sandbox {mode} --name {name}"));
            assert!(matches!(ended.status, Some(0 | 2)), "{name}: {ended}");
            let games = dir.journal(&name).games;
            assert!(games.len() == 2 && games.iter().all(Record::counts), "{name}: {games:?}");
        }
    }
}

/// A script in a folder that looks at its own files before it plays: what it may read, and what it may not.
const LOOKS: &str = "
for file in __pycache__/data lib/__pycache__/data .git/HEAD; do
    if cat $file > /dev/null; then echo \"DID read $file\"; else echo \"tried read $file\"; fi
done >&2
cat .hidden lib/.hidden site-packages/__pycache__/data data link >&2
ls >&2
";

/// Rows 98 and 99: files outside the fingerprint are closed, and all others are open.
#[test]
fn what_is_not_in_the_fingerprint_cannot_be_read() {
    if let Some(why) = lacks(SandboxMode::Auto) {
        return not_tested("rows 98 and 99", why);
    }
    for mode in ["auto", "landlock", "strict"] {
        if mode == "strict" && lacks(SandboxMode::Strict).is_some() {
            continue;
        }
        for folder in [true, false] {
            let mut scenario = Scenario::new(&format!("row 99, {mode}"), "tictactoe");
            scenario.flags = format!("--sandbox {mode}");
            scenario.move_ms = AMPLE_MS;
            let (dir, place) = (&scenario.dir, format!("bots/{}", if folder { HOSTILE } else { "own" }));
            dir.script(&format!("{place}/run"), &format!("cd \"${{0%/*}}\"\n{LOOKS}\nexec {} bot random", arena()));
            if folder {
                dir.file(&format!("{place}/bot.toml"), "command = [\"./run\"]");
            } else {
                // The user names the folder as the bot's own.
                dir.file(&format!("bots/{HOSTILE}.toml"), "command = [\"own/run\"]\nfiles = [\"own\"]");
            }
            for (file, text) in [
                ("__pycache__/data", "closed"),
                ("lib/__pycache__/data", "closed"),
                (".git/HEAD", "closed"),
                (".hidden", "one\n"),
                ("lib/.hidden", "two\n"),
                ("site-packages/__pycache__/data", "three\n"),
                ("data", "four\n"),
            ] {
                dir.file(&format!("{place}/{file}"), text);
            }
            symlink("data", dir.path(format!("{place}/link"))).expect("a link");
            let played = scenario.play();
            for says in ["__pycache__/data", "lib/__pycache__/data", ".git/HEAD"] {
                played.assert_ends(Ends::Plays(&format!("stderr: tried read {says}\n")));
            }
            for says in ["one", "two", "three", "four\nstderr: four"] {
                played.assert_ends(Ends::Plays(&format!("stderr: {says}\n")));
            }
            played.assert_ends(Ends::Plays("stderr: site-packages\n"));
        }
    }
}

/// Compiles `part.py` as other byte code that Python does not compare with its source.
const FORGE: &str = "
import os, py_compile, sys
open('other.py', 'w').write('NAME = \"forged\"')
place = '__pycache__/part.' + sys.implementation.cache_tag + '.pyc'
mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
py_compile.compile('other.py', cfile=place, dfile='part.py', invalidation_mode=mode)
os.remove('other.py')
";

#[test]
fn byte_code_that_is_not_its_source_is_not_run_or_is_another_bot() {
    const QUICK: &str = "tournament --game tictactoe --rounds 1 --move-time 30s -j 1 --quiet";
    if let Some(why) = lacks(SandboxMode::Auto) {
        return not_tested("byte code", why);
    }
    let dir = Dir::with_bots(&["random"]);
    dir.file("bots/honest/part.py", "NAME = 'honest'\n");
    dir.file("bots/honest/main.py", "import os, sys, part\nsys.stderr.write('I am ' + part.NAME + '\\n')\n");
    let play = format!("import os\nos.execv({:?}, ['arena', 'bot', 'greedy'])\n", arena());
    dir.file("bots/honest/main.py", format!("{}{play}", dir.read("bots/honest/main.py")));
    dir.file("bots/honest/bot.toml", "command = [\"python3\", \"main.py\"]");
    let forge = || Command::new("python3").args(["-c", FORGE]).current_dir(dir.path("bots/honest")).output();
    if !is_installed("python3", "byte code") {
        return;
    }
    let plays = |flags: &str, bot: &str, adds: usize, says: &str| {
        let before = dir.journal_lines("tictactoe");
        let _ = fs::remove_file(dir.path(format!("results/tictactoe/bots/{bot}.log")));
        dir.process_ends(0, &format!("{QUICK} {flags}"));
        let games = dir.journal("tictactoe").games.len();
        assert_eq!(games, adds, "{flags}, {bot}: {before} lines before");
        if !says.is_empty() {
            let log = dir.read(&format!("results/tictactoe/bots/{bot}.log"));
            assert!(log.contains(&format!("I am {says}\n")), "{flags}: {log}");
        }
    };
    plays("", "honest", 2, "honest");
    // A copy with other byte code takes its place, under another name: it is the same program, since byte code is not run.
    forge().expect("python3");
    assert!(dir.path("bots/honest/__pycache__").is_dir());
    fs::rename(dir.path("bots/honest"), dir.path("bots/twin")).expect("renamed");
    plays("--fresh", "twin", 2, "honest");
    plays("", "twin", 2, "");
    // Where byte code is run, it is another bot.
    plays("--sandbox off", "twin", 4, "forged");
    fs::remove_dir_all(dir.path("bots/twin/__pycache__")).expect("removed");
    plays("--sandbox off", "twin", 6, "honest");
    // Byte code in an ordinary file counts.
    dir.file("bots/twin/part.pyc", "");
    plays("", "twin", 8, "honest");
    // So does a hidden file.
    dir.file("bots/twin/.book", "");
    plays("", "twin", 10, "honest");
}

#[test]
fn a_manifest_that_is_a_link_to_a_secret_is_not_read() {
    const TOKEN: &str = "hunter2-of-the-organiser";
    for (target, text) in [
        ("../../secret", format!("{TOKEN} = 1\n")),
        ("../../secret", format!("command = [\"{TOKEN}\"]\n")),
        ("via/secret", format!("name = \"{TOKEN}\"\n")),
    ] {
        let mut scenario = Scenario::new("row 100, a link to a secret", "tictactoe");
        scenario.check = true;
        scenario.move_ms = AMPLE_MS;
        let dir = &scenario.dir;
        dir.file("secret", &text);
        fs::create_dir(dir.path("bots/spy")).expect("a folder");
        symlink("../..", dir.path("bots/spy/via")).expect("a link");
        symlink(target, dir.path("bots/spy/bot.toml")).expect("a link");
        let played = scenario.play();
        let says = format!("`bot.toml` is a link to `{target}`, which is not inside the bot's folder; put it there");
        played.assert_left_out("bots/spy", &says);
        for (name, text) in super::watched::contents(&played.dir.path("results")) {
            assert!(!String::from_utf8_lossy(&text).contains(TOKEN), "{name}");
        }
        let said = played.dir.read("stderr") + &played.dir.read("stdout") + &played.dir.arena("bots").stdout;
        assert!(!said.contains(TOKEN), "{said}");
    }
}

#[test]
fn nothing_is_quoted_of_a_file_that_was_put_where_a_program_was_missing() {
    const TOKEN: &str = "hunter2-of-the-organiser";
    let dir = Dir::with_bots(&["random"]);
    dir.script("secret", "");
    dir.file("secret", format!("#!/{TOKEN}\n"));
    // A script without an interpreter, identified by its name; put there by another bot after all were inspected.
    dir.file("bots/spy/bot.toml", "command = [\"./run\"]");
    let link = dir.path("bots/spy/run").display().to_string();
    dir.script("bots/accomplice", &format!("ln -sf ../../secret {link}\nexec {} bot greedy", arena()));
    let args = "tournament --game tictactoe --rounds 1 --move-time 30s -j 1 --quiet --no-check --sandbox off";
    let ended = dir.process_ends(2, args);
    assert!(dir.path("bots/spy/run").is_symlink(), "{ended}");
    let lost = dir.journal("tictactoe").games.iter().filter(|game| game.reason == "startup_failed").count();
    assert!(lost > 1, "{ended}");
    for (name, text) in super::watched::contents(&dir.path("results")) {
        assert!(!String::from_utf8_lossy(&text).contains(TOKEN), "{name}: {}", String::from_utf8_lossy(&text));
    }
    assert!(!ended.stdout.contains(TOKEN) && !ended.stderr.contains(TOKEN), "{ended}");
}
