//! `arena`: a referee and tournament runner for game-playing bots.

pub mod clock;
pub mod event;
pub mod format;
pub mod judge;
pub mod protocol;
pub mod record;
pub mod rng;
pub mod rules;
pub mod strategy;
mod suggest;
pub mod text;
