//! The check of a whole folder: a table, a text for each author, and builds that can change nothing but the bot's own folder.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::support::{Dir, arena, without_ids};

const CHECK: &str = "check --all --quick --game tictactoe --move-time 30s";

/// The rows, but for the slowest reply and ids.
fn rows(said: &str) -> String {
    let row = |line: &str| line.split_once("slowest reply").map_or(line, |(row, _)| row).trim_end().to_owned();
    without_ids(&said.lines().map(|line| row(line) + "\n").collect::<String>(), "\"id\":")
}

#[test]
fn a_folder_is_checked_and_each_author_gets_a_text() {
    let dir = Dir::with_bots(&["random", "codebreaker"]);
    dir.script("bots/dumb", "echo 'ValueError: x' >&2; exit 7");
    dir.file("bots/lost/bot.toml", "command = [\"python3\", \"main.py\"]");
    dir.file("bots/raw.py", "print()");
    insta::assert_snapshot!(rows(&dir.arena_ends(2, &format!("{CHECK} --out texts")).to_string()), @r#"
    exit 2
    --- stdout
    note  codebreaker  its manifest does not name tictactoe among its games
    FAIL  dumb         starts: ValueError: x; it exited with status 7 before it said hello
    ok    random
    FAIL  lost         cannot be used: the file main.py of its command does not exist; put it into its folder, or correct `command`
    FAIL  bots/raw.py  cannot be used: a Python source file without a #! line; begin it with #!/usr/bin/env python3 and chmod +x bots/raw.py, or write bots/raw.toml with command = ["python3", "raw.py"]
    1 of 5 bots passed, 1 play other games; texts: texts
    --- stderr
    "#);
    let dumb = dir.read("texts/dumb.txt");
    assert!(dumb.contains("FAIL  starts") && dumb.contains("  stderr:\n") && dumb.contains("→ "), "{dumb}");
    let names = ["codebreaker", "dumb", "lost", "random", "raw.py"];
    assert!(names.iter().all(|name| dir.read(&format!("texts/{name}.txt")).starts_with(name.trim_end_matches(".py"))
        || dir.read(&format!("texts/{name}.txt")).starts_with("bots/raw.py cannot be used")));
    assert!(dir.arena_ends(2, "bots").stdout.contains("lost: the file main.py of its command does not exist"));

    // What it has written it replaces, and nothing else.
    dir.arena_ends(2, &format!("{CHECK} --out texts"));
    dir.file("mine/dumb.txt", "notes");
    let refused = dir.arena_ends(1, &format!("{CHECK} --out mine"));
    assert!(refused.stderr.contains("mine/dumb.txt exists already"), "{refused}");
    assert_eq!(dir.read("mine/dumb.txt"), "notes");
    assert!(dir.arena_ends(1, &format!("{CHECK} --out bots")).stderr.contains("is in the folder of the bots"));

    let json: serde_json::Value =
        serde_json::from_str(&dir.arena_ends(2, &format!("{CHECK} --json -j 2")).stdout).expect("one object");
    let bots = json["bots"].as_array().expect("bots");
    let ok: Vec<_> = bots.iter().map(|bot| (bot["bot"].as_str().unwrap_or_default(), bot["ok"].as_bool())).collect();
    assert_eq!(ok[..4], [("codebreaker", None), ("dumb", Some(false)), ("random", Some(true)), ("lost", Some(false))]);
    assert!(bots[2]["rows"].is_array() && bots[3]["cause"].is_string() && json["ok"] == false);
}

#[test]
fn a_build_changes_the_folder_of_its_bot_and_nothing_else() {
    let dir = Dir::with_bots(&["random"]);
    dir.file("bots/good/source", format!("#!/bin/sh\nexec {ARENA} bot random\n", ARENA = arena()));
    dir.file("bots/good/bot.toml", "command = [\"./bot\"]\nbuild = \"install -m 755 source bot\"");
    dir.file("bots/fails/bot.toml", "command = [\"./bot\"]\nbuild = \"echo working; echo no rule >&2; exit 3\"");
    dir.file("bots/flat.toml", "command = [\"./flat\"]\nbuild = \"install -m 755 good/source flat\"");
    let attack = "for path in ../random.toml ../good/source ../../out/mine; do chmod 000 $path; cat $path; echo x > $path; done; \
                  echo new > ../new; echo own > here; chmod 4755 here; sleep 1000 & exit 0";
    dir.file("bots/evil/bot.toml", format!("command = [\"./here\"]\nbuild = \"{attack}\""));
    dir.file("out/mine", "mine");
    let mode = |path: &str| fs::metadata(dir.path(path)).map_or(0, |meta| meta.permissions().mode() & 0o7777);
    let untouched = ["bots/random.toml", "bots/good/source", "out/mine"];
    let before = untouched.map(|path| (mode(path), dir.read(path)));

    let checked = dir.arena_ends(2, &format!("{CHECK} --build --out texts"));
    assert_eq!(untouched.map(|path| (mode(path), dir.read(path))), before);
    assert!(!dir.path("bots/new").exists() && !dir.path("bots/flat").exists());
    assert_eq!((dir.read("bots/evil/here").as_str(), mode("bots/evil/here") & 0o6000), ("own\n", 0));
    let said = rows(&checked.stdout);
    for row in [
        "ok    good",
        "ok    random",
        "FAIL  fails   cannot be used: its build `echo working; echo no rule >&2; exit 3` exited with status 3: no rule",
        "FAIL  flat    cannot be used: it is not built: it has no folder of its own",
    ] {
        assert!(said.contains(row), "{row}: {checked}");
    }
    assert!(dir.read("texts/fails.txt").ends_with("      working\n      no rule\n"));
    assert!(checked.stderr.contains("good: built") && checked.stderr.contains("evil: built"), "{checked}");

    fs::remove_file(dir.path("bots/good/bot")).expect("it was built");
    assert!(dir.arena_ends(2, "check good").stdout.contains("FAIL  starts"));
    dir.arena_ends(0, "check good --build --quick --game tictactoe --move-time 30s");
    let fails = dir.arena_ends(1, "check fails --build").stderr;
    assert!(fails.contains("exited with status 3\n  working\n  no rule"), "{fails}");
}

#[test]
fn a_build_that_changes_its_manifest_and_fails_is_a_failure() {
    let working = format!("#!/bin/sh\nexec {ARENA} bot random\n", ARENA = arena());
    let named = |name: &str| format!("name = \"{name}\"\ncommand = [\"sh\", \"source\"]\n");
    // Under another name, with the name of another bot, as no bot that could be used, as nothing at all.
    let changes = [
        ("cp new bot.toml", named("renamed")),
        ("cp new bot.toml", named("random")),
        ("cp new bot.toml", "command = ".to_owned()),
        ("rm -f bot.toml source", String::new()),
    ];
    for (change, new) in changes {
        let dir = Dir::with_bots(&["random"]);
        dir.file("bots/sly/source", &working);
        dir.file("bots/sly/new", &new);
        let build = format!("{change} && echo no rule >&2; exit 3");
        dir.file("bots/sly/bot.toml", format!("command = [\"sh\", \"source\"]\nbuild = \"{build}\""));
        let checked = dir.arena_ends(2, &format!("{CHECK} --build --out texts"));
        let said = rows(&checked.stdout);
        assert!(said.contains("FAIL  sly     cannot be used: its build "), "{change} {new}: {checked}");
        assert!(said.contains("ok    random") && said.contains("1 of 2 bots passed"), "{change} {new}: {checked}");
        assert!(dir.read("texts/sly.txt").ends_with("      no rule\n"), "{change} {new}");
        assert!(!dir.read("texts/random.txt").contains("no rule"), "{change} {new}");
    }
}

#[test]
fn no_author_reads_the_text_of_another() {
    let dir = Dir::with_bots(&["random"]);
    // Submissions whose names are alike where they are made plain, and one that calls itself like another.
    for name in ["\u{e4}", "\u{f6}", "a b", "a_b", "Alice", "alice"] {
        dir.file(&format!("bots/{name}/bot.toml"), format!("command = [\"./{name} is missing\""));
    }
    dir.script("bots/mal/run", "exit 1");
    dir.file("bots/mal/bot.toml", "command = [\"./run\"]\nname = \"a_b\"");
    let long = "x".repeat(250);
    dir.file(&format!("bots/{long}.zip"), "PK");
    dir.arena_ends(2, &format!("{CHECK} --out texts"));
    let texts: Vec<String> = fs::read_dir(dir.path("texts"))
        .expect("texts")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .map(|path| fs::read_to_string(path).expect("a text"))
        .collect();
    assert_eq!(texts.len(), 9);
    for text in &texts {
        assert_eq!(text.matches(" cannot be used: ").count() + text.matches("starts  ").count(), 1, "{text}");
    }
    assert!(dir.read("texts/a_b.txt").starts_with("a_b  "), "a bot has its own name");
    assert!(!dir.path("texts/alice.txt").exists(), "nor is case a difference everywhere");
}

#[test]
fn a_build_reads_nothing_that_its_author_names() {
    let dir = Dir::new();
    dir.script("vault/bin/tool", "echo secret");
    let path = dir.path("vault/bin");
    let manifest = format!(
        "command = [\"./bot\"]\nbuild = \"cat {path}/tool; tool; exit 1\"\n[env]\nPATH = \"{path}:/usr/bin:/bin\"",
        path = path.display()
    );
    dir.file("bots/curious/bot.toml", manifest);
    dir.arena_ends(2, &format!("{CHECK} --build --out texts"));
    let said = dir.read("texts/curious.txt");
    assert!(!said.contains("secret\n") && !said.contains("echo secret"), "{said}");
    let refused = dir.arena_ends(1, "check --build --game tictactoe").stderr;
    assert!(refused.contains("--build is for bots"), "{refused}");
}

/// Prints what attempts to open a socket, and to look up a name, say.
const CONNECT: &str = "
import socket
for attempt in (lambda: socket.socket().connect(('127.0.0.1', 1))), (lambda: open('/etc/hosts').close()):
    try:
        attempt()
    except OSError as e:
        print(e)
";

#[test]
fn a_build_has_no_network_unless_the_user_allows_it() {
    let dir = Dir::new();
    dir.file("bots/net/connect.py", CONNECT);
    dir.file(
        "bots/net/bot.toml",
        "command = [\"./bot\"]\nbuild_network = true\nbuild = \"python3 connect.py; exit 1\"",
    );
    let said = || {
        let _ = dir.arena_ends(2, &format!("{CHECK} --build --out texts"));
        dir.read("texts/net.txt")
    };
    let refused = said();
    assert!(refused.contains("Operation not permitted") && refused.contains("'/etc/hosts'"), "{refused}");
    assert!(refused.contains("write `build_network = true` into bots/net.toml"), "{refused}");
    dir.file("bots/net.toml", "build_network = true");
    let allowed = said();
    assert!(allowed.contains("Connection refused") && !allowed.contains("warning"), "{allowed}");
    assert!(!allowed.contains("'/etc/hosts'"), "{allowed}");
}
