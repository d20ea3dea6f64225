//! The bots of a slot: processes, or players of this program.

use std::fmt;

use crate::player::Player;
use crate::player::in_process::InProcess;
use crate::player::process::Bot;

/// What a slot needs of a bot between games. The defaults are for one that leaves nothing behind.
pub(super) trait Resident: Player {
    /// Whether the next game is a retry because a bot got no processor.
    fn set_retry(&mut self, _is_retry: bool) {}

    /// How its files have changed, if they have.
    fn change(&self) -> Option<String> {
        None
    }

    /// Whether it has disturbed a game that it did not play.
    fn is_condemned(&self) -> bool {
        false
    }

    /// Asks it to quit, without waiting for it.
    fn say_quit(&mut self) {}

    /// Ends it. Returns whether its next start is due to its own fault, and log lines that belong to no game.
    fn leave(&mut self) -> (bool, Vec<String>) {
        (false, Vec::new())
    }
}

impl Resident for InProcess {}

impl Resident for Bot {
    fn set_retry(&mut self, is_retry: bool) {
        self.is_retry = is_retry;
    }

    fn change(&self) -> Option<String> {
        self.change().map(str::to_owned)
    }

    fn is_condemned(&self) -> bool {
        self.is_condemned()
    }

    fn say_quit(&mut self) {
        self.say_quit();
    }

    fn leave(&mut self) -> (bool, Vec<String>) {
        self.leave();
        (self.was_at_fault, self.take_log().iter().map(ToString::to_string).collect())
    }
}

impl fmt::Debug for dyn Resident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resident").finish_non_exhaustive()
    }
}
