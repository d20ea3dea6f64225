//! A manifest of rules may be a stranger's: its program reads the folder of the manifest, and what the user names.

use std::os::unix::fs::symlink;

use arena::guard::{SandboxMode, can_close};

use crate::support::Dir;

/// Rules that tell in their summary what they can read of the files in `TRY` and of their arguments.
const CURIOUS: &str = r#"#!/usr/bin/env python3
import json, os, sys
def read(path):
    try:
        with open(path) as file: return file.read().strip()
    except OSError as error: return f"{type(error).__name__}"
tried = [path for path in os.environ.get("TRY", "").split(":") if path] + sys.argv[1:]
found = ", ".join(f"{os.path.basename(path)}={read(path)}" for path in tried)
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello": r = {"type": "hello", "protocol": 1, "game": "curious", "version": 1, "summary": "read: " + found}
    elif m["type"] == "start": r = {"type": "position", "id": m["id"], "to_move": 0, "legal_moves": [1], "view": {}}
    elif m["type"] == "apply": r = {"type": "over", "id": m["id"], "winner": 0, "reason": "done"}
    else: continue
    print(json.dumps(r), flush=True)
"#;

/// A project with a secret, a bot, and the folder `theirs` of a stranger.
fn project() -> Dir {
    let dir = Dir::with_bots(&["random"]);
    dir.file("secret.txt", "precious\n");
    dir.script("tool", CURIOUS);
    dir.file("bots/alice/bot.toml", "command = [\"python3\", \"bot.py\"]\n");
    dir.file("bots/alice/bot.py", "# precious\n");
    dir.script("theirs/rules.py", CURIOUS);
    dir.file("theirs/folder/plain", "own\n");
    dir
}

#[test]
fn a_strangers_manifest_names_nothing_outside_of_its_folder() {
    let absolute = |dir: &Dir, name: &str| format!("{:?}", dir.path(name).canonicalize().expect("it is there"));
    let dir = project();
    let [secret, tool] = ["secret.txt", "tool"].map(|name| absolute(&dir, name));
    for (link, target) in [
        ("theirs/link", "../secret.txt"),
        ("theirs/linked", "../bots"),
        ("theirs/start", "../tool"),
        ("theirs/deep/link", "../../secret.txt"),
        ("theirs/deeper/link", "../../bots"),
        ("theirs/twice", "link"),
    ] {
        std::fs::create_dir_all(dir.path(link).parent().expect("a folder")).expect("a folder");
        symlink(target, dir.path(link)).expect("a link");
    }
    let python = |argument: &str| format!("command = [\"python3\", \"rules.py\", {argument}]");
    let files = |file: &str| format!("command = [\"python3\", \"rules.py\"]\nfiles = [{file}]");
    for manifest in [
        files("\"../secret.txt\""),
        files("\"../bots/alice\""),
        files("\"..\""),
        files("\"folder/../../secret.txt\""),
        files("\"/etc/passwd\""),
        files(&secret),
        files("\"link\""),
        files("\"linked\""),
        files("\"linked/alice\""),
        files("\"twice\""),
        files("\"deep\""),
        files("\"deeper\""),
        files("\".\""),
        python("\"../secret.txt\""),
        python("\"link\""),
        python("\"folder/../../secret.txt\""),
        "command = [\"../tool\"]".to_owned(),
        "command = [\"./start\"]".to_owned(),
        "command = [\"start\"]".to_owned(),
        format!("command = [{tool}]"),
    ] {
        dir.file("theirs/rules.toml", &manifest);
        for command in ["games --game ./theirs/rules.toml", "tournament --game ./theirs/rules.toml --rounds 1 -q"] {
            let refused = dir.arena_ends(1, command);
            let said = &refused.stderr;
            assert!(
                said.contains("which is not inside the folder of the manifest; put it there"),
                "{manifest}: {refused}"
            );
            assert!(said.contains("allow it with --rules-read /"), "{manifest}: {refused}");
            assert!(!said.contains("precious"), "{manifest}: {refused}");
        }
    }
}

#[test]
fn a_strangers_program_reads_its_folder_and_what_the_user_names() {
    if !can_close(SandboxMode::Auto) {
        return;
    }
    let dir = project();
    let read = |dir: &Dir, flags: &str| dir.process_ends(0, &format!("games --game ./theirs/rules.toml {flags}"));
    let tried = dir.path("secret.txt").canonicalize().expect("it is there");
    let path = dir.path("").canonicalize().expect("it is there");
    // What only the environment, an argument that is no file of its own, or a search path names is closed.
    let manifest = format!(
        "command = [\"python3\", \"rules.py\", {tried:?}]\nfiles = [\"folder\"]\n\
         env = {{ TRY = \"folder/plain:../secret.txt:../bots/alice/bot.py\", PATH = \"/usr/local/bin:/usr/bin:/bin:{}\" }}\n",
        path.display()
    );
    dir.file("theirs/rules.toml", &manifest);
    let summary = "read: plain=own, secret.txt=PermissionError, bot.py=PermissionError, secret.txt=PermissionError";
    let ended = read(&dir, "");
    assert!(ended.stdout.contains(summary), "{ended}");
    assert_eq!(ended.stderr, "");
    // What is granted is open, and said.
    let ended = read(&dir, "--rules-read secret.txt");
    let summary = "read: plain=own, secret.txt=precious, bot.py=PermissionError, secret.txt=precious";
    assert!(ended.stdout.contains(summary), "{ended}");
    assert!(
        ended.stderr.contains("the rules ./theirs/rules.toml can read ") && ended.stderr.contains("secret.txt"),
        "{ended}"
    );
    dir.file(
        "theirs/rules.toml",
        "command = [\"python3\", \"rules.py\", \"../secret.txt\"]\nfiles = [\"../bots/alice\"]\n",
    );
    let ended = read(&dir, "--rules-read secret.txt --rules-read bots/alice");
    assert!(ended.stdout.contains("read: secret.txt=precious"), "{ended}");
    let refused = dir.arena_ends(1, "games --game ./theirs/rules.toml --rules-read nowhere").stderr;
    assert!(refused.contains("--rules-read nowhere cannot be found"), "{refused}");
}

#[test]
fn rules_beside_the_bots_do_not_take_these_for_their_own() {
    let dir = project();
    dir.script("rules.py", CURIOUS);
    std::fs::create_dir(dir.path("results")).expect("a folder");
    for (files, folder) in [("bots", "bots"), ("bots/alice", "bots"), (".", "bots"), ("results", "results")] {
        dir.file("rules.toml", format!("command = [\"python3\", \"rules.py\"]\nfiles = [\"{files}\"]\n"));
        for command in ["games --game ./rules.toml", "tournament --game ./rules.toml --rounds 1 -q"] {
            let refused = dir.arena_ends(1, command).stderr;
            assert!(
                refused.contains(&format!("/{folder}` is a folder of bots or results; keep the rules")),
                "{refused}"
            );
        }
    }
    dir.file("rules.toml", "command = [\"python3\", \"rules.py\"]\nfiles = [\"theirs\"]\n");
    dir.arena_ends(0, "games --game ./rules.toml");
}

#[test]
fn a_program_that_was_denied_a_file_at_its_start_is_told_how_to_allow_it() {
    if !can_close(SandboxMode::Auto) {
        return;
    }
    let dir = project();
    dir.file("theirs/rules.py", format!("open({:?}).read()\n{CURIOUS}", "../secret.txt"));
    dir.file("theirs/rules.toml", "command = [\"python3\", \"rules.py\"]\n");
    let denied = dir.process_ends(1, "games --game ./theirs/rules.toml").stderr;
    assert!(denied.contains("Permission denied: '../secret.txt'; a program of rules can read what is"), "{denied}");
    assert!(denied.contains("allow what is elsewhere with --rules-read PATH"), "{denied}");
    dir.process_ends(0, "games --game ./theirs/rules.toml --rules-read secret.txt");
    // What lies beside it is its own only if the manifest says so.
    dir.file("theirs/helper.py", "answer = 42\n");
    dir.file("theirs/data.txt", "42\n");
    for needs in ["open(\"data.txt\").read()", "import helper"] {
        dir.file("theirs/rules.py", format!("{needs}\n{CURIOUS}"));
        dir.file("theirs/rules.toml", "command = [\"python3\", \"rules.py\"]\n");
        let denied = dir.process_ends(1, "games --game ./theirs/rules.toml").stderr;
        assert!(denied.contains("list what it needs of its folder under `files`"), "{denied}");
        let files = "files = [\"data.txt\", \"helper.py\"]\n";
        dir.file("theirs/rules.toml", format!("command = [\"python3\", \"rules.py\"]\n{files}"));
        dir.process_ends(0, "games --game ./theirs/rules.toml");
    }
    dir.file("theirs/rules.py", format!("import no_such_module\n{CURIOUS}"));
    let missing = dir.process_ends(1, "games --game ./theirs/rules.toml").stderr;
    assert!(missing.contains("no_such_module") && !missing.contains("files"), "{missing}");
}
