//! `arena`: a referee and tournament runner for game-playing bots.

pub mod check;
pub mod cli;
pub mod clock;
pub mod event;
pub mod format;
pub mod game;
pub mod journal;
pub mod judge;
pub mod openings;
pub mod player;
pub mod protocol;
pub mod record;
pub mod referee;
pub mod report;
pub mod rng;
pub mod roster;
pub mod rules;
pub mod stats;
pub mod strategy;
mod suggest;
pub mod text;
pub mod tournament;
pub mod verify;
