//! Policies: when a tournament ends, and which games it adds because of its results.

use std::ops::ControlFlow;

use serde::Serialize;

use super::{Brief, Planned, Scheduler};
use crate::event::Tournament;
use crate::format::Pair;
use crate::rules::Move;
use crate::stats::Estimate;

/// Decides on complete prefixes of the schedule, so that no decision depends on which game ended first.
pub trait Policy {
    /// Called with the tournament's definition before the first game.
    fn begin(&mut self, _event: &Tournament) {}

    /// Called for every settled game in order of the schedule, without a gap. Breaks to end the tournament after this many
    /// games, at least those seen.
    fn settled(&mut self, _game: &Planned, _brief: &Brief) -> ControlFlow<u32> {
        ControlFlow::Continue(())
    }

    /// Whether it may end the tournament before the last game.
    fn may_end_early(&self) -> bool {
        false
    }

    /// State of its test, if it has one.
    fn status(&self) -> Option<TestStatus> {
        None
    }

    /// A warning, returned once.
    fn warning(&mut self) -> Option<String> {
        None
    }

    /// Called once all games are settled; the tournament is over if nothing is added.
    fn more(&mut self, _scheduler: &Scheduler) -> Option<Addition> {
        None
    }
}

/// Plays the schedule as it is.
impl Policy for () {}

/// State of a test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TestStatus {
    /// Elo of the first bot against the second, if known.
    pub elo: Option<Estimate>,
    /// The log-likelihood ratio of a sequential test, and its two bounds.
    pub llr: Option<(f64, [f64; 2])>,
}

/// Pairs to append to a schedule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Addition {
    /// The pairs, in order of play.
    pub pairs: Vec<Pair>,
    /// Additional openings for them.
    pub openings: Vec<Vec<Move>>,
    /// Whether these are whole rounds, which do not depend on results.
    pub is_whole: bool,
}
