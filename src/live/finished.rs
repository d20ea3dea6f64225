//! Finished games of a run, which stay in the journal until someone asks for one.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::picture::{delta_json, picture_json};
use crate::event::GameId;
use crate::journal::Reader;
use crate::record::Record;
use crate::results_folder::Place;
use crate::rules::Variant;
use crate::schedule::Brief;
use crate::show::Story;
use crate::text::shown;

/// Where in the journal each finished game of the run is.
#[derive(Debug)]
pub(super) struct FinishedGames {
    place: Place,
    places: Mutex<HashMap<GameId, (u64, u32)>>,
}

impl FinishedGames {
    pub(super) fn new(place: Place) -> Self {
        Self { place, places: Mutex::default() }
    }

    /// A game was recorded.
    pub(super) fn add(&self, brief: &Brief) {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        places.insert(brief.id, (brief.offset, brief.bytes));
    }

    /// The record of a game, if it has ended in this run.
    pub(super) fn record(&self, id: GameId) -> Option<Record> {
        let (offset, bytes) = *self.places.lock().unwrap_or_else(PoisonError::into_inner).get(&id)?;
        // The journal exists since a game is in it.
        Reader::open(&self.place.open().ok()?).ok()?.record_at(id, offset, bytes).ok()
    }

    /// A game for the page: its first picture, what changes with each ply, and how it ended.
    pub(super) fn story(&self, id: &str) -> Option<Value> {
        let record = self.record(GameId::of(id))?;
        let variant = Variant::from_json(&record.game, &record.params).ok()?;
        let story = Story::new(record, variant).ok()?;
        let plies = story.plies().zip(story.deltas()).map(|(ply, delta)| {
            let measured = ply.measured;
            json!({
                "seat": ply.mover.index(),
                "move": ply.played.to_string(),
                "us": measured.map(|measured| measured.us),
                "eval": measured.and_then(|measured| measured.eval),
                "comment": measured.and_then(|measured| measured.comment.as_deref()).map(shown),
                "delta": delta_json(&delta),
            })
        });
        Some(json!({
            "id": shown(&story.record.id),
            "bots": story.record.bots.each_ref().map(|bot| shown(&bot.name)),
            "first": picture_json(&story.pictures[0]),
            "plies": plies.collect::<Vec<_>>(),
            "ending": story.ending(),
        }))
    }
}
