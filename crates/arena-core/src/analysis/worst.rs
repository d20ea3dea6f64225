//! The position of each phase that cost a bot most.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::verdict::GivenAway;
use crate::rules::Move;

/// A move that gave the result away, in one position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorstPosition {
    /// The id of the first game in which the bot made it, in the order of the schedule.
    pub game: String,
    /// Plies before it in that game.
    pub ply: usize,
    /// The move.
    pub played: Move,
    /// A move that keeps the value, if one is known.
    pub best: Option<Move>,
    /// What it cost.
    pub kind: GivenAway,
    /// Moves of the winner to the end after it, if it loses and the distance is known.
    pub loses_in: Option<u32>,
    /// How much of the game was used up before it, in per cent, if the rules use something up.
    pub used_up: Option<usize>,
    /// Its phase, as an index of [`PHASES`](super::PHASES); `None` if the rules use nothing up.
    pub phase: Option<usize>,
    /// Games in which the bot made this move in this position.
    pub times: u64,
}

impl WorstPosition {
    /// Half points that it cost in all games.
    const fn cost(&self) -> u64 {
        self.times
            * match self.kind {
                GivenAway::WinToLoss => 2,
                GivenAway::WinToDraw | GivenAway::DrawToLoss => 1,
            }
    }
}

/// All mistakes of a bot, by position and move.
#[derive(Debug, Default)]
pub(super) struct Mistakes(BTreeMap<u64, (usize, WorstPosition)>);

impl Mistakes {
    /// Adds one; `hash` is of its position and move.
    pub(super) fn add(&mut self, hash: u64, mistake: impl FnOnce() -> WorstPosition) {
        let number = self.0.len();
        self.0.entry(hash).or_insert_with(|| (number, mistake())).1.times += 1;
    }

    /// The worst of each phase: what cost most in all games; of the same cost what loses soonest, which is the easiest to see; then
    /// the first.
    pub(super) fn worst(&self) -> Vec<WorstPosition> {
        let mut all: Vec<&(usize, WorstPosition)> = self.0.values().collect();
        all.sort_by_key(|(number, at)| (at.phase, Reverse(at.cost()), at.loses_in.unwrap_or(u32::MAX), *number));
        all.dedup_by_key(|(_, at)| at.phase);
        all.into_iter().map(|(_, at)| at.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cost_most_comes_first_and_then_what_loses_soonest() {
        let mut mistakes = Mistakes::default();
        let mut add = |phase, number: usize, kind, loses_in| {
            let game = "0123456789abcdef".to_owned();
            let (played, best, used_up) = (Move::Int(1), None, None);
            let new = WorstPosition { game, ply: number, played, best, kind, loses_in, used_up, phase, times: 0 };
            mistakes.add(number as u64, || new);
        };
        add(Some(3), 1, GivenAway::WinToDraw, None);
        add(Some(3), 2, GivenAway::WinToLoss, Some(9));
        add(Some(3), 3, GivenAway::WinToLoss, Some(2));
        add(Some(1), 4, GivenAway::WinToLoss, Some(2));
        for _ in 0..3 {
            add(Some(1), 5, GivenAway::DrawToLoss, Some(20));
        }
        let worst: Vec<(Option<usize>, usize, u64)> =
            mistakes.worst().iter().map(|at| (at.phase, at.ply, at.times)).collect();
        assert_eq!(worst, [(Some(1), 5, 3), (Some(3), 3, 1)]);
    }
}
