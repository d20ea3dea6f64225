//! The wall clock, and waiting. Nothing else reads it: pure code takes durations. The monotonic clock is in [`arena_guard::time`].

use std::time::{Duration, Instant};

use tz::datetime::FoundDateTimeKind;
use tz::{DateTime, TimeZone, TimeZoneRef, UtcDateTime};

pub use arena_guard::time::{now, pause, timespec};

/// The wall clock, in UTC, as records have it. It may jump: nothing is computed from it.
#[must_use]
pub fn timestamp() -> String {
    let now = utc_now();
    let milliseconds = now.nanoseconds() / 1_000_000;
    format!("{}T{:02}:{:02}:{:02}.{milliseconds:03}Z", date(now), now.hour(), now.minute(), now.second())
}

/// The minute, in UTC, in which something ended that began at `last` and took `took`, and the seconds from `first` to its end;
/// `None` if these are no [timestamps](timestamp).
#[must_use]
pub fn span(first: &str, last: &str, took: Duration) -> Option<(String, f64)> {
    let [first, last] = [first, last].map(parse_timestamp);
    let end = last?.checked_add(took)?;
    let seconds = end.duration_since(first?).map_or_else(|before| -before.as_secs_f64(), |after| after.as_secs_f64());
    Some((format!("{} {:02}:{:02}", date(end), end.hour(), end.minute()), seconds))
}

/// The date at this place, such as `2026-11-21`.
#[must_use]
pub fn today() -> String {
    let now = utc_now();
    now.project(local_zone().as_ref())
        .map_or_else(|_| date(now), |here| written(here.year(), here.month(), here.month_day()))
}

/// A time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeOfDay {
    hour: u8,
    minute: u8,
}

impl TimeOfDay {
    /// `None` if no clock shows it.
    #[must_use]
    pub fn new(hour: u8, minute: u8) -> Option<Self> {
        (hour < 24 && minute < 60).then_some(Self { hour, minute })
    }
}

/// The time until the clock of this place next shows `time`: at most a day, or an hour more or less where the clock is changed.
#[must_use]
pub fn until(time: TimeOfDay) -> Duration {
    until_next(utc_now(), local_zone().as_ref(), time)
}

#[expect(clippy::disallowed_methods, reason = "the one place where it is read")]
fn utc_now() -> UtcDateTime {
    UtcDateTime::now().expect("the year is one of the next two billion")
}

/// The time zone of the environment, or else of the system; UTC if there is neither.
fn local_zone() -> TimeZone {
    let zone = match std::env::var("TZ") {
        Ok(name) if name.is_empty() => return TimeZone::utc(),
        Ok(name) => TimeZone::from_posix_tz(&name),
        Err(_) => TimeZone::local(),
    };
    zone.unwrap_or_else(|_| TimeZone::utc())
}

fn until_next(now: UtcDateTime, zone: TimeZoneRef<'_>, time: TimeOfDay) -> Duration {
    let today = now.project(zone).ok();
    let today = today.and_then(|here| UtcDateTime::new(here.year(), here.month(), here.month_day(), 0, 0, 0, 0).ok());
    let tomorrow = today.and_then(|day| day.checked_add(Duration::from_secs(24 * 60 * 60)));
    let times = [today, tomorrow].into_iter().flatten().flat_map(|day| times_on(day, zone, time));
    let next = times.filter_map(|then| then.duration_since(now).ok()).find(|left| !left.is_zero());
    next.unwrap_or_default()
}

/// When clocks in `zone` show `time` on this day, in order. A time that comes twice is there twice. For one that never comes it
/// is when as much has passed of the day as if the clock had not been changed.
fn times_on(day: UtcDateTime, zone: TimeZoneRef<'_>, time: TimeOfDay) -> Vec<UtcDateTime> {
    let (year, month, day) = (day.year(), day.month(), day.month_day());
    let found = DateTime::find(year, month, day, time.hour, time.minute, 0, 0, zone);
    let found = found.map_or_else(|_| vec![], tz::datetime::FoundDateTimeList::into_inner);
    let utc = |seconds| UtcDateTime::from_timespec(seconds, 0).ok();
    let times = found.into_iter().filter_map(|found| match found {
        FoundDateTimeKind::Normal(then) => utc(then.unix_time()),
        FoundDateTimeKind::Skipped { before_transition, .. } => {
            let as_if = UtcDateTime::new(year, month, day, time.hour, time.minute, 0, 0).ok()?;
            utc(as_if.unix_time() - i64::from(before_transition.local_time_type().ut_offset()))
        }
    });
    times.collect()
}

fn date(time: UtcDateTime) -> String {
    written(time.year(), time.month(), time.month_day())
}

fn written(year: i32, month: u8, day: u8) -> String {
    format!("{year:04}-{month:02}-{day:02}")
}

/// Reads a [`timestamp`], with any number of digits of a second.
fn parse_timestamp(text: &str) -> Option<UtcDateTime> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let [year, month, day] = numbers(date, '-')?;
    let [hour, minute, second] = numbers(time, ':')?;
    let nanoseconds = billionths(fraction)?;
    let [month, day, hour, minute, second] = [month, day, hour, minute, second].map(u8::try_from);
    UtcDateTime::new(year.try_into().ok()?, month.ok()?, day.ok()?, hour.ok()?, minute.ok()?, second.ok()?, nanoseconds)
        .ok()
}

/// Three numbers with `between` between them.
fn numbers(text: &str, between: char) -> Option<[u32; 3]> {
    let numbers: Vec<u32> = text.split(between).map(number).collect::<Option<_>>()?;
    numbers.try_into().ok()
}

/// The digits after a point, as a number of billionths.
fn billionths(digits: &str) -> Option<u32> {
    if matches!(digits.len(), 1..=9) { number(&format!("{digits:0<9}")) } else { None }
}

/// A number of digits alone.
fn number(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// Waits until then, without holding a thread; forever without a time.
pub async fn wait_until(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time.into()).await,
        None => std::future::pending().await,
    }
}

/// Units of time, each with its names and nanoseconds.
const UNITS: [(&[&str], u64); 6] = [
    (&["h", "hr", "hrs", "hour", "hours"], 3_600_000_000_000),
    (&["m", "min", "mins", "minute", "minutes"], 60_000_000_000),
    (&["s", "sec", "secs", "second", "seconds"], 1_000_000_000),
    (&["ms", "msec", "msecs", "millisecond", "milliseconds"], 1_000_000),
    (&["us", "usec", "usecs", "microsecond", "microseconds"], 1_000),
    (&["ns", "nsec", "nsecs", "nanosecond", "nanoseconds"], 1),
];

/// A time as people write it, such as `1h30m`, `1.5 hours` or, by ISO 8601, `PT1H30M`.
#[must_use]
pub fn parse_long_duration(text: &str) -> Option<Duration> {
    let mut rest = text.strip_prefix("PT").unwrap_or(text);
    let mut nanoseconds = 0;
    // The largest unit comes first, and each once.
    let mut units = UNITS.iter();
    loop {
        let (amount, after) = cut_where(rest, |byte| !byte.is_ascii_digit() && byte != b'.');
        let (name, after) = cut_where(after.trim_start(), |byte| !byte.is_ascii_alphabetic());
        let name = name.to_ascii_lowercase();
        let (_, unit) = units.find(|(names, _)| names.contains(&name.as_str()))?;
        let (whole, fraction) = amount.split_once('.').unwrap_or((amount, "0"));
        let part = u128::from(billionths(fraction)?) * u128::from(*unit) / 1_000_000_000;
        let all = u64::from(number(whole)?).checked_mul(*unit)?.checked_add(u64::try_from(part).ok()?)?;
        nanoseconds = all.checked_add(nanoseconds)?;
        rest = after.trim_start();
        if rest.is_empty() {
            return Some(Duration::from_nanos(nanoseconds));
        }
    }
}

/// `text` in two, at the first byte that is so.
fn cut_where(text: &str, is_end: impl Fn(u8) -> bool) -> (&str, &str) {
    text.split_at(text.bytes().position(is_end).unwrap_or(text.len()))
}

/// A time in whole seconds as people write it.
#[must_use]
pub fn long_duration(seconds: f64) -> String {
    let seconds = seconds as u64;
    let parts = [(seconds / 3600, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s")];
    let parts: Vec<String> =
        parts.into_iter().filter(|(count, _)| *count > 0).map(|(count, unit)| format!("{count}{unit}")).collect();
    if parts.is_empty() { "0s".to_owned() } else { parts.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> UtcDateTime {
        parse_timestamp(text).unwrap()
    }

    fn minutes_until(now: &str, zone: &TimeZone, hour: u8, minute: u8) -> u64 {
        until_next(at(now), zone.as_ref(), TimeOfDay::new(hour, minute).unwrap()).as_secs() / 60
    }

    #[test]
    fn the_next_time_of_day_is_today_or_tomorrow() {
        let minutes =
            |now, offset: i32, hour, minute| minutes_until(now, &TimeZone::fixed(offset * 3600).unwrap(), hour, minute);
        assert_eq!(minutes("2026-11-21T21:00:00Z", 1, 6, 0), 8 * 60);
        assert_eq!(minutes("2026-11-21T04:59:00Z", 1, 6, 0), 1);
        assert_eq!(minutes("2026-11-21T05:00:00Z", 1, 6, 0), 24 * 60);
        assert_eq!(minutes("2026-12-31T23:30:00Z", 0, 0, 0), 30);
        // Here the date differs from that in UTC.
        assert_eq!(minutes("2026-11-21T20:00:00Z", 9, 6, 0), 60);
        assert_eq!(minutes("2026-11-21T02:00:00Z", -9, 18, 0), 60);
    }

    #[test]
    fn a_timestamp_reads_as_it_was_written() {
        let now = timestamp();
        assert_eq!(
            span(&now, &now, Duration::ZERO).map(|(minute, _)| minute.replace(' ', "T")),
            now.get(..16).map(str::to_owned)
        );
        assert_eq!(now.len(), "2026-11-28T23:59:00.500Z".len());
        assert_eq!(at("2026-11-28T23:59:00.5Z").nanoseconds(), 500_000_000);
        assert_eq!(at("1970-01-02T00:00:01Z").unix_time(), 86_401);
        for wrong in [
            "2026-11-28T23:59:00",
            "2026-11-28 23:59:00Z",
            "2026-11-28T23:59Z",
            "2026-02-30T23:59:00Z",
            "2026-11-28T24:00:00Z",
            "2026-11-28T23:59:00.1234567890Z",
            "+026-11-28T23:59:00Z",
            "2026-11-28T23:59:00.Z",
            "2026-11-28-1T23:59:00Z",
        ] {
            assert_eq!(parse_timestamp(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_span_ends_with_its_last_part() {
        let span = |first, last, seconds| span(first, last, Duration::from_secs(seconds));
        let day = "2026-11-28T23:59:00.500Z";
        assert_eq!(span(day, "2026-11-28T23:59:30Z", 40), Some(("2026-11-29 00:00".to_owned(), 69.5)));
        assert_eq!([span("", day, 1), span(day, "yesterday", 1), span(day, day, u64::MAX)], [None, None, None]);
        // The clock was put back.
        assert_eq!(span(day, "2026-11-28T23:58:59Z", 0), Some(("2026-11-28 23:58".to_owned(), -1.5)));
    }

    #[test]
    fn a_time_that_comes_twice_or_never_is_found() {
        // Berlin: clocks go from 3:00 back to 2:00 on 25 October 2026, and from 2:00 to 3:00 on 28 March 2027.
        let berlin = TimeZone::from_posix_tz("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        let minutes = |utc: &str, hour, minute| minutes_until(utc, &berlin, hour, minute);
        let (first, second) = ("2026-10-25T00:10:00Z", "2026-10-25T01:10:00Z");
        assert_eq!((minutes(first, 2, 30), minutes(second, 2, 30)), (20, 20));
        assert_eq!(minutes("2026-10-25T00:40:00Z", 2, 30), 50);
        assert_eq!(minutes(second, 3, 0), 50);
        assert_eq!(minutes("2027-03-28T00:50:00Z", 2, 30), 40, "at 3:30, when half an hour has passed");
    }

    #[test]
    fn long_durations_read_as_people_write_them() {
        let minutes = |text| parse_long_duration(text).map(|time| time.as_secs_f64() / 60.0);
        for text in
            ["1h30m", "1h 30m", "90m", "90 min", "1.5h", "1 hour 30 minutes", "5400s", "PT1H30M", "1h29m59s1000ms"]
        {
            assert_eq!(minutes(text), Some(90.0), "{text}");
        }
        for wrong in
            ["", "h", "1", "-1h", "1h-30m", "30m1h", "1h1h", "1d", "1..5h", ".5h", "1.h", "1h 30", "99999999h", "1é"]
        {
            assert_eq!(minutes(wrong), None, "{wrong}");
        }
        assert_eq!(parse_long_duration("1us 1ns"), Some(Duration::from_nanos(1_001)));
        let written = [0.0, 0.9, 59.0, 60.0, 3600.0, 5415.0, 360_000.0].map(long_duration);
        assert_eq!(written, ["0s", "0s", "59s", "1m", "1h", "1h 30m 15s", "100h"]);
    }
}
