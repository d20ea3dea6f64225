//! New processes are asked for, counted and bounded.

use arena::guard::{Limits, Overrun, SandboxMode};

use super::bounds::{Arena, attack};
use super::{PATIENCE, Running, start};
use crate::support::not_tested;

const MODES: [SandboxMode; 2] = [SandboxMode::Auto, SandboxMode::Strict];

/// A bot in this mode that is asked for its processes; nothing where this system does not have that.
fn asked(sandbox: SandboxMode, limits: Limits) -> Option<(Arena, Running)> {
    let mut arena = Arena::new(sandbox);
    arena.request.limits = limits;
    let why = match start(&arena.request) {
        Ok(mut bot) => match bot.bot.births() {
            Some(_) => {
                assert!(bot.line().starts_with("up "));
                return Some((arena, bot));
            }
            None => bot.bot.sandbox().weak.join("; "),
        },
        Err(failed) => {
            assert!(sandbox == SandboxMode::Strict && failed.is_ours(), "{sandbox}: {failed}");
            failed.to_string()
        }
    };
    not_tested(&format!("new processes under {sandbox}"), &why);
    None
}

#[test]
fn every_process_ever_made_is_counted() {
    for sandbox in MODES {
        let Some((_arena, mut bot)) = asked(sandbox, Limits { processes: 20, ..Limits::default() }) else { continue };
        // A thread is none, and a program that is started is one, however that is done.
        let mut expected = 0;
        for (order, made) in [("threads 20", 0), ("fork 3", 3), ("spawn", 1), ("hidden 200", 200), ("threads 3", 0)] {
            let answer = attack(&mut bot, order);
            assert!(answer.starts_with("done"), "{sandbox}: {order}: {answer}");
            expected += made;
            assert_eq!(bot.bot.births(), Some(expected), "{sandbox}: {order}");
        }
        assert_eq!(bot.bot.kill().cleared.unwrap().survivors, 0);
        assert_eq!(bot.bot.births(), Some(expected));
    }
}

#[test]
fn as_many_processes_as_allowed_may_live_and_one_more_ends_the_bot() {
    for sandbox in MODES {
        let Some((_arena, mut bot)) = asked(sandbox, Limits { processes: 20, ..Limits::default() }) else { continue };
        assert_eq!(attack(&mut bot, "fork 19"), "done 19", "{sandbox}");
        // Looks of the guard find nothing wrong with that.
        assert!(bot.bot.wait_exited(std::time::Duration::from_millis(250)).is_none(), "{sandbox}");
        bot.say("fork 1");
        let exited = bot.bot.wait_exited(PATIENCE).unwrap();
        assert_eq!(exited.overrun, Some(Overrun::TooManyProcesses), "{sandbox}");
        let cleared = bot.bot.kill().cleared.unwrap();
        assert_eq!(cleared.survivors, 0, "{sandbox}");
        assert_eq!(bot.bot.births(), Some(19), "{sandbox}");
    }
}

#[test]
fn crowds_are_kept_small_and_gone_at_once() {
    const LIMIT: u64 = 100;
    for sandbox in MODES {
        for order in ["bomb", "fork-together 150"] {
            let limits = Limits { processes: LIMIT, cpu_s: 10, ..Limits::default() };
            let Some((_arena, mut bot)) = asked(sandbox, limits) else { continue };
            bot.say(order);
            let exited = bot.bot.wait_exited(PATIENCE).unwrap();
            assert_eq!(exited.overrun, Some(Overrun::TooManyProcesses), "{sandbox}: {order}");
            let cleared = bot.bot.kill().cleared.unwrap();
            assert_eq!(cleared.survivors, 0, "{sandbox}: {order}: {cleared:?}");
            // On a machine that is busy some may come so late that they were not there when the others were counted.
            let made = bot.bot.births().unwrap();
            assert!((LIMIT - 1..2 * LIMIT).contains(&made), "{sandbox}: {order}: {made} made, {cleared:?}");
        }
    }
}

#[test]
fn without_a_sandbox_nobody_asks() {
    let mut bot = Arena::new(SandboxMode::Off).start();
    assert_eq!(attack(&mut bot, "fork 2"), "done 2");
    assert_eq!(bot.bot.births(), None);
}
