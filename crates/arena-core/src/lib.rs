//! The pure core of `arena`: rules of games, referee, tournament formats, schedules and ratings. No files, no processes, no
//! clock and no randomness but a seed.
//!
//! ```text
//! rules ← clock ← referee          stats: ratings, tests, margins
//!   ↖ record ← format ← event ← schedule
//!        openings, import
//! ```

pub mod cause;
pub mod clock;
pub mod event;
#[cfg(test)]
mod fixture;
pub mod format;
#[cfg(feature = "import")]
pub mod import;
pub mod openings;
pub mod record;
pub mod referee;
pub mod rng;
pub mod rules;
pub mod schedule;
pub mod stats;
pub mod suggest;
pub mod text;
