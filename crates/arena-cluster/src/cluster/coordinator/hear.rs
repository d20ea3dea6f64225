//! What follows from what a coordinator hears.

use arena_core::text::{escaped, shown};
use arena_play::executor::JobOutcome;
use arena_show::observer::WorkerState;

use super::listen::{CoordinatorNews, Received};
use super::publish::PublishOrder;
use super::{Coordinator, LISTED_MAX};
use crate::cluster::batches::Presence;
use crate::cluster::broker::Incident;
use crate::cluster::wire::PresenceMessage;

impl Coordinator {
    pub(super) fn take(&mut self, heard: CoordinatorNews) {
        match heard {
            CoordinatorNews::Results(received) => {
                let Received { mut results, acker, last_words, warnings, declined } = *received;
                results.receipt = self.next_receipt;
                self.next_receipt += 1;
                self.ackers.insert(results.receipt, acker);
                if !last_words.is_empty() {
                    self.pending.push_back(JobOutcome::LastWords(last_words));
                }
                self.pending.extend(warnings.into_iter().map(JobOutcome::Warning));
                let (batch, worker) = (results.batch, results.worker.clone());
                self.batches.results(results);
                if let Some(why) = declined
                    && self.batches.declined(batch, &worker)
                {
                    let why = escaped(&why);
                    self.fail(format!("no worker plays the bots of this tournament; worker {}: {why}", shown(&worker)));
                }
            }
            CoordinatorNews::Presence(presence) => {
                let now = self.now();
                let own = presence.batches.iter().filter(|batch| batch.event == self.id);
                let batches = own.map(|batch| batch.batch).collect();
                let PresenceMessage { worker, slots, free, .. } = &*presence;
                let state = Presence { worker: worker.clone(), slots: *slots, free: *free, batches };
                self.batches.presence(state, now);
                self.workers_changed = true;
                self.workers.insert(presence.worker.clone(), *presence);
            }
            CoordinatorNews::Published { batch, sequence } => {
                self.sequences.insert(sequence, batch);
            }
            CoordinatorNews::GivenUp(sequence) => {
                if let Some(batch) = self.sequences.remove(&sequence) {
                    self.order(PublishOrder::Remove(sequence));
                    self.batches.lost(batch, "the workers that took it were lost, one after the other");
                }
            }
            CoordinatorNews::Incident(Incident::Connected) => {
                self.pending.push_back(JobOutcome::Warning("connected to the broker again".to_owned()));
                self.order(PublishOrder::SetUp);
            }
            CoordinatorNews::Incident(Incident::Disconnected) => {
                let text = "the connection to the broker is lost; waiting for it to come back";
                self.pending.push_back(JobOutcome::Warning(text.to_owned()));
            }
            CoordinatorNews::Emptied => {
                let text = "the broker has lost its queue; all open games are published again";
                self.pending.push_back(JobOutcome::Warning(text.to_owned()));
                self.sequences.clear();
                self.batches.republish();
            }
            CoordinatorNews::Warning(text) => self.pending.push_back(JobOutcome::Warning(text)),
            CoordinatorNews::Incident(Incident::Denied(_)) => {}
        }
    }

    pub(super) fn fail(&mut self, why: String) {
        if !std::mem::replace(&mut self.has_failed, true) {
            self.pending.push_back(JobOutcome::Warning(why));
        }
    }

    /// Finds lost batches and workers that are gone.
    pub(super) fn look_around(&mut self) {
        let now = self.now();
        self.batches.sweep(now);
        self.workers.retain(|id, _| self.batches.has_worker(id));
        self.sequences.retain(|_, batch| self.batches.is_out(*batch));
        if std::mem::take(&mut self.workers_changed) {
            let (slots, count) = self.batches.slots();
            let workers = self.workers.values().take(LISTED_MAX).map(|presence| self.listed(presence)).collect();
            self.pending.push_back(JobOutcome::Workers { count, slots, workers });
        }
    }

    fn listed(&self, presence: &PresenceMessage) -> WorkerState {
        let own = || presence.batches.iter().filter(|batch| batch.event == self.id);
        WorkerState {
            id: presence.worker.clone(),
            host: presence.host.clone(),
            class: presence.class.clone(),
            slots: presence.slots,
            free: presence.free,
            games: presence.games,
            tournament: presence.tournament.clone(),
            now: [own().map(|batch| batch.games).sum(), own().map(|batch| batch.done).sum()],
        }
    }
}
