//! Times as people write them.

use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

/// The longest time any limit may give.
pub const LIMIT_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// A bank and its increment as written on the command line: `10s+0.1s`, or `10+0.1` in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bank {
    /// Time for the whole game.
    pub initial: Duration,
    /// Added after each move.
    pub increment: Duration,
}

impl FromStr for Bank {
    type Err = DurationError;

    fn from_str(text: &str) -> Result<Self, DurationError> {
        let (initial, increment) = text.split_once('+').unwrap_or((text, "0s"));
        // Without a unit it is in seconds, as in other programs of this kind.
        let is_bare = |part: &str| part.ends_with(|c: char| c.is_ascii_digit());
        let part = |part: &str| {
            let part = part.trim();
            let unit = if is_bare(part) { "s" } else { "" };
            parse_duration(&format!("{part}{unit}")).map_err(|_| DurationError::of(text))
        };
        Ok(Self { initial: part(initial)?, increment: part(increment)? })
    }
}

/// Text that is not a duration.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{text}` is not a time; write for example 500ms, 1s, 0.1s or 2min (whole milliseconds, at most 24 hours)")]
pub struct DurationError {
    text: String,
}

impl DurationError {
    fn of(text: &str) -> Self {
        Self { text: crate::text::shown(text) }
    }
}

/// Reads `500ms`, `1s`, `0.1s`, `2min`; whole milliseconds up to [`LIMIT_MAX`].
///
/// # Errors
///
/// Returns [`DurationError`], which says what is accepted.
pub fn parse_duration(text: &str) -> Result<Duration, DurationError> {
    let error = || DurationError::of(text);
    let digits_end = text.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(error)?;
    let (number, unit) = text.split_at(digits_end);
    let unit_ms = match unit.trim() {
        "ms" => 1_u64,
        "s" => 1_000,
        "min" | "m" => 60_000,
        "h" => 3_600_000,
        _ => return Err(error()),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || fraction.len() > 9 || number.ends_with('.') || fraction.contains('.') {
        return Err(error());
    }
    // In exact arithmetic: a fraction of whole milliseconds is refused rather than rounded.
    let scale = 10_u64.pow(fraction.len() as u32);
    let units = format!("{whole}{fraction}").parse::<u64>().map_err(|_| error())?;
    let scaled_ms = units.checked_mul(unit_ms).ok_or_else(error)?;
    let millis = scaled_ms / scale;
    let duration = Duration::from_millis(millis);
    if scaled_ms % scale != 0 || duration > LIMIT_MAX {
        return Err(error());
    }
    Ok(duration)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn banks_read_as_people_write_them_and_are_quoted_whole() {
        let bank = Bank { initial: Duration::from_secs(10), increment: Duration::from_millis(100) };
        for text in ["10s+0.1s", "10s + 0.1s", " 10 s +100ms ", "10+0.1", "10 + 0.10"] {
            assert_eq!(text.parse(), Ok(bank), "{text}");
        }
        for text in ["10s+", "+1s", "10s+1s+1s", "10s-1s", ""] {
            let error = text.parse::<Bank>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{text}` is not a time")), "{error}");
        }
    }

    #[test]
    fn durations_read_as_people_write_them() {
        for (text, ms) in [("500ms", 500), ("1s", 1_000), ("0.1s", 100), ("2min", 120_000), ("1.5 s", 1_500)] {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for text in ["", "s", "1", "1 hour", "-1s", "0.0001s", "1..5s", "99999999999999999999s", "25h", ".5s", "5.s"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }
}
