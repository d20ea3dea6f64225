//! The seam to games that other machines play: a session hands over its run and knows nothing of the network.

use std::fmt::Debug;
use std::pin::Pin;

use arena_play::roster::FoundBot;
use arena_show::observer::RunEnding;

use crate::tournament::Run;

/// A run that workers play.
pub type RemoteRun<'a> = Pin<Box<dyn Future<Output = anyhow::Result<RunEnding>> + 'a>>;

/// Workers that play the games of a session, in place of the slots of this machine.
pub trait SessionWorkers: Debug + Send + Sync {
    /// Plays a run of `bots`; ends as [`tournament::run`](crate::tournament::run) does.
    ///
    /// # Errors
    ///
    /// The future yields an error if the bots cannot be handed to workers, the workers cannot be reached, or the run itself
    /// fails.
    fn play<'a>(&'a self, run: Run<'a>, bots: &'a [FoundBot]) -> RemoteRun<'a>;
}
