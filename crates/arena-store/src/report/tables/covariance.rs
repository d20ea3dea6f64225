//! `covariance.csv` and `los.csv`: the errors of all differences between ratings.

use std::io::Write;

use arena_show::views::Ranking;

use super::standings::square_csv;
use crate::report::cells;
use crate::report::cells::CsvColumn;

/// Two bots, by index.
struct PairRow<'a> {
    ranking: &'a Ranking,
    bots: [usize; 2],
    covariance: [Option<f64>; 2],
}

impl PairRow<'_> {
    fn digits(&self, unit: usize) -> String {
        self.covariance[unit].map(|value| format!("{value:.6e}")).unwrap_or_default()
    }
}

/// Writes the covariance of every two ratings of a group, in Elo² with six digits, in the order of the standings. The row
/// of a bot with itself has the variance. See [`arena_core::stats::Ratings::covariance`] for `by_cluster` and `by_opening`.
/// The latter is empty if openings are unknown or too few.
///
/// # Errors
///
/// Returns an error if `out` fails.
pub fn covariance_csv(ranking: &Ranking, out: &mut dyn Write) -> anyhow::Result<()> {
    let columns: [CsvColumn<PairRow<'_>>; 4] = [
        ("a", |row| row.ranking.cell(row.bots[0])),
        ("b", |row| row.ranking.cell(row.bots[1])),
        ("by_cluster", |row| row.digits(0)),
        ("by_opening", |row| row.digits(1)),
    ];
    let order = ranking.first(usize::MAX);
    let pairs = order.iter().enumerate().flat_map(|(place, a)| order[place..].iter().map(|b| [*a, *b]));
    let rows = pairs.filter_map(|bots| {
        let covariance = ranking.analysis.ratings.covariance(bots[0], bots[1])?;
        Some(Ok(PairRow { ranking, bots, covariance }))
    });
    cells::write_table(out, &columns, rows)
}

/// Writes the probability that the row's bot is stronger than the column's, in the order of the standings; empty on the
/// diagonal and where bots are not comparable.
///
/// # Errors
///
/// Returns an error if `out` fails.
pub fn los_csv(ranking: &Ranking, out: &mut dyn Write) -> anyhow::Result<()> {
    let order = ranking.first(usize::MAX);
    let los = |a: usize, b: usize| cells::probability(ranking.analysis.ratings.los(a, b).filter(|_| a != b));
    square_csv(ranking, out, order.iter().map(|a| (*a, order.iter().map(|b| los(*a, *b)).collect())))
}
