//! Reports what was played.

use arena_core::text::escaped;
use arena_play::executor::Finished;
use arena_sys::time::now;
use async_nats::jetstream::AckKind;

use super::RunningWorker;
use super::fit;
use super::held_batches::ReadyResults;
use super::send_results::{Delivery, ResultsToSend};
use crate::cluster::wire::{GameMessage, ResultsMessage, VERSION, written};

impl RunningWorker {
    pub(super) fn finished(&mut self, mut finished: Finished) {
        let Some(playing) = &mut self.playing else { return };
        self.game_duration.game(playing.given.len().min(self.settings.slots), now());
        let Some(job) = playing.given.remove(&finished.place) else { return };
        self.games += 1;
        self.idle_since = now();
        let message = fit::message(&mut finished, self.broker.payload_max());
        self.held.finished(&job, &finished, message, &playing.ready.event);
    }

    /// Sends the results that are ready; if `all`, also those of batches that go on.
    pub(super) fn send_ready(&mut self, all: bool) {
        let Some(event) = self.playing.as_ref().map(|playing| playing.ready.id.clone()) else { return };
        for ReadyResults { batch, mut messages, is_last } in self.held.take_ready(all) {
            if is_last && messages.is_empty() {
                messages.push(Vec::new());
            }
            let count = messages.len();
            for (index, games) in messages.into_iter().enumerate() {
                let message = self.message(&event, batch, games, is_last && index + 1 == count);
                self.post(&message);
            }
        }
    }

    pub(super) fn message(
        &mut self,
        event: &str,
        batch: u64,
        games: Vec<GameMessage>,
        is_last: bool,
    ) -> ResultsMessage {
        let playing = self.playing.as_mut().filter(|playing| playing.ready.id == event);
        let is_of_event = playing.is_some();
        let warnings = match playing {
            Some(playing) if !playing.warned => {
                playing.warned = true;
                playing.ready.warnings.clone()
            }
            _ => Vec::new(),
        };
        ResultsMessage {
            version: VERSION,
            event: event.to_owned(),
            batch,
            worker: self.id.clone(),
            games,
            last_words: if is_of_event { std::mem::take(&mut self.last_words) } else { Vec::new() },
            warnings,
            is_last,
            seconds_per_game: self.game_duration.seconds().filter(|_| is_of_event),
            declined: None,
        }
    }

    pub(super) fn post(&mut self, message: &ResultsMessage) {
        self.results_sent += 1;
        let message = ResultsToSend {
            event: message.event.clone(),
            batch: message.batch,
            id: format!("{}.{}", self.id, self.results_sent),
            bytes: written(message),
            is_last: message.is_last,
        };
        // Its receiver ends with this worker.
        let _ = self.results.send(message);
    }

    pub(super) async fn note(&mut self, delivery: Delivery, say: &mut dyn FnMut(&str)) {
        match delivery {
            Delivery::Complete(batch) => self.ackers.end(batch, AckKind::Ack).await,
            Delivery::Delayed(why) => say(&format!("results cannot be sent, trying again: {}", escaped(&why))),
            Delivery::Resumed => say("results are sent again"),
        }
    }
}
