//! Processor time that interrupts take from the process that runs. A bot is not charged for it, since its opponent may have
//! caused them.

use std::time::Duration;

use arena_guard::own_processors;

/// Time in interrupts (`irq` and `softirq` of `proc_stat(5)`) on the processor of the calling thread since the system was
/// started, in ticks of 10 ms; `None` unless the thread is pinned to one processor. Reading takes some 0.1 ms, so it is for
/// slow moves. Kernels without `CONFIG_IRQ_TIME_ACCOUNTING` count little of it.
pub(super) fn taken() -> Option<Duration> {
    let [processor] = own_processors()[..] else { return None };
    of_processor(&std::fs::read_to_string("/proc/stat").ok()?, processor)
}

fn of_processor(stat: &str, processor: usize) -> Option<Duration> {
    let name = format!("cpu{processor}");
    let line = stat.lines().find(|line| line.split_ascii_whitespace().next() == Some(&name))?;
    // User, nice, system, idle and waiting for input come first.
    let [irq, softirq] = [6, 7].map(|field| line.split_ascii_whitespace().nth(field)?.parse::<u64>().ok());
    let ticks = irq?.checked_add(softirq?)?;
    Some(Duration::from_millis(ticks.checked_mul(1_000)? / rustix::param::clock_ticks_per_second().max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_interrupts_of_one_processor_count() {
        let stat = "cpu  9 9 9 9 9 90 90 9 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\ncpu10 1 2 3 4 5 20 30 8 0 0\nintr 5 0\n";
        let tick = Duration::from_millis(1_000 / rustix::param::clock_ticks_per_second());
        assert_eq!(of_processor(stat, 0), Some(13 * tick));
        assert_eq!(of_processor(stat, 10), Some(50 * tick));
        assert_eq!([of_processor(stat, 1), of_processor("cpu0 1 2 3\n", 0)], [None, None]);
        assert_eq!(of_processor(&format!("cpu0 1 2 3 4 5 {} 1\n", u64::MAX), 0), None);
    }
}
