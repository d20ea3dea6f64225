//! Jobs that wait for a free slot.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arena_core::schedule::Job;

/// A queue with one producer and several consumers.
#[derive(Debug, Default)]
pub(super) struct Queue {
    state: Mutex<Jobs>,
    changed: Condvar,
    /// For those who only pause.
    ended: Condvar,
}

#[derive(Debug, Default)]
struct Jobs {
    waiting: VecDeque<Job>,
    closed: bool,
    /// Whether no more games begin.
    ending: bool,
}

impl Queue {
    pub(super) fn push(&self, job: Job) {
        self.lock().waiting.push_back(job);
        self.changed.notify_one();
    }

    /// Waits for a job; `None` once the queue is closed.
    pub(super) fn take(&self) -> Option<Job> {
        let waits = |jobs: &mut Jobs| jobs.waiting.is_empty() && !jobs.closed;
        let mut jobs = self.changed.wait_while(self.lock(), waits).unwrap_or_else(PoisonError::into_inner);
        if jobs.closed { None } else { jobs.waiting.pop_front() }
    }

    /// Waits so long, or until no more games begin.
    pub(super) fn pause(&self, time: Duration) {
        let waits = |jobs: &mut Jobs| !jobs.closed && !jobs.ending;
        drop(self.ended.wait_timeout_while(self.lock(), time, waits).unwrap_or_else(PoisonError::into_inner));
    }

    /// No more games begin: nothing pauses any more.
    pub(super) fn end(&self) {
        self.lock().ending = true;
        self.ended.notify_all();
    }

    /// Takes out the jobs for which `unwanted` holds.
    pub(super) fn remove(&self, unwanted: &dyn Fn(&Job) -> bool) -> Vec<Job> {
        let mut jobs = self.lock();
        let (removed, kept) = std::mem::take(&mut jobs.waiting).into_iter().partition(|job| unwanted(job));
        jobs.waiting = kept;
        removed.into()
    }

    /// Drops all jobs and wakes all waiting threads.
    pub(super) fn close(&self) {
        let mut jobs = self.lock();
        jobs.closed = true;
        jobs.waiting.clear();
        self.changed.notify_all();
        self.ended.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Jobs> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
