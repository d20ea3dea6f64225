//! Options of formats, as stored in a tournament's definition.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::text::shown;

/// Default of [`Until::Top`]'s `apart`, in Elo.
const APART_DEFAULT: f64 = 10.0;

/// Options of formats. Each format uses some of them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Names of the challengers of a gauntlet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub challengers: Vec<String>,
    /// Names of bots, the best first, as seeds of a Swiss or knockout; empty for a draw.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seeding: Vec<String>,
    /// Rounds of a Swiss.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub swiss_rounds: Option<u32>,
    /// Whether a knockout has a match for third place.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub third_place: bool,
    /// Mean number of pairs of each bot after which a ladder ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs_per_bot: Option<u32>,
    /// What ends a ladder instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Until>,
    /// Whether a ladder with [`Until::Top`] chooses all pairs for that goal, not half of them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub only_top: bool,
    /// The most games of a ladder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_games: Option<u64>,
}

impl Options {
    /// Whether all are defaults.
    #[must_use]
    pub fn are_default(&self) -> bool {
        *self == Self::default()
    }
}

/// When a tournament knows enough.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Until {
    /// Neighbours in the standings differ significantly at 95 %.
    Separated,
    /// No rating has a larger 95 % margin, in Elo. Unbounded ratings are ignored: more games rarely bound them.
    Margin(f64),
    /// The best bots are known: none of the others is better than one of them by more than a difference.
    Top {
        /// Number of the best bots.
        bots: u32,
        /// The difference in Elo.
        apart: f64,
    },
}

impl FromStr for Until {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!("`{}` is neither `separated`, a margin in Elo such as ±20, nor `top:K` such as top:5", shown(text))
        };
        if text == "separated" {
            return Ok(Self::Separated);
        }
        let Some(top) = text.strip_prefix("top:") else { return elo(text).map(Self::Margin).ok_or_else(wrong) };
        let (bots, apart) = top.split_once(',').map_or((top, Some(APART_DEFAULT)), |(bots, apart)| (bots, elo(apart)));
        let bots = bots.trim().parse().ok().filter(|bots| *bots > 0);
        Ok(Self::Top { bots: bots.ok_or_else(wrong)?, apart: apart.ok_or_else(wrong)? })
    }
}

/// A positive difference, such as `±20`.
fn elo(text: &str) -> Option<f64> {
    let text = text.trim();
    let number = text.strip_prefix('±').or_else(|| text.strip_prefix("+-")).unwrap_or(text);
    number.trim().parse().ok().filter(|elo: &f64| *elo > 0.0 && elo.is_finite())
}

impl fmt::Display for Until {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Separated => f.write_str("separated"),
            Self::Margin(margin) => write!(f, "±{margin}"),
            Self::Top { bots, apart } => write!(f, "top:{bots},±{apart}"),
        }
    }
}

impl TryFrom<String> for Until {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Until> for String {
    fn from(until: Until) -> Self {
        until.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_as_people_write_it() {
        assert_eq!("separated".parse(), Ok(Until::Separated));
        for text in ["±20", "+-20", "20", "20.0"] {
            assert_eq!(text.parse(), Ok(Until::Margin(20.0)), "{text}");
        }
        for (text, apart) in [("top:5", 10.0), ("top:5,±20", 20.0), ("top:5,+-2.5", 2.5), ("top:5, 7", 7.0)] {
            assert_eq!(text.parse(), Ok(Until::Top { bots: 5, apart }), "{text}");
        }
        for text in ["", "apart", "±0", "±-3", "inf", "NaN", "top:", "top:0", "top:-1", "top:2,", "top:2,0", "top"] {
            assert!(text.parse::<Until>().is_err(), "{text}");
        }
    }

    #[test]
    fn it_is_written_as_it_is_read() {
        for until in [Until::Separated, Until::Margin(2.5), Until::Top { bots: 3, apart: 10.0 }] {
            assert_eq!(until.to_string().parse(), Ok(until));
        }
        let options = Options { until: Some(Until::Margin(20.0)), third_place: true, ..Options::default() };
        let json = serde_json::to_string(&options).unwrap();
        assert_eq!(json, r#"{"third_place":true,"until":"±20"}"#);
        assert_eq!(serde_json::from_str::<Options>(&json).unwrap(), options);
        assert!(Options::default().are_default() && !options.are_default());
        assert!(serde_json::from_str::<Options>(r#"{"until":"never"}"#).is_err());
    }
}
