//! Facts in words, each in one place: what the terminal, the page, Markdown and JSON say of the same thing is the same.
//!
//! | file | words |
//! |---|---|
//! | `faults`, `warnings` | what went wrong; what is missing, void or withdrawn |
//! | `statements` | conclusions from the numbers |
//! | `sprt`, `verdict`, `match_figures` | a sequential test, its verdict, and the figures of a match |
//! | `ending`, `withdrawn` | why a format has no more games; why a bot was withdrawn |
//! | `format_text` | who plays whom |
//! | `reproduce` | commands that repeat a failure |

pub(super) mod ending;
pub(super) mod faults;
pub(super) mod format_text;
pub(super) mod match_figures;
pub(super) mod reproduce;
pub(super) mod sprt;
pub(super) mod statements;
pub(super) mod verdict;
pub(super) mod warnings;
pub(super) mod withdrawn;
