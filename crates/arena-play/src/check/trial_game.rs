//! One game against a built-in opponent, to see how a bot behaves.

use std::time::Duration;

use arena_core::cause::Cause;
use arena_core::clock::{Taken, TimeControl, TimeLeft};
use arena_core::event::bot_seeds;
use arena_core::record::{Evidence, GameResult, Status};
use arena_core::referee::{Answer, Fault, GameEnd, GameStart, Question, RefereeSetup, RefereedGame};
use arena_core::rules::{Move, Seat, Variant};
use arena_sys::time::now;

use crate::game;
use crate::player::process::Bot;
use crate::player::sample::SampleMover;
use crate::player::{Aftermath, Failure, Player};

/// A game to play.
#[derive(Debug, Clone, Copy)]
pub(super) struct TrialSetup<'a> {
    pub(super) variant: &'a Variant,
    pub(super) clock: TimeControl,
    /// The seat of the bot.
    pub(super) seat: Seat,
    pub(super) seed: u64,
    /// The moves it starts from.
    pub(super) opening: &'a [Move],
    /// The most moves after the opening.
    pub(super) moves_max: Option<usize>,
}

/// What came of a game for the bot.
pub(super) struct TrialOutcome {
    pub(super) failure: Option<Failure>,
    pub(super) status: Status,
    pub(super) moves: Vec<Move>,
    pub(super) aftermath: Aftermath,
}

/// A game that was played.
#[derive(Default)]
pub(super) struct TrialGame {
    pub(super) label: &'static str,
    pub(super) failure: Option<Failure>,
    pub(super) resigned: bool,
    pub(super) moves: Vec<Move>,
    /// The slowest of the bot's replies, if it was asked for any.
    pub(super) slowest: Option<Slowest>,
    /// Until it was ready, its start included.
    pub(super) ready_after: Duration,
    /// It played to the end, and its process was gone after that.
    pub(super) has_left: bool,
    pub(super) aftermath: Aftermath,
}

/// The time of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slowest {
    /// From the request to the reply, with the credit.
    pub(super) time: Duration,
    /// No reply came within this time.
    pub(super) is_missing: bool,
    /// The part of the time that is not charged, since others had the processor.
    pub(super) credit: Duration,
    /// The limit of the move.
    pub(super) limit: Duration,
}

impl TrialSetup<'_> {
    /// Plays against an opponent that makes the sample moves; seeds of the players differ by `purpose`.
    pub(super) fn play(&self, bot: &mut dyn Player, purpose: &str) -> TrialOutcome {
        let &Self { variant, clock, seat, seed, opening, moves_max } = self;
        let mut opponent = SampleMover;
        let max_plies = moves_max.map(|moves| opening.len() + moves);
        let setup = RefereeSetup { variant, seed, opening, clock, max_plies };
        let mut players: [&mut dyn Player; 2] = [bot, &mut opponent];
        players.rotate_left(seat.index());
        let (referee, aftermath) = match game::play(&setup, bot_seeds(seed, purpose), players, None) {
            Ok(played) => played,
            Err(why) => {
                let failure = Some(Failure::Void(why.to_string()));
                return TrialOutcome {
                    failure,
                    status: Status::Ok,
                    moves: Vec::new(),
                    aftermath: Aftermath::default(),
                };
            }
        };
        let RefereedGame { mut verdict, moves, .. } = referee.into_game();
        let (status, evidence) = (verdict.statuses[seat.index()], verdict.evidence[seat.index()].take());
        let failure = match verdict.result {
            GameResult::Void => Some(Failure::Void(verdict.reason)),
            _ => status.is_fault().then(|| Fault { status, evidence: evidence.unwrap_or_default() }.into()),
        };
        let aftermath = aftermath.into_iter().nth(seat.index()).unwrap_or_default();
        TrialOutcome { failure, status, moves, aftermath }
    }
}

impl TrialGame {
    /// Whether the bot declined it, in time or not.
    pub(super) fn was_declined(&self) -> bool {
        matches!(&self.failure, Some(Failure::Fault(fault)) if fault.evidence.cause == Some(Cause::Declined))
    }

    /// Plays it and notes how the bot behaves.
    pub(super) fn play(bot: &mut Bot, trial: &TrialSetup<'_>) -> Self {
        let mut timed = TimedBot { bot, slowest: None, ready_after: Duration::ZERO };
        let TrialOutcome { failure, status, moves, aftermath } = trial.play(&mut timed, "check");
        Self {
            label: trial.variant.label,
            resigned: status == Status::Resigned,
            moves,
            slowest: timed.slowest,
            ready_after: timed.ready_after,
            has_left: failure.is_none() && !timed.bot.is_started(),
            failure,
            aftermath,
        }
    }
}

/// A bot whose times are noted. Records have those of moves that count only.
struct TimedBot<'a> {
    bot: &'a mut Bot,
    slowest: Option<Slowest>,
    ready_after: Duration,
}

impl TimedBot<'_> {
    fn note(&mut self, answer: &Answer, allowed: &TimeLeft) {
        let limit = allowed.wall_limit;
        let reply = match answer {
            &Answer::Move(_, Taken { wall, credit, .. }) => {
                Slowest { time: wall + credit, is_missing: false, credit, limit }
            }
            Answer::Fault(fault) if fault.status == Status::Timeout => {
                Slowest { time: limit, is_missing: true, credit: Duration::ZERO, limit }
            }
            _ => return,
        };
        self.slowest = self.slowest.max(Some(reply));
    }
}

impl Player for TimedBot<'_> {
    fn new_game(&mut self, game: &GameStart<'_>) -> Result<(), Failure> {
        let begun = now();
        let ready = self.bot.new_game(game);
        self.ready_after = now() - begun;
        ready
    }

    fn ask(&mut self, question: Question<'_>) -> Answer {
        let allowed = question.time;
        let answer = self.bot.ask(question);
        self.note(&answer, &allowed);
        answer
    }

    fn at_fault(&mut self, evidence: &mut Evidence) {
        self.bot.at_fault(evidence);
    }

    fn game_over(&mut self, end: &GameEnd<'_>) -> Aftermath {
        self.bot.game_over(end)
    }
}
