//! Says what a worker is doing.

use std::time::Duration;

use arena_sys::entropy::unpredictable;
use arena_sys::time::now;

use super::RunningWorker;
use crate::cluster::subjects;
use crate::cluster::wire::{BatchState, PresenceMessage, VERSION, written};

impl RunningWorker {
    /// Says what this worker is doing.
    pub(super) async fn present(&mut self) {
        let jitter = Duration::from_millis(unpredictable() % 400);
        self.presented = now().checked_sub(jitter).unwrap_or_else(now);
        let slots = if self.stopping.is_some() && self.ackers.len() == 0 { 0 } else { self.settings.slots };
        let message = self.presence(slots);
        // If it is lost, the next one follows soon.
        let _ = self.broker.client().publish(subjects::worker(&self.id), written(&message).into()).await;
    }

    pub(super) fn presence(&self, slots: usize) -> PresenceMessage {
        let event = self.playing.as_ref().map(|playing| &playing.ready);
        let id = event.map(|ready| ready.id.clone()).unwrap_or_default();
        let state = |(batch, games, done)| BatchState { event: id.clone(), batch, games, done };
        let mut batches: Vec<BatchState> = self.held.states().map(state).collect();
        batches.extend(self.next.iter().map(|batch| BatchState {
            event: batch.event.clone(),
            batch: batch.batch,
            games: batch.jobs.len(),
            done: 0,
        }));
        let is_free = self.next.is_empty() && self.preparing.is_none();
        PresenceMessage {
            version: VERSION,
            worker: self.id.clone(),
            host: self.machine.host.clone(),
            pid: std::process::id(),
            arena: env!("CARGO_PKG_VERSION").to_owned(),
            class: self.machine.class.clone(),
            cpu: self.machine.cpu.clone(),
            calibration: self.calibration.map(Into::into),
            slots,
            free: if is_free { slots.saturating_sub(self.held.running() + self.held.waiting()) } else { 0 },
            tournament: event.map(|ready| ready.event.name.clone()),
            batches,
            games: self.games,
            warning: self.warning.clone(),
        }
    }
}
