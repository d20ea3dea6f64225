//! Hostile bots, each in a tournament of the real binary with two honest ones, and the promises for all of them. The rows
//! are those of the table in `MATRIX.md`.
//!
//! For every bot, `Scenario::play` asserts that
//! - the tournament ends within ten seconds plus, for each of its four games, twice the time that the bot was allowed, 250
//!   ms, and the machine's own delay;
//! - a second later no process of it is left, and immediately no scratch file;
//! - the arena never held more than 64 MiB, 200 descriptors, or a handful of dead processes;
//! - all output is free of control characters, and of bounded size;
//! - nothing in the bots folder has changed;
//! - the honest bots have exactly the games that they have without it;
//! - no attempt of the bot that must fail succeeded.

mod accomplices;
mod bounds;
mod busy;
mod container;
mod documented;
mod files;
mod foreign;
mod large;
mod planted;
mod rows;
mod scenario;
mod strangers;
mod talk;
mod thieves;
mod trespass;
pub(crate) mod watched;

use std::process::{Command, Stdio};

pub(crate) use busy::Hogs;
pub(crate) use rows::lacks;

/// A time limit that is meant to be reached, and one that is not.
const SHORT_MS: u64 = 200;
const MARGIN_MS: u64 = 100;
const AMPLE_MS: u64 = 10_000;

const NO_CONTAINER: &str = "this system does not let us make a container";

const HOSTILE: &str = "hostile";

/// Runs `command` to its end; returns its output.
fn output(command: &mut Command) -> Option<std::process::Output> {
    command.stdin(Stdio::null()).output().ok()
}
