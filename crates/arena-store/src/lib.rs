//! The journal of a tournament, and every file that is made from it.
//!
//! | module | purpose | must not know |
//! |---|---|---|
//! | [`journal`] | append, recover, lock, read | schedules, ratings |
//! | [`report`] | CSV, tables, pages and plots from a schedule and its journal | how games are played |

// Fixtures name this crate as the others do.
#[cfg(test)]
extern crate self as arena_store;

#[cfg(test)]
#[path = "../../arena-core/src/fixture.rs"]
mod fixture;
pub mod journal;
pub mod report;
