//! How strong one bot is, on a ladder of built-in bots of known strength.
//!
//! The [rungs](RUNGS) do a fixed amount of work, so that they play alike on every machine. Their ratings come from a tournament of all of
//! them, in which `random` is 0; they are in the program, by game ([`Ladder`]). A bot then plays pairs of games against the rung that is
//! nearest to what is known of it, until its rating is known well enough ([`Measurement`]).

mod ladder;
mod measure;
mod rungs;

pub use ladder::{Ladder, RatedRung, RungRow, rung_bots};
pub use measure::{Measured, Measurement};
pub use rungs::{RUNGS, Rung};
