//! A queue of events that never blocks a sender.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::RunEvent;

/// Maximum number of queued moves; further moves are dropped and counted. All other events are kept.
pub(super) const MOVES_MAX: usize = 10_000;

/// An event; a move occupies its place in the queue until its permit is dropped.
pub type Queued = (RunEvent, Option<OwnedSemaphorePermit>);

/// Sends events to a queue.
#[derive(Debug, Clone)]
pub struct EventSender {
    queue: UnboundedSender<Queued>,
    places: Arc<Semaphore>,
    /// Moves dropped since the last event that was queued.
    dropped: Arc<AtomicUsize>,
}

impl EventSender {
    /// A new queue.
    #[must_use]
    pub fn new() -> (Self, UnboundedReceiver<Queued>) {
        let (queue, receiver) = unbounded_channel();
        (Self { queue, places: Arc::new(Semaphore::new(MOVES_MAX)), dropped: Arc::default() }, receiver)
    }

    /// Sends an event. Drops it if it is a move and too many are queued.
    pub fn send(&self, event: RunEvent) {
        let is_move = matches!(event, RunEvent::Moved { .. });
        let place = is_move.then(|| Arc::clone(&self.places).try_acquire_owned().ok()).flatten();
        if is_move && place.is_none() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let count = self.dropped.swap(0, Ordering::Relaxed);
        // Sending fails once the receiver is gone.
        if count > 0 {
            let _ = self.queue.send((RunEvent::MovesDropped { count }, None));
        }
        let _ = self.queue.send((event, place));
    }
}
