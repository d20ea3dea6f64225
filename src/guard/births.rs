//! New processes: each is asked for before it is made, so that their number is known to one, and bounded.
//!
//! The question comes from the filter of system calls (seccomp's user notification); while it is open the thread that asks
//! waits, and can be killed. Threads are not asked for. Who is not answered makes nothing: a bot that is to go is not.
//!
//! Processes are looked at only when so many were allowed that there may be too many. An answer is no process yet, and one
//! that is being made when the others are counted is not among them; so whoever asks near the limit waits until those who
//! were answered before have had the time to be seen.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::event::EventfdFlags;

use super::channel::{self, Received};
use super::{Overrun, sys};

/// Time within which a process that was allowed is there, or will not be. In a crowd some take longer; then there may be
/// so many more than allowed, until they are seen.
const SETTLE: Duration = Duration::from_millis(10);
/// One part in so many of the time is spent on looking.
const LOOK_SHARE: u32 = 4;

/// Gives the guard what it listens to.
pub(super) fn hand_over(to: &OwnedFd, listener: &OwnedFd) -> io::Result<()> {
    channel::send(to.as_fd(), &(), &[listener.as_fd()])
}

/// Answers the processes of one bot.
#[derive(Debug)]
pub(super) struct Births {
    listener: OwnedFd,
    /// An eventfd to which every process adds one.
    counter: OwnedFd,
    ration: Ration,
    /// Whoever has to wait for its answer, and until when. The others are not listened to meanwhile.
    waiting: Option<(u64, Instant)>,
}

impl Births {
    /// Takes what the bot has handed over before its program ran. `processes_max` of 0 is no limit.
    pub(super) fn take_over(from: &OwnedFd, processes_max: u64) -> io::Result<Option<Self>> {
        let Received::Message((), fds) = channel::receive(from.as_fd())? else { return Ok(None) };
        let Some(listener) = fds.into_iter().next() else { return Ok(None) };
        let counter = rustix::event::eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Some(Self { listener, counter, ration: Ration::new(processes_max, super::now()), waiting: None }))
    }

    /// What the referee reads by [`Counter`].
    pub(super) fn counter(&self) -> BorrowedFd<'_> {
        self.counter.as_fd()
    }

    /// Readable when somebody asks; nothing while somebody has to wait.
    pub(super) fn listener(&self) -> Option<BorrowedFd<'_>> {
        self.waiting.is_none().then(|| self.listener.as_fd())
    }

    /// Time until whoever has to wait is to be answered.
    pub(super) fn left(&self) -> Option<Duration> {
        self.waiting.map(|(_, due)| due.saturating_duration_since(super::now()))
    }

    /// Answers one process, if it is time to. `count` counts those that are alive, at least up to its argument.
    pub(super) fn answer(&mut self, asked: bool, count: impl FnOnce(u64) -> u64) -> io::Result<Option<Overrun>> {
        let now = super::now();
        let question = match self.waiting {
            Some((_, due)) if due > now => return Ok(None),
            Some((id, _)) => Some(id),
            None if asked => sys::next_question(&self.listener)?,
            None => None,
        };
        let Some(id) = question else { return Ok(None) };
        self.waiting = None;
        let count = |enough| {
            let alive = sys::run_first(|| count(enough));
            (alive, super::now())
        };
        match self.ration.ask(now, count) {
            Answer::Yes => {
                // First, so that whoever hears from the new process knows of it.
                rustix::io::write(&self.counter, &1_u64.to_ne_bytes())?;
                sys::allow_call(&self.listener, id)?;
                Ok(None)
            }
            Answer::Later(due) => {
                self.waiting = Some((id, due));
                Ok(None)
            }
            Answer::No => Ok(Some(Overrun::TooManyProcesses)),
        }
    }
}

/// What is said to whoever asks for another process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Yes,
    /// To be asked again at this time.
    Later(Instant),
    /// There are as many as there may be.
    No,
}

/// How many more there may be.
#[derive(Debug)]
struct Ration {
    /// 0 is none.
    limit: u64,
    /// So many may be made without looking.
    left: u64,
    /// When the last ones were allowed.
    recent: VecDeque<Instant>,
    /// Not to be looked before.
    look_due: Instant,
}

impl Ration {
    /// For a bot that is one process.
    fn new(limit: u64, now: Instant) -> Self {
        Self { limit, left: limit.saturating_sub(1), recent: VecDeque::new(), look_due: now }
    }

    /// `count` tells how many are alive, at least up to its argument, and what time it is then.
    fn ask(&mut self, now: Instant, count: impl FnOnce(u64) -> (u64, Instant)) -> Answer {
        if self.limit == 0 {
            return Answer::Yes;
        }
        if self.left == 0 {
            if now < self.look_due {
                return Answer::Later(self.look_due);
            }
            while self.recent.front().is_some_and(|at| *at + SETTLE <= now) {
                self.recent.pop_front();
            }
            let (alive, then) = count(self.limit.saturating_add(1));
            self.look_due = then + (then - now) * LOOK_SHARE;
            // Some of these may have been counted as well; then those who wait do so in vain, but not for long.
            self.left = self.limit.saturating_sub(alive.saturating_add(self.recent.len() as u64));
            if alive > self.limit || alive == self.limit && self.recent.is_empty() {
                return Answer::No;
            }
            if self.left == 0 {
                let settled = self.recent.front().map_or(then, |at| *at + SETTLE);
                return Answer::Later(settled.max(self.look_due));
            }
        }
        self.left -= 1;
        self.recent.push_back(now);
        Answer::Yes
    }
}

/// The referee's side: how many processes a bot has made.
#[derive(Debug)]
pub(super) struct Counter {
    fd: OwnedFd,
    /// What was read of it is not in it any more.
    read: AtomicU64,
}

impl Counter {
    pub(super) fn new(fd: OwnedFd) -> Self {
        Self { fd, read: AtomicU64::new(0) }
    }

    pub(super) fn read(&self) -> u64 {
        let mut bytes = [0; size_of::<u64>()];
        // Without any since the last time it would block.
        let new = match rustix::io::retry_on_intr(|| rustix::io::read(&self.fd, &mut bytes)) {
            Ok(_) => u64::from_ne_bytes(bytes),
            Err(_) => 0,
        };
        self.read.fetch_add(new, Ordering::Relaxed) + new
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Processes are born some time after they were allowed, and die at any time.
        #[test]
        fn nobody_below_the_limit_is_refused_and_nobody_gets_above_it(
            limit in 1_u64..12,
            steps in prop::collection::vec((0_u8..4, 0_u64..5), 1..300),
        ) {
            let start = crate::guard::now();
            let (mut now, mut alive, mut unborn) = (start, 1_u64, VecDeque::new());
            let mut ration = Ration::new(limit, now);
            for (act, ms) in steps {
                now += Duration::from_millis(ms);
                // Whoever was allowed is there in time.
                while unborn.front().is_some_and(|at| *at + SETTLE <= now) {
                    unborn.pop_front();
                    alive += 1;
                }
                match act {
                    0 if alive > 1 => alive -= 1,
                    1 if unborn.pop_front().is_some() => alive += 1,
                    _ => match ration.ask(now, |_| (alive, now)) {
                        Answer::Yes => unborn.push_back(now),
                        Answer::Later(due) => prop_assert!(due > now && !ration.recent.is_empty()),
                        Answer::No => prop_assert_eq!((alive, unborn.len()), (limit, 0)),
                    },
                }
                prop_assert!(alive + unborn.len() as u64 <= limit);
            }
        }
    }

    #[test]
    fn looks_are_rare_while_there_is_room_and_take_a_part_of_the_time() {
        let start = crate::guard::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut ration = Ration::new(5, start);
        let never = |_| unreachable!("there is room for four more");
        assert!((0..4).all(|ms| ration.ask(at(ms), never) == Answer::Yes));
        // Three are alive, the last one that was allowed may be on its way, and the look has taken 3 ms.
        assert_eq!(ration.ask(at(12), |enough| (enough - 3, at(15))), Answer::Yes);
        assert_eq!(ration.ask(at(16), |_| unreachable!()), Answer::Later(at(27)));
        // As long as there is no limit nobody looks.
        let mut ration = Ration::new(0, start);
        assert!((0..100).all(|ms| ration.ask(at(ms), |_| unreachable!()) == Answer::Yes));
        assert!(ration.recent.is_empty());
    }

    #[test]
    fn a_count_goes_on_from_what_was_read_before() {
        let fd = rustix::event::eventfd(0, EventfdFlags::NONBLOCK).unwrap();
        let theirs = fd.try_clone().unwrap();
        let counter = Counter::new(fd);
        assert_eq!(counter.read(), 0);
        for _ in 0..3 {
            rustix::io::write(&theirs, &1_u64.to_ne_bytes()).unwrap();
        }
        assert_eq!([counter.read(), counter.read()], [3, 3]);
        rustix::io::write(&theirs, &1_u64.to_ne_bytes()).unwrap();
        assert_eq!(counter.read(), 4);
    }
}
