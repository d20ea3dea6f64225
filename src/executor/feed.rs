//! Events of running games, for observers that ask for them.

use crate::event::Event;
use crate::observer::RunEvent;
use crate::record::Played;
use crate::rules::{Move, Seat};
use crate::schedule::Job;

pub(super) fn game_begun(job: &Job, event: &Event) -> RunEvent {
    RunEvent::GameBegun {
        id: job.game.id.to_string(),
        place: job.place,
        round: job.game.round,
        bots: job.game.bots.map(|bot| event.bots[bot].id.name.clone()),
        opening: job.opening.clone(),
    }
}

pub(super) fn moved(job: &Job, ply: usize, played: &Move, measured: &Played) -> RunEvent {
    RunEvent::Moved {
        id: job.game.id.to_string(),
        ply,
        seat: Seat::after(ply).index(),
        played: played.clone(),
        us: measured.us,
        eval: measured.eval,
        comment: measured.comment.clone(),
    }
}
