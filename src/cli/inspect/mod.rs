//! Commands that read bots, games, positions and results, and print what they find.
//!
//! | file | what it reads |
//! |---|---|
//! | `standings`, `history`, `similar`, `analyze`, `verify` | the journal of a tournament, or games from files |
//! | `replay` | recorded games, listed or step by step |
//! | `open` | the pages of results |
//! | `bots`, `games` | the bots folder; the games and their parameters |
//! | `judge`, `solve` | positions |
//! | `plan`, `sprt` | the premises of a tournament or test, given as flags |
//! | `explain` | a status or the reason of an ending |
//!
//! Of these only `standings`, `analyze` and `open` write to a results folder: what follows from the journal.

pub(super) mod analyze;
pub(super) mod bots;
pub(super) mod explain;
pub(super) mod games;
pub(super) mod history;
pub(super) mod judge;
pub(super) mod open;
pub(super) mod plan;
pub(super) mod replay;
pub(super) mod similar;
pub(super) mod solve;
pub(super) mod sprt;
pub(super) mod standings;
pub(super) mod verify;
