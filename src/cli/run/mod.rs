//! Commands that start bots: they play, check or talk to them. And what these commands share.
//!
//! | file | command |
//! |---|---|
//! | `tournament`, `match_bots`, `series`, `rerun` | whole tournaments |
//! | `shard` | a part of a tournament: `arena tournament --shard` |
//! | `coordinate`, `worker`, `workers` | tournaments on many machines |
//! | `play` | a person at a board |
//! | `check`, `ask`, `talk`, `doctor` | one bot at a time, and how well this machine contains bots |
//! | `bot` | a built-in strategy as a bot |
//!
//! A command that plays games has four steps. `event_args`, `contest` and `roster_args` make the settings and find the bots.
//! `progress` and `serve` observe the run. `play_games` plays the missing games, writes the tables and shows the results.
//! `again` says how to resume, `left_out` which bots do not play. `index` renews the page of all tournaments.
//!
//! Commands for one bot find and start it through `one_bot`. `remembered` keeps which files options have written.

pub(super) mod again;
pub(super) mod ask;
pub(super) mod bot;
pub(super) mod check;
pub(super) mod contest;
#[cfg(feature = "nats")]
pub(super) mod coordinate;
pub(super) mod doctor;
pub(super) mod event_args;
pub(super) mod feedback;
pub(super) mod index;
pub(super) mod left_out;
pub(super) mod match_bots;
pub(super) mod one_bot;
pub(super) mod play;
pub(super) mod play_games;
pub(super) mod progress;
pub(super) mod remembered;
pub(super) mod rerun;
pub(super) mod roster_args;
pub(super) mod series;
#[cfg(feature = "serve")]
pub(super) mod serve;
pub(super) mod shard;
pub(super) mod talk;
pub(super) mod tournament;
#[cfg(feature = "nats")]
pub(super) mod worker;
#[cfg(feature = "nats")]
pub(super) mod workers;
