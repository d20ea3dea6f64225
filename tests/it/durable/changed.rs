//! A bot's file is replaced, edited or deleted in mid-run: what is there then is another bot.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use arena::guard::SandboxMode;
use arena::roster::{Roster, RosterSettings};

use super::{ASKED, PLAY, arena, assert_clean};
use crate::faults::faulty;
use crate::support::{Dir, LIMIT, not_tested, until};

/// Makes `own/fresh.toml`: a script that is started for every game.
fn with_fresh_script(dir: &Dir) {
    dir.script("own/script", &format!("exec {} bot random", arena()));
    dir.file("own/fresh.toml", "command = [\"./script\"]\nfresh = true");
}

type Change = fn(&Dir);

const FRESH: &str = "--bot fresh=own/fresh.toml";

#[test]
fn a_bot_that_is_replaced_in_mid_run_is_taken_out_and_the_others_play_on() {
    const ROUNDS: usize = 40;
    let args = format!("{PLAY} --rounds {ROUNDS} -j 2 {FRESH}");
    let changes: [(&str, Change); 4] = [
        ("has changed since this run began", |dir| {
            dir.script("own/new", &format!("exec {} bot greedy", arena()));
            fs::rename(dir.path("own/new"), dir.path("own/script")).expect("replaced");
        }),
        ("has changed since this run began", |dir| dir.file("own/script", "#!/bin/sh\nexit 7\n")),
        ("was deleted after this run began", |dir| fs::remove_file(dir.path("own/script")).expect("removed")),
        ("has changed since this run began", |dir| {
            fs::set_permissions(dir.path("own/script"), fs::Permissions::from_mode(0o644)).expect("a mode");
        }),
    ];
    for (how, change) in changes {
        let dir = Dir::with_bots(&["random", "greedy"]);
        with_fresh_script(&dir);
        let running = dir.start(&args);
        until(LIMIT, "some games are in the journal", || dir.journal_lines("tictactoe") > 3);
        change(&dir);
        let ended = running.wait(LIMIT);
        assert_eq!(ended.status, Some(3), "{how}: {ended}");
        assert_eq!(ended.stderr.matches("fresh plays no more games: ").count(), 1, "{how}: {ended}");
        assert!(ended.stderr.contains(how) && ended.stderr.contains("run again"), "{how}: {ended}");
        let games = dir.journal("tictactoe").games;
        let of_fresh = games.iter().filter(|game| game.bots.iter().any(|bot| bot.name == "fresh")).count();
        assert!((1..4 * ROUNDS).contains(&of_fresh), "{how}: {of_fresh}");
        assert_clean(&dir, of_fresh + 2 * ROUNDS);
    }
}

#[test]
fn the_new_file_is_a_new_bot_in_the_next_run() {
    let dir = Dir::with_bots(&["random"]);
    with_fresh_script(&dir);
    let args = "match random own/fresh.toml --game tictactoe --name tictactoe --move-time 30s --rounds 30 -j 1";
    let running = dir.start(args);
    until(LIMIT, "some games are in the journal", || dir.journal_lines("tictactoe") > 3);
    dir.script("own/script", &format!("exec {} bot greedy", arena()));
    let ended = running.wait(LIMIT);
    assert_eq!(ended.status, Some(3), "{ended}");
    assert!(ended.stderr.contains("resume with: "), "{ended}");
    let before = dir.journal("tictactoe").games.len();
    dir.process_ends(0, args);
    assert_clean(&dir, before + 60);
}

#[test]
fn a_file_that_is_touched_or_replaced_by_its_like_is_the_same_bot() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    with_fresh_script(&dir);
    let running = dir.start(&format!("{PLAY} --rounds 15 -j 1 {FRESH}"));
    until(LIMIT, "some games are in the journal", || dir.journal_lines("tictactoe") > 3);
    let file = fs::File::open(dir.path("own/script")).expect("a file");
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).expect("a time");
    until(LIMIT, "more games are in the journal", || dir.journal_lines("tictactoe") > 20);
    fs::copy(dir.path("own/script"), dir.path("tmp/copy")).expect("a copy");
    fs::rename(dir.path("tmp/copy"), dir.path("own/script")).expect("replaced");
    let ended = running.wait(LIMIT);
    assert_eq!(ended.status, Some(0), "{ended}");
    assert_clean(&dir, 90);
}

#[test]
fn a_file_that_is_held_by_a_lease_is_not_waited_for() {
    let dir = Dir::new();
    with_fresh_script(&dir);
    let find = || Roster::only("fresh", &dir.path("own/fresh.toml"), &RosterSettings::default());
    let launch = find().expect("a bot").launch;
    // So that its content is compared.
    let script = fs::File::open(dir.path("own/script")).expect("a file");
    script.set_modified(std::time::SystemTime::UNIX_EPOCH).expect("a time");
    drop(script);
    let mut holder = std::process::Command::new(faulty());
    holder.arg(format!("hold-lease={}", dir.path("own/script").display())).env("TMPDIR", dir.path("tmp"));
    let mut holder = holder.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut said = String::new();
    BufReader::new(holder.stdout.take().expect("a pipe")).read_line(&mut said).expect("text");
    if said == "true\n" {
        let change = launch.change().unwrap_or_default();
        assert!(change.contains("own/script cannot be read any more: another program holds a lease"), "{change}");
        let found = find().map(|found| found.path);
        assert!(format!("{found:?}").contains("another program holds a lease"), "{found:?}");
    } else {
        not_tested("a file that is held by a lease", "this file system has none");
    }
    drop(holder.stdin.take());
    assert!(holder.wait().expect("a child").success());
    assert_eq!(launch.change(), None);
}

#[test]
fn bots_of_ours_are_taken_out_when_the_arena_is_replaced() {
    // As a new build replaces it. Guards still run the old program.
    let dir = Dir::new();
    for bot in ["random", "greedy"] {
        dir.file(&format!("bots/{bot}.toml"), format!("builtin = \"{bot}\"\nfresh = true"));
    }
    dir.script("bots/script", &format!("exec {} bot random", arena()));
    dir.script("bots/other", &format!("exec {} bot greedy", arena()));
    crate::support::copy_program(crate::support::arena(), dir.path("arena"));
    let args = format!("{PLAY} --rounds 100 -j 1 --sandbox off");
    let mut command = std::process::Command::new(dir.path("arena"));
    command.args(args.split(' ')).current_dir(dir.path("")).env("TMPDIR", dir.path("tmp"));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    until(LIMIT, "some games are in the journal", || dir.journal_lines("tictactoe") > 3);
    dir.script("tmp/new", "exit 7");
    fs::rename(dir.path("tmp/new"), dir.path("arena")).expect("replaced");
    let mut said = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut said).expect("text");
    assert_eq!(child.wait().expect("a child").code(), Some(3), "{said}");
    for bot in ["random", "greedy"] {
        assert!(said.contains(&format!("{bot} plays no more games: ")), "{said}");
    }
    let games = dir.journal("tictactoe").games;
    let of_others = games.iter().filter(|game| game.bots.iter().all(|bot| !["random", "greedy"].contains(&&*bot.name)));
    assert_eq!(of_others.count(), 200);
    assert_clean(&dir, games.len());
}

#[test]
fn a_process_that_runs_is_the_old_program_and_plays_on() {
    let dir = Dir::with_bots(&["random"]);
    dir.script_bot("script", "greedy");
    let running = dir.start(&format!("{PLAY} --rounds 20 -j 1"));
    until(LIMIT, "some games are in the journal", || dir.journal_lines("tictactoe") > 3);
    fs::remove_file(dir.path("bots/script")).expect("removed");
    let ended = running.wait(LIMIT);
    assert_eq!(ended.status, Some(0), "{ended}");
    assert_clean(&dir, 40);
}

#[test]
fn a_bot_that_replaces_itself_and_fails_keeps_its_earlier_games() {
    // Its second game is played by a process that was started from a file that is no longer there, and then fails.
    let dir = Dir::with_bots(&["random", "greedy"]);
    let second = format!("{ASKED}\necho '# other' >> \"$0\"\necho last words >&2\nexit 3");
    let script = format!("if [ -e $0.played ]; then {second}\nfi\ntouch $0.played\nexec {} bot random", arena());
    dir.script("bots/self", &script);
    dir.file("bots/fresh.toml", "command = [\"./self\"]\nfresh = true");
    let ended = dir.arena(
        "match random fresh --game tictactoe --name tictactoe --move-time 30s --rounds 5 \
         -j 1 --no-check --sandbox off",
    );
    assert_eq!(ended.status, Some(3), "{ended}");
    assert!(ended.stderr.contains("fresh plays no more games: "), "{ended}");
    let log = dir.read("results/tictactoe/bots/fresh.log");
    assert!(log.contains("Z, discarded\nstderr: last words\n"), "{log}");
    assert_clean(&dir, 1);
}

#[test]
fn all_that_a_fingerprint_is_made_of_is_looked_at() {
    let dir = Dir::new();
    dir.script_bot("program", "random");
    dir.file("bots/words.toml", "command = [\"sh\", \"words.sh\", \"absent\"]\nfiles = [\"data\"]");
    dir.file("bots/folder/bot.toml", "command = [\"sh\", \"main.sh\"]");
    let closed = "folder/__pycache__/main.pyc";
    for file in ["words.sh", "data/book", "folder/main.sh", "folder/lib/part", "folder/.hidden", closed] {
        dir.file(&format!("bots/{file}"), "one");
    }
    for (bot, file, other) in [
        ("program", "program", true),
        ("words.toml", "words.sh", true),
        ("words.toml", "data/book", true),
        ("words.toml", "program", false),
        ("folder", "folder/main.sh", true),
        ("folder", "folder/lib/part", true),
        ("folder", "folder/.hidden", true),
        ("folder", "folder/bot.toml", true),
        ("folder", closed, !arena::guard::can_close(SandboxMode::Auto)),
    ] {
        let found = Roster::only("bot", &dir.path("bots").join(bot), &RosterSettings::default()).expect("a bot");
        assert_eq!(found.launch.change(), None, "{bot}");
        let old = fs::read(dir.path("bots").join(file)).expect("a file");
        dir.file(&format!("bots/{file}"), "other");
        let change = found.launch.change();
        assert_eq!(change.is_some(), other, "{bot}, {file}: {change:?}");
        dir.file(&format!("bots/{file}"), old);
        assert_eq!(found.launch.change(), None, "{bot}, {file}: as before");
    }
}
