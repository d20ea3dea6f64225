//! What people look at, as pure data: a stored game becomes a [`Story`], a position a
//! [`Picture`](crate::rules::Picture), and a step from one position to the next a [`Delta`]. Terminal, report and live page draw
//! these, and none of them knows the rules of a game.

mod delta;
mod story;
pub mod svg;

pub use delta::{Delta, delta};
pub use story::{Ply, ReplayError, Story};
