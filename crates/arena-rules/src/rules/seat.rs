//! The two seats.

use std::fmt;

/// One of the two seats at the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Seat {
    /// Moves first, in games where that is fixed; 0 in the protocol.
    First,
    /// Moves second; 1 in the protocol.
    Second,
}

impl Seat {
    /// Both seats, in order of play.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// 0 or 1: the number in the protocol, and the index into per-seat arrays.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The opposite seat.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// The seat to move after `plies` alternating moves.
    pub(super) const fn after(plies: usize) -> Self {
        if plies.is_multiple_of(2) { Self::First } else { Self::Second }
    }

    /// `first` or `second`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Second => "second",
        }
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
