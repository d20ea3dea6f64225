//! Executors: jobs in, outcomes out.
//!
//! [`Local`] plays games on this machine, on threads with their own bots: processes, or players of this program
//! ([`player::in_process`](crate::player::in_process)). Other executors may play them elsewhere or
//! simulate them: the dispatcher of a tournament knows this trait only.

mod feed;
mod gate;
mod held;
mod local;
mod pace;
mod processors;
mod queue;
mod resident;
mod slot;

use std::future::Future;
use std::time::Duration;

use tokio::sync::oneshot;

use arena_core::record::Record;
use arena_core::schedule::Job;
#[cfg(doc)]
use arena_show::observer::RunEvent;
use arena_show::observer::WorkerState;

pub use local::Local;
pub use pace::Pace;
pub use slot::{LIVE_BOTS_MAX, Slot, SlotSettings};

/// Interval at which bots started during a shutdown are killed.
pub const KILL_AGAIN: Duration = Duration::from_millis(10);

/// Plays games. An executor decides nothing: every job it is given returns as one outcome, unless it is taken back before
/// it begins.
pub trait Executor {
    /// Maximum number of jobs at once, running and waiting. It may change during a run.
    fn capacity(&self) -> usize;

    /// Tells how many games may still be due, including the submitted ones. An executor that plays several at a time in one
    /// place makes its portions smaller towards the end.
    fn expect(&mut self, _games: u32) {}

    /// Takes a job; the caller never exceeds [`Executor::capacity`].
    fn submit(&mut self, job: Job);

    /// Gives back the waiting jobs for which `unwanted` holds.
    fn take_back(&mut self, unwanted: &dyn Fn(&Job) -> bool) -> Vec<Job>;

    /// The outcome of a job, or another report. `None` once nothing more can come: after [`Executor::close`], or because
    /// the executor failed.
    fn next(&mut self) -> impl Future<Output = Option<JobOutcome>>;

    /// Tells that everything it has reported is durable: what it kept for the case of a crash is no longer needed.
    fn synced(&mut self) {}

    /// This process was told to stop: gives back all waiting jobs. Those whose bots are ended with this process are
    /// [returned](JobOutcome::Returned).
    fn stop(&mut self) -> Vec<Job> {
        self.take_back(&|_| true)
    }

    /// No more jobs follow: running ones are finished, waiting ones dropped.
    fn close(&mut self);

    /// Ends running games at once; their outcomes no longer matter.
    fn abandon(&mut self) -> impl Future<Output = ()>;
}

/// What an executor reports.
#[derive(Debug)]
pub enum JobOutcome {
    /// A game was played. The sender is dropped once the game is recorded, if the executor waits for that.
    Played(Box<Finished>, Option<oneshot::Sender<()>>),
    /// A game that was reported before was played once more, by an executor that cannot rule that out.
    Again(Box<Finished>),
    /// Places of jobs that will not be played: they are due again.
    Returned(Vec<u32>),
    /// Stderr lines that bots, by number, wrote after their last games.
    LastWords(Vec<(usize, Vec<String>)>),
    /// A problem that does not end the run.
    Warning(String),
    /// The machines that play: [`RunEvent::Workers`].
    Workers {
        /// Number of workers.
        count: usize,
        /// Games that they play at a time.
        slots: usize,
        /// The first of them.
        workers: Vec<WorkerState>,
    },
}

/// A game that was played.
#[derive(Debug)]
pub struct Finished {
    /// Its place in the schedule.
    pub place: u32,
    /// The game's record.
    pub record: Record,
    /// Lines for the bots' logs, by seat.
    pub logs: [Vec<String>; 2],
    /// Numbers of the bots, by seat.
    pub bots: [usize; 2],
    /// How a bot's files have changed, by seat, if they have: then the game does not count for it.
    pub changes: [Option<String>; 2],
    /// Whether it is void because the machine gave a bot no processor.
    pub starved: bool,
    /// Whether it is void because something else ended a bot, or its guard.
    pub foreign_end: bool,
}

impl Finished {
    /// A game with nothing to report but its record.
    #[must_use]
    pub const fn new(job: &Job, record: Record) -> Self {
        Self {
            place: job.place,
            record,
            logs: [Vec::new(), Vec::new()],
            bots: job.game.bots,
            changes: [None, None],
            starved: false,
            foreign_end: false,
        }
    }
}
