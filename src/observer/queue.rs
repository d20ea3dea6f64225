//! A queue of events that never blocks a sender.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::RunEvent;

/// Moves in the queue; beyond, further moves are dropped and counted. Everything else is kept.
pub(super) const MOVES_MAX: usize = 10_000;

/// The end of a queue that takes events.
#[derive(Debug, Clone)]
pub struct EventSender {
    queue: UnboundedSender<RunEvent>,
    moves: Arc<Moves>,
}

/// The end of a queue that gives events.
#[derive(Debug)]
pub struct EventReceiver {
    queue: UnboundedReceiver<RunEvent>,
    moves: Arc<Moves>,
}

#[derive(Debug, Default)]
struct Moves {
    waiting: AtomicUsize,
    /// Moves dropped since the last event that was kept.
    dropped: AtomicUsize,
}

/// The two ends of a queue.
#[must_use]
pub fn event_queue() -> (EventSender, EventReceiver) {
    let (sender, receiver) = unbounded_channel();
    let moves = Arc::<Moves>::default();
    (EventSender { queue: sender, moves: Arc::clone(&moves) }, EventReceiver { queue: receiver, moves })
}

impl EventSender {
    /// Sends an event, unless it is a move and too many of them wait.
    pub fn send(&self, event: RunEvent) {
        let Moves { waiting, dropped } = &*self.moves;
        if matches!(event, RunEvent::Moved(_)) && waiting.fetch_add(1, Ordering::Relaxed) >= MOVES_MAX {
            waiting.fetch_sub(1, Ordering::Relaxed);
            dropped.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let count = dropped.swap(0, Ordering::Relaxed);
        // Sending fails once there is no receiver, which needs no events any more.
        if count > 0 {
            let _ = self.queue.send(RunEvent::MovesDropped { count });
        }
        let _ = self.queue.send(event);
    }
}

impl EventReceiver {
    /// Waits for the next event; `None` once there is no sender.
    pub async fn recv(&mut self) -> Option<RunEvent> {
        let event = self.queue.recv().await;
        self.counted(event)
    }

    /// The same, on a thread that may block.
    pub(super) fn blocking_recv(&mut self) -> Option<RunEvent> {
        let event = self.queue.blocking_recv();
        self.counted(event)
    }

    /// Whether no event waits.
    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    fn counted(&self, event: Option<RunEvent>) -> Option<RunEvent> {
        if matches!(event, Some(RunEvent::Moved(_))) {
            self.moves.waiting.fetch_sub(1, Ordering::Relaxed);
        }
        event
    }
}
