//! Time that is kept back from the limits that a bot is sent, for bots that use all they have.

use std::time::Duration;

use arena_core::clock::TimeControl;
use arena_core::speech::{DialectOptions, OptionValue};

/// The option that sets it, in milliseconds.
pub(super) const OVERHEAD: &str = "overhead_ms";
const DEFAULT_MS: u64 = 20;
const MS_MAX: i64 = 10_000;

/// Time that is kept back.
#[derive(Debug, Clone, Copy)]
pub(super) struct Overhead(Duration);

impl Overhead {
    /// Says what the option may be, if `value` is something else.
    pub(super) fn check(value: &OptionValue) -> Result<(), &'static str> {
        if matches!(value, OptionValue::Integer(0..=MS_MAX)) { Ok(()) } else { Err("is an integer from 0 to 10000") }
    }

    /// Says what is wrong with checked options if they leave nothing of the least limit that this clock sets.
    pub(super) fn check_clock(options: &DialectOptions, clock: TimeControl) -> Result<(), String> {
        let (Some(OptionValue::Integer(ms)), Some(limit)) =
            (options.get(OVERHEAD), clock.move_ms.into_iter().chain(clock.bank_ms).min())
        else {
            return Ok(());
        };
        if u64::try_from(*ms).is_ok_and(|ms| ms < limit) {
            return Ok(());
        }
        Err(format!(
            "`{OVERHEAD}` is {ms}, which leaves nothing of {limit} ms; lower it in `options` of its manifest, or give more time"
        ))
    }

    /// What checked options say.
    pub(super) fn of(options: &DialectOptions) -> Self {
        let ms = match options.get(OVERHEAD) {
            Some(OptionValue::Integer(ms)) => u64::try_from(*ms).unwrap_or(DEFAULT_MS),
            _ => DEFAULT_MS,
        };
        Self(Duration::from_millis(ms))
    }

    /// Milliseconds of a limit without it, at least one.
    pub(super) fn less(self, limit: Duration) -> u64 {
        limit.saturating_sub(self.0).as_millis().clamp(1, u64::MAX.into()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_sent_without_it_and_is_never_zero() {
        let of = |value: Option<i64>| {
            Overhead::of(&value.map(|ms| (OVERHEAD.to_owned(), OptionValue::Integer(ms))).into_iter().collect())
        };
        let second = Duration::from_secs(1);
        assert_eq!([None, Some(0), Some(300)].map(|value| of(value).less(second)), [980, 1_000, 700]);
        assert_eq!(of(Some(10_000)).less(second), 1);
        assert_eq!(of(Some(0)).less(Duration::MAX), u64::MAX);
    }

    #[test]
    fn it_leaves_something_of_each_limit() {
        let check = |ms: Option<i64>, clock: TimeControl| {
            let options = ms.map(|ms| (OVERHEAD.to_owned(), OptionValue::Integer(ms))).into_iter().collect();
            Overhead::check_clock(&options, clock).is_ok()
        };
        let second = TimeControl::per_move(Duration::from_secs(1));
        let bank = TimeControl { move_ms: None, bank_ms: Some(500), ..second };
        let both = TimeControl { bank_ms: Some(500), ..second };
        for (ms, clock, is_fine) in [
            (Some(999), second, true),
            (Some(1_000), second, false),
            (Some(10_000), second, false),
            (Some(499), bank, true),
            (Some(500), bank, false),
            (Some(500), both, false),
            (Some(0), both, true),
            // The default is no decision of anyone.
            (None, TimeControl { move_ms: Some(5), ..second }, true),
        ] {
            assert_eq!(check(ms, clock), is_fine, "{ms:?} {clock}");
        }
    }

    #[test]
    fn only_its_range_is_accepted() {
        let is_accepted = |value| Overhead::check(&value).is_ok();
        assert!([0, 20, 10_000].map(OptionValue::Integer).into_iter().all(is_accepted));
        let refused = [OptionValue::Integer(-1), OptionValue::Integer(10_001), OptionValue::Text("20".to_owned())];
        assert!(!refused.into_iter().any(is_accepted));
    }
}
