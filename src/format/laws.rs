//! The laws of formats, tested on every format and on a stepwise one made for this test.

use proptest::prelude::*;

use super::{Due, FORMATS, Field, Format, Pair, Plan, Settled};

/// The winner of the last pair plays the next bot, for as many pairs as there are rounds times bots.
pub(crate) const KING_OF_THE_HILL: Format = Format {
    name: "king-of-the-hill",
    summary: "the winner stays",
    plan: Plan::Stepwise(|field, settled| {
        let most = if field.bots < 2 { 0 } else { field.rounds as usize * field.bots };
        let mut king = 0;
        let pairs: Vec<Pair> = (0..(settled.len() + 1).min(most))
            .map(|number| {
                if let Some(last) = number.checked_sub(1).map(|last| settled[last]) {
                    king = last.pair.bots[usize::from(last.half_points[1] > last.half_points[0])];
                }
                let rival = (king + 1 + number % (field.bots - 1)) % field.bots;
                Pair { round: number as u32 + 1, opening: number as u32, bots: [king, rival] }
            })
            .collect();
        let again_after = (pairs.len() < most).then_some(pairs.len());
        Due { pairs, again_after }
    }),
};

/// Above the number of pairs of any test format.
const PAIRS_MAX: usize = 100_000;

/// Plays a format to its end with results drawn from `seed`; `None` if it does not end.
fn play(format: &Format, field: &Field, seed: u64) -> Option<Vec<Settled>> {
    let settle = |(number, pair): (usize, Pair)| {
        let points = (crate::rng::derive_seed(seed, "points", &[&number.to_le_bytes()]) % 5) as u8;
        Settled { pair, half_points: [points, 4 - points], withdrawn: [false; 2] }
    };
    match format.plan {
        Plan::Fixed { pairings, pairing } => {
            let round = |round| (0..pairings(field)).map(move |number| (round, pairing(field, number)));
            let pairs = (0..field.rounds).flat_map(round);
            let pairs = pairs.map(|(opening, bots)| Pair { round: opening + 1, opening, bots });
            Some(pairs.enumerate().map(settle).collect())
        }
        Plan::Stepwise(due) => {
            let mut settled: Vec<Settled> = Vec::new();
            while settled.len() < PAIRS_MAX {
                let now = due(field, &settled);
                let known: Vec<Pair> = settled.iter().map(|settled| settled.pair).collect();
                assert!(now.pairs.starts_with(&known), "monotone: a place never changes");
                assert_eq!(now, due(field, &settled), "a function of its arguments");
                if now.pairs.len() == settled.len() {
                    assert_eq!(now.again_after, None, "progress: nothing is due, so it is over");
                    return Some(settled);
                }
                assert!(now.again_after.is_none_or(|count| count > settled.len()), "it waits for something new");
                let count = now.again_after.unwrap_or(now.pairs.len()).min(now.pairs.len());
                for number in settled.len()..count {
                    settled.push(settle((number, now.pairs[number])));
                }
            }
            None
        }
    }
}

proptest! {
    #[test]
    fn every_format_keeps_the_laws(bots in 0..=40_usize, rounds in 1..=3_u32, seed: u64) {
        let field = Field { bots, rounds, seed: 1 };
        for format in FORMATS.iter().chain([&KING_OF_THE_HILL]) {
            let settled = play(format, &field, seed);
            prop_assert!(settled.is_some(), "{}: it never ends", format.name);
            for Settled { pair: Pair { round, bots: [a, b], .. }, .. } in settled.unwrap() {
                prop_assert!(a != b && a < bots && b < bots && round > 0, "{}: {a} meets {b}", format.name);
            }
        }
    }
}
