//! What people look at, as pure data: games become a [`Ranking`] of [`RankedBot`]s, a stored game a [`Story`], a position a
//! [`Picture`](arena_core::rules::Picture), and a step from one position to the next a [`Delta`]. Files, terminal, report and live page
//! draw these; they compute nothing, and none of them knows the rules of a game.

mod delta;
mod matches;
mod matrix;
mod ranked_bot;
mod ranking;
mod story;
pub mod svg;
mod table;

pub use delta::{Delta, delta};
pub use matches::{Bracket, BracketMatch, RoundCell, RoundTable, match_line};
pub use matches::{capital, decided_by, points};
pub use matrix::{Cell, Matrix};
pub use matrix::{shade, whole_percent};
pub use ranked_bot::RankedBot;
pub use ranked_bot::range_of_ranks;
pub use ranking::{Ranking, TagColumn};
pub use story::{Ply, ReplayError, Story};
pub use table::{Table, padded};
