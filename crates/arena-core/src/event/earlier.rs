//! Earlier versions of bots, which play because the new ones fail.

use serde::{Deserialize, Serialize};

use crate::text::shown;

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// A bot that plays in an earlier version, because its new one fails.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierVersion {
    /// Its name.
    pub name: String,
    /// Why the new version fails, in one sentence.
    pub cause: String,
    /// Whether the new version starts, and fails the check after that.
    pub starts: bool,
    /// Local date on which the earlier version was kept, such as `2026-11-21`.
    pub date: String,
}

impl EarlierVersion {
    /// What happened, in one sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let failure = new_version_fails(self.starts, &self.cause);
        format!("{}: {failure}; the version of {} plays", shown(&self.name), day(&self.date))
    }

    /// What happened, in one sentence, if the earlier version fails as well.
    #[must_use]
    pub fn fails_too(&self, cause: &str) -> String {
        let failure = new_version_fails(self.starts, &self.cause);
        format!("the version of {} fails ({}), and {failure}", day(&self.date), shown(cause))
    }
}

/// What is wrong with the new version of a bot.
#[must_use]
pub fn new_version_fails(starts: bool, cause: &str) -> String {
    let fails = if starts { "fails the check" } else { "does not start" };
    format!("the new version {fails} ({})", shown(cause))
}

/// The day, month and year of a date such as `2026-11-21`.
fn parsed(date: &str) -> Option<(u8, &'static str, &str)> {
    let is_digits = |text: &str, count| text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = date.split('-');
    let (year, month, day, None) = (parts.next()?, parts.next()?, parts.next()?, parts.next()) else { return None };
    let is_date = is_digits(year, 4) && is_digits(month, 2) && is_digits(day, 2);
    let month = *MONTHS.get(month.parse::<usize>().ok()?.checked_sub(1)?)?;
    let day = day.parse().ok().filter(|day| is_date && (1..=31).contains(day))?;
    Some((day, month, year))
}

/// Whether this is a date such as `2026-11-21`.
#[must_use]
pub fn is_day(date: &str) -> bool {
    parsed(date).is_some()
}

/// A date such as `2026-11-21` for people: `21 Nov 2026`.
#[must_use]
pub fn day(date: &str) -> String {
    parsed(date).map_or_else(|| shown(date), |(day, month, year)| format!("{day} {month} {year}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_shown_for_people() {
        assert_eq!((day("2026-11-21").as_str(), day("2027-01-02").as_str()), ("21 Nov 2026", "2 Jan 2027"));
        for text in ["", "2026-11", "2026-13-01", "2026-00-01", "2026-01-32", "2026-01-00", "26-01-01", "+026-01-01"] {
            assert!(!is_day(text) && day(text) == text, "{text}");
        }
        assert!(!is_day("2026-1-001") && !is_day("2026-01-01-01"));
        assert_eq!(day("\u{1b}"), shown("\u{1b}"));
    }

    #[test]
    fn a_failing_version_is_named_with_the_one_that_plays() {
        let (name, cause) = ("eve".to_owned(), "IndentationError: x".to_owned());
        let earlier = EarlierVersion { name, cause, starts: false, date: "2026-11-21".to_owned() };
        let says = "eve: the new version does not start (IndentationError: x); the version of 21 Nov 2026 plays";
        assert_eq!(earlier.sentence(), says);
        let earlier = EarlierVersion { starts: true, ..earlier };
        let says =
            "the version of 21 Nov 2026 fails (no licence), and the new version fails the check (IndentationError: x)";
        assert_eq!(earlier.fails_too("no licence"), says);
    }
}
