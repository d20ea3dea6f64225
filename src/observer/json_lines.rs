//! Everything that happens as JSON lines, written by a thread of its own.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use super::{Observer, RunEvent};

/// Moves that wait to be written; beyond, further moves are dropped and counted. Everything else is kept.
const MOVES_MAX: usize = 10_000;
/// The longest wait at the end for what is not written yet: a pipe may have a reader that takes nothing.
const END_LIMIT: Duration = Duration::from_secs(5);

/// Writes every event as a line. What is written slowly is late, and never holds up a run.
#[derive(Debug)]
pub struct JsonLines {
    /// `None` once everything was sent.
    lines: Option<Sender<(bool, String)>>,
    waiting: Arc<AtomicUsize>,
    /// Moves that were dropped since the last line.
    dropped: usize,
    /// Hears from the writer when it has ended.
    ended: Receiver<io::Result<()>>,
}

impl JsonLines {
    /// Writes to `out`.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no thread for it.
    pub fn start(mut out: impl Write + Send + 'static) -> io::Result<Self> {
        let (lines, receiver) = mpsc::channel::<(bool, String)>();
        let waiting = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&waiting);
        let (end, ended) = mpsc::channel();
        let mut write = move || {
            while let Ok((is_move, line)) = receiver.recv() {
                out.write_all(line.as_bytes())?;
                if is_move && counter.fetch_sub(1, Ordering::Relaxed) > 1 {
                    continue;
                }
                out.flush()?;
            }
            out.flush()
        };
        // It fails when nobody waits for the end any more.
        let writer = std::thread::Builder::new().name("events".to_owned());
        writer.spawn(move || end.send(write()).is_ok())?;
        Ok(Self { lines: Some(lines), waiting, dropped: 0, ended })
    }

    /// Lets the writer write what is left, for this long; returns what kept it from that.
    fn end(&mut self, limit: Duration) -> io::Result<()> {
        if self.lines.take().is_none() {
            return Ok(());
        }
        match self.ended.recv_timeout(limit) {
            Ok(written) => written,
            Err(RecvTimeoutError::Timeout) => Err(io::Error::other("whatever reads them did not take them in time")),
            Err(RecvTimeoutError::Disconnected) => Err(io::Error::other("their thread panicked; please report this")),
        }
    }

    fn send(&self, is_move: bool, event: &RunEvent) {
        let Ok(line) = serde_json::to_string(event) else { return };
        if let Some(lines) = &self.lines {
            // It fails when the writer has ended: that is said at the end.
            let _ = lines.send((is_move, crate::text::json(&line).into_owned() + "\n"));
        }
    }
}

impl Observer for JsonLines {
    fn observe(&mut self, event: &RunEvent) {
        let is_move = matches!(event, RunEvent::Moved(_));
        if is_move && self.waiting.fetch_add(1, Ordering::Relaxed) >= MOVES_MAX {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            self.dropped += 1;
            return;
        }
        if self.dropped > 0 {
            let count = std::mem::take(&mut self.dropped);
            self.send(false, &RunEvent::MovesDropped { count });
        }
        self.send(is_move, event);
    }

    fn finish(&mut self) -> Vec<String> {
        let failed = |error| format!("not all events were written: {error}");
        self.end(END_LIMIT).err().map(failed).into_iter().collect()
    }

    fn wants_moves(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::observer::Moved;
    use crate::rules::Move;

    /// A file that takes nothing while it is locked.
    #[derive(Clone, Default)]
    struct Slow(Arc<Mutex<Vec<u8>>>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_that_takes_nothing_is_not_waited_for_for_ever() {
        let out = Slow::default();
        let mut lines = JsonLines::start(out.clone()).unwrap();
        let _held = out.0.lock().unwrap();
        lines.observe(&RunEvent::Stopping);
        let error = lines.end(Duration::ZERO).unwrap_err().to_string();
        assert!(error.contains("did not take them in time"), "{error}");
    }

    #[test]
    fn moves_are_dropped_with_a_count_and_nothing_else_is() {
        let out = Slow::default();
        let mut lines = JsonLines::start(out.clone()).unwrap();
        let played =
            Moved { id: "00".to_owned(), ply: 0, seat: 0, played: Move::Int(3), us: 5, eval: None, comment: None };
        let held = out.0.lock().unwrap();
        for _ in 0..2 * MOVES_MAX {
            lines.observe(&RunEvent::Moved(played.clone()));
        }
        for _ in 0..MOVES_MAX {
            lines.observe(&RunEvent::Stopping);
        }
        drop(held);
        assert_eq!(lines.finish(), [""; 0]);
        let text = String::from_utf8(out.0.lock().unwrap().clone()).unwrap();
        let count = |what: &str| text.lines().filter(|line| line.starts_with(what)).count();
        assert_eq!(count("{\"type\":\"stopping\"}"), MOVES_MAX);
        let line = r#"{"type":"moved","id":"00","ply":0,"seat":0,"move":3,"us":5}"#;
        assert_eq!((count(line), count("{\"type\":\"moves_dropped\"")), (MOVES_MAX, 1));
        assert!(text.contains(&format!("{{\"type\":\"moves_dropped\",\"count\":{MOVES_MAX}}}")));
    }
}
