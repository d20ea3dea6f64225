//! The question whether a bot is done with all that it was asked, which is repeated until it is answered: `ABOUT` to
//! brains, `isready` to engines.

use std::time::Duration;

/// An unanswered question is repeated after this time, and then after twice as long each time.
const AGAIN: Duration = Duration::from_millis(20);
/// The longest first time, for bots that are slow to answer.
const AGAIN_MAX: Duration = Duration::from_secs(1);

/// How often the question was repeated.
#[derive(Debug)]
pub(super) struct Repeats {
    /// Further answers that may come.
    awaited: u32,
    again: Duration,
}

impl Default for Repeats {
    fn default() -> Self {
        Self { awaited: 0, again: AGAIN }
    }
}

impl Repeats {
    /// The question was written once more.
    pub(super) fn note(&mut self) {
        self.awaited = self.awaited.saturating_add(1);
    }

    /// An answer has come that nothing waits for: whether it is to a repeated question. If so, the bot answers each of them:
    /// it is slow to, and does not ignore what comes before it is done.
    pub(super) fn take(&mut self) -> bool {
        let is_awaited = self.awaited > 0;
        if is_awaited {
            self.awaited -= 1;
            self.again = AGAIN_MAX.min(2 * self.again);
        }
        is_awaited
    }

    /// See [`Dialect::sync_again`](super::Dialect::sync_again).
    pub(super) fn interval(&self) -> Duration {
        self.again
    }
}
