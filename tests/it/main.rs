//! All integration tests, in one binary so that they link once.

mod faults;
mod judge;
mod judge_anything;
mod mastermind;
mod playing;
mod rules_boards;
mod rules_counts;
mod rules_laws;
mod rules_traps;
mod starters;
mod transcripts;
mod wire_properties;
