//! Waiting for something to read, and reading it.

use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::{ExchangeEnd, SOON, Wire, now, timespec};
use crate::player::process::alarm;
use crate::player::process::tap::Stream;

impl Wire {
    /// Reads what comes within `soon` of `now`; false if that is nothing. An alarm that is set in a game is switched off
    /// by the end of that game.
    ///
    /// Whether the process has exited is not looked at: that can wait until it is slow.
    pub(super) fn read_within(&mut self, now: Instant, soon: Duration) -> Result<bool, ExchangeEnd> {
        let until = now + soon;
        let mut time = now;
        while self.has_alarm && alarm::ring_by(until, time) {
            if self.read()? {
                return Ok(true);
            }
            time = self::now();
            if time >= until {
                alarm::off();
                return Ok(false);
            }
        }
        match poll(&mut [PollFd::new(&self.stdout, PollFlags::IN)], Some(&timespec(soon))) {
            Ok(_) | Err(Errno::INTR) => self.read_some(),
            Err(error) => Err(ExchangeEnd::Error(error.into())),
        }
    }

    /// Returns once there may be something to read or the process has exited; says whether it has.
    pub(super) fn wait_readable(&self, remaining: Duration) -> Result<bool, ExchangeEnd> {
        let timeout = timespec(remaining);
        let stdout = PollFd::new(&self.stdout, PollFlags::IN);
        let (ready, exited) = if let Some(exited) = &self.exited {
            let mut fds = [stdout, PollFd::new(exited, PollFlags::IN)];
            (poll(&mut fds, Some(&timeout)), !fds[1].revents().is_empty())
        } else {
            (poll(&mut [stdout], Some(&timeout)), false)
        };
        match ready {
            Ok(0) | Err(Errno::INTR) => Ok(false),
            Ok(_) => Ok(exited),
            Err(error) => Err(ExchangeEnd::Error(error.into())),
        }
    }

    /// Reads what is there, at most as much as there is room for; false if there is nothing at present.
    pub(super) fn read_some(&mut self) -> Result<bool, ExchangeEnd> {
        let mut fds = [PollFd::new(&self.stdout, PollFlags::IN)];
        let found = rustix::io::retry_on_intr(|| poll(&mut fds, Some(&timespec(Duration::ZERO))));
        match found {
            Ok(0) => Ok(false),
            Ok(_) => {
                // The bot may have opened this pipe too, and taken back what there was.
                let now = now();
                alarm::ring_by(now + SOON, now);
                let read = self.read();
                alarm::off();
                read
            }
            Err(error) => Err(ExchangeEnd::Error(error.into())),
        }
    }

    /// Waits for something to read, at most as much as there is room for; false if it was interrupted, or if there is
    /// nothing and no alarm.
    fn read(&mut self) -> Result<bool, ExchangeEnd> {
        let space = self.lines.space();
        match rustix::io::read(&self.stdout, &mut *space) {
            Ok(0) => Err(ExchangeEnd::Closed),
            Ok(count) => {
                if let Some(tap) = &self.tap {
                    tap.write(Stream::Received, &space[..count]);
                }
                self.lines.filled(count);
                Ok(true)
            }
            Err(Errno::INTR | Errno::AGAIN) => Ok(false),
            Err(error) => Err(ExchangeEnd::Error(error.into())),
        }
    }
}
