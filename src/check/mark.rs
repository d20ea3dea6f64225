//! One line of a score card, and what of a bot's log belongs on it.

use crate::advice::advice;
use crate::cause::Cause;
use crate::guard::SandboxMode;
use crate::player::process::Launch;
use crate::player::{Failure, LogLine};
use crate::referee::Fault;
use crate::text::shown;

/// Lines of a bot's log that are shown.
const LOG_LINES_MAX: usize = 10;

/// One line of a score card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// What was tried.
    pub what: String,
    /// Whether it went well; `None` if it could not be tried or is only worth knowing.
    pub good: Option<bool>,
    /// What was found.
    pub found: String,
    /// What is known beside: what was said last on both sides, the end of stderr.
    pub details: Vec<String>,
    /// What to do about it, if it did not go well.
    pub advice: Option<&'static str>,
    /// The word that `arena explain` has more about.
    pub code: Option<&'static str>,
}

impl Mark {
    pub(super) fn good(what: impl Into<String>, found: impl Into<String>) -> Self {
        Self { good: Some(true), ..Self::note(what, found, None) }
    }

    pub(super) fn bad(what: impl Into<String>, found: impl Into<String>, advice: &'static str) -> Self {
        Self { good: Some(false), ..Self::note(what, found, Some(advice)) }
    }

    pub(super) fn note(what: impl Into<String>, found: impl Into<String>, advice: Option<&'static str>) -> Self {
        Self { what: what.into(), good: None, found: found.into(), details: Vec::new(), advice, code: None }
    }

    /// With all that is known of why it went wrong.
    pub(super) fn failed(what: impl Into<String>, found: String, why: &Failure, launch: &Launch) -> Self {
        match why {
            Failure::Void(_) => {
                let advice = "the arena failed to try it, and not the bot: it may be well, so try again";
                Self { code: Some("void"), ..Self::bad(what, found, advice) }
            }
            Failure::Fault(fault) => {
                let Fault { status, evidence } = fault.as_ref();
                let advice = advice(*status, evidence, launch.sandbox != SandboxMode::Off);
                // Where nothing came, the message says what came instead.
                let is_told = matches!(evidence.cause, Some(Cause::NoHello | Cause::NoReady | Cause::NoMove));
                let dropped = evidence.last_dropped.filter(|_| !is_told);
                let dropped = dropped.map(|kind| format!("; what it wrote last was dropped as {}", kind.word()));
                Self {
                    what: what.into(),
                    good: Some(false),
                    found: found + &dropped.unwrap_or_default(),
                    details: evidence.details(),
                    advice: advice.map(|advice| advice.cure),
                    code: Some(status.name()),
                }
            }
        }
    }
}

/// The last of what a log has of stderr.
pub(super) fn stderr_end(log: &[LogLine]) -> Vec<String> {
    let stderr = log.iter().filter_map(|line| match line {
        LogLine::Stderr(text) | LogLine::StderrBetweenGames(text) => Some(format!("  {}", shown(text))),
        LogLine::Dropped(..) | LogLine::Chatter(_) | LogLine::EndedBetweenGames(_) | LogLine::Remark(_) => None,
    });
    let lines: Vec<String> = stderr.collect();
    let end = &lines[lines.len().saturating_sub(LOG_LINES_MAX)..];
    if end.is_empty() { Vec::new() } else { [&["stderr:".to_owned()], end].concat() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cause::Surplus;

    #[test]
    fn of_a_log_the_end_of_stderr_is_shown() {
        let text = || "stray stdout: x".to_owned();
        let log = [LogLine::Dropped(Surplus::Stray, text()), LogLine::Stderr(text())];
        assert_eq!(stderr_end(&log), ["stderr:", "  stray stdout: x"]);
        assert_eq!(stderr_end(&log[..1]), [""; 0]);
    }
}
