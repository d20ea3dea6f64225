//! Games while they are played, for observers that ask for it.

use crate::event::Event;
use crate::observer::{EventReceiver, EventSender, GameBegun, Moved, RunEvent, event_queue};
use crate::record::Played;
use crate::rules::{Move, Seat};
use crate::schedule::Job;

/// Sends the games that slots play to observers.
#[derive(Debug, Clone)]
pub struct Feed(EventSender);

impl Feed {
    /// A feed, and its other end.
    #[must_use]
    pub fn new() -> (Self, EventReceiver) {
        let (events, receiver) = event_queue();
        (Self(events), receiver)
    }

    /// Reports that a game begins.
    pub(super) fn begin(&self, job: &Job, event: &Event) {
        let begun = GameBegun {
            id: job.game.id.to_string(),
            place: job.place,
            round: job.game.round,
            bots: job.game.bots.map(|bot| event.bots[bot].id.name.clone()),
            opening: job.opening.clone(),
        };
        self.0.send(RunEvent::GameBegun(begun));
    }

    /// Reports a move.
    pub(super) fn moved(&self, job: &Job, ply: usize, played: &Move, measured: &Played) {
        let moved = Moved {
            id: job.game.id.to_string(),
            ply,
            seat: Seat::after(ply).index(),
            played: played.clone(),
            us: measured.us,
            eval: measured.eval,
            comment: measured.comment.clone(),
        };
        self.0.send(RunEvent::Moved(moved));
    }
}
