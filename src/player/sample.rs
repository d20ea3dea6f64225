//! A built-in opponent for trying bots out.

use super::Player;
use crate::clock::Taken;
use crate::referee::{Answer, Question};

/// Plays the sample move of every question, instantly.
#[derive(Debug, Clone, Copy)]
pub struct SampleMover;

impl Player for SampleMover {
    fn ask(&mut self, question: Question<'_>) -> Answer {
        Answer::Move(question.sample_move.into(), Taken::default())
    }
}
