//! Jobs in, outcomes out: how the games of a schedule get played.
//!
//! [`Local`] plays them on this machine, on threads with bots of their own. Other executors may play them elsewhere, or
//! only pretend to: the dispatcher ([`crate::tournament`]) knows this trait alone.

mod feed;
mod local;
mod processors;
mod queue;
mod slot;

use std::future::Future;
use std::time::Duration;

use tokio::sync::oneshot;

use crate::record::Record;
use crate::schedule::Job;

pub use local::Local;
pub use slot::{LIVE_BOTS_MAX, Slot, SlotSettings};

/// Time between looks for bots that were started after the others were killed.
pub(crate) const KILL_AGAIN: Duration = Duration::from_millis(10);

/// Plays games. An executor decides nothing: it is handed jobs, and every job comes back as one outcome unless it is taken
/// back before it begins.
pub trait Executor {
    /// Jobs that it takes at once: those it plays and those that wait for the next free place.
    fn capacity(&self) -> usize;

    /// Takes a job; never more than [`Executor::capacity`] of them.
    fn submit(&mut self, job: Job);

    /// Gives back the jobs that have not begun and for which `unwanted` holds.
    fn take_back(&mut self, unwanted: &dyn Fn(&Job) -> bool) -> Vec<Job>;

    /// What came of a job, or something else that is worth knowing. `None` once nothing more can come: after
    /// [`Executor::close`], or because the executor failed.
    fn next(&mut self) -> impl Future<Output = Option<Outcome>>;

    /// No more jobs follow: what was begun is finished, and what was not is dropped.
    fn close(&mut self);

    /// Ends what runs at once; its outcomes no longer matter.
    fn abandon(&mut self) -> impl Future<Output = ()>;
}

/// What an executor reports.
#[derive(Debug)]
pub enum Outcome {
    /// A game was played. The sender is dropped once the game is recorded, if the executor waits for that.
    Played(Box<Finished>, Option<oneshot::Sender<()>>),
    /// What bots, by their numbers, wrote after their last games.
    LastWords(Vec<(usize, Vec<String>)>),
    /// Fewer games can be played at once than were asked for; says why.
    Reduced(String),
}

/// A game that was played.
#[derive(Debug)]
pub struct Finished {
    /// Its place in the schedule.
    pub place: u32,
    /// What is kept of it.
    pub record: Record,
    /// For the bots' logs, by seat.
    pub logs: [Vec<String>; 2],
    /// Numbers of the bots, by seat.
    pub bots: [usize; 2],
    /// What has become of a bot's files, by seat, if they are not what they were: then the game tells nothing of it.
    pub changes: [Option<String>; 2],
    /// Whether it is void because the machine gave a bot no processor.
    pub starved: bool,
}
