//! What is known of the bot and of what it wrote, for the game's record and for words about a fault.

use std::os::fd::OwnedFd;
use std::time::Duration;

use arena_core::cause::Cause;
use arena_core::clock::TimeUse;
use arena_core::record::Evidence;
use arena_core::text::escaped;
use arena_wire::protocol::{Attempt, BotLines, evidence_of};
use rustix::event::{PollFd, PollFlags, poll};

use super::{Wire, timespec};
use crate::player::LogLine;
use crate::player::process::Exchange;

impl Wire {
    /// What came from the bot: counts, the last line, a fragment of a line.
    pub(crate) fn lines(&self) -> &BotLines {
        &self.lines
    }

    /// The line that is most likely a failed attempt to answer `hello` or `new_game`, if that is asked.
    pub(crate) fn attempt(&self) -> Option<&Attempt> {
        self.dialect.attempt().filter(|_| self.charge.is_none())
    }

    /// How the bot has spent its time, if its answer to the last question did not come. Processor time is the most that was
    /// measured: that of its own process, or since counting began that of all.
    pub(crate) fn take_time_use(&mut self) -> Option<TimeUse> {
        let own = self.meter.end_move();
        self.time_use.take().map(|spent| TimeUse { cpu: spent.cpu.max(own), ..spent })
    }

    /// Which part of its answer is missing, if others have come.
    pub(crate) fn missing_part(&self) -> Option<&'static str> {
        self.dialect.missing_part()
    }

    /// The cause of a missing `hello` if the bot speaks another protocol, as far as its lines show.
    pub(crate) fn other_protocol(&self) -> Option<Cause> {
        self.dialect.other_protocol()
    }

    /// A game begins or ends, and lines are counted anew; returns the lines dropped before.
    pub(crate) fn restart_counts(&mut self) -> u32 {
        self.remarks = 0;
        self.lines.restart_counts()
    }

    /// What is to be known of the bot whatever its fault is.
    pub(crate) fn about_fault(&self) -> Option<&str> {
        self.dialect.at_fault()
    }

    /// Says of an illegal move that the bot has written more answers than it was asked for, or the same one before, where
    /// replies do not name their questions: what was taken for its move may answer another one. Only where a word tells when
    /// it is done is that unlikely.
    pub(crate) fn note_second_answers(&mut self, evidence: &mut Evidence, log: &mut Vec<LogLine>) {
        if evidence.cause != Some(Cause::IllegalMove) || self.dialect.marks_replies() {
            return;
        }
        // Its process is about to be ended: whether all of it can be read does not matter.
        let _ = self.drain(log);
        let answers = self.lines.answers();
        let Some(told) = answers.too_many() else { return };
        evidence.message = format!("{told}; {}", evidence.message);
        if answers.are_likely_confused() && self.dialect.sync_again().is_none() {
            evidence.cause = Some(Cause::AnsweredTwice);
        }
    }

    /// The last message sent, cut; its lines are separated by `; `.
    pub(crate) fn last_sent(&self) -> Option<String> {
        (!self.sent.is_empty()).then(|| evidence_of(&self.sent))
    }

    /// The last message in each direction.
    pub(crate) fn exchange(&self) -> Exchange {
        let sent = String::from_utf8_lossy(&self.sent);
        let sent = sent.lines().map(escaped).collect::<Vec<_>>().join("\n");
        let is_reply = self.lines.judged() > self.judged_before;
        Exchange { sent, received: self.lines.last_whole_line(), is_reply }
    }

    /// Whether it has written remarks in this game.
    pub(crate) fn has_remarked(&self) -> bool {
        self.remarks > 0
    }

    /// What tells the pipe of the bot's input from others.
    pub(crate) fn input_inode(&self) -> Option<u64> {
        rustix::fs::fstat(self.stdin.as_ref()?).ok().map(|stat| stat.st_ino)
    }

    /// Whether the bot has closed its input.
    pub(crate) fn is_deaf(&self) -> bool {
        let closed = |stdin: &OwnedFd| {
            let mut fds = [PollFd::new(stdin, PollFlags::OUT)];
            poll(&mut fds, Some(&timespec(Duration::ZERO))).is_ok() && fds[0].revents().contains(PollFlags::ERR)
        };
        self.deaf || self.stdin.as_ref().is_some_and(closed)
    }
}
