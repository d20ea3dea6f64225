//! Events of running games, for observers that ask for them.

use arena_core::event::Tournament;
use arena_core::referee::MadeMove;
use arena_core::schedule::Job;
use arena_show::observer::RunEvent;

pub(super) fn game_begun(job: &Job, event: &Tournament) -> RunEvent {
    RunEvent::GameBegun {
        id: job.game.id.to_string(),
        place: job.place,
        round: job.game.round,
        bots: job.game.bots.map(|bot| event.bots[bot].id.name.clone()),
        opening: job.opening.clone(),
    }
}

pub(super) fn moved(job: &Job, made: MadeMove<'_>) -> RunEvent {
    let MadeMove { ply, seat, played, measured } = made;
    RunEvent::Moved {
        id: job.game.id.to_string(),
        ply,
        seat: seat.index(),
        played: played.clone(),
        us: measured.us,
        eval: measured.eval,
        comment: measured.comment.clone(),
    }
}
