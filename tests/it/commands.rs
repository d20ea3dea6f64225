//! Commands in the process of the tests, for tests of what commands say and write: a start of the program takes 2 ms of a processor,
//! that of a built-in bot and its guard 4 ms.

use std::fs;
use std::path::Path;
use std::sync::Once;

use arena::cli::{self, Exit, Io};
use rustix::thread::UnshareFlags;

use super::{arena, guard};

/// Commands that start no process.
const READING: &str = "analyze bots completions explain export games history judge man merge new-bot new-contest new-game open plan publish \
                       schema similar solve sprt standings verify";
/// Commands that play tournaments. Built-in bots need no process for that.
const PLAYING: &str = "tournament match series rerun";
/// Parts of words that are about processes, or files of processes.
const ABOUT_PROCESSES: &str = "rules --bot= --serve --sandbox --limits cpu --freeze --startup --pin --keep-last /dev/";
/// Test threads have less by default than the first thread of a program, and what is not optimised needs more.
const STACK: usize = 16 << 20;

/// Whether these words, in this folder, are a command that needs no process: neither one of its own nor one of a bot.
pub(crate) fn needs_no_process(dir: &Path, words: &[&str]) -> bool {
    let Some(command) = words.first() else { return false };
    let is_of = |list: &str| list.split(' ').any(|other| other == *command);
    let about_processes = |word: &&str| *word == "--bot" || ABOUT_PROCESSES.split(' ').any(|part| word.contains(part));
    // The manifest of a program that is the rules: its game would stay known to all tests. Those that show what a command does with
    // results of a game that it does not know ask for a process.
    let is_program = |pair: &[&str]| pair[0] == "--game" && pair[1].contains(".toml");
    if words.iter().any(about_processes) || words.windows(2).any(is_program) {
        return false;
    }
    // Nor the program that a results folder remembers.
    if remembers_rules(&dir.join("results")) {
        return false;
    }
    let folders = words.windows(2).filter(|pair| pair[0] == "--bots").map(|pair| pair[1]).chain(["bots"]);
    is_of(READING) || is_of(PLAYING) && folders.into_iter().all(|bots| are_built_in(&dir.join(bots)))
}

/// Whether a tournament of these results has rules that are a program.
fn remembers_rules(results: &Path) -> bool {
    let Ok(entries) = fs::read_dir(results) else { return false };
    entries.filter_map(Result::ok).any(|entry| entry.path().join("rules.json").exists())
}

/// Whether a folder has nothing but manifests of built-in bots.
fn are_built_in(bots: &Path) -> bool {
    let Ok(entries) = fs::read_dir(bots) else { return true };
    entries.filter_map(Result::ok).all(|entry| {
        let text = fs::read_to_string(entry.path()).unwrap_or_default();
        entry.path().extension().is_some_and(|extension| extension == "toml") && text.starts_with("builtin = ")
    })
}

/// Runs a command in a folder, to its end. Returns the exit code, stdout and stderr.
#[track_caller]
pub(crate) fn run(dir: &Path, words: &[&str]) -> (Exit, [String; 2]) {
    static LISTENS: Once = Once::new();
    LISTENS.call_once(end_at_an_interrupt);
    let words = [arena()].into_iter().chain(words.iter().copied());
    let run = || {
        leave_folder_of_others();
        std::env::set_current_dir(dir).expect("its folder");
        let io = Io::captured(words, guard());
        let exit = cli::run(&io);
        (exit, io.into_output())
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run).expect("a thread");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Ctrl-C ends the tests also after a command that listens for it, as tournaments do.
#[expect(clippy::exit, reason = "a panic ends one test only")]
fn end_at_an_interrupt() {
    std::thread::spawn(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        if runtime.block_on(tokio::signal::ctrl_c()).is_ok() {
            std::process::exit(130);
        }
    });
}

/// Gives this thread, and those that it starts, a current folder of its own (`CLONE_FS` of unshare(2)): paths on a command line
/// count from there.
#[expect(deprecated, reason = "it is not safe to unshare open files by it; nothing else is wrong with it")]
fn leave_folder_of_others() {
    rustix::thread::unshare(UnshareFlags::FS).expect("a current folder of its own");
}
