//! The application without a terminal: whole tournaments, and a person at a board.
//!
//! | module | purpose | must not know |
//! |---|---|---|
//! | [`tournament`] | the dispatcher: connects schedule, executor, journal and observers | how anything is shown |
//! | [`session`] | a tournament from its settings to its tables | arguments, stdout |
//! | [`sitting`] | a person at a board: moves, undo, hints, and the thread that plays | terminals |

// Fixtures name this crate as the others do.
#[cfg(test)]
extern crate self as arena_run;

#[cfg(test)]
#[path = "../../arena-core/src/fixture.rs"]
mod fixture;
pub mod session;
pub mod sitting;
pub mod tournament;
