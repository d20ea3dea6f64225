//! Processor time of a bot: of each game, and of the moves where it matters. Reading it costs a system call, a good part
//! of what a fast move costs.

use std::sync::Arc;
use std::time::Duration;

use arena_guard::Family;

use super::shared::SharedPlace;

/// Readings of the processor time of one process.
#[derive(Debug)]
pub(super) struct Meter {
    place: Arc<SharedPlace>,
    /// Count other processes of the bot too.
    count_all: bool,
    at_game_start: Option<Duration>,
    at_move_start: Option<Duration>,
}

impl Meter {
    pub(super) fn new(place: Arc<SharedPlace>, count_all: bool) -> Self {
        Self { place, count_all, at_game_start: None, at_move_start: None }
    }

    /// If the bot has started a process by now, for instance because it is a script around the real bot, counts all.
    pub(super) fn include_family(&mut self) {
        self.count_all |= self.place.family().count(2) > 1;
    }

    pub(super) fn start_game(&mut self) {
        self.at_game_start = self.read();
    }

    /// Time since the start of the game; `None` outside of a game, or where the system does not tell.
    pub(super) fn end_game(&mut self) -> Option<Duration> {
        let start = self.at_game_start.take()?;
        Some(self.read()?.saturating_sub(start))
    }

    /// Counts the next move from its start if it `matters`: it is charged by processor time, or expected to be slow.
    pub(super) fn start_move(&mut self, matters: bool) {
        self.at_move_start = if matters { self.read() } else { None };
    }

    /// Counts a move that turns out to be slow from now on, unless it is counted already.
    pub(super) fn start_slow_move(&mut self) {
        self.at_move_start = self.at_move_start.or_else(|| self.read());
    }

    /// Time since counting began; `None` if it did not, or where the system does not tell.
    pub(super) fn end_move(&mut self) -> Option<Duration> {
        let start = self.at_move_start.take()?;
        Some(self.read()?.saturating_sub(start))
    }

    /// All of it so far; `None` where the system does not tell.
    pub(super) fn read(&self) -> Option<Duration> {
        let family = self.place.family();
        if self.count_all { family.inspect(|_| true) } else { Family::cpu_of(family.bot()) }
    }
}
