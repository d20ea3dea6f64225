//! Values of positions, as seen by the side to move.

use std::cmp::Ordering;

use crate::rules::{Outcome, Seat};

/// The result with best play, and when: the winner wins as soon and the loser loses as late as possible. The greater, the better
/// for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Value {
    /// The side to move wins; the number is the plies until the game is over.
    Win(u32),
    /// Neither side can win.
    Draw,
    /// The side to move loses; the number is the plies until the game is over.
    Loss(u32),
}

/// The result with best play. The greater, the better for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outlook {
    /// It loses.
    Loss,
    /// Neither side can win.
    Draw,
    /// It wins.
    Win,
}

impl Value {
    /// The least value of a win: a position that has at least this is won.
    pub const LAST_WIN: Self = Self::Win(u32::MAX);

    /// What a move is worth to the side that made it, if it ended the game so.
    #[must_use]
    pub fn ended(outcome: Outcome, side: Seat) -> Self {
        match Outlook::of(outcome, side) {
            Outlook::Win => Self::Win(1),
            Outlook::Draw => Self::Draw,
            Outlook::Loss => Self::Loss(1),
        }
    }

    /// The result alone.
    #[must_use]
    pub const fn outlook(self) -> Outlook {
        match self {
            Self::Win(_) => Outlook::Win,
            Self::Draw => Outlook::Draw,
            Self::Loss(_) => Outlook::Loss,
        }
    }

    /// The value of a move that leads here, for the side that made it.
    #[must_use]
    pub const fn before(self) -> Self {
        match self {
            Self::Win(plies) => Self::Loss(plies + 1),
            Self::Draw => Self::Draw,
            Self::Loss(plies) => Self::Win(plies + 1),
        }
    }

    /// The value that a position must have for the move that leads there to have this one; the reverse of [`before`](Self::before).
    /// A loss or win is at least one ply away.
    #[must_use]
    pub const fn after(self) -> Self {
        match self {
            Self::Win(plies) => Self::Loss(plies.saturating_sub(1)),
            Self::Draw => Self::Draw,
            Self::Loss(plies) => Self::Win(plies.saturating_sub(1)),
        }
    }

    /// The next better value: what a position reaches if it is worth more than this.
    #[must_use]
    pub const fn above(self) -> Self {
        match self {
            Self::Win(plies) => Self::Win(plies.saturating_sub(1)),
            Self::Draw => Self::LAST_WIN,
            Self::Loss(plies) => Self::Loss(plies.saturating_add(1)),
        }
    }

    /// Plies until the game is over; none for a draw.
    #[must_use]
    pub const fn plies(self) -> Option<u32> {
        match self {
            Self::Win(plies) | Self::Loss(plies) => Some(plies),
            Self::Draw => None,
        }
    }

    /// Moves of the winner until the game is over, as people count; none for a draw.
    #[must_use]
    pub const fn moves(self) -> Option<u32> {
        match self {
            Self::Win(plies) => Some(plies.div_ceil(2)),
            Self::Loss(plies) => Some(plies / 2),
            Self::Draw => None,
        }
    }

    /// The score of the field for drop games on a board of `cells` cells, after `plies` discs: for the side that wins with disc d,
    /// ⌊(cells + 2 − d)/2⌋, for the other the negative, and 0 for a draw. On 6×7 that is 22 less the number of the winner's discs.
    ///
    /// Source: <http://blog.gamesolver.org/solving-connect-four/02-test-protocol/>.
    #[must_use]
    pub fn score(self, cells: u32, plies: u32) -> i32 {
        let score = |left: u32| ((cells + 2).saturating_sub(plies + left) / 2) as i32;
        match self {
            Self::Win(left) => score(left),
            Self::Draw => 0,
            Self::Loss(left) => -score(left),
        }
    }

    /// A number in the order of values.
    const fn rank(self) -> i64 {
        match self {
            Self::Win(plies) => u32::MAX as i64 - plies as i64 + 1,
            Self::Draw => 0,
            Self::Loss(plies) => plies as i64 - u32::MAX as i64 - 1,
        }
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Outlook {
    /// How a finished game ended for a seat.
    #[must_use]
    pub fn of(outcome: Outcome, seat: Seat) -> Self {
        match outcome.winner {
            None => Self::Draw,
            Some(winner) if winner == seat => Self::Win,
            Some(_) => Self::Loss,
        }
    }

    /// The result of a move that leads here, for the side that made it.
    #[must_use]
    pub const fn before(self) -> Self {
        match self {
            Self::Win => Self::Loss,
            Self::Draw => Self::Draw,
            Self::Loss => Self::Win,
        }
    }

    /// `win`, `draw` or `loss`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Win => "win",
            Self::Draw => "draw",
            Self::Loss => "loss",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_value_is_the_greatest() {
        let ascending = [
            Value::Loss(0),
            Value::Loss(2),
            Value::Loss(40),
            Value::Draw,
            Value::Win(39),
            Value::Win(3),
            Value::Win(1),
        ];
        assert!(ascending.is_sorted());
        assert!(ascending.map(Value::outlook).is_sorted());
        for value in ascending {
            assert_eq!(value.before().after(), value);
            assert_eq!(value.before().outlook(), value.outlook().before());
        }
        assert!(ascending.iter().all(|value| value.above() > *value));
        // What is best for one side is worst for the other.
        assert!(ascending.map(Value::before).iter().rev().is_sorted());
    }

    #[test]
    fn moves_are_those_of_the_winner() {
        let moves = [Value::Win(1), Value::Win(35), Value::Loss(2), Value::Loss(12), Value::Draw].map(Value::moves);
        assert_eq!(moves, [Some(1), Some(18), Some(1), Some(6), None]);
    }
}
