//! Commands that write something for use elsewhere, and play nothing.
//!
//! | file | what it writes |
//! |---|---|
//! | `merge` | one journal from the shards of a tournament |
//! | `publish` | a folder for a web server |
//! | `export` | tables for analyses |
//! | `new_bot`, `new_game` | a starter for an author |
//! | `check_bot` | a checker for authors who have no arena, beside rules |
//! | `completions`, `man`, `schema` | what describes this program, made from its own definitions |

pub(crate) mod check_bot;
pub(super) mod completions;
pub(super) mod export;
pub(super) mod man;
pub(super) mod merge;
pub(super) mod new_bot;
pub(super) mod new_game;
pub(super) mod publish;
pub(super) mod schema;
