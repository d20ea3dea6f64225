//! Whether a ladder knows enough, by the ratings that are shown.

use super::evidence::LadderEvidence;
use crate::format::Until;
use crate::stats::{Neighbours, RatingOptions, Ratings, Z95, rate};

/// The normal deviate for the boundary of the top: it is looked at after every batch, so it is stricter than 95 %.
const Z_TOP: f64 = 2.576;

/// How far a goal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GoalDistance {
    Open,
    Reached,
    /// What is open is between bots that would repeat earlier games.
    Exhausted,
}

/// How the ratings of a ladder are fitted. It prefers bots that look alike, which stretches a fit without a prior.
pub(super) const RATING: RatingOptions =
    RatingOptions { fit_side: false, anchor: None, prior_draws: 0.0, fitted_prior: true };

/// Judges `goal` for the bots that are left.
pub(super) fn verdict(goal: Until, evidence: &LadderEvidence, active: &[usize]) -> GoalDistance {
    let ratings = rate(&evidence.counts(), &RATING);
    let mut order: Vec<(f64, usize)> = Vec::with_capacity(active.len());
    for bot in active {
        // A bot that is not comparable with all others is not known well enough for any goal.
        match ratings.of(*bot).filter(|rating| {
            order.first().is_none_or(|first| ratings.of(first.1).is_some_and(|other| other.group == rating.group))
        }) {
            Some(rating) => order.push((rating.elo.elo, *bot)),
            None => return GoalDistance::Open,
        }
    }
    order.sort_by(|x, y| y.0.total_cmp(&x.0));
    let order: Vec<usize> = order.into_iter().map(|(_, bot)| bot).collect();
    let open: Vec<[usize; 2]> = match goal {
        Until::Separated => {
            let open = ratings.neighbours(&order).filter(|neighbours| !neighbours.are_separated());
            open.map(|neighbours| [neighbours.upper, neighbours.lower]).collect()
        }
        Until::Margin(margin) => {
            let half_width = |bot: usize| ratings.of(bot).map_or(f64::INFINITY, |rating| rating.elo.half_width());
            return if order.iter().all(|bot| half_width(*bot) <= margin) {
                GoalDistance::Reached
            } else {
                GoalDistance::Open
            };
        }
        Until::Top { bots, apart } => open_boundary(&ratings, &order, bots as usize, apart),
    };
    let is_exhausted = |bots: &[usize; 2]| evidence.is_exhausted(*bots, 0) && evidence.of(*bots).pending == 0;
    if open.is_empty() {
        GoalDistance::Reached
    } else if open.iter().all(is_exhausted) {
        GoalDistance::Exhausted
    } else {
        GoalDistance::Open
    }
}

impl Until {
    /// How far it is, in words, for the bots that are left in the order of their ratings.
    #[must_use]
    pub fn distance(self, ratings: &Ratings, order: &[usize]) -> String {
        match self {
            Self::Separated => {
                let separated = ratings.neighbours(order).filter(Neighbours::are_separated).count();
                let all = order.len().saturating_sub(1);
                format!("{separated} of {all} pairs of neighbours separated, goal all")
            }
            Self::Margin(goal) => {
                let margins = order.iter().filter_map(|bot| Some(ratings.of(*bot)?.elo.half_width()));
                let largest = margins.filter(|margin| margin.is_finite()).max_by(f64::total_cmp);
                let largest = largest.map_or_else(|| "unknown".to_owned(), |margin| format!("±{margin:.1}"));
                format!("largest margin {largest}, goal ±{goal}")
            }
            Self::Top { bots, apart } => {
                let open = open_boundary(ratings, order, bots as usize, apart).len();
                let all = bots as usize * order.len().saturating_sub(bots as usize);
                format!("best {bots}: {} of {all} pairings with the others decided, goal all", all.saturating_sub(open))
            }
        }
    }
}

/// Bots of the top with those below it that may be better by more than `apart`.
fn open_boundary(ratings: &Ratings, order: &[usize], top: usize, apart: f64) -> Vec<[usize; 2]> {
    let (above, below) = order.split_at(top.min(order.len()));
    let rating = |bot: usize| ratings.of(bot).map(|rating| rating.elo);
    let is_open = |[a, b]: &[usize; 2]| {
        let Some((x, y)) = rating(*a).zip(rating(*b)) else { return true };
        let limit = (x.elo - y.elo + apart) / Z_TOP * Z95;
        // The error of a difference is at most the sum of both, which saves most of the work.
        x.half_width() + y.half_width() > limit
            && ratings.difference(*a, *b).is_none_or(|difference| difference.half_width() > limit)
    };
    let all = above.iter().flat_map(|a| below.iter().map(|b| [*a, *b]));
    all.filter(is_open).collect()
}
