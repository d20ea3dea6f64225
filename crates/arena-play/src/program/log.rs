//! `rules.log`: what programs of rules write to stderr, and lines of stdout that are no messages. The beginning and the end
//! are kept.

use std::collections::VecDeque;
use std::fmt::{self, Write as _};
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use arena_core::text::escaped;

/// Bytes that are written as they come.
const HEAD_BYTES: usize = 8 << 20;
/// Bytes of the end, which are written when the run ends.
const TAIL_BYTES: usize = 8 << 20;

/// The log of all processes of a run. Its file has at most 16 MiB of their output, and what is said of each line.
///
/// The last 8 MiB are written by [`RulesLog::finish`], which is called at the end of the run.
pub struct RulesLog(Mutex<Inner>);

/// Where a line of the log comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// stderr.
    Stderr,
    /// stdout: a line that is no message.
    Stray,
    /// The arena.
    Arena,
}

struct Inner {
    /// `None` once it could not be written to.
    out: Option<Box<dyn Write + Send>>,
    failed: Option<io::Error>,
    head_left: usize,
    tail: VecDeque<Piece>,
    tail_bytes: usize,
    dropped: u64,
    processes: u32,
}

/// Some whole lines.
struct Piece {
    process: u32,
    source: Source,
    bytes: Box<[u8]>,
}

impl RulesLog {
    /// A log that is written to `out`, from the first line on.
    pub fn new(out: impl Write + Send + 'static) -> Self {
        Self(Mutex::new(Inner {
            out: Some(Box::new(out)),
            failed: None,
            head_left: HEAD_BYTES,
            tail: VecDeque::new(),
            tail_bytes: 0,
            dropped: 0,
            processes: 0,
        }))
    }

    /// A log that is not kept.
    #[must_use]
    pub fn none() -> Self {
        Self::new(io::sink())
    }

    /// A number for a new process, from 1.
    pub(super) fn number(&self) -> u32 {
        let mut inner = self.lock();
        inner.processes += 1;
        inner.processes
    }

    /// Appends whole lines.
    pub(super) fn push(&self, process: u32, source: Source, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let mut inner = self.lock();
        if inner.head_left > 0 {
            inner.head_left = inner.head_left.saturating_sub(bytes.len());
            inner.write(process, source, bytes);
            return;
        }
        inner.tail.push_back(Piece { process, source, bytes: bytes.into() });
        inner.tail_bytes += bytes.len();
        while inner.tail_bytes > TAIL_BYTES {
            let Some(oldest) = inner.tail.pop_front() else { break };
            inner.tail_bytes -= oldest.bytes.len();
            inner.dropped += oldest.bytes.len() as u64;
        }
    }

    /// Writes the end.
    ///
    /// # Errors
    ///
    /// Returns the first error that occurred in writing the log; nothing was written after it.
    pub fn finish(&self) -> io::Result<()> {
        let mut inner = self.lock();
        if inner.dropped > 0 {
            let line = format!("… {} bytes dropped …", std::mem::take(&mut inner.dropped));
            inner.write(0, Source::Arena, line.as_bytes());
        }
        inner.tail_bytes = 0;
        for Piece { process, source, bytes } in std::mem::take(&mut inner.tail) {
            inner.write(process, source, &bytes);
        }
        if let Some(Err(error)) = inner.out.as_mut().map(Write::flush) {
            inner.failed.get_or_insert(error);
        }
        inner.failed.take().map_or(Ok(()), Err)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn write(&mut self, process: u32, source: Source, bytes: &[u8]) {
        let Some(out) = &mut self.out else { return };
        let source = match source {
            Source::Stderr => format!("{process} stderr: "),
            Source::Stray => format!("{process} stray stdout: "),
            Source::Arena if process == 0 => String::new(),
            Source::Arena => format!("{process} arena: "),
        };
        let text = String::from_utf8_lossy(bytes);
        let mut lines = String::with_capacity(text.len() + text.len() / 4);
        for line in text.lines() {
            let _ = writeln!(lines, "{source}{}", escaped(line));
        }
        if let Err(error) = out.write_all(lines.as_bytes()) {
            self.failed.get_or_insert(error);
            self.out = None;
        }
    }
}

impl Drop for RulesLog {
    fn drop(&mut self) {
        // An error was not asked for.
        let _ = self.finish();
    }
}

impl fmt::Debug for RulesLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RulesLog").finish_non_exhaustive()
    }
}

/// The stderr of one process: whole lines go to the log, and the end is kept for messages.
#[derive(Debug, Default)]
pub(super) struct StderrEnd {
    /// The last bytes; `bytes[logged..]` is an unfinished line.
    bytes: Vec<u8>,
    logged: usize,
}

/// Bytes that are kept of the end of stderr, and length from which a line is logged in pieces.
const KEPT_BYTES: usize = 16 << 10;
/// Bytes of the end that go into evidence.
const EVIDENCE_BYTES: usize = 2_000;

impl StderrEnd {
    /// Takes what was read.
    pub(super) fn push(&mut self, read: &[u8], log: &RulesLog, process: u32) {
        self.bytes.extend_from_slice(read);
        let unlogged = &self.bytes[self.logged..];
        let whole = memchr::memrchr(b'\n', unlogged).map_or(0, |newline| newline + 1);
        let whole = if unlogged.len() - whole > KEPT_BYTES { unlogged.len() } else { whole };
        log.push(process, Source::Stderr, &unlogged[..whole]);
        self.logged += whole;
        // Rarely, so that little is moved.
        if self.bytes.len() > 4 * KEPT_BYTES {
            let surplus = self.logged.min(self.bytes.len() - KEPT_BYTES);
            self.bytes.drain(..surplus);
            self.logged -= surplus;
        }
    }

    /// Logs an unfinished line, since nothing more comes.
    pub(super) fn finish(&mut self, log: &RulesLog, process: u32) {
        log.push(process, Source::Stderr, &self.bytes[self.logged..]);
        self.logged = self.bytes.len();
    }

    /// The end, escaped except for newlines, if anything was written.
    pub(super) fn tail(&self) -> Option<String> {
        let text = String::from_utf8_lossy(&self.bytes[self.bytes.len().saturating_sub(EVIDENCE_BYTES)..]);
        let lines: Vec<String> = text.lines().map(escaped).collect();
        let text = lines.join("\n").trim().to_owned();
        (!text.is_empty()).then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// A file that stays readable.
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Written {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    #[test]
    fn lines_are_whole_escaped_and_say_where_they_come_from() {
        let written = Written::default();
        let log = RulesLog::new(written.clone());
        let (mut one, mut two) = (StderrEnd::default(), StderrEnd::default());
        assert_eq!((log.number(), log.number()), (1, 2));
        one.push(b"first\nsec", &log, 1);
        two.push(b"other\x1b\n", &log, 2);
        one.push(b"ond\n", &log, 1);
        log.push(1, Source::Stray, b"debug\xff\n");
        two.push(b"no newline", &log, 2);
        two.finish(&log, 2);
        log.push(2, Source::Arena, b"it ended");
        let expected = "1 stderr: first\n2 stderr: other\\u{1b}\n1 stderr: second\n1 stray stdout: debug\u{fffd}\n\
                        2 stderr: no newline\n2 arena: it ended\n";
        assert_eq!(written.text(), expected, "written as it comes");
        assert_eq!(one.tail().as_deref(), Some("first\nsecond"));
        assert_eq!((two.tail().as_deref(), StderrEnd::default().tail()), (Some("other\\u{1b}\nno newline"), None));
    }

    #[test]
    fn the_beginning_and_the_end_of_a_flood_are_kept() {
        let written = Written::default();
        let log = RulesLog::new(written.clone());
        let mut stderr = StderrEnd::default();
        let block: Vec<u8> = [&[b'x'; 63][..], b"\n"].concat().repeat(256);
        stderr.push(b"the first\n", &log, 1);
        for _ in 0..(HEAD_BYTES + 2 * TAIL_BYTES) / block.len() {
            stderr.push(&block, &log, 1);
        }
        stderr.push(b"the last\n", &log, 1);
        assert!(stderr.bytes.len() <= 6 * KEPT_BYTES && stderr.tail().unwrap().ends_with("the last"));
        log.finish().unwrap();
        let text = written.text();
        assert!(text.starts_with("1 stderr: the first\n") && text.ends_with("1 stderr: the last\n"));
        let lines = text.lines().filter(|line| line.ends_with('x')).count();
        let kept = HEAD_BYTES + TAIL_BYTES;
        assert!((kept - 3 * block.len()..kept + block.len()).contains(&(lines * 64)), "{lines}");
        assert!(text.lines().any(|line| line.starts_with("… ") && line.ends_with(" bytes dropped …")));
    }

    #[test]
    fn a_line_without_an_end_is_no_work_and_no_memory() {
        let log = RulesLog::none();
        let mut stderr = StderrEnd::default();
        for _ in 0..100 {
            stderr.push(&[b'x'; 16 << 10], &log, 1);
            assert!(stderr.bytes.len() <= 6 * KEPT_BYTES);
        }
        assert_eq!(stderr.tail().unwrap().len(), EVIDENCE_BYTES);
    }

    #[test]
    fn an_error_of_the_file_is_told_once() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let log = RulesLog::new(Full);
        log.push(1, Source::Stderr, b"x\n");
        log.push(1, Source::Stderr, b"y\n");
        assert_eq!(log.finish().unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert!(log.finish().is_ok());
    }
}
