//! Probes of what a bot may do.

use std::time::Duration;

use super::{Bench, Failed, Finding, Level};
use crate::guard::{Overrun, SandboxMode};

/// Time limit for a guard to notice an exceeded limit: it checks ten times a second.
const NOTICE_LIMIT: Duration = Duration::from_secs(2);

/// A daemon is removed with its bot.
pub(super) fn kill(bench: &Bench) -> Result<Finding, Failed> {
    let mut bot = bench.start()?;
    if let Err(error) = bot.attempt("leave 1")? {
        return Ok(Finding::new("kill", Level::Weak, format!("a test daemon could not be started: {error}")));
    }
    let ending = bot.bot.kill();
    Ok(match ending.cleared {
        Some(cleared) if cleared.survivors == 0 && cleared.leftovers > 0 => {
            let ms = cleared.kill_us as f64 / 1000.0;
            Finding::new("kill", Level::Ok, format!("a bot and the daemon it had started were gone in {ms:.1} ms"))
        }
        Some(cleared) => Finding::new("kill", Level::Bad, format!("a daemon of a bot was not removed: {cleared:?}")),
        None => Finding::new("kill", Level::Weak, "there is no guard here: a daemon of a bot survives it"),
    })
}

/// This process adopts the orphans of a killed guard.
pub(super) fn orphans(_bench: &Bench) -> Result<Finding, Failed> {
    Ok(if crate::guard::adopts_orphans()? {
        Finding::new("orphans", Level::Ok, "what a killed guard leaves behind comes to the referee")
    } else {
        Finding::new("orphans", Level::Weak, "the referee does not adopt what a killed guard leaves behind")
    })
}

/// A bot cannot inspect the referee or its opponent, nor write in their name.
pub(super) fn referee(bench: &Bench) -> Result<Finding, Failed> {
    let opponent = bench.start()?;
    let mut bot = bench.start()?;
    let (me, them) = (std::process::id().to_string(), opponent.bot.pid().as_raw_nonzero().to_string());
    let mut open = Vec::new();
    for (whose, pid) in [("the referee", me), ("an opponent", them)] {
        for file in ["mem", "environ", "fd/1"] {
            if bot.attempt(&format!("read /proc/{pid}/{file}"))?.is_ok() {
                open.push(format!("{file} of {whose}"));
            }
        }
    }
    Ok(if open.is_empty() {
        Finding::new("referee", Level::Ok, "memory and pipes of the referee and of an opponent are closed to a bot")
    } else {
        Finding::new("referee", Level::Weak, format!("a bot can open {}", open.join(", ")))
    })
}

/// A bot reads and writes its own files only.
pub(super) fn files(bench: &Bench) -> Result<Finding, Failed> {
    let mut bot = bench.start()?;
    let hidden = bench.hidden.display();
    let reads = bot.attempt(&format!("read {hidden}/secret"))?.is_ok();
    // In a private view it may write to a folder of the same name; only the real one counts.
    let writes = bot.attempt(&format!("write {hidden}/new"))?.is_ok() && bench.hidden.join("new").exists();
    let closes = bot.attempt(&format!("close {hidden}/secret"))?.is_ok();
    let own = bot.attempt(&format!("write {}/own", bench.scratch.display()))?;
    let sandbox = bot.bot.sandbox();
    Ok(match (reads, writes || closes, own) {
        (_, _, Err(error)) => {
            Finding::new("files", Level::Bad, format!("a bot cannot write to its scratch folder: {error}"))
        }
        (false, false, Ok(_)) => {
            let how = format!("results and other bots are closed to a bot (Landlock {})", sandbox.landlock);
            Finding::new("files", Level::Ok, how)
        }
        (_, true, _) => Finding::new("files", Level::Weak, "a bot can change results and other bots"),
        (true, false, _) => Finding::new("files", Level::Weak, "a bot can read results and other bots"),
    })
}

/// A bot cannot signal its opponent.
pub(super) fn signals(bench: &Bench) -> Result<Finding, Failed> {
    let opponent = bench.start()?;
    let mut bot = bench.start()?;
    let pids = [std::process::id().to_string(), opponent.bot.pid().as_raw_nonzero().to_string()];
    for pid in pids {
        if bot.attempt(&format!("signal {pid}"))?.is_ok() {
            return Ok(Finding::new("signals", Level::Weak, "a bot can stop or kill the referee and its opponent"));
        }
    }
    Ok(Finding::new("signals", Level::Ok, "a bot can signal nobody but itself"))
}

/// Memory is limited.
pub(super) fn memory(bench: &Bench) -> Result<Finding, Failed> {
    let mut bot = bench.start()?;
    Ok(match bot.attempt("hold 600")? {
        Err(_) => Finding::new(
            "memory",
            Level::Ok,
            "a process is refused more than it may take; what all of a bot hold is counted",
        ),
        Ok(_) => match bot.bot.wait_exited(NOTICE_LIMIT).and_then(|exited| exited.overrun) {
            Some(Overrun::OutOfMemory) => Finding::new("memory", Level::Ok, "a bot that takes too much is ended"),
            _ => Finding::new("memory", Level::Weak, "a bot may take all memory"),
        },
    })
}

/// The number of processes is limited.
pub(super) fn processes(bench: &Bench) -> Result<Finding, Failed> {
    let mut bot = bench.start()?;
    let made = bot.attempt("leave 24")?;
    let exited = bot.bot.wait_exited(NOTICE_LIMIT).cloned();
    let root = rustix::process::getuid().is_root();
    let bounded = if root { "not at all (root)" } else { "only together with all else that you run" };
    Ok(match (made, exited.and_then(|exited| exited.overrun)) {
        (_, Some(Overrun::TooManyProcesses)) => Finding::new(
            "processes",
            Level::Weak,
            format!(
                "a bot that makes too many processes is ended within 0.2 s; until then the kernel bounds it {bounded}"
            ),
        ),
        (Err(_), _) => Finding::new("processes", Level::Ok, "the kernel bounds the processes of a bot"),
        (Ok(_), _) => Finding::new("processes", Level::Weak, "a bot may make any number of processes"),
    })
}

/// There is no network.
pub(super) fn network(bench: &Bench) -> Result<Finding, Failed> {
    Ok(match (bench.start()?.attempt("connect")?, super::attack::datagram(bench)?) {
        (Err(error), Err(_)) => {
            Finding::new("network", Level::Ok, format!("a bot gets no socket, and sends nothing to others ({error})"))
        }
        (Ok(_), _) => Finding::new("network", Level::Weak, "a bot can use the network"),
        (_, Ok(_)) => Finding::new("network", Level::Weak, "a bot can send to sockets of other programs here"),
    })
}

/// Whether the processes of a bot are visible to the arena.
pub(super) fn seen(bench: &Bench) -> Result<Finding, Failed> {
    Ok(if bench.start()?.bot.family().inspect(|_| true).is_some() {
        Finding::new("processes seen", Level::Ok, "the processor time of a bot and of what it has started can be read")
    } else {
        Finding::new(
            "processes seen",
            Level::Weak,
            "this system hides the processes of bots from the arena (/proc with hidepid): no --clock cpu, no \
             --freeze-idle, and no credit where a bot waits for a processor",
        )
    })
}

/// Whether `--sandbox strict` is available.
pub(super) fn namespaces(bench: &Bench) -> Result<Finding, Failed> {
    let mut request = bench.request("attempt");
    request.sandbox = SandboxMode::Strict;
    Ok(match bench.start_as(&request) {
        Ok(_) => {
            Finding::new("namespaces", Level::Ok, "user, process, mount and ipc namespaces (--sandbox strict works)")
        }
        Err(Failed::Start(failed)) => {
            Finding::new("namespaces", Level::Weak, format!("--sandbox strict does not work here: {failed}"))
        }
        Err(other) => return Err(other),
    })
}
