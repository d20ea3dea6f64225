//! A bot's stderr: drained all the time so that the bot does not block; its beginning and its end are kept.
//!
//! The runtime drains it, whose threads may use other processors than the bot. A burst on a slow move goes into a pipe of
//! 1 MiB, where the system allows that. A bot that writes more, faster than it can be read, waits on its own time.

use std::io::ErrorKind;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use arena_core::text::escaped;
use arena_guard::set_pipe_size;
use tokio::net::unix::pipe::Receiver;

use super::tap::{Stream, Tap};

use crate::player::LogLine;

/// Bytes kept from the beginning of a game's stderr, and as many from its end.
const KEPT_BYTES: usize = 64 * 1024;
/// Bytes read at once.
const READ_BYTES: usize = 16 * 1024;
/// Size of the pipe during a slow move; larger ones are for root alone unless the system says otherwise (pipe(7)).
pub(super) const PIPE_BYTES: usize = 1 << 20;
/// Default size of a pipe.
const PIPE_BYTES_DEFAULT: usize = 64 * 1024;
/// The most large pipes at a time: half of what Linux allows all pipes of an ordinary user (`pipe-user-pages-soft`).
/// Beyond that it makes all new pipes small, also those of other programs.
const LARGE_PIPES_MAX: usize = 32;
/// Bytes of the end that go into a fault's evidence.
const EVIDENCE_BYTES: usize = 2_000;

/// Large pipes of this process.
static LARGE_PIPES: AtomicUsize = AtomicUsize::new(0);

/// The stderr of one process.
#[derive(Debug)]
pub(super) struct Stderr {
    /// Read only while `kept` is locked, so that the output of two reads stays in order.
    pipe: Receiver,
    is_large: AtomicBool,
    kept: Mutex<KeptOutput>,
    closed: Condvar,
    tap: Option<Arc<Tap>>,
}

/// Output since it was last taken.
#[derive(Debug, Default)]
pub(super) struct KeptOutput {
    /// The beginning and the end, `KEPT_BYTES` each once anything was dropped between them.
    bytes: Vec<u8>,
    dropped: usize,
    closed: bool,
}

impl Stderr {
    /// Drains `pipe` on `runtime` until it is closed; `tap` gets a copy.
    pub(super) fn drain(
        pipe: OwnedFd,
        runtime: &tokio::runtime::Handle,
        tap: Option<Arc<Tap>>,
    ) -> std::io::Result<Arc<Self>> {
        let _context = runtime.enter();
        rustix::io::ioctl_fionbio(&pipe, true)?;
        let pipe = Receiver::from_owned_fd(pipe)?;
        let (is_large, kept, closed) = Default::default();
        let stderr = Arc::new(Self { pipe, is_large, kept, closed, tap });
        let drain = Arc::clone(&stderr);
        runtime.spawn(async move {
            while let Ok(()) = drain.pipe.readable().await {
                match drain.read_once(&mut drain.lock(), |buffer| drain.pipe.try_read(buffer)) {
                    Ok(1..) => {}
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                    Ok(0) | Err(_) => break,
                }
                // Lets other pipes be read, and the output be taken.
                tokio::task::yield_now().await;
            }
            drain.lock().closed = true;
            drain.closed.notify_all();
        });
        Ok(stderr)
    }

    /// Enlarges the pipe until [`Stderr::take`], unless the system refuses or too many others are large.
    pub(super) fn enlarge(&self) {
        let room = |count: usize| (count < LARGE_PIPES_MAX).then_some(count + 1);
        if !self.is_large.load(Ordering::Relaxed)
            && LARGE_PIPES.fetch_update(Ordering::Relaxed, Ordering::Relaxed, room).is_ok()
        {
            self.is_large.store(true, Ordering::Relaxed);
            if !set_pipe_size(&self.pipe, PIPE_BYTES) {
                self.forget_large();
            }
        }
    }

    /// The output since the last call, without a last line that is still being written.
    pub(super) fn take(&self) -> KeptOutput {
        let mut kept = self.lock();
        self.read_rest(&mut kept);
        // The pipe stays large if it already holds too much.
        if self.is_large.load(Ordering::Relaxed) && set_pipe_size(&self.pipe, PIPE_BYTES_DEFAULT) {
            self.forget_large();
        }
        kept.take()
    }

    /// Waits at most `limit` until all processes of the bot have closed it, then takes the output.
    pub(super) fn finish(&self, limit: Duration) -> KeptOutput {
        let kept = self.lock();
        let waited = self.closed.wait_timeout_while(kept, limit, |kept| !kept.closed);
        let mut kept = waited.unwrap_or_else(PoisonError::into_inner).0;
        self.read_rest(&mut kept);
        // A process that still holds it open is not waited for again.
        kept.closed = true;
        kept.take()
    }

    /// Reads what was written before this call and not yet drained, at most what a pipe holds.
    fn read_rest(&self, kept: &mut KeptOutput) {
        for _ in 0..PIPE_BYTES.div_ceil(READ_BYTES) {
            if !matches!(self.read_once(kept, |buffer| Ok(rustix::io::read(&self.pipe, buffer)?)), Ok(1..)) {
                return;
            }
        }
    }

    /// Reads once; returns the number of bytes.
    fn read_once(
        &self,
        kept: &mut KeptOutput,
        read: impl FnOnce(&mut [u8]) -> std::io::Result<usize>,
    ) -> std::io::Result<usize> {
        let mut buffer = [0; READ_BYTES];
        let count = read(&mut buffer)?;
        kept.push(&buffer[..count]);
        if let Some(tap) = &self.tap {
            tap.write(Stream::Stderr, &buffer[..count]);
        }
        Ok(count)
    }

    fn forget_large(&self) {
        if self.is_large.swap(false, Ordering::Relaxed) {
            LARGE_PIPES.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, KeptOutput> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Stderr {
    fn drop(&mut self) {
        self.forget_large();
    }
}

impl KeptOutput {
    fn take(&mut self) -> Self {
        let bytes = if self.closed { Vec::new() } else { self.split_off_last_line() };
        let closed = self.closed;
        std::mem::replace(self, Self { bytes, dropped: 0, closed })
    }

    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        if let Some(surplus @ 1..) = self.bytes.len().checked_sub(2 * KEPT_BYTES) {
            self.bytes.drain(KEPT_BYTES..KEPT_BYTES + surplus);
            self.dropped += surplus;
        }
    }

    /// Removes an unfinished last line, unless it is too long to be kept back.
    fn split_off_last_line(&mut self) -> Vec<u8> {
        let start = self.bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        let is_short = self.bytes.len() - start <= KEPT_BYTES;
        self.bytes.split_off(if is_short { start } else { self.bytes.len() })
    }

    /// The end of the output, for evidence: escaped except for newlines.
    pub(super) fn tail(&self) -> Option<String> {
        let text = String::from_utf8_lossy(&self.bytes[self.bytes.len().saturating_sub(EVIDENCE_BYTES)..]);
        let lines: Vec<String> = text.lines().map(escaped).collect();
        let text = lines.join("\n").trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    /// Logs its lines, escaped, as `line`.
    pub(super) fn log_as(&self, line: fn(String) -> LogLine, log: &mut Vec<LogLine>) {
        let mut lines = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            log.extend(text.lines().map(|text| line(escaped(text))));
        };
        if self.dropped == 0 {
            lines(&self.bytes);
        } else {
            let (head, tail) = self.bytes.split_at(KEPT_BYTES);
            lines(head);
            lines(format!("… {} bytes dropped …", self.dropped).as_bytes());
            lines(tail);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logged(kept: &KeptOutput) -> Vec<String> {
        let mut log = Vec::new();
        kept.log_as(LogLine::Stderr, &mut log);
        log.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn head_and_tail_are_kept_and_the_middle_is_counted() {
        let mut kept = KeptOutput::default();
        kept.push(b"first\n");
        kept.push(&vec![b'x'; 10 * KEPT_BYTES]);
        kept.push(b"\nlast\n");
        let log = logged(&kept);
        assert_eq!(log[0], "stderr: first");
        assert_eq!(log.last().unwrap(), "stderr: last");
        assert!(log.iter().any(|line| line.ends_with("bytes dropped …")));
        assert!(kept.bytes.len() <= 2 * KEPT_BYTES);
        assert!(kept.tail().unwrap().ends_with("last"));
    }

    #[test]
    fn a_line_that_is_being_written_stays_whole() {
        let mut kept = KeptOutput::default();
        kept.push(b"one\ntw");
        assert_eq!(logged(&kept.take()), ["stderr: one"]);
        assert_eq!(logged(&kept.take()), [""; 0]);
        kept.push(b"o\nthree");
        assert_eq!(logged(&kept.take()), ["stderr: two"]);
        kept.closed = true;
        assert_eq!(logged(&kept.take()), ["stderr: three"]);
    }

    #[test]
    fn a_line_that_is_too_long_is_not_kept_back() {
        let mut kept = KeptOutput::default();
        kept.push(b"one\n");
        kept.push(&vec![b'x'; KEPT_BYTES]);
        assert_eq!(logged(&kept.take()), ["stderr: one"]);
        kept.push(&vec![b'x'; 10 * KEPT_BYTES]);
        assert!(kept.take().dropped > 0 && kept.bytes.is_empty());
    }

    #[test]
    fn output_is_taken_even_if_the_drain_is_late() {
        // A runtime that is not driven.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        let (read, write) = rustix::pipe::pipe().unwrap();
        let stderr = Stderr::drain(read, runtime.handle(), None).unwrap();
        rustix::io::write(&write, b"first\n").unwrap();
        assert_eq!(logged(&stderr.take()), ["stderr: first"]);
        rustix::io::write(&write, b"second\n").unwrap();
        assert_eq!(logged(&stderr.take()), ["stderr: second"]);
    }

    #[test]
    fn the_content_of_a_large_pipe_is_taken_at_once() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        let (read, write) = rustix::pipe::pipe().unwrap();
        let stderr = Stderr::drain(read, runtime.handle(), None).unwrap();
        rustix::io::ioctl_fionbio(&write, true).unwrap();
        let fill = || {
            let counts = std::iter::from_fn(|| rustix::io::write(&write, &[b'x'; 4096]).ok());
            counts.sum::<usize>() as u64
        };
        let filled = || {
            let written = fill();
            let mut kept = stderr.lock();
            stderr.read_rest(&mut kept);
            assert_eq!((kept.dropped + kept.bytes.len()) as u64, written);
            *kept = KeptOutput::default();
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
        let mut kept = KeptOutput::default();
        kept.push(&vec![b'a'; KEPT_BYTES - 2]);
        kept.push(b"bcde\n");
        assert_eq!(logged(&kept).len(), 1);
    }
}
