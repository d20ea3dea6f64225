//! Flags of a budget of time.

use std::time::{Duration, Instant};

use arena_core::text::shown;
use arena_sys::time::{TimeOfDay, now, parse_long_duration, until};

/// The longest budget.
const FOR_MAX: Duration = Duration::from_secs(1000 * 60 * 60);

/// How long a run may take.
#[derive(Debug, clap::Args)]
pub(crate) struct BudgetArgs {
    /// Stop after this time, such as 6h, with all tables written
    #[arg(long = "for", value_name = "TIME", conflicts_with = "by", value_parser = parse_duration)]
    duration: Option<Duration>,
    /// Stop at the next time of day, such as 06:00
    #[arg(long, value_name = "HH:MM", value_parser = parse_time)]
    by: Option<TimeOfDay>,
}

impl BudgetArgs {
    /// Whether there is one.
    pub(crate) const fn is_given(&self) -> bool {
        self.duration.is_some() || self.by.is_some()
    }

    /// The time from now on.
    fn budget(&self) -> Option<Duration> {
        self.duration.or_else(|| self.by.map(until))
    }

    /// When no more games begin.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.budget().map(|left| now() + left)
    }
}

/// Unlike a limit of a bot, it may be days.
fn parse_duration(text: &str) -> Result<Duration, String> {
    let duration = parse_long_duration(text).filter(|duration| !duration.is_zero() && *duration <= FOR_MAX);
    duration.ok_or_else(|| format!("`{}` is not a time such as 6h, 90m or 1h30m (at most 1000h)", shown(text)))
}

fn parse_time(text: &str) -> Result<TimeOfDay, String> {
    let wrong = || format!("`{}` is not a time of day such as 06:00", shown(text));
    let (hours, minutes) = text.split_once(':').ok_or_else(wrong)?;
    let is_plain = |part: &str| matches!(part.len(), 1..=2) && part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_plain(hours) || !is_plain(minutes) || minutes.len() != 2 {
        return Err(wrong());
    }
    let [hours, minutes] = [hours, minutes].map(|part| part.parse().map_err(|_| wrong()));
    TimeOfDay::new(hours?, minutes?).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_reads_as_people_write_it() {
        for (text, minutes) in [("6h", 360), ("90m", 90), ("90min", 90), ("1h30m", 90), ("1h 30m", 90), ("60h", 3600)] {
            assert_eq!(parse_duration(text), Ok(Duration::from_secs(60 * minutes)), "{text}");
        }
        for text in ["", "6", "-6h", "0s", "1001h", "tomorrow"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_time_of_day_has_hours_and_minutes() {
        assert_eq!(parse_time("06:30"), Ok(TimeOfDay::new(6, 30).unwrap()));
        assert_eq!(parse_time("6:30"), parse_time("06:30"));
        for text in ["", "6", "24:00", "06:60", "6:3", "-1:00", "+1:00", "06:00:00", "noon"] {
            assert_eq!(parse_time(text), Err(format!("`{text}` is not a time of day such as 06:00")));
        }
    }
}
