//! Games against best play: the value of every position, and what each move cost. Pure.
//!
//! ```text
//! record ── line ──> positions ── walk ──> values of one game ── entry ──> a line of analysis.jsonl
//!                                  │ memory                        │ verdict
//!                                  └ positions of this run         ├ table ──> a row for each bot
//!                                                                  └ marks ──> the words on each move
//! ```
//!
//! In `mastermind` there is no value: what a guess costs is counted in guesses, against a reference strategy (`guesses`, `regret`).
//!
//! An entry may come from someone else (`check`).
//!
//! Two kinds of mistakes are kept apart: a move *gives away* the result if its mover has a worse one after it, and is *slower*
//! if the result is the same and its distance worse. What is not solved is counted apart, and never guessed.

mod best;
mod check;
mod entry;
mod guesses;
mod line;
mod marks;
mod memory;
mod phase;
mod regret;
mod table;
#[cfg(test)]
mod tests;
mod verdict;
mod walk;
mod worst;

pub use check::{SharedPositions, contradiction};
pub use entry::{Entry, can_judge, is_guessed, solver_name};
pub use guesses::GuessWalker;
pub use line::{Line, LineError};
pub use marks::{Mark, Marks, short};
pub use memory::{MEMORY_MAX, Memory};
pub use phase::{PHASES, PhaseCount};
pub use regret::{GuessedGame, RegretRow, RegretTable};
pub use table::{AnalysedGame, AnalysisRow, AnalysisTable};
pub use verdict::{GivenAway, GuessCost, Verdict, verdict};
pub use walk::{Asked, GameValues, UNSOLVED_MAX, Walker};
pub use worst::WorstPosition;
