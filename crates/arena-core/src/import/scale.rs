//! The scales of results: what the values of a column mean.

use std::fmt;
use std::str::FromStr;

use super::LeftOutCause;
use super::results::{Written, plain};
use crate::record::GameResult::{self, Draw, FirstWins, SecondWins};

/// A value of a column, or why games with it are left out.
pub(super) type Meaning = Result<GameResult, LeftOutCause>;

/// What the values of a column of results mean. A file is read in the one scale that explains all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scale {
    /// Points of the first player, 1, 0.5 and 0, or of both: `1-0`, `0-1`, `1/2-1/2`. Draws may be words.
    Points,
    /// Rewards of the first player, 1, 0 and -1, or of both: `1:-1`.
    Rewards,
    /// Points of the first player, 2, 1 and 0, or of both: `2-0`.
    Doubled,
    /// The seat of the winner, 1 or 2. A draw is 0, `X` or a word.
    Seat,
    /// The seat of the winner, 0 or 1. A draw is a word.
    SeatFromZero,
    /// Words for the seat of the winner, or for a win, a draw and a loss of the first player.
    Words,
    /// The name of the winner. A draw is a word.
    Names,
    /// The values for a win, a draw and a loss of the first player.
    Values([String; 3]),
}

impl Scale {
    /// All scales that have a name, in the order in which they are tried.
    pub const NAMED: [Self; 7] =
        [Self::Points, Self::Rewards, Self::Doubled, Self::Seat, Self::SeatFromZero, Self::Words, Self::Names];

    /// The name by which it is chosen: one word, or three values with `/` between.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Points => "points",
            Self::Rewards => "rewards",
            Self::Doubled => "doubled",
            Self::Seat => "seat",
            Self::SeatFromZero => "seat0",
            Self::Words => "words",
            Self::Names => "names",
            Self::Values(values) => return values.join("/"),
        }
        .to_owned()
    }

    /// What a cell means, if this scale explains it.
    pub(super) fn meaning(&self, written: Written) -> Option<Meaning> {
        use Written::{Cross, Number, Numbers, Word};
        let result = match (self, written) {
            (Self::Points | Self::Doubled, Numbers([0, 0])) => {
                return Some(Err(LeftOutCause::NoPoints));
            }
            (Self::Points, Number(1_000) | Numbers([1_000, 0]))
            | (Self::Rewards, Number(1_000) | Numbers([1_000, -1_000]))
            | (Self::Doubled, Number(2_000) | Numbers([2_000, 0]))
            | (Self::Seat, Number(1_000))
            | (Self::SeatFromZero, Number(0))
            | (Self::Words, Word(FirstWins)) => FirstWins,
            (Self::Points, Number(0) | Numbers([0, 1_000]))
            | (Self::Rewards, Number(-1_000) | Numbers([-1_000, 1_000]))
            | (Self::Doubled, Number(0) | Numbers([0, 2_000]))
            | (Self::Seat, Number(2_000))
            | (Self::SeatFromZero, Number(1_000))
            | (Self::Words, Word(SecondWins)) => SecondWins,
            (Self::Points, Number(500) | Numbers([500, 500]) | Word(Draw))
            | (Self::Rewards, Number(0) | Numbers([0, 0]))
            | (Self::Doubled, Number(1_000) | Numbers([1_000, 1_000]))
            | (Self::Seat, Number(0) | Cross | Word(Draw))
            | (Self::SeatFromZero | Self::Words | Self::Names, Word(Draw)) => Draw,
            _ => return None,
        };
        Some(Ok(result))
    }

    /// What a text means, if it is one of the three values.
    pub(super) fn value(&self, text: &[u8], written: Written) -> Option<Meaning> {
        let Self::Values(values) = self else { return None };
        let is_it = |value: &String| {
            let is_number = matches!(written, Written::Number(_) | Written::Numbers(_));
            plain(value.as_bytes()).eq_ignore_ascii_case(&plain(text))
                || is_number && super::results::written(value.as_bytes()) == written
        };
        values.iter().position(is_it).map(|place| Ok([FirstWins, Draw, SecondWins][place]))
    }

    /// Whether its values say who won, so that a cell without one may be a draw if there are no others.
    pub(super) const fn is_of_winners(&self) -> bool {
        matches!(self, Self::Rewards | Self::Seat | Self::SeatFromZero | Self::Words | Self::Names)
    }
}

/// Describes it after *read as*.
impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Points => "points 1, 0.5, 0",
            Self::Rewards => "rewards 1, 0, -1",
            Self::Doubled => "points 2, 1, 0",
            Self::Seat => "the winner's seat 1, 2",
            Self::SeatFromZero => "the winner's seat 0, 1",
            Self::Words => "words for the winner",
            Self::Names => "names of the winner",
            Self::Values([win, draw, loss]) => {
                return write!(f, "{win} for a win, {draw} for a draw, {loss} for a loss of the first player");
            }
        })
    }
}

/// A text that names no scale.
#[derive(Debug, thiserror::Error)]
#[error(
    "expected points, rewards, doubled, seat, seat0, words, names, or three different values for a win, a draw and a loss of \
     the first player, such as 3/1/0"
)]
pub struct NoScale;

impl FromStr for Scale {
    type Err = NoScale;

    fn from_str(text: &str) -> Result<Self, NoScale> {
        if let Some(scale) = Self::NAMED.into_iter().find(|scale| scale.name() == text) {
            return Ok(scale);
        }
        let values: Vec<String> = text.split('/').map(|value| value.trim().to_owned()).collect();
        let [win, draw, loss] = <[String; 3]>::try_from(values).map_err(|_| NoScale)?;
        let are_apart =
            win != draw && draw != loss && win != loss && ![&win, &draw, &loss].iter().any(|value| value.is_empty());
        if are_apart { Ok(Self::Values([win, draw, loss])) } else { Err(NoScale) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::results::written;

    #[test]
    fn each_scale_has_its_own_values() {
        let seen = |scale: &Scale| {
            let cells = [
                "1", "0", "0.5", "-1", "2", "1-0", "1/2-1/2", "0-0", "1:-1", "-1:1", "2-0", "1-1", "white", "black",
                "loss", "draw", "X", "3",
            ];
            let explained = cells.iter().filter_map(|cell| {
                let meaning = scale.meaning(written(cell.as_bytes()))?;
                Some(format!("{cell}={}", meaning.map_or("left out", GameResult::name)))
            });
            format!("{}: {}", scale.name(), explained.collect::<Vec<_>>().join(" "))
        };
        insta::assert_snapshot!(Scale::NAMED.iter().map(seen).collect::<Vec<_>>().join("\n"), @"
        points: 1=1-0 0=0-1 0.5=1/2-1/2 1-0=1-0 1/2-1/2=1/2-1/2 0-0=left out draw=1/2-1/2
        rewards: 1=1-0 0=1/2-1/2 -1=0-1 0-0=1/2-1/2 1:-1=1-0 -1:1=0-1
        doubled: 1=1/2-1/2 0=0-1 2=1-0 0-0=left out 2-0=1-0 1-1=1/2-1/2
        seat: 1=1-0 0=1/2-1/2 2=0-1 draw=1/2-1/2 X=1/2-1/2
        seat0: 1=0-1 0=1-0 draw=1/2-1/2
        words: white=1-0 black=0-1 loss=0-1 draw=1/2-1/2
        names: draw=1/2-1/2
        ");
    }

    #[test]
    fn scales_are_chosen_by_name_or_by_their_values() {
        for scale in Scale::NAMED {
            assert_eq!(scale.name().parse::<Scale>().unwrap(), scale);
        }
        let scale: Scale = "3/1/0".parse().unwrap();
        for (text, result) in [("3", FirstWins), ("1.0", Draw), ("0,0", SecondWins)] {
            assert_eq!(scale.value(text.as_bytes(), written(text.as_bytes())), Some(Ok(result)), "{text}");
        }
        assert_eq!(scale.value(b"2", written(b"2")), None);
        let scale: Scale = "W/NA/L".parse().unwrap();
        assert_eq!(scale.value(b"NA", written(b"NA")), Some(Ok(Draw)));
        for text in ["", "point", "1/0", "1/0/1", "1//0", "1/2/3/4"] {
            assert!(text.parse::<Scale>().is_err(), "{text}");
        }
    }
}
