//! Games while they are played, for observers that ask for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::mpsc::{self, Receiver, Sender};

use crate::event::Event;
use crate::observer::{GameBegun, Moved, RunEvent};
use crate::record::Played;
use crate::rules::{Move, Seat};
use crate::schedule::Job;

/// Moves that wait to be observed; beyond, further moves are dropped and counted.
const WAITING_MAX: usize = 10_000;

/// Sends the games that slots play to observers.
#[derive(Debug, Clone)]
pub struct Feed {
    events: Sender<RunEvent>,
    /// Moves dropped since the last report.
    dropped: Arc<AtomicUsize>,
}

impl Feed {
    /// A feed, and its other end.
    #[must_use]
    pub fn new() -> (Self, Receiver<RunEvent>) {
        let (events, receiver) = mpsc::channel(WAITING_MAX);
        (Self { events, dropped: Arc::default() }, receiver)
    }

    /// Tells that a game begins, on a thread that may wait.
    pub(super) fn begin(&self, job: &Job, event: &Event) {
        let begun = GameBegun {
            id: job.game.id.to_string(),
            place: job.place,
            round: job.game.round,
            bots: job.game.bots.map(|bot| event.bots[bot].id.name.clone()),
            opening: job.opening.clone(),
        };
        // It fails when the run is over.
        let _ = self.events.blocking_send(RunEvent::GameBegun(begun));
    }

    /// Tells of a move; never waits.
    pub(super) fn moved(&self, job: &Job, ply: usize, played: &Move, measured: &Played) {
        let count = self.dropped.swap(0, Ordering::Relaxed);
        if count > 0 && self.events.try_send(RunEvent::MovesDropped { count }).is_err() {
            self.dropped.fetch_add(count, Ordering::Relaxed);
        }
        let moved = Moved {
            id: job.game.id.to_string(),
            ply,
            seat: Seat::after(ply).index(),
            played: played.clone(),
            us: measured.us,
            eval: measured.eval,
            comment: measured.comment.clone(),
        };
        if self.events.try_send(RunEvent::Moved(moved)).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}
