//! The pipes of one process: messages written and lines read, always with a deadline.
//!
//! Nearly every reply comes soon, and is waited for by a read that blocks, which an alarm interrupts. Everything else
//! waits in `poll`, which takes what is left of the deadline, and reads only what is there; our end of the bot's input
//! does not block. No read is without an alarm: what `poll` has seen may be gone again.
//!
//! **Before you edit this**
//! - `poll` looks at its descriptors one after the other. A process can write its reply and exit in between, so its
//!   exit counts only once its output was found empty after it.
//! - A process that is gone may have left another one behind that holds its pipes open: the end of the pipes is no sign
//!   of its end, nor the other way round.
//! - A bot reads as slowly as it likes, and may write while we do: writing must include reading.

mod evidence;
mod lines;
mod read;
mod reader;
mod receive;
mod write;

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use arena_core::clock::{Charge, Taken, TimeUse};
use arena_guard::ShortTurns;
use arena_sys::time::{now, timespec};
use arena_wire::protocol::{BotLines, Dialect, Outgoing, Response};

use super::Deadline;
use super::alarm;
use super::cpu_meter::Meter;
use super::credit::{Credit, whole_us};
use super::end::ExchangeEnd;
use super::shared::SharedPlace;
use super::stderr::Stderr;
use super::tap::{Stream, Tap};
use crate::player::LogLine;
use receive::ResponseWait;

/// Nearly every reply comes within this time.
const SOON: Duration = Duration::from_millis(5);

/// How often what is there is read once the time is over: more than a pipe holds, and no flood takes long.
const LAST_READS_MAX: u32 = 4;

/// Our side of the pipes of one process.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent of each other")]
pub(super) struct Wire {
    stdin: Option<OwnedFd>,
    stdout: OwnedFd,
    /// Readable once the process has exited; absent where the system has no such thing.
    exited: Option<OwnedFd>,
    lines: BotLines,
    dialect: Box<dyn Dialect>,
    pub(super) meter: Meter,
    /// The bot is only tested: an answer that is not valid ends the wait for `hello` or `ready` soon.
    pub(super) is_check: bool,
    /// Reads may leave an alarm set, since the end of the game switches it off.
    has_alarm: bool,
    /// What the present move is charged; `None` if something else than a move is asked for.
    charge: Option<Charge>,
    /// How the bot has spent its time, if its answer to the last question did not come.
    time_use: Option<TimeUse>,
    /// The last move did not come soon, and the next one may not either.
    is_slow: bool,
    /// Remarks that were logged in this game.
    remarks: u32,
    /// The last message sent, with its newline.
    sent: Vec<u8>,
    /// Lines that had been judged when it was sent.
    judged_before: u64,
    /// The message is written again after this time, if no answer has come.
    again: Option<Duration>,
    /// The sync before the next question, if it was written already.
    ahead: Vec<u8>,
    /// The bot closed its input, so that no further message reaches it.
    deaf: bool,
    /// Who may be waiting for a processor.
    place: Arc<SharedPlace>,
    stderr: Arc<Stderr>,
    tap: Option<Arc<Tap>>,
}

impl Wire {
    pub(super) fn new(
        [stdin, stdout]: [OwnedFd; 2],
        exited: Option<OwnedFd>,
        dialect: Box<dyn Dialect>,
        place: Arc<SharedPlace>,
        meter: Meter,
        stderr: Arc<Stderr>,
        tap: Option<Arc<Tap>>,
    ) -> io::Result<Self> {
        // Only our ends: the bot's own remain as programs expect them.
        rustix::io::ioctl_fionbio(&stdin, true)?;
        if !alarm::can_ring() {
            rustix::io::ioctl_fionbio(&stdout, true)?;
        }
        Ok(Self {
            stdin: Some(stdin),
            stdout,
            exited,
            lines: BotLines::default(),
            dialect,
            meter,
            is_check: false,
            has_alarm: false,
            charge: None,
            time_use: None,
            is_slow: true,
            remarks: 0,
            sent: Vec::new(),
            judged_before: 0,
            again: None,
            ahead: Vec::new(),
            deaf: false,
            place,
            stderr,
            tap,
        })
    }

    /// Closes the bot's input.
    pub(super) fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Drops what was written while nothing was asked.
    pub(super) fn drain(&mut self, log: &mut Vec<LogLine>) -> Result<(), ExchangeEnd> {
        // Ends: what is dropped here counts towards the limits of a game.
        while self.read_some()? {
            self.drop_lines(log)?;
        }
        self.drop_lines(log)
    }

    /// Writes a message and waits for its answer; returns it and what the bot took. Its clock runs for `limit` from the
    /// write of the last byte of the message: from before that write, for a bot on our own processor runs as soon as it
    /// has its message, and may have answered by the time we are back.
    pub(super) fn ask(
        &mut self,
        outgoing: Outgoing<'_>,
        limit: Duration,
        log: &mut Vec<LogLine>,
    ) -> Result<(Response, Taken), ExchangeEnd> {
        self.charge = if let Outgoing::Question(question) = &outgoing { Some(question.time.charge) } else { None };
        self.time_use = None;
        self.has_alarm = !matches!(outgoing, Outgoing::Hello { .. });
        if !self.dialect.marks_replies() {
            self.drain(log)?;
            self.lines.note_sent();
        }
        if let Some(response) = self.encode(outgoing) {
            return self.say(limit, log).then_some((response, Taken::default())).ok_or(ExchangeEnd::Closed);
        }
        self.exchange_rest(self.sent.len(), limit, log)
    }

    /// Writes the last `left` bytes of the message and waits for its answer.
    fn exchange_rest(
        &mut self,
        left: usize,
        limit: Duration,
        log: &mut Vec<LogLine>,
    ) -> Result<(Response, Taken), ExchangeEnd> {
        // Not for bots that reply soon, which it would slow down.
        let _turns = self.is_slow.then(ShortTurns::begin);
        let mut credit = Credit::new(&self.place, limit);
        // Reading the processor time of a fast reply would take much of the reply's time.
        self.meter.start_move(self.is_cpu_charged() || self.is_slow);
        self.place.begin_turn();
        let left = self.write_some(left)?;
        // Not sooner: all that it has started goes on with it, and a crowd would keep us from the processor while we write.
        self.place.resume();
        if left > 0 {
            // It has stopped reading: the limit then covers the writing too.
            credit.asked_at(self.write_rest(left, credit.deadline(), log)?);
        }
        self.receive(credit, log)
    }

    /// Waits until the bot is done with what it was asked before, at most for `limit`: it says so where its protocol has a word
    /// for that; otherwise, if its replies do not name their questions, it is seen to wait for its input. Returns what of that is
    /// part of its move. `free` is not: the bot can use that time for its move.
    pub(super) fn sync(
        &mut self,
        limit: Duration,
        free: Duration,
        charge: Charge,
        log: &mut Vec<LogLine>,
    ) -> Result<Taken, ExchangeEnd> {
        self.again = self.dialect.sync_again();
        if self.again.is_none() {
            return if self.dialect.marks_replies() {
                Ok(Taken::default())
            } else {
                let [_, slept] = self.wait_for_reader(limit, free, log)?;
                Ok(slept.saturating_sub(free).into())
            };
        }
        let used = |wire: &Self| if charge == Charge::Cpu { wire.meter.read() } else { None };
        let before = used(self);
        let synced =
            if self.ahead.is_empty() { self.ask(Outgoing::Sync, limit, log) } else { self.await_ahead(limit, log) };
        self.again = None;
        let (_, taken) = synced?;
        let cpu = used(self).zip(before).map(|(after, before)| after.saturating_sub(before).saturating_sub(free));
        Ok(Taken { wall: taken.wall.saturating_sub(free), cpu: cpu.map(whole_us), ..taken })
    }

    /// Writes the sync before the next question now that the bot has answered, where its protocol allows that: it is then
    /// answered while nothing waits for it. The message to which the bot has replied stays the last one.
    pub(super) fn sync_ahead(&mut self) {
        if !self.dialect.syncs_ahead() {
            return;
        }
        let judged = self.judged_before;
        std::mem::swap(&mut self.sent, &mut self.ahead);
        self.encode(Outgoing::Sync);
        // All of it or nothing: it is shorter than what a pipe takes at once. If it fails, it is written before the question.
        let is_written = matches!(self.write_some(self.sent.len()), Ok(0));
        std::mem::swap(&mut self.sent, &mut self.ahead);
        self.judged_before = judged;
        if !is_written {
            self.ahead.clear();
        }
    }

    /// Waits for the answer to what was written ahead of a question that did not come, if that is missing.
    pub(super) fn settle(&mut self, limit: Duration, log: &mut Vec<LogLine>) -> Result<(), ExchangeEnd> {
        if self.ahead.is_empty() { Ok(()) } else { self.sync(limit, Duration::ZERO, Charge::Wall, log).map(drop) }
    }

    /// Waits for the answer to the sync that was written ahead.
    fn await_ahead(&mut self, limit: Duration, log: &mut Vec<LogLine>) -> Result<(Response, Taken), ExchangeEnd> {
        self.charge = None;
        self.time_use = None;
        self.judged_before = self.lines.judged();
        std::mem::swap(&mut self.sent, &mut self.ahead);
        self.ahead.clear();
        self.exchange_rest(0, limit, log)
    }

    /// Writes the rest of the message, which depends on what the bot has said so far.
    fn go_on(&mut self, deadline: Deadline, log: &mut Vec<LogLine>) -> Result<(), ExchangeEnd> {
        let begun = self.sent.len();
        self.dialect.go_on(&mut self.sent);
        let rest = &self.sent[begun..];
        if let Some(tap) = &self.tap {
            tap.write(Stream::Sent, rest);
        }
        match self.write_some(rest.len())? {
            0 => Ok(()),
            left => self.write_rest(left, deadline, log).map(drop),
        }
    }

    /// Writes the last message again, all of it or nothing: it is shorter than what a pipe takes at once.
    fn ask_again(&mut self) -> Result<(), ExchangeEnd> {
        self.encode(Outgoing::Sync);
        self.write_some(self.sent.len()).map(drop)
    }

    /// Writes a message that needs no answer; false if the bot did not take it. If it is stopped it stays so, and reads
    /// the message when something is asked of it.
    pub(super) fn tell(&mut self, outgoing: Outgoing<'_>, limit: Duration, log: &mut Vec<LogLine>) -> bool {
        self.encode(outgoing);
        self.say(limit, log)
    }

    /// Writes what was encoded.
    fn say(&mut self, limit: Duration, log: &mut Vec<LogLine>) -> bool {
        self.place.begin_turn();
        let sent = match self.write_some(self.sent.len()) {
            Ok(0) => true,
            Ok(left) => {
                self.place.resume();
                self.write_rest(left, now() + limit, log).is_ok()
            }
            Err(_) => false,
        };
        sent && !self.deaf
    }

    /// Says `quit` and closes the bot's input.
    pub(super) fn quit(&mut self, limit: Duration) {
        self.tell(Outgoing::Quit, limit, &mut Vec::new());
        self.place.resume();
        self.stdin = None;
    }

    /// Waits for the response until its deadline, with all credit; returns it and what the bot took. A move that is late
    /// in spite of all credit is returned too: the clock judges it.
    pub(super) fn receive(&mut self, credit: Credit, log: &mut Vec<LogLine>) -> Result<(Response, Taken), ExchangeEnd> {
        ResponseWait::new(self, credit, log).run()
    }

    /// Whether the response is there now that its time is over; reads what is there and does not wait.
    pub(super) fn has_come(&mut self, log: &mut Vec<LogLine>) -> bool {
        for _ in 0..LAST_READS_MAX {
            while let Some(event) = self.next_event() {
                match self.note(event, log) {
                    Ok(None) => {}
                    Ok(Some(_)) => return true,
                    Err(_) => return false,
                }
            }
            if !matches!(self.read_some(), Ok(true)) {
                break;
            }
        }
        false
    }

    fn is_cpu_charged(&self) -> bool {
        self.charge == Some(Charge::Cpu)
    }

    fn encode(&mut self, outgoing: Outgoing<'_>) -> Option<Response> {
        self.judged_before = self.lines.judged();
        self.sent.clear();
        let response = self.dialect.write(outgoing, &mut self.sent);
        if let Some(tap) = &self.tap {
            tap.write(Stream::Sent, &self.sent);
        }
        response
    }
}
