//! Probes of what a bot may do.

use std::time::Duration;

use super::{Bench, ProbeAnswer, ProbeBot, bad, not_tested, ok, weak};
use crate::{Overrun, SandboxMode, StartStage};

/// Time limit for a guard to notice an exceeded limit: it checks ten times a second.
const NOTICE_LIMIT: Duration = Duration::from_secs(2);

/// A start does not hang in the kernel.
pub(super) fn kernel(bench: &Bench) -> ProbeAnswer {
    match bench.spawn(&bench.request("echo")) {
        Err(failed) if failed.stage == StartStage::Kernel => bad(failed.detail),
        // Other failures are those of the probes that follow.
        _ => ok("no start hangs in the kernel"),
    }
}

/// A daemon is removed with its bot.
pub(super) fn kill(bench: &Bench) -> ProbeAnswer {
    let mut bot = bench.start()?;
    if let Err(error) = bot.attempt("leave 1")? {
        return not_tested(format!("a test daemon could not be started: {error}"));
    }
    match bot.bot.kill().cleared {
        Some(cleared) if cleared.survivors == 0 && cleared.leftovers > 0 => {
            let ms = cleared.kill_us as f64 / 1000.0;
            ok(format!("a bot and the daemon it had started were gone in {ms:.1} ms"))
        }
        Some(cleared) => bad(format!("a daemon of a bot was not removed: {cleared:?}")),
        None => weak("there is no guard here: a daemon of a bot survives it"),
    }
}

/// This process adopts the orphans of a killed guard.
pub(super) fn orphans(_bench: &Bench) -> ProbeAnswer {
    if crate::adopts_orphans()? {
        ok("the referee adopts processes left by a killed guard")
    } else {
        weak("the referee does not adopt processes left by a killed guard")
    }
}

/// The referee and an opponent with their process numbers.
fn targets(opponent: &ProbeBot) -> [(&'static str, i32); 2] {
    let opponent = opponent.bot.family().bot().as_raw_nonzero().get();
    [("the referee", std::process::id().cast_signed()), ("an opponent", opponent)]
}

/// A bot cannot inspect the referee or its opponent, nor write in their name.
pub(super) fn referee(bench: &Bench) -> ProbeAnswer {
    let (opponent, mut bot) = (bench.start()?, bench.start()?);
    let mut open = Vec::new();
    for (whose, pid) in targets(&opponent) {
        for file in ["mem", "environ", "fd/1"] {
            if bot.attempt(&format!("read /proc/{pid}/{file}"))?.is_ok() {
                open.push(format!("{file} of {whose}"));
            }
        }
    }
    if open.is_empty() {
        ok("a bot cannot open memory or pipes of the referee or its opponent")
    } else {
        weak(format!("a bot can open {}", open.join(", ")))
    }
}

/// A bot reads and writes its own files only.
pub(super) fn files(bench: &Bench) -> ProbeAnswer {
    let mut bot = bench.start()?;
    let hidden = bench.hidden.display();
    let reads = bot.attempt(&format!("read {hidden}/secret"))?.is_ok();
    // In a private view it may write to a folder of the same name; only the real one counts.
    let writes = bot.attempt(&format!("write {hidden}/new"))?.is_ok() && bench.hidden.join("new").exists();
    let closes = bot.attempt(&format!("close {hidden}/secret"))?.is_ok();
    if let Err(error) = bot.attempt(&format!("write {}/own", bench.scratch.display()))? {
        return bad(format!("a bot cannot write to its scratch folder: {error}"));
    }
    if writes || closes {
        return weak("a bot can change results and other bots");
    }
    if reads {
        return weak("a bot can read results and other bots");
    }
    ok(format!("a bot cannot read or change results and other bots (Landlock {})", bot.bot.sandbox().landlock))
}

/// A bot cannot signal its opponent.
pub(super) fn signals(bench: &Bench) -> ProbeAnswer {
    let (opponent, mut bot) = (bench.start()?, bench.start()?);
    for (_, pid) in targets(&opponent) {
        if bot.attempt(&format!("signal {pid}"))?.is_ok() {
            return weak("a bot can stop or kill the referee and its opponent");
        }
    }
    ok("a bot can signal only its own processes")
}

/// Memory is limited.
pub(super) fn memory(bench: &Bench) -> ProbeAnswer {
    let mut bot = bench.start()?;
    // It may be ended before it answers.
    let _ = bot.attempt("hold 600")?;
    match bot.bot.wait_exited(NOTICE_LIMIT).and_then(|exited| exited.overrun) {
        Some(Overrun::OutOfMemory) => ok("a bot that takes too much is ended"),
        _ => weak("a bot can take all memory"),
    }
}

/// The number of processes is limited.
pub(super) fn processes(bench: &Bench) -> ProbeAnswer {
    let mut bot = bench.start()?;
    let made = bot.attempt("leave 24")?;
    if bot.bot.wait_exited(NOTICE_LIMIT).is_some_and(|exited| exited.overrun == Some(Overrun::TooManyProcesses)) {
        let root = rustix::process::getuid().is_root();
        let bounded = if root { "sets no limit (root)" } else { "limits only all of your processes together" };
        let ended = "a bot with too many processes is ended within 0.2 s";
        return weak(format!("{ended}; until then the kernel {bounded}"));
    }
    match made {
        Err(_) => ok("the kernel limits the processes of a bot"),
        Ok(()) => weak("a bot can start any number of processes"),
    }
}

/// There is no network, and no socket of another program can be reached.
pub(super) fn network(bench: &Bench) -> ProbeAnswer {
    let outside = bench.hidden.join("socket");
    let _socket = std::os::unix::net::UnixDatagram::bind(&outside)?;
    let mut bot = bench.start()?;
    let sent = bot.attempt(&format!("send {}", outside.display()))?;
    match (bot.attempt("connect")?, sent) {
        (Err(error), Err(_)) => ok(format!("a bot cannot open sockets, nor send to those of others ({error})")),
        (Ok(()), _) => weak("a bot can use the network"),
        (_, Ok(())) => weak("a bot can send to sockets of other programs here"),
    }
}

/// Whether the processes of a bot are visible to the arena.
pub(super) fn seen(bench: &Bench) -> ProbeAnswer {
    if bench.start()?.bot.family().inspect(|_| true).is_some() {
        ok("the processor time of a bot and of what it has started can be read")
    } else {
        weak(
            "this system hides the processes of bots from the arena (/proc with hidepid): their processor \
             time cannot be charged, idle ones cannot be frozen, and nothing is credited where a bot waits for a processor",
        )
    }
}

/// Whether the strict sandbox is available.
pub(super) fn namespaces(bench: &Bench) -> ProbeAnswer {
    let mut request = bench.request("attempt");
    request.sandbox = SandboxMode::Strict;
    match bench.spawn(&request) {
        Ok(_) => ok("user, process, mount and ipc namespaces (the sandbox `strict` works)"),
        Err(failed) => weak(format!("the sandbox `strict` does not work here: {failed}")),
    }
}
