//! Probes of how well this machine keeps time.

use std::time::Duration;

use super::{Bench, Level, ProbeAnswer, quota};

/// Number of starts of each kind, taken in turns.
const STARTS: usize = 21;
/// Number of lines sent and echoed.
const ROUND_TRIPS: usize = 1000;
/// Number of short sleeps whose delay is measured.
const NAPS: usize = 300;

/// Wake-up delay and load of the machine.
pub(super) fn clock(_bench: &Bench) -> ProbeAnswer {
    const NAP: Duration = Duration::from_millis(1);
    let mut late: Vec<Duration> = Vec::with_capacity(NAPS);
    for _ in 0..NAPS {
        let start = crate::now();
        crate::time::pause(NAP);
        late.push(start.elapsed().saturating_sub(NAP));
    }
    let p99 = at(&mut late, 0.99);
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let load: f64 = std::fs::read_to_string("/proc/loadavg")
        .ok()
        .and_then(|text| text.split_ascii_whitespace().next()?.parse().ok())
        .unwrap_or(0.0);
    let busy = load > cpus as f64 * 0.5;
    let level = if p99 > Duration::from_millis(5) || busy { Level::Weak } else { Level::Ok };
    // Two bots in a game, of which one thinks; the referee's own work is small.
    let jobs = if busy { (cpus / 2).max(1) } else { cpus };
    let quota = quota::in_force();
    let advice = match (level, &quota) {
        (Level::Ok, _) => "",
        (_, Some(_)) if !busy => ": times are unreliable, raise the quota or stop other programs",
        _ => ": times are unreliable, stop other programs",
    };
    let quota = quota.map_or_else(String::new, |quota| format!(", {quota}"));
    let says = format!("{cpus} CPUs{quota}, load {load:.1}, wakes up {} late (p99){advice}; -j {jobs}", shown(p99));
    Ok((level, says))
}

/// Duration of a start, with and without a guard.
pub(super) fn start(bench: &Bench) -> ProbeAnswer {
    let request = bench.request("echo");
    let (mut plain, mut guarded) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        let since = crate::now();
        let mut child = std::process::Command::new(&request.program)
            .args(&request.args)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()?;
        plain.push(since.elapsed());
        child.kill()?;
        child.wait()?;
        let since = crate::now();
        let bot = bench.spawn(&request)?;
        guarded.push(since.elapsed());
        drop(bot);
    }
    let (plain, guarded) = (at(&mut plain, 0.5), at(&mut guarded, 0.5));
    let level = if guarded > plain + Duration::from_millis(5) { Level::Weak } else { Level::Ok };
    let says = format!("a bot starts in {} under guard, {} without", shown(guarded), shown(plain));
    Ok((level, says))
}

/// A line to a bot and back.
pub(super) fn round_trip(bench: &Bench) -> ProbeAnswer {
    let mut bot = bench.start_as(&bench.request("echo"))?;
    let mut took = Vec::with_capacity(ROUND_TRIPS);
    for _ in 0..ROUND_TRIPS {
        let since = crate::now();
        // Only the time matters.
        let _ = bot.attempt("x")?;
        took.push(since.elapsed());
    }
    let (p50, p99) = (at(&mut took, 0.5), at(&mut took, 0.99));
    let level = if p99 > Duration::from_millis(5) { Level::Weak } else { Level::Ok };
    let says = format!("a line to a bot and back takes {} (p50), {} (p99)", shown(p50), shown(p99));
    Ok((level, says))
}

/// A quantile.
fn at(times: &mut [Duration], part: f64) -> Duration {
    times.sort();
    times.get((times.len() as f64 * part) as usize).copied().unwrap_or_default()
}

fn shown(duration: Duration) -> String {
    let us = duration.as_micros();
    if us < 1000 { format!("{us} µs") } else { format!("{:.1} ms", us as f64 / 1000.0) }
}
