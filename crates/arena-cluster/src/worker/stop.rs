//! How a worker stops: with some batches, or altogether.

use std::collections::VecDeque;

use arena_core::schedule::Job;
use arena_play::executor::Executor as _;
use arena_sys::time::now;
use async_nats::jetstream::AckKind;

use super::pull::Pulled;
use super::{RunningWorker, WorkerEnd};
use crate::cluster::wire::{BatchMessage, HaltMessage, read};

impl RunningWorker {
    /// A coordinator says that batches need not be played.
    pub(super) async fn halt(&mut self, bytes: &[u8]) {
        let Ok(HaltMessage { event, batches: [from, to], at_once, .. }) = read(bytes) else { return };
        let is_halted = |batch: u64| (from..to).contains(&batch);
        let is_unwanted = |batch: &BatchMessage| batch.event == event && is_halted(batch.batch);
        let (halted, kept): (VecDeque<_>, VecDeque<_>) =
            std::mem::take(&mut self.next).into_iter().partition(is_unwanted);
        self.next = kept;
        for batch in halted {
            let message = self.message(&event, batch.batch, Vec::new(), true);
            self.post(&message);
        }
        let Some(playing) = self.playing.as_mut().filter(|playing| playing.ready.id == event) else { return };
        if at_once {
            playing.ready.local.abandon().await;
            self.playing = None;
            for batch in self.held.clear() {
                // The coordinator has removed it anyway.
                self.ackers.end(batch, AckKind::Term).await;
            }
            return;
        }
        self.drop_waiting(is_halted);
    }

    /// Drops games that have not begun; the pairs of others are finished.
    fn drop_waiting(&mut self, is_dropped: impl Fn(u64) -> bool) {
        if let Some(playing) = &mut self.playing {
            let jobs = playing.ready.local.take_back(&|_| true);
            self.put_back(jobs);
        }
        self.held.drop_waiting(is_dropped);
        self.send_ready(true);
    }

    /// Takes back games that have not begun.
    fn put_back(&mut self, jobs: Vec<Job>) {
        for job in &jobs {
            self.playing.iter_mut().for_each(|playing| drop(playing.given.remove(&job.place)));
        }
        self.held.put_back(jobs);
    }

    pub(super) async fn signal(&mut self, say: &mut dyn FnMut(&str)) {
        if self.stopping.replace(WorkerEnd::Stopped).is_some() {
            self.stopping = Some(WorkerEnd::Killed);
            return;
        }
        say("stopping after the running games; press Ctrl-C again to quit now");
        if let Some(playing) = &mut self.playing {
            let jobs = playing.ready.local.stop();
            self.put_back(jobs);
        }
        for batch in std::mem::take(&mut self.next) {
            self.ackers.end(batch.batch, AckKind::Nak(None)).await;
        }
        self.drop_waiting(|_| true);
    }

    /// How it ends, if it does now.
    pub(super) fn end(&self) -> Option<WorkerEnd> {
        match self.stopping {
            Some(WorkerEnd::Killed) => Some(WorkerEnd::Killed),
            Some(end) if self.held.is_empty() && self.ackers.len() == 0 => Some(end),
            Some(_) => None,
            None => {
                let idle = self.settings.idle.filter(|_| self.ackers.len() == 0 && self.preparing.is_none())?;
                (now() - self.idle_since >= idle).then_some(WorkerEnd::Idle)
            }
        }
    }

    /// Gives back what it still has, and lets the bots leave.
    pub(super) async fn leave(&mut self, end: WorkerEnd) {
        self.stopping = Some(end);
        self.pulled.close();
        while let Some(pulled) = self.pulled.recv().await {
            if let Pulled::Batch(_, acker) = pulled {
                let _ = acker.ack_with(AckKind::Nak(None)).await;
            }
        }
        self.ackers.give_back().await;
        if let Some(mut playing) = self.playing.take() {
            if end == WorkerEnd::Killed {
                playing.ready.local.abandon().await;
            } else {
                playing.ready.end().await;
            }
        }
        self.present().await;
        let _ = self.broker.client().flush().await;
    }
}
