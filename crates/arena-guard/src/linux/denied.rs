//! Counts the calls that a bot's filter refuses.
//!
//! Each such call waits until the guard has counted and answered it, so what a bot was refused is counted before it can write
//! anything about it. The counts are in a file of memory that the guard shares with the referee: no message is sent, and nothing
//! is lost with the guard.
//!
//! A call that was read cannot be stopped before its answer, only killed, so the guard answers at once. Before it is read, it
//! can be stopped; a signal with a handler without `SA_RESTART` may then end it with EINTR in place of EPERM (in one of a
//! hundred under 2,500 signals a second, Linux 6.18).

use std::collections::BTreeMap;
use std::fs::File;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use rustix::event::PollFlags;
use rustix::fs::MemfdFlags;

use super::sys;

/// Answers in a [`WINDOW`]. Further calls wait: the guard must not take the processor from others for a bot that does nothing
/// else. An answer takes some 10 µs.
const ANSWERS_MAX: u32 = 1_000;
const WINDOW: Duration = Duration::from_secs(1);
/// Numbers of calls that are counted; there are fewer.
const NUMBERS: u32 = 1_024;
/// Size of a count.
const COUNT_BYTES: usize = size_of::<u64>();

/// The guard's side.
#[derive(Debug)]
pub(super) struct DenialCounter {
    listener: Option<OwnedFd>,
    /// `None` if the system gave no such file: calls are refused all the same.
    file: Option<File>,
    counts: BTreeMap<u32, u64>,
    /// Start of the present window, and the answers in it.
    window: (Instant, u32),
}

impl DenialCounter {
    /// A counter without a listener.
    pub(super) fn new() -> Self {
        let file = rustix::fs::memfd_create(c"denied", MemfdFlags::CLOEXEC).ok().map(File::from);
        Self { listener: None, file, counts: BTreeMap::new(), window: (super::now(), 0) }
    }

    pub(super) fn listen(&mut self, listener: OwnedFd) {
        sys::answer_nearby(&listener);
        self.listener = Some(listener);
    }

    /// The file with the counts, for [`denied`]; `None` if nothing is counted.
    pub(super) fn file(&self) -> Option<&File> {
        self.file.as_ref().filter(|_| self.listener.is_some())
    }

    /// What to wait for at most `limit`: the listener, or else the end of the window.
    pub(super) fn due(&self, limit: Duration) -> (Option<&OwnedFd>, Duration) {
        let (since, answers) = self.window;
        let left = if answers < ANSWERS_MAX { Duration::ZERO } else { WINDOW.saturating_sub(since.elapsed()) };
        if left.is_zero() { (self.listener.as_ref(), limit) } else { (None, limit.min(left)) }
    }

    /// After a wait that found the listener ready: refuses the next call.
    pub(super) fn hear(&mut self, ready: PollFlags) {
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
        if number < NUMBERS {
            let count = self.counts.entry(number).or_default();
            *count += 1;
            if let Some(file) = &self.file {
                // If this fails, the next call of this kind brings the count.
                let _ = file.write_all_at(&count.to_ne_bytes(), u64::from(number) * COUNT_BYTES as u64);
            }
        }
        sys::refuse(listener, call);
    }
}

/// The counts so far by name, in the referee; none if they cannot be read.
pub(super) fn denied(file: BorrowedFd<'_>) -> BTreeMap<String, u64> {
    let mut bytes = [0; NUMBERS as usize * COUNT_BYTES];
    let read = rustix::io::retry_on_intr(|| rustix::io::pread(file, &mut bytes, 0)).unwrap_or(0);
    let (counts, _) = bytes[..read].as_chunks();
    let numbered = counts.iter().zip(0_u32..).map(|(count, number)| (number, u64::from_ne_bytes(*count)));
    numbered.filter(|(_, count)| *count > 0).map(|(number, count)| (name(number), count)).collect()
}

fn name(number: u32) -> String {
    let known = syscall_numbers::native::sys_call_name(number.into());
    known.map_or_else(|| format!("call_{number}"), str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn after_a_burst_calls_wait_for_the_next_second() -> std::io::Result<()> {
        let mut counter = DenialCounter::new();
        assert!(counter.due(WINDOW).0.is_none(), "there is no listener");
        // Any descriptor; it is not used here.
        counter.listen(File::open("/dev/null")?.into());
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
    fn counts_are_read_by_number_and_named() -> std::io::Result<()> {
        let counter = DenialCounter::new();
        let file = counter.file.as_ref().expect("a file");
        assert!(denied(file.as_fd()).is_empty());
        for (number, count) in
            [(libc::SYS_socket as u64, 3_u64), (libc::SYS_bind as u64, 1), (u64::from(NUMBERS) - 1, 2)]
        {
            file.write_all_at(&count.to_ne_bytes(), number * COUNT_BYTES as u64)?;
        }
        let named = [("bind", 1), ("call_1023", 2), ("socket", 3)].map(|(name, count)| (name.to_owned(), count));
        assert_eq!(denied(file.as_fd()), BTreeMap::from(named));
        Ok(())
    }
}
