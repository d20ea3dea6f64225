//! Round-robin: every two bots meet once a round, in an order that keeps game counts even wherever a run is cut.

use super::flags::{MAX_ROUNDS, ROUNDS, UNTIL};
use super::{Field, Format, FormatKind, RoundPart};
use crate::text::counted;

/// The circle method: bots sit around a circle, opposite ones meet, and all but one move by a seat. After each turn every
/// bot has played equally many pairs; in odd fields one pauses.
pub(super) const ROUND_ROBIN: Format = Format {
    flags: &[&ROUNDS, &UNTIL, &MAX_ROUNDS],
    has_shares: true,
    ..Format::new("round-robin", FormatKind::Fixed { pairings, pairing: on_the_circle, turn }, rounds)
};

/// The number of rounds in words.
pub(super) fn rounds(field: &Field) -> String {
    // One that is played again is a list.
    if field.rounds == 0 { "a list of pairs".to_owned() } else { counted(field.rounds as usize, "round") }
}

fn pairings(field: &Field) -> usize {
    field.bots * field.bots.saturating_sub(1) / 2
}

fn on_the_circle(field: &Field, number: usize) -> [usize; 2] {
    let (turn, place) = (number / (field.bots / 2), number % (field.bots / 2));
    let [a, b] = if field.bots % 2 == 1 {
        // Bot `turn` pauses.
        let seats = field.bots;
        [(turn + place + 1) % seats, (turn + seats - place - 1) % seats]
    } else {
        // The last bot stays where it is and meets bot `turn`.
        let seats = field.bots - 1;
        if place == 0 { [turn, seats] } else { [(turn + place) % seats, (turn + seats - place) % seats] }
    };
    [a.min(b), a.max(b)]
}

fn turn(field: &Field) -> RoundPart {
    RoundPart { pairs: (field.bots / 2).max(1), is_level: field.bots.is_multiple_of(2) }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn field(bots: usize) -> Field {
        Field { bots, rounds: 1, ..Field::default() }
    }

    fn round(bots: usize) -> Vec<[usize; 2]> {
        (0..pairings(&field(bots))).map(|number| on_the_circle(&field(bots), number)).collect()
    }

    #[test]
    fn every_two_bots_meet_once() {
        for bots in 0..=41 {
            let pairs = round(bots);
            assert!(pairs.iter().all(|[a, b]| a < b && *b < bots), "{bots}");
            assert_eq!(pairs.iter().collect::<HashSet<_>>().len(), bots * bots.saturating_sub(1) / 2, "{bots}");
        }
    }

    #[test]
    fn the_field_is_level_at_any_cut() {
        for bots in 2..=41 {
            let mut played = vec![0_usize; bots];
            let rounds = 3;
            for _ in 0..rounds {
                for pair in round(bots) {
                    for bot in pair {
                        played[bot] += 1;
                    }
                    let (least, most) = (played.iter().min().unwrap(), played.iter().max().unwrap());
                    assert!(most - least <= 1 + bots % 2, "{bots}: {played:?}");
                }
            }
            assert!(played.iter().all(|pairs| *pairs == rounds * (bots - 1)), "{bots}");
        }
    }

    #[test]
    fn after_a_turn_the_field_is_as_level_as_it_says() {
        for bots in 2..=41 {
            let RoundPart { pairs, is_level } = turn(&field(bots));
            let mut played = vec![0_usize; bots];
            for pair in round(bots).chunks(pairs) {
                pair.iter().flatten().for_each(|bot| played[*bot] += 1);
                let spread = played.iter().max().unwrap() - played.iter().min().unwrap();
                assert!(spread <= usize::from(!is_level), "{bots}: {played:?}");
            }
            assert!(played.iter().all(|pairs| *pairs == bots - 1), "{bots}");
        }
    }
}
