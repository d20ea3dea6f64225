//! What a bot's environment has of the machine: packages of the user, and programs outside of the bots folder.

use std::process::{Command, Stdio};

use arena::guard::{SandboxMode, can_close};

use crate::support::{Dir, not_tested};

/// The version of Python as its folders are called, if it looks for packages of the user.
fn python_folder() -> Option<String> {
    let asks = "import site, sys; print(site.ENABLE_USER_SITE and 'python%d.%d' % sys.version_info[:2])";
    let output = Command::new("python3").args(["-c", asks]).stdin(Stdio::null()).output().ok()?;
    let answer = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    answer.starts_with("python").then_some(answer)
}

#[test]
fn a_bot_finds_what_pip_installed_for_the_user_and_nothing_beside_it() {
    let Some(python) = python_folder() else {
        return not_tested("packages of the user", "no Python here looks for them");
    };
    let dir = Dir::new();
    dir.file(&format!("home/.local/lib/{python}/site-packages/of_user.py"), "ANSWER = 42\n");
    dir.file("home/.local/share/secret", "hunter2");
    let secret = dir.path("home/.local/share/secret").display().to_string();
    let starter = include_str!("../../bots/starters/python/bot.py");
    let text = format!(
        "import of_user\ntry:\n    open({secret:?})\n    print('DID read', file=sys.stderr)\nexcept OSError:\n    pass\n"
    );
    let text = starter.replacen("import sys\n", &format!("import sys\n{text}"), 1);
    dir.script("bots/bot.py", "");
    dir.file("bots/bot.py", &text);
    dir.file("bots/folder/bot.py", &text);
    dir.file("bots/folder/bot.toml", "command = [\"python3\", \"bot.py\"]");
    let run = |sandbox: &str| {
        let args =
            format!("match bot.py folder --game tictactoe --rounds 1 --move-time 30s -j 1 --fresh --sandbox {sandbox}");
        dir.command(&args).env("HOME", dir.path("home")).output().expect("it starts")
    };
    for sandbox in ["auto", "off", "strict"] {
        let output = run(sandbox);
        let said = String::from_utf8_lossy(&output.stderr);
        if sandbox == "strict" && said.contains("cannot be kept in sandbox") {
            not_tested("packages of the user in sandbox `strict`", "this machine does not have it");
            continue;
        }
        assert_eq!(output.status.code(), Some(0), "{sandbox}: {said}");
        assert_eq!(dir.journal("tictactoe-bot.py-vs-folder").games.len(), 2, "{sandbox}: {said}");
        let log = dir.path("results/tictactoe-bot.py-vs-folder/bots/folder.log");
        // Without a word of the bot there is no log.
        let log = std::fs::read_to_string(log).unwrap_or_default();
        let closed = sandbox == "strict" || sandbox == "auto" && can_close(SandboxMode::Auto);
        assert_eq!(log.contains("DID read"), !closed, "{sandbox}: {log}");
        std::fs::remove_dir_all(dir.path("results")).expect("removed");
    }
}

#[test]
fn a_program_that_a_bot_may_not_run_is_listed() {
    if !can_close(SandboxMode::Auto) {
        return not_tested("a refused program", "this machine has no Landlock");
    }
    let dir = Dir::with_bots(&["random"]);
    dir.script("home/tools/python", "exec python3 \"$@\"");
    let tool = dir.path("home/tools/python").display().to_string();
    // By the first line of a program in an untrusted folder; the user's own files may name any interpreter.
    for name in ["bots/stranger/run", "bots/own"] {
        dir.script(name, "");
        dir.file(name, format!("#!{tool}\n"));
    }
    dir.file("bots/stranger/bot.toml", "command = [\"./run\"]");
    let listed = dir.arena_ends(0, "bots").stdout;
    let told = format!(
        "warning: stranger: it cannot be started in the sandbox, because it may not read `{tool}`; put that into the bot's \
         folder, or install it in a folder of PATH such as /usr/local/bin\n"
    );
    assert!(listed.contains(&told), "{listed}");
    assert_eq!(listed.matches("warning: ").count(), 1, "{listed}");
    // It is so: with the same words it is left out.
    let ended = dir.process("tournament --game tictactoe --rounds 1 --move-time 30s -j 1");
    assert!(ended.stderr.contains("left out: stranger: cannot start "), "{ended}");
    assert!(ended.stderr.contains("the sandbox does not let it read its interpreter or loader"), "{ended}");
}
