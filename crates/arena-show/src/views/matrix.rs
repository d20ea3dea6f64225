//! Every bot against every other one, as shares of the row.

use arena_core::stats::Tally;

use super::Ranking;

/// A cell of a square in which each row and each column is a bot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell {
    /// The row is the column.
    Same,
    /// They did not meet.
    Unplayed,
    /// They cannot be compared.
    Apart,
    /// The share of the row, from 0 to 1.
    Share(f64),
}

/// A cell for every two of some bots, in the order of the standings.
#[derive(Debug, Clone)]
pub struct Matrix {
    /// The bots of the rows, and of the columns.
    pub bots: Vec<usize>,
    /// The cells, row by row.
    pub cells: Vec<Vec<Cell>>,
}

impl Ranking {
    /// The scores of the first bots against each other.
    #[must_use]
    pub fn scores(&self, most: usize) -> Matrix {
        let bots = self.first(most);
        let rows = self.meetings(bots.len()).map(|(bot, met)| {
            let cell = |(other, met): (&usize, Option<Tally>)| match met.and_then(Tally::score) {
                _ if *other == bot => Cell::Same,
                Some(score) => Cell::Share(score),
                None if self.analysis.ratings.los(bot, *other).is_some() => Cell::Unplayed,
                None => Cell::Apart,
            };
            bots.iter().zip(met).map(cell).collect()
        });
        let cells = rows.collect();
        Matrix { bots, cells }
    }

    /// The probabilities that one of the first bots is stronger than another.
    #[must_use]
    pub fn chances(&self, most: usize) -> Matrix {
        let bots = self.first(most);
        let cell = |a: usize, b: usize| match self.analysis.ratings.los(a, b) {
            _ if a == b => Cell::Same,
            Some(los) => Cell::Share(los),
            None => Cell::Apart,
        };
        let cells = bots.iter().map(|a| bots.iter().map(|b| cell(*a, *b)).collect()).collect();
        Matrix { bots, cells }
    }
}

/// The colour of a share, from 0 for nothing to 10 for all.
#[must_use]
pub fn shade(share: f64) -> usize {
    (share.clamp(0.0, 1.0) * 10.0).round() as usize
}

/// Whole percent, of which only all is 100 and only nothing 0; empty for NaN.
#[must_use]
pub fn whole_percent(share: f64) -> String {
    let whole = (share * 100.0).round();
    let whole = if share > 0.0 && share < 1.0 { whole.clamp(1.0, 99.0) } else { whole.clamp(0.0, 100.0) };
    if whole.is_nan() { String::new() } else { format!("{whole:.0}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_all_is_100_and_only_nothing_is_0() {
        assert_eq!([0.0, 0.001, 0.5, 0.999, 1.0].map(whole_percent), ["0", "1", "50", "99", "100"]);
        assert_eq!(whole_percent(f64::NAN), "");
    }
}
