//! A person: answers arrive by a channel.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use arena_core::cause::Cause;
use arena_core::clock::{Charge, Clock, Flagged, Taken, TimeControl};
use arena_core::record::Status;
use arena_core::referee::{Answer, Fault, Question};
use arena_core::rules::Move;
use arena_sys::time::now;

use super::Player;

/// The name of a person, which no bot may have; also a person's fingerprint in records.
pub const HUMAN: &str = "human";
/// The reason of a game that was stopped.
pub const STOPPED: &str = "stopped";

/// What a person does in a running game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Makes a move.
    Move {
        /// Moves before it: an answer to an earlier question is ignored.
        ply: usize,
        /// The move; the sender checks that it is legal.
        played: Move,
    },
    /// Gives up.
    Resign {
        /// Moves before it.
        ply: usize,
    },
    /// Lets a bot that waits be asked.
    Step,
    /// Stops the game.
    Stop,
}

/// A person as a player.
#[derive(Debug)]
pub struct Human<'a> {
    inputs: &'a Mutex<Receiver<Input>>,
    clock: Option<Clock>,
}

impl<'a> Human<'a> {
    /// A person whose inputs arrive in `inputs`, which two persons may share; with a clock of its own for one game, or without
    /// any limit. The clock of the game, which is that of bots, is not charged.
    #[must_use]
    pub fn new(inputs: &'a Mutex<Receiver<Input>>, control: Option<TimeControl>) -> Self {
        Self { inputs, clock: control.map(Clock::new) }
    }

    /// The time for the next move, if it is limited.
    #[must_use]
    pub fn limit(&self) -> Option<Duration> {
        self.clock.as_ref().map(Clock::budget)
    }
}

impl Player for Human<'_> {
    fn ask(&mut self, question: Question<'_>) -> Answer {
        let begun = now();
        let inputs = self.inputs.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let input = match &self.clock {
                Some(clock) => {
                    let deadline = clock.time_left(clock, None).deadline();
                    inputs.recv_timeout(deadline.saturating_sub(now() - begun))
                }
                None => inputs.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match input {
                Ok(Input::Move { ply, played }) if ply == question.ply => {
                    let taken = now() - begun;
                    return match self.clock.as_mut().map(|clock| clock.spend(&taken.into())) {
                        Some(Err(flagged)) => late(flagged, taken),
                        _ => Answer::Move(played.into(), Taken::default()),
                    };
                }
                Ok(Input::Resign { ply }) if ply == question.ply => return Answer::Resign,
                Ok(Input::Stop) | Err(RecvTimeoutError::Disconnected) => return Answer::Void(STOPPED.to_owned()),
                Err(RecvTimeoutError::Timeout) => {
                    let (limit, charge) = (self.limit().unwrap_or_default(), Charge::Wall);
                    return late(Flagged { limit, took: None, charge }, now() - begun);
                }
                Ok(_) => {}
            }
        }
    }
}

/// A person has used up its time.
fn late(flagged: Flagged, waited: Duration) -> Answer {
    let mut fault = Fault::new(Status::Timeout, Cause::LateMove, flagged.to_string());
    fault.evidence.elapsed_us = Some(waited.as_micros() as u64);
    Answer::Fault(fault)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use arena_core::record::GameResult;
    use arena_core::referee::{RefereeSetup, Verdict};

    use super::*;
    use crate::game;
    use crate::player::sample::SampleMover;

    /// The game of a person who moves first against an opponent that plays sample moves.
    fn play(limit: Duration, control: Option<TimeControl>, said: Vec<Input>) -> (Verdict, Vec<Move>, u64) {
        let (sender, inputs) = channel();
        for input in said {
            sender.send(input).unwrap();
        }
        drop(sender);
        let inputs = Mutex::new(inputs);
        let variant = "tictactoe".parse().unwrap();
        let setup = RefereeSetup {
            variant: &variant,
            seed: 1,
            opening: &[],
            clock: TimeControl::per_move(limit),
            max_plies: None,
        };
        let (mut person, mut other) = (Human::new(&inputs, control), SampleMover);
        let (referee, _) = game::play(&setup, [1, 2], [&mut person, &mut other], None).unwrap();
        let game = referee.into_game();
        (game.verdict, game.moves, game.played.first().map_or(0, |played| played.us))
    }

    #[test]
    fn a_move_for_another_ply_is_ignored_and_no_time_is_taken() {
        let cell = |col| Move::List(vec![0, col]);
        let said = vec![
            Input::Step,
            Input::Move { ply: 4, played: cell(2) },
            Input::Resign { ply: 1 },
            Input::Move { ply: 0, played: cell(1) },
            Input::Stop,
        ];
        let (verdict, moves, us) = play(Duration::from_millis(1), None, said);
        assert_eq!((verdict.result, verdict.reason.as_str()), (GameResult::Void, STOPPED));
        assert_eq!((&moves[0], moves.len(), us), (&cell(1), 2, 0));
    }

    #[test]
    fn a_person_with_a_clock_loses_on_time() {
        let (sender, inputs) = channel();
        let inputs = Mutex::new(inputs);
        let variant = "tictactoe".parse().unwrap();
        let clock = TimeControl::per_move(Duration::from_secs(1));
        let setup = RefereeSetup { variant: &variant, seed: 1, opening: &[], clock, max_plies: None };
        let own = TimeControl::per_move(Duration::from_millis(1));
        let (mut person, mut other) = (Human::new(&inputs, Some(own)), SampleMover);
        let (referee, _) = game::play(&setup, [1, 2], [&mut person, &mut other], None).unwrap();
        drop(sender);
        let verdict = referee.into_game().verdict;
        assert_eq!((verdict.result, verdict.statuses[0]), (GameResult::SecondWins, Status::Timeout));
        let evidence = verdict.evidence[0].as_ref().unwrap();
        assert_eq!(evidence.message, "no move within 1 ms");
        assert!(evidence.elapsed_us >= Some(1_000));
    }

    /// The bot has a millisecond for a move, and the person is in time by its own clock, which is what it may see.
    #[test]
    fn the_clock_of_bots_is_not_that_of_a_person() {
        let own =
            TimeControl { move_ms: None, bank_ms: Some(60_000), ..TimeControl::per_move(Duration::from_secs(60)) };
        let said = vec![Input::Move { ply: 0, played: Move::List(vec![1, 1]) }, Input::Resign { ply: 2 }];
        let (verdict, moves, us) = play(Duration::from_millis(1), Some(own), said);
        assert_eq!((verdict.statuses[0], moves.len(), us), (Status::Resigned, 2, 0));
        let inputs = Mutex::new(channel().1);
        assert_eq!(Human::new(&inputs, Some(own)).limit(), Some(Duration::from_secs(60)));
        assert_eq!(Human::new(&inputs, None).limit(), None);
    }

    #[test]
    fn a_person_may_resign_and_may_go() {
        let (verdict, ..) = play(Duration::from_secs(1), None, vec![Input::Resign { ply: 0 }]);
        assert_eq!((verdict.result, verdict.statuses[0]), (GameResult::SecondWins, Status::Resigned));
        let (verdict, ..) = play(Duration::from_secs(1), None, vec![]);
        assert_eq!(verdict.result, GameResult::Void);
    }
}
