//! An opponent of no strength that is always there, for trying bots out.

use std::time::Duration;

use super::{Aftermath, NotReady, Player};
use crate::clock::Taken;
use crate::protocol::{GameOver, MoveRequest, NewGame};
use crate::referee::{Answer, Reply};
use crate::rules::Move;

/// Plays the sample move of every request, instantly, and remembers nothing.
#[derive(Debug, Clone, Copy)]
pub struct SampleMover;

/// A reply without remarks that took no time.
#[must_use]
pub fn instantly(played: Move) -> Reply {
    Reply { played, taken: Taken::default(), eval: None, comment: None, debug: None }
}

impl Player for SampleMover {
    fn new_game(&mut self, _game: NewGame) -> Result<(), NotReady> {
        Ok(())
    }

    fn ask(&mut self, request: MoveRequest, _limit: Duration) -> Answer {
        Answer::Move(instantly(request.sample_move))
    }

    fn game_over(&mut self, _over: GameOver) -> Aftermath {
        Aftermath::default()
    }
}
