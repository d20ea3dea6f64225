//! The errors of the fitted strengths: the cluster sandwich estimator.
//!
//! Games of one cluster are not independent: what an opening gives to one bot it takes away in the swapped game. So the
//! variance is estimated from the data, by cluster, and not from the distribution of a single game:
//!
//! ```text
//! V = H⁺ M H⁺,   M = Σ_c u_c² x x' + Σ_pairings [ w m² p(1-p) + v (1/2 - p)² ] x x',   u_c = Σ_{g in c} (s_g - p_g)
//! ```
//!
//! (White, "Maximum likelihood estimation of misspecified models", 1982; Liang and Zeger, "Longitudinal data analysis
//! using generalized linear models", 1986). The first sum is the pentanomial variance of chess testing, for any number
//! of bots. The term with w is our own: every bot has one extra cluster whose m games all have the same result. It
//! keeps intervals realistic if there are few games or all results are alike, and fades with their number. v are the
//! virtual draws of separated data. With a normal prior, H
//! and M have terms of it (`prior.rs`). Where pairings share openings there is a second estimate, see `openings.rs`.

use super::chances::{Chances, ClusterSums};
use super::counts::{Pairing, SeatPoints};
use super::dense::DenseMatrix;
use super::field::{Connectivity, Fitted};
use super::likelihood::Model;
use super::openings::Openings;

/// What a pairing adds to M: to the variance of the difference, to that of γ, and to their covariance.
struct Spread {
    a: usize,
    b: usize,
    own: f64,
    side: f64,
    between: f64,
}

/// The matrix M, as the terms of each pairing and the separate term of γ.
struct Covariance<'a> {
    model: &'a Model<'a>,
    clusters: &'a [u64],
    chances: Chances<'a>,
}

impl Covariance<'_> {
    fn spread(&self, index: usize, met: &Pairing<'_>) -> Spread {
        let ClusterSums { clusters, games, variance, mut squares, side, between, .. } = self.chances.surplus(met);
        // variance / games is p(1-p), and (games / clusters)² is m².
        let share = clusters / self.clusters[met.a].max(self.clusters[met.b]) as f64;
        squares += share * games * variance / (clusters * clusters);
        let draws = self.model.draws(index);
        if draws > 0.0 {
            let level = self.chances.level(met.a, met.b);
            squares += draws * ((level.win - level.loss) / 2.0).powi(2);
        }
        let correction = self.model.prior.correction;
        Spread { a: met.a, b: met.b, own: correction * squares, side: correction * side, between: correction * between }
    }

    fn spreads(&self) -> impl Iterator<Item = Spread> {
        self.model.counts.pairings().enumerate().map(|(index, met)| self.spread(index, &met))
    }

    /// The separate term of γ: the extra cluster, one game repeated as often as others, and the virtual draws that
    /// bound γ.
    fn side_alone(&self) -> f64 {
        let (mut expected, mut games) = (0.0, 0.0);
        let (mut times, mut clusters) = (0.0, 0.0);
        for met in self.model.counts.pairings() {
            for (SeatPoints { won, lost }, count) in met.cluster_points() {
                times += count * (won[0] + lost[0]).max(won[1] + lost[1]);
                clusters += count;
            }
            let SeatPoints { won, lost } = met.points();
            let (first, second) = (won[0] + lost[0], won[1] + lost[1]);
            let chances = self.chances.seats(met.a, met.b);
            expected += first * chances[0].win + second * chances[1].loss;
            games += first + second;
        }
        let mean = if games > 0.0 { expected / games } else { 0.5 };
        let times = if clusters > 0.0 { times / clusters } else { 1.0 };
        let held = self.chances.first_of_equals();
        times * times * mean * (1.0 - mean) + self.model.side_draws * ((held.win - held.loss) / 2.0).powi(2)
    }
}

/// The errors of all strengths and of γ, as vectors whose scalar products are the covariances. This way a variance is
/// never negative, and measuring against another zero means subtracting its vector.
#[derive(Debug, Clone)]
pub(super) struct Errors {
    rows: DenseMatrix,
}

impl Errors {
    /// The errors whose sampling unit is a cluster.
    pub(super) fn by_cluster(field: &Connectivity, fitted: &Fitted<'_>) -> Self {
        let Fitted { model, fit } = fitted;
        let unknowns = model.unknowns();
        let (gamma, held) = (unknowns - 1, &model.held);
        let covariance = Covariance { model, clusters: &field.clusters, chances: Chances::new(&fit.at) };
        let mut rows = DenseMatrix::zero(unknowns);
        let mut add = |row, column, value| rows.add_unless(held, row, column, value);
        for Spread { a, b, own, side, between } in covariance.spreads() {
            add(a, a, own);
            add(b, b, own);
            add(b, a, -own);
            add(gamma, a, between);
            add(gamma, b, -between);
            add(gamma, gamma, side);
        }
        add(gamma, gamma, if model.side { covariance.side_alone() } else { 0.0 });
        add_prior(&mut rows, model);
        Self::from_covariance(rows, fitted)
    }

    /// The errors whose sampling unit is an opening, so that a normal deviate gives their margins (see `openings.rs`).
    /// `None` if openings are not known for all games, or too few. Two bots have none either: there, a cluster is an
    /// opening.
    pub(super) fn by_opening(fitted: &Fitted<'_>, openings: Option<Openings<'_>>) -> Option<Self> {
        let Fitted { model, fit } = fitted;
        let several = model.counts.pairings().len() > 1;
        let openings = openings.filter(|openings| several && !openings.are_too_few())?;
        let mut m = openings.covariance(model, &Chances::new(&fit.at));
        add_prior(&mut m, model);
        Some(Self::from_covariance(m, fitted))
    }

    /// The errors that follow from the lower triangle of M, exactly, with about n³ multiplications and two n by n matrices.
    fn from_covariance(m: DenseMatrix, fitted: &Fitted<'_>) -> Self {
        let mut rows = m;
        // With H = LL' and M = CC', the vectors are the rows of A = H⁻¹ C. Matrices are stored by rows, and rows are
        // only multiplied with rows; hence A', and the rotation for the second (backward) substitution.
        let mut l = fitted.fit.curvature.clone();
        rows.cholesky();
        rows.transpose();
        rows.forward(&l, |row| row);
        l.transpose();
        l.rotate();
        rows.reverse_rows();
        rows.forward(&l, |_| 0);
        rows.transpose();
        Self { rows }
    }

    /// The vector of a bot, or of γ, whose index follows the bots.
    pub(super) fn of(&self, unknown: usize) -> &[f64] {
        self.rows.row(self.rows.size() - 1 - unknown)
    }

    /// Measures `members` relative to the mean of `zero`.
    pub(super) fn shift(&mut self, members: &[usize], zero: &[usize]) {
        let mut mean = vec![0.0; self.rows.size()];
        for bot in zero {
            mean.iter_mut().zip(self.of(*bot)).for_each(|(mean, error)| *mean += error);
        }
        for mean in &mut mean {
            *mean /= zero.len().max(1) as f64;
        }
        for bot in members {
            let row = self.rows.row_mut(self.rows.size() - 1 - bot);
            row.iter_mut().zip(&mean).for_each(|(error, mean)| *error -= mean);
        }
    }
}

/// Adds the variance of the strengths under a normal prior, from which the fit shrinks them.
fn add_prior(m: &mut DenseMatrix, model: &Model<'_>) {
    if model.prior.variance > 0.0 {
        (0..model.unknowns() - 1).for_each(|bot| m.add_unless(&model.held, bot, bot, model.prior.variance));
    }
}

/// The error of γ.
pub(super) struct SideError {
    pub(super) variance: f64,
    /// The change of γ if one point goes to the first seat instead of the second.
    pub(super) per_point: f64,
}

/// Computes the error of γ alone, without the n³ of [`Errors`].
pub(super) fn side_error(field: &Connectivity, fitted: &Fitted<'_>) -> SideError {
    let Fitted { model, fit } = fitted;
    let gamma = model.unknowns() - 1;
    let mut x = vec![0.0; model.unknowns()];
    x[gamma] = if model.held[gamma] { 0.0 } else { 1.0 };
    fit.curvature.solve(&mut x);
    let covariance = Covariance { model, clusters: &field.clusters, chances: Chances::new(&fit.at) };
    let variance = |Spread { a, b, own, side, between }: Spread| {
        let along = x[a] - x[b];
        own * along * along + 2.0 * between * along * x[gamma] + side * x[gamma] * x[gamma]
    };
    let sum: f64 = covariance.spreads().map(variance).sum();
    SideError { variance: (sum + covariance.side_alone() * x[gamma] * x[gamma]).max(0.0), per_point: x[gamma] }
}
