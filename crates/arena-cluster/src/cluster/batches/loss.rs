//! Batches that were lost, given back or halted.

use std::time::Duration;

use arena_core::schedule::Job;

use super::open_jobs::Home;
use super::{BatchReport, Batches, Out};

/// After a halt, batches that no worker has named for this long are in no worker's hands: workers name theirs more often.
const UNNAMED: Duration = Duration::from_secs(5);

impl Batches {
    /// Publishes again, as it is, what a worker has not played of its batch; after a halt it is returned.
    pub(super) fn requeue(&mut self, number: u64) {
        let Some((serials, tries)) = self.unpublish(number) else { return };
        self.again.push_back((serials, tries));
    }

    /// Takes what has no result out of a batch. Nothing is left if it is halted, since that is returned.
    pub(super) fn unpublish(&mut self, number: u64) -> Option<(Vec<u64>, u32)> {
        let Out { mut jobs, tries, is_halted, .. } = self.out.remove(&number)?;
        let is_held = |serial: &u64| self.jobs.get(*serial).is_some();
        jobs.retain(is_held);
        for serial in &jobs {
            self.jobs.set_home(*serial, Home::Waiting);
        }
        if is_halted {
            self.give_back(&jobs);
            return None;
        }
        Some((jobs, tries))
    }

    pub(super) fn give_back(&mut self, serials: &[u64]) {
        let jobs: Vec<Job> = serials.iter().filter_map(|serial| self.jobs.take_if(*serial, &|_| true)).collect();
        if !jobs.is_empty() {
            self.reports.push_back(BatchReport::Returned(jobs));
        }
    }

    /// A batch was lost, because `why`: see the module's page.
    pub fn lost(&mut self, number: u64, why: &str) {
        let Some((serials, tries)) = self.unpublish(number) else { return };
        if tries == 0 {
            return self.again.push_back((serials, 1));
        }
        let is_first = |at: &usize| self.jobs.pair(serials[*at]) != self.jobs.pair(serials[*at - 1]);
        // The border between pairs nearest to the middle.
        let middle = (1..serials.len()).filter(is_first).min_by_key(|at| at.abs_diff(serials.len() / 2));
        if let Some(middle) = middle {
            self.again.push_back((serials[..middle].to_vec(), tries + 1));
            self.again.push_back((serials[middle..].to_vec(), tries + 1));
        } else {
            let lost = serials.iter().filter_map(|serial| self.jobs.take_if(*serial, &|_| true));
            self.reports.extend(lost.map(|job| BatchReport::Lost(Box::new(job), why.to_owned())));
        }
    }

    /// A worker will not play a batch, nor any other of this tournament. Returns whether that is true of all workers.
    pub fn declined(&mut self, number: u64, worker: &str) -> bool {
        self.requeue(number);
        self.workers.note_declining(worker);
        self.workers.all_decline()
    }

    /// Finds lost batches, and workers that are gone. To be called every second or so.
    pub fn sweep(&mut self, now: Duration) {
        self.workers.sweep(now);
        // A worker that has nothing to do would have taken it from the queue.
        let grace = if self.workers.any_free(now) { self.pace.grace } else { Duration::MAX };
        let halted = if self.workers.slots() == 0 { Duration::ZERO } else { UNNAMED };
        let is_lost = |out: &Out| now.saturating_sub(out.seen) >= if out.is_halted { halted } else { grace };
        let lost = self.out.iter().filter(|(_, out)| is_lost(out)).map(|(number, out)| (*number, out.is_named));
        for (number, is_named) in lost.collect::<Vec<_>>() {
            if is_named {
                self.lost(number, "no worker reported a result of it, although it was published again and again");
            } else {
                // It was lost on its way, which is not the fault of its games.
                self.requeue(number);
            }
        }
    }

    /// Publishes all batches again: the broker has lost them.
    pub fn republish(&mut self) {
        let numbers: Vec<u64> = self.out.keys().copied().collect();
        for number in numbers {
            self.requeue(number);
        }
    }
}
