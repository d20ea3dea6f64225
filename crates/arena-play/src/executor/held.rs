//! Games whose bots died at about the time at which the arena was told to stop.
//!
//! Job schedulers, containers and init systems end the arena and its bots together. A bot that dies that way is not at fault,
//! and nothing else tells its death from a crash. So such a game counts only if no signal comes soon after it; otherwise it
//! is given back unplayed, as if the arena had been killed, and another run plays it.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use arena_core::cause::Cause;
use tokio::sync::oneshot;

use super::Finished;

/// Signals that are sent to all processes at once arrive within this time, also on a busy machine.
const HOLD: Duration = Duration::from_millis(100);

/// A game that is not reported yet, and its slot's wait for that.
type Waiting = (Box<Finished>, Option<oneshot::Sender<()>>);

/// Whether a process may end in this way because it was told to. The slot waits meanwhile, so the usual exits of a program with
/// a mistake are not among them.
const fn may_be_told(cause: Cause) -> bool {
    match cause {
        Cause::Killed { .. } | Cause::ClosedOutput | Cause::CannotStart => true,
        // Above 128 a shell or a virtual machine tells a signal.
        Cause::Exited { code } => code == 0 || code > 128,
        _ => false,
    }
}

/// The games that are held back, in order.
#[derive(Debug, Default)]
pub(super) struct Held(VecDeque<(Instant, Waiting)>);

impl Held {
    /// Whether the game was lost, or is void, because a process died, or was not started, in a way that may have come from
    /// outside.
    pub(super) fn concerns(finished: &Finished) -> bool {
        let mut causes = finished.record.evidence.iter().flatten().filter_map(|evidence| evidence.cause);
        finished.foreign_end || causes.any(may_be_told)
    }

    pub(super) fn push(&mut self, finished: Box<Finished>, waits: Option<oneshot::Sender<()>>, now: Instant) {
        self.0.push_back((now + HOLD, (finished, waits)));
    }

    /// When the first one is to be reported.
    pub(super) fn next(&self) -> Option<Instant> {
        self.0.front().map(|(due, _)| *due)
    }

    /// The first one, if `is_due`.
    pub(super) fn pop_if(&mut self, is_due: bool) -> Option<Waiting> {
        if is_due { self.0.pop_front().map(|(_, waiting)| waiting) } else { None }
    }
}
