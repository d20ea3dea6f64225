//! What results say about the noise of other games between such bots.

use super::chances::Chances;
use super::counts::Counts;
use super::elo::ELO_PER_NAT;
use super::ratings::Ratings;

/// What games say about their bots and their noise.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    /// The ratings with mean 0, best first, with the spread that is left without their errors.
    pub elo: Vec<f64>,
    /// Share of draws between equal bots: a game that is won with probability p is drawn with 4 p (1-p) times this.
    pub draws: f64,
    /// The variance of the points of a pair, relative to that of two independent games without draws.
    pub dispersion: f64,
    /// The variance of what an opening adds to the rating of a bot by that opening alone, in nats².
    pub reaction: f64,
}

impl Observed {
    /// What these games say; `None` if no two bots are connected by them.
    #[must_use]
    pub fn of(counts: &Counts, ratings: &Ratings) -> Option<Self> {
        let bots: Vec<usize> = (0..counts.bots()).filter(|bot| ratings.comparable(*bot, *bot)).collect();
        let (mut pairs, mut seen, mut error, mut by_opening) = (0.0, 0.0, 0.0, 0.0);
        let enlarged = ratings.student.map_or(1.0, |student| student.enlarged);
        for (place, a) in bots.iter().enumerate() {
            for b in &bots[..place] {
                let Some((own, openings)) = ratings.sds_of_difference(*a, *b) else { continue };
                pairs += 1.0;
                seen += (ratings.at[*a] - ratings.at[*b]).powi(2) / 2.0;
                error += own * own / 2.0;
                by_opening += openings.map_or(0.0, |sd| ((sd / enlarged).powi(2) - own * own) / 2.0);
            }
        }
        if pairs == 0.0 {
            return None;
        }
        // Without its errors, the spread is smaller by this.
        let shrunk = if seen > 0.0 { (1.0 - error / seen).max(0.0).sqrt() } else { 0.0 };
        let mean = bots.iter().map(|bot| ratings.at[*bot]).sum::<f64>() / bots.len() as f64;
        let mut elo: Vec<f64> = bots.iter().map(|bot| (ratings.at[*bot] - mean) * shrunk * ELO_PER_NAT).collect();
        elo.sort_by(|x, y| y.total_cmp(x));
        let chances = Chances::new(&ratings.at);
        let (mut squares, mut variance, mut clusters) = (0.0, 0.0, 0.0);
        for met in counts.pairings() {
            let sums = chances.surplus(&met);
            squares += sums.squares;
            variance += sums.variance;
            clusters += sums.clusters;
        }
        // The ratings are fitted to the same games.
        let free = (clusters - bots.len() as f64 + 1.0).max(1.0) / clusters;
        let drawn = counts.first_seat().draws as f64;
        let openings = ratings.student.map_or(0.0, |student| student.degrees + 1.0);
        Some(Self {
            elo,
            draws: (drawn / (4.0 * variance)).clamp(0.0, 0.95),
            dispersion: squares / (variance * free),
            reaction: (by_opening / pairs * openings).max(0.0),
        })
    }
}
