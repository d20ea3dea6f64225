//! Waiting until a bot reads: where no message tells that it is done with what it was asked before, this does.
//!
//! A second answer to a question that is written after the next question was sent cannot be told from the answer to that
//! one. A bot of one thread that waits for its input writes nothing more, however late the machine let it write.

use std::time::Duration;

use arena_sys::time::{now, timespec};
use rustix::event::{PollFd, PollFlags, poll};

use super::{ExchangeEnd, Wire};
use crate::player::LogLine;
use crate::player::process::process_state::AtInput;

/// Time between two looks, at first; then twice as long each time.
const LOOK: Duration = Duration::from_micros(50);
const LOOK_MAX: Duration = Duration::from_millis(2);

impl Wire {
    /// Waits until the bot waits for its input, at most for `limit`, and drops what it has written by then. One that has used
    /// `patience` of processor time meanwhile, or waits that long for something that is not known, is asked all the same: it
    /// may read in a way that is not seen. Returns how long it has waited in all, and how long of it the bot slept.
    pub(crate) fn wait_for_reader(
        &mut self,
        limit: Duration,
        patience: Duration,
        log: &mut Vec<LogLine>,
    ) -> Result<[Duration; 2], ExchangeEnd> {
        self.place.begin_turn();
        self.place.resume();
        let begun = now();
        let used = |wire: &Self| wire.place.family().inspect(|_| true).unwrap_or_default();
        let mut used_before = None;
        let (mut look, mut slept, mut waited_elsewhere) = (LOOK, Duration::ZERO, Duration::ZERO);
        loop {
            let state = AtInput::of(self.place.family(), || self.input_inode());
            let is_over = match state {
                AtInput::Waits => true,
                AtInput::Runs => used(self).saturating_sub(*used_before.get_or_insert_with(|| used(self))) > patience,
                AtInput::Sleeps => false,
                AtInput::Elsewhere => waited_elsewhere > patience,
            };
            let looked = now();
            if is_over || looked - begun >= limit {
                return Ok([looked - begun, slept]);
            }
            let mut fds = [PollFd::new(&self.stdout, PollFlags::IN)];
            // It is interrupted by an alarm at most.
            if poll(&mut fds, Some(&timespec(look))).is_ok_and(|count| count > 0) {
                self.read_some()?;
                self.drop_lines(log)?;
            }
            match state {
                AtInput::Sleeps => slept += looked.elapsed(),
                AtInput::Elsewhere => waited_elsewhere += looked.elapsed(),
                AtInput::Waits | AtInput::Runs => {}
            }
            look = LOOK_MAX.min(2 * look);
        }
    }
}
