//! The wait for one response: a state machine around a blocking read.
//!
//! ```text
//!            no output for SOON, and the deadline is later
//!  Phase::Soon ───────────────────────────────────────► Phase::Slow      (a wait that counts from the start begins here)
//!     │  │                                                │  │
//!     │  └── response ─────► accept ◄───────── response ──┘  │
//!     └── deadline ────────► extend_or_end ◄── deadline ─────┘
//!                                │    └── credit or output: the wait goes on in its phase
//!                                └── the exchange is over
//! ```
//!
//! **Before you edit this**
//! - A fast reply takes one blocking read in [`Phase::Soon`]. Whatever is added to that path is added to every move.
//! - `read_at` is the time of the last read, taken once per step. Lines that were read together have the same time.

use std::time::{Duration, Instant};

use arena_core::clock::Taken;
use arena_guard::ShortTurns;
use arena_sys::time::now;
use arena_wire::protocol::{LineEvent, Response};

use super::{SOON, Wire};
use crate::player::LogLine;
use crate::player::process::alarm;
use crate::player::process::credit::{Credit, whole_us};
use crate::player::process::end::ExchangeEnd;

/// In a check, time to wait for a valid answer after a clear attempt at one that is not valid.
const SECOND_TRY_LIMIT: Duration = Duration::from_millis(300);

/// How the thread waits for output.
enum Phase {
    /// Nearly every reply comes within [`SOON`]: a read that blocks, which an alarm interrupts.
    Soon,
    /// In `poll`, while the processor time of the bot is counted. The short turns are those that began with this phase;
    /// `None` if the whole wait was slow.
    Slow(#[expect(dead_code, reason = "held for its effect, which ends with the wait")] Option<ShortTurns>),
}

/// When the message is written again.
struct Repetition {
    at: Instant,
    /// The time between this repetition and the one before. It doubles each time.
    interval: Duration,
}

/// The wait for one response.
pub(super) struct ResponseWait<'a> {
    wire: &'a mut Wire,
    log: &'a mut Vec<LogLine>,
    credit: Credit,
    phase: Phase,
    /// When the output was last read; at first, when the clock of the reply started.
    read_at: Instant,
    /// Whether the output was read once more after the deadline. Output after that extends nothing.
    was_read_at_end: bool,
    /// Whether an attempt that is not valid has shortened the wait.
    has_failed: bool,
    /// When the process is inspected next; `None` if it is not starting. A start takes long enough to be inspected
    /// meanwhile, at times that no output chooses.
    inspect_at: Option<Instant>,
    /// `None` if the message is written only once.
    repetition: Option<Repetition>,
}

impl<'a> ResponseWait<'a> {
    /// A wait until the deadline of `credit`. The message has been sent.
    pub(super) fn new(wire: &'a mut Wire, credit: Credit, log: &'a mut Vec<LogLine>) -> Self {
        let read_at = credit.start();
        let is_start = wire.charge.is_none() && wire.again.is_none() && credit.is_fair();
        let inspect_at = is_start.then(|| read_at + credit.pause());
        let repetition = wire.again.map(|interval| Repetition { at: read_at + interval, interval });
        // Counting has begun if the limit is tight: another wake-up would be another wait for a processor.
        let phase = if credit.is_open() { Phase::Slow(None) } else { Phase::Soon };
        Self { wire, log, credit, phase, read_at, was_read_at_end: false, has_failed: false, inspect_at, repetition }
    }

    /// Waits; returns the response and what the bot took. A move that is late in spite of all credit is returned too:
    /// the clock judges it.
    pub(super) fn run(mut self) -> Result<(Response, Taken), ExchangeEnd> {
        if matches!(self.phase, Phase::Slow(_)) {
            alarm::off();
            self.prepare_slow();
        }
        loop {
            if let Some(response) = self.next_response()? {
                return self.accept(response);
            }
            self.limit_second_try();
            let remaining = self.credit.deadline().saturating_duration_since(self.read_at);
            if remaining.is_zero() {
                self.extend_or_end()?;
            } else {
                let until_repetition = self.repeat()?;
                match self.phase {
                    Phase::Soon => self.wait_soon(remaining)?,
                    Phase::Slow(_) => self.wait_slow(until_repetition.map_or(remaining, |time| remaining.min(time)))?,
                }
            }
            self.read_at = now();
        }
    }

    /// The response among the lines that have been read, if it is there. Other lines are logged.
    fn next_response(&mut self) -> Result<Option<Response>, ExchangeEnd> {
        while let Some(event) = self.wire.next_event() {
            if matches!(event, LineEvent::GoOn) {
                self.wire.go_on(self.credit.deadline(), self.log)?;
                continue;
            }
            let response = self.wire.note(event, self.log)?;
            if response.is_some() {
                return Ok(response);
            }
        }
        Ok(None)
    }

    /// Ends the wait with a response that has been read.
    fn accept(mut self, response: Response) -> Result<(Response, Taken), ExchangeEnd> {
        self.credit_late_response()?;
        let was_slow = self.read_at > self.credit.start() + SOON;
        if self.wire.charge.is_some() {
            self.wire.is_slow = was_slow;
        }
        let mut taken = self.credit.charge(self.read_at);
        self.credit.note(self.log);
        // Before processor time is read: processes that the bot has started may keep this thread from the processor.
        self.wire.place.end_turn();
        if self.wire.is_cpu_charged() || was_slow {
            taken.cpu = self.wire.meter.end_move().map(whole_us);
        }
        if self.credit.is_open() {
            self.wire.place.note_rest();
        }
        Ok((response, taken))
    }

    /// Grants credit until a late response is in time. Fails if the lateness ends the exchange; that of a move does not,
    /// if only the bot is to blame.
    fn credit_late_response(&mut self) -> Result<(), ExchangeEnd> {
        while self.read_at > self.credit.deadline() {
            match self.credit.judge_lateness(&self.wire.place, true) {
                None => {}
                Some(ExchangeEnd::TimedOut) if self.credit.is_fair() && self.wire.charge.is_some() => break,
                Some(end) => {
                    self.wire.time_use = Some(self.credit.time_use(&self.wire.place));
                    return Err(end);
                }
            }
        }
        Ok(())
    }

    /// In a check, shortens the wait once the bot has made a clear attempt at an answer that is not valid.
    fn limit_second_try(&mut self) {
        if self.wire.is_check && !self.has_failed && self.wire.attempt().is_some_and(|attempt| attempt.is_clear) {
            self.has_failed = true;
            self.credit.end_by(self.read_at + SECOND_TRY_LIMIT);
        }
    }

    /// The deadline has passed: grants credit, or reads once more. Fails if neither extends the wait.
    fn extend_or_end(&mut self) -> Result<(), ExchangeEnd> {
        let Some(end) = self.credit.judge_lateness(&self.wire.place, false) else {
            // Judging takes time, in which the reply may have come.
            return self.look().map(drop);
        };
        // Judging took time here too. A bot that writes without end is still read only once.
        if !std::mem::replace(&mut self.was_read_at_end, true) && self.look()? {
            return Ok(());
        }
        self.credit.note(self.log);
        // The input may be closed and the wait begin again: that wait says nothing about the bot's use of time.
        self.wire.time_use.get_or_insert_with(|| self.credit.time_use(&self.wire.place));
        Err(end)
    }

    /// Writes the message again if that is due; returns the time until the next repetition, if there is one.
    fn repeat(&mut self) -> Result<Option<Duration>, ExchangeEnd> {
        let Some(next) = &mut self.repetition else { return Ok(None) };
        if self.read_at >= next.at {
            self.wire.ask_again()?;
            next.interval *= 2;
            next.at = self.read_at + next.interval;
        }
        Ok(Some(next.at.saturating_duration_since(self.read_at)))
    }

    /// Waits for output at most for [`SOON`]. If there is none before the deadline, the wait becomes slow.
    fn wait_soon(&mut self, remaining: Duration) -> Result<(), ExchangeEnd> {
        if self.wire.read_within(self.read_at, remaining.min(SOON))? || remaining <= SOON {
            return Ok(());
        }
        self.phase = Phase::Slow(Some(ShortTurns::begin()));
        self.credit.open(&self.wire.place, self.read_at + SOON);
        self.prepare_slow();
        // The reply may have come while this thread waited for a processor.
        self.look().map(drop)
    }

    /// Waits for output or the end of the process, at most for `wait`, and reads what is there.
    fn wait_slow(&mut self, wait: Duration) -> Result<(), ExchangeEnd> {
        let until_inspection = self.inspect_at.map(|at| at.saturating_duration_since(self.read_at));
        let exited = self.wire.wait_readable(until_inspection.map_or(wait, |time| wait.min(time)))?;
        if self.inspect_at.is_some_and(|at| now() >= at) {
            self.credit.look(&self.wire.place);
            self.inspect_at = Some(now() + self.credit.pause());
        }
        if !self.look()? && exited {
            // Other processes that hold its output open are not waited for.
            return Err(ExchangeEnd::Closed);
        }
        Ok(())
    }

    /// Prepares for a bot that takes long: its processor time is metered, and its stderr can hold more, since the bot has
    /// time to write much and this thread none to read it.
    fn prepare_slow(&mut self) {
        self.wire.meter.start_slow_move();
        self.wire.stderr.enlarge();
    }

    /// Reads the output that is there; false if there is none at present.
    fn look(&mut self) -> Result<bool, ExchangeEnd> {
        let own = self.credit.own_wait();
        let is_there = self.wire.read_some()?;
        if !is_there {
            self.credit.found_nothing(own);
        }
        Ok(is_there)
    }
}
