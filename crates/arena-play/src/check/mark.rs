//! Lines of a score card, and the part of a bot's log that belongs on them.

use std::fmt::Write as _;

use arena_core::referee::Fault;
use arena_core::rules::{Move, Seat};
use arena_core::text::shown;
use arena_guard::SandboxMode;
use arena_wire::advice::advice;
use serde::Serialize;

use super::cause_of;
use crate::player::process::{Bot, Launch};
use crate::player::{Failure, LogLine};

/// Lines of a bot's log that are shown.
const LOG_LINES_MAX: usize = 10;

/// One row of a score card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckMark {
    /// What was tested.
    #[serde(rename = "test")]
    pub what: String,
    /// Whether it passed; `None` if it could not be tested or is only for information.
    #[serde(rename = "ok")]
    pub good: Option<bool>,
    /// What was found.
    pub found: String,
    /// Further evidence: the last lines of both sides, the end of stderr.
    pub details: Vec<String>,
    /// What to do about a failure.
    pub advice: Option<String>,
    /// A code that `arena explain` has more about.
    #[serde(rename = "explain")]
    pub code: Option<&'static str>,
}

impl CheckMark {
    pub(super) fn good(what: impl Into<String>, found: impl Into<String>) -> Self {
        Self { good: Some(true), ..Self::note(what, found, None) }
    }

    pub(super) fn bad(what: impl Into<String>, found: impl Into<String>, advice: &str) -> Self {
        Self { good: Some(false), ..Self::note(what, found, Some(advice)) }
    }

    pub(super) fn note(what: impl Into<String>, found: impl Into<String>, advice: Option<&str>) -> Self {
        let advice = advice.map(str::to_owned);
        Self { what: what.into(), good: None, found: found.into(), details: Vec::new(), advice, code: None }
    }

    /// Of a game that began with an opening.
    pub(super) fn with_opening(mut self, opening: &[Move]) -> Self {
        let moves = serde_json::to_string(opening).expect("moves serialise to memory");
        let _ = write!(self.found, "; this game began with the opening {moves}");
        self
    }

    /// Without evidence and advice.
    pub(super) fn in_short(self) -> Self {
        Self { details: Vec::new(), advice: None, code: None, ..self }
    }

    /// A failed test, with all that is known about the failure; in a game, with the bot's seat.
    pub(super) fn failed(what: &str, seat: Option<Seat>, failure: &Failure, launch: &Launch) -> Self {
        let Failure::Fault(fault) = failure else {
            let advice = "the arena failed, not the bot: try again";
            return Self { code: Some("void"), ..Self::bad(what, cause_of(failure), advice) };
        };
        let Fault { status, evidence } = fault.as_ref();
        let mut found = match seat {
            Some(seat) => format!("{status} in seat {}: {}", seat.index(), evidence.sentence(*status)),
            None => cause_of(failure),
        };
        // If nothing came, the message already says so.
        let is_said =
            evidence.cause.is_some_and(|cause| cause.is_silence() || cause.is_near_limit() || cause.engine().is_some());
        if let Some(kind) = evidence.last_dropped.filter(|_| !is_said) {
            let _ = write!(found, "; its last line was dropped as {}", kind.word());
        }
        Self {
            good: Some(false),
            details: evidence.details(),
            code: Some(status.name()),
            ..Self::note(
                what,
                found,
                advice(*status, evidence, launch.sandbox != SandboxMode::Off, launch.protocol)
                    .map(|advice| advice.cure.replace("NAME", &launch.name))
                    .as_deref(),
            )
        }
    }
}

/// That a bot declined a game, and why.
pub(super) fn declined(bot: &Bot) -> String {
    format!("it declines: {}", bot.declined().unwrap_or_default())
}

/// The last lines of stderr in a log.
pub(super) fn stderr_end<'a>(log: impl IntoIterator<Item = &'a LogLine>) -> Vec<String> {
    let stderr = log.into_iter().filter_map(|line| match line {
        LogLine::Stderr(text) | LogLine::StderrBetweenGames(text) => Some(format!("  {}", shown(text))),
        LogLine::Dropped(..)
        | LogLine::Chatter(_)
        | LogLine::EndedBetweenGames(_)
        | LogLine::Remark(_)
        | LogLine::Field(_) => None,
    });
    let lines: Vec<String> = stderr.collect();
    let end = &lines[lines.len().saturating_sub(LOG_LINES_MAX)..];
    if end.is_empty() { Vec::new() } else { [&["stderr:".to_owned()], end].concat() }
}

#[cfg(test)]
mod tests {
    use arena_core::cause::Surplus;

    use super::*;

    #[test]
    fn the_end_of_stderr_in_a_log_is_shown() {
        let text = || "stray stdout: x".to_owned();
        let log = [LogLine::Dropped(Surplus::Stray, text()), LogLine::Stderr(text())];
        assert_eq!(stderr_end(&log), ["stderr:", "  stray stdout: x"]);
        assert_eq!(stderr_end(&log[..1]), [""; 0]);
    }
}
