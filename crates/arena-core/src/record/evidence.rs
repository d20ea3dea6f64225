//! Evidence of a fault, and its description for people.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Status;
use crate::cause::{Cause, Surplus};
use crate::clock::TimeUse;
use crate::text::{counted, shown};

/// A tab in a tail of stderr, which is escaped.
const TAB: &str = "\\t";

/// Lines shown of the end of what a bot wrote to stderr.
const STDERR_LINES_MAX: usize = 20;

/// What is known about a fault, for the author of the bot.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// One sentence for people: what happened. Code matches on the cause, never on this.
    pub message: String,
    /// The cause; `None` if it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// Processor time used in the move that did not come in time, as in [`Played::cpu_us`](super::Played::cpu_us).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<u64>,
    /// From the question to the end of the wait for an answer that did not come in time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed_us: Option<u64>,
    /// Time of that in which the bot was ready to run and had no processor, where the system tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited_us: Option<u64>,
    /// The last line sent to the bot, cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_sent: Option<String>,
    /// The last line that came from it, escaped and cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_received: Option<String>,
    /// Why that line was dropped, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_dropped: Option<Surplus>,
    /// The end of what it wrote to stderr in this game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr_tail: Option<String>,
    /// Load of the machine when the bot got too little CPU time, where the system reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<Load>,
}

/// The load of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Load {
    /// The system's load average of the last minute, rounded: processes that ran or waited to run.
    pub average: u32,
    /// Number of the machine's processors.
    pub processors: u32,
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "load {} on {}", self.average, counted(self.processors as usize, "processor"))
    }
}

impl Evidence {
    /// Evidence with only a cause and a message.
    pub fn new(cause: Cause, message: impl Into<String>) -> Self {
        Self { cause: Some(cause), message: message.into(), ..Self::default() }
    }

    /// Notes how the bot spent the time in which its answer did not come.
    pub fn note_time_use(&mut self, spent: &TimeUse) {
        let us = |time: Duration| time.as_micros() as u64;
        self.elapsed_us = Some(us(spent.elapsed));
        self.cpu_us = spent.cpu.map(us);
        self.waited_us = spent.waited.map(us);
    }

    /// How the bot spent the time in which its answer did not come; `None` if that was not measured.
    #[must_use]
    pub fn time_use(&self) -> Option<TimeUse> {
        let time = Duration::from_micros;
        Some(TimeUse { elapsed: time(self.elapsed_us?), cpu: self.cpu_us.map(time), waited: self.waited_us.map(time) })
    }

    /// Whether the bot got too little CPU time, even with the full credit.
    #[must_use]
    pub fn is_starved(&self) -> bool {
        self.cause == Some(Cause::Starved)
    }

    /// The message, and before it, for a bot that crashed or did not start, the most telling line of its stderr, unless the
    /// arena knows the cause itself. Escaped and cut.
    #[must_use]
    pub fn sentence(&self, status: Status) -> String {
        let message = shown(self.message.trim());
        let line = self.telling_line().filter(|_| self.cause.is_none_or(Cause::is_told_by_stderr));
        match (status, line) {
            (Status::Crashed | Status::StartupFailed, Some(line)) => format!("{line}; {message}"),
            _ => message,
        }
    }

    /// The most telling line of its stderr: the last one that is no location (an indented line, a bracket), version, or
    /// advice on how to learn more. Escaped and cut.
    #[must_use]
    pub fn telling_line(&self) -> Option<String> {
        let tail = self.stderr_tail.as_deref().unwrap_or_default();
        let mut lines = tail.lines().rev().filter(|line| !line.trim().is_empty() && !line.starts_with("note: "));
        let tells = |line: &&str| {
            let is_indented = line.starts_with(' ') || line.starts_with(TAB);
            !is_indented && !line.starts_with("Node.js v") && line.contains(char::is_alphabetic)
        };
        lines.clone().find(tells).or_else(|| lines.next()).map(|line| shown(line.trim()))
    }

    /// Lines for people: the last line of each side, and the end of its stderr. Escaped and cut; a tab at the
    /// beginning of a line is shown as spaces.
    #[must_use]
    pub fn details(&self) -> Vec<String> {
        [self.last_lines(shown), self.stderr_lines(shown, STDERR_LINES_MAX)].concat()
    }

    /// Lines for people: the last line of each side, made printable by `text`.
    #[must_use]
    pub fn last_lines(&self, text: fn(&str) -> String) -> Vec<String> {
        let said = [("last sent", &self.last_sent), ("last received", &self.last_received)];
        let said = said.into_iter().filter_map(|(label, line)| Some((label, line.as_ref()?)));
        said.map(|(label, line)| format!("{label}: {}", text(line.trim_end()))).collect()
    }

    /// Lines for people: at most the last `most` lines of stderr, below a title; made printable by `text`. A tab at the
    /// beginning of a line is shown as spaces.
    #[must_use]
    pub fn stderr_lines(&self, text: fn(&str) -> String, most: usize) -> Vec<String> {
        let stderr = self.stderr_tail.as_deref().unwrap_or_default().lines();
        let stderr: Vec<&str> = stderr.filter(|line| !line.trim().is_empty()).collect();
        let title = (!stderr.is_empty()).then(|| "stderr:".to_owned());
        let end = &stderr[stderr.len().saturating_sub(most)..];
        let untabbed = |line: &str| text(line).replacen(TAB, "    ", usize::from(line.starts_with(TAB)));
        title.into_iter().chain(end.iter().map(|line| format!("  {}", untabbed(line)))).collect()
    }

    /// Lines for the bot's log: what happened, and the last line of each side. Its stderr is there already.
    #[must_use]
    pub fn log_lines(&self, status: Status) -> Vec<String> {
        let mut lines = vec![format!("referee: {status}: {}", self.message)];
        lines.extend(self.last_sent.iter().map(|line| format!("referee: last line sent: {line}")));
        lines.extend(self.last_received.iter().map(|line| format!("referee: last line received: {line}")));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(stderr: &str, quoted: &str) {
        let message = "it exited".to_owned();
        let evidence = Evidence { stderr_tail: Some(stderr.to_owned()), message, ..Evidence::default() };
        assert_eq!(evidence.sentence(Status::Crashed), format!("{quoted}; it exited"));
    }

    #[test]
    fn the_line_of_stderr_that_names_the_error_is_quoted() {
        check("Traceback (most recent call last):\n  File \"x\", line 1\nValueError: no", "ValueError: no");
        check("/x.js:3\nf()\n^\n\nTypeError: f\n    at x.js:3:1\n\nNode.js v20.20.2", "TypeError: f");
        check("Error: ENOENT {\n  errno: -2\n}\n\nNode.js v20.20.2", "Error: ENOENT {");
        check(r"java.lang.Error: a\n\tat Bot.main(Bot.java:5)".replace(r"\n", "\n").as_str(), "java.lang.Error: a");
        check("thread 'main' panicked at m.rs:1:2:\nno\nnote: run with `RUST_BACKTRACE=1`", "no");
        check("  all of it indented\n", "all of it indented");
    }

    #[test]
    fn stderr_is_not_quoted_for_a_cause_that_is_known_without_it() {
        let said = |cause: Cause| {
            let evidence = Evidence { stderr_tail: Some("what?".to_owned()), ..Evidence::new(cause, "it failed") };
            evidence.sentence(Status::StartupFailed)
        };
        for cause in [Cause::BadOption, Cause::Refused, Cause::WrongProtocol, Cause::GameNotPlayed] {
            assert_eq!(said(cause), "it failed", "{cause:?}");
        }
        for cause in [Cause::Exited { code: 1 }, Cause::MemoryLimit, Cause::NoHello] {
            assert_eq!(said(cause), "what?; it failed", "{cause:?}");
        }
    }

    #[test]
    fn evidence_without_a_cause_is_written_as_it_was_read() {
        let old = r#"{"message":"no move within 100 ms","last_sent":"{}","stderr_tail":"x"}"#;
        let evidence: Evidence = serde_json::from_str(old).unwrap();
        assert_eq!((evidence.cause, evidence.last_dropped), (None, None));
        assert_eq!(serde_json::to_string(&evidence).unwrap(), old);
    }

    #[test]
    fn a_load_is_read_back_as_it_was_written() {
        let load = Some(Load { average: 60, processors: 2 });
        let evidence = Evidence { load, ..Evidence::new(Cause::Starved, "") };
        let written = r#"{"message":"","cause":"starved","load":{"average":60,"processors":2}}"#;
        assert_eq!(serde_json::to_string(&evidence).unwrap(), written);
        assert_eq!(serde_json::from_str::<Evidence>(written).unwrap(), evidence);
        assert_eq!(Load { average: 1, processors: 1 }.to_string(), "load 1 on 1 processor");
    }

    #[test]
    fn the_last_lines_of_stderr_are_shown_with_their_tabs() {
        let lines: Vec<String> = (0..22).map(|number| format!(r"\tat {number}\u{{1b}}")).collect();
        let evidence = Evidence {
            last_received: Some("\u{7}".to_owned()),
            stderr_tail: Some(lines.join("\n")),
            ..Evidence::default()
        };
        let shown = evidence.details();
        assert_eq!(shown[..3], [r"last received: \u{7}", "stderr:", r"      at 2\u{1b}"]);
        assert_eq!((shown.len(), shown[21].as_str()), (22, r"      at 21\u{1b}"));
        assert_eq!(Evidence::default().details(), [""; 0]);
    }
}
