//! CSV files, a file each: one row per bot, game, move, match or pair of bots.
//!
//! A table is a list of columns, each with a name and a function that makes a cell of a row. `docs/files.md` describes them
//! all.

pub(super) mod bots;
pub(super) mod covariance;
pub(super) mod games;
pub(super) mod moves;
pub(super) mod rounds;
pub(super) mod standings;
