//! Whether an entry can be what its solver has found: it may come from someone else, with a folder of results.
//!
//! Solving each game again would cost what the file is there to save. So values are compared with what must hold of them: no move is
//! worth more than the position it is made in, the last one is worth what the rules say, and a position has one value wherever it
//! occurs. They are also compared with what a short search proves, of the last positions and, where there is a book, of the first.
//! What passes need not be true, but cannot clear a bot of a game that it has lost from a position that is known.

use std::collections::HashMap;

use super::entry::{Entry, is_guessed};
use super::guesses::GuessWalker;
use super::line::Line;
use super::marks::short;
use super::memory::Memory;
use super::verdict::is_gain;
use super::walk::{Asked, GameValues, Walker};
use crate::rules::{State, Variant};
use crate::solver::{Known, Outlook, Value};

/// Positions that the short search of one position may take.
const NODES: u64 = 1_000;
/// An entry whose limit was at least this has all that a short search finds.
const LIMIT_LEAST: u64 = 100 * NODES;
/// Positions after each opening of which values are compared between games, and how many of them are kept.
const SHARED_PLIES: usize = 8;
const SHARED_MAX: usize = 1 << 20;
/// What is wrong with an entry that lacks something and says that nothing was in its way.
const UNSOLVED: &str = "something in it is unsolved, and no limit was reached";

/// Why an entry that claims to be of this game cannot be what its solver found; `None` if nothing contradicts it.
#[must_use]
pub fn contradiction(entry: &Entry, line: &Line, variant: &Variant) -> Option<String> {
    let memory = Memory::of(0);
    let asked = Asked { only_result: entry.is_only_result(), nodes: NODES };
    if is_guessed(variant) {
        return wrong_guesses(entry, line, &mut GuessWalker::new(variant, asked, &memory)?);
    }
    let found = entry.values();
    let counts = [found.values.len(), found.could.len()];
    let expected = [line.positions.len(), line.movers.len()];
    if counts != expected {
        let [[values, could], [positions, moves]] = [counts, expected];
        return Some(format!("it has {values} values and {could} flags for {positions} positions and {moves} moves"));
    }
    let last = line.last_worth().map(Known::Exact);
    wrong_kind(entry, &found)
        .or_else(|| (entry.limit().is_none() && !found.is_complete(last)).then(|| UNSOLVED.to_owned()))
        .or_else(|| wrong_distance(&found, line, variant))
        .or_else(|| (0..line.movers.len()).find_map(|place| wrong_move(&found, line, place, last)))
        .or_else(|| wrong_value(entry, &found, line, Walker::new(variant, asked, &memory).ok()?))
}

fn ply(line: &Line, place: usize) -> usize {
    line.from + place + 1
}

/// Whether values can be those of one position.
fn agree(a: Known, b: Known) -> bool {
    a.outlook() == b.outlook() && a.value().zip(b.value()).is_none_or(|(a, b)| a == b)
}

/// Values of both kinds, or of a kind that was not asked for.
fn wrong_kind(entry: &Entry, found: &GameValues) -> Option<String> {
    let with_distance = found.values.iter().flatten().filter(|known| known.value().is_some()).count();
    let is_mixed = with_distance > 0 && found.values.iter().flatten().count() > with_distance;
    (is_mixed || entry.is_only_result() && with_distance > 0)
        .then(|| "it has values with distances, and values without".to_owned())
}

/// A distance that does not fit on the board.
fn wrong_distance(found: &GameValues, line: &Line, variant: &Variant) -> Option<String> {
    let sides = variant.params.iter().filter(|(name, _)| matches!(*name, "rows" | "cols"));
    let cells: usize = sides.map(|(name, _)| variant.params.size(name)).product();
    let plies = |known: &Option<Known>| known.and_then(Known::value).and_then(Value::plies).unwrap_or(0) as usize;
    let is_beyond = |place: &usize| plies(&found.values[*place]) > cells.saturating_sub(line.from + place);
    let place = (0..found.values.len()).find(is_beyond)?;
    Some(format!("ply {}: the game cannot last so long", ply(line, place)))
}

/// What cannot be said of a move, whatever the position is.
fn wrong_move(found: &GameValues, line: &Line, place: usize, last: Option<Known>) -> Option<String> {
    let ply = ply(line, place);
    let (before, after) = (found.values[place], found.after(place, last));
    if let Some((before, after)) = before.zip(after).filter(|(before, after)| is_gain(*before, *after)) {
        let [before, after] = [before, after].map(short);
        return Some(format!("ply {ply}: a move worth {after} in a position worth {before}"));
    }
    let value = before.and_then(Known::value);
    if value.is_some_and(|value| matches!(value, Value::Win(plies) if plies % 2 == 0))
        || value.is_some_and(|value| matches!(value, Value::Loss(plies) if plies % 2 == 1))
    {
        return Some(format!("ply {ply}: the wrong side makes the last move of its value"));
    }
    let (gave_away, could) = (found.gave_away(place, last), found.could[place]);
    let is_lost = before.is_some_and(|known| known.outlook() == Outlook::Loss);
    if gave_away && could == Some(false) || is_lost && could == Some(true) {
        return Some(format!("ply {ply}: whether the result could be given away does not follow from its values"));
    }
    let best = found.best[place].as_ref()?;
    let is_better = gave_away && *best != line.moves[place] && line.positions[place].is_legal(best);
    (!is_better).then(|| format!("ply {ply}: `{best}` is no better move"))
}

/// What a short search refutes.
fn wrong_value(entry: &Entry, found: &GameValues, line: &Line, mut walker: Walker<'_>) -> Option<String> {
    let proved = walker.walk(line, &|| false)?;
    let differs = |place: usize, claimed: Option<Known>, proved: Known| match claimed {
        Some(claimed) if !agree(claimed, proved) => {
            let (ply, claimed, proved) = (ply(line, place), short(claimed), short(proved));
            Some(format!("ply {ply}: the position is worth {proved}, not {claimed}"))
        }
        None if entry.limit().is_some_and(|limit| limit >= LIMIT_LEAST) => {
            Some(format!("ply {}: the position is called unsolved, and is worth {}", ply(line, place), short(proved)))
        }
        _ => None,
    };
    for place in (0..line.positions.len()).rev() {
        let Some(known) = proved.values[place] else { continue };
        if let Some(why) = differs(place, found.values[place], known) {
            return Some(why);
        }
        let flags = proved.could.get(place).copied().flatten().zip(found.could.get(place).copied().flatten());
        if flags.is_some_and(|(proved, claimed)| proved != claimed) {
            return Some(format!("ply {}: whether the result could be given away is not so", ply(line, place)));
        }
    }
    let known = line.positions.iter().map_while(|state| walker.value_of(state.as_ref()));
    known.enumerate().find_map(|(place, known)| differs(place, found.values[place], known))
}

/// What cannot be said of guesses, and what a short search refutes.
fn wrong_guesses(entry: &Entry, line: &Line, walker: &mut GuessWalker<'_>) -> Option<String> {
    let claimed = entry.guesses();
    if claimed.len() != line.moves.len() {
        return Some(format!("it has {} guesses for {} moves", claimed.len(), line.moves.len()));
    }
    if entry.limit().is_none() && claimed.contains(&None) {
        return Some(UNSOLVED.to_owned());
    }
    let is_short = |cost: &super::GuessCost| cost.codes == 0 || cost.reference.min(cost.played) < cost.codes;
    if let Some(place) = claimed.iter().position(|cost| cost.as_ref().is_some_and(is_short)) {
        return Some(format!("ply {}: fewer guesses than codes", ply(line, place)));
    }
    let proved = walker.walk(line, &|| false)?;
    let differs =
        |place: &usize| proved[*place].zip(claimed[*place]).is_some_and(|(proved, claimed)| proved != claimed);
    let place = (0..proved.len()).find(differs)?;
    Some(format!("ply {}: the guess costs something else", ply(line, place)))
}

/// The values of positions that several games have after their openings.
#[derive(Debug, Default)]
pub struct SharedPositions(HashMap<u128, (Known, usize)>);

impl SharedPositions {
    /// Adds the first positions of a game, which is called by a `number`. Returns the number of a game in which one of them has another
    /// value.
    pub fn add(&mut self, variant: &Variant, line: &Line, entry: &Entry, number: usize) -> Option<usize> {
        let found = entry.values();
        let mut conflict = None;
        for (state, known) in line.positions.iter().zip(&found.values).take(SHARED_PLIES) {
            let Some(known) = *known else { continue };
            let key = key_of(variant, state.as_ref());
            match self.0.get(&key) {
                Some((other, number)) if !agree(*other, known) => conflict = conflict.or(Some(*number)),
                None if self.0.len() < SHARED_MAX => drop(self.0.insert(key, (known, number))),
                _ => {}
            }
        }
        conflict
    }
}

fn key_of(variant: &Variant, state: &dyn State) -> u128 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(variant.to_string().as_bytes()).update(&state.key());
    hasher.finalize().as_bytes().first_chunk().map_or(0, |first| u128::from_le_bytes(*first))
}
