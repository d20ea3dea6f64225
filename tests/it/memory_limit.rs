//! The limit on memory counts what a bot uses, and a bot that comes near a limit is told so.

use std::path::Path;
use std::process::Command;

use arena::cause::Cause;
use arena::record::{Record, Status};

use crate::support::{Dir, is_installed};

const MATCH: &str = "--game tictactoe --move-time 30s --no-check -j 1";

/// A folder with a bot `subject`, made of `tests/bots/reserves.c`, in this mode; `None` without a compiler.
fn with_subject(mode: &str) -> Option<Dir> {
    if !is_installed("cc", "C") {
        return None;
    }
    let dir = Dir::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bots/reserves.c");
    std::fs::create_dir_all(dir.path("bots/subject")).expect("a folder");
    let program = dir.path("bots/subject/reserves");
    let built =
        Command::new("cc").args(["-O1", "-pthread", "-o"]).args([&program, &source]).status().expect("cc starts");
    assert!(built.success());
    dir.file("bots/subject/bot.toml", format!("command = [\"./reserves\", \"{mode}\"]\n"));
    dir.builtin("random", "random");
    Some(dir)
}

fn games(dir: &Dir) -> Vec<Record> {
    dir.journal("tictactoe-subject-vs-random").games
}

/// Plays one pair with `time` a move under these limits; returns the first game's status, cause and message of the bot.
#[track_caller]
fn fault(dir: &Dir, time: &str, limits: &str) -> (Status, Option<Cause>, String) {
    let args = MATCH.replace("30s", time);
    dir.process_ends(0, &format!("match subject random {args} --rounds 1 --limits {limits}"));
    let game = games(dir).remove(0);
    let seat = usize::from(game.bots[1].name == "subject");
    let evidence = game.evidence[seat].clone().unwrap_or_default();
    (game.statuses[seat], evidence.cause, evidence.message)
}

#[test]
fn a_bot_that_reserves_much_and_never_joins_its_threads_plays_on() {
    let Some(dir) = with_subject("stacks") else { return };
    for sandbox in ["auto", "off"] {
        dir.process_ends(0, &format!("match subject random {MATCH} --rounds 4 --fresh --sandbox {sandbox}"));
        let games = games(&dir);
        assert!(games.len() == 8 && games.iter().all(|game| game.statuses == [Status::Ok; 2]), "{sandbox}: {games:?}");
    }
}

#[test]
fn a_bot_that_uses_more_than_it_may_is_told_that_it_is_out_of_memory() {
    // It is silent then, since a game of a bot that plays on may be over before the next look.
    let Some(dir) = with_subject("hold=200") else { return };
    let (status, cause, message) = fault(&dir, "30s", "memory_mb=64");
    assert_eq!((status, cause), (Status::Crashed, Some(Cause::MemoryLimit)), "{message}");
    assert!(message.starts_with("it was ended: out of memory (limit 64 MB)"), "{message}");
}

#[test]
fn a_bot_that_falls_silent_near_a_limit_is_told_so() {
    for (mode, limit, cause, says, cure) in [
        ("hold=60", "memory_mb=64", Cause::NearMemoryLimit, "memory was near the limit: it used 6", "use less memory"),
        (
            "fill",
            "memory_mb=16",
            Cause::NearMemoryLimit,
            "memory was near the limit: it reserved 102",
            "use less memory",
        ),
        (
            "threads=7",
            "processes=1",
            Cause::NearThreadLimit,
            "threads and processes were near the limit: it had 8 of 8",
            "start fewer threads",
        ),
        (
            "files",
            "open_files=32",
            Cause::NearOpenFileLimit,
            "open files were near the limit: a process of it had 32 of 32",
            "close each file",
        ),
    ] {
        let Some(dir) = with_subject(mode) else { return };
        let says = format!("; its {says}");
        let (status, seen, message) = fault(&dir, "500ms", limit);
        assert_eq!((status, seen), (Status::Timeout, Some(cause)), "{message}");
        assert!(message.starts_with("no move within 500 ms; its ") && message.contains(&says), "{message}");
        let check =
            dir.process(&format!("check subject --game tictactoe --quick --move-time 500ms --limits {limit}")).stdout;
        assert!(check.contains(&says) && check.contains(&format!("→ {cure}")), "{check}");
    }
    let explained = Dir::new().arena_ends(0, "explain timeout").stdout;
    for what in ["its memory is", "its threads and processes are", "its open files, pipes and sockets are"] {
        assert!(explained.contains(&format!("{what} near the limit")), "{explained}");
    }
}

#[test]
fn what_a_bot_has_given_back_does_not_explain_its_silence() {
    let Some(dir) = with_subject("freed=60") else { return };
    let (status, cause, message) = fault(&dir, "1s", "memory_mb=64");
    assert_eq!((status, cause), (Status::Timeout, Some(Cause::NoMove)), "{message}");
    assert!(message.contains("slept or waited") && !message.contains("near the limit"), "{message}");
}

#[test]
fn a_bot_that_computes_near_the_limit_is_told_to_search_less() {
    let Some(dir) = with_subject("search=60") else { return };
    let (status, cause, message) = fault(&dir, "500ms", "memory_mb=64");
    assert_eq!((status, cause), (Status::Timeout, Some(Cause::NoMove)), "{message}");
    let [memory, time] = ["; its memory was near the limit: it used 6", "; it computed"].map(|says| message.find(says));
    assert!(memory.is_some() && memory < time, "{message}");
}

#[test]
fn a_bot_that_crashes_near_the_limit_on_threads_is_told_so() {
    let Some(dir) = with_subject("abort=7") else { return };
    let (status, cause, message) = fault(&dir, "30s", "processes=1");
    assert_eq!((status, cause), (Status::Crashed, Some(Cause::ThreadLimit)), "{message}");
    assert!(message.contains("signal 6 (SIGABRT), probably out of threads (it had 8 of 8)"), "{message}");
}

#[test]
fn a_check_says_that_a_bot_without_a_fault_is_near_the_limit() {
    for (used, is_near) in [(60, true), (20, false)] {
        let Some(dir) = with_subject(&format!("use={used}")) else { return };
        let check = dir.process_ends(0, "check subject --game tictactoe --quick --limits memory_mb=64");
        let says = check.stdout.contains("note  memory")
            && check.stdout.contains("at its peak it was near the limit: it used 6");
        assert_eq!(says, is_near, "{}", check.stdout);
    }
}

#[test]
fn a_process_that_reserves_more_with_each_game_is_replaced_before_more_is_refused_to_it() {
    // At most 4,096 MB.
    let Some(dir) = with_subject("each=500") else { return };
    dir.process_ends(0, &format!("match subject random {MATCH} --rounds 6 --limits memory_mb=64"));
    let games = games(&dir);
    assert!(games.len() == 12 && games.iter().all(|game| game.statuses == [Status::Ok; 2]), "{games:?}");
    let log = dir.read("results/tictactoe-subject-vs-random/bots/subject.log");
    assert!(log.contains("of 4096 MB of address space; a new process is started"), "{log}");
}
