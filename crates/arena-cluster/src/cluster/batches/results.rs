//! Takes results.

use arena_core::event::GameId;
use arena_core::record::GameResult;
use arena_play::executor::Finished;

use super::open_jobs::Home;
use super::{BatchReport, BatchResults, Batches};

/// Maximum number of results kept for games that are not issued yet. Further ones stay at the broker.
const EARLY_MAX: usize = 100_000;
/// Games that the measured time of a game is taken from, at most.
const MEASURED_MAX: f64 = 1_000.0;

impl Batches {
    /// Takes results, in any order and any number of times.
    pub fn results(&mut self, results: BatchResults) {
        let BatchResults { batch, worker, receipt, games, is_last, seconds_per_game } = results;
        self.receipts.begin(receipt, games.len());
        if let Some(seconds) = seconds_per_game.filter(|seconds| seconds.is_finite() && *seconds >= 0.0) {
            self.measure(seconds, games.len() as f64);
        }
        for finished in games {
            self.take(finished, receipt);
        }
        self.receipts.end(receipt);
        // If another worker has it as well, that one reports the rest.
        if is_last && !self.workers.others_have(batch, &worker) {
            self.requeue(batch);
        }
    }

    fn take(&mut self, finished: Finished, receipt: u64) {
        let (place, id) = (finished.place, GameId::of(&finished.record.id));
        if let Some((home, _)) = self.jobs.remove(place, id) {
            self.leave_home(home);
            self.report(finished, receipt);
        } else if self.is_settled(place) || self.void.contains(&(place, id)) {
            self.receipts.done(receipt);
            self.reports.push_back(BatchReport::Again(Box::new(finished)));
        } else if self.early.contains_key(&(place, id)) {
            self.receipts.done(receipt);
        } else if self.early.len() < EARLY_MAX {
            self.early.insert((place, id), (finished, receipt));
        }
    }

    pub(super) fn report(&mut self, finished: Finished, receipt: u64) {
        self.receipts.done(receipt);
        if finished.record.result == GameResult::Void {
            self.void.insert((finished.place, GameId::of(&finished.record.id)));
        } else {
            self.settle(finished.place);
        }
        self.reports.push_back(BatchReport::Played(Box::new(finished)));
    }

    fn leave_home(&mut self, home: Home) {
        if let Home::Batch(number) = home
            && let Some(out) = self.out.get_mut(&number)
        {
            out.open -= 1;
            if out.open == 0 {
                self.out.remove(&number);
            }
        }
    }

    fn measure(&mut self, seconds: f64, games: f64) {
        let (mean, weight) = self.measured.unwrap_or_default();
        let total = weight + games;
        if total > 0.0 {
            self.measured = Some(((mean * weight + seconds * games) / total, total.min(MEASURED_MAX)));
        }
    }
}
