//! Results of pairs, for tests of stepwise formats.

use super::{Pair, Settled, SettledGame};
use crate::record::GameResult;

/// A pair in which the first bot has this many half points, from 0 to 4.
pub(super) fn settled(pair: Pair, half_points: u8) -> Settled {
    use GameResult::{Draw, FirstWins, SecondWins};
    let results = match half_points {
        0 => [SecondWins, FirstWins],
        1 => [SecondWins, Draw],
        2 => [FirstWins, FirstWins],
        3 => [FirstWins, Draw],
        _ => [FirstWins, SecondWins],
    };
    let game = |result| SettledGame { result, withdrawn: [false; 2], is_evidence: true, moves: 0 };
    Settled { pair, games: results.map(game) }
}

/// The same pair with bots withdrawn in both games: one on its own loses them, both leave them void.
pub(super) fn withdraw(settled: Settled, [first, second]: [bool; 2]) -> Settled {
    let result = |wins: [GameResult; 2]| match (first, second) {
        (true, true) => GameResult::Void,
        (true, false) => wins[1],
        _ => wins[0],
    };
    let (one, other) = (GameResult::FirstWins, GameResult::SecondWins);
    let game = |result, withdrawn| SettledGame { result, withdrawn, is_evidence: false, moves: 0 };
    if !first && !second {
        return settled;
    }
    let games = [game(result([one, other]), [first, second]), game(result([other, one]), [second, first])];
    Settled { games, ..settled }
}
