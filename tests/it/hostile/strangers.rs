//! Row 54: folders with a `bot.toml`, as strangers hand them in. Whatever they say of themselves, nothing outside of them is
//! opened that no bot could read anyway.

use std::fs;
use std::os::unix::fs::symlink;

use arena::guard::SandboxMode;

use super::rows::{Ends, lacks};
use super::scenario::Scenario;
use super::{AMPLE_MS, HOSTILE};
use crate::support::{arena, not_tested};

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
