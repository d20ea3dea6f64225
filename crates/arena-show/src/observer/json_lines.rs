//! Writes all events as JSON lines, on its own thread.

use std::io::{self, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use super::{EventSender, Observer, RunEvent};

/// Maximum wait for unwritten events at the end: the reader of a pipe may be stuck.
const END_LIMIT: Duration = Duration::from_secs(5);

/// Writes every event as a line. Slow writing delays lines, but never the run.
#[derive(Debug)]
pub struct JsonLines {
    /// `None` once all events were sent.
    events: Option<EventSender>,
    /// Receives the writer's result when it has ended.
    ended: Receiver<io::Result<()>>,
}

impl JsonLines {
    /// Writes to `out`.
    ///
    /// # Errors
    ///
    /// Returns an error if no thread can be started.
    pub fn start(mut out: impl Write + Send + 'static) -> io::Result<Self> {
        let (events, mut queue) = EventSender::new();
        let (end, ended) = mpsc::channel();
        let mut write = move || {
            while let Some((event, _place)) = queue.blocking_recv() {
                if let Ok(line) = serde_json::to_string(&event) {
                    writeln!(out, "{}", arena_core::text::json(&line))?;
                }
                if queue.is_empty() {
                    out.flush()?;
                }
            }
            out.flush()
        };
        // Fails if the result is no longer awaited.
        let writer = std::thread::Builder::new().name("events".to_owned());
        writer.spawn(move || end.send(write()).is_ok())?;
        Ok(Self { events: Some(events), ended })
    }

    /// Waits for the remaining events to be written, up to `limit`; returns the error if they were not.
    fn end(&mut self, limit: Duration) -> io::Result<()> {
        if self.events.take().is_none() {
            return Ok(());
        }
        match self.ended.recv_timeout(limit) {
            Ok(written) => written,
            Err(RecvTimeoutError::Timeout) => Err(io::Error::other("their reader did not take them in time")),
            Err(RecvTimeoutError::Disconnected) => Err(io::Error::other("their thread panicked; please report this")),
        }
    }
}

impl Observer for JsonLines {
    fn observe(&mut self, event: &RunEvent) {
        if let Some(events) = &self.events {
            events.send(event.clone());
        }
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
    use std::sync::{Arc, Mutex};

    use arena_core::rules::Move;

    use super::*;
    use crate::observer::queue::MOVES_MAX;

    /// A file that blocks writers while it is locked.
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
        let (id, played) = ("00".to_owned(), Move::Int(3));
        let moved = RunEvent::Moved { id, ply: 0, seat: 0, played, us: 5, eval: None, comment: None };
        let held = out.0.lock().unwrap();
        for _ in 0..2 * MOVES_MAX {
            lines.observe(&moved);
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
