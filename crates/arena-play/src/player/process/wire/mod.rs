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

mod read;
mod receive;
mod write;

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use arena_core::cause::Cause;
use arena_core::clock::{Charge, Taken, TimeUse};
use arena_core::text::escaped;
use arena_guard::ShortTurns;
use arena_sys::time::{now, timespec};
use arena_wire::protocol::{Attempt, BotLines, Dialect, LineEvent, Outgoing, Response, evidence_of};
use rustix::event::{PollFd, PollFlags, poll};

use super::cpu_meter::Meter;
use super::credit::{Credit, whole_us};
use super::end::ExchangeEnd;
use super::shared::SharedPlace;
use super::stderr::Stderr;
use super::tap::{Stream, Tap};
use super::{Exchange, alarm};
use crate::player::LogLine;
use receive::ResponseWait;

/// Surplus lines of one game that go into the log, and as many remarks; the rest are only counted.
const LOGGED_MAX: u32 = 20;

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
            deaf: false,
            place,
            stderr,
            tap,
        })
    }

    /// What came from the bot: counts, the last line, a fragment of a line.
    pub(super) fn lines(&self) -> &BotLines {
        &self.lines
    }

    /// The line that is most likely a failed attempt to answer `hello` or `new_game`, if that is asked.
    pub(super) fn attempt(&self) -> Option<&Attempt> {
        self.dialect.attempt().filter(|_| self.charge.is_none())
    }

    /// How the bot has spent its time, if its answer to the last question did not come. Processor time is the most that was
    /// measured: that of its own process, or since counting began that of all.
    pub(super) fn take_time_use(&mut self) -> Option<TimeUse> {
        let own = self.meter.end_move();
        self.time_use.take().map(|spent| TimeUse { cpu: spent.cpu.max(own), ..spent })
    }

    /// Which part of its answer is missing, if others have come.
    pub(super) fn missing_part(&self) -> Option<&'static str> {
        self.dialect.missing_part()
    }

    /// The cause of a missing `hello` if the bot speaks another protocol, as far as its lines show.
    pub(super) fn other_protocol(&self) -> Option<Cause> {
        self.dialect.other_protocol()
    }

    /// A game begins or ends, and lines are counted anew; returns the lines dropped before.
    pub(super) fn restart_counts(&mut self) -> u32 {
        self.remarks = 0;
        self.lines.restart_counts()
    }

    /// The last message sent, cut; its lines are separated by `; `.
    pub(super) fn last_sent(&self) -> Option<String> {
        (!self.sent.is_empty()).then(|| evidence_of(&self.sent))
    }

    /// The last message in each direction.
    pub(super) fn exchange(&self) -> Exchange {
        let sent = String::from_utf8_lossy(&self.sent);
        let sent = sent.lines().map(escaped).collect::<Vec<_>>().join("\n");
        let is_reply = self.lines.judged() > self.judged_before;
        Exchange { sent, received: self.lines.last_whole_line(), is_reply }
    }

    /// Whether it has written remarks in this game.
    pub(super) fn has_remarked(&self) -> bool {
        self.remarks > 0
    }

    /// What tells the pipe of the bot's input from others.
    pub(super) fn input_inode(&self) -> Option<u64> {
        rustix::fs::fstat(self.stdin.as_ref()?).ok().map(|stat| stat.st_ino)
    }

    /// Whether the bot has closed its input.
    pub(super) fn is_deaf(&self) -> bool {
        let closed = |stdin: &OwnedFd| {
            let mut fds = [PollFd::new(stdin, PollFlags::OUT)];
            poll(&mut fds, Some(&timespec(Duration::ZERO))).is_ok() && fds[0].revents().contains(PollFlags::ERR)
        };
        self.deaf || self.stdin.as_ref().is_some_and(closed)
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
        }
        if let Some(response) = self.encode(outgoing) {
            return self.say(limit, log).then_some((response, Taken::default())).ok_or(ExchangeEnd::Closed);
        }
        // Not for bots that reply soon, which it would slow down.
        let _turns = self.is_slow.then(ShortTurns::begin);
        let mut credit = Credit::new(&self.place, limit);
        // Reading the processor time of a fast reply would take much of the reply's time.
        self.meter.start_move(self.is_cpu_charged() || self.is_slow);
        self.place.begin_turn();
        let left = self.write_some(self.sent.len())?;
        // Not sooner: all that it has started goes on with it, and a crowd would keep us from the processor while we write.
        self.place.resume();
        if left > 0 {
            // It has stopped reading: the limit then covers the writing too.
            credit.asked_at(self.write_rest(left, credit.deadline(), log)?);
        }
        self.receive(credit, log)
    }

    /// Waits until the bot is done with what it was asked before, at most for `limit`, where its protocol can tell. Returns
    /// what that took, less `free`: the bot can use that time for its move.
    pub(super) fn sync(
        &mut self,
        limit: Duration,
        free: Duration,
        charge: Charge,
        log: &mut Vec<LogLine>,
    ) -> Result<Taken, ExchangeEnd> {
        self.again = self.dialect.sync_again();
        if self.again.is_none() {
            return Ok(Taken::default());
        }
        let used = |wire: &Self| if charge == Charge::Cpu { wire.meter.read() } else { None };
        let before = used(self);
        let synced = self.ask(Outgoing::Sync, limit, log);
        self.again = None;
        let (_, taken) = synced?;
        let cpu = used(self).zip(before).map(|(after, before)| after.saturating_sub(before).saturating_sub(free));
        Ok(Taken { wall: taken.wall.saturating_sub(free), cpu: cpu.map(whole_us), ..taken })
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

    /// The next line, once all that was asked is written. A bot that did not get the question cannot have answered it.
    fn next_event(&mut self) -> Option<LineEvent> {
        self.lines.next(self.dialect.as_mut(), !self.deaf)
    }

    /// Judges all lines that are there, while nothing is asked.
    fn drop_lines(&mut self, log: &mut Vec<LogLine>) -> Result<(), ExchangeEnd> {
        while let Some(event) = self.lines.next(self.dialect.as_mut(), false) {
            self.note(event, log)?;
        }
        Ok(())
    }

    /// Logs what is dropped, and hands on what is not.
    fn note(&mut self, event: LineEvent, log: &mut Vec<LogLine>) -> Result<Option<Response>, ExchangeEnd> {
        match event {
            LineEvent::Response(response, dropped) => {
                log.extend(dropped.into_iter().map(LogLine::Field));
                return Ok(Some(response));
            }
            LineEvent::Violation(cause, how) => return Err(ExchangeEnd::Violation(cause, how)),
            LineEvent::Surplus(kind, line, why) => match self.lines.surplus_lines() {
                ..=LOGGED_MAX => {
                    log.push(LogLine::Dropped(kind, line));
                    log.extend(why.map(|why| LogLine::Remark(format!("not a valid message: {why}"))));
                }
                count if count == LOGGED_MAX + 1 => {
                    let remark = "further stray and stale lines of this game are counted but not logged";
                    log.push(LogLine::Remark(remark.to_owned()));
                }
                _ => {}
            },
            LineEvent::Chatter => {
                if self.remarks < LOGGED_MAX {
                    log.push(LogLine::Chatter(self.lines.last_line()));
                }
                self.remarks = self.remarks.saturating_add(1);
            }
        }
        Ok(None)
    }
}
