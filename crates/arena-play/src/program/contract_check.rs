//! Random games with two processes of a program, to find out whether it keeps its contracts.

use std::time::{Duration, Instant};

use arena_core::rng::{Rng, derive_seed};
use arena_core::rules::{Move, Params, Seat};
use arena_core::text::shown;
use arena_sys::time::now;
use serde_json::{Map, Value};
use thiserror::Error;

use super::answer::{Answer, Offer};
use super::broken::{Broken, Failing, mistaken};
use super::game::ProgramGame;
use super::messages::Request;
use super::process::Process;

/// Moves of a game at most, so that a long one does not take all the time.
const PLIES_MAX: usize = 2_000;
/// What differs for the second process: whatever a program may not depend on.
const ELSEWHERE: [(&str, &str); 5] =
    [("PYTHONHASHSEED", "4242"), ("TZ", "Asia/Kathmandu"), ("LANG", "C"), ("LC_ALL", "C"), ("LANGUAGE", "C")];

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractReport {
    /// Number of games.
    pub games: usize,
    /// Number of moves in them.
    pub moves: usize,
    /// Length of each game that was played to its end, in moves; sorted.
    pub lengths: Vec<u64>,
    /// How many of these each seat has won.
    pub wins: [usize; 2],
    /// How many moves there were to choose from in each position where that is known; sorted.
    pub choices: Vec<u64>,
    /// The longest time to an answer.
    pub slowest: Duration,
    /// Whether both processes left when they were asked to.
    pub left: bool,
}

/// A contract that a program breaks.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ContractError {
    /// It failed.
    #[error("the rules {name} failed {place}: {broken}")]
    Broken {
        /// The game.
        name: String,
        /// Where.
        place: String,
        /// How.
        broken: Box<Broken>,
    },
    /// The same requests were answered otherwise.
    #[error("the rules are not deterministic: ply {ply} was answered by {one}{} and then by {other}", after_show(*.shown))]
    Differs {
        /// Moves before the answer.
        ply: usize,
        /// The first answer, from shortly before the difference, cut.
        one: String,
        /// The other one, likewise.
        other: String,
        /// Whether they differ only because the first process was asked to show its positions as well.
        shown: bool,
    },
    /// Positions of a game that hides nothing depend on the seed.
    #[error(
        "the rules say \"hidden\": false, but their positions depend on the seed: declare hidden (ply {ply} was answered by \
         {one} and under another seed by {other})"
    )]
    DependsOnSeed {
        /// Moves before the answer.
        ply: usize,
        /// The first answer, cut.
        one: String,
        /// The other one, cut.
        other: String,
    },
}

/// A game as it was played: each answer to `start` and to a move.
struct Played {
    seed: u64,
    moves: Vec<Move>,
    lines: Vec<String>,
    /// How many moves there were to choose from, where that is known.
    choices: Vec<u64>,
    has_ended: bool,
    winner: Option<Seat>,
}

/// Plays up to `games` random games with these parameters in one process, and gives them to another one in another order, in
/// another environment. Stops after `limit`, but not before one game.
///
/// # Errors
///
/// Returns the first contract that is broken.
pub fn try_out(
    game: &'static ProgramGame,
    params: &Params,
    games: usize,
    limit: Duration,
) -> Result<ContractReport, ContractError> {
    let mut check = ContractCheck { game, params: params.to_json(), slowest: Duration::ZERO };
    let mut here = check.start(false)?;
    // The other process needs as long again.
    let deadline = now() + limit / 2;
    let is_shown = |index: usize| index == 0 && game.hello.shows;
    let mut played = Vec::new();
    while played.len() < games && (played.is_empty() || now() < deadline) {
        let seed = derive_seed(0, "trial of rules", &[&(played.len() as u64).to_le_bytes()]);
        // One game is played to its end, however long that takes.
        let is_first = played.is_empty();
        let deadline = (!is_first).then_some(deadline);
        played.push(check.play(&mut here, seed, deadline, is_shown(played.len()))?);
    }
    let mut elsewhere = check.start(true)?;
    // A game that is not compared, so that the second process has played another one before.
    check.play(&mut elsewhere, derive_seed(1, "trial of rules", &[]), Some(now()), false)?;
    for (index, known) in played.iter().enumerate().rev() {
        if let Some((ply, one, other)) = check.replay(&mut elsewhere, known, known.seed)? {
            let shown = is_shown(index) && {
                let mut alone = check.start(false)?;
                check.replay(&mut alone, known, known.seed)? == Some((ply, one.clone(), other.clone()))
            };
            return Err(ContractError::Differs { ply, one, other, shown });
        }
    }
    if let Some(first) = played.first().filter(|_| !game.hello.hidden)
        && let Some((ply, one, other)) = check.replay(&mut elsewhere, first, !first.seed)?
    {
        return Err(ContractError::DependsOnSeed { ply, one, other });
    }
    let moves = played.iter().map(|game| game.moves.len()).sum();
    let won = |seat| played.iter().filter(|game| game.winner == Some(seat)).count();
    let mut choices: Vec<u64> = played.iter().flat_map(|game| game.choices.iter().copied()).collect();
    choices.sort_unstable();
    let ended = played.iter().filter(|game| game.has_ended);
    let mut lengths: Vec<u64> = ended.map(|game| game.moves.len() as u64).collect();
    lengths.sort_unstable();
    let wins = Seat::BOTH.map(won);
    let left = [here, elsewhere].map(Process::leave) == [true, true];
    Ok(ContractReport { games: played.len(), moves, lengths, wins, choices, slowest: check.slowest, left })
}

struct ContractCheck {
    game: &'static ProgramGame,
    params: Map<String, Value>,
    slowest: Duration,
}

impl ContractCheck {
    fn start(&self, is_elsewhere: bool) -> Result<Process, ContractError> {
        let mut program = self.game.program.clone();
        if is_elsewhere {
            program.launch.env.extend(ELSEWHERE.map(|(name, value)| (name.to_owned(), value.to_owned())));
        }
        let started = Process::start_again(&program, &self.game.hello, &self.game.log());
        started.map_err(|broken| self.failed("when it was started once more", broken))
    }

    fn failed(&self, place: &str, broken: Box<Broken>) -> ContractError {
        ContractError::Broken { name: self.game.name.clone(), place: place.to_owned(), broken }
    }

    fn ask(&mut self, process: &mut Process, request: &Request<'_>, ply: usize) -> Result<Answer, ContractError> {
        let begun = now();
        let answer = process.ask(request);
        self.slowest = self.slowest.max(now() - begun);
        answer.map_err(|broken| self.failed(&format!("at ply {ply}"), broken))
    }

    /// Plays random moves to the end of the game, or to the deadline after at least one move. If it `shows` positions, each is
    /// shown: the other process shows none, so that one changed by that is found.
    fn play(
        &mut self,
        process: &mut Process,
        seed: u64,
        deadline: Option<Instant>,
        shows: bool,
    ) -> Result<Played, ContractError> {
        let mut rng = Rng::new(seed);
        let params = self.params.clone();
        let mut answer = self.ask(process, &Request::Start { params: &params, seed }, 0)?;
        let lines = vec![line_of(&answer)];
        let mut played = Played { seed, moves: Vec::new(), lines, choices: Vec::new(), has_ended: false, winner: None };
        while let Answer::Position(position) = &answer {
            let is_late = deadline.is_some_and(|deadline| now() >= deadline);
            if played.moves.len() >= PLIES_MAX || is_late && !played.moves.is_empty() {
                return Ok(played);
            }
            if shows {
                self.show(process, played.moves.len(), Some(&position.offer))?;
            }
            let moves = position.offer.moves();
            played.choices.extend(match &position.offer {
                Offer::All(moves) => Some(moves.len() as u64),
                Offer::Samples { count, .. } => *count,
            });
            let chosen = moves.get(rng.below(moves.len() as u64) as usize).unwrap_or(Move::Int(0));
            let id = played.moves.len() as u64 + 1;
            let asked = self.ask(process, &Request::Apply { id, played: &chosen }, played.moves.len());
            answer = asked.map_err(|error| if shows { self.with_or_without_show(seed, error) } else { error })?;
            played.lines.push(line_of(&answer));
            played.moves.push(chosen);
        }
        if let Answer::Over(over) = &answer {
            (played.has_ended, played.winner) = (true, over.winner);
        }
        if shows && played.has_ended {
            self.show(process, played.moves.len(), None)?;
        }
        Ok(played)
    }

    /// The error of a game whose positions were shown if it only comes then, or the one that comes without that.
    fn with_or_without_show(&mut self, seed: u64, mut error: ContractError) -> ContractError {
        if let ContractError::Broken { place, broken, .. } = &mut error
            // To wait for another timeout would take as long again.
            && broken.how != Failing::TimedOut
        {
            match self.start(false).and_then(|mut process| self.play(&mut process, seed, None, false)) {
                Ok(_) => place.push_str(after_show(true)),
                Err(alone) => return alone,
            }
        }
        error
    }

    /// Asks for the position after these many moves as each seat and as people see it.
    fn show(&mut self, process: &mut Process, ply: usize, offer: Option<&Offer>) -> Result<(), ContractError> {
        for seat in [None, Some(Seat::First), Some(Seat::Second)] {
            let asked = process.ask(&Request::Show { id: ply as u64, seat });
            let checked = asked.and_then(|answer| match (&answer, offer) {
                (Answer::Shown(shown), Some(offer)) => shown.check_labels(offer).map_err(mistaken),
                _ => Ok(()),
            });
            checked
                .map_err(|broken| self.failed(&format!("when they were to show the position at ply {ply}"), broken))?;
        }
        Ok(())
    }

    /// Plays a game again, under this seed. Returns the first answer that differs, with its ply.
    fn replay(
        &mut self,
        process: &mut Process,
        known: &Played,
        seed: u64,
    ) -> Result<Option<(usize, String, String)>, ContractError> {
        let params = self.params.clone();
        let start = Request::Start { params: &params, seed };
        let applies = (1..).zip(&known.moves).map(|(id, played)| Request::Apply { id, played });
        for (ply, (request, one)) in std::iter::once(start).chain(applies).zip(&known.lines).enumerate() {
            let other = line_of(&self.ask(process, &request, ply.saturating_sub(1))?);
            if *one != other {
                let [one, other] = from_difference(one, &other);
                return Ok(Some((ply, one, other)));
            }
        }
        Ok(None)
    }
}

/// A part of messages about answers: a process was asked to show its positions before that, which must change nothing.
fn after_show(shown: bool) -> &'static str {
    if shown { " after `show`" } else { "" }
}

/// Two lines, as much of them as fits into a message: if they differ late, from shortly before that.
fn from_difference(one: &str, other: &str) -> [String; 2] {
    const EARLY: usize = 150;
    const BEFORE: usize = 60;
    let alike = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    let first = if alike < EARLY { 0 } else { alike - BEFORE };
    let start = (0..=first).rev().find(|at| one.is_char_boundary(*at)).unwrap_or(0);
    [one, other].map(|line| if start == 0 { shown(line) } else { shown(&format!("…{}", &line[start..])) })
}

/// The answer as it came, or what it is.
fn line_of(answer: &Answer) -> String {
    answer.line().map_or_else(|| format!("{answer:?}"), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_shown_from_shortly_before_their_difference() {
        assert_eq!(from_difference("{\"a\":1}", "{\"a\":2}"), ["{\"a\":1}", "{\"a\":2}"]);
        let long = "é".repeat(500);
        let [one, other] = from_difference(&format!("{long}1"), &format!("{long}2"));
        assert!(one.starts_with("…é") && one.ends_with('1') && one.chars().count() < 70, "{one}");
        assert!(other.ends_with('2'), "{other}");
        assert_eq!(from_difference("", "x"), ["", "x"]);
    }
}
