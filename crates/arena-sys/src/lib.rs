//! What the arena asks of the system beyond processes: the clocks, random numbers, results folders and the speed of this machine.
//!
//! | module | purpose | must not know |
//! |---|---|---|
//! | [`time`], [`entropy`] | the clocks and the random numbers of the system, and waiting | everything else |
//! | [`results_folder`] | the files of a results folder, in which no link is followed | what is in them |
//! | [`machine`] | this machine: its class, its measured speed, and the sandboxes that were tried on it | games, records of others |
//! | [`flags`] | the names of the settings that messages mention | everything else |

pub mod entropy;
pub mod flags;
pub mod machine;
pub mod results_folder;
pub mod time;
