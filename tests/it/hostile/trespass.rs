//! Rows 53 to 62, 67 and 68: attempts on what belongs to others.

use std::process::Command;

use arena::guard::SandboxMode;
use arena::record::Status;

use super::container::Container;
use super::rows::{check, lacks, loses, plays, void};
use super::scenario::Scenario;
use super::{NO_CONTAINER, output};
use crate::support::{LIMIT, not_tested, until};

/// Each attempt is made in both sandboxes and denied by both.
#[track_caller]
fn denied(mode: SandboxMode, flags: &'static str) {
    if let Some(why) = lacks(mode) {
        return not_tested(&format!("rows 53 to 62, {flags}"), why);
    }
    check(&[
        plays(53, "harm=trespass:ROOT", "stderr: tried write").with(flags),
        plays(53, "harm=attributes:ROOT", "stderr: tried chmod").with(flags),
        plays(54, "harm=trespass:ROOT", "stderr: tried list").with(flags),
        plays(56, "harm=slow", "stderr: tried renice").with(flags).contained(),
        plays(56, "harm=lease", "stderr: tried lease").with(flags),
        plays(57, "harm=forge", "").with(flags).contained(),
        plays(58, "harm=kill", "stderr: tried kill").with(flags).contained(),
        plays(59, "harm=trace", "").with(flags).contained(),
        plays(60, "harm=network", "stderr: tried network").with(flags),
        plays(61, "harm=privileges", "stderr: tried set-uid").with(flags),
        plays(62, "harm=terminal", "stderr: tried terminal").with(flags),
        plays(66, "harm=unpin", "stderr: tried unpin").with(flags),
        plays(67, "harm=look", "stderr: tried look: TMPDIR=").with(flags).contained(),
        plays(68, "harm=trespass:ROOT", "stderr: tried replace itself").with(flags),
    ]);
}

#[test]
fn attempts_on_others_are_denied() {
    denied(SandboxMode::Auto, "--sandbox auto");
}

#[test]
fn attempts_on_others_are_denied_by_the_strict_sandbox() {
    denied(SandboxMode::Strict, "--sandbox strict");
}

#[test]
fn calls_that_take_wake_or_reach_out_are_refused_in_every_sandbox() {
    for (mode, flags) in [
        (SandboxMode::Auto, "--sandbox auto"),
        (SandboxMode::Landlock, "--sandbox landlock"),
        (SandboxMode::Strict, "--sandbox strict"),
    ] {
        if let Some(why) = lacks(mode) {
            not_tested(&format!("rows 83 to 107, {flags}"), why);
            continue;
        }
        check(&[
            plays(83, "harm=session", "stderr: tried session").with(flags),
            plays(83, "harm=share", "stderr: tried idle").with(flags),
            plays(87, "harm=wake", "stderr: tried timer").with(flags),
            plays(106, "harm=wake", "stderr: tried timerfd").with(flags),
            // Any socket will do: most systems have this one.
            plays(88, "harm=names:/dev/log", "stderr: tried datagrams").with(flags),
            plays(94, "harm=quotas", "stderr: tried set-user").with(flags),
            plays(105, "harm=sandboxes", "stderr: tried filter-again").with(flags),
            plays(107, "harm=cgroups", "stderr: tried list cgroups").with(flags),
        ]);
    }
}

#[test]
fn without_a_sandbox_the_attempts_work_so_the_tests_above_show_something() {
    let Some(container) = Container::find() else {
        return not_tested("attempts without a sandbox", NO_CONTAINER);
    };
    for (harm, did) in [
        ("network", "DID network"),
        ("forge", "DID forge"),
        ("trace", "DID environ"),
        ("attributes:ROOT", "DID chmod"),
        ("lease", "DID lease"),
        ("wake", "DID timer"),
        ("wake", "DID timerfd"),
        ("sandboxes", "DID filter-again"),
        ("cgroups", "DID list cgroups"),
        ("session", "DID session"),
        ("share", "DID idle"),
        ("names:/dev/log", "DID datagrams"),
        ("quotas", "DID set-user"),
        ("unpin", "DID unpin"),
    ] {
        let mut scenario = Scenario::new(harm, "tictactoe");
        scenario.hostile(&format!("harm={harm}"), "");
        scenario.container = Some(container);
        scenario.flags = "--sandbox off".to_owned();
        let mut child = scenario.start();
        until(LIMIT, harm, || child.has_ended());
        let log = scenario.dir.read("results/tictactoe/bots/hostile.log");
        assert!(log.contains(did), "{log}");
    }
}

#[test]
#[ignore = "waits for limits of five seconds; .ci/run has a command for it"]
fn without_a_sandbox_no_bot_wins_by_killing_its_opponent() {
    const OFF: &str = "-j 1 --sandbox off";
    check(&[
        void(55, "harm=kill-opponent", "possibly by another bot").with(OFF).manifest("fresh = true").contained(),
        void(58, "harm=kill-guard sleep", "its guard was killed").with(OFF).contained(),
        // A guard that is stopped is not waited for.
        plays(58, "harm=stop-guard", "").with(OFF).contained(),
        loses(58, "harm=stop-guard exit=3", Status::Crashed, "while a move was owed").with(OFF).contained(),
    ]);
}

#[test]
fn a_terminal_of_the_arena_is_not_the_bots() {
    let scenario = Scenario::new("row 62, terminal", "tictactoe");
    scenario.hostile("harm=terminal", "");
    let plain = scenario.dir.command("tournament --game tictactoe --rounds 1 --no-check -j 1 --sandbox off");
    let words: Vec<_> = plain.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
    let line = format!("'{}' {}", crate::support::arena(), words.join(" "));
    let mut within = Command::new("script");
    within
        .args(["-qec", &line, "/dev/null"])
        .current_dir(scenario.dir.path(""))
        .env("TMPDIR", scenario.dir.path("tmp"));
    let Some(ended) = output(&mut within) else {
        return not_tested(&scenario.what, "there is no program `script` to make a terminal");
    };
    let said = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success(), "{said}");
    let log = scenario.dir.read("results/tictactoe/bots/hostile.log");
    assert!(log.contains("stderr: tried terminal") && !log.contains("DID "), "{log}");
}

#[test]
fn a_bot_that_crashes_in_its_second_game_keeps_its_first() {
    let mut scenario = Scenario::new("row 68, crash in game 2", "tictactoe");
    // Five moves are the most of one game; a process that crashed is replaced, and begins to count again.
    scenario.hostile("exit=3 at=6", "");
    scenario.flags = "-j 1".to_owned();
    scenario.move_ms = super::AMPLE_MS;
    let played = scenario.play();
    let statuses: Vec<Status> = played.hostile_games().map(|(game, seat)| game.statuses[seat]).collect();
    assert!(statuses[0] == Status::Ok && statuses.contains(&Status::Crashed), "{statuses:?}");
}
