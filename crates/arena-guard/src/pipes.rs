//! The three pipes between a bot and the referee.

use std::io;
use std::os::fd::OwnedFd;

/// The referee's ends.
#[derive(Debug)]
pub struct Pipes {
    /// What the bot reads.
    pub stdin: OwnedFd,
    /// What the bot writes.
    pub stdout: OwnedFd,
    /// What the bot writes to stderr.
    pub stderr: OwnedFd,
}

/// The bot's ends: stdin, stdout, stderr.
pub(super) type Ends = [OwnedFd; 3];

/// Creates three pipes whose ends are closed on exec.
pub(super) fn make() -> io::Result<(Pipes, Ends)> {
    let (bot_in, stdin) = pipe()?;
    let (stdout, bot_out) = pipe()?;
    let (stderr, bot_err) = pipe()?;
    Ok((Pipes { stdin, stdout, stderr }, [bot_in, bot_out, bot_err]))
}

/// The reading and the writing end of a pipe, closed on exec (set atomically where the system can).
pub(super) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (read, write) = io::pipe()?;
    Ok((read.into(), write.into()))
}
