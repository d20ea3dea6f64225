//! How much there is to do for the processors of the whole machine, as the system tells it.

use arena_core::record::Load;

/// The load now; `None` where the system does not tell.
pub(super) fn load() -> Option<Load> {
    let read = |path| std::fs::read_to_string(path).ok();
    parse(&read("/proc/loadavg")?, &read("/proc/stat")?)
}

/// The average of the last minute from `/proc/loadavg`, and the number of processors from `/proc/stat`, which has a line
/// for each (`cpu0`, `cpu1`, …): all of the machine's, as the average is, not only those that we may use.
fn parse(loadavg: &str, stat: &str) -> Option<Load> {
    let average: f64 = loadavg.split_whitespace().next()?.parse().ok()?;
    let is_processor = |line: &&str| line.strip_prefix("cpu").is_some_and(|rest| rest.starts_with(char::is_numeric));
    let processors = stat.lines().filter(is_processor).count();
    let is_told = average >= 0.0 && processors > 0;
    // A cast of a float ends at the largest number.
    is_told.then_some(Load { average: average.round() as u32, processors: u32::try_from(processors).ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_load_is_what_the_kernel_tells() {
        let stat = "cpu  1 2\ncpu0 1 1\ncpu1 0 1\nintr 5\ncpufreq 1\n";
        assert_eq!(parse("59.61 5.00 1.00 3/99 1\n", stat), Some(Load { average: 60, processors: 2 }));
        for (loadavg, stat) in [("", stat), ("x 1 1", stat), ("nan 1", stat), ("-1 1", stat), ("1.0 1", "intr 5\n")] {
            assert_eq!(parse(loadavg, stat), None, "{loadavg:?} {stat:?}");
        }
    }
}
