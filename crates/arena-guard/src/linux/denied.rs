//! Counts the calls that a bot's filter refuses.
//!
//! Each such call waits until the guard has counted and answered it, so what a bot was refused is counted before it can write
//! anything about it.
//!
//! A call that was read cannot be stopped before its answer, only killed, so the guard answers at once. Before it is read, it
//! can be stopped; a signal with a handler without `SA_RESTART` may then end it with EINTR in place of EPERM (in one of a
//! hundred under 2,500 signals a second, Linux 6.18).

use std::collections::BTreeMap;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::PollFlags;

use super::board::{self, Board};
use super::sys;

/// Answers in a [`WINDOW`]. Further calls wait: the guard must not take the processor from others for a bot that does nothing
/// else. An answer takes some 10 µs.
const ANSWERS_MAX: u32 = 1_000;
const WINDOW: Duration = Duration::from_secs(1);

/// The guard's side.
#[derive(Debug)]
pub(super) struct DenialCounter {
    listener: Option<OwnedFd>,
    counts: BTreeMap<u32, u64>,
    /// Start of the present window, and the answers in it.
    window: (Instant, u32),
}

impl DenialCounter {
    /// A counter without a listener.
    pub(super) fn new() -> Self {
        Self { listener: None, counts: BTreeMap::new(), window: (super::now(), 0) }
    }

    pub(super) fn listen(&mut self, listener: OwnedFd) {
        sys::answer_nearby(&listener);
        self.listener = Some(listener);
    }

    /// What to wait for at most `limit`: the listener, or else the end of the window.
    pub(super) fn due(&self, limit: Duration) -> (Option<&OwnedFd>, Duration) {
        let (since, answers) = self.window;
        let left = if answers < ANSWERS_MAX { Duration::ZERO } else { WINDOW.saturating_sub(since.elapsed()) };
        if left.is_zero() { (self.listener.as_ref(), limit) } else { (None, limit.min(left)) }
    }

    /// After a wait that found the listener ready: refuses the next call, and counts it on the board.
    pub(super) fn hear(&mut self, ready: PollFlags, board: &Board) {
        let Some(listener) = &self.listener else { return };
        if !ready.contains(PollFlags::IN) {
            // All its processes have ended: it would be ready for ever.
            self.listener = None;
            return;
        }
        if self.window.0.elapsed() >= WINDOW {
            self.window = (super::now(), 0);
        }
        self.window.1 += 1;
        // It fails if a signal or the end of the process came first.
        let Ok((number, call)) = sys::next_call(listener) else { return };
        if (number as usize) < board::CALLS {
            let count = self.counts.entry(number).or_default();
            *count += 1;
            board.write(number as usize, *count);
        }
        sys::refuse(listener, call);
    }
}

/// The counts so far by name, in the referee; none if they cannot be read.
pub(super) fn denied(file: BorrowedFd<'_>) -> BTreeMap<String, u64> {
    board::refused(file).map(|(number, count)| (name(number), count)).collect()
}

fn name(number: u32) -> String {
    let known = syscall_numbers::native::sys_call_name(number.into());
    known.map_or_else(|| format!("call_{number}"), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_burst_calls_wait_for_the_next_second() -> std::io::Result<()> {
        let mut counter = DenialCounter::new();
        assert!(counter.due(WINDOW).0.is_none(), "there is no listener");
        // Any descriptor; it is not used here.
        counter.listen(std::fs::File::open("/dev/null")?.into());
        let now = crate::now();
        counter.window = (now, ANSWERS_MAX - 1);
        assert!(matches!(counter.due(WINDOW), (Some(_), WINDOW)));
        counter.window = (now, ANSWERS_MAX);
        let (listener, pause) = counter.due(WINDOW * 2);
        assert!(listener.is_none() && pause <= WINDOW, "{pause:?}");
        assert!(matches!(counter.due(Duration::ZERO), (None, Duration::ZERO)));
        counter.window.0 = now.checked_sub(WINDOW).expect("the machine has run for a second");
        assert!(matches!(counter.due(WINDOW), (Some(_), WINDOW)));
        Ok(())
    }

    #[test]
    fn counts_are_read_by_number_and_named() {
        let board = Board::new();
        let file = board.fd().expect("a file");
        assert!(denied(file).is_empty());
        for (number, count) in [(libc::SYS_socket as usize, 3), (libc::SYS_bind as usize, 1), (board::CALLS - 1, 2)] {
            board.write(number, count);
        }
        let named = [("bind", 1), ("call_1023", 2), ("socket", 3)].map(|(name, count)| (name.to_owned(), count));
        assert_eq!(denied(file), BTreeMap::from(named));
    }
}
