//! Results for programs: JSON, and XML for CI servers.
//!
//! `summary` has the ranking of all games. `tournament` adds the definition of the tournament, its progress and warnings.
//! `junit` has the same results as test cases.

pub(super) mod junit;
pub(super) mod summary;
pub(super) mod tournament;
