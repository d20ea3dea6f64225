//! A built-in opponent for trying bots out.

use super::{Aftermath, Failure, Player};
use crate::clock::Taken;
use crate::referee::{Answer, GameEnd, GameStart, Question};

/// Plays the sample move of every question, instantly.
#[derive(Debug, Clone, Copy)]
pub struct SampleMover;

impl Player for SampleMover {
    fn new_game(&mut self, _game: &GameStart<'_>) -> Result<(), Failure> {
        Ok(())
    }

    fn ask(&mut self, question: Question<'_>) -> Answer {
        Answer::Move(question.sample_move.into(), Taken::default())
    }

    fn game_over(&mut self, _end: &GameEnd<'_>) -> Aftermath {
        Aftermath::default()
    }
}
