//! Probes with attacks: a bot that keeps every processor busy, a fork bomb, and the end of a busy bot whose arena is killed.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::Pid;

use super::{Bench, ProbeAnswer, ProbeFailed, bad, not_tested, ok, weak};
use crate::time::pause;
use crate::{Family, GuardProgram, KILL_BOUND, Limits, Request};

/// Number of busy processes, each in its own process group; within the default limits.
const SESSIONS: u32 = 120;
/// Number of busy threads; within the default limits.
const THREADS: u32 = 1_000;
/// Duration for which the processor time of a stopped bot is measured.
const MEASURED_FOR: Duration = Duration::from_millis(50);
/// Processor time that a stopped bot may use in that time: it must run to handle the signal.
const USED_MAX: Duration = Duration::from_millis(5);
/// Interval for checking whether processes have ended.
const POLL_PERIOD: Duration = Duration::from_millis(1);
/// Time limit for every wait.
const WAIT_LIMIT: Duration = Duration::from_secs(5);

/// A bot that is not on move does not take the processor from its opponent.
pub(super) fn theft(bench: &Bench) -> ProbeAnswer {
    let mut took = Duration::ZERO;
    let mut is_frozen = false;
    for (order, count, what) in [("spin", SESSIONS, "processes"), ("thread", THREADS, "threads")] {
        let mut bot = bench.start_as(&with_default_limits(bench))?;
        if let Err(error) = bot.attempt(&format!("{order} {count}"))? {
            return not_tested(format!("{count} busy {what} could not be started: {error}"));
        }
        let family = bot.bot.family();
        is_frozen = bot.bot.sandbox().cgroup;
        let since = crate::now();
        let _stopped = family.stop(true);
        took = took.max(since.elapsed());
        let before = family.inspect(|_| true);
        pause(MEASURED_FOR);
        let used = family.inspect(|_| true).zip(before).map(|(after, before)| after.saturating_sub(before));
        if used.is_none_or(|used| used > USED_MAX) {
            return weak(format!(
                "{count} busy {what} of a bot that is not on move keep the processor from its opponent"
            ));
        }
    }
    let how = if is_frozen { "by its cgroup" } else { "by signals" };
    let ms = took.as_millis();
    let tried = format!("{SESSIONS} busy processes or {THREADS} threads");
    ok(format!("{tried} of a bot that is not on move are stopped ({how}, {ms} ms)"))
}

/// A fork bomb is ended in time.
pub(super) fn bomb(bench: &Bench) -> ProbeAnswer {
    let mut bot = bench.start_as(&with_default_limits(bench))?;
    // The bot may end before it answers.
    let _ = bot.attempt("bomb")?;
    let ended = bot.bot.wait_exited(WAIT_LIMIT).is_some();
    let since = crate::now();
    let cleared = bot.bot.kill().cleared;
    let took = since.elapsed();
    let ms = took.as_millis();
    match cleared {
        Some(cleared) if ended && cleared.survivors == 0 && took <= KILL_BOUND => {
            ok(format!("a fork bomb is removed within {ms} ms"))
        }
        Some(cleared) if cleared.survivors == 0 => weak(format!("a fork bomb was removed after {ms} ms")),
        other => bad(format!("a fork bomb was not removed: {other:?}")),
    }
}

/// The bots of a killed arena end, however busy they are.
pub(super) fn orphaned(bench: &Bench) -> ProbeAnswer {
    let mut arena = Command::new(&bench.program)
        .args([crate::COMMAND, "arena"])
        .args([bench.sandbox.to_string().as_str(), &bench.scratch.to_string_lossy()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut line = String::new();
    if let Some(out) = arena.stdout.take() {
        BufReader::new(out).read_line(&mut line)?;
    }
    let pids: Vec<Pid> = line.split_whitespace().filter_map(|word| Pid::from_raw(word.parse().ok()?)).collect();
    arena.kill()?;
    let since = crate::now();
    arena.wait()?;
    let alive = || pids.iter().filter(|pid| Family::cpu_of(**pid).is_some()).count();
    while alive() > 0 && since.elapsed() < WAIT_LIMIT {
        crate::sweep();
        pause(POLL_PERIOD);
    }
    let took = since.elapsed();
    let ms = took.as_millis();
    match (pids.len(), alive()) {
        (0, _) => not_tested("its bot did not start"),
        (_, 0) if took <= KILL_BOUND => ok(format!("busy bots of a killed arena are gone in {ms} ms")),
        (_, 0) => weak(format!("bots outlived a killed arena by {ms} ms")),
        (_, left) => bad(format!("{left} processes outlived a killed arena")),
    }
}

/// Runs as an arena with a busy bot until killed, after printing the process numbers.
pub(super) fn be_arena(guard: &GuardProgram, sandbox: &str, dir: &str) -> Result<(), ProbeFailed> {
    use std::io::Write;
    crate::harden_referee();
    let bench = Bench::new(guard, sandbox.parse()?, std::path::Path::new(dir))?;
    let mut bot = bench.start_as(&with_default_limits(&bench))?;
    bot.attempt(&format!("spin {SESSIONS}"))??;
    let mut pids = Vec::new();
    bot.bot.family().inspect(|pid| {
        pids.push(pid.as_raw_nonzero().to_string());
        true
    });
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", pids.join(" "))?;
    out.flush()?;
    loop {
        rustix::event::pause();
    }
}

/// A test bot with the default limits.
fn with_default_limits(bench: &Bench) -> Request {
    Request { limits: Limits::default(), ..bench.request("attempt") }
}
