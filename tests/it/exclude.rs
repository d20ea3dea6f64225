//! A checkout as a bot: what its manifest excludes is neither readable to it nor part of its fingerprint, except for what the
//! manifest names there.

use std::fs;

use arena::guard::{SandboxMode, can_close};

use crate::support::{Dir, arena, not_tested};

/// A bot that tells in its log which of some files it can read.
fn looking(files: &str) -> String {
    format!("for file in {files}; do cat $file >&2 || echo \"no $file\" >&2; done; exec {} bot random", arena())
}

fn fingerprint(dir: &Dir, flags: &str) -> String {
    let listed = dir.arena_ends(0, &format!("bots {flags}")).stdout;
    let line = listed.lines().find(|line| line.starts_with("checkout ")).expect("the bot");
    line.split_whitespace().nth(1).expect("a fingerprint").to_owned()
}

const FILES: &str = "src/code target/release/other target/release/data/net target/later/x node/x";

/// A checkout, as a folder with its own manifest, or beside a manifest that names the folder.
fn checkout(is_folder: bool) -> Dir {
    let dir = Dir::with_bots(&["random"]);
    let (at, prefix) = if is_folder { ("bots/checkout/", "") } else { ("bots/", "it/") };
    let root = if is_folder { "bots/checkout" } else { "bots/it" };
    dir.script(&format!("{root}/target/release/bot"), &format!("cd {}; {}", dir.path(root).display(), looking(FILES)));
    for file in ["src/code", "target/release/other", "target/release/data/net", "node/x", ".git/HEAD"] {
        dir.file(&format!("{root}/{file}"), format!("DID read {file}\n"));
    }
    let folder = if is_folder { String::new() } else { "\"it\", ".to_owned() };
    let manifest = format!(
        "command = [\"./{prefix}target/release/bot\"]\nfiles = [{folder}\"{prefix}target/release/data\"]\nexclude = \
         [\"{prefix}target/\", \"{prefix}node\", \"{prefix}absent\"]\n"
    );
    dir.file(&format!("{at}{}", if is_folder { "bot.toml" } else { "checkout.toml" }), manifest);
    dir
}

#[test]
fn a_checkout_reads_and_is_what_it_does_not_exclude() {
    if !can_close(SandboxMode::Auto) {
        return not_tested("excluded folders", "this machine has no Landlock");
    }
    for is_folder in [true, false] {
        let dir = checkout(is_folder);
        let root = if is_folder { "bots/checkout" } else { "bots/it" };
        let before = fingerprint(&dir, "");
        for file in ["target/release/other", "target/new/x", "node/y/z", "absent/x", ".git/index"] {
            dir.file(&format!("{root}/{file}"), "DID read what is new\n");
            assert_eq!(fingerprint(&dir, ""), before, "{file}");
        }
        let ended = dir.arena_ends(0, "match checkout random --game tictactoe --rounds 1 --move-time 30s -j 1 -q");
        let log = dir.read("results/tictactoe-checkout-vs-random/bots/checkout.log");
        for (file, is_read) in [
            ("src/code", true),
            ("target/release/data/net", true),
            ("target/release/other", false),
            ("target/later/x", false),
            ("node/x", false),
        ] {
            assert_eq!(log.contains(&format!("no {file}")), !is_read, "{file}: {log}\n{ended}");
        }
        assert!(!log.contains("what is new"), "{log}");
        // What is named and what is not excluded counts.
        for file in ["target/release/data/net", "src/code", "target/release/bot"] {
            let known = fingerprint(&dir, "");
            let path = format!("{root}/{file}");
            dir.file(&path, format!("{}\n# new", dir.read(&path)));
            assert_ne!(fingerprint(&dir, ""), known, "{file}");
        }
        // Where it lies does not matter, nor whether what is excluded is there.
        let known = fingerprint(&dir, "");
        fs::rename(dir.path("bots"), dir.path("elsewhere")).expect("moved");
        fs::remove_dir_all(dir.path(root.replace("bots", "elsewhere")).join("node")).expect("removed");
        assert_eq!(fingerprint(&dir, "--bots elsewhere"), known);
    }
}

#[test]
fn a_kept_copy_of_a_checkout_is_the_same_bot() {
    if !can_close(SandboxMode::Auto) {
        return not_tested("excluded folders", "this machine has no Landlock");
    }
    for is_folder in [true, false] {
        let dir = checkout(is_folder);
        let play = "tournament --game tictactoe --rounds 1 --move-time 30s -j 1 -q --keep-last-good";
        dir.arena_ends(0, play);
        let games = dir.journal("tictactoe").games.len();
        let root = if is_folder { "bots/checkout" } else { "bots/it" };
        dir.script(&format!("{root}/target/release/bot"), "exit 3");
        let ended = dir.arena_ends(2, play);
        assert!(ended.stdout.contains("plays"), "{ended}");
        assert_eq!(dir.journal("tictactoe").games.len(), games, "the copy has other files: {ended}");
    }
}

#[test]
fn what_cannot_be_excluded_is_refused_with_its_line() {
    let dir = Dir::new();
    dir.script("bots/checkout/run", "");
    dir.file("bots/checkout/file", "");
    fs::create_dir(dir.path("bots/checkout/real")).expect("a folder");
    std::os::unix::fs::symlink("real", dir.path("bots/checkout/link")).expect("a link");
    for (name, why) in [
        ("", "`exclude` names ``; write the path of a folder"),
        (".", "`exclude` names `.`; write the path"),
        ("/tmp", "`exclude` names `/tmp`; write the path"),
        ("../random", "`exclude` names `../random`; write the path"),
        ("a/../../b", "`exclude` names `a/../../b`; write the path"),
        ("file", "`exclude` names `file`, which is no folder"),
        ("link", "`exclude` names `link`, which is or leads through a link"),
        ("link/x", "`exclude` names `link/x`, which is or leads through a link"),
    ] {
        dir.file("bots/checkout/bot.toml", format!("command = [\"./run\"]\nexclude = [\"{name}\"]"));
        let listed = dir.arena("bots").stdout;
        assert!(listed.contains(&format!("bots/checkout: line 2: {why}")), "{name}: {listed}");
    }
    dir.file("bots/b.toml", "builtin = \"random\"\nexclude = [\"x\"]");
    assert!(dir.arena("bots").stdout.contains("line 2: `exclude` only applies to a `command`"));
    // Each entry beside an excluded folder costs time at every start.
    dir.file("bots/checkout/bot.toml", "command = [\"./run\"]\nexclude = [\"data/target\"]");
    for number in 0..1_001 {
        dir.file(&format!("bots/checkout/data/{number}"), "");
    }
    let listed = dir.arena("bots").stdout;
    assert!(!can_close(SandboxMode::Auto) || listed.contains("are beside those that `exclude` closes"), "{listed}");
}
