//! The values in the column of results of one file, and the scale that explains them.

use std::collections::HashMap;

use super::left_out::quoted;
use super::results::{Written, written};
use super::scale::{Meaning, Scale};
use super::{LeftOutCause, TableError};
use crate::record::GameResult;
use crate::rules::Seat;
use crate::text::{counted, shown};

/// Maximum number of different values that are kept. The others count as one.
const VALUES_MAX: usize = 1_000;
/// Number of values that a message lists.
const SHOWN_MAX: usize = 8;

/// A value, and how many games have it.
struct Value {
    /// Empty if it is only the name of the player in `winner`.
    text: Vec<u8>,
    written: Written,
    /// The player of its game who has this name.
    winner: Option<Seat>,
    games: usize,
}

impl Value {
    /// As it is written, or whose name it is.
    fn shown(&self) -> String {
        match (&self.text[..], self.winner) {
            ([], Some(Seat::First)) => "the first player's name".to_owned(),
            ([], Some(Seat::Second)) => "the second player's name".to_owned(),
            (text, _) => quoted(text),
        }
    }

    fn meaning(&self, scale: &Scale) -> Option<Meaning> {
        match (scale, self.winner) {
            (Scale::Names, Some(winner)) => Some(Ok(GameResult::of(Some(winner)))),
            (Scale::Values(_), _) => scale.value(&self.text, self.written),
            _ => scale.meaning(self.written),
        }
    }
}

/// The values of one file.
#[derive(Default)]
pub(super) struct Values {
    all: Vec<Value>,
    numbers: HashMap<(Vec<u8>, Option<Seat>), u16>,
    /// Number of games whose cell says nothing, and the line of the first one.
    missing: usize,
    missing_line: u64,
}

/// A cell of a game: the number of its value, or why it has no result.
pub(super) type Cell = Result<u16, LeftOutCause>;

impl Values {
    /// Notes the result of a game on `line`; `winner` is the player whose name it is.
    pub(super) fn add(&mut self, line: u64, text: &[u8], winner: Option<Seat>, chosen: Option<&Scale>) -> Cell {
        // Most files have three values.
        const USUAL: usize = 4;
        let is_it = |value: &Value| value.text == text && value.winner == winner;
        if let Some(number) = self.all.iter().take(USUAL).position(is_it) {
            self.all[number].games += 1;
            return Ok(number as u16);
        }
        let written = written(text);
        let is_chosen = chosen.is_some_and(|scale| scale.value(text, written).is_some());
        if let Written::None(cause) = written
            && winner.is_none()
            && !is_chosen
        {
            if cause == LeftOutCause::NoResult {
                self.missing_line = if self.missing == 0 { line } else { self.missing_line };
                self.missing += 1;
            }
            return Err(cause);
        }
        // There may be thousands of names.
        let is_name = winner.is_some() && written == Written::Other && !is_chosen;
        let number = self.number(if is_name { b"" } else { text }, winner, written);
        self.all[usize::from(number)].games += 1;
        Ok(number)
    }

    fn number(&mut self, text: &[u8], winner: Option<Seat>, written: Written) -> u16 {
        if let Some(number) = self.numbers.get(&(text.to_vec(), winner)) {
            return *number;
        }
        if self.all.len() >= VALUES_MAX {
            let others = (b"and others".to_vec(), None);
            return match self.numbers.get(&others) {
                Some(number) => *number,
                None => self.insert(&others.0, None, Written::Other),
            };
        }
        self.insert(text, winner, written)
    }

    fn insert(&mut self, text: &[u8], winner: Option<Seat>, written: Written) -> u16 {
        let number = self.all.len() as u16;
        self.numbers.insert((text.to_vec(), winner), number);
        self.all.push(Value { text: text.to_vec(), written, winner, games: 0 });
        number
    }

    /// What each value means in a scale; `None` for values that it does not explain.
    pub(super) fn meanings(&self, scale: &Scale) -> Vec<Option<Meaning>> {
        self.all.iter().map(|value| value.meaning(scale)).collect()
    }

    /// Whether all results are those of both players, such as `1-0`, which need no words.
    pub(super) fn are_plain(&self) -> bool {
        self.all.iter().all(|value| !matches!(value.written, Written::Number(_) | Written::Word(_)))
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// A value for messages.
    pub(super) fn shown(&self, number: u16) -> String {
        self.all[usize::from(number)].shown()
    }

    /// The scale in which the results are read: the one that is chosen, or the one that explains all values. A few values
    /// that no scale explains are damage; their games are left out. If `is_strict`, they may be more.
    pub(super) fn scale(&self, chosen: Option<&Scale>, is_strict: bool) -> Result<Scale, TableError> {
        if let Some(scale) = chosen {
            if !is_strict && !self.is_damage(scale) {
                return Err(self.unexplained(Some(scale)));
            }
            return Ok(scale.clone());
        }
        let candidates = Scale::NAMED.into_iter().filter(|scale| self.can_be(scale));
        let candidates: Vec<(usize, Scale)> = candidates
            .filter(|scale| is_strict || self.is_damage(scale))
            .map(|scale| (self.games_without(&scale), scale))
            .collect();
        let least = candidates.iter().map(|(games, _)| *games).min().unwrap_or_default();
        let best: Vec<Scale> =
            candidates.into_iter().filter(|(games, _)| *games == least).map(|(_, scale)| scale).collect();
        let meanings = best.first().map(|scale| self.meanings(scale)).unwrap_or_default();
        let is_ambiguous = best.iter().any(|scale| self.meanings(scale) != meanings);
        // Words that are in another scale by chance do not make the rest damage.
        let is_of_points = least == 0 || best.first() == Some(&Scale::Points) && (is_strict || !is_ambiguous);
        if best.is_empty() || !is_of_points {
            return Err(self.unexplained(None));
        }
        if least == 0 && is_ambiguous {
            return Err(self.ambiguous(&best));
        }
        let scale = best[0].clone();
        if self.missing > 0 && scale.is_of_winners() && !meanings.contains(&Some(Ok(GameResult::Draw))) {
            return Err(self.without_winner(&scale));
        }
        Ok(scale)
    }

    /// Number of games whose value a scale does not explain.
    fn games_without(&self, scale: &Scale) -> usize {
        self.all.iter().filter(|value| value.meaning(scale).is_none()).map(|value| value.games).sum()
    }

    /// Whether the values that a scale does not explain can be damage: together they are in at most one of five games, and
    /// each in one game, in two of a dozen, or in one of a hundred. A value that comes again and again has a meaning.
    fn is_damage(&self, scale: &Scale) -> bool {
        let games: usize = self.all.iter().map(|value| value.games).sum();
        let each = (games / 6).min(2).max(games / 100).max(1);
        let without = self.games_without(scale);
        without <= games / 5 && self.all.iter().all(|value| value.games <= each || value.meaning(scale).is_some())
    }

    /// Whether the values can be of one scale: a file with `0` and `draw` has another meaning for `0`, and one letter alone may
    /// mean anything.
    fn can_be(&self, scale: &Scale) -> bool {
        let has = |wanted: Written| self.all.iter().any(|value| value.written == wanted);
        let is_letter =
            |value: &Value| matches!(value.written, Written::Word(_) | Written::Cross) && value.text.len() == 1;
        match &self.all[..] {
            [only] if is_letter(only) => false,
            _ if *scale == Scale::Seat && has(Written::Number(0)) => {
                !has(Written::Word(GameResult::Draw)) && !has(Written::Cross)
            }
            _ => true,
        }
    }

    /// Lists values with their games: `1` (3 games), `0` (2 games).
    fn listed(&self, is_listed: impl Fn(&Value) -> bool) -> String {
        let mut values: Vec<&Value> = self.all.iter().filter(|value| is_listed(value)).collect();
        values.sort_by_key(|value| std::cmp::Reverse(value.games));
        let show = |value: &&Value| format!("{} ({})", value.shown(), counted(value.games, "game"));
        let more = match values.len().saturating_sub(SHOWN_MAX) {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        values.iter().take(SHOWN_MAX).map(show).collect::<Vec<_>>().join(", ") + &more
    }

    fn unexplained(&self, scale: Option<&Scale>) -> TableError {
        let (what, values) = match scale {
            Some(scale) => {
                let values = self.listed(|value| value.meaning(scale).is_none());
                (format!("are not in the scale `{}`", shown(&scale.name())), values)
            }
            None => ("are in no scale that explains all of them".to_owned(), self.listed(|_| true)),
        };
        let has_names = self.all.iter().any(|value| value.winner.is_some());
        let mut games: Vec<usize> = self.all.iter().map(|value| value.games).collect();
        games.sort_unstable_by_key(|games| std::cmp::Reverse(*games));
        let others: usize = games.iter().skip(3).sum();
        let can_be_three = !has_names
            && others <= games.iter().sum::<usize>() / 5
            && self.all.iter().all(|value| !value.text.contains(&b'/'));
        let three = "WIN/DRAW/LOSS, the values for a win, a draw and a loss of the first player";
        TableError::Results {
            what: format!("its results {what}: {values}; write 1-0, 0-1, 1/2-1/2, * (unfinished) or void"),
            scales: match () {
                () if can_be_three => vec![three.to_owned()],
                () if has_names => vec!["names, once all others are `draw` or empty".to_owned()],
                () => Vec::new(),
            },
        }
    }

    fn without_winner(&self, scale: &Scale) -> TableError {
        let (games, line) = (counted(self.missing, "game"), self.missing_line);
        let draw = if *scale == Scale::Rewards { "0" } else { "draw" };
        TableError::Results {
            what: format!(
                "{games} without a result (line {line}) where the others say who won; if these are draws, write `{draw}` into them"
            ),
            scales: vec![format!("{}, which leaves them out", scale.name())],
        }
    }

    fn ambiguous(&self, scales: &[Scale]) -> TableError {
        TableError::Results {
            what: format!("its results have more than one meaning: {}", self.listed(|_| true)),
            scales: scales.iter().map(|scale| format!("{} ({scale})", scale.name())).collect(),
        }
    }
}
