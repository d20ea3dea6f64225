//! What a bot writes to stderr: drained all the time so that it never blocks the bot, kept head and tail.

use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::AsyncReadExt;

use crate::text::escaped;

/// Bytes kept from the beginning of a game's stderr, and as many from its end.
const KEPT_BYTES: usize = 64 * 1024;
/// Bytes of the end that go into a fault's evidence.
const EVIDENCE_BYTES: usize = 2_000;

/// The stderr of one process.
#[derive(Debug, Clone)]
pub(super) struct Stderr(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
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
        let shared = Arc::new(Shared::default());
        let _context = runtime.enter();
        rustix::io::ioctl_fionbio(&pipe, true)?;
        let mut receiver = tokio::net::unix::pipe::Receiver::from_owned_fd(pipe)?;
        let drain = Arc::clone(&shared);
        runtime.spawn(async move {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = receiver.read(&mut buffer).await {
                drain.lock().push(&buffer[..count]);
            }
            drain.lock().closed = true;
            drain.closed.notify_all();
        });
        Ok(Self(shared))
    }

    /// What was written since the last call.
    pub(super) fn take(&self) -> Kept {
        let mut kept = self.0.lock();
        let closed = kept.closed;
        std::mem::replace(&mut *kept, Kept { closed, ..Kept::default() })
    }

    /// Waits until the bot and everything it started have closed it, for at most `limit`, then takes it.
    pub(super) fn finish(&self, limit: Duration) -> Kept {
        let kept = self.0.lock();
        let waited = self.0.closed.wait_timeout_while(kept, limit, |kept| !kept.closed);
        drop(waited);
        self.take()
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn push(&mut self, bytes: &[u8]) {
        let room = KEPT_BYTES - self.head.len().min(KEPT_BYTES);
        let (head, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(head);
        self.tail.extend(rest);
        let surplus = self.tail.len().saturating_sub(KEPT_BYTES);
        self.tail.drain(..surplus);
        self.dropped += surplus as u64;
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
    pub(super) fn log_to(&self, log: &mut Vec<String>) {
        let mut lines = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            log.extend(text.lines().map(|line| format!("stderr: {}", escaped(line))));
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
        log
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
    fn a_line_across_head_and_tail_stays_whole() {
        let mut kept = Kept::default();
        kept.push(&vec![b'a'; KEPT_BYTES - 2]);
        kept.push(b"bcde\n");
        assert_eq!(logged(&kept).len(), 1);
    }
}
