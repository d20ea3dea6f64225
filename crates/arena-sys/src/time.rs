//! The wall clock, and waiting. Nothing else reads it: pure code takes durations. The monotonic clock is in [`arena_guard::time`].

use std::time::{Duration, Instant};

pub use arena_guard::time::{now, pause, timespec};

/// The wall clock, in UTC, as records have it. It may jump: nothing is computed from it.
#[expect(clippy::disallowed_methods, reason = "the one place where it is read")]
#[must_use]
pub fn timestamp() -> String {
    format!("{:.3}", jiff::Timestamp::now())
}

/// The minute, in UTC, in which something ended that began at `last` and took `took`, and the seconds from `first` to its end;
/// `None` if these are no [timestamps](timestamp).
#[must_use]
pub fn span(first: &str, last: &str, took: Duration) -> Option<(String, f64)> {
    let [first, last] = [first, last].map(|time| time.parse::<jiff::Timestamp>().ok());
    let end = last?.checked_add(took).ok()?;
    Some((end.strftime("%Y-%m-%d %H:%M").to_string(), end.duration_since(first?).as_secs_f64()))
}

/// The date at this place, such as `2026-11-21`.
#[must_use]
pub fn today() -> String {
    local_now().date().to_string()
}

/// A time of day.
pub type TimeOfDay = jiff::civil::Time;

/// A time as people write it, such as `1h30m`.
#[must_use]
pub fn parse_long_duration(text: &str) -> Option<Duration> {
    text.parse::<jiff::SignedDuration>().ok()?.try_into().ok()
}

/// A time in whole seconds as people write it.
#[must_use]
pub fn long_duration(seconds: f64) -> String {
    format!("{:#}", jiff::SignedDuration::from_secs(seconds as i64))
}

/// The time until the clock of this place next shows `time`: at most a day, or an hour more or less where the clock is changed.
#[must_use]
pub fn until(time: TimeOfDay) -> Duration {
    until_next(&local_now(), time)
}

#[expect(clippy::disallowed_methods, reason = "the one place where it is read")]
fn local_now() -> jiff::Zoned {
    jiff::Zoned::now()
}

fn until_next(now: &jiff::Zoned, time: TimeOfDay) -> Duration {
    let days = [now.date(), now.date().saturating_add(jiff::Span::new().days(1))];
    let times = days.into_iter().flat_map(|day| {
        let then = now.time_zone().to_ambiguous_zoned(day.to_datetime(time));
        // A time that comes twice, or never: then that after the gap.
        let is_twice = matches!(then.offset(), jiff::tz::AmbiguousOffset::Fold { .. });
        let later = is_twice.then(|| then.clone().later().ok()).flatten();
        then.compatible().ok().into_iter().chain(later)
    });
    let next = times.map(|then| now.duration_until(&then)).find(jiff::SignedDuration::is_positive);
    next.map_or(Duration::ZERO, jiff::SignedDuration::unsigned_abs)
}

/// Waits until then, without holding a thread; forever without a time.
pub async fn wait_until(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time.into()).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_time_of_day_is_today_or_tomorrow() {
        let minutes = |now: &str, hour, minute| {
            let left = until_next(&now.parse().unwrap(), TimeOfDay::constant(hour, minute, 0, 0));
            left.as_secs() / 60
        };
        assert_eq!(minutes("2026-11-21T22:00+01[+01]", 6, 0), 8 * 60);
        assert_eq!(minutes("2026-11-21T05:59+01[+01]", 6, 0), 1);
        assert_eq!(minutes("2026-11-21T06:00+01[+01]", 6, 0), 24 * 60);
        assert_eq!(minutes("2026-12-31T23:30+00[+00]", 0, 0), 30);
    }

    #[test]
    fn a_span_ends_with_its_last_part() {
        let span = |first, last, seconds| span(first, last, Duration::from_secs(seconds));
        let day = "2026-11-28T23:59:00.500Z";
        assert_eq!(span(day, "2026-11-28T23:59:30Z", 40), Some(("2026-11-29 00:00".to_owned(), 69.5)));
        assert_eq!([span("", day, 1), span(day, "yesterday", 1), span(day, day, u64::MAX)], [None, None, None]);
    }

    #[test]
    fn a_time_that_comes_twice_or_never_is_found() {
        // Berlin: clocks go from 3:00 back to 2:00 on 25 October 2026, and from 2:00 to 3:00 on 28 March 2027.
        let berlin = jiff::tz::TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        let minutes = |utc: &str, hour, minute| {
            let now = utc.parse::<jiff::Timestamp>().unwrap().to_zoned(berlin.clone());
            until_next(&now, TimeOfDay::constant(hour, minute, 0, 0)).as_secs() / 60
        };
        let (first, second) = ("2026-10-25T00:10Z", "2026-10-25T01:10Z");
        assert_eq!((minutes(first, 2, 30), minutes(second, 2, 30)), (20, 20));
        assert_eq!(minutes("2026-10-25T00:40Z", 2, 30), 50);
        assert_eq!(minutes(second, 3, 0), 50);
        assert_eq!(minutes("2027-03-28T00:50Z", 2, 30), 40, "at 3:30, when half an hour has passed");
    }
}
