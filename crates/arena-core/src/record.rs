//! A stored game. Pure data: the journal writes it, statistics and reports read it.
//!
//! # Examples
//!
//! ```
//! use arena_core::record::{GameResult, Status};
//! use arena_core::rules::Seat;
//!
//! assert_eq!(GameResult::of(Some(Seat::First)).name(), "1-0");
//! assert_eq!(GameResult::Void.winner(), None);
//! assert!(Status::Timeout.is_fault() && !Status::Resigned.is_fault());
//! ```

mod denied;
mod disturbance;
mod evidence;
mod played_on;
mod reason;

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

pub use denied::DeniedCalls;
pub use disturbance::{Disturbance, Disturber};
pub use evidence::{Evidence, Load};
pub use played_on::{Calibration, PlayedOn};
pub use reason::{MAX_PLIES, reason_in_words};
use serde::{Deserialize, Serialize};

use crate::cause::Cause;
use crate::clock::{Taken, TimeControl};
use crate::rules::{Move, Movers, RulesFault, Seat, Variant};
pub use arena_rules::result::GameResult;

/// Whether a seat was at fault in a game, and how. Independent of the outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// No fault.
    Ok,
    /// It did not answer in time.
    Timeout,
    /// It answered with a move that is not legal.
    IllegalMove,
    /// It broke the protocol.
    ProtocolError,
    /// It exited or closed its output while a reply was owed.
    Crashed,
    /// It could not be started, or did not get ready for the game.
    StartupFailed,
    /// It used CPU time that its opponent needed while that was on move.
    Interference,
    /// It resigned.
    Resigned,
    /// It was withdrawn from the tournament: the game was not played, and is lost.
    Withdrawn,
}

impl Status {
    /// All statuses, in the order they are reported.
    pub const ALL: [Self; 9] = [
        Self::Ok,
        Self::Timeout,
        Self::IllegalMove,
        Self::ProtocolError,
        Self::Crashed,
        Self::StartupFailed,
        Self::Interference,
        Self::Resigned,
        Self::Withdrawn,
    ];

    /// The name in files and in messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Timeout => "timeout",
            Self::IllegalMove => "illegal_move",
            Self::ProtocolError => "protocol_error",
            Self::Crashed => "crashed",
            Self::StartupFailed => "startup_failed",
            Self::Interference => "interference",
            Self::Resigned => "resigned",
            Self::Withdrawn => "withdrawn",
        }
    }

    /// Whether this is a fault of the bot; resigning is not.
    #[must_use]
    pub const fn is_fault(self) -> bool {
        !matches!(self, Self::Ok | Self::Resigned)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A bot as a game knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BotId {
    /// Its name in the tournament: for people, and what tells a twin from its like.
    pub name: String,
    /// Hash of everything that makes it play as it does.
    pub fingerprint: String,
    /// Whether others had the same fingerprint when it came, so that its name is part of what it is known by.
    #[serde(default, skip_serializing_if = "is_default")]
    pub twin: bool,
}

impl BotId {
    /// What the bot is known by, in the ids of games and in strikes: its fingerprint, and if it is a twin its name.
    #[must_use]
    pub fn identity(&self) -> Cow<'_, str> {
        if self.twin {
            format!("{} as {}", self.fingerprint, self.name).into()
        } else {
            self.fingerprint.as_str().into()
        }
    }
}

/// One move as it was played; openings are not among them.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Played {
    /// From the request to the reply, less what was credited.
    pub us: u64,
    /// Processor time the bot used in that time, where the system tells and it was read: if processor time is charged, and
    /// else in moves of more than 5 ms, without the first 5 ms if the bot's move before took less. It is that of the bot's
    /// process, and of those it had started if there were any when it said hello or if processor time is charged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<u64>,
    /// Time that was credited: the bot was waiting for a CPU, or the machine stood still.
    #[serde(default, skip_serializing_if = "is_default")]
    pub credit_us: u64,
    /// The mover's evaluation of the position, −1 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eval: Option<f64>,
    /// The mover's remark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The mover's `debug`, as it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub debug: Option<Box<serde_json::value::RawValue>>,
}

impl Played {
    /// The measurements, as a clock takes them.
    #[must_use]
    pub fn taken(&self) -> Taken {
        let time = Duration::from_micros;
        Taken { wall: time(self.us), cpu: self.cpu_us.map(time), credit: time(self.credit_us) }
    }

    /// The evaluation of this move by `mover`, from the first seat's point of view.
    #[must_use]
    pub fn eval_of_first(&self, mover: Seat) -> Option<f64> {
        let sign = if mover == Seat::First { 1.0 } else { -1.0 };
        Some(self.eval? * sign)
    }
}

/// A stored game.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Record {
    /// Identity: a hash of everything the result may depend on.
    pub id: String,
    /// Name of the rules.
    pub game: String,
    /// Version of the rules.
    pub rules_version: u32,
    /// Whether the rules are a program that hides something.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hidden: bool,
    /// All parameters of the rules.
    pub params: serde_json::Map<String, serde_json::Value>,
    /// Seed of the game.
    #[serde(with = "crate::rng::decimal")]
    pub seed: u64,
    /// The time control.
    pub clock: TimeControl,
    /// A game is a draw once this many moves were made, openings included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_plies: Option<usize>,
    /// How many attempts at this game were void before.
    pub repeat: u32,
    /// The bots, by seat.
    pub bots: [BotId; 2],
    /// The moves the game started from.
    pub opening: Vec<Move>,
    /// All moves, the opening included.
    pub moves: Vec<Move>,
    /// Who made them, where the seats do not alternate.
    #[serde(default, skip_serializing_if = "Movers::alternate")]
    pub movers: Movers,
    /// What each seat scored, if the rules are a program that counts it. Ratings do not read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<[i64; 2]>,
    /// If the rules are a program: a hash of all that it said in this game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<String>,
    /// Who won.
    pub result: GameResult,
    /// Why: the rules' word, or the status of the seat that lost by a fault.
    pub reason: String,
    /// The status of each seat.
    pub statuses: [Status; 2],
    /// One entry for each move after the opening.
    pub played: Vec<Played>,
    /// What is known about the faults, by seat.
    #[serde(default, skip_serializing_if = "is_default")]
    pub evidence: [Option<Evidence>; 2],
    /// If it is void because bots that did not play it took the processor: these bots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disturbance: Option<Disturbance>,
    /// If it is void because the rules failed: how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules_fault: Option<Box<RulesFault>>,
    /// Lines of each bot that were not replies (stray, stale), by seat.
    #[serde(default, skip_serializing_if = "is_default")]
    pub surplus_lines: [u32; 2],
    /// System calls that the sandbox refused to each bot since its last game, by seat, where the system tells.
    #[serde(default, skip_serializing_if = "is_default")]
    pub denied: [DeniedCalls; 2],
    /// Processor time that each bot used from its `ready` to the end of the game, in microseconds, by seat, where the
    /// system tells. Journals of before have that of each move instead.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cpu_us: [Option<u64>; 2],
    /// Processor time that each bot used while another one was on move, in microseconds, since its last game, by seat: as
    /// far as it was looked at, which is not in moves of a few milliseconds.
    #[serde(default, skip_serializing_if = "is_default")]
    pub off_move_us: [u64; 2],
    /// Time that each bot took to start again after a fault in an earlier game, by seat.
    #[serde(default, skip_serializing_if = "is_default")]
    pub restart_us: [u64; 2],
    /// How often a person took moves back.
    #[serde(default, skip_serializing_if = "is_default")]
    pub taken_back: u32,
    /// When the game began (RFC 3339, UTC).
    pub started: String,
    /// Name of the machine it was played on.
    pub host: String,
    /// What kind of machine that is; `None` if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<PlayedOn>,
    /// Version of the arena.
    pub arena: String,
}

/// Stands for a text that is not published.
pub const UNPUBLISHED: &str = "not published";

/// Whether a field has its default value, and is omitted.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Record {
    /// Itself without what concerns only those who own the machine and the bots: the machine's name, and all texts on what
    /// went wrong.
    #[must_use]
    pub fn published(mut self) -> Self {
        for evidence in self.evidence.iter_mut().flatten() {
            let Evidence { cause, cpu_us, elapsed_us, waited_us, load, .. } = *evidence;
            let message = UNPUBLISHED.to_owned();
            *evidence = Evidence { message, cause, cpu_us, elapsed_us, waited_us, load, ..Evidence::default() };
        }
        for played in &mut self.played {
            played.debug = None;
        }
        if self.result == GameResult::Void {
            UNPUBLISHED.clone_into(&mut self.reason);
        }
        Self { host: String::new(), rules_fault: None, ..self }
    }

    /// The reason in words, those of its game if that is known.
    #[must_use]
    pub fn reason_in_words(&self) -> String {
        reason_in_words(&self.reason, Variant::from_json(&self.game, &self.params).ok().as_ref())
    }

    /// The moves after the opening that `seat` made, with what was measured.
    pub fn played_by(&self, seat: Seat) -> impl Iterator<Item = &Played> {
        let opening = self.opening.len();
        let own = move |(index, _): &(usize, _)| self.movers.seat(opening + index) == seat;
        self.played.iter().enumerate().filter(own).map(|(_, played)| played)
    }

    /// How long `seat` thought about each move after the opening, in microseconds, and last about that which did not come in time.
    pub fn times_of(&self, seat: Seat) -> impl Iterator<Item = u64> {
        self.played_by(seat).map(|played| played.us).chain(self.stopped_us(seat))
    }

    /// How long `seat` was waited for in vain, in microseconds, if it lost on time. Where the wait was not measured it is what was
    /// left to it and the margin; `None` if that is unlimited.
    #[must_use]
    pub fn stopped_us(&self, seat: Seat) -> Option<u64> {
        if self.statuses[seat.index()] != Status::Timeout {
            return None;
        }
        let TimeControl { move_ms, bank_ms, increment_ms, margin_ms, .. } = self.clock;
        let spent = self.played_by(seat).map(|played| played.us / 1_000).fold(0, u64::saturating_add);
        let moves = self.played_by(seat).count() as u64;
        let earned = increment_ms.unwrap_or(0).saturating_mul(moves);
        let left = bank_ms.map(|bank| bank.saturating_add(earned).saturating_sub(spent));
        let limit = move_ms.into_iter().chain(left).min();
        let measured = self.evidence[seat.index()].as_ref().and_then(|evidence| evidence.elapsed_us);
        measured.or_else(|| Some(limit?.saturating_add(margin_ms).saturating_mul(1_000)))
    }

    /// What was measured of the move at this index of [`Record::moves`]; nothing of one of the opening.
    #[must_use]
    pub fn measured(&self, index: usize) -> Option<&Played> {
        self.played.get(index.checked_sub(self.opening.len())?)
    }

    /// Processor time of `seat` in the game, in microseconds; where only that of moves is known, their sum.
    #[must_use]
    pub fn cpu_of(&self, seat: Seat) -> Option<u64> {
        let of_moves = || self.played_by(seat).filter_map(|played| played.cpu_us).reduce(u64::saturating_add);
        self.cpu_us[seat.index()].or_else(of_moves)
    }

    /// Whether `seat` lost on time after the full credit, because it got too little CPU time.
    #[must_use]
    pub fn is_starved_timeout(&self, seat: Seat) -> bool {
        let evidence = self.evidence[seat.index()].as_ref();
        self.statuses[seat.index()] == Status::Timeout && evidence.is_some_and(Evidence::is_starved)
    }

    /// Whether a bot made a move that was not listed and on which the rules fail.
    #[must_use]
    pub fn breaks_rules(&self) -> bool {
        self.evidence.iter().flatten().any(|evidence| evidence.cause == Some(Cause::BreaksRules))
    }

    /// Class of the machine that it was played on; empty if it is not recorded. `None` if nobody played it, since a bot was
    /// withdrawn.
    #[must_use]
    pub fn class(&self) -> Option<&str> {
        let class = self.machine.as_ref().map_or("", |machine| machine.class.as_str());
        (!self.statuses.contains(&Status::Withdrawn)).then_some(class)
    }

    /// Whether the game has a result that counts.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.result != GameResult::Void
    }
}
