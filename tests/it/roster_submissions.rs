//! Folders of submissions: what does not play is reported with the cure, names are told apart, and bots that are named on
//! the command line must exist.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::support::{Dir, Ended};

const QUICK: &str = "tournament --game tictactoe --rounds 1 --move-time 30s -j 1";
const PLAY: &str = "--game tictactoe --rounds 1 --move-time 30s -j 1";

#[test]
fn a_tournament_reports_each_submission_that_does_not_play() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.file("bots/README.md", "");
    dir.file("bots/weights.bin", "data");
    dir.file("bots/.gitignore", "");
    dir.file("bots/starters/bot.py", "");
    dir.file("bots/anna.py", "#!/usr/bin/env python3\nprint()\n");
    dir.file("bots/ben.sh", "#!/bin/sh\r\n");
    dir.file("bots/carl.py", "print()\n");
    dir.file("bots/dora.cpp", "int main() {}\n");
    dir.file("bots/Eva.java", "class Eva {}\n");
    dir.file("bots/frida.exe", "MZ\u{90}");
    dir.file("bots/gero.zip", "PK");
    dir.file("bots/hans/main.rs", "fn main() {}\n");
    dir.file("bots/notes/plan.txt", "");
    dir.file("bots/igor.toml", "command = \"./igor\"");
    fs::create_dir(dir.path("bots/jana")).expect("a folder");
    symlink("nowhere", dir.path("bots/jana/bot.toml")).expect("a link");
    dir.script("bots/karl", "exit");
    dir.file("bots/karl.c", "int main() {}\n");
    let ended = dir.arena(&format!("{QUICK} --no-check"));
    assert_eq!(ended.status, Some(2), "{ended}");
    insta::assert_snapshot!(ended.stderr.lines().filter(|line| line.contains("left out")).collect::<Vec<_>>().join("\n"), @r#"
    left out: bots/igor.toml: line 1, `command = "./igor"`: invalid type: string "./igor", expected a list
    left out: bots/Eva.java: a Java source file; compile it, and write bots/Eva.toml with the `command` that starts it
    left out: bots/anna.py: not executable; chmod +x bots/anna.py
    left out: bots/ben.sh: not executable; chmod +x bots/ben.sh; also, its first line ends in CR LF; save it with Unix line ends
    left out: bots/carl.py: a Python source file without a #! line; begin it with #!/usr/bin/env python3 and chmod +x bots/carl.py, or write bots/carl.toml with command = ["python3", "carl.py"]
    left out: bots/dora.cpp: a C++ source file; compile it (c++ -O2 -o bots/dora bots/dora.cpp), or write a manifest with its `command`
    left out: bots/frida.exe: a Windows program; build it for this machine
    left out: bots/gero.zip: an archive; unpack it
    left out: bots/hans: a folder without a bot.toml; write bots/hans/bot.toml with the `command` that starts it, such as command = ["python3", "bot.py"]
    left out: bots/jana: its bot.toml is a broken link or not a regular file; replace it with a file
    "#);
    // All of them are in the summary.
    let json: serde_json::Value = serde_json::from_str(&dir.read("results/tictactoe/tournament.json")).expect("JSON");
    let left_out = json["left_out"].as_array().expect("a list");
    assert_eq!(left_out.len(), 10, "{left_out:?}");
    let carl = left_out.iter().find(|bot| bot["name"] == "bots/carl.py").expect("an entry");
    assert!(carl["cause"].as_str().expect("text").starts_with("a Python source file without a #! line; begin it with"));

    // The same in a list, where what is no submission is listed as well.
    let listed: serde_json::Value = serde_json::from_str(&dir.arena_ends(2, "bots --json").stdout).expect("JSON");
    let paths = |submission: bool| {
        let skipped = listed["skipped"].as_array().expect("a list").iter();
        let wanted = skipped.filter(|skipped| skipped["submission"] == submission);
        wanted.map(|skipped| skipped["path"].as_str().expect("text").to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(listed["broken"][0]["name"], "bots/igor.toml");
    assert_eq!(
        paths(true),
        "bots/Eva.java bots/anna.py bots/ben.sh bots/carl.py bots/dora.cpp bots/frida.exe bots/gero.zip bots/hans \
         bots/jana"
    );
    assert_eq!(paths(false), "bots/.gitignore bots/README.md bots/karl.c bots/notes bots/starters bots/weights.bin");
    let bots: Vec<&str> =
        listed["bots"].as_array().expect("a list").iter().filter_map(|it| it["name"].as_str()).collect();
    assert_eq!(bots, ["greedy", "karl", "random"]);
    let anna = listed["skipped"].as_array().expect("a list").iter().find(|it| it["path"] == "bots/anna.py");
    assert_eq!(anna.expect("an entry")["cure"], "chmod +x bots/anna.py");
}

#[test]
fn many_submissions_with_one_cause_share_a_line() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    for number in 10..31 {
        dir.file(&format!("bots/s{number}.py"), "#!/usr/bin/env python3\n");
    }
    let left_out = |ended: &Ended| ended.stderr.lines().filter(|line| line.starts_with("left out: ")).count();
    let ended = dir.arena_ends(2, QUICK);
    let told = "left out: 21 submissions: not executable; to fix the first: chmod +x bots/s10.py; all: \
                bots/s10.py, bots/s11.py, ";
    assert!(ended.stderr.contains(told) && ended.stderr.contains(", bots/s30.py\n"), "{ended}");
    assert_eq!(left_out(&ended), 1, "{ended}");
    fs::remove_file(dir.path("bots/s30.py")).expect("removed");
    assert_eq!(left_out(&dir.arena_ends(2, QUICK)), 20);
}

/// The names of the bots that are found, with what each starts.
fn names(dir: &Dir, args: &str) -> String {
    let ended = dir.arena_ends(0, &format!("bots --json {args}"));
    let listed: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let bots = listed["bots"].as_array().expect("a list").iter();
    let bots = bots.map(|bot| [&bot["name"], &bot["path"]].map(|it| it.as_str().unwrap_or_default()).join("="));
    bots.collect::<Vec<_>>().join(" ")
}

#[test]
fn names_that_differ_in_case_are_numbered_in_the_order_of_paths() {
    let dir = Dir::new();
    for name in ["bot", "Bot", "BOT"] {
        dir.script_bot(name, "random");
    }
    assert_eq!(names(&dir, ""), "BOT=bots/BOT Bot-2=bots/Bot bot-3=bots/bot");
    assert_eq!(names(&dir, ""), names(&dir, ""), "the same each time");
    // A name that a bot has is not given to another.
    dir.script_bot("bot-2", "random");
    assert_eq!(names(&dir, ""), "BOT=bots/BOT Bot-3=bots/Bot bot-2=bots/bot-2 bot-4=bots/bot");
    // All play, each under the name that is listed, and are found by it.
    let ended = dir.arena_ends(0, QUICK);
    let told = "warning: Bot-3: bots/Bot plays under this name because bots/BOT is called `BOT` (names ignore case); \
                rename one of them, or use --bot NAME=PATH\n";
    assert!(ended.stderr.contains(told), "{ended}");
    assert!(ended.stderr.contains("are identical bots; only their names distinguish their games"), "{ended}");
    let ids: Vec<String> = dir.journal("tictactoe").games.into_iter().map(|game| game.id).collect();
    assert_eq!(ids.len(), 12);
    dir.arena_ends(0, QUICK);
    let again: Vec<String> = dir.journal("tictactoe").games.into_iter().map(|game| game.id).collect();
    assert_eq!(again, ids, "no game is played again");
    dir.arena_ends(0, "check Bot-3 --game tictactoe --move-time 30s");
    // The longest name has no room for a number.
    let long = "x".repeat(32);
    for name in [long.to_uppercase(), long] {
        dir.script_bot(&name, "greedy");
    }
    assert!(names(&dir, "").ends_with(&format!(" {}-2=bots/{}", "x".repeat(30), "x".repeat(32))));
}

#[test]
fn a_name_that_the_organiser_gave_stays() {
    let dir = Dir::with_bots(&["random"]);
    dir.file("bots/zz.toml", "name = \"Random\"\nbuiltin = \"greedy\"");
    // In a manifest of the bots folder, whatever the order of paths.
    assert_eq!(names(&dir, ""), "Random=bots/zz.toml random-2=bots/random.toml");
    // On the command line before that.
    dir.script("else/where", "exit");
    assert_eq!(
        names(&dir, "--bot rANDOM=else/where"),
        "Random-2=bots/zz.toml rANDOM=else/where random-3=bots/random.toml"
    );
    let ended = dir.arena_ends(1, "bots --bot x=else/where --bot X=bots/random.toml");
    assert!(
        ended.stderr.contains("--bot X is given twice (names ignore case); give one of the bots another"),
        "{ended}"
    );
}

#[test]
fn a_bot_does_not_take_the_name_of_another() {
    let dir = Dir::with_bots(&["random"]);
    dir.file("bots/AA/bot.toml", "name = \"RANDOM\"\nbuiltin = \"greedy\"");
    dir.file("bots/Random/bot.toml", "builtin = \"mcts\"");
    // The folders come first by their paths; neither is trusted, and the name of a folder beats one that is claimed.
    assert_eq!(names(&dir, ""), "RANDOM-3=bots/AA/bot.toml Random-2=bots/Random/bot.toml random=bots/random.toml");
    fs::remove_file(dir.path("bots/random.toml")).expect("removed");
    assert_eq!(names(&dir, ""), "RANDOM-2=bots/AA/bot.toml Random=bots/Random/bot.toml");
    // Nor by the name that another would get.
    dir.builtin("random", "random");
    dir.file("bots/AA/bot.toml", "name = \"Random-2\"\nbuiltin = \"greedy\"");
    assert_eq!(names(&dir, ""), "Random-2=bots/AA/bot.toml Random-3=bots/Random/bot.toml random=bots/random.toml");
}

#[test]
fn identical_bots_are_a_warning() {
    let dir = Dir::new();
    for name in ["one", "two"] {
        dir.script_bot(name, "random");
    }
    let told = "warning: one, two are identical bots; only their names distinguish ";
    let ended = dir.arena_ends(0, QUICK);
    assert!(ended.stderr.contains(told), "{ended}");
    let ended = dir.arena_ends(0, "bots");
    assert!(ended.stdout.contains(told), "{ended}");
}

#[test]
fn a_bot_that_is_named_and_not_there_stops_every_command() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.file("text", "");
    for command in [
        QUICK,
        &format!("match random greedy {PLAY}"),
        &format!("match bots/random.toml bots/greedy.toml {PLAY}"),
        "check random",
        "check bots/random.toml",
        "bots",
        "tournament --builtins",
    ] {
        let ended = dir.arena_ends(1, &format!("{command} --bot foo=/nope"));
        let told = "error: --bot foo=/nope\n  caused by: there is no such file or folder\n";
        assert_eq!((ended.stderr.as_str(), ended.stdout.as_str()), (told, ""), "{command}");
        let ended = dir.arena_ends(1, &format!("{command} --bot foo=text"));
        assert!(ended.stderr.starts_with("error: --bot foo=text is not a bot: not executable"), "{command}: {ended}");
    }
    assert!(!dir.path("results").exists());
}

#[test]
fn built_in_bots_need_no_folder() {
    let dir = Dir::new();
    fs::remove_dir(dir.path("bots")).expect("removed");
    dir.arena_ends(0, &format!("match greedy random {PLAY}"));
    dir.arena_ends(0, "check greedy --game tictactoe --move-time 30s");
    // All that play the game, and no word of others.
    let ended = dir.arena_ends(0, &format!("{QUICK} --builtins"));
    assert!(!ended.stderr.contains("sitting out") && !ended.stderr.contains("bots/"), "{ended}");
    let bots = |dir: &Dir| {
        let bots = dir.journal("tictactoe").event.expect("an event").bots;
        bots.into_iter().map(|bot| format!("{} {}", bot.id.name, bot.id.fingerprint)).collect::<Vec<_>>()
    };
    let without_folder = bots(&dir);
    assert_eq!(without_folder.len(), 5, "{without_folder:?}");
    // They are the bots that are shipped: their games are the same.
    fs::create_dir(dir.path("bots")).expect("a folder");
    for name in ["greedy", "mcts", "minimax", "perfect", "random"] {
        let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("bots/{name}.toml"));
        fs::copy(shipped, dir.path(format!("bots/{name}.toml"))).expect("a copy");
    }
    let ended = dir.arena_ends(0, QUICK);
    assert!(ended.stderr.contains("nothing new to play"), "{ended}");
    assert_eq!(bots(&dir), without_folder);
}

#[test]
fn a_bot_in_the_folder_comes_before_the_built_in_one() {
    let dir = Dir::new();
    dir.builtin("mcts", "random");
    let mcts = |args: &str| {
        let ended = dir.arena_ends(0, args);
        ended.stdout.lines().find(|line| line.starts_with("mcts ")).map(str::to_owned).unwrap_or_default()
    };
    assert!(mcts("bots --builtins").ends_with("  builtin random"));
    assert!(mcts("check mcts --game tictactoe --move-time 30s").ends_with("  builtin random"));
    dir.arena_ends(0, &format!("match mcts greedy {PLAY}"));
    // One that cannot be used is not replaced by another of its name.
    dir.file("bots/mcts.toml", "builtin = []");
    let ended = dir.arena_ends(1, &format!("match mcts greedy {PLAY}"));
    assert!(ended.stderr.contains("bots/mcts.toml cannot be used: line 1"), "{ended}");
    let ended = dir.arena_ends(2, "bots --builtins");
    assert!(!ended.stdout.contains("mcts "), "{ended}");
    // The only bot that is called so without its extension is meant.
    dir.script_bot("mine.sh", "random");
    dir.arena_ends(0, &format!("match mine greedy {PLAY}"));
    dir.script_bot("mine.py", "random");
    let ended = dir.arena_ends(1, &format!("match mine greedy {PLAY}"));
    assert!(ended.stderr.contains("no bot named `mine` (did you mean `mine.py`?)"), "{ended}");
}

#[test]
fn a_match_of_paths_says_nothing_of_the_bots_folder() {
    let dir = Dir::new();
    dir.script("else/dumb", "exit 1");
    dir.file("bots/broken.toml", "comand = []");
    for other in ["greedy", "else/where"] {
        dir.script("else/where", &format!("exec {} bot random", crate::support::arena()));
        let ended = dir.arena_ends(1, &format!("match else/dumb {other} {PLAY}"));
        assert!(ended.stderr.contains("error: tictactoe needs two bots; there is only `"), "{ended}");
        assert!(!ended.stderr.contains("arena bots") && !ended.stderr.contains("broken"), "{ended}");
    }
}
