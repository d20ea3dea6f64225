//! Row 54: folders with a `bot.toml`, as strangers hand them in. Whatever they say of themselves, nothing outside of them is
//! opened that no bot could read anyway; and whatever our own `PATH` says, no home is.

use std::fs;
use std::os::unix::fs::symlink;

use arena::guard::SandboxMode;

use super::rows::{Ends, lacks};
use super::scenario::Scenario;
use super::{AMPLE_MS, HOSTILE};
use crate::support::{Dir, arena, not_tested};

/// The folder bot, which looks at `decoy/secret` beside the bots folder before it plays. `DECOY` is that folder.
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
    dir.arena_ends(0, "tournament --game tictactoe --rounds 1 --move-time 30s -j 1 --quiet");
}

/// What a stranger reads of a home and of a toolchain in it, by the `HOME` and the beginning of the `PATH` of whoever runs
/// the arena; and what the arena says.
fn reads(mode: &str, home: &str, path: &str) -> (Vec<&'static str>, String) {
    let dir = Dir::with_bots(&["random"]);
    // As on clusters: the name of a home leads elsewhere.
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
            // By sudo, or by a script that keeps nothing of the environment.
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
