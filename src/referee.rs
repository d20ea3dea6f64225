//! The judge of one game: what to ask next; an answer in, a verdict out. Pure: it reads no clock and knows no process,
//! so a verdict depends on the variant, seed, opening, answers and measured times alone.

use std::time::Duration;

use serde_json::value::RawValue;

use crate::clock::{Charge, Clock, Taken, TimeControl};
use crate::protocol::{GameOver, LEGAL_MOVES_MAX, MoveRequest};
use crate::record::{Evidence, GameResult, Played, Status};
use crate::rng::{Rng, derive_seed};
use crate::rules::{Move, Seat, State, Variant, illegal_move};

/// The reason of a game that was ended by its length.
pub const MAX_PLIES: &str = "max_plies";

/// What a player gave in return for a request.
#[derive(Debug)]
pub enum Answer {
    /// A move.
    Move(Reply),
    /// The game is given up.
    Resign,
    /// The player did something wrong.
    Fault(Fault),
    /// We failed, not the player; says how.
    Void(String),
}

/// A move as it came, not yet known to be legal.
#[derive(Debug)]
pub struct Reply {
    /// The move.
    pub played: Move,
    /// What was measured.
    pub taken: Taken,
    /// The mover's opinion of the position, −1 to 1.
    pub eval: Option<f64>,
    /// The mover's remark.
    pub comment: Option<String>,
    /// The mover's `debug`.
    pub debug: Option<Box<RawValue>>,
}

/// Something a player did wrong: data that scores, not an error of ours.
#[derive(Debug, Clone)]
pub struct Fault {
    /// What kind.
    pub status: Status,
    /// What is known about it.
    pub evidence: Evidence,
}

impl Fault {
    /// A fault of which only a sentence is known.
    pub fn new(status: Status, message: impl Into<String>) -> Self {
        Self { status, evidence: Evidence { message: message.into(), ..Evidence::default() } }
    }
}

/// What happens next in a game.
#[derive(Debug)]
pub enum Next {
    /// Ask `seat` and give it `limit`, after which no answer can count.
    Ask {
        /// Who is on move.
        seat: Seat,
        /// What to ask; its id is for whoever sends it.
        request: MoveRequest,
        /// The clock's deadline, margin included.
        limit: Duration,
    },
    /// The game is over; see [`Referee::verdict`].
    Done,
}

/// How a game ended.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// Who won.
    pub result: GameResult,
    /// Why: the rules' word, or the status of the seat at fault, or for a void game what we failed to do.
    pub reason: String,
    /// How each seat came through.
    pub statuses: [Status; 2],
    /// What is known about faults.
    pub evidence: [Option<Evidence>; 2],
}

impl Verdict {
    /// The verdict on a game that is not played because bots are withdrawn; says why, by seat. The other one wins; of
    /// two nobody does.
    #[must_use]
    pub fn withdrawn(why: [Option<&str>; 2]) -> Self {
        let result = match why {
            [Some(_), None] => GameResult::SecondWins,
            [None, Some(_)] => GameResult::FirstWins,
            _ => GameResult::Void,
        };
        Self {
            result,
            reason: Status::Withdrawn.name().to_owned(),
            statuses: why.map(|why| if why.is_some() { Status::Withdrawn } else { Status::Ok }),
            evidence: why.map(|why| Some(Evidence { message: why?.to_owned(), ..Evidence::default() })),
        }
    }
}

/// What is needed to start judging a game.
#[derive(Debug)]
pub struct Setup<'a> {
    /// The game.
    pub variant: &'a Variant,
    /// Its seed.
    pub seed: u64,
    /// The moves it starts from.
    pub opening: &'a [Move],
    /// The time control.
    pub clock: TimeControl,
    /// The game is a draw once this many moves were made.
    pub max_plies: Option<usize>,
}

/// The judge of one game.
#[derive(Debug)]
pub struct Referee {
    state: Box<dyn State>,
    clocks: [Clock; 2],
    last: [Option<Duration>; 2],
    samples: Rng,
    max_plies: usize,
    moves: Vec<Move>,
    played: Vec<Played>,
    verdict: Option<Verdict>,
}

impl Referee {
    /// Sets the game up and plays its opening.
    ///
    /// # Errors
    ///
    /// Returns which move of the opening is not legal, with a message.
    pub fn new(setup: &Setup<'_>) -> Result<Self, String> {
        let mut state = setup.variant.start(setup.seed);
        crate::rules::play(state.as_mut(), setup.opening)
            .map_err(|(index, why)| format!("opening, move {}: {why}", index + 1))?;
        let mut referee = Self {
            state,
            clocks: [Clock::new(setup.clock); 2],
            last: [None; 2],
            samples: Rng::new(derive_seed(setup.seed, "sample moves", &[])),
            max_plies: setup.max_plies.unwrap_or(usize::MAX),
            moves: setup.opening.to_vec(),
            played: Vec::new(),
            verdict: None,
        };
        referee.look_for_the_end();
        Ok(referee)
    }

    /// What to ask, or that the game is over.
    #[expect(clippy::should_implement_trait, reason = "answers come between two calls, so it is no iterator")]
    pub fn next(&mut self) -> Next {
        if self.verdict.is_some() {
            return Next::Done;
        }
        let seat = self.state.to_move();
        let clock = &self.clocks[seat.index()];
        let count = self.state.legal_count();
        let sample = self.samples.below(count);
        let (legal_moves, sample_move) = if count <= LEGAL_MOVES_MAX {
            let listed = self.state.legal_moves();
            let sample_move = listed[sample as usize].clone();
            (Some(listed), sample_move)
        } else {
            (None, self.state.nth_legal(sample))
        };
        let request = MoveRequest {
            id: 0,
            ply: self.moves.len(),
            seat: seat.index() as u8,
            state: self.state.view(seat),
            legal_moves,
            sample_move,
            clock: clock.for_request(&self.clocks[seat.other().index()], self.last[seat.index()]),
        };
        Next::Ask { seat, request, limit: clock.deadline() }
    }

    /// Judges the answer of the seat on move. Does nothing once the game is over.
    pub fn answer(&mut self, answer: Answer) {
        if self.verdict.is_some() {
            return;
        }
        let seat = self.state.to_move();
        match answer {
            Answer::Move(reply) => self.judge_move(seat, reply),
            Answer::Resign => self.end_by(seat, Status::Resigned, None),
            Answer::Fault(fault) => self.fault(seat, fault),
            Answer::Void(why) => self.void(why),
        }
    }

    /// The game is lost by `seat` through a fault, whoever is on move.
    pub fn fault(&mut self, seat: Seat, fault: Fault) {
        self.end_by(seat, fault.status, Some(fault.evidence));
    }

    /// The game cannot be played; says why.
    pub fn void(&mut self, why: String) {
        self.end(GameResult::Void, why);
    }

    /// Neither player could begin: nobody's loss.
    pub fn void_by_both(&mut self, faults: [Fault; 2]) {
        self.end(GameResult::Void, "neither bot could start".to_owned());
        if let Some(verdict) = &mut self.verdict {
            verdict.statuses = [faults[0].status, faults[1].status];
            verdict.evidence = faults.map(|fault| Some(fault.evidence));
        }
    }

    /// How the game ended, once it has.
    #[must_use]
    pub fn verdict(&self) -> Option<&Verdict> {
        self.verdict.as_ref()
    }

    /// What is known about each seat's fault, to be added to; `None` for a seat without one.
    pub fn evidence_mut(&mut self) -> [Option<&mut Evidence>; 2] {
        self.verdict.as_mut().map_or([None, None], |verdict| verdict.evidence.each_mut().map(Option::as_mut))
    }

    /// What `seat` is told at the end. Void before there is a verdict.
    #[must_use]
    pub fn game_over(&self, seat: Seat) -> GameOver {
        let result = self.verdict.as_ref().map_or(GameResult::Void, |verdict| verdict.result);
        let outcome = match result.winner() {
            Some(winner) if winner == seat => "win",
            Some(_) => "loss",
            None if result == GameResult::Void => "void",
            None => "draw",
        };
        GameOver {
            outcome: outcome.to_owned(),
            reason: self.verdict.as_ref().map_or_else(String::new, |verdict| verdict.reason.clone()),
            moves: self.moves.clone(),
            reveal: self.verdict.as_ref().and_then(|_| self.state.reveal()),
        }
    }

    /// The verdict, all moves, and what is known of those after the opening.
    ///
    /// # Panics
    ///
    /// If the game is not over.
    #[must_use]
    pub fn into_parts(self) -> (Verdict, Vec<Move>, Vec<Played>) {
        (self.verdict.expect("asked for only when the game is over"), self.moves, self.played)
    }

    fn judge_move(&mut self, seat: Seat, reply: Reply) {
        let index = seat.index();
        let cost = match self.clocks[index].spend(&reply.taken) {
            Ok(cost) => cost,
            Err(flagged) => {
                let how = if flagged.charge == Charge::Cpu { "took" } else { "came" };
                self.fault(seat, Fault::new(Status::Timeout, format!("its move {how} {flagged}")));
                return;
            }
        };
        if !self.state.is_legal(&reply.played) {
            let why = format!("at ply {}: {}", self.moves.len(), illegal_move(self.state.as_ref(), &reply.played));
            self.fault(seat, Fault::new(Status::IllegalMove, why));
            return;
        }
        self.last[index] = Some(cost);
        self.state.apply(&reply.played);
        self.moves.push(reply.played);
        self.played.push(Played {
            us: reply.taken.wall.as_micros() as u64,
            cpu_us: reply.taken.cpu.map(|cpu| cpu.as_micros() as u64),
            credit_us: reply.taken.credit.as_micros() as u64,
            eval: reply.eval,
            comment: reply.comment,
            debug: reply.debug,
        });
        self.look_for_the_end();
    }

    fn look_for_the_end(&mut self) {
        if let Some(outcome) = self.state.outcome() {
            self.end(GameResult::of(outcome.winner), outcome.reason.to_owned());
        } else if self.moves.len() >= self.max_plies {
            self.end(GameResult::Draw, MAX_PLIES.to_owned());
        }
    }

    fn end_by(&mut self, loser: Seat, status: Status, evidence: Option<Evidence>) {
        self.end(GameResult::of(Some(loser.other())), status.name().to_owned());
        if let Some(verdict) = &mut self.verdict {
            verdict.statuses[loser.index()] = status;
            verdict.evidence[loser.index()] = evidence;
        }
    }

    fn end(&mut self, result: GameResult, reason: String) {
        let verdict = Verdict { result, reason, statuses: [Status::Ok; 2], evidence: [None, None] };
        // The first verdict stands.
        self.verdict.get_or_insert(verdict);
    }
}
