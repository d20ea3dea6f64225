//! The limits that no kernel enforces for a tree of processes: memory held and number, looked at now and then.

use std::fs;
use std::time::Duration;

use super::tree::{self, Stat};
use super::{Limits, Overrun};

/// Time between two looks.
pub(super) const PERIOD: Duration = Duration::from_millis(100);

/// Looks at everything below `roots`.
pub(super) fn overrun(roots: Vec<i32>, limits: &Limits) -> Option<Overrun> {
    let all: Vec<(i32, Stat)> = tree::below(roots).into_iter().filter_map(|pid| Some((pid, Stat::of(pid)?))).collect();
    let alive = all.iter().filter(|(_, stat)| !stat.is_dead()).count() as u64;
    if limits.processes > 0 && alive > limits.processes {
        return Some(Overrun::TooManyProcesses);
    }
    let allowed_kb = limits.memory_mb * 1024;
    let page_kb = rustix::param::page_size() as u64 / 1024;
    let resident_kb = all.iter().map(|(_, stat)| stat.resident_pages * page_kb).sum::<u64>();
    if allowed_kb == 0 || resident_kb <= allowed_kb {
        return None;
    }
    // What several share was counted several times: now by shares, which takes longer to find out.
    let held_kb: u64 = all.iter().map(|(pid, stat)| share_kb(*pid).unwrap_or(stat.resident_pages * page_kb)).sum();
    (held_kb > allowed_kb).then_some(Overrun::OutOfMemory)
}

/// The proportional share of memory of a process; nothing if it may not be looked at.
fn share_kb(pid: i32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    text.lines().find_map(|line| line.strip_prefix("Pss:"))?.trim().strip_suffix("kB")?.trim().parse().ok()
}
