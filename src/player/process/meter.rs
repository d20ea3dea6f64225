//! Processor time of a bot: of each game, and of the moves where it matters. To read it costs a system call, which is a
//! good part of what a fast move costs.

use std::sync::Arc;
use std::time::Duration;

use super::shared::Place;
use crate::guard::Family;

/// What has been read of the processor time of one process.
#[derive(Debug)]
pub(super) struct Meter {
    place: Arc<Place>,
    /// Time of others than the bot's own process is counted too.
    count_all: bool,
    at_game_start: Option<Duration>,
    at_move_start: Option<Duration>,
}

impl Meter {
    pub(super) fn new(place: Arc<Place>, count_all: bool) -> Self {
        Self { place, count_all, at_game_start: None, at_move_start: None }
    }

    /// Whoever has started a process by now, a script around the real bot perhaps, is counted with it.
    pub(super) fn include_family(&mut self) {
        let (family, mut processes) = (self.place.family(), 0);
        family.inspect(|_| {
            processes += 1;
            true
        });
        self.count_all |= processes > 1;
    }

    pub(super) fn start_game(&mut self) {
        self.at_game_start = self.read();
    }

    /// Time since the game started; nothing outside of a game, or where the system does not tell.
    pub(super) fn end_game(&mut self) -> Option<Duration> {
        let start = self.at_game_start.take()?;
        Some(self.read()?.saturating_sub(start))
    }

    /// The next move is counted from its start if it is `charged` by processor time.
    pub(super) fn start_move(&mut self, charged: bool) {
        self.at_move_start = if charged { self.read() } else { None };
    }

    /// The move turns out to be slow: it is counted from now on, if it is not yet.
    pub(super) fn start_slow_move(&mut self) {
        if self.at_move_start.is_none() {
            self.at_move_start = self.read();
        }
    }

    /// Time since the move was counted; nothing if it was not, or where the system does not tell.
    pub(super) fn end_move(&mut self) -> Option<Duration> {
        let start = self.at_move_start.take()?;
        Some(self.read()?.saturating_sub(start))
    }

    fn read(&self) -> Option<Duration> {
        let family = self.place.family();
        if self.count_all { family.inspect(|_| true) } else { Family::cpu_of(family.bot()) }
    }
}
