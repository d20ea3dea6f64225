//! The jobs that have no outcome yet.

use std::collections::HashMap;

use arena_core::event::GameId;
use arena_core::schedule::{Job, is_first_of_pair};

/// Where a job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Home {
    /// In no batch.
    Waiting,
    /// In the batch with this number.
    Batch(u64),
}

/// Jobs by serial number, and by place.
#[derive(Debug, Default)]
pub(super) struct OpenJobs {
    jobs: HashMap<u64, OpenJob>,
    places: HashMap<u32, u64>,
    /// Those in batches.
    published: usize,
    /// Whether the latest one is the first game of a pair.
    last_is_first: bool,
    next: u64,
}

#[derive(Debug)]
struct OpenJob {
    job: Job,
    bytes: usize,
    home: Home,
}

impl OpenJobs {
    /// Adds a job that waits; returns its serial number.
    pub(super) fn add(&mut self, job: Job, bytes: usize) -> u64 {
        let serial = self.next;
        self.next += 1;
        self.last_is_first = is_first_of_pair(job.place);
        self.places.insert(job.place, serial);
        self.jobs.insert(serial, OpenJob { job, bytes, home: Home::Waiting });
        serial
    }

    pub(super) fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Number of jobs in batches.
    pub(super) const fn published(&self) -> usize {
        self.published
    }

    /// Whether the second game of the latest pair may follow.
    pub(super) const fn awaits_second(&self) -> bool {
        self.last_is_first
    }

    pub(super) fn get(&self, serial: u64) -> Option<&Job> {
        self.jobs.get(&serial).map(|entry| &entry.job)
    }

    /// The pair of a job.
    pub(super) fn pair(&self, serial: u64) -> Option<u32> {
        self.get(serial).map(|job| job.game.pair)
    }

    /// Number of jobs in no batch.
    pub(super) fn waiting(&self) -> usize {
        self.jobs.len() - self.published
    }

    /// Whether a job is there, and in no batch.
    pub(super) fn is_waiting(&self, serial: u64) -> bool {
        self.jobs.get(&serial).is_some_and(|entry| entry.home == Home::Waiting)
    }

    /// The other game of a job's pair, if it is in no batch.
    pub(super) fn waiting_partner(&self, serial: u64) -> Option<u64> {
        let other = *self.places.get(&(self.get(serial)?.place ^ 1))?;
        (self.pair(other) == self.pair(serial) && self.is_waiting(other)).then_some(other)
    }

    pub(super) fn bytes(&self, serial: u64) -> usize {
        self.jobs.get(&serial).map_or(0, |entry| entry.bytes)
    }

    pub(super) fn all(&self, holds: &dyn Fn(&Job) -> bool) -> bool {
        self.jobs.values().all(|entry| holds(&entry.job))
    }

    pub(super) fn set_home(&mut self, serial: u64, home: Home) {
        let Some(entry) = self.jobs.get_mut(&serial) else { return };
        let before = std::mem::replace(&mut entry.home, home);
        self.published = self.published + usize::from(home != Home::Waiting) - usize::from(before != Home::Waiting);
    }

    /// Removes the job at `place` if it is this game.
    pub(super) fn remove(&mut self, place: u32, id: GameId) -> Option<(Home, Job)> {
        let serial = *self.places.get(&place)?;
        let home = self.jobs.get(&serial).filter(|entry| entry.job.game.id == id)?.home;
        self.take_if(serial, &|_| true).map(|job| (home, job))
    }

    /// Removes a job if `holds`.
    pub(super) fn take_if(&mut self, serial: u64, holds: &dyn Fn(&Job) -> bool) -> Option<Job> {
        if !holds(&self.jobs.get(&serial)?.job) {
            return None;
        }
        self.set_home(serial, Home::Waiting);
        let job = self.jobs.remove(&serial)?.job;
        self.places.remove(&job.place);
        Some(job)
    }
}
