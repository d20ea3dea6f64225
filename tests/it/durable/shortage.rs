//! The machine runs out of descriptors, processes or processors: fewer games at a time, void games, and no lost ones.

use std::process::Command;

use arena::record::Status;

use super::{PLAY, assert_clean, run, shell, stderr};
use crate::support::{Dir, not_tested};

const BOTS: [&str; 4] = ["random", "greedy", "minimax depth=2", "mcts playouts=10"];

/// No bot lost by a fault, and void games are the arena's failure.
#[track_caller]
fn no_bot_is_blamed(dir: &Dir) -> usize {
    let games = dir.journal("tictactoe").games;
    for game in &games {
        assert_eq!(game.statuses, [Status::Ok; 2], "{game:?}");
    }
    games.iter().filter(|game| game.counts()).count()
}

#[test]
fn few_descriptors_mean_fewer_games_at_a_time() {
    let dir = Dir::with_bots(&BOTS);
    let output = shell(&dir, &format!("ulimit -n 64; exec $ARENA {PLAY} --rounds 3 -j 4"));
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("playing 1 at a time instead of 4: the limit of open files is 64 (ulimit -n)"), "{said}");
    assert_clean(&dir, 36);
}

#[test]
#[ignore = "takes five seconds and more; .ci/run has a command for it"]
fn too_few_descriptors_are_no_bots_loss() {
    let mut played = Vec::new();
    for files in [12, 20, 32, 40] {
        let dir = Dir::with_bots(&BOTS);
        let output = shell(&dir, &format!("ulimit -n {files}; exec $ARENA {PLAY} --no-check --rounds 1 -j 2"));
        let said = stderr(&output);
        assert!(!said.contains("panicked"), "{files}: {said}");
        if !dir.path("results/tictactoe/games.jsonl").exists() {
            assert_eq!(output.status.code(), Some(1), "{files}: {said}");
            assert!(said.contains("Too many open files"), "{files}: {said}");
            continue;
        }
        let counted = no_bot_is_blamed(&dir);
        played.push((files, counted));
        match output.status.code() {
            Some(0) => assert_eq!(counted, 12, "{files}: {said}"),
            Some(1) => assert!(said.contains("Too many open files"), "{files}: {said}"),
            Some(3) => {
                assert!(counted < 12 && said.contains("resume with: "), "{files}: {said}");
                // The journal is not filled with games that could not be run; one more may have begun.
                // The last descriptor may go when a bot is started, or when it is connected.
                let is_reason = |line: &str| {
                    line.starts_with("warning: 10 consecutive games could not be run: ")
                        && line.contains("Too many open files")
                };
                let stopped = said.lines().any(is_reason);
                let games = dir.journal("tictactoe").games.iter().filter(|game| game.repeat == 0).count();
                assert!(counted > 0 || stopped && (10..12).contains(&games), "{files}: {games}: {said}");
            }
            other => panic!("{files}: {other:?}: {said}"),
        }
        // With enough of them, all games are played.
        dir.process_ends(0, &format!("{PLAY} --rounds 1 -j 2"));
        assert_eq!(no_bot_is_blamed(&dir), 12);
    }
    assert_eq!(played.last(), Some(&(40, 12)), "{played:?}");
}

#[test]
#[ignore = "takes five seconds and more; .ci/run has a command for it"]
fn too_few_processes_are_no_bots_loss() {
    // As a user with no other processes, even if several users run these tests.
    let nobody = (1_000_000 + std::process::id()).to_string();
    let dir = Dir::with_bots(&BOTS[..3]);
    // The kernel limits every user but root, who can become another user.
    let somebody = ["--reuid", &nobody, "--clear-groups"];
    crate::support::copy_program(crate::support::arena(), dir.path("arena"));
    let given = run(&dir, Command::new("chown").args(["-R", &nobody, "."])).status.success();
    if !given || !run(&dir, Command::new("setpriv").args(somebody).arg("./arena").arg("games")).status.success() {
        return not_tested("too few processes", "this system does not let us become somebody else");
    }
    let mut short = 0;
    for processes in [2, 4, 6, 8, 24] {
        let limit = format!("--nproc={processes}:{processes}");
        let mut command = Command::new("setpriv");
        command.args(somebody).args(["prlimit", &limit, "./arena"]);
        command.args(format!("{PLAY} --no-check --rounds 1 -j 2").split(' '));
        let output = run(&dir, &mut command);
        let said = stderr(&output);
        assert!(!said.contains("panicked"), "{processes}: {said}");
        assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{processes}: {output:?}");
        if dir.path("results/tictactoe/games.jsonl").exists() {
            no_bot_is_blamed(&dir);
        }
        short += u32::from(output.status.code() != Some(0));
        if processes == 24 {
            assert_eq!(output.status.code(), Some(0), "{said}");
            assert_clean(&dir, 6);
        }
        let _ = std::fs::remove_dir_all(dir.path("results"));
    }
    assert!(short > 0, "the limits were never felt");
}
