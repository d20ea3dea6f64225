//! How a bot spent the time in which its answer did not come.

use std::fmt;
use std::time::Duration;

/// Measured times of an answer that did not come in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeUse {
    /// From the question to the end of the wait.
    pub elapsed: Duration,
    /// Processor time of all processes of the bot, so perhaps more than `elapsed`; `None` where it is not known.
    pub cpu: Option<Duration>,
    /// Time in which the bot was ready to run and had no processor; `None` where it is not known.
    pub waited: Option<Duration>,
}

/// What took most of the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MostlySpent {
    /// The bot computed.
    Computing,
    /// It waited for a processor.
    WaitingForProcessor,
    /// It slept, or waited for something else: input, a lock, another process.
    Blocked,
}

/// The parts of the time that passed; `None` for one that is not known.
struct TimeParts {
    computed: Duration,
    waited: Option<Duration>,
    blocked: Option<Duration>,
}

impl TimeUse {
    /// The rest of the time, in hundredths, up to which something took all of it.
    const REST_PERCENT_MAX: u32 = 10;

    /// What took most of the time, as far as that is known. Waiting for a processor is credited to a bot, so what it did in the
    /// rest of the time matters, unless there is hardly any.
    #[must_use]
    pub fn mostly(&self) -> Option<MostlySpent> {
        let TimeParts { computed, waited, blocked } = self.parts().filter(|_| !self.elapsed.is_zero())?;
        let rest = self.elapsed.saturating_sub(waited.unwrap_or_default());
        match blocked {
            _ if waited.is_some() && rest * 100 <= self.elapsed * Self::REST_PERCENT_MAX => {
                Some(MostlySpent::WaitingForProcessor)
            }
            _ if !computed.is_zero() && computed >= rest / 2 => Some(MostlySpent::Computing),
            Some(_) => Some(MostlySpent::Blocked),
            None => None,
        }
    }

    /// A sentence with how the time went at its end, as far as that is known.
    #[must_use]
    pub fn after(&self, sentence: &impl fmt::Display) -> String {
        match self.to_string() {
            unknown if unknown.is_empty() => sentence.to_string(),
            spent => format!("{sentence}; {spent}"),
        }
    }

    fn is_busy(&self, computed: Duration) -> bool {
        let rest = self.elapsed.saturating_sub(computed);
        !computed.is_zero() && rest * 100 <= self.elapsed * Self::REST_PERCENT_MAX
    }

    /// The parts, which do not add up to more than the whole; `None` if nothing is known.
    fn parts(&self) -> Option<TimeParts> {
        if self.cpu.is_none() && self.waited.is_none() {
            return None;
        }
        let computed = self.cpu.unwrap_or_default().min(self.elapsed);
        let rest = self.elapsed.saturating_sub(computed);
        let waited = self.waited.map(|waited| waited.min(rest));
        let blocked = self.cpu.and(waited).map(|waited| rest.saturating_sub(waited));
        Some(TimeParts { computed, waited, blocked })
    }
}

/// `it computed for 0.92 s and waited 4.04 s for a processor`; nothing if nothing is known.
impl fmt::Display for TimeUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(TimeParts { computed, waited, blocked }) = self.parts() else { return Ok(()) };
        if self.is_busy(computed) {
            return f.write_str("it computed all the time: a loop, or a search that is too deep");
        }
        let mut spent = Vec::new();
        if self.cpu.is_some() {
            spent.push(format!("computed for {}", written(computed)));
        }
        // A part that would be written as zero is left out.
        let worth_telling = |part: Option<Duration>| part.filter(|part| *part * 100 >= self.elapsed && !part.is_zero());
        if let Some(waited) = worth_telling(waited) {
            spent.push(format!("waited {} for a processor", written(waited)));
        }
        if let Some(blocked) = worth_telling(blocked) {
            let blocked = written(blocked);
            spent.push(format!("slept or waited for something else for {blocked} (input, a lock, another process)"));
        }
        match spent.split_last() {
            None => Ok(()),
            Some((last, [])) if self.cpu.is_some() => write!(f, "it {last} of {}", written(self.elapsed)),
            Some((last, [])) => write!(f, "it {last}"),
            Some((last, before)) => write!(f, "it {} and {last}", before.join(", ")),
        }
    }
}

/// `0.92 s`, or `4.5 ms` of a short time.
fn written(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if time >= Duration::from_millis(100) { format!("{seconds:.2} s") } else { format!("{:.1} ms", seconds * 1e3) }
}

#[cfg(test)]
mod tests {
    use proptest::option;
    use proptest::prelude::*;

    use super::*;

    fn time_use(elapsed_ms: u64, cpu_ms: Option<u64>, waited_ms: Option<u64>) -> TimeUse {
        let time = Duration::from_millis;
        TimeUse { elapsed: time(elapsed_ms), cpu: cpu_ms.map(time), waited: waited_ms.map(time) }
    }

    #[track_caller]
    fn check(elapsed_ms: u64, cpu_ms: Option<u64>, waited_ms: Option<u64>, mostly: Option<MostlySpent>, text: &str) {
        let spent = time_use(elapsed_ms, cpu_ms, waited_ms);
        assert_eq!((spent.to_string().as_str(), spent.mostly()), (text, mostly));
    }

    #[test]
    fn the_sentence_has_the_numbers_and_their_likeliest_meaning() {
        use MostlySpent::{Blocked, Computing, WaitingForProcessor};
        let starved = "it computed for 0.92 s and waited 4.04 s for a processor";
        check(5_000, Some(920), Some(4_040), Some(Computing), starved);
        let waited = "it waited 1.00 s for a processor";
        check(1_010, None, Some(1_000), Some(WaitingForProcessor), waited);
        let busy = "it computed all the time: a loop, or a search that is too deep";
        check(1_010, Some(1_000), Some(3), Some(Computing), busy);
        let half = "it computed for 0.98 s and waited 1.00 s for a processor";
        check(1_990, Some(980), Some(1_000), Some(Computing), half);
        check(1_010, Some(3_900), None, Some(Computing), busy);
        let blocked = "it computed for 0.5 ms and slept or waited for something else for 1.01 s (input, a lock, another \
                       process)";
        check(1_010, Some(0), Some(0), Some(Blocked), &blocked.replace("0.5", "0.0"));
        let all = "it computed for 0.40 s, waited 0.10 s for a processor and slept or waited for something else for 0.51 s \
                   (input, a lock, another process)";
        check(1_010, Some(400), Some(100), Some(Blocked), all);
        check(1_010, Some(400), None, None, "it computed for 0.40 s of 1.01 s");
        check(1_010, Some(600), None, Some(Computing), "it computed for 0.60 s of 1.01 s");
        check(1_010, None, Some(800), None, "it waited 0.80 s for a processor");
        check(1_010, None, Some(0), None, "");
        check(1_010, None, None, None, "");
        check(0, Some(0), Some(0), None, "it computed for 0.0 ms of 0.0 ms");
    }

    /// The seconds that `text` gives between these words.
    fn seconds(text: &str, before: &str, after: &str) -> Option<f64> {
        let rest = &text[text.find(before)? + before.len()..];
        let mut words = rest.split(' ');
        let (value, unit) = (words.next()?.parse::<f64>().ok()?, words.next()?);
        let next = &rest[rest.find(unit)? + unit.len()..];
        next.starts_with(after).then_some(if unit.starts_with("ms") { value / 1e3 } else { value })
    }

    proptest! {
        /// Whatever was measured, no part of a sentence contradicts another one, the numbers, or the likeliest cause.
        #[test]
        fn no_sentence_contradicts_its_numbers(
            elapsed_us in 0_u64..20_000_000,
            cpu_us in option::of(0_u64..40_000_000),
            waited_us in option::of(0_u64..40_000_000),
        ) {
            let time = Duration::from_micros;
            let spent = TimeUse { elapsed: time(elapsed_us), cpu: cpu_us.map(time), waited: waited_us.map(time) };
            let text = spent.to_string();
            let elapsed = spent.elapsed.as_secs_f64();
            let is_all = text.contains("all the time");
            // Known and used most of the time, and only then: all of it.
            prop_assert_eq!(is_all, cpu_us.is_some_and(|cpu| cpu > 0 && cpu.min(elapsed_us) * 10 >= elapsed_us * 9), "{}", text);
            prop_assert!(!text.contains("no CPU"));
            // Nothing is claimed that was not measured.
            prop_assert!(cpu_us.is_some() || !text.contains("computed"));
            prop_assert!(waited_us.is_some_and(|waited| waited > 0) || !text.contains("for a processor"));
            prop_assert!(cpu_us.is_some() && waited_us.is_some() || !text.contains("something else"));
            // Rounding: half of the last digit, in each part.
            let computed = seconds(&text, "it computed for ", "");
            let waited = seconds(&text, "waited ", " for a processor");
            let blocked = seconds(&text, "something else for ", " (");
            let sum: f64 = [computed, waited, blocked].into_iter().flatten().sum();
            prop_assert!(sum <= elapsed + 0.016, "{} of {}", text, elapsed);
            prop_assert_eq!(computed.is_some(), cpu_us.is_some() && !is_all, "{}", text);
            prop_assert_eq!(waited.is_some(), text.contains("for a processor"), "{}", text);
            if let (Some(computed), Some(cpu)) = (computed, cpu_us) {
                let cpu = time(cpu).min(spent.elapsed).as_secs_f64();
                prop_assert!((computed - cpu).abs() <= 0.006, "{}", text);
            }
            match spent.mostly() {
                Some(MostlySpent::Computing) => prop_assert!(cpu_us.is_some_and(|cpu| 20 * cpu + 20 >= elapsed_us)),
                Some(MostlySpent::WaitingForProcessor) => prop_assert!(!is_all && waited_us.is_some_and(|waited| waited > 0)),
                Some(MostlySpent::Blocked) => prop_assert!(!is_all && text.contains("something else"), "{}", text),
                None => prop_assert!(!is_all || elapsed_us == 0, "{}", text),
            }
        }
    }
}
