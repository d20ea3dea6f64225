//! The live page of a run: what requests get, what viewers see, and what they cannot do.

mod client;
mod limits;
mod paced;
mod results;
pub(crate) mod truth;
mod watching;
