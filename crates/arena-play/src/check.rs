//! Tests of a bot: the quick check before a tournament, and the score card of `arena check`; and that of a program of rules.

mod ask;
mod build;
mod card;
mod games;
mod mark;
mod rules_card;
mod trial_game;

use std::sync::Arc;
use std::time::Duration;

use arena_core::clock::TimeControl;
use arena_core::record::Status;
use arena_core::rules::{Seat, Variant};

use crate::player::Failure;
use crate::player::process::{Bot, Launch, SharedProcessor};
pub use ask::{AnsweredPosition, AskedPosition, ask};
pub use build::{BuildError, build};
pub use card::{Tests, score_card};
pub use mark::CheckMark;
pub use rules_card::rules_card;
use trial_game::{TrialGame, TrialSetup};

/// Whether a bot can take part in a tournament.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    /// It starts, speaks, and answers legally in time.
    Ready {
        /// Time until it was ready for a game, its start included.
        start: Duration,
        /// Time of its move.
        reply: Duration,
    },
    /// It works, but its hello names other games only; which.
    DoesNotPlay(String),
    /// It works, but declined this game; what it says, as the end of a sentence about it.
    Declined(String),
    /// It cannot take part.
    Broken {
        /// Why, for people.
        cause: String,
        /// Whether it starts and says hello.
        starts: bool,
        /// For its log: its stderr, its stray output, and remarks of the referee.
        log: Vec<String>,
    },
    /// We failed to test it; why, for people.
    Untried(String),
}

/// Starts the bot, gets it ready for a game and asks for one move.
#[must_use]
pub fn readiness(
    launch: &Arc<Launch>,
    variant: &Variant,
    clock: TimeControl,
    runtime: &tokio::runtime::Handle,
) -> Readiness {
    let mut bot = Bot::new(Arc::clone(launch), runtime.clone(), SharedProcessor::default()).in_check();
    let trial = TrialSetup { variant, clock, seat: Seat::First, seed: 0, opening: &[], moves_max: Some(1) };
    let TrialGame { failure, aftermath, slowest, ready_after, .. } = TrialGame::play(&mut bot, &trial);
    bot.leave();
    if let Some(claims) = bot.other_games(variant) {
        return Readiness::DoesNotPlay(claims);
    }
    if let Some(says) = bot.declined() {
        return Readiness::Declined(says.to_owned());
    }
    let Some(failure) = failure else {
        let reply = slowest.map_or(Duration::ZERO, |slowest| slowest.time);
        return Readiness::Ready { start: ready_after, reply };
    };
    let mut log: Vec<String> = aftermath.log.iter().chain(&bot.take_log()).map(ToString::to_string).collect();
    match &failure {
        Failure::Void(why) if bot.change().is_none() => return Readiness::Untried(why.clone()),
        Failure::Void(_) => {}
        Failure::Fault(fault) => log.extend(fault.evidence.log_lines(fault.status)),
    }
    let starts = matches!(&failure, Failure::Fault(fault) if fault.status != Status::StartupFailed);
    Readiness::Broken { cause: cause_of(&failure), starts, log }
}

/// Does `work` on this many threads at the same time; returns when all have done.
pub fn side_by_side(threads: usize, work: &(dyn Fn() + Sync)) {
    std::thread::scope(|scope| {
        // This thread works too, and suffices if no other can be started.
        for _ in 1..threads {
            if std::thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
}

fn cause_of(failure: &Failure) -> String {
    match failure {
        Failure::Fault(fault) if fault.status == Status::StartupFailed => fault.evidence.sentence(fault.status),
        Failure::Fault(fault) => format!("{}: {}", fault.status, fault.evidence.sentence(fault.status)),
        Failure::Void(why) => why.clone(),
    }
}
