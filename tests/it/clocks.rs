//! What moves cost: measured, charged and forgiven, with real processes.

use std::fs;
use std::time::Duration;

use arena::record::{Played, Record, Status};
use arena::rules::Seat;
use rustix::process::Signal;

use crate::faults::faulty;
use crate::procfs::{is_frozen, running_in, state};
use crate::support::{Dir, LIMIT, until};

/// One game from each seat.
const TWO_GAMES: &str = "tournament --game tictactoe --rounds 1 --no-check -j 1";

/// A faulty bot `name` that does `what` beside a good one.
fn against(name: &str, what: &str) -> Dir {
    let dir = Dir::with_bots(&["random"]);
    dir.file(&format!("bots/{name}.toml"), format!("command = [{:?}, {what:?}]", faulty().display().to_string()));
    dir
}

/// The same behind a script that does not become it.
fn wrapped(name: &str, what: &str) -> Dir {
    let dir = Dir::with_bots(&["random"]);
    dir.script(&format!("bots/{name}"), &format!("{} {what}\nexit $?", faulty().display()));
    dir
}

/// How `name` came through each of its games.
#[track_caller]
fn statuses(dir: &Dir, name: &str) -> Vec<Status> {
    let games = dir.journal("tictactoe").games;
    games.iter().map(|game| game.statuses[seat(game, name).index()]).collect()
}

/// Its moves in all games.
fn moves(dir: &Dir, name: &str) -> Vec<Played> {
    let games = dir.journal("tictactoe").games;
    games.iter().flat_map(|game| game.played_by(seat(game, name)).cloned().collect::<Vec<_>>()).collect()
}

fn seat(game: &Record, name: &str) -> Seat {
    if game.bots[0].name == name { Seat::First } else { Seat::Second }
}

#[test]
fn every_game_and_every_slow_move_tells_its_processor_time() {
    let sleeper = against("sleeper", "late=40");
    sleeper.process_ends(0, &format!("{TWO_GAMES} --move-time 30s"));
    for played in moves(&sleeper, "sleeper") {
        assert!(played.us >= 40_000 && played.cpu_us.is_some_and(|cpu| cpu < 20_000), "{played:?}");
    }
    for game in sleeper.journal("tictactoe").games {
        assert!(game.cpu_us.iter().all(|cpu| cpu.is_some_and(|cpu| 0 < cpu && cpu < 1_000_000)), "{game:?}");
    }
    let is_fast = |played: &&Played| played.us + played.credit_us < 5_000;
    assert!(moves(&sleeper, "random").iter().filter(is_fast).all(|played| played.cpu_us.is_none()));
    // Also when the bot is not the process that was started.
    for burner in [against("burner", "burn-for=20"), wrapped("burner", "burn-for=20")] {
        burner.process_ends(0, &format!("{TWO_GAMES} --move-time 30s --sandbox off"));
        let moves = moves(&burner, "burner");
        assert!(!moves.is_empty());
        assert!(moves.iter().all(|played| played.cpu_us.is_some_and(|cpu| cpu >= 20_000)), "{moves:?}");
        let of_moves: u64 = moves.iter().filter_map(|played| played.cpu_us).sum();
        let games = burner.journal("tictactoe").games;
        let of_games: u64 = games.iter().filter_map(|game| game.cpu_us[seat(game, "burner").index()]).sum();
        assert!(of_games > of_moves, "{of_games} µs, {of_moves} of them in slow moves");
        let bots = burner.read("results/tictactoe/bots.csv");
        let row = bots.lines().find(|row| row.starts_with("burner,")).expect("a row");
        let cpu_us = row.split(',').nth(8).and_then(|ms| ms.parse::<f64>().ok()).expect("cpu_ms") * 1e3;
        assert!((cpu_us - of_games as f64).abs() < 1.0, "{row}: {of_games}");
    }
}

#[test]
fn processor_time_is_charged_if_wanted() {
    const LIMITED: &str = "--move-time 40ms --margin 20ms";
    let sleeper = against("sleeper", "late=80");
    sleeper.process_ends(0, &format!("{TWO_GAMES} {LIMITED}"));
    assert_eq!(statuses(&sleeper, "sleeper"), [Status::Timeout; 2]);
    for game in sleeper.journal("tictactoe").games {
        let evidence = game.evidence[seat(&game, "sleeper").index()].clone().expect("evidence");
        assert!(evidence.message.starts_with("no move within 40 ms"), "{evidence:?}");
        assert!(evidence.cpu_us.is_some_and(|cpu| cpu < 30_000), "{evidence:?}");
    }
    // Three times the limit may pass. Another clock is another contest.
    let refused = sleeper.process_ends(1, &format!("{TWO_GAMES} {LIMITED} --clock cpu"));
    assert!(refused.stderr.contains("has another contest: --clock wall instead of --clock cpu"), "{refused}");
    let ended = sleeper.process_ends(0, &format!("{TWO_GAMES} {LIMITED} --clock cpu --fresh"));
    assert!(ended.stderr.contains("40 ms a move of CPU time"), "{ended}");
    assert_eq!(statuses(&sleeper, "sleeper"), [Status::Ok; 2], "{ended}");

    let idle = against("idle", "late=2000");
    idle.process_ends(0, &format!("{TWO_GAMES} {LIMITED} --clock cpu"));
    assert_eq!(statuses(&idle, "idle"), [Status::Timeout; 2]);
    for burner in [against("burner", "burn-for=70"), wrapped("burner", "burn-for=70")] {
        burner.process_ends(0, &format!("{TWO_GAMES} {LIMITED} --clock cpu --sandbox off"));
        assert_eq!(statuses(&burner, "burner"), [Status::Timeout; 2]);
    }
}

#[test]
fn a_stopped_arena_costs_no_bot_a_game() {
    let gate = Dir::new();
    // It answers while the arena is stopped.
    let here = gate.path("").display().to_string();
    let dir = against("gated", &format!("gate={here}"));
    let running = dir.start(&format!("{TWO_GAMES} --time 1s --margin 300ms --sandbox off"));
    until(LIMIT, "a move is owed", || gate.path("asked").exists());
    // As Ctrl-Z does, which says it by a signal that is ignored where no shell is there to continue us.
    running.signal(Signal::STOP);
    until(LIMIT, "the arena is stopped", || state(running.pid()) == Some('T'));
    gate.file("open", "");
    let asked = fs::metadata(gate.path("asked")).and_then(|meta| meta.modified()).expect("a time");
    until(LIMIT, "it is stopped for longer than a bot has time", || {
        asked.elapsed().is_ok_and(|passed| passed > Duration::from_millis(1_800))
    });
    running.signal(Signal::CONT);
    let ended = running.wait(LIMIT);
    assert_eq!(ended.status, Some(0), "{ended}");
    assert_eq!(statuses(&dir, "gated"), [Status::Ok; 2]);
    let moves = moves(&dir, "gated");
    // All of it was credited, so that the rest of the game could be played from the same bank.
    assert!(moves[0].credit_us > 1_000_000, "{moves:?}");
    assert!(moves.iter().map(|played| played.us).sum::<u64>() < 2_600_000, "{moves:?}");
    let log = dir.read("results/tictactoe/bots/gated.log");
    assert!(log.contains("ms credited: the arena or the whole machine was suspended"), "{log}");
}

#[test]
fn a_bot_that_is_not_on_move_is_stopped_if_wanted() {
    for (flag, idle) in [("", 'S'), (" --freeze-idle", 'T')] {
        let gate = Dir::new();
        let dir = against("gated", &format!("gate={}", gate.path("").display()));
        // With a daemon, which could think as well.
        fs::remove_file(dir.path("bots/random.toml")).expect("a file");
        dir.script("bots/thinker", &format!("setsid sleep 1000 &\nexec {} bot random", crate::support::arena()));
        let running = dir.start(&format!("{TWO_GAMES} --move-time 30s --sandbox off{flag}"));
        until(LIMIT, "a move is owed", || gate.path("asked").exists());
        let thinkers = || {
            let all = running_in(&dir.path("")).into_iter();
            // The daemon may not have come to be `sleep` yet.
            let names = ["sleep 1000", "bots/thinker", " bot random"];
            let all = all.filter(|(_, words)| names.iter().any(|name| words.contains(name)));
            all.map(|(pid, _)| if is_frozen(pid) { Some('T') } else { state(pid) }).collect::<Vec<_>>()
        };
        let is_idle = |all: &Vec<Option<char>>| *all == [Some(idle); 2];
        until(LIMIT, "its opponent does nothing", || is_idle(&thinkers()));
        gate.file("open", "");
        let ended = running.wait(LIMIT);
        assert_eq!(ended.status, Some(0), "{ended}");
        assert!(dir.journal("tictactoe").games.iter().all(|game| game.statuses == [Status::Ok; 2]), "{ended}");
        assert!(dir.processes().is_empty());
    }
}
