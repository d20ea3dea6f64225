//! An opponent of no strength that is always there, for trying bots out.

use super::{Aftermath, NotReady, Player};
use crate::clock::Taken;
use crate::referee::{Answer, GameEnd, GameStart, Question};

/// Plays the sample move of every question, instantly, and remembers nothing.
#[derive(Debug, Clone, Copy)]
pub struct SampleMover;

impl Player for SampleMover {
    fn new_game(&mut self, _game: &GameStart<'_>) -> Result<(), NotReady> {
        Ok(())
    }

    fn ask(&mut self, question: Question<'_>) -> Answer {
        Answer::Move(question.sample_move.into(), Taken::default())
    }

    fn game_over(&mut self, _end: &GameEnd<'_>) -> Aftermath {
        Aftermath::default()
    }
}
