//! Calls that the filter refuses are counted, and a bot that makes many of them is stopped and ended as any other.

use std::collections::BTreeMap;

use arena::guard::SandboxMode;

use super::bounds::{Arena, attack};
use super::{PATIENCE, run};
use crate::hostile::lacks;
use crate::support::{not_tested, until};

/// Why this kernel may not tell of refused calls, if that is so. Where it must, a test that finds no counts fails.
pub(crate) fn is_silent() -> Option<&'static str> {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(|word| word.parse().unwrap_or(0));
    if [numbers.next(), numbers.next()] < [Some(5_u32), Some(19)] {
        return Some("this kernel is older than 5.19");
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    // Its filter may have a listener, and there is never a second one.
    status.lines().any(|line| line == "Seccomp:\t2").then_some("this process is in a sandbox itself")
}

fn counts(calls: &[(&str, u64)]) -> BTreeMap<String, u64> {
    calls.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
}

#[test]
fn what_is_refused_is_counted_before_the_bot_can_say_so() {
    if let Some(why) = is_silent() {
        return not_tested("counts of refused calls", why);
    }
    for sandbox in [SandboxMode::Auto, SandboxMode::Landlock, SandboxMode::Strict] {
        if let Some(why) = lacks(sandbox) {
            not_tested(&format!("counts under {sandbox}"), why);
            continue;
        }
        let arena = Arena::new(sandbox);
        let mut bot = arena.start();
        assert_eq!(bot.bot.denied(), counts(&[]), "{sandbox}");
        for count in 1..=3 {
            assert!(attack(&mut bot, "socket 2 2").starts_with("denied"), "{sandbox}");
            assert_eq!(bot.bot.denied(), counts(&[("socket", count)]), "{sandbox}");
        }
        for order in ["pin 0", "renice 0 0"] {
            assert!(attack(&mut bot, order).starts_with("denied"), "{sandbox}: {order}");
        }
        // What is allowed with other arguments, and what is reported as absent, is no refusal.
        assert_eq!(attack(&mut bot, "fork 1"), "done 1", "{sandbox}");
        let all = counts(&[("sched_setaffinity", 1), ("setpriority", 1), ("socket", 3)]);
        assert_eq!(bot.bot.denied(), all, "{sandbox}");
        bot.bot.kill();
        assert_eq!(bot.bot.denied(), all, "{sandbox}: they outlast the bot and its guard");
    }
}

#[test]
fn without_a_sandbox_nothing_is_counted() {
    let mut bot = run("chmod 700 . && echo done");
    assert_eq!(bot.line(), "done");
    assert!(bot.bot.denied().is_empty());
}

#[test]
fn processes_that_make_nothing_but_refused_calls_are_stopped_resumed_and_ended() {
    if let Some(why) = is_silent() {
        return not_tested("a flood of refused calls", why);
    }
    let arena = Arena::new(SandboxMode::Auto);
    let mut bot = arena.start();
    assert_eq!(attack(&mut bot, "refused 4"), "done");
    let family = bot.bot.family();
    // Soon, calls are answered; later, most wait for the next second.
    for _ in 0..2 {
        let before = bot.bot.denied();
        until(PATIENCE, "it makes more", || bot.bot.denied() != before);
        let stopped = family.stop(true);
        assert!(family.is_stopped(), "a call that is being answered is no way to run on");
        let held = bot.bot.denied();
        assert_eq!(run("echo other").line(), "other");
        assert_eq!(bot.bot.denied(), held);
        family.resume(&stopped);
    }
    let cleared = bot.bot.kill().cleared.unwrap();
    assert_eq!((cleared.leftovers, cleared.survivors), (4, 0));
}
