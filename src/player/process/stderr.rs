//! What a bot writes to stderr: drained all the time so that it does not block the bot, kept head and tail.
//!
//! The runtime drains it, whose threads are not kept to the processor of a game as its bots are. What a bot that is
//! seated writes at once is taken by a pipe of 1 MiB, where the system allows that; who writes more, faster than it can
//! be read, waits on its own time.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use tokio::net::unix::pipe::Receiver;

use crate::guard::set_pipe_size;
use crate::player::LogLine;
use crate::text::escaped;

/// Bytes kept from the beginning of a game's stderr, and as many from its end.
const KEPT_BYTES: usize = 64 * 1024;
/// Bytes read at once.
const READ_BYTES: usize = 64 * 1024;
/// Bytes read first when there is mostly nothing.
const FEW_BYTES: usize = 4096;
/// Bytes that the pipe of a bot holds whose move takes longer; larger ones are for root alone unless the system says otherwise (pipe(7)).
const PIPE_BYTES: usize = 1 << 20;
/// Bytes that a pipe holds unless told otherwise.
const PIPE_BYTES_DEFAULT: usize = 64 * 1024;
/// The most large pipes at a time: half of what Linux lets all pipes of an ordinary user have (`pipe-user-pages-soft`).
/// Beyond that it would make all new ones small, also those of other programs.
const LARGE_PIPES_MAX: usize = 32;

/// Large pipes of this process.
static LARGE_PIPES: AtomicUsize = AtomicUsize::new(0);
/// Bytes of the end that go into a fault's evidence.
const EVIDENCE_BYTES: usize = 2_000;

/// The stderr of one process.
#[derive(Debug, Clone)]
pub(super) struct Stderr(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// Read only while `kept` is locked, so that what two read stays in order.
    pipe: Receiver,
    is_large: AtomicBool,
    kept: Mutex<Kept>,
    closed: Condvar,
}

/// What was kept of the output since it was last taken.
#[derive(Debug, Default)]
pub(super) struct Kept {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    dropped: u64,
    closed: bool,
}

impl Stderr {
    /// Drains `pipe` on `runtime` until it is closed.
    pub(super) fn drain(pipe: OwnedFd, runtime: &tokio::runtime::Handle) -> std::io::Result<Self> {
        let _context = runtime.enter();
        rustix::io::ioctl_fionbio(&pipe, true)?;
        let pipe = Receiver::from_owned_fd(pipe)?;
        let shared =
            Arc::new(Shared { pipe, is_large: AtomicBool::new(false), kept: Mutex::default(), closed: Condvar::new() });
        let drain = Arc::clone(&shared);
        runtime.spawn(async move {
            while let Ok(()) = drain.pipe.readable().await {
                match drain.lock().read(|buffer| drain.pipe.try_read(buffer)) {
                    Ok(1..) => {}
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                    Ok(0) | Err(_) => break,
                }
                // Others have as much right to be read, and whoever wants what was kept may have it.
                tokio::task::yield_now().await;
            }
            drain.lock().closed = true;
            drain.closed.notify_all();
        });
        Ok(Self(shared))
    }

    /// Lets a bot write much at once, until [`Stderr::take`]; with as little as usual where the system
    /// refuses, or too many others may.
    pub(super) fn enlarge(&self) {
        let room = |count: usize| (count < LARGE_PIPES_MAX).then_some(count + 1);
        if !self.0.is_large.load(Ordering::Relaxed)
            && LARGE_PIPES.fetch_update(Ordering::Relaxed, Ordering::Relaxed, room).is_ok()
        {
            self.0.is_large.store(true, Ordering::Relaxed);
            if !set_pipe_size(&self.0.pipe, PIPE_BYTES) {
                self.0.forget_large();
            }
        }
    }

    /// What was written since the last call. The beginning of a line that is still being written stays for the next one.
    pub(super) fn take(&self) -> Kept {
        let mut kept = self.0.lock();
        self.read_on(&mut kept);
        // It stays large if it holds too much already.
        if self.0.is_large.load(Ordering::Relaxed) && set_pipe_size(&self.0.pipe, PIPE_BYTES_DEFAULT) {
            self.0.forget_large();
        }
        kept.take()
    }

    /// Waits until the bot and everything it started have closed it, for at most `limit`, then takes it.
    pub(super) fn finish(&self, limit: Duration) -> Kept {
        let kept = self.0.lock();
        let waited = self.0.closed.wait_timeout_while(kept, limit, |kept| !kept.closed);
        let mut kept = waited.unwrap_or_else(PoisonError::into_inner).0;
        self.read_on(&mut kept);
        // Whoever may hold it still: nothing more is waited for.
        kept.closed = true;
        kept.take()
    }

    /// What was written before this call belongs to it, even if the drain has not come to it.
    fn read_on(&self, kept: &mut Kept) {
        // Nearly always there is nothing, or little.
        let mut few = [0; FEW_BYTES];
        let Ok(count) = rustix::io::read(&self.0.pipe, &mut few) else { return };
        kept.push(&few[..count]);
        let mut left = if count == FEW_BYTES { PIPE_BYTES / READ_BYTES } else { 0 };
        while left > 0 && matches!(kept.read(|buffer| Ok(rustix::io::read(&self.0.pipe, buffer)?)), Ok(1..)) {
            left -= 1;
        }
    }
}

impl Shared {
    fn forget_large(&self) {
        if self.is_large.swap(false, Ordering::Relaxed) {
            LARGE_PIPES.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.forget_large();
    }
}

impl Kept {
    fn take(&mut self) -> Self {
        let begun = if self.closed { Vec::new() } else { self.split_off_last_line() };
        let closed = self.closed;
        std::mem::replace(self, Self { closed, head: begun, ..Self::default() })
    }

    /// Adds what is read at once; how many bytes that were.
    fn read(&mut self, read: impl FnOnce(&mut [u8]) -> std::io::Result<usize>) -> std::io::Result<usize> {
        let mut buffer = vec![0; READ_BYTES];
        let count = read(&mut buffer)?;
        self.push(&buffer[..count]);
        Ok(count)
    }

    fn push(&mut self, bytes: &[u8]) {
        let room = KEPT_BYTES - self.head.len().min(KEPT_BYTES);
        let (head, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(head);
        if rest.len() >= KEPT_BYTES {
            self.dropped += self.tail.len() as u64;
            self.tail.clear();
        }
        self.tail.extend(rest);
        let surplus = self.tail.len().saturating_sub(KEPT_BYTES);
        self.tail.drain(..surplus);
        self.dropped += surplus as u64;
    }

    /// What comes after the last line end; nothing if there is no line end in what is known of the end.
    fn split_off_last_line(&mut self) -> Vec<u8> {
        let after = |newline: Option<usize>| newline.map(|at| at + 1);
        if let Some(at) = after(self.tail.iter().rposition(|&byte| byte == b'\n')) {
            return self.tail.split_off(at).into();
        }
        match after(self.head.iter().rposition(|&byte| byte == b'\n')) {
            Some(at) if self.dropped == 0 => {
                let mut line = self.head.split_off(at);
                line.extend(self.tail.drain(..));
                line
            }
            None if self.tail.is_empty() => std::mem::take(&mut self.head),
            _ => Vec::new(),
        }
    }

    /// The end of it, for evidence: escaped but for line ends.
    pub(super) fn tail(&self) -> Option<String> {
        let mut bytes = self.head.clone();
        bytes.extend(&self.tail);
        let text = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(EVIDENCE_BYTES)..]);
        let lines: Vec<String> = text.lines().map(escaped).collect();
        let text = lines.join("\n").trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    /// Its lines, escaped, for the log.
    pub(super) fn log_to(&self, log: &mut Vec<LogLine>) {
        self.log_as(LogLine::Stderr, log);
    }

    /// Its lines, if they were written after the end of a game and before the bot was ready for the next.
    pub(super) fn log_between_games_to(&self, log: &mut Vec<LogLine>) {
        self.log_as(LogLine::StderrBetweenGames, log);
    }

    fn log_as(&self, line: fn(String) -> LogLine, log: &mut Vec<LogLine>) {
        let mut lines = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            log.extend(text.lines().map(|text| line(escaped(text))));
        };
        if self.dropped == 0 {
            // Head and tail are one piece: a line must not be cut between them.
            let mut whole = self.head.clone();
            whole.extend(&self.tail);
            lines(&whole);
        } else {
            lines(&self.head);
            lines(format!("… {} bytes dropped …", self.dropped).as_bytes());
            let tail: Vec<u8> = self.tail.iter().copied().collect();
            lines(&tail);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logged(kept: &Kept) -> Vec<String> {
        let mut log = Vec::new();
        kept.log_to(&mut log);
        log.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn head_and_tail_are_kept_and_the_middle_is_counted() {
        let mut kept = Kept::default();
        kept.push(b"first\n");
        kept.push(&vec![b'x'; 10 * KEPT_BYTES]);
        kept.push(b"\nlast\n");
        let log = logged(&kept);
        assert_eq!(log[0], "stderr: first");
        assert_eq!(log.last().unwrap(), "stderr: last");
        assert!(log.iter().any(|line| line.ends_with("bytes dropped …")));
        assert!(kept.head.len() + kept.tail.len() <= 2 * KEPT_BYTES);
        assert!(kept.tail().unwrap().ends_with("last"));
    }

    #[test]
    fn a_line_that_is_being_written_stays_whole() {
        let mut kept = Kept::default();
        kept.push(b"one\ntw");
        assert_eq!(logged(&kept.take()), ["stderr: one"]);
        assert_eq!(logged(&kept.take()), [""; 0]);
        kept.push(b"o\nthree");
        assert_eq!(logged(&kept.take()), ["stderr: two"]);
        kept.closed = true;
        assert_eq!(logged(&kept.take()), ["stderr: three"]);
    }

    #[test]
    fn a_line_without_end_is_not_kept_back_without_bounds() {
        let mut kept = Kept::default();
        kept.push(b"one\n");
        kept.push(&vec![b'x'; KEPT_BYTES]);
        assert_eq!(logged(&kept.take()), ["stderr: one"]);
        kept.push(&vec![b'x'; 10 * KEPT_BYTES]);
        assert!(kept.take().dropped > 0 && kept.head.is_empty());
    }

    #[test]
    fn what_was_written_before_is_taken_even_if_the_drain_is_late() {
        // A runtime that nobody drives.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        let (read, write) = rustix::pipe::pipe().unwrap();
        let stderr = Stderr::drain(read, runtime.handle()).unwrap();
        rustix::io::write(&write, b"first\n").unwrap();
        assert_eq!(logged(&stderr.take()), ["stderr: first"]);
        rustix::io::write(&write, b"second\n").unwrap();
        assert_eq!(logged(&stderr.take()), ["stderr: second"]);
    }

    #[test]
    fn all_that_a_large_pipe_holds_is_taken_at_once() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        let (read, write) = rustix::pipe::pipe().unwrap();
        let stderr = Stderr::drain(read, runtime.handle()).unwrap();
        rustix::io::ioctl_fionbio(&write, true).unwrap();
        let fill = || {
            let counts = std::iter::from_fn(|| rustix::io::write(&write, &[b'x'; 4096]).ok());
            counts.sum::<usize>() as u64
        };
        let filled = || {
            let written = fill();
            let mut kept = stderr.0.lock();
            stderr.read_on(&mut kept);
            assert_eq!(kept.dropped + kept.head.len() as u64 + kept.tail.len() as u64, written);
            *kept = Kept::default();
            written
        };
        // Less than the default where the user has very many pipes.
        let usual = filled();
        stderr.enlarge();
        for written in [filled(), filled()] {
            assert!(written == PIPE_BYTES as u64 || written == usual, "{written}, usually {usual}");
        }
        stderr.take();
        assert!(fill() <= PIPE_BYTES_DEFAULT as u64, "small again");
    }

    #[test]
    fn a_line_across_head_and_tail_stays_whole() {
        let mut kept = Kept::default();
        kept.push(&vec![b'a'; KEPT_BYTES - 2]);
        kept.push(b"bcde\n");
        assert_eq!(logged(&kept).len(), 1);
    }
}
