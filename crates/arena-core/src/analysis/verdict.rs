//! What a move cost.

use crate::solver::{Known, Outlook};

/// A move against best play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It keeps the value.
    Best,
    /// It keeps the result and loses distance: this number of moves.
    Slower(u32),
    /// It makes the result worse.
    GaveAway(GivenAway),
}

/// Results before and after a move that gives one away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GivenAway {
    /// A win became a draw.
    WinToDraw,
    /// A win became a loss.
    WinToLoss,
    /// A draw became a loss.
    DrawToLoss,
}

impl GivenAway {
    /// All kinds, in the order of columns.
    pub const ALL: [Self; 3] = [Self::WinToDraw, Self::WinToLoss, Self::DrawToLoss];

    /// As in the columns of `analysis.csv`: `win_to_draw`, `win_to_loss` or `draw_to_loss`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::WinToDraw => "win_to_draw",
            Self::WinToLoss => "win_to_loss",
            Self::DrawToLoss => "draw_to_loss",
        }
    }

    /// The two results, for people.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::WinToDraw => "win → draw",
            Self::WinToLoss => "win → loss",
            Self::DrawToLoss => "draw → loss",
        }
    }
}

impl Verdict {
    /// `best`, `slower` or `gave_away`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Slower(_) => "slower",
            Self::GaveAway(_) => "gave_away",
        }
    }
}

/// The verdict on a move in a position that is worth `before` to its mover, and after it `after`, also to the mover. Without
/// distances it is best if it keeps the result.
#[must_use]
pub fn verdict(before: Known, after: Known) -> Verdict {
    match (before.outlook(), after.outlook()) {
        (Outlook::Win, Outlook::Draw) => return Verdict::GaveAway(GivenAway::WinToDraw),
        (Outlook::Win, Outlook::Loss) => return Verdict::GaveAway(GivenAway::WinToLoss),
        (Outlook::Draw, Outlook::Loss) => return Verdict::GaveAway(GivenAway::DrawToLoss),
        _ => {}
    }
    let distances = before.value().zip(after.value()).filter(|(before, after)| before > after);
    let moves = distances.and_then(|(before, after)| Some(before.moves()?.abs_diff(after.moves()?)));
    moves.map_or(Verdict::Best, Verdict::Slower)
}

/// Whether a move would be worth more than the position it is made in, which no move is.
pub(super) fn is_gain(before: Known, after: Known) -> bool {
    let values = before.value().zip(after.value());
    after.outlook() > before.outlook() || values.is_some_and(|(before, after)| after > before)
}

/// What a guess costs: sums over the codes that agree with all answers that its mover had seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GuessCost {
    /// Number of these codes, at least 1.
    pub codes: u32,
    /// Guesses that the reference takes for all of them, from here on.
    pub reference: u32,
    /// Guesses with the one that was made, if the reference makes all later ones.
    pub played: u32,
}

impl GuessCost {
    /// Guesses lost on average; negative if the guess is better than that of the reference.
    #[must_use]
    pub fn regret(self) -> f64 {
        (f64::from(self.played) - f64::from(self.reference)) / f64::from(self.codes.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::Value::{Draw, Loss, Win};

    #[test]
    fn results_come_before_distances() {
        let of = |before, after| verdict(Known::Exact(before), Known::Exact(after));
        assert_eq!(of(Win(5), Draw), Verdict::GaveAway(GivenAway::WinToDraw));
        assert_eq!(of(Win(1), Loss(40)), Verdict::GaveAway(GivenAway::WinToLoss));
        assert_eq!(of(Draw, Loss(2)), Verdict::GaveAway(GivenAway::DrawToLoss));
        assert_eq!(of(Win(1), Win(7)), Verdict::Slower(3));
        assert_eq!(of(Loss(8), Loss(2)), Verdict::Slower(3));
        for same in [Win(3), Draw, Loss(4)] {
            assert_eq!(of(same, same), Verdict::Best);
        }
        let results = [Outlook::Loss, Outlook::Draw, Outlook::Win].map(Known::Result);
        for result in results {
            assert_eq!(verdict(result, result), Verdict::Best);
        }
        assert_eq!(verdict(results[2], results[0]), Verdict::GaveAway(GivenAway::WinToLoss));
    }
}
