//! The boards on the page: which games are shown, and for how long.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::finished::FinishedGames;
use super::picture::picture_json;
use crate::event::Event;
use crate::observer::{Boards, Running};
use crate::rules::{State, Variant, Viewer, step};
use crate::text::shown;

/// Boards that are shown.
pub(super) const BOARDS_MAX: usize = 12;
/// A board is shown this long after its game has ended, so that games of milliseconds can be seen at all.
const KEEP: Duration = Duration::from_secs(2);

/// The boards of the first slots.
#[derive(Default)]
pub(super) struct LiveBoards {
    boards: Vec<LiveBoard>,
}

/// A game on the page.
#[derive(Default)]
struct LiveBoard {
    /// The game, as far as it is known.
    game: Running,
    /// The newest game of the slot.
    latest: Running,
    state: Option<Box<dyn State>>,
    /// Moves that `state` has.
    applied: usize,
    /// When it was seen that the game has ended, and how.
    ended: Option<(Instant, Option<String>)>,
    /// Games of the slot between the one before and this one.
    passed: u64,
    json: Value,
}

impl LiveBoards {
    /// Looks at the boards; returns whether anything has changed.
    pub(super) fn look(
        &mut self,
        boards: &Boards,
        finished: &FinishedGames,
        event: &Arc<Event>,
        variant: &Variant,
        now: Instant,
    ) -> bool {
        self.boards.resize_with(boards.count().min(BOARDS_MAX), LiveBoard::default);
        let mut changed = false;
        for (slot, shown) in self.boards.iter_mut().enumerate() {
            boards.look(slot, &mut shown.latest);
            if shown.update(finished, variant, now) {
                shown.json = shown.to_json(event);
                changed = true;
            }
        }
        changed
    }

    /// The boards, as JSON.
    pub(super) fn json(&self) -> impl Iterator<Item = &Value> {
        self.boards.iter().map(|shown| &shown.json).filter(|json| !json.is_null())
    }
}

impl LiveBoard {
    fn update(&mut self, finished: &FinishedGames, variant: &Variant, now: Instant) -> bool {
        if self.game.number == 0 {
            return self.latest.number > 0 && self.begin(variant);
        }
        if let Some((since, _)) = &self.ended
            && now.duration_since(*since) >= KEEP
            && self.latest.number > self.game.number
        {
            return self.begin(variant);
        } else if let Some((_, Some(_))) = &self.ended {
            return false;
        }
        if let Some(record) = self.game.id.and_then(|id| finished.record(id)) {
            let how = format!("{} {}", record.result, shown(&record.reason_in_words()));
            self.ended = Some((self.ended.take().map_or(now, |(since, _)| since), Some(how)));
            self.game.moves = record.moves;
            self.apply();
            return true;
        }
        if self.ended.is_some() {
            return false;
        }
        if self.latest.number > self.game.number {
            // Its record comes in a moment, or never if the game was discarded.
            self.ended = Some((now, None));
            return true;
        }
        let known = self.game.moves.len();
        self.game.moves.extend_from_slice(&self.latest.moves[known..]);
        self.apply()
    }

    /// Shows the newest game of the slot.
    fn begin(&mut self, variant: &Variant) -> bool {
        self.passed = self.latest.number - self.game.number - 1;
        self.game = self.latest.clone();
        (self.state, self.applied, self.ended) = (variant.start(self.game.seed).ok(), 0, None);
        self.apply();
        true
    }

    /// Makes the moves that are new.
    fn apply(&mut self) -> bool {
        let Some(state) = &mut self.state else { return false };
        let before = self.applied;
        for played in &self.game.moves[before..] {
            if step(state.as_mut(), played).is_err() {
                break;
            }
            self.applied += 1;
        }
        self.applied > before
    }

    fn to_json(&self, event: &Event) -> Value {
        let names = self.game.bots.map(|bot| event.bots.get(bot).map(|entry| shown(&entry.id.name)));
        json!({
            "id": self.game.id.map(|id| id.to_string()),
            "bots": names,
            "ply": self.applied,
            "passed": self.passed,
            "ended": self.ended.as_ref().map(|(_, how)| how.as_deref().unwrap_or("ended")),
            "picture": self.state.as_ref().map(|state| picture_json(&state.picture(Viewer::Audience))),
        })
    }
}
