//! Solves the positions of a game, from the last one back.
//!
//! A move leads from each position to the next. So the value of the next one is known when a position is solved, and is its
//! first bound: mostly it is the value, and one test proves it.
//!
//! The solver forgets before each position, and not only before each game. Otherwise the games solved before would decide what
//! is found within the limit, since later ones take from memory what these have found. For 1,008 games of connect four with
//! openings of 10 plies that takes 44 s of processor time instead of 36 s.

use super::line::Line;
use super::memory::{Found, Memory, Question};
use crate::rules::{State, Variant};
use crate::solver::{Answer, Known, Limits, NoSolver, Outlook, Solver, Unsolved, Value, for_variant};

/// After so many unsolved positions in a row the walk ends: those before them are harder still.
pub const UNSOLVED_MAX: usize = 3;
/// Moves of a position that are tested for giving the result away. Only heaps of marbles have more.
const MOVES_TESTED_MAX: u64 = 1_000;
/// The least value of a win.
const LAST_WIN: Value = Value::Win(u32::MAX);

/// What an analysis asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// Results without distances.
    pub only_result: bool,
    /// Limit of nodes for the value of a position, and for the tests of its moves.
    pub nodes: u64,
}

/// The values of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameValues {
    /// What each position of the [`Line`] is worth to the side to move; `None` if it is not solved.
    pub values: Vec<Option<Known>>,
    /// For each move whether some legal move gave the result away; `None` if that is not known.
    pub could: Vec<Option<bool>>,
}

/// Analyses games of one variant.
pub struct Walker<'a> {
    solver: Box<dyn Solver>,
    /// Hash of the variant and of what is asked for, to be continued with a position.
    hasher: blake3::Hasher,
    asked: Asked,
    memory: &'a Memory,
}

impl<'a> Walker<'a> {
    /// For games of a variant.
    ///
    /// # Errors
    ///
    /// Returns [`NoSolver`] if they cannot be solved.
    pub fn new(variant: &Variant, asked: Asked, memory: &'a Memory) -> Result<Self, NoSolver> {
        let mut hasher = blake3::Hasher::new();
        let Asked { only_result, nodes } = asked;
        hasher.update(format!("{variant} {only_result} {nodes} ").as_bytes());
        Ok(Self { solver: for_variant(variant)?, hasher, asked, memory })
    }

    /// Positions searched so far.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.solver.nodes()
    }

    /// The values of a game; `None` if `stop` said to stop. They depend on the game and on what was asked, and on nothing else.
    pub fn walk(&mut self, line: &Line, stop: &dyn Fn() -> bool) -> Option<GameValues> {
        let mut values = vec![None; line.positions.len()];
        let mut could = vec![None; line.movers.len()];
        // What the move at this ply is worth to the side that makes it.
        let mut worth = line.last_worth().map(Known::Exact);
        let mut unsolved = 0;
        for ply in (0..line.positions.len()).rev() {
            let is_moved = ply < line.movers.len();
            let found = self.found(line.positions[ply].as_ref(), worth.filter(|_| is_moved), is_moved, stop)?;
            if found.answer.is_err() {
                unsolved += 1;
                if unsolved == UNSOLVED_MAX {
                    break;
                }
            } else {
                unsolved = 0;
            }
            values[ply] = found.answer.ok();
            if is_moved {
                could[ply] = found.could;
            }
            worth = values[ply].map(Known::before);
        }
        Some(GameValues { values, could })
    }

    /// What is known of a position, from memory or the solver.
    fn found(
        &mut self,
        state: &dyn State,
        worth: Option<Known>,
        is_moved: bool,
        stop: &dyn Fn() -> bool,
    ) -> Option<Found> {
        let floor = worth.map(|worth| least(worth, self.asked.only_result));
        let hash = self.hasher.clone().update(&state.key()).finalize();
        let hash = hash.as_bytes().first_chunk().map_or(0, |first| u128::from_le_bytes(*first));
        let question: Question = (hash, floor, is_moved);
        if let Some(found) = self.memory.get(&question) {
            return Some(found);
        }
        // What is found within the limit must not depend on the positions before.
        self.solver.forget();
        let limits = Limits { nodes: self.asked.nodes, stop };
        let answer = self.value(state, floor, &limits);
        let could = match answer {
            Err(Unsolved::Stopped) => return None,
            Ok(known) if is_moved => self.could(state, known.outlook(), worth, &limits).ok()?,
            _ => None,
        };
        let found = Found { answer, could };
        self.memory.keep(question, found);
        Some(found)
    }

    fn value(&mut self, state: &dyn State, floor: Option<Value>, limits: &Limits<'_>) -> Answer {
        if !self.asked.only_result {
            return self.solver.value(state, floor, limits);
        }
        let least = floor.map_or(Outlook::Loss, Value::outlook);
        Ok(Known::Result(if least == Outlook::Win || self.solver.reaches(state, LAST_WIN, limits)? {
            Outlook::Win
        } else if least == Outlook::Draw || self.solver.reaches(state, Value::Draw, limits)? {
            Outlook::Draw
        } else {
            Outlook::Loss
        }))
    }

    /// Whether some legal move gives the result away; `None` if that is not known, and an error only if it was stopped.
    fn could(
        &mut self,
        state: &dyn State,
        outlook: Outlook,
        worth: Option<Known>,
        limits: &Limits<'_>,
    ) -> Result<Option<bool>, Unsolved> {
        if outlook == Outlook::Loss {
            return Ok(Some(false));
        }
        if worth.is_some_and(|worth| worth.outlook() < outlook) {
            return Ok(Some(true));
        }
        // The other side has at least this after a worse move.
        let least = if outlook == Outlook::Win { Value::Draw } else { LAST_WIN };
        let start = self.solver.nodes();
        let count = state.legal_count();
        let mut is_known = count <= MOVES_TESTED_MAX;
        for index in 0..count.min(MOVES_TESTED_MAX) {
            let mut next = state.boxed_clone();
            if next.apply(&state.nth_legal(index)).is_err() {
                is_known = false;
                continue;
            }
            let left = limits.nodes.saturating_sub(self.solver.nodes() - start);
            let is_worse = match next.outcome() {
                Some(outcome) => Ok(Outlook::of(outcome, state.to_move()) < outlook),
                None => self.solver.reaches(next.as_ref(), least, &Limits { nodes: left, ..*limits }),
            };
            match is_worse {
                Ok(true) => return Ok(Some(true)),
                Ok(false) => {}
                Err(Unsolved::Stopped) => return Err(Unsolved::Stopped),
                Err(Unsolved::Nodes) => is_known = false,
            }
        }
        Ok(is_known.then_some(false))
    }
}

/// The least value of a move that is worth this.
fn least(worth: Known, only_result: bool) -> Value {
    let of_result = |outlook| match outlook {
        Outlook::Win => LAST_WIN,
        Outlook::Draw => Value::Draw,
        Outlook::Loss => Value::Loss(0),
    };
    match worth {
        Known::Exact(value) if !only_result => value,
        known => of_result(known.outlook()),
    }
}

impl std::fmt::Debug for Walker<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Walker").field("asked", &self.asked).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{AnalysedGame, AnalysisTable, Entry, Verdict, verdict};
    use super::*;
    use crate::record::GameResult;
    use crate::report::fixture;
    use crate::rng::Rng;
    use crate::rules::Seat;
    use crate::solver::Solved;

    /// A random game with its first moves as the opening; one of `cut` is not played to its end.
    fn game(variant: &Variant, seed: u64, opening: usize, cut: bool) -> Line {
        let event = fixture::event(&["a", "b"]);
        let mut record = fixture::record(&event, &fixture::schedule(&event)[0], GameResult::Draw, 1);
        let mut random = Rng::new(seed);
        let mut state = variant.start(seed).unwrap();
        record.moves.clear();
        while state.outcome().is_none() && !(cut && record.moves.len() == 9) {
            let played = state.nth_legal(random.below(state.legal_count()));
            state.apply(&played).unwrap();
            record.moves.push(played);
        }
        record.opening = record.moves[..opening.min(record.moves.len())].to_vec();
        record.rules_version = variant.rules.version;
        Line::of(&record, variant).unwrap()
    }

    const GAMES: [&str; 4] =
        ["connect4:rows=4,cols=4", "connect4:rows=3,cols=5,connect=3", "connect4:rows=5,cols=4", "marbles:heap=20"];

    fn asked(only_result: bool, nodes: u64) -> Asked {
        Asked { only_result, nodes }
    }

    #[test]
    fn values_walked_back_are_those_of_each_position_alone() {
        for name in GAMES {
            let variant: Variant = name.parse().unwrap();
            let memory = Memory::default();
            let mut walkers = [false, true].map(|only| Walker::new(&variant, asked(only, u64::MAX), &memory).unwrap());
            let mut judged = 0;
            for seed in 0..12 {
                let line = game(&variant, seed, seed as usize % 4, seed % 3 == 0);
                let [exact, results] = walkers.each_mut().map(|walker| walker.walk(&line, &|| false).unwrap());
                assert_eq!(exact.could, results.could, "{name}");
                let mut solver = for_variant(&variant).unwrap();
                for (ply, state) in line.positions.iter().enumerate() {
                    solver.forget();
                    let Solved { answer, moves, .. } =
                        crate::solver::solve(solver.as_mut(), state.as_ref(), false, &Limits::NONE);
                    let value = answer.unwrap();
                    assert_eq!(exact.values[ply], Some(value), "{name}, seed {seed}, position {ply}");
                    assert_eq!(results.values[ply], Some(Known::Result(value.outlook())));
                    let Some(could) = exact.could.get(ply) else { continue };
                    let is_worse = |(_, answer): &(_, Answer)| answer.unwrap().outlook() < value.outlook();
                    assert_eq!(*could, Some(moves.iter().any(is_worse)), "{name}, seed {seed}, position {ply}");
                    judged += 1;
                }
            }
            assert!(judged > 40, "{name}: {judged}");
        }
    }

    #[test]
    fn what_is_in_memory_changes_nothing_whatever_the_limit() {
        let variant: Variant = "connect4:rows=5,cols=5".parse().unwrap();
        let lines: Vec<Line> = (0..10).map(|seed| game(&variant, seed % 7, 2, seed % 2 == 0)).collect();
        let mut unsolved = 0;
        for limit in [30, 300, 3_000] {
            let alone = lines.iter().map(|line| {
                let memory = Memory::of(0);
                Walker::new(&variant, asked(false, limit), &memory).unwrap().walk(line, &|| false).unwrap()
            });
            let alone: Vec<GameValues> = alone.collect();
            let memory = Memory::of(40);
            let mut walker = Walker::new(&variant, asked(false, limit), &memory).unwrap();
            for (line, alone) in lines.iter().zip(&alone).rev() {
                assert_eq!(&walker.walk(line, &|| false).unwrap(), alone);
            }
            for GameValues { values, .. } in alone {
                let missing = values.iter().filter(|value| value.is_none()).count();
                unsolved += missing;
                // Three in a row, and all before them.
                let last = values.windows(UNSOLVED_MAX).rposition(|three| three.iter().all(Option::is_none));
                assert!(last.is_none_or(|last| values[..last].iter().all(Option::is_none)));
            }
        }
        assert!(unsolved > 10, "{unsolved}");
        let memory = Memory::default();
        let mut walker = Walker::new(&"connect4".parse().unwrap(), asked(false, u64::MAX), &memory).unwrap();
        assert_eq!(walker.walk(&game(&"connect4".parse().unwrap(), 1, 0, false), &|| true), None);
    }

    #[test]
    fn sums_add_up() {
        let variant: Variant = "connect4:rows=4,cols=5".parse().unwrap();
        for (only_result, nodes) in [(false, 100), (false, u64::MAX), (true, u64::MAX)] {
            let asked = asked(only_result, nodes);
            let memory = Memory::default();
            let mut walker = Walker::new(&variant, asked, &memory).unwrap();
            let mut table = AnalysisTable::new(3);
            let [mut moves, mut unsolved, mut given] = [0; 3];
            for seed in 0..30 {
                let line = game(&variant, seed, seed as usize % 5, seed % 4 == 0);
                let found = walker.walk(&line, &|| false).unwrap();
                let entry = Entry::new("0123456789abcdef", "connect4-1", &line, &found, asked);
                let text = serde_json::to_string(&entry).unwrap();
                assert_eq!(serde_json::from_str::<Entry>(&text).unwrap(), entry);
                assert_eq!(entry.values(), found, "{text}");
                assert!(entry.serves("connect4-1", &line, asked) && !entry.serves("connect4-2", &line, asked));
                let is_complete = entry.unsolved() == 0 && found.could.iter().all(Option::is_some);
                assert_eq!(
                    entry.serves("connect4-1", &line, Asked { nodes: u64::MAX, ..asked }),
                    is_complete || nodes == u64::MAX
                );
                assert_eq!(entry.serves("connect4-1", &line, Asked { only_result: false, ..asked }), !only_result);
                for (place, mover) in line.movers.iter().enumerate() {
                    moves += 1;
                    let worth = match line.positions.get(place + 1) {
                        Some(_) => found.values[place + 1].map(Known::before),
                        None => line.last_worth().map(Known::Exact),
                    };
                    let Some((before, after)) = found.values[place].zip(worth) else {
                        unsolved += 1;
                        continue;
                    };
                    assert!(after.outlook() <= before.outlook(), "no move is better than the best");
                    if let Verdict::GaveAway(_) = verdict(before, after) {
                        assert_eq!(found.could[place], Some(true));
                        given += u64::from(*mover == Seat::First);
                    }
                }
                let bots = [0, 1 + seed as usize % 2];
                table.add(&AnalysedGame { bots, cluster: seed as u32 / 2, opening: None, line: &line, found: &found });
            }
            let rows = table.rows();
            assert_eq!(rows.iter().map(|row| row.moves).sum::<u64>(), moves);
            assert_eq!(rows.iter().map(|row| row.unsolved).sum::<u64>(), unsolved);
            for row in rows {
                assert_eq!(row.judged + row.unsolved, row.moves);
                assert_eq!(row.best + row.slower + row.gave_away(), row.judged);
                assert_eq!(row.gave_away_by_ply.iter().sum::<u64>(), row.gave_away());
                assert!(row.gave_away() <= row.could && row.could <= row.judged && row.distinct <= row.judged);
                assert_eq!(row.slower_by.is_none(), only_result);
                assert!(row.bot != 0 || row.gave_away() == given);
            }
        }
    }
}
