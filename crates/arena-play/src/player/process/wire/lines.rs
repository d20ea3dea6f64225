//! Judging the lines that were read: what is a response, what is logged, and what is only counted.

use arena_wire::protocol::{LineEvent, Response};

use super::{ExchangeEnd, Wire};
use crate::player::LogLine;

/// Surplus lines of one game that go into the log, and as many remarks; the rest are only counted.
const LOGGED_MAX: u32 = 20;

impl Wire {
    /// The next line, once all that was asked is written. A bot that did not get the question cannot have answered it.
    pub(super) fn next_event(&mut self) -> Option<LineEvent> {
        self.lines.next(self.dialect.as_mut(), !self.deaf)
    }

    /// Judges all lines that are there, while nothing is asked.
    pub(super) fn drop_lines(&mut self, log: &mut Vec<LogLine>) -> Result<(), ExchangeEnd> {
        while let Some(event) = self.lines.next(self.dialect.as_mut(), false) {
            self.note(event, log)?;
        }
        Ok(())
    }

    /// Logs what is dropped, and hands on what is not.
    pub(super) fn note(&mut self, event: LineEvent, log: &mut Vec<LogLine>) -> Result<Option<Response>, ExchangeEnd> {
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
            // Only a wait for the answer goes on.
            LineEvent::GoOn => {}
        }
        Ok(None)
    }
}
