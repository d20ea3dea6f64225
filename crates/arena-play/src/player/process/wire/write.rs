//! Writing, which never waits for a bot that does not read without reading itself.

use std::time::Instant;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::{ExchangeEnd, Wire, now, timespec};
use crate::player::LogLine;
use crate::player::process::{Deadline, heartbeat};

impl Wire {
    /// Writes as much of the last `left` bytes of the message as the pipe takes; returns how many are left then. A bot
    /// that has closed its input takes everything: it will fail by the answers it does not give.
    pub(super) fn write_some(&mut self, left: usize) -> Result<usize, ExchangeEnd> {
        let Some(stdin) = self.stdin.as_ref().filter(|_| left > 0) else { return Ok(0) };
        loop {
            return match rustix::io::write(stdin, &self.sent[self.sent.len() - left..]) {
                Ok(count) => Ok(left - count),
                Err(Errno::AGAIN) => Ok(left),
                Err(Errno::INTR) => continue,
                Err(Errno::PIPE) => {
                    self.stdin = None;
                    self.deaf = true;
                    Ok(0)
                }
                Err(error) => Err(ExchangeEnd::Error(error.into())),
            };
        }
    }

    /// Writes the rest and reads meanwhile, so that the two sides cannot deadlock. Returns when the last byte was written.
    pub(super) fn write_rest(
        &mut self,
        mut left: usize,
        deadline: Deadline,
        log: &mut Vec<LogLine>,
    ) -> Result<Instant, ExchangeEnd> {
        let started = now();
        let mut written_at = started;
        loop {
            let Some(stdin) = self.stdin.as_ref().filter(|_| left > 0) else { return Ok(written_at) };
            let mut remaining = deadline.saturating_duration_since(now());
            if remaining.is_zero() {
                remaining = (deadline + heartbeat::suspended(started, now())).saturating_duration_since(now());
            }
            let mut fds = [
                PollFd::new(&self.stdout, PollFlags::IN),
                PollFd::new(stdin, PollFlags::OUT),
                // Where exits cannot be waited for, any descriptor that is waited for anyway.
                self.exited.as_ref().map_or(PollFd::new(stdin, PollFlags::OUT), |fd| PollFd::new(fd, PollFlags::IN)),
            ];
            let (readable, exited) = match poll(&mut fds, Some(&timespec(remaining))) {
                Ok(0) => return Err(ExchangeEnd::TimedOut),
                Ok(_) => (!fds[0].revents().is_empty(), self.exited.is_some() && !fds[2].revents().is_empty()),
                Err(Errno::INTR) => (false, false),
                Err(error) => return Err(ExchangeEnd::Error(error.into())),
            };
            if exited {
                // Its last lines are judged first, so that their status does not depend on when they are read.
                self.drop_lines(log)?;
                while matches!(self.read_some(), Ok(true)) {
                    self.drop_lines(log)?;
                }
                return Err(ExchangeEnd::Closed);
            }
            if readable {
                // A single read: whatever the bot writes, the deadline is looked at again.
                self.read_some()?;
                self.drop_lines(log)?;
            }
            written_at = now();
            left = self.write_some(left)?;
            if remaining.is_zero() && left > 0 {
                return Err(ExchangeEnd::TimedOut);
            }
        }
    }
}
