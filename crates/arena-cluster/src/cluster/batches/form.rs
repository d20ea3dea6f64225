//! Forms batches.

use std::time::Duration;

use super::open_jobs::Home;
use super::{Batch, Batches, GAMES_MAX, Out};
use crate::cluster::wire::BYTES_MAX;

/// Batches per slot that are published and not finished; and as long as it is not known how long a game takes, so that each is
/// one pair.
const OUT_PER_SLOT: usize = 4;
const OUT_PER_SLOT_UNMEASURED: usize = 2;

impl Batches {
    /// The next batch to publish. Fewer games than a full batch are published only if no more can be submitted.
    pub fn publish(&mut self, now: Duration) -> Option<Batch<'_>> {
        let number = self.next_number;
        let (jobs, tries) = match self.next_again(number) {
            Some(piece) => piece,
            None => (self.next_fresh(number)?, 0),
        };
        self.next_number += 1;
        self.out.insert(
            number,
            Out { open: jobs.len(), jobs: jobs.clone(), tries, seen: now, is_named: false, is_halted: false },
        );
        let jobs = jobs.iter().filter_map(|serial| self.jobs.get(*serial)).collect();
        Some(Batch { number, tries, jobs })
    }

    /// The jobs of the next batch that is published again: those whose results did not come from elsewhere.
    pub(super) fn next_again(&mut self, number: u64) -> Option<(Vec<u64>, u32)> {
        while let Some((serials, tries)) = self.again.pop_front() {
            let mut jobs = Vec::new();
            for serial in serials {
                self.assign(serial, number, &mut jobs);
            }
            if !jobs.is_empty() {
                return Some((jobs, tries));
            }
        }
        None
    }

    /// The jobs of the next new batch; `None` if it should wait.
    pub(super) fn next_fresh(&mut self, number: u64) -> Option<Vec<u64>> {
        let size = self.size();
        let can_grow = self.jobs.len() >= self.capacity() && self.jobs.waiting() < size;
        if self.out.len() >= self.out_max() || can_grow {
            return None;
        }
        let (mut jobs, mut bytes) = (Vec::new(), 0);
        while jobs.len() < size
            && bytes < BYTES_MAX
            && let Some(serial) = self.waiting.pop_front()
        {
            let known = jobs.len();
            self.assign(serial, number, &mut jobs);
            bytes += jobs[known..].iter().map(|serial| self.jobs.bytes(*serial)).sum::<usize>();
        }
        (!jobs.is_empty()).then_some(jobs)
    }

    /// Assigns a job to a batch, with the other game of its pair if that waits as well.
    pub(super) fn assign(&mut self, serial: u64, number: u64, jobs: &mut Vec<u64>) {
        // It may have a result, or be in a batch with the other game of its pair.
        if !self.jobs.is_waiting(serial) {
            return;
        }
        let partner = self.jobs.waiting_partner(serial);
        for serial in [Some(serial), partner].into_iter().flatten() {
            self.jobs.set_home(serial, Home::Batch(number));
            jobs.push(serial);
        }
    }

    /// Number of games in the next batch: whole pairs.
    pub(super) fn size(&self) -> usize {
        let Some((seconds, _)) = self.measured else { return 2 };
        let in_time = self.pace.target.as_secs_f64() / seconds.max(1e-6);
        // Games that were reported and not yet taken note of are still expected.
        let unpublished = self.expected.saturating_sub(self.jobs.published() + self.reports.len());
        let share = unpublished / (2 * self.workers.slots().max(1));
        let games = (in_time.min(GAMES_MAX as f64) as usize).min(share);
        (games / 2 * 2).clamp(2, GAMES_MAX)
    }

    pub(super) fn out_max(&self) -> usize {
        let per_slot = if self.measured.is_some() { OUT_PER_SLOT } else { OUT_PER_SLOT_UNMEASURED };
        per_slot * self.workers.slots().max(1)
    }
}
