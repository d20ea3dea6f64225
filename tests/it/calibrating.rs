//! `arena doctor --calibrate`, and what records say of the machine.

use std::fs;

use arena::machine::{Calibrations, Machine};
use arena::record::Calibration;
use serde_json::Value;

use crate::support::{Dir, LIMIT};

const PLAY: &str = "--game tictactoe --rounds 2 --move-time 30s -j 1 -q";

/// Runs the arena with a cache folder of its own.
#[track_caller]
fn cached(dir: &Dir, args: &str) -> std::process::Output {
    dir.command(args).env("XDG_CACHE_HOME", dir.path("cache")).output().expect("the arena starts")
}

#[test]
fn a_calibration_is_in_the_records_of_later_runs() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let measured = cached(&dir, "doctor --calibrate --slots 1 --json");
    assert!(measured.status.success(), "{}", String::from_utf8_lossy(&measured.stderr));
    let measured: Value = serde_json::from_slice(&measured.stdout).expect("JSON");
    let speed = |name: &str| u32::try_from(measured[name].as_u64().expect("a number")).expect("a speed");
    let calibration = Calibration { alone: speed("alone"), busy: speed("busy") };
    assert!(calibration.alone > 0, "{measured}");
    assert_eq!(Calibrations::within(&dir.path("cache")).find(&Machine::this(), 1), Some(calibration));

    cached(&dir, &format!("tournament {PLAY}"));
    let games = dir.journal("tictactoe").games;
    assert_eq!(games.len(), 4);
    let expected = Machine::this().played_on(1);
    for machine in games.into_iter().map(|game| game.machine.expect("a machine")) {
        assert_eq!((&machine.class, &machine.cpu, machine.slots), (&expected.class, &expected.cpu, 1));
        assert_eq!(machine.calibration, Some(calibration));
    }
    let bots = dir.read("results/tictactoe/bots.csv");
    assert!(bots.lines().skip(1).all(|row| row.split(',').nth(1) == Some(&expected.class)), "{bots}");
}

#[test]
fn a_run_does_not_mind_a_damaged_calibration() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let calibrations = Calibrations::within(&dir.path("cache"));
    let file = calibrations.store(&Machine::this(), 1, Calibration { alone: 2, busy: 1 }).expect("stored");
    fs::write(file, "{").expect("written");
    let ended = cached(&dir, &format!("tournament {PLAY}"));
    assert_eq!((ended.status.code(), String::from_utf8_lossy(&ended.stderr).as_ref()), (Some(0), ""));
    assert!(
        dir.journal("tictactoe").games.iter().all(|game| game.machine.as_ref().expect("one").calibration.is_none())
    );
}

#[test]
fn a_calibration_that_cannot_be_stored_is_shown_and_an_error() {
    let dir = Dir::new();
    let mut homeless = dir.command("doctor --calibrate --slots 2");
    homeless.env_remove("XDG_CACHE_HOME");
    let ended = dir.run(homeless).wait(LIMIT);
    assert_eq!(ended.status, Some(1), "{ended}");
    assert!(
        ended.stdout.contains("slots     2\n") && ended.stdout.contains("thousand steps/s in each slot"),
        "{ended}"
    );
    assert!(ended.stderr.contains("set HOME or XDG_CACHE_HOME"), "{ended}");
}
