//! Gauntlet: challengers against all others.

use super::round_robin::rounds;
use super::{Field, Format, Plan, Turn};

/// The challengers meet every other bot once a round, and not each other: opponent by opponent, so that wherever a run is
/// cut, each challenger has met the same opponents, give or take one.
pub(super) const GAUNTLET: Format = Format {
    name: "gauntlet",
    summary: "every --challenger meets all other bots in every round",
    plan: Plan::Fixed { pairings, pairing, turn },
    size: |field| format!("{} for {}", rounds(field), field.options.challengers.join(", ")),
    sheet: None,
};

fn pairings(field: &Field) -> usize {
    let challengers = field.challengers.len();
    challengers * field.bots.saturating_sub(challengers)
}

fn pairing(field: &Field, number: usize) -> [usize; 2] {
    let challengers = &field.challengers;
    // The opponent with this number, counted without the challengers.
    let opponent =
        challengers.iter().fold(number / challengers.len(), |bot, challenger| bot + usize::from(*challenger <= bot));
    [challengers[number % challengers.len()], opponent]
}

/// All challengers have met the same opponents.
fn turn(field: &Field) -> Turn {
    Turn { pairs: field.challengers.len().max(1), is_level: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(bots: usize, challengers: &[usize]) -> Vec<[usize; 2]> {
        let field = Field { bots, challengers: challengers.to_vec(), ..Field::default() };
        (0..pairings(&field)).map(|number| pairing(&field, number)).collect()
    }

    #[test]
    fn challengers_meet_all_others_and_not_each_other() {
        assert_eq!(round(4, &[2]), [[2, 0], [2, 1], [2, 3]]);
        assert_eq!(round(4, &[1, 3]), [[1, 0], [3, 0], [1, 2], [3, 2]]);
        assert_eq!(round(5, &[0, 1, 2]), [[0, 3], [1, 3], [2, 3], [0, 4], [1, 4], [2, 4]]);
        assert_eq!(round(2, &[0, 1]), [[0; 2]; 0]);
        assert_eq!(round(0, &[]), [[0; 2]; 0]);
    }
}
