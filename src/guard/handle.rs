//! The referee's side of a bot under guard.

use std::os::fd::BorrowedFd;
use std::time::Duration;

use rustix::process::Pid;

use super::{Cleared, Effective, Exited, Family, GuardProgram, Pipes, Request, StartFailed};

#[cfg(target_os = "linux")]
use super::link::Link as Inner;
#[cfg(not(target_os = "linux"))]
use super::plain::Plain as Inner;

/// A bot and its guard. Dropping it ends both, and all that the bot has started.
#[derive(Debug)]
pub struct Guarded(Inner);

/// How a bot ended and what became of the rest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ending {
    /// How the bot ended; unknown if its guard died before it could tell.
    pub exited: Option<Exited>,
    /// What it left behind; unknown if its guard died, and then looked for by [`super::sweep`].
    pub cleared: Option<Cleared>,
}

/// Starts a bot under a guard that is started from `guard`; returns when its program runs. Takes about a millisecond.
///
/// # Errors
///
/// Returns the step that failed; [`StartFailed::is_ours`] says whose failure it is.
pub fn spawn(guard: &GuardProgram, request: &Request) -> Result<(Guarded, Pipes), StartFailed> {
    let (inner, pipes) = Inner::spawn(guard, request)?;
    Ok((Guarded(inner), pipes))
}

/// Ends all bots at once, whoever waits for them; they are gone in a few milliseconds. For leaving in a hurry.
pub fn end_all() {
    Inner::end_all();
}

impl Guarded {
    /// What keeps the bot in bounds.
    #[must_use]
    pub fn sandbox(&self) -> &Effective {
        self.0.sandbox()
    }

    /// Readable from the moment the bot has ended (its pidfd); absent on systems without.
    #[must_use]
    pub fn exit_fd(&self) -> Option<BorrowedFd<'_>> {
        self.0.exit_fd()
    }

    /// Readable when the guard has said something that [`Guarded::exited`] would take; absent without a guard.
    #[must_use]
    pub fn control_fd(&self) -> Option<BorrowedFd<'_>> {
        self.0.control_fd()
    }

    /// How the bot ended, if it has. Does not wait.
    pub fn exited(&mut self) -> Option<&Exited> {
        self.0.exited(Duration::ZERO)
    }

    /// As [`Guarded::exited`], waiting for at most `limit`.
    pub fn wait_exited(&mut self, limit: Duration) -> Option<&Exited> {
        self.0.exited(limit)
    }

    /// Whether the bot is gone, by itself or with its guard.
    pub fn is_over(&mut self) -> bool {
        self.0.exited(Duration::ZERO).is_some() || self.0.is_cut_off()
    }

    /// The bot's process. To look at, not to signal: only while [`Guarded::exited`] is `None` is the number its own.
    #[must_use]
    pub fn pid(&self) -> Pid {
        self.0.family().bot()
    }

    /// The bot and all that it has started.
    #[must_use]
    pub fn family(&self) -> Family {
        self.0.family()
    }

    /// Ends the bot, if it still runs, and all that it has started; returns when they are gone, in a few milliseconds,
    /// at the latest after [`super::KILL_BOUND`] and a half; if the guard itself was killed or had to be, after as long
    /// again, for what it left behind. Whoever is stuck in the kernel is not waited for. Called again it returns the same.
    pub fn kill(&mut self) -> Ending {
        self.0.kill()
    }
}
