//! Plays games: bots found, checked, started and asked.
//!
//! | module | purpose | must not know |
//! |---|---|---|
//! | [`player`] | the players of a game; only `player::process` communicates with processes | the tournament |
//! | [`game`] | connects a referee and two players | anything else |
//! | [`executor`] | jobs in, outcomes out: slots on this machine | the order of games |
//! | [`roster`], [`check`] | finds bots, and tests whether they work | the tournament |
//! | [`strength`] | how strong a bot is, against built-in bots of known strength | tournaments |
//! | [`program`] | rules that are a program: its manifest, messages and processes, as a [`State`](arena_core::rules::State) | bots, clocks, tournaments |

pub mod check;
pub mod executor;
pub mod game;
pub mod player;
pub mod program;
pub mod roster;
pub mod strength;
