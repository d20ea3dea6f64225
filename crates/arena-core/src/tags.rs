//! Tags: what people say about a bot, such as a parameter that they vary. No game depends on them.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Tags of a bot at most.
const TAGS_MAX: usize = 64;
/// Bytes of a name at most.
const NAME_MAX: usize = 32;
/// Bytes of a text at most.
const TEXT_MAX: usize = 200;

/// Columns of the tables of bots, `standings.csv` and `bots.csv`, in any format. A test of the reports compares them.
#[rustfmt::skip]
const COLUMNS: [&str; 52] = [
    "rank", "rank_lo", "rank_hi", "name", "games", "points", "wins", "draws", "losses", "score", "elo", "elo_lo",
    "elo_hi", "los", "direct", "sb", "first_score", "second_score", "forfeits", "group", "davidson_elo", "nash",
    "elo_ml", "seed", "reached", "byes", "swiss_points", "buchholz_cut1", "buchholz", "class", "moves", "mean_ms",
    "p50_ms", "p99_ms", "max_ms", "cpu_ms", "credit_ms", "off_move_ms", "timeout", "timeout_starved", "illegal_move",
    "protocol_error", "crashed", "startup_failed", "interference", "resigned", "withdrawn", "void",
    "disturbed_others", "surplus_lines", "fingerprint", "command",
];

/// The value of a tag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum TagValue {
    /// `true` or `false`.
    Bool(bool),
    /// A number, which is finite.
    Number(serde_json::Number),
    /// A text.
    Text(String),
}

impl TagValue {
    /// The value as a number, if it is one.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        if let Self::Number(number) = self { number.as_f64() } else { None }
    }

    /// Whether two values are the same: equal numbers are, as 1 and 1.0.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let numbers = self.number().zip(other.number());
        numbers.map_or_else(|| self == other, |(one, other)| one.partial_cmp(&other) == Some(Ordering::Equal))
    }

    /// An order of all values: numbers first, then words by their letters.
    #[must_use]
    pub fn order(&self, other: &Self) -> Ordering {
        let key = |tag: &Self| tag.number().unwrap_or(f64::INFINITY);
        key(self).total_cmp(&key(other)).then_with(|| match (self.number(), other.number()) {
            (Some(_), Some(_)) => Ordering::Equal,
            _ => self.to_string().cmp(&other.to_string()),
        })
    }
}

impl std::fmt::Display for TagValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Number(value) => value.fmt(f),
            Self::Text(value) => value.fmt(f),
        }
    }
}

/// Why something is no tag.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TagError {
    /// The name has other characters, or too many.
    #[error("names of tags are 1 to {NAME_MAX} of A-Z a-z 0-9 _ -")]
    Name,
    /// A table has a column of this name.
    #[error("tables have a column of this name; choose another one")]
    Column,
    /// The text is too long.
    #[error("a tag has at most {TEXT_MAX} bytes")]
    Long,
    /// The bot has too many.
    #[error("a bot has at most {TAGS_MAX} tags")]
    Many,
}

/// The tags of a bot by name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, TagValue>")]
pub struct Tags(BTreeMap<String, TagValue>);

impl Tags {
    /// Adds a tag, or replaces the one of this name.
    ///
    /// # Errors
    ///
    /// Returns [`TagError`] if this is no tag.
    pub fn insert(&mut self, name: &str, value: TagValue) -> Result<(), TagError> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if !(1..=NAME_MAX).contains(&name.len()) || !name.bytes().all(is_plain) {
            return Err(TagError::Name);
        }
        if COLUMNS.iter().any(|column| column.eq_ignore_ascii_case(name)) {
            return Err(TagError::Column);
        }
        if matches!(&value, TagValue::Text(text) if text.len() > TEXT_MAX) {
            return Err(TagError::Long);
        }
        self.0.insert(name.to_owned(), value);
        if self.0.len() > TAGS_MAX { Err(TagError::Many) } else { Ok(()) }
    }

    /// The value of a tag.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&TagValue> {
        self.0.get(name)
    }

    /// The tags by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &TagValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// These tags, and those of `other`, which count where both have one of a name.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }
}

impl TryFrom<BTreeMap<String, TagValue>> for Tags {
    type Error = TagError;

    fn try_from(given: BTreeMap<String, TagValue>) -> Result<Self, TagError> {
        let mut tags = Self::default();
        given.into_iter().try_for_each(|(name, value)| tags.insert(&name, value))?;
        Ok(tags)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_what_a_column_can_be() {
        let mut tags = Tags::default();
        let number = || TagValue::Number(1.into());
        for name in ["c", "c-2_x", "0", &"n".repeat(32)] {
            assert_eq!(tags.insert(name, number()), Ok(()), "{name}");
        }
        for name in ["", "a b", "ä", "a,b", "=c", &"n".repeat(33)] {
            assert_eq!(tags.insert(name, number()), Err(TagError::Name), "{name}");
        }
        assert_eq!([tags.insert("elo", number()), tags.insert("Rank", number())], [const { Err(TagError::Column) }; 2]);
        assert_eq!(tags.insert("t", TagValue::Text("x".repeat(201))), Err(TagError::Long));
        assert!(tags.get("t").is_none() && tags.get("elo").is_none());
    }

    #[test]
    fn tags_are_read_as_they_are_written_and_no_others() {
        let text = r#"{"a":0.7,"b":true,"c":"x","d":-3,"e":1e300}"#;
        let tags: Tags = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::from_str::<Tags>(&serde_json::to_string(&tags).unwrap()).unwrap(), tags);
        assert_eq!(
            tags.iter().map(|(_, value)| value.to_string()).collect::<Vec<_>>(),
            ["0.7", "true", "x", "-3", "1e+300"]
        );
        for text in [r#"{"elo":1}"#, r#"{"a b":1}"#, r#"{"a":null}"#, r#"{"a":[1]}"#] {
            assert!(serde_json::from_str::<Tags>(text).is_err(), "{text}");
        }
        let many: BTreeMap<String, TagValue> = (0..65).map(|tag| (format!("t{tag}"), TagValue::Bool(true))).collect();
        assert_eq!(Tags::try_from(many), Err(TagError::Many));
    }
}
