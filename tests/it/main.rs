//! All integration tests, in one binary so that they link once.

#[cfg(target_os = "linux")]
mod guard;
mod judge;
mod judge_anything;
mod mastermind;
mod playing;
mod rules_boards;
mod rules_counts;
mod rules_laws;
mod rules_traps;
mod starters;
