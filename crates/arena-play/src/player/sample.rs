//! A built-in opponent for trying bots out.

use arena_core::clock::Taken;
use arena_core::referee::{Answer, Question};

use super::Player;

/// Plays the sample move of every question, instantly.
#[derive(Debug, Clone, Copy)]
pub struct SampleMover;

impl Player for SampleMover {
    fn ask(&mut self, question: Question<'_>) -> Answer {
        Answer::Move(question.sample_move.into(), Taken::default())
    }
}
