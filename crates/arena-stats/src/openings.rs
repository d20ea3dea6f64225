//! Openings as the sampling unit.
//!
//! All pairings play the same openings, and bots react to them differently. So clusters of different pairings are not
//! independent, and the sandwich by clusters (`sandwich.rs`) is too small, however many rounds are played. With
//! `U_o = Σ u_c x_c` over the clusters of opening o in all pairings,
//!
//! ```text
//! V_o = H⁺ M_o H⁺,   M_o = R/(R-1) Σ_o U_o U_o'
//! ```
//!
//! is the sandwich whose clusters are openings (Liang and Zeger 1986; R/(R-1) as in Cochran, "Sampling techniques", 1977,
//! chapter 9A), with Student's deviate for R openings. It is noisy where there are few, so the larger of the two margins
//! counts.

use super::chances::Chances;
use super::counts::{Counts, OpeningGames};
use super::dense::DenseMatrix;
use super::likelihood::Model;
use super::normal::{Z95, t95};

/// Minimum number of openings whose spread allows conclusions about others.
pub const OPENINGS_MIN: usize = 4;

/// The openings of a set of games, known for all of them.
#[derive(Clone, Copy)]
pub(super) struct Openings<'a> {
    counts: &'a Counts,
    /// The effective number R, lower if some have more games than others: their weight in a variance that is the sum of
    /// squares of all games of an opening (Satterthwaite, "An approximate distribution of estimates of variance
    /// components", 1946).
    number: f64,
}

/// Student's distribution, where standard deviations are enlarged so that a normal deviate gives its 95 % margins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Student {
    /// Its degrees of freedom.
    pub(super) degrees: f64,
    /// By what the deviations are enlarged.
    pub(super) enlarged: f64,
}

impl<'a> Openings<'a> {
    /// `None` unless there are games and the opening of each is known.
    pub(super) fn of(counts: &'a Counts) -> Option<Self> {
        let mut openings = Self { counts, number: 0.0 };
        let [squares, fourths] = openings.first_seat().fold([0.0; 2], |[squares, fourths], [_, games]| {
            let square = games * games;
            [squares + square, fourths + square * square]
        });
        let number = squares * squares / fourths;
        openings.number = number;
        number.is_finite().then_some(openings)
    }

    pub(super) fn are_too_few(&self) -> bool {
        // The number has a rounding error.
        self.number < OPENINGS_MIN as f64 - 1e-6
    }

    /// Student's distribution of what errors by opening are errors of.
    pub(super) fn student(&self) -> Student {
        let [deviate, _] = self.deviate_and_correction();
        Student { degrees: self.number - 1.0, enlarged: deviate / Z95 }
    }

    /// The 95 % deviate, and R/(R-1) for the variance.
    fn deviate_and_correction(&self) -> [f64; 2] {
        let degrees = self.number - 1.0;
        [t95(degrees), self.number / degrees]
    }

    /// The games of each opening.
    fn each(&self) -> impl Iterator<Item = &'a [OpeningGames]> {
        let Counts { openings, opening_games, .. } = self.counts;
        openings.iter().scan(0, |start, end| {
            let games = &opening_games[*start as usize..*end as usize];
            *start = *end;
            Some(games)
        })
    }

    /// The points of the first seat in each opening, and its games.
    fn first_seat(&self) -> impl Iterator<Item = [f64; 2]> {
        self.each().map(|games| {
            games.iter().map(OpeningGames::points).fold([0.0; 2], |[points, games], by_seat| {
                // Where `a` was second, it lost what the first seat won.
                [points + by_seat.won[0] + by_seat.lost[1], games + by_seat.games().iter().sum::<f64>()]
            })
        })
    }

    /// All games.
    #[cfg(test)]
    pub(super) fn games(&self) -> f64 {
        self.first_seat().map(|[_, games]| games).sum()
    }

    /// The 95 % margin of the points of the first seat, with openings as randomly drawn clusters of unequal sizes
    /// (Cochran 1977, chapter 9A); 0 if they are too few.
    pub(super) fn first_seat_margin(&self) -> f64 {
        if self.are_too_few() {
            return 0.0;
        }
        let [points, games] =
            self.first_seat().fold([0.0; 2], |sum, opening| [sum[0] + opening[0], sum[1] + opening[1]]);
        let squares: f64 = self.first_seat().map(|[won, played]| (won - played * points / games).powi(2)).sum();
        let [deviate, correction] = self.deviate_and_correction();
        deviate * (squares * correction).sqrt()
    }

    /// `M_o`, as its lower triangle, enlarged so that normal deviates give Student's margins.
    pub(super) fn covariance(&self, model: &Model<'_>, chances: &Chances<'_>) -> DenseMatrix {
        let gamma = model.unknowns() - 1;
        self.squares(model.unknowns(), |games, add| {
            let (a, b) = self.counts.bots_of(games.row);
            let [first, second] = games.points().surplus(&chances.seats(a, b));
            let surplus = [(a, first + second), (b, -first - second), (gamma, first - second)];
            for (unknown, surplus) in surplus.into_iter().filter(|(unknown, _)| !model.held[*unknown]) {
                add(unknown, surplus);
            }
        })
    }

    /// R/(R-1) times the sum over openings of the squares of vectors, as its lower triangle, enlarged so that normal deviates
    /// give Student's margins. `of` adds to the vector of an opening what its games in a pairing contribute to unknowns.
    pub(super) fn squares(
        &self,
        unknowns: usize,
        of: impl Fn(&OpeningGames, &mut dyn FnMut(usize, f64)),
    ) -> DenseMatrix {
        let [deviate, correction] = self.deviate_and_correction();
        let scale = (deviate / Z95).powi(2) * correction;
        let mut sum = DenseMatrix::zero(unknowns);
        let mut vector = vec![0.0; unknowns];
        let mut involved = Vec::new();
        for opening in self.each() {
            for games in opening {
                of(games, &mut |unknown, value| {
                    vector[unknown] += value;
                    involved.push(unknown);
                });
            }
            involved.sort_unstable();
            involved.dedup();
            for (place, row) in involved.iter().enumerate() {
                for column in &involved[..=place] {
                    sum.add(*row, *column, scale * vector[*row] * vector[*column]);
                }
            }
            involved.drain(..).for_each(|unknown| vector[unknown] = 0.0);
        }
        sum
    }
}
