//! Tournaments of which each pair is played at once.

use super::{Due, Field, Format, FormatKind, Over, Pair, Settled};

/// Plays a tournament to its end. `play` gives the result of each pair, in the order of the schedule. Returns the pairs, and why it
/// ended.
pub fn simulate(format: &Format, field: &Field, mut play: impl FnMut(Pair) -> Settled) -> (Vec<Settled>, Over) {
    let start = match format.kind {
        FormatKind::Stepwise { start, .. } => start,
        FormatKind::Fixed { pairings, pairing, .. } => {
            let numbers =
                (0..field.rounds).flat_map(|opening| (0..pairings(field)).map(move |number| (opening, number)));
            let pair = |(opening, number)| Pair { round: opening + 1, opening, bots: pairing(field, number) };
            return (numbers.map(|number| play(pair(number))).collect(), Over::Complete);
        }
    };
    let (mut state, mut added, mut played) = (start(field), Vec::new(), Vec::new());
    loop {
        for pair in &added[played.len()..state.waits_for()] {
            let settled = play(*pair);
            state.settle(&settled);
            played.push(settled);
        }
        match state.due() {
            Due::Over(over) => {
                let left: Vec<Pair> = added.split_off(played.len());
                played.extend(left.into_iter().map(play));
                return (played, over);
            }
            Due::Pairs(pairs) => {
                state.add(&pairs);
                added.extend(pairs);
            }
        }
    }
}
