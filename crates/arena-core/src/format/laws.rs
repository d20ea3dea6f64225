//! The laws of formats, tested on every format and on the one in [`super::toy`].

use proptest::prelude::*;

use super::{Due, FORMATS, Field, Format, FormatKind, Over, Pair, Settled, SettledGame};
use crate::record::GameResult;

/// Above the number of pairs of any test format.
const PAIRS_MAX: usize = 100_000;

/// A random result of this pair.
fn settled(seed: u64, number: usize, pair: Pair) -> Settled {
    const RESULTS: [GameResult; 3] = [GameResult::FirstWins, GameResult::Draw, GameResult::SecondWins];
    let game = |game: usize| {
        let moves = crate::rng::derive_seed(seed, "moves", &[&number.to_le_bytes(), &[game as u8]]);
        SettledGame { result: RESULTS[(moves % 3) as usize], withdrawn: [false; 2], is_evidence: true, moves }
    };
    Settled { pair, games: [game(0), game(1)] }
}

/// Plays a format to its end with results drawn from `seed`; `None` if it does not end.
fn play(format: &Format, field: &Field, seed: u64) -> Option<Vec<Pair>> {
    match format.kind {
        FormatKind::Fixed { pairings, pairing, .. } => {
            let round = |round| (0..pairings(field)).map(move |number| (round, pairing(field, number)));
            let pairs = (0..field.rounds).flat_map(round);
            Some(pairs.map(|(opening, bots)| Pair { round: opening + 1, opening, bots }).collect())
        }
        FormatKind::Stepwise { start, .. } => {
            let (mut one, mut other) = (start(field), start(field));
            let (mut pairs, mut done): (Vec<Pair>, usize) = (Vec::new(), 0);
            while pairs.len() < PAIRS_MAX {
                assert!((done..=pairs.len()).contains(&one.waits_for()), "{}: what it waits for comes", format.name);
                for state in [&mut one, &mut other] {
                    (done..state.waits_for()).for_each(|number| state.settle(&settled(seed, number, pairs[number])));
                }
                done = one.waits_for();
                let due = one.due();
                assert_eq!(due, one.due(), "{}: a decision is made twice alike", format.name);
                let Due::Pairs(more) = due else { return Some(pairs) };
                assert!(!more.is_empty(), "{}: it says when it is over", format.name);
                // The other one is told of decisions, as when a journal is read.
                one.add(&more);
                other.add(&more);
                assert_eq!(one.waits_for(), other.waits_for(), "{}", format.name);
                pairs.extend(more);
            }
            None
        }
    }
}

/// Plays a stepwise format to its end, while bots are withdrawn at decisions; returns the reason, and the withdrawn bots with the
/// number of pairs before each; `None` if it does not end. `leaves` has the decision at which each bot is withdrawn.
fn play_withdrawing(
    format: &Format,
    field: &Field,
    seed: u64,
    leaves: &[usize],
) -> Option<(Over, Vec<(usize, usize)>)> {
    let FormatKind::Stepwise { start, .. } = format.kind else { return None };
    let (mut state, mut pairs, mut known) = (start(field), Vec::<Pair>::new(), Vec::new());
    let mut withdrawn: Vec<(usize, usize)> = Vec::new();
    let mut done = 0;
    for decision in 0.. {
        for (number, pair) in pairs.iter().enumerate().take(state.waits_for()).skip(done) {
            let out = pair.bots.map(|bot| withdrawn.iter().any(|(_, known)| *known == bot));
            let [first, second] = settled(seed, number, *pair).games;
            let games = [(first, out), (second, [out[1], out[0]])].map(|(game, withdrawn)| {
                let result = match withdrawn {
                    [false, false] => game.result,
                    [true, true] => GameResult::Void,
                    [true, false] => GameResult::SecondWins,
                    [false, true] => GameResult::FirstWins,
                };
                SettledGame { result, withdrawn, is_evidence: withdrawn == [false; 2], ..game }
            });
            let found = Settled { pair: *pair, games };
            state.settle(&found);
            known.push((*pair, Some(found)));
        }
        done = state.waits_for();
        for bot in (0..field.bots).filter(|bot| leaves[*bot] == decision) {
            state.withdraw(bot);
            withdrawn.push((done, bot));
        }
        match state.due() {
            Due::Over(over) => {
                let field = Field { withdrawn: withdrawn.clone(), ..field.clone() };
                let sheet = format.sheet.map(|sheet| sheet(&field, &known));
                assert!(sheet.is_none_or(|sheet| sheet.ranks.is_empty() || sheet.ranks.len() == field.bots));
                return Some((over, withdrawn));
            }
            Due::Pairs(more) => {
                state.add(&more);
                pairs.extend(more);
            }
        }
        if pairs.len() > PAIRS_MAX {
            break;
        }
    }
    None
}

proptest! {
    #[test]
    fn every_format_ends_whatever_bots_are_withdrawn(
        bots in 0..=20_usize,
        rounds in 1..=3_u32,
        leaves in prop::collection::vec(0..12_usize, 20),
        seed: u64,
    ) {
        let options = serde_json::from_str(r#"{"pairs_per_bot":4}"#).unwrap();
        let field = Field { bots, rounds, openings: 3, seed: 1, options, ..Field::default() };
        for format in FORMATS.iter().filter(|format| format.is_stepwise()) {
            let ended = play_withdrawing(format, &field, seed, &leaves);
            prop_assert!(ended.is_some(), "{}: it never ends", format.name);
            let (over, withdrawn) = ended.unwrap();
            prop_assert!(over != Over::NoBots || withdrawn.len() + 2 > bots, "{}: {withdrawn:?} stop it", format.name);
        }
    }

    #[test]
    fn every_format_keeps_the_laws(bots in 0..=40_usize, rounds in 1..=3_u32, seed: u64) {
        let challengers = (0..bots.min(2)).collect();
        let options = serde_json::from_str(r#"{"pairs_per_bot":4}"#).unwrap();
        let field = Field { bots, rounds, openings: 3, seed: 1, challengers, options, ..Field::default() };
        for format in FORMATS {
            let pairs = play(format, &field, seed);
            prop_assert!(pairs.is_some(), "{}: it never ends", format.name);
            for Pair { round, bots: [a, b], .. } in pairs.unwrap() {
                prop_assert!(a != b && a < bots && b < bots && round > 0, "{}: {a} meets {b}", format.name);
            }
        }
    }
}
