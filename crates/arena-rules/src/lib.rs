//! The rules of every game of `arena`, and perfect play as far as it is known. No files, no processes, no clock and no randomness but
//! a seed.
//!
//! | module | purpose | must not know |
//! |---|---|---|
//! | [`text`], [`suggest`], [`rng`] | escapes foreign text; the nearest known name; seeds and random numbers | everything else |
//! | [`registry`] | what a program adds to built-in lists | what is listed |
//! | [`rules`] | the rules of every game, one file each | bots, time, files, the wire |
//! | [`result`] | how a game ended, as tables write it | how games are played |
//! | [`solver`] | perfect play: the value of positions, one file a game | bots, time, what it is asked for |

pub mod registry;
pub mod result;
pub mod rng;
pub mod rules;
pub mod solver;
pub mod suggest;
pub mod text;
