//! Probes with attacks: a bot that keeps every processor busy, a fork bomb, a bot that sends to others, and the end of a
//! busy bot whose arena is killed.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Pid;

use super::{Bench, Failed, Finding, Level};
use crate::guard::{Family, GuardProgram, KILL_BOUND, Limits, Request};

/// Number of busy processes, each in a group of its own; within the default limits.
const SESSIONS: u32 = 120;
/// Number of busy threads; within the default limits.
const THREADS: u32 = 1_000;
/// Duration for which the processor time of a stopped bot is measured.
const LOOK: Duration = Duration::from_millis(50);
/// Processor time that a stopped bot may use meanwhile: it must run to handle the signal.
const USED_MAX: Duration = Duration::from_millis(5);
/// Interval for checking whether processes have ended.
const POLL_PERIOD: Duration = Duration::from_millis(1);
/// Time limit for every wait.
const PATIENCE: Duration = Duration::from_secs(5);

/// A bot that is not on move does not take the processor from its opponent.
pub(super) fn theft(bench: &Bench) -> Result<Finding, Failed> {
    let mut took = Duration::ZERO;
    let mut is_frozen = false;
    for (order, what) in [
        (format!("spin {SESSIONS}"), format!("{SESSIONS} busy processes")),
        (format!("thread {THREADS}"), format!("{THREADS} busy threads")),
    ] {
        let mut bot = bench.start_as(&with_default_limits(bench))?;
        if let Err(error) = bot.attempt(&order)? {
            return Ok(Finding::new("theft", Level::Weak, format!("{what} could not be tried: {error}")));
        }
        let family = bot.bot.family();
        is_frozen = bot.bot.sandbox().cgroup;
        let since = crate::guard::now();
        let _stopped = family.stop(true);
        took = took.max(since.elapsed());
        let before = family.inspect(|_| true);
        pause(LOOK);
        let used = family.inspect(|_| true).zip(before).map(|(after, before)| after.saturating_sub(before));
        if used.is_none_or(|used| used > USED_MAX) {
            let says = format!("{what} of a bot that is not on move keep the processor from its opponent");
            return Ok(Finding::new("theft", Level::Weak, says));
        }
    }
    let how = if is_frozen { "by its cgroup" } else { "by signals" };
    let says = format!(
        "{SESSIONS} busy processes or {THREADS} threads of a bot that is not on move are stopped ({how}, {} ms)",
        took.as_millis()
    );
    Ok(Finding::new("theft", Level::Ok, says))
}

/// A fork bomb is ended in time.
pub(super) fn bomb(bench: &Bench) -> Result<Finding, Failed> {
    let mut bot = bench.start_as(&with_default_limits(bench))?;
    // The bot may end before it answers.
    let _ = bot.attempt("bomb")?;
    let ended = bot.bot.wait_exited(PATIENCE).is_some();
    let since = crate::guard::now();
    let cleared = bot.bot.kill().cleared;
    let took = since.elapsed();
    Ok(match cleared {
        Some(cleared) if ended && cleared.survivors == 0 && took <= KILL_BOUND => {
            let says = format!("a bot that forks without end is ended, all of it within {} ms", took.as_millis());
            Finding::new("fork bomb", Level::Ok, says)
        }
        Some(cleared) if cleared.survivors == 0 => {
            let says = format!("a bot that forks without end was ended after {} ms", took.as_millis());
            Finding::new("fork bomb", Level::Weak, says)
        }
        other => {
            Finding::new("fork bomb", Level::Bad, format!("a bot that forks without end was not ended: {other:?}"))
        }
    })
}

/// Whether a bot can send to a socket of another program.
pub(super) fn datagram(bench: &Bench) -> Result<Result<String, String>, Failed> {
    let outside = bench.hidden.join("socket");
    let _socket = std::os::unix::net::UnixDatagram::bind(&outside)?;
    Ok(bench.start()?.attempt(&format!("send {}", outside.display()))?)
}

/// The bots of a killed arena end, however busy they are.
pub(super) fn orphaned(bench: &Bench) -> Result<Finding, Failed> {
    let mut arena = Command::new(&bench.program)
        .args([crate::guard::COMMAND, "arena"])
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
    let since = crate::guard::now();
    arena.wait()?;
    while pids.iter().any(|pid| Family::cpu_of(*pid).is_some()) && since.elapsed() < PATIENCE {
        crate::guard::sweep();
        pause(POLL_PERIOD);
    }
    let took = since.elapsed();
    let alive = pids.iter().filter(|pid| Family::cpu_of(**pid).is_some()).count();
    let ms = took.as_millis();
    Ok(match (pids.len(), alive) {
        (0, _) => Finding::new("killed arena", Level::Weak, "could not be tried: its bot did not start"),
        (_, 0) if took <= KILL_BOUND => {
            let says = format!("the bots of an arena that is killed are gone in {ms} ms, however busy");
            Finding::new("killed arena", Level::Ok, says)
        }
        (_, 0) => Finding::new("killed arena", Level::Weak, format!("bots outlived a killed arena by {ms} ms")),
        (_, left) => Finding::new("killed arena", Level::Bad, format!("{left} processes outlived a killed arena")),
    })
}

/// Runs as an arena with a busy bot until killed, after printing the process numbers.
pub(super) fn be_arena(guard: &GuardProgram, sandbox: &str, dir: &str) -> std::io::Result<()> {
    use std::io::Write;
    crate::guard::harden_referee();
    let failed = |error: &dyn std::fmt::Display| std::io::Error::other(error.to_string());
    let sandbox = sandbox.parse().map_err(|error: String| failed(&error))?;
    let bench = Bench::new(guard, sandbox, std::path::Path::new(dir))?;
    let mut bot = bench.start_as(&with_default_limits(&bench)).map_err(|error| failed(&error))?;
    bot.attempt(&format!("spin {SESSIONS}"))?.map_err(|error| failed(&error))?;
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

fn pause(duration: Duration) {
    let end: Instant = crate::guard::now() + duration;
    loop {
        let left = end.saturating_duration_since(crate::guard::now());
        if left.is_zero() {
            return;
        }
        let left = rustix::event::Timespec { tv_sec: 0, tv_nsec: left.subsec_nanos().into() };
        let _ = rustix::event::poll(&mut [], Some(&left));
    }
}
