//! Events that a tournament survives: changed files, signals, full disks, shortages, closed streams. Real processes, in
//! tic-tac-toe, since it is quick.

mod changed;
mod disk;
mod shortage;
mod signals;
mod streams;

use std::collections::HashSet;
use std::process::{Command, Output, Stdio};

use arena::record::Status;

use crate::support::{ASKED, Dir, arena, not_tested};

/// Tournaments whose results depend only on the bots. A busy machine must not make a bot lose on time.
const PLAY: &str = "tournament --seed 1 --game tictactoe --move-time 30s --oversubscribe";
const TABLES: [&str; 3] = ["standings.csv", "crosstable.csv", "head_to_head.csv"];

/// It hangs then, and ignores signals.
const HANG: &str = "trap '' HUP INT TERM; while :; do sleep 1000; done";

/// Everything in the results that must not depend on how the games were played: games without times, and tables.
fn results(dir: &Dir) -> String {
    let games = dir.read("results/tictactoe/games.csv");
    let timeless = |line: &str| line.rsplitn(5, ',').last().unwrap_or_default().to_owned();
    let games: Vec<String> = games.lines().map(timeless).collect();
    let tables = TABLES.map(|table| dir.read(&format!("results/tictactoe/{table}")));
    format!("{}\n{}", games.join("\n"), tables.join("\n"))
}

/// The results of these bots in an undisturbed run.
fn undisturbed(bots: &[&str], args: &str) -> String {
    let dir = Dir::with_bots(bots);
    dir.process_ends(0, args);
    results(&dir)
}

/// No game is in the journal twice, none is void, and no bot is at fault in any.
#[track_caller]
fn assert_clean(dir: &Dir, games: usize) {
    let journal = dir.journal("tictactoe");
    assert_eq!(journal.torn_bytes, 0);
    for game in &journal.games {
        assert!(game.counts() && game.statuses == [Status::Ok; 2], "{game:?}");
    }
    let ids: HashSet<&str> = journal.games.iter().map(|game| game.id.as_str()).collect();
    assert_eq!((journal.games.len(), ids.len()), (games, games));
}

/// Runs a shell script in the folder; `$ARENA` is the arena.
fn shell(dir: &Dir, script: &str) -> Output {
    run(dir, Command::new("sh").args(["-c", script]))
}

fn run(dir: &Dir, command: &mut Command) -> Output {
    command.current_dir(dir.path("")).env("TMPDIR", dir.path("tmp")).env("ARENA", arena());
    command.stdin(Stdio::null()).output().expect("it starts")
}

/// Runs a shell script that may mount; `None` where the system does not allow it.
fn mounting(dir: &Dir, script: &str) -> Option<Output> {
    let root = rustix::process::getuid().is_root();
    let flags: &[&str] = if root { &["--mount"] } else { &["--user", "--map-root-user", "--mount"] };
    let unshared = |script: &str| run(dir, Command::new("unshare").args(flags).args(["sh", "-c", script]));
    if !unshared("mount -t tmpfs none tmp").status.success() {
        not_tested("what needs a mount", "this system does not let us mount");
        return None;
    }
    Some(unshared(script))
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
