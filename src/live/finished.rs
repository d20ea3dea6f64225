//! Finished games of a run, which stay in the journal until someone asks for one.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use arena_core::analysis::Marks;
use arena_core::event::GameId;
use arena_core::record::Record;
use arena_core::rules::Variant;
use arena_core::schedule::Brief;
use arena_core::text::shell_word;
use arena_show::views::Story;
use arena_show::web::games::{BlockGames, Listed};
use arena_store::journal::{Analyses, Reader};
use arena_sys::flags::NAME;
use arena_sys::results_folder::Place;

/// Where in the journal each finished game of the run is.
#[derive(Debug)]
pub(super) struct FinishedGames {
    place: Place,
    places: Mutex<HashMap<GameId, (u64, u32)>>,
    /// What analyses that run meanwhile have found.
    analyses: Mutex<Analyses>,
}

impl FinishedGames {
    pub(super) fn new(place: Place) -> Self {
        Self { place, places: Mutex::default(), analyses: Mutex::default() }
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

    /// A game for the player of the page: a [block](arena_show::web::games) with this game alone.
    pub(super) fn block(&self, id: &str) -> Option<String> {
        let record = self.record(GameId::of(id))?;
        let variant = Variant::from_json(&record.game, &record.params).ok()?;
        let marks = self.marks(&record);
        let story = Story::new(record, variant).ok()?.with_marks(marks);
        let record = &story.record;
        let mut games = BlockGames::new(record.bots.iter().map(|bot| &bot.name), vec![], true)
            .selected_by(&format!("{NAME} {}", shell_word(&self.place.path().to_string_lossy())));
        // The player shows neither round nor pair.
        games.add(Listed { record, bots: [0, 1], round: 1, pair: 1 }, Ok(&story), 0);
        Some(games.block(usize::MAX).text)
    }

    /// What an analysis says of the moves of a game by now.
    fn marks(&self, record: &Record) -> Option<Marks> {
        let mut analyses = self.analyses.lock().unwrap_or_else(PoisonError::into_inner);
        analyses.update(&self.place.open().ok()?).ok()?;
        analyses.marks(record)
    }
}
