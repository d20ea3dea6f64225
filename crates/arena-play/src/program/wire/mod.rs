//! The pipes of one program of rules: requests written, answers read, stderr drained; everything with a deadline.
//!
//! One thread does all of it, in one `poll`: a program that writes while it should read, or floods stderr, blocks nothing. Our
//! ends of the pipes do not block; the program's own remain as programs expect them.
//!
//! **Before you edit this**
//! - `poll` looks at its descriptors one after the other. A program can write its answer and exit in between, so its exit
//!   counts only once its output was found empty after it.
//! - The end of the pipes is no sign of the end of the process, nor the other way round: another process may hold them.
//! - While nothing is asked nothing is read. A program that writes much then waits until it is asked.

mod explain;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use arena_sys::time::{now, timespec};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use crate::program::answer::Answer;
use crate::program::line_buffer::LineBuffer;
use crate::program::log::{RulesLog, Source, StderrEnd};
use crate::program::messages::{QUIT, Request};
use crate::program::mistake::Mistake;

/// Bytes of requests that may be unanswered when they are written ahead; one request alone may be longer.
const AHEAD_BYTES_MAX: usize = 32 << 10;
/// Bytes of stderr that are read at once.
const READ_BYTES: usize = 16 << 10;
/// How often stderr is read after the end of the process: more than a pipe holds.
const LAST_READS_MAX: u32 = 64;

/// Why an answer did not come.
#[derive(Debug)]
pub(super) enum End {
    /// It did not come within the limit.
    TimedOut,
    /// The process exited, or closed its output or its input.
    Closed,
    /// What came is not an answer.
    Mistake(Mistake),
    /// A system call of ours failed.
    Error(io::Error),
}

impl From<Mistake> for End {
    fn from(mistake: Mistake) -> Self {
        Self::Mistake(mistake)
    }
}

impl From<Errno> for End {
    fn from(error: Errno) -> Self {
        Self::Error(error.into())
    }
}

/// Our side of the pipes.
#[derive(Debug)]
pub(super) struct Wire {
    stdin: Option<OwnedFd>,
    stdout: OwnedFd,
    stderr: Option<OwnedFd>,
    /// Readable once the process has exited; absent where the system has no such thing.
    exited: Option<OwnedFd>,
    /// Requests; `outgoing[written..]` waits for room in the pipe.
    outgoing: Vec<u8>,
    written: usize,
    /// The lengths of the requests that are not answered yet, and their sum.
    unanswered: VecDeque<usize>,
    unanswered_bytes: usize,
    input: LineBuffer,
    stderr_end: StderrEnd,
    log: Arc<RulesLog>,
    process: u32,
}

impl Wire {
    /// The pipes of a new process.
    pub(super) fn new(
        [stdin, stdout, stderr]: [OwnedFd; 3],
        exited: Option<OwnedFd>,
        log: Arc<RulesLog>,
    ) -> io::Result<Self> {
        for pipe in [&stdin, &stdout, &stderr] {
            rustix::io::ioctl_fionbio(pipe, true)?;
        }
        let process = log.number();
        Ok(Self {
            stdin: Some(stdin),
            stdout,
            stderr: Some(stderr),
            exited,
            outgoing: Vec::new(),
            written: 0,
            unanswered: VecDeque::new(),
            unanswered_bytes: 0,
            input: LineBuffer::default(),
            stderr_end: StderrEnd::default(),
            log,
            process,
        })
    }

    /// Asks all of `requests`, written ahead as far as allowed. Each answer goes to `take`, in order, and has `limit` from the
    /// one before it. After an error nothing more can be asked.
    pub(super) fn ask(
        &mut self,
        requests: &[Request<'_>],
        limit: Duration,
        mut take: impl FnMut(Answer),
    ) -> Result<(), End> {
        if self.input.next_message(&self.log, self.process)?.is_some() {
            return Err(Mistake::Surplus.into());
        }
        self.outgoing.clear();
        (self.written, self.unanswered_bytes) = (0, 0);
        self.unanswered.clear();
        let (mut encoded, mut answered) = (0, 0);
        let mut deadline = now() + limit;
        let mut is_over = false;
        while answered < requests.len() {
            encoded += self.encode(&requests[encoded..]);
            self.write()?;
            let before = answered;
            while let Some(line) = self.input.next_message(&self.log, self.process)? {
                let unwritten = self.outgoing.len() - self.written;
                // What is not written yet cannot be answered.
                let asked = self.unanswered.pop_front().filter(|length| unwritten + length <= self.unanswered_bytes);
                let length = asked.ok_or(Mistake::Surplus)?;
                take(Answer::read(line, &requests[answered])?);
                self.unanswered_bytes -= length;
                answered += 1;
                if answered == requests.len() {
                    return Ok(());
                }
            }
            if answered > before {
                deadline = now() + limit;
                is_over = false;
                // There is room for more requests now.
                continue;
            }
            if is_over {
                return Err(End::TimedOut);
            }
            let left = deadline.saturating_duration_since(now());
            // What is there by now is looked at all the same: our own thread may be late.
            is_over = left.is_zero();
            self.listen(left)?;
        }
        Ok(())
    }

    /// Encodes those of `requests` that may be written now, from the first; returns how many.
    fn encode(&mut self, requests: &[Request<'_>]) -> usize {
        // The last ones stay, for what can be said of them.
        if !requests.is_empty() && self.written == self.outgoing.len() {
            self.outgoing.clear();
            self.written = 0;
        }
        for (count, request) in requests.iter().enumerate() {
            let start = self.outgoing.len();
            request.write(&mut self.outgoing);
            let length = self.outgoing.len() - start;
            if !self.unanswered.is_empty() && self.unanswered_bytes + length > AHEAD_BYTES_MAX {
                self.outgoing.truncate(start);
                return count;
            }
            self.unanswered.push_back(length);
            self.unanswered_bytes += length;
        }
        requests.len()
    }

    /// Writes as much as the pipe takes.
    fn write(&mut self) -> Result<(), End> {
        while self.written < self.outgoing.len() {
            let stdin = self.stdin.as_ref().ok_or(End::Closed)?;
            match rustix::io::write(stdin, &self.outgoing[self.written..]) {
                Ok(count) => self.written += count,
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => {}
                Err(Errno::PIPE) => {
                    self.stdin = None;
                    // It may have said why.
                    self.read_rest();
                    return Err(End::Closed);
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Waits until something happens, at most for `limit`, and reads what is there. Fails once there is nothing more to come.
    fn listen(&mut self, limit: Duration) -> Result<(), End> {
        let wanted = |pipe, flags| PollFd::new(pipe, flags);
        let stdout = wanted(&self.stdout, PollFlags::IN);
        let mut fds = [stdout.clone(), stdout.clone(), stdout.clone(), stdout];
        let others = [&self.stderr, &self.exited].into_iter().flatten().map(|pipe| wanted(pipe, PollFlags::IN));
        let is_writing = self.written < self.outgoing.len();
        let stdin = self.stdin.iter().filter(|_| is_writing).map(|pipe| wanted(pipe, PollFlags::OUT));
        let mut count = 1;
        for other in others.chain(stdin) {
            fds[count] = other;
            count += 1;
        }
        match poll(&mut fds[..count], Some(&timespec(limit))) {
            Ok(0) | Err(Errno::INTR) => return Ok(()),
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        let is_ready = |index: usize| !fds[index].revents().is_empty();
        let (has_stderr, has_exited) = (self.stderr.is_some(), self.exited.is_some());
        let stderr_is_ready = has_stderr && is_ready(1);
        let is_gone = has_exited && is_ready(1 + usize::from(has_stderr));
        let is_ready = is_ready(0);
        if stderr_is_ready {
            self.read_stderr();
        }
        let has_read = (is_ready || is_gone) && self.read()?;
        if is_gone && !has_read { Err(End::Closed) } else { Ok(()) }
    }

    /// Reads stdout once; false if there is nothing at present.
    fn read(&mut self) -> Result<bool, End> {
        let space = self.input.space();
        match rustix::io::retry_on_intr(|| rustix::io::read(&self.stdout, &mut *space)) {
            Ok(0) => Err(End::Closed),
            Ok(count) => {
                self.input.filled(count);
                Ok(true)
            }
            Err(Errno::AGAIN) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Reads stderr once; false if there is nothing at present.
    fn read_stderr(&mut self) -> bool {
        let Some(stderr) = &self.stderr else { return false };
        let mut buffer = [0; READ_BYTES];
        match rustix::io::read(stderr, &mut buffer) {
            Ok(count @ 1..) => {
                self.stderr_end.push(&buffer[..count], &self.log, self.process);
                true
            }
            Err(Errno::INTR) => true,
            Err(Errno::AGAIN) => false,
            Ok(0) | Err(_) => {
                self.stderr = None;
                false
            }
        }
    }

    /// Reads what is left of stdout, for what can be said of it.
    fn read_rest(&mut self) {
        for _ in 0..LAST_READS_MAX {
            while let Ok(Some(_)) = self.input.next_message(&self.log, self.process) {}
            if !matches!(self.read(), Ok(true)) {
                break;
            }
        }
    }

    /// Says `quit` and closes the program's input.
    pub(super) fn quit(&mut self) {
        if self.written == self.outgoing.len() {
            self.outgoing.clear();
            self.outgoing.extend_from_slice(QUIT.as_bytes());
            self.written = 0;
            // It leaves at the end of its input as well.
            let _ = self.write();
        }
        self.stdin = None;
    }

    /// Reads and drops what is written until the process exits or closes its output, at most for `limit`.
    pub(super) fn drain(&mut self, limit: Duration) {
        let deadline = now() + limit;
        self.outgoing.clear();
        self.written = 0;
        loop {
            let left = deadline.saturating_duration_since(now());
            self.input.clear();
            if left.is_zero() || self.listen(left).is_err() {
                break;
            }
        }
    }

    /// Reads the rest of stderr once the process is gone, and returns its end.
    pub(super) fn finish(&mut self) -> Option<String> {
        for _ in 0..LAST_READS_MAX {
            if !self.read_stderr() {
                break;
            }
        }
        self.stderr_end.finish(&self.log, self.process);
        self.stderr_end.tail()
    }

    /// Notes something in the log.
    pub(super) fn note(&self, text: &str) {
        self.log.push(self.process, Source::Arena, text.as_bytes());
    }
}
