//! One game against a built-in opponent, to see how a bot behaves.

use std::time::Duration;

use crate::clock::TimeControl;
use crate::event::bot_seeds;
use crate::game;
use crate::player::process::Bot;
use crate::player::sample::SampleMover;
use crate::player::{Aftermath, Failure, Player};
use crate::record::{GameResult, Status};
use crate::referee::{Fault, Setup};
use crate::rules::{Move, Seat, Variant};

/// A game that was played.
#[derive(Default)]
pub(super) struct TrialGame {
    pub(super) label: &'static str,
    pub(super) failure: Option<Failure>,
    pub(super) resigned: bool,
    pub(super) moves: Vec<Move>,
    /// The slowest of the bot's moves, if it made any.
    pub(super) slowest: Option<Duration>,
    /// It played to the end, and its process was gone after that.
    pub(super) has_left: bool,
    pub(super) aftermath: Aftermath,
}

impl TrialGame {
    /// Plays against an opponent that makes the sample moves, at most `max_plies`.
    pub(super) fn play(
        bot: &mut Bot,
        variant: &Variant,
        clock: TimeControl,
        seat: Seat,
        seed: u64,
        max_plies: Option<usize>,
    ) -> Self {
        let mut opponent = SampleMover;
        let setup = Setup { variant, seed, opening: &[], clock, max_plies };
        let mut players: [&mut dyn Player; 2] = [bot, &mut opponent];
        players.rotate_left(seat.index());
        let (referee, aftermath) = match game::play(&setup, bot_seeds(seed, "check"), players, None) {
            Ok(played) => played,
            Err(why) => return Self { failure: Some(Failure::Void(why)), ..Self::default() },
        };
        let (mut verdict, moves, played) = referee.into_parts();
        let own = played.iter().enumerate().filter(|(ply, _)| Seat::after(*ply) == seat);
        let (status, evidence) = (verdict.statuses[seat.index()], verdict.evidence[seat.index()].take());
        let failure = match verdict.result {
            GameResult::Void => Some(Failure::Void(verdict.reason)),
            _ => status.is_fault().then(|| Fault { status, evidence: evidence.unwrap_or_default() }.into()),
        };
        Self {
            label: variant.label,
            resigned: status == Status::Resigned,
            moves,
            slowest: own.map(|(_, played)| Duration::from_micros(played.us)).max(),
            has_left: failure.is_none() && !bot.is_started(),
            failure,
            aftermath: aftermath.into_iter().nth(seat.index()).unwrap_or_default(),
        }
    }
}
