//! Answers to the referee, and its verdict on a game.

use serde_json::value::RawValue;

use crate::cause::Cause;
use crate::clock::Taken;
use crate::record::{Evidence, GameResult, Status};
use crate::rules::{Move, RulesFault};

/// What a player gave in return for a request.
#[derive(Debug, Clone)]
pub enum Answer {
    /// A move, and what was measured.
    Move(Reply, Taken),
    /// The game is given up.
    Resign,
    /// The player did something wrong.
    Fault(Fault),
    /// It could not answer in time, since its opponent took the time; says how.
    Disturbed(Fault),
    /// We failed, not the player; says how.
    Void(String),
}

/// A move as it came, not yet known to be legal.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The move.
    pub played: Move,
    /// The move as the player wrote it, if its protocol has other words for moves than the arena.
    pub words: Option<String>,
    /// The mover's opinion of the position, −1 to 1.
    pub eval: Option<f64>,
    /// The mover's remark.
    pub comment: Option<String>,
    /// The mover's `debug`.
    pub debug: Option<Box<RawValue>>,
}

impl From<Move> for Reply {
    /// A move without remarks.
    fn from(played: Move) -> Self {
        Self { played, words: None, eval: None, comment: None, debug: None }
    }
}

/// Something a player did wrong: data that scores, not an error of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What kind.
    pub status: Status,
    /// What is known about it.
    pub evidence: Evidence,
}

impl Fault {
    /// A fault of which only the cause and a message are known.
    pub fn new(status: Status, cause: Cause, message: impl Into<String>) -> Self {
        Self { status, evidence: Evidence::new(cause, message) }
    }
}

/// How a game ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Who won.
    pub result: GameResult,
    /// Why: the rules' word, or the status of the seat at fault, or for a void game what we failed to do.
    pub reason: String,
    /// How each seat came through.
    pub statuses: [Status; 2],
    /// What is known about faults.
    pub evidence: [Option<Evidence>; 2],
    /// If the game is void because the rules failed: how.
    pub rules: Option<Box<RulesFault>>,
}

impl Verdict {
    /// A verdict without a fault.
    #[must_use]
    pub fn new(result: GameResult, reason: String) -> Self {
        Self { result, reason, statuses: [Status::Ok; 2], evidence: [None, None], rules: None }
    }

    /// The verdict on a game whose rules failed: void, and neither player is at fault.
    #[must_use]
    pub fn of_rules(fault: Box<RulesFault>) -> Self {
        Self { rules: Some(fault.clone()), ..Self::new(GameResult::Void, fault.message) }
    }

    /// The verdict on a game that is not played because bots are withdrawn; says why, by seat. The other one wins; of two,
    /// neither does.
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
            rules: None,
        }
    }
}
