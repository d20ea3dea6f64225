//! All integration tests, in one binary so that they link once.

mod judge;
mod judge_anything;
mod mastermind;
mod playing;
mod ratings;
mod ratings_coverage;
mod ratings_laws;
mod ratings_sprt;
mod rules_boards;
mod rules_counts;
mod rules_laws;
mod rules_traps;
