//! Signals to the referee, at any moment, and a second referee in the same folder.

use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::{ASKED, HANG, PLAY, arena, assert_clean, results, shell, stderr, undisturbed};
use crate::procfs;
use crate::support::{Dir, LIMIT, is_heard, until};

/// Time limit for a referee to exit after its second signal.
const LEAVE: Duration = Duration::from_secs(2);
/// Bots that think for a while.
const SLOW: [&str; 2] = ["mcts playouts=2000", "greedy"];

/// A tournament with a game that hangs.
fn hanging() -> Dir {
    let dir = Dir::with_bots(&["random"]);
    dir.script("bots/hangs", &format!("{ASKED}\n{HANG}"));
    dir
}

fn hangs(dir: &Dir) -> bool {
    dir.processes().iter().any(|words| words.starts_with("sleep"))
}

#[test]
fn any_second_signal_ends_the_run_at_once() {
    for [first, second] in [[Signal::INT, Signal::TERM], [Signal::HUP, Signal::INT], [Signal::TERM, Signal::HUP]] {
        if ![first, second].into_iter().all(is_heard) {
            continue;
        }
        let dir = hanging();
        let mut running = dir.start(&format!("{PLAY} --no-check --rounds 3 -j 1"));
        until(LIMIT, "the game hangs", || hangs(&dir));
        running.signal(first);
        until(LIMIT, "it says so", || running.stderr().contains("stopping"));
        running.signal_again(second);
        let ended = running.wait(LEAVE);
        assert_eq!(ended.status, Some(130), "{first:?}, {second:?}: {ended}");
        assert!(dir.processes().is_empty());
        assert_eq!(fs::read_dir(dir.path("tmp")).expect("a folder").count(), 0);
        assert!(dir.arena_ends(0, "verify").stdout.contains("0 games follow the rules; "));
    }
}

#[test]
fn an_ignored_signal_stays_ignored() {
    // As `nohup` does.
    let dir = Dir::with_bots(&SLOW);
    let script = format!("trap '' HUP; exec {} {PLAY} --rounds 5 -j 1", arena());
    let mut child = Command::new("sh");
    child.args(["-c", &script]).current_dir(dir.path("")).env("TMPDIR", dir.path("tmp"));
    child.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = child.spawn().expect("it starts");
    for lines in 1..8 {
        until(LIMIT, "a game is in the journal", || dir.journal_lines("tictactoe") > lines);
        rustix::process::kill_process(Pid::from_child(&child), Signal::HUP).expect("it is still there");
    }
    assert_eq!(child.wait().expect("a child").code(), Some(0));
    assert_clean(&dir, 10);
}

#[test]
fn a_signal_to_the_whole_group_is_meant_for_us_and_not_for_bots() {
    // As the terminal does at Ctrl-C.
    let dir = Dir::with_bots(&SLOW);
    let mut command = dir.command(&format!("{PLAY} --rounds 50 -j 2"));
    command.process_group(0).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("it starts");
    until(LIMIT, "some games are in the journal", || dir.journal_lines("tictactoe") > 3);
    kill_process_group(Pid::from_child(&child), Signal::INT).expect("it is still there");
    assert_eq!(child.wait().expect("a child").code(), Some(3));
    let games = dir.journal("tictactoe").games.len();
    assert_clean(&dir, games);
    assert!(games < 100, "{games}");
}

#[test]
fn bots_that_are_ended_together_with_the_arena_are_not_at_fault() {
    // As job schedulers and containers do: every process gets the signal, the arena last.
    let args = format!("{PLAY} --rounds 12 -j 2");
    let expected = undisturbed(&SLOW, &args);
    let dir = Dir::with_bots(&SLOW);
    let end = |process: u32| {
        // It may have left meanwhile.
        let _ = kill_process(Pid::from_raw(process as i32).expect("a number"), Signal::TERM);
    };
    for _ in 0..3 {
        let known = dir.journal_lines("tictactoe");
        let mut running = dir.start(&args);
        until(LIMIT, "a game is played", || dir.journal_lines("tictactoe") > known + 1 || running.has_ended());
        if running.has_ended() {
            break;
        }
        let others = procfs::running_in(&dir.path("")).into_iter().filter(|(process, _)| *process != running.pid());
        others.for_each(|(process, _)| end(process));
        end(running.pid());
        let ended = running.wait(LIMIT);
        assert!(matches!(ended.status, Some(0 | 3)), "{ended}");
    }
    dir.process_ends(0, &args);
    assert_clean(&dir, 24);
    assert_eq!(results(&dir), expected);
}

#[test]
fn killed_at_any_moment_and_run_again_the_results_are_the_same() {
    const GAMES: usize = 24;
    let args = format!("{PLAY} --rounds 4 -j 2");
    let bots = ["random", "greedy", "minimax depth=4"];
    let expected = undisturbed(&bots, &args);
    let dir = Dir::with_bots(&bots);
    let exists = |name: &str| dir.path("results/tictactoe").join(name).exists();
    let bots_run = || dir.processes().iter().filter(|words| words.contains(" bot ")).count();
    let moments: [(&str, &dyn Fn() -> bool); 8] = [
        ("it is locked", &|| exists(".lock")),
        ("the journal is there", &|| exists("games.jsonl")),
        ("a bot is checked", &|| bots_run() > 0),
        ("the event is in the journal", &|| dir.journal_lines("tictactoe") > 0),
        ("two games are on", &|| bots_run() > 2),
        ("a game is in the journal", &|| dir.journal_lines("tictactoe") > 1),
        ("half of the games are", &|| dir.journal_lines("tictactoe") > GAMES / 2),
        ("all games are", &|| dir.journal_lines("tictactoe") > GAMES),
    ];
    for (moment, is_there) in moments {
        let mut running = dir.start(&args);
        until(LIMIT, moment, || is_there() || running.has_ended());
        // On a busy machine the moment may have passed unseen.
        if !running.kill_if_there() {
            continue;
        }
        until(LEAVE, "bots leave with their referee", || dir.processes().is_empty());
        if exists("games.jsonl") {
            // Never damaged; a torn line is no damage.
            dir.arena_ends(0, "verify");
        }
    }
    dir.process_ends(0, &args);
    assert_eq!(results(&dir), expected);
    assert_clean(&dir, GAMES);
    // The next run has removed what the killed ones left.
    assert_eq!(fs::read_dir(dir.path("tmp")).expect("a folder").count(), 0);
}

#[test]
fn a_second_arena_is_refused_whatever_it_wants_to_do_and_wherever_it_runs() {
    let dir = hanging();
    dir.builtin("other", "greedy");
    let running =
        dir.start("match random hangs --game tictactoe --name tictactoe --no-check --rounds 1 --move-time 30s -j 1");
    until(LIMIT, "the game hangs", || hangs(&dir));
    let before = dir.read("results/tictactoe/games.jsonl");
    let why = format!("results/tictactoe is in use by another arena (process {})", running.pid());
    let match_args = "match random other --game tictactoe --name tictactoe --rounds 1";
    for args in [&format!("{PLAY} --rounds 1"), &format!("{PLAY} --fresh"), match_args] {
        let ended = dir.process_ends(1, args);
        assert!(ended.stderr.contains(&why), "{args}: {ended}");
    }
    let ended = dir.arena_ends(0, "standings");
    assert!(ended.stderr.contains(&why), "{ended}");
    // In a container with the same folder, that process number belongs to another process or to none.
    let within = shell(&dir, &format!("unshare --pid --fork --mount-proc --kill-child $ARENA {match_args}"));
    assert!(stderr(&within).contains("in use by another arena") || stderr(&within).contains("unshare"), "{within:?}");
    assert_eq!(dir.read("results/tictactoe/games.jsonl"), before);
    dir.arena_ends(0, "verify");
    drop(running);
    until(LEAVE, "it is gone", || dir.processes().is_empty());
    dir.process_ends(0, match_args);
}
