//! A game that was played, as a message.

use arena_core::event::Tournament;
use arena_core::record::GameResult;
use arena_core::verify::problems;
use arena_play::executor::Finished;
use arena_store::journal::{decode_game, encode_game};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::WireError;

/// A game that was played.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GameMessage {
    place: u32,
    bots: [usize; 2],
    logs: [Vec<String>; 2],
    #[serde(default, skip_serializing_if = "is_unchanged")]
    changes: [Option<String>; 2],
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    starved: bool,
    /// The line of the journal.
    line: Box<RawValue>,
}

fn is_unchanged(changes: &[Option<String>; 2]) -> bool {
    *changes == [None, None]
}

impl GameMessage {
    /// The message for a game that was played.
    ///
    /// # Panics
    ///
    /// Never: a line of the journal is JSON.
    #[must_use]
    pub fn of(finished: &Finished) -> Self {
        Self {
            place: finished.place,
            bots: finished.bots,
            logs: finished.logs.clone(),
            changes: finished.changes.clone(),
            starved: finished.starved,
            line: RawValue::from_string(encode_game(&finished.record)).expect("a line of the journal is JSON"),
        }
    }

    /// Its size in a message, about.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let lines = self.logs.iter().flatten().map(|line| line.len() + 3).sum::<usize>();
        self.line.get().len() + lines + 200
    }

    /// The game, if it holds: its line is undamaged, its moves and its result follow the rules, and its bots are those of
    /// the event.
    ///
    /// # Errors
    ///
    /// Returns an error with what does not hold.
    pub fn checked(self, event: &Tournament) -> Result<Finished, WireError> {
        let Self { place, bots, logs, changes, starved, line } = self;
        let record = decode_game(line.get())?;
        let is_known = |seat: usize| event.bots.get(bots[seat]).is_some_and(|bot| bot.id == record.bots[seat]);
        if !is_known(0) || !is_known(1) {
            return Err(WireError::OtherBots(record.id));
        }
        if let Some(problem) = problems(&record).into_iter().next() {
            return Err(WireError::Game { id: record.id, problem });
        }
        let starved = starved && record.result == GameResult::Void;
        Ok(Finished { place, record, logs, bots, changes, starved, foreign_end: false })
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture;
    use proptest::prelude::*;

    use super::*;
    use crate::cluster::wire::written;

    fn finished(event: &Tournament, place: usize) -> Finished {
        let game = &fixture::schedule(event)[place];
        // A void game needs no moves to be right.
        let mut record = fixture::record(event, game, GameResult::Void, 1);
        record.bots = game.bots.map(|bot| event.bots[bot].id.clone());
        record.opening.clone_from(&event.openings[game.opening]);
        (record.moves, record.played) = (record.opening.clone(), Vec::new());
        record.id = arena_core::event::recorded_id(&record);
        let logs = [vec!["one".to_owned(), "\u{7}".to_owned()], Vec::new()];
        Finished {
            place: place as u32,
            record,
            logs,
            bots: game.bots,
            changes: [None, Some("new".into())],
            starved: true,
            foreign_end: false,
        }
    }

    #[test]
    fn a_result_comes_as_it_went() {
        let event = fixture::event(&["a", "b"]);
        let game = finished(&event, 1);
        let text = written(&GameMessage::of(&game));
        let read = serde_json::from_slice::<GameMessage>(&text).unwrap().checked(&event).unwrap();
        assert_eq!(encode_game(&read.record), encode_game(&game.record));
        assert_eq!(
            (read.place, read.bots, read.logs, read.changes, read.starved),
            (1, game.bots, game.logs, game.changes, true)
        );
    }

    proptest! {
        /// A changed byte of a result makes it another message, or none that holds.
        #[test]
        fn a_changed_line_is_refused(at in 0..1_000_usize, byte in 0x20..0x7f_u8) {
            let event = fixture::event(&["a", "b"]);
            let message = GameMessage::of(&finished(&event, 0));
            let line = message.line.get().to_owned();
            let mut bytes = line.clone().into_bytes();
            let at = at % bytes.len();
            prop_assume!(bytes[at] != byte);
            bytes[at] = byte;
            if let Ok(raw) = RawValue::from_string(String::from_utf8(bytes).unwrap()) {
                let changed = GameMessage { line: raw, ..message };
                prop_assert!(changed.checked(&event).is_err());
            }
        }
    }
}
