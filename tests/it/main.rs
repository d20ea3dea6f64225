//! All integration tests, in one binary so that they link once.
#[cfg(target_os = "linux")]
mod cli;
mod clocks;
mod contained;
mod durable;
mod endurance;
mod faults;
mod guard;
#[cfg(target_os = "linux")]
mod hostile;
mod journal;
mod judge;
mod judge_anything;
mod layering;
mod mastermind;
mod matches;
mod memory;
mod openings;
mod playing;
mod procfs;
mod ratings;
mod ratings_cli;
mod ratings_coverage;
mod ratings_laws;
mod ratings_sprt;
mod roster;
mod rules_boards;
mod rules_counts;
mod rules_laws;
mod rules_traps;
mod starters;
mod strength;
mod strikes;
mod support;
mod tournament;
mod transcripts;
mod wire_properties;
