//! A tap: shows a person what a bot writes to stderr, and the messages in both directions, while a game is played.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use arena_core::text::escaped;

/// Lines kept until they are taken; of more, the last ones.
const LINES_MAX: usize = 400;
/// Bytes of a line that are kept.
const LINE_BYTES_MAX: usize = 4_000;

/// Where a line was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// The bot's stderr.
    Stderr,
    /// Messages to the bot.
    Sent,
    /// Lines from the bot.
    Received,
}

/// A line that a bot read or wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TappedLine {
    /// Where it was written.
    pub stream: Stream,
    /// Its text, escaped; the end of a long line is cut off.
    pub text: String,
}

/// Collects the lines of one bot, and wakes their reader.
pub struct Tap {
    lines: Mutex<Tapped>,
    /// The reader was woken and has not taken the lines yet.
    is_woken: AtomicBool,
    wake: Box<dyn Fn() + Send + Sync>,
}

#[derive(Debug, Default)]
struct Tapped {
    lines: VecDeque<TappedLine>,
    /// Lines that were dropped since the last call.
    dropped: usize,
    /// The line that is being written to each stream.
    open: [Vec<u8>; 3],
}

impl Tap {
    /// A tap that calls `wake` when there are lines and the reader has taken those before.
    #[must_use]
    pub fn new(wake: impl Fn() + Send + Sync + 'static) -> Self {
        Self { lines: Mutex::default(), is_woken: AtomicBool::new(false), wake: Box::new(wake) }
    }

    /// The complete lines since the last call, and how many earlier ones were dropped because there were too many.
    #[must_use]
    pub fn take(&self) -> (Vec<TappedLine>, usize) {
        // Before the lines are taken, so that a later line wakes the reader again.
        self.is_woken.store(false, Ordering::SeqCst);
        let mut tapped = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        (std::mem::take(&mut tapped.lines).into(), std::mem::take(&mut tapped.dropped))
    }

    /// Adds bytes that passed through `stream`.
    pub(super) fn write(&self, stream: Stream, bytes: &[u8]) {
        let is_new = self.lines.lock().unwrap_or_else(PoisonError::into_inner).write(stream, bytes);
        if is_new && !self.is_woken.swap(true, Ordering::SeqCst) {
            (self.wake)();
        }
    }
}

impl Tapped {
    /// Whether a line was completed.
    fn write(&mut self, stream: Stream, bytes: &[u8]) -> bool {
        let open = &mut self.open[stream as usize];
        let mut parts = bytes.split(|byte| *byte == b'\n');
        let mut is_new = false;
        let mut part = parts.next().unwrap_or_default();
        loop {
            let room = LINE_BYTES_MAX.saturating_sub(open.len());
            open.extend_from_slice(&part[..part.len().min(room)]);
            let Some(next) = parts.next() else { return is_new };
            let line = std::mem::take(open);
            self.lines.push_back(TappedLine { stream, text: escaped(String::from_utf8_lossy(&line).trim_end()) });
            if self.lines.len() > LINES_MAX {
                self.lines.pop_front();
                self.dropped += 1;
            }
            is_new = true;
            part = next;
        }
    }
}

impl fmt::Debug for Tap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tap").field("lines", &self.lines).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn complete_lines_wake_the_reader_once_until_they_are_taken() {
        let wakes = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&wakes);
        let tap = Tap::new(move || _ = count.fetch_add(1, Ordering::Relaxed));
        tap.write(Stream::Stderr, b"on");
        assert_eq!(wakes.load(Ordering::Relaxed), 0, "nothing to show yet");
        tap.write(Stream::Sent, b"{}\n");
        tap.write(Stream::Stderr, b"e\ntw\x1b[0mo\nthree");
        assert_eq!(wakes.load(Ordering::Relaxed), 1);
        let texts = |lines: &[TappedLine]| lines.iter().map(|line| line.text.clone()).collect::<Vec<_>>();
        assert_eq!(texts(&tap.take().0), ["{}", "one", "tw\\u{1b}[0mo"]);
        tap.write(Stream::Stderr, b"\n");
        assert_eq!((wakes.load(Ordering::Relaxed), texts(&tap.take().0)), (2, vec!["three".to_owned()]));
    }

    #[test]
    fn a_flood_keeps_the_last_lines_and_counts_the_others() {
        let tap = Tap::new(|| {});
        for _ in 0..LINES_MAX {
            tap.write(Stream::Stderr, b"x\n");
        }
        tap.write(Stream::Stderr, &[vec![b'y'; 1 << 20], b"\nlast\n".to_vec()].concat());
        let (lines, dropped) = tap.take();
        assert_eq!((lines.len(), dropped), (LINES_MAX, 2));
        assert_eq!(lines[LINES_MAX - 2].text.len(), LINE_BYTES_MAX);
        assert_eq!(lines[LINES_MAX - 1].text, "last");
    }
}
