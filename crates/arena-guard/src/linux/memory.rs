//! The memory that all processes of a bot hold together.
//!
//! What is used counts, not what is reserved, and what several processes share counts once. Files that are mapped do not
//! count: the kernel drops their pages when memory is short.
//!
//! Where the kernel counts the memory of the bot's cgroup, its count holds. Otherwise three counts are made, the cheapest
//! first, and the next one only where it may decide something:
//! 1. the resident memory of all processes, which was read with their state: an upper bound;
//! 2. without the files among it: still a bound, since shared memory counts for each process;
//! 3. the proportional shares, for which the kernel looks at every page.
//!
//! There is no need to look again before the bot can have taken what is left to it, at the speed at which memory is cleared.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use super::MemoryUse;
use super::kernel;
use super::sandbox;
use super::tree::Stat;
use super::unseen::Mapped;

/// No bot takes memory faster than this, since the kernel clears every page that it gives.
const KB_PER_SECOND_MAX: u64 = 4 << 20;
/// Shortest pause between two looks.
const PAUSE_MIN: Duration = Duration::from_millis(1);
/// Looks take at most this fraction (1/50) of the time.
const LOOKS_SHARE: u32 = 50;
/// Those at every page, which may be the only ones that show that there is too much, are followed by a pause of twice their
/// time at least.
const PAGES_SHARE: u32 = 2;
/// Near the limit every page is looked at so often, to tell how near.
const PAGES_PERIOD: Duration = Duration::from_secs(1);
/// Interval between two counts of what no process counts as its own.
const APART_PERIOD: Duration = Duration::from_millis(100);

/// What is known of the memory of one bot.
#[derive(Debug)]
pub(super) struct BotMemory {
    allowed_kb: u64,
    /// Maximum that one descriptor may hold.
    per_descriptor_kb: Option<u64>,
    /// What no process counts as its own: shared memory as far as it is mapped, private folders, page tables, mappings, data
    /// in pipes and sockets.
    apart_kb: u64,
    apart_due: Instant,
    pages_due: Instant,
    /// When to look next.
    pub(super) due: Instant,
    /// What it held when that was last counted: an upper bound below half of the limit, about right above, and exact near it.
    pub(super) held_kb: u64,
}

/// Looks once at `all` processes. `of_cgroup` is what the kernel says that they hold, if it counts.
pub(super) fn look(
    all: &[(i32, Stat)],
    limit_mb: u64,
    sandboxed: bool,
    of_cgroup: impl FnOnce() -> Option<u64>,
) -> MemoryUse {
    let Some(mut memory) = BotMemory::new(limit_mb, sandboxed) else { return MemoryUse::default() };
    // Only its files without a name are told apart by their folder, and they are not looked at.
    let no_folder = Path::new("/dev/null");
    let mapped = Mapped::of(all, no_folder);
    memory.is_exceeded(all, &mapped, no_folder, of_cgroup, Duration::ZERO);
    MemoryUse { held_kb: memory.held_kb, reserved_kb: mapped.reserved_kb }
}

impl BotMemory {
    /// `None` if there is no limit. `sandboxed`: the bot cannot enlarge the buffers of sockets.
    pub(super) fn new(limit_mb: u64, sandboxed: bool) -> Option<Self> {
        let (now, allowed_kb) = (super::now(), limit_mb.saturating_mul(1024));
        (limit_mb > 0).then(|| Self {
            allowed_kb,
            per_descriptor_kb: kernel::most_per_descriptor_kb(sandboxed),
            apart_kb: 0,
            apart_due: now,
            pages_due: now,
            due: now + pause(allowed_kb, Duration::ZERO),
            held_kb: 0,
        })
    }

    /// Looks at `all` processes of the bot, which took `found_in` to find, with their mappings as they were last known; true if
    /// they hold too much. `of_cgroup` is what the kernel says that they hold, if it counts.
    pub(super) fn is_exceeded(
        &mut self,
        all: &[(i32, Stat)],
        mapped: &Mapped,
        scratch: &Path,
        of_cgroup: impl FnOnce() -> Option<u64>,
        found_in: Duration,
    ) -> bool {
        let begun = super::now();
        let mut share = LOOKS_SHARE;
        let of_cgroup = of_cgroup();
        let mut held_kb = of_cgroup.unwrap_or_else(|| self.bound_kb(all, mapped, begun));
        let mut is_counted = of_cgroup.is_some() || !self.is_near(held_kb);
        if !is_counted && (held_kb > self.allowed_kb || begun >= self.pages_due) {
            share = PAGES_SHARE;
            held_kb = count_pages(all, scratch, self.allowed_kb);
            is_counted = true;
            self.pages_due = super::now() + PAGES_PERIOD;
        }
        if is_counted {
            self.held_kb = held_kb;
        }
        let left_kb = self.allowed_kb.saturating_sub(held_kb);
        self.due = super::now() + pause(left_kb, (found_in + begun.elapsed()) * share);
        held_kb > self.allowed_kb
    }

    /// Whether it is so far from the limit that more need not be known.
    const fn is_far(&self, kb: u64) -> bool {
        kb <= self.allowed_kb / 2
    }

    const fn is_near(&self, kb: u64) -> bool {
        kb > self.allowed_kb / 10 * 9
    }

    /// An upper bound of what it holds, without a look at every page.
    fn bound_kb(&mut self, all: &[(i32, Stat)], mapped: &Mapped, now: Instant) -> u64 {
        let resident_kb = kernel::sum(all.iter().map(|(_, stat)| resident_kb(*stat)).chain([swapped_by_all_kb()]));
        if now >= self.apart_due {
            self.apart_kb = self.apart_kb(all, mapped, resident_kb);
            self.apart_due = now + APART_PERIOD;
        }
        let seeming_kb = resident_kb.saturating_add(self.apart_kb);
        if self.is_far(seeming_kb) {
            return seeming_kb;
        }
        kernel::sum(all.iter().map(|(_, stat)| without_files_kb(*stat)).chain([self.apart_kb]))
    }

    fn apart_kb(&self, all: &[(i32, Stat)], mapped: &Mapped, resident_kb: u64) -> u64 {
        let seen_kb = [shared_kb(mapped, self.allowed_kb), in_private_folders_kb(all), mapped.kernel_kb()];
        let with = |queued_kb| kernel::sum(seen_kb.into_iter().chain([queued_kb]));
        let most_kb = with(mapped.most_queued_kb(self.per_descriptor_kb));
        if self.is_far(most_kb.saturating_add(resident_kb)) { most_kb } else { with(kernel::queued_kb(all)) }
    }
}

/// Time until the next look at a bot that may take `left_kb` more, if it should not come before `cost_pause`.
fn pause(left_kb: u64, cost_pause: Duration) -> Duration {
    let until_full = Duration::from_micros(left_kb.saturating_mul(1_000_000) / KB_PER_SECOND_MAX);
    until_full.max(PAUSE_MIN).max(cost_pause)
}

/// What `all` processes hold: proportional shares, and what is mapped. If that is too much, the mappings are read once more, so
/// that memory released in exchange for other memory is not charged twice.
fn count_pages(all: &[(i32, Stat)], scratch: &Path, allowed_kb: u64) -> u64 {
    let before = Mapped::of(all, scratch);
    let before_kb = shared_kb(&before, allowed_kb);
    let (own_kb, seen_kb) = all.iter().fold((0_u64, 0_u64), |(own, seen), (_, stat)| {
        let (own_kb, seen_kb) = share_of(stat.thread).unwrap_or((resident_kb(*stat), 0));
        (own.saturating_add(own_kb), seen.saturating_add(seen_kb))
    });
    let (filed_kb, queued_kb) = (in_private_folders_kb(all), kernel::queued_kb(all));
    // Shared memory is in view, or it is mapped or in a folder.
    let with = |mapped_kb: u64, mappings: &Mapped| {
        let shared_kb = seen_kb.max(mapped_kb.saturating_add(filed_kb));
        kernel::sum([own_kb, shared_kb, mappings.kernel_kb(), queued_kb])
    };
    let held_kb = with(before_kb, &before);
    if held_kb <= allowed_kb {
        return held_kb;
    }
    let after = Mapped::of(all, scratch);
    with(before_kb.min(shared_kb(&after, allowed_kb)), &after)
}

/// With files.
fn resident_kb(stat: Stat) -> u64 {
    stat.resident_pages.saturating_mul(rustix::param::page_size() as u64 / 1024)
}

/// The memory of a process without files; with them where the kernel does not distinguish them (before Linux 4.5).
fn without_files_kb(stat: Stat) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", stat.thread)).unwrap_or_default();
    let number = |name| kernel::number(&status, name);
    let resident_kb = match (number("RssAnon:"), number("RssShmem:")) {
        (Some(own), Some(shared)) => own.saturating_add(shared),
        _ => resident_kb(stat),
    };
    resident_kb.saturating_add(number("VmSwap:").unwrap_or(0))
}

/// What all processes of the machine have on its swap devices, which is at least what those of the bot have.
fn swapped_by_all_kb() -> u64 {
    let system = rustix::system::sysinfo();
    let used = system.totalswap.saturating_sub(system.freeswap);
    used.saturating_mul(system.mem_unit.into()) / 1024
}

/// The shared memory that is mapped. Of much more than is allowed, most may be only reserved: all processes of the machine
/// have at least as much as those of the bot.
fn shared_kb(mapped: &Mapped, allowed_kb: u64) -> u64 {
    let reserved_kb = mapped.memory_kb();
    if reserved_kb <= allowed_kb / 2 {
        return reserved_kb;
    }
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| kernel::number(&text, "Shmem:"));
    machine.map_or(reserved_kb, |all_kb| reserved_kb.min(all_kb.saturating_add(swapped_by_all_kb())))
}

/// The content of the bot's private folders, which all of its processes share.
fn in_private_folders_kb(all: &[(i32, Stat)]) -> u64 {
    let living = all.iter().find(|(_, stat)| !stat.is_dead());
    living.map_or(0, |(_, stat)| sandbox::spaces::held_kb(stat.thread))
}

/// The proportional share of memory of a process: its own, and shared memory; `None` if it may not be read.
fn share_of(pid: i32) -> Option<(u64, u64)> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let number = |name| kernel::number(&text, name);
    let shared_kb = number("Pss_Shmem:").unwrap_or(0);
    // Kernels before 5.4 do not distinguish them, nor files.
    let own_kb = number("Pss_Anon:").or_else(|| number("Pss:"))?;
    Some((own_kb.saturating_add(number("SwapPss:").unwrap_or(0)), shared_kb))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// However it begins, a bot that takes memory as fast as it can is caught before it holds much more than it may.
        #[test]
        fn no_bot_outruns_the_looks(allowed_kb in 1_u64..1 << 34, held_kb in 0_u64..1 << 34, cost_us in 0_u64..20_000) {
            let cost_pause = Duration::from_micros(cost_us);
            let mut held_kb = held_kb.min(allowed_kb);
            let taken_kb = |time: Duration| KB_PER_SECOND_MAX * time.as_micros() as u64 / 1_000_000;
            for _ in 0..100 {
                held_kb += taken_kb(pause(allowed_kb - held_kb, cost_pause));
                if held_kb > allowed_kb {
                    break;
                }
            }
            let beyond_kb = taken_kb(PAUSE_MIN.max(cost_pause));
            prop_assert!(held_kb >= allowed_kb.saturating_sub(1 + KB_PER_SECOND_MAX / 1_000_000) , "it is looked at as it fills: {held_kb}");
            prop_assert!(held_kb <= allowed_kb + beyond_kb, "{held_kb} of {allowed_kb}");
        }
    }
}
