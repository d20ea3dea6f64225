//! One question to a bot, for its author.

use std::sync::Arc;
use std::time::Duration;

use arena_core::clock::TimeControl;
use arena_core::record::{Evidence, Status};
use arena_core::referee::{Answer, GameEnd, GameStart, Question};
use arena_core::rules::{Move, Seat, Variant};

use super::mark::{CheckMark, declined};
use super::trial_game::{TrialOutcome, TrialSetup};
use crate::player::process::{Bot, Launch, SharedProcessor};
use crate::player::{Aftermath, Failure, LogLine, Player};

/// A position to ask about.
#[derive(Debug, Clone, Copy)]
pub struct AskedPosition<'a> {
    /// The game.
    pub variant: &'a Variant,
    /// The seed of the game.
    pub seed: u64,
    /// The moves that lead to the position; the game is not over after them.
    pub moves: &'a [Move],
    /// The seat on move, which the bot gets.
    pub seat: Seat,
    /// The time control.
    pub clock: TimeControl,
}

/// What came of a question.
#[derive(Debug)]
pub struct AnsweredPosition {
    /// The request as the bot got it, escaped; `None` if it did not get that far.
    pub request: Option<String>,
    /// The line that the bot wrote last after it, escaped.
    pub reply: Option<String>,
    /// The move, if it replied with one, legal or not.
    pub played: Option<Move>,
    /// Its evaluation of the position, −1 to 1, if it gave one.
    pub eval: Option<f64>,
    /// The time of the reply.
    pub time: Option<Duration>,
    /// The processor time, where it was measured.
    pub cpu: Option<Duration>,
    /// The verdict, with advice.
    pub mark: CheckMark,
    /// What else the bot wrote, and remarks of the referee.
    pub log: Vec<LogLine>,
}

/// Starts the bot and asks for one move.
#[must_use]
pub fn ask(launch: &Arc<Launch>, position: &AskedPosition<'_>, runtime: &tokio::runtime::Handle) -> AnsweredPosition {
    let &AskedPosition { variant, seed, moves, seat, clock } = position;
    let mut bot = Bot::new(Arc::clone(launch), runtime.clone(), SharedProcessor::default()).in_check();
    let mut listener =
        Listener { bot: &mut bot, request: None, reply: None, played: None, eval: None, time: None, cpu: None };
    let trial = TrialSetup { variant, clock, seat, seed, opening: moves, moves_max: Some(1) };
    let TrialOutcome { failure, status, aftermath, .. } = trial.play(&mut listener, "ask");
    let Listener { request, reply, played, eval, time, cpu, .. } = listener;
    bot.leave();
    let mut log = aftermath.log;
    log.extend(bot.take_log());
    let what = format!("plays {}", variant.label);
    let mark = match (&failure, &played) {
        (Some(_), _) if bot.declined().is_some() => CheckMark::note(what, declined(&bot), None),
        (Some(failure), _) => {
            let mark = CheckMark::failed(&what, request.is_some().then_some(seat), failure, launch);
            // The lines of both sides are whole here.
            if request.is_some() { CheckMark { details: Vec::new(), ..mark } } else { mark }
        }
        (None, Some(played)) => CheckMark::good(what, format!("move {played}")),
        (None, None) if status == Status::Resigned => CheckMark::note(what, "it resigned", None),
        (None, None) => CheckMark::note(what, "it was not asked", None),
    };
    AnsweredPosition { request, reply, played, eval, time, cpu, mark, log }
}

/// The bot, and what is exchanged with it.
struct Listener<'a> {
    bot: &'a mut Bot,
    request: Option<String>,
    reply: Option<String>,
    played: Option<Move>,
    eval: Option<f64>,
    time: Option<Duration>,
    cpu: Option<Duration>,
}

impl Player for Listener<'_> {
    fn new_game(&mut self, game: &GameStart<'_>) -> Result<(), Failure> {
        self.bot.new_game(game)
    }

    fn ask(&mut self, question: Question<'_>) -> Answer {
        let answer = self.bot.ask(question);
        let exchange = self.bot.exchange();
        self.request = Some(exchange.sent);
        let is_dropped = matches!(&answer, Answer::Fault(fault) if fault.evidence.last_dropped.is_some());
        self.reply = exchange.is_reply.then_some(exchange.received).filter(|_| !is_dropped);
        if let Answer::Move(reply, taken) = &answer {
            self.played = Some(reply.played.clone());
            self.eval = reply.eval;
            (self.time, self.cpu) = (Some(taken.wall), taken.cpu);
        }
        answer
    }

    fn at_fault(&mut self, evidence: &mut Evidence) {
        self.bot.at_fault(evidence);
    }

    fn game_over(&mut self, end: &GameEnd<'_>) -> Aftermath {
        self.bot.game_over(end)
    }
}
