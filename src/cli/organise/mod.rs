//! Commands for those who hold a contest, made of the other commands.
//!
//! | file | command |
//! |---|---|
//! | `night` | a night of a league: checks, plays and publishes |
//! | `new_contest` | begins a contest: its file, and a folder for bots |

pub(super) mod new_contest;
pub(super) mod night;
