//! What several commands read from the command line: groups of flags, and the values that flags take.
//!
//! A group of flags is a struct that a command flattens into its own `Args`; its methods make the settings that a session
//! or a guard takes. A value has a function that reads it, and says in its error what would be right. Flags that only
//! commands which play have are in `run`.
//!
//! | file | flags or values |
//! |---|---|
//! | `shared` | `--results`, `--bots`, `--bot` and time control; numbers, choices, on or off |
//! | `game` | `--game`, and the programs that are rules |
//! | `moves` | moves as people type them |
//! | `format`, `seeding` | tournament formats, as the formats declare them; seeds from the standings of another tournament |
//! | `rating` | ratings and ranks |
//! | `guard`, `strikes` | sandbox and limits of bots; when a bot is withdrawn |
//! | `budget`, `shard`, `nats` | a budget of time; a part of a tournament; the broker and its workers |
//! | `sprt` | the parameters of a sequential test |
//! | `key_values` | lists of `key=value` |
//! | `parameters` | what games and strategies declare, as a list |
//! | `signatures` | what a build without signatures says |
//! | `foreign_flags` | flags of other programs, and what to write instead |

pub(super) mod budget;
pub(super) mod foreign_flags;
pub(super) mod format;
pub(super) mod game;
pub(super) mod guard;
pub(super) mod key_values;
pub(super) mod moves;
#[cfg(feature = "nats")]
pub(super) mod nats;
pub(super) mod parameters;
pub(super) mod rating;
pub(super) mod seeding;
pub(super) mod shard;
pub(super) mod shared;
#[cfg(not(feature = "nats"))]
pub(super) mod signatures;
pub(super) mod sprt;
pub(super) mod strikes;
