//! Which batches a worker takes, and when.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::bail;
use arena_core::schedule::Job;
use arena_core::text::{escaped, shown};
use arena_play::executor::Executor as _;
use arena_sys::flags::NATS;
use arena_sys::time::now;
use async_nats::datetime::DateTime;

use super::game_duration::GameDuration;
use super::prepare::{self, Ready};
use super::pull::Pulled;
use super::{Playing, RunningWorker};
use crate::cluster::wire::{BatchMessage, ResultsMessage};

/// Games that a slot should have before it, as time.
const AHEAD: f64 = 0.5;
/// Batches whose results wait to be sent above which none is taken: the broker does not answer, or the coordinator is slow.
const UNSENT_MAX: usize = 64;
/// Pause before another batch is taken after one of an event that this worker does not play.
const DECLINE_PAUSE: Duration = Duration::from_secs(1);

impl RunningWorker {
    /// Gives games to the slots, and asks for a batch if they would run out of games.
    pub(super) fn feed(&mut self) {
        if let Some(playing) = &mut self.playing {
            while self.held.running() < playing.ready.local.capacity()
                && let Some(job) = self.held.next_job()
            {
                self.game_duration.update(playing.given.len().min(self.settings.slots), now());
                playing.given.insert(job.place, job.clone());
                playing.ready.local.submit(job);
            }
        }
        if !self.next.is_empty() && self.held.is_empty() && self.preparing.is_none() {
            self.advance();
        }
        let is_free = self.stopping.is_none() && self.next.is_empty() && self.preparing.is_none();
        if is_free && !self.is_wanting && now() >= self.pause_until && self.wants_more() {
            self.is_wanting = self.wanted.try_send(()).is_ok();
        }
    }

    /// Whether the slots would soon run out of games.
    pub(super) fn wants_more(&self) -> bool {
        let slots = self.settings.slots;
        let unbegun = self.held.waiting() + self.held.running().saturating_sub(slots);
        let ahead = (AHEAD / self.game_duration.seconds().unwrap_or(AHEAD)).clamp(1.0, 1_000.0);
        self.ackers.len() < UNSENT_MAX + slots && (unbegun as f64) < slots as f64 * ahead
    }

    /// Goes on with the batches that wait: of the event that is played, or of another one, which is prepared.
    pub(super) fn advance(&mut self) {
        let Some(event) = self.next.front().map(|batch| batch.event.clone()) else { return };
        if self.playing.as_ref().is_some_and(|playing| playing.ready.id == event) {
            while let Some(batch) = self.next.pop_front() {
                self.add(batch);
            }
            return;
        }
        self.preparing = Some(event.clone());
        let (broker, settings) = (self.broker.clone(), Arc::clone(&self.settings));
        let (scratch, sender) = (Arc::clone(&self.scratch), self.prepared_sender.clone());
        // The bots of the last event leave first, so that those of two events never run at once.
        let last = self.playing.take();
        tokio::spawn(async move {
            if let Some(last) = last {
                last.ready.end().await;
            }
            let ready = prepare::prepare(broker, event.clone(), settings, scratch).await;
            // The worker has ended.
            let _ = sender.send((event, ready)).await;
        });
    }

    pub(super) fn take(&mut self, pulled: Pulled, say: &mut dyn FnMut(&str)) -> anyhow::Result<()> {
        match pulled {
            Pulled::Batch(batch, acker) => {
                self.is_wanting = false;
                self.idle_since = now();
                self.ackers.add(batch.batch, *acker);
                if let Some(why) = self.declined.get(&batch.event).cloned() {
                    self.decline(&batch.event, batch.batch, &why);
                } else if self.playing.as_ref().is_some_and(|playing| playing.ready.id == batch.event) {
                    self.add(batch);
                } else {
                    self.next.push_back(batch);
                }
            }
            Pulled::Ready { ack_wait, created } => {
                self.ack_wait = ack_wait;
                self.note_queue(Some(created));
                if std::mem::take(&mut self.is_waiting_for_queue) {
                    say("a coordinator has come");
                }
            }
            Pulled::NoQueue => {
                if !std::mem::replace(&mut self.is_waiting_for_queue, true) {
                    say(&format!("waiting for a coordinator; start one with `arena coordinate {NATS} URL`"));
                }
            }
            Pulled::Unreadable(why) => say(&format!("a batch cannot be read: {why}")),
            Pulled::Denied(why) => bail!("{why}"),
        }
        Ok(())
    }

    /// Notes when the queue was created, which there may not be any more.
    pub(super) fn note_queue(&mut self, created: Option<DateTime>) {
        if self.queue != created {
            self.queue = created;
            self.ackers.forget();
        }
    }

    /// Adds a batch of the event that is played.
    pub(super) fn add(&mut self, batch: BatchMessage) {
        let Some(playing) = &self.playing else { return };
        let event = Arc::clone(&playing.ready.event);
        let jobs: Result<Vec<Job>, _> = batch.jobs.into_iter().map(|job| job.job(&event)).collect();
        match jobs {
            Ok(jobs) => self.held.add(batch.batch, jobs),
            Err(why) => self.decline(&batch.event, batch.batch, &why.to_string()),
        }
    }

    /// Tells the coordinator that a batch is not played here.
    pub(super) fn decline(&mut self, event: &str, batch: u64, why: &str) {
        self.pause_until = now() + DECLINE_PAUSE;
        let message = ResultsMessage { declined: Some(why.to_owned()), ..self.message(event, batch, Vec::new(), true) };
        self.post(&message);
    }

    pub(super) async fn begin(&mut self, (event, ready): (String, anyhow::Result<Ready>), say: &mut dyn FnMut(&str)) {
        self.preparing = None;
        match ready {
            Ok(ready) => {
                say(&format!("playing {}", shown(&ready.event.name)));
                self.warning = ready.warnings.last().cloned();
                self.playing = Some(Playing { ready, given: BTreeMap::new(), warned: false });
                self.game_duration = GameDuration::new(now());
                self.advance();
            }
            Err(error) => {
                let why = arena_core::text::causes(error.as_ref()).join(": ");
                say(&format!("a tournament is not played here: {}", escaped(&why)));
                self.warning = Some(why.clone());
                for batch in std::mem::take(&mut self.next) {
                    if batch.event == event {
                        self.decline(&event, batch.batch, &why);
                    } else {
                        self.next.push_back(batch);
                    }
                }
                self.declined.insert(event, why);
            }
        }
        self.present().await;
    }
}
