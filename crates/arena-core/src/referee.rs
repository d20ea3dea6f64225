//! The referee of one game: asks questions, takes answers, gives the verdict. Pure: it reads no clock and knows no process,
//! so a verdict depends only on the variant, seed, opening, answers and measured times.
//!
//! # Examples
//!
//! ```
//! use std::time::Duration;
//!
//! use arena_core::clock::{Taken, TimeControl};
//! use arena_core::referee::{Answer, Referee, RefereeSetup};
//!
//! let variant = "tictactoe".parse()?;
//! let clock = TimeControl::per_move(Duration::from_secs(1));
//! let mut referee = Referee::new(&RefereeSetup { variant: &variant, seed: 1, opening: &[], clock, max_plies: None })?;
//! while let Some(question) = referee.next_question() {
//!     let played = question.sample_move.clone();
//!     referee.answer(Answer::Move(played.into(), Taken::default()));
//! }
//! let game = referee.into_game();
//! assert!((5..=9).contains(&game.moves.len()), "{:?}", game.verdict);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod question;

use std::time::Duration;

pub use crate::record::MAX_PLIES;
pub use answer::{Answer, Fault, Reply, Verdict};
pub use question::{GameEnd, GameStart, LEGAL_MOVES_MAX, Question};

use crate::cause::Cause;
use crate::clock::{Charge, Clock, Taken, TimeControl, TimeUse};
use crate::record::{Evidence, GameResult, Played, Status};
use crate::rng::{Rng, derive_seed};
use crate::rules::{Move, MoveError, Movers, RulesFault, Seat, State, Variant, step};

/// Initial capacity for moves, enough for most games.
const PLIES_EXPECTED: usize = 32;

/// The inputs of a referee.
#[derive(Debug, Clone, Copy)]
pub struct RefereeSetup<'a> {
    /// The game.
    pub variant: &'a Variant,
    /// Its seed.
    pub seed: u64,
    /// The moves it starts from.
    pub opening: &'a [Move],
    /// The time control.
    pub clock: TimeControl,
    /// The game is a draw after this many moves.
    pub max_plies: Option<usize>,
}

impl<'a> RefereeSetup<'a> {
    /// The `new_game` for the player in `seat`; `seeds` are those of the players, by seat.
    #[must_use]
    pub fn start(&self, seeds: [u64; 2], seat: Seat) -> GameStart<'a> {
        GameStart { variant: self.variant, seat, seed: seeds[seat.index()], clock: self.clock }
    }
}

/// A game that cannot begin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BeginError {
    /// A move of the opening is not legal.
    #[error("opening, move {number}: {why}")]
    Opening {
        /// Number of the move, from 1.
        number: usize,
        /// What is wrong with it.
        why: MoveError,
    },
    /// The rules failed.
    #[error(transparent)]
    Rules(#[from] Box<RulesFault>),
}

impl BeginError {
    /// The verdict on that game: void.
    #[must_use]
    pub fn verdict(self) -> Verdict {
        match self {
            Self::Rules(fault) => Verdict::of_rules(fault),
            opening @ Self::Opening { .. } => Verdict::new(GameResult::Void, opening.to_string()),
        }
    }
}

/// The referee of one game.
#[derive(Debug)]
pub struct Referee {
    state: Box<dyn State>,
    open_information: bool,
    clocks: [Clock; 2],
    last: [Option<Duration>; 2],
    samples: Rng,
    max_plies: usize,
    moves: Vec<Move>,
    movers: Movers,
    played: Vec<Played>,
    verdict: Option<Verdict>,
}

/// A move that was made.
#[derive(Debug, Clone, Copy)]
pub struct MadeMove<'a> {
    /// Moves before it, the opening included.
    pub ply: usize,
    /// Who made it.
    pub seat: Seat,
    /// The move.
    pub played: &'a Move,
    /// What was measured.
    pub measured: &'a Played,
}

/// A game that is over.
#[derive(Debug, Clone)]
pub struct RefereedGame {
    /// How it ended.
    pub verdict: Verdict,
    /// All moves, the opening included.
    pub moves: Vec<Move>,
    /// Who made them.
    pub movers: Movers,
    /// What each seat scored, if the rules count it.
    pub scores: Option<[i64; 2]>,
    /// A hash of what the rules said, if they are a program.
    pub answers: Option<String>,
    /// The measurements of those after the opening.
    pub played: Vec<Played>,
}

impl Referee {
    /// Sets the game up and plays its opening.
    ///
    /// # Errors
    ///
    /// Returns the first illegal move of the opening, or how the rules failed.
    pub fn new(setup: &RefereeSetup<'_>) -> Result<Self, BeginError> {
        let mut state = setup.variant.start(setup.seed)?;
        let mut turns = Movers::default();
        for (index, played) in setup.opening.iter().enumerate() {
            turns.push(index, state.to_move());
            step(state.as_mut(), played).map_err(|why| match why.into_fault() {
                Ok(fault) => BeginError::Rules(fault),
                Err(why) => BeginError::Opening { number: index + 1, why },
            })?;
        }
        let mut moves = Vec::with_capacity(setup.opening.len() + PLIES_EXPECTED);
        moves.extend_from_slice(setup.opening);
        let mut referee = Self {
            state,
            open_information: setup.variant.rules.open_information,
            clocks: [Clock::new(setup.clock); 2],
            last: [None; 2],
            samples: Rng::new(derive_seed(setup.seed, "sample moves", &[])),
            max_plies: setup.max_plies.unwrap_or(usize::MAX),
            moves,
            movers: turns,
            played: Vec::with_capacity(PLIES_EXPECTED),
            verdict: None,
        };
        referee.check_outcome();
        Ok(referee)
    }

    /// The question for the seat on move; `None` once the game is over.
    pub fn next_question(&mut self) -> Option<Question<'_>> {
        if self.verdict.is_some() {
            return None;
        }
        let seat = self.state.to_move();
        let clock = &self.clocks[seat.index()];
        let legal_count = self.state.legal_count();
        let sample = self.samples.below(legal_count);
        Some(Question {
            state: self.state.as_ref(),
            moves: self.open_information.then_some(self.moves.as_slice()),
            legal_count,
            seat,
            ply: self.moves.len(),
            sample_move: self.state.nth_legal(sample),
            time: clock.time_left(&self.clocks[seat.other().index()], self.last[seat.index()]),
        })
    }

    /// Judges the answer of the seat on move. Returns the move, if it is a valid one. Does nothing once the game is over.
    pub fn answer(&mut self, answer: Answer) -> Option<MadeMove<'_>> {
        if self.verdict.is_some() {
            return None;
        }
        let (seat, ply) = (self.state.to_move(), self.moves.len());
        match answer {
            Answer::Move(reply, taken) => self.judge_move(seat, reply, taken),
            Answer::Resign => self.end_by(seat, Status::Resigned, None),
            Answer::Fault(fault) => self.fault(seat, fault),
            Answer::Disturbed(fault) => self.fault(seat.other(), fault),
            Answer::Void(why) => self.void(why),
        }
        Some(MadeMove { ply, seat, played: self.moves.get(ply)?, measured: self.played.last()? })
    }

    /// Ends the game as a loss of `seat` by a fault, whichever seat is on move, unless it is over.
    pub fn fault(&mut self, seat: Seat, fault: Fault) {
        self.end_by(seat, fault.status, Some(fault.evidence));
    }

    /// Makes the game void, for this reason.
    pub fn void(&mut self, why: String) {
        self.end(Verdict::new(GameResult::Void, why));
    }

    /// Makes the game void, because neither player could start.
    pub fn void_by_both(&mut self, faults: [Fault; 2]) {
        let mut verdict = Verdict::new(GameResult::Void, "neither bot could start".to_owned());
        verdict.statuses = [faults[0].status, faults[1].status];
        verdict.evidence = faults.map(|fault| Some(fault.evidence));
        self.end(verdict);
    }

    /// The verdict, once the game is over.
    #[must_use]
    pub fn verdict(&self) -> Option<&Verdict> {
        self.verdict.as_ref()
    }

    /// The evidence of each seat's fault, for additions; `None` for a seat without one.
    pub fn evidence_mut(&mut self) -> [Option<&mut Evidence>; 2] {
        self.verdict.as_mut().map_or([None, None], |verdict| verdict.evidence.each_mut().map(Option::as_mut))
    }

    /// The `game_over` for `seat`. Void before there is a verdict.
    #[must_use]
    pub fn game_end(&self, seat: Seat) -> GameEnd<'_> {
        let verdict = self.verdict.as_ref();
        GameEnd {
            seat,
            result: verdict.map_or(GameResult::Void, |verdict| verdict.result),
            reason: verdict.map_or("", |verdict| &verdict.reason),
            moves: &self.moves,
            reveal: verdict.and_then(|_| self.state.reveal()),
        }
    }

    /// The game, with its verdict.
    ///
    /// # Panics
    ///
    /// If the game is not over.
    #[must_use]
    pub fn into_game(self) -> RefereedGame {
        let Self { state, moves, movers, played, .. } = self;
        let verdict = self.verdict.expect("asked for only when the game is over");
        RefereedGame { verdict, moves, movers, scores: state.scores(), answers: state.answers(), played }
    }

    fn judge_move(&mut self, seat: Seat, reply: Reply, taken: Taken) {
        let index = seat.index();
        let cost = match self.clocks[index].spend(&taken) {
            Ok(cost) => cost,
            Err(flagged) => {
                let spent = TimeUse { elapsed: taken.wall, cpu: taken.cpu, waited: None };
                let how = match flagged.charge {
                    Charge::Wall => spent.after(&flagged),
                    // That is what it has used too much of.
                    Charge::Cpu => flagged.to_string(),
                };
                let mut fault = Fault::new(Status::Timeout, Cause::LateMove, how);
                fault.evidence.note_time_use(&spent);
                return self.fault(seat, fault);
            }
        };
        // The game is not over, so this plays the move or says what is wrong with it.
        if let Err(why) = step(self.state.as_mut(), &reply.played) {
            return match why.into_fault() {
                Ok(fault) => self.end(Verdict::of_rules(fault)),
                Err(why) => {
                    let is_deadly = matches!(why, MoveError::Deadly { .. });
                    let cause = if is_deadly { Cause::BreaksRules } else { Cause::IllegalMove };
                    let why = format!("at ply {}: {}", self.moves.len(), why.in_words(reply.words.as_deref()));
                    self.fault(seat, Fault::new(Status::IllegalMove, cause, why));
                }
            };
        }
        self.last[index] = Some(cost);
        self.movers.push(self.moves.len(), seat);
        self.moves.push(reply.played);
        self.played.push(Played {
            us: taken.wall.as_micros() as u64,
            cpu_us: taken.cpu_us(),
            credit_us: taken.credit.as_micros() as u64,
            eval: reply.eval,
            comment: reply.comment,
            debug: reply.debug,
        });
        self.check_outcome();
    }

    fn check_outcome(&mut self) {
        if let Some(outcome) = self.state.outcome() {
            self.end(Verdict::new(GameResult::of(outcome.winner), outcome.reason.to_owned()));
        } else if self.moves.len() >= self.max_plies {
            self.end(Verdict::new(GameResult::Draw, MAX_PLIES.to_owned()));
        }
    }

    fn end_by(&mut self, loser: Seat, status: Status, evidence: Option<Evidence>) {
        let mut verdict = Verdict::new(GameResult::of(Some(loser.other())), status.name().to_owned());
        verdict.statuses[loser.index()] = status;
        verdict.evidence[loser.index()] = evidence;
        self.end(verdict);
    }

    /// Only the first verdict counts.
    fn end(&mut self, verdict: Verdict) {
        self.verdict.get_or_insert(verdict);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bot_that_takes_the_time_of_the_bot_on_move_loses() {
        let variant = "tictactoe".parse().unwrap();
        let clock = TimeControl::per_move(Duration::from_secs(1));
        let setup = RefereeSetup { variant: &variant, seed: 0, opening: &[], clock, max_plies: None };
        let mut referee = Referee::new(&setup).unwrap();
        referee.answer(Answer::Disturbed(Fault::new(Status::Interference, Cause::TookProcessor, "it was busy")));
        let verdict = referee.into_game().verdict;
        assert_eq!((verdict.result, verdict.reason.as_str()), (GameResult::FirstWins, "interference"));
        assert_eq!(verdict.statuses, [Status::Ok, Status::Interference]);
        assert!(verdict.evidence[0].is_none() && verdict.evidence[1].is_some());
    }

    #[test]
    fn the_first_verdict_stands_whatever_is_said_later() {
        let variant = "tictactoe".parse().unwrap();
        let opening = [Move::List(vec![0, 0])];
        let clock = TimeControl::per_move(Duration::from_secs(1));
        let setup = RefereeSetup { variant: &variant, seed: 0, opening: &opening, clock, max_plies: Some(1) };
        let fault = || Fault::new(Status::StartupFailed, Cause::NoHello, "no hello");
        let mut referee = Referee::new(&setup).unwrap();
        referee.fault(Seat::First, fault());
        referee.void_by_both([fault(), fault()]);
        referee.void("no room".to_owned());
        let verdict = referee.into_game().verdict;
        assert_eq!((verdict.result, verdict.reason.as_str()), (GameResult::Draw, MAX_PLIES));
        assert_eq!((verdict.statuses, verdict.evidence), ([Status::Ok; 2], [None, None]));
    }
}
