//! A player for tests that answers from a list: the referee and whole games can be tried without a process.

use std::collections::VecDeque;
use std::time::Duration;

use super::{Aftermath, NotReady, Player};
use crate::clock::Taken;
use crate::protocol::{GameOver, MoveRequest, NewGame};
use crate::record::Status;
use crate::referee::{Answer, Fault, Reply};
use crate::rules::Move;

/// Gives its answers in order; once they run out it plays the sample move, instantly.
#[derive(Debug, Default)]
pub struct Scripted {
    /// What [`Player::new_game`] returns, once.
    pub not_ready: Option<NotReady>,
    /// What is still to be answered.
    pub answers: VecDeque<Answer>,
    /// The games it was told the end of.
    pub overs: Vec<GameOver>,
    /// What it was asked.
    pub requests: Vec<MoveRequest>,
}

impl Scripted {
    /// Plays `moves` in order, each taking no time.
    #[must_use]
    pub fn moves(moves: &[Move]) -> Self {
        let answers = moves.iter().map(|played| Answer::Move(instantly(played.clone()))).collect();
        Self { answers, ..Self::default() }
    }

    /// Commits one fault when first asked.
    #[must_use]
    pub fn faulty(status: Status) -> Self {
        Self { answers: VecDeque::from([Answer::Fault(Fault::new(status, "scripted"))]), ..Self::default() }
    }
}

/// A reply without remarks that took no time.
#[must_use]
pub fn instantly(played: Move) -> Reply {
    Reply { played, taken: Taken::default(), eval: None, comment: None, debug: None }
}

impl Player for Scripted {
    fn new_game(&mut self, _game: NewGame) -> Result<(), NotReady> {
        self.not_ready.take().map_or(Ok(()), Err)
    }

    fn ask(&mut self, request: MoveRequest, _limit: Duration) -> Answer {
        let answer = self.answers.pop_front().unwrap_or_else(|| Answer::Move(instantly(request.sample_move.clone())));
        self.requests.push(request);
        answer
    }

    fn game_over(&mut self, over: GameOver) -> Aftermath {
        self.overs.push(over);
        Aftermath::default()
    }
}
