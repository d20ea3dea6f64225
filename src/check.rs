//! Trying a bot out: the quick check before a tournament, and the score card of `arena check`.

mod card;
mod mark;

use std::sync::Arc;

use crate::clock::TimeControl;
use crate::event::bot_seeds;
use crate::player::process::{Bot, Launch};
use crate::player::{Failure, Player};
use crate::record::Status;
use crate::referee::{Answer, Fault, Next, Referee, Setup};
use crate::rules::{Seat, Variant};
pub use card::score_card;
pub use mark::Mark;

/// Whether a bot can take part in a tournament.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    /// It starts, speaks, and answers legally in time.
    Ready,
    /// It works, but says that it does not play this game.
    DoesNotPlay(String),
    /// It cannot take part.
    Broken {
        /// Why, for people.
        cause: String,
        /// For its log: what it wrote to stderr and without being asked, and remarks of the referee.
        log: Vec<String>,
    },
    /// We failed to try it; why, for people.
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
    let mut bot = Bot::new(Arc::clone(launch), runtime.clone());
    if let Err(cause) = bot.start() {
        return not_ready(bot, &cause);
    }
    if let Some(claims) = bot.other_games(variant) {
        bot.leave();
        return Readiness::DoesNotPlay(claims);
    }
    if let Err(cause) = first_move(&mut bot, variant, clock) {
        return not_ready(bot, &cause);
    }
    bot.leave();
    Readiness::Ready
}

fn not_ready(mut bot: Bot, cause: &Failure) -> Readiness {
    bot.leave();
    let mut log: Vec<String> = bot.take_log().iter().map(ToString::to_string).collect();
    match cause {
        Failure::Void(why) if bot.change().is_none() => return Readiness::Untried(why.clone()),
        Failure::Void(_) => {}
        Failure::Fault(fault) => log.extend(fault.evidence.log_lines(fault.status)),
    }
    Readiness::Broken { cause: cause_of(cause), log }
}

fn first_move(bot: &mut Bot, variant: &Variant, clock: TimeControl) -> Result<(), Failure> {
    let setup = Setup { variant, seed: 0, opening: &[], clock, max_plies: None };
    let mut referee = Referee::new(&setup).map_err(Failure::Void)?;
    bot.new_game(&setup.start(bot_seeds(setup.seed, "check"), Seat::First))?;
    let Next::Ask(question) = referee.next() else { return Ok(()) };
    let answer = bot.ask(question);
    if let Answer::Void(why) = answer {
        return Err(Failure::Void(why));
    }
    referee.answer(answer);
    if let [Some(evidence), _] = referee.evidence_mut() {
        bot.at_fault(evidence);
    }
    match referee.verdict() {
        Some(verdict) if verdict.statuses[0].is_fault() => {
            let evidence = verdict.evidence[0].clone().unwrap_or_default();
            Err(Fault { status: verdict.statuses[0], evidence }.into())
        }
        _ => {
            bot.game_over(&referee.game_end(Seat::First));
            Ok(())
        }
    }
}

fn cause_of(cause: &Failure) -> String {
    match cause {
        Failure::Fault(fault) if fault.status == Status::StartupFailed => fault.evidence.sentence(fault.status),
        Failure::Fault(fault) => format!("{}: {}", fault.status, fault.evidence.sentence(fault.status)),
        Failure::Void(why) => why.clone(),
    }
}
