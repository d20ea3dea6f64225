//! One line of a score card, and what of a bot's log belongs on it.

use crate::advice;
use crate::guard::SandboxMode;
use crate::player::NotReady;
use crate::player::process::Launch;
use crate::record::Evidence;
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

    /// With all that is known of why it went wrong. `log` is what the bot's log has of it.
    pub(super) fn failed(
        what: impl Into<String>,
        found: String,
        why: &NotReady,
        log: &[String],
        launch: &Launch,
    ) -> Self {
        match why {
            NotReady::Void(_) => {
                let advice = "the arena failed to try it, and not the bot: it may be well, so try again";
                Self { code: Some("void"), ..Self::bad(what, found, advice) }
            }
            NotReady::Fault(Fault { status, evidence }) => {
                let dropped = dropped(evidence, log);
                let cause = if dropped == Some("stale") && advice::STALE.statuses.contains(status) {
                    Some(&advice::STALE)
                } else {
                    advice::cause(*status, evidence, launch.sandbox != SandboxMode::Off)
                };
                let told = evidence.message.contains("its last line was dropped");
                let dropped =
                    dropped.filter(|_| !told).map(|kind| format!("; what it wrote last was dropped as {kind}"));
                Self {
                    what: what.into(),
                    good: Some(false),
                    found: found + &dropped.unwrap_or_default(),
                    details: evidence.details(),
                    advice: cause.map(|cause| cause.cure),
                    code: Some(status.name()),
                }
            }
        }
    }
}

/// Whether what a bot wrote last was no reply, by its log: `stray` or `stale`.
fn dropped(evidence: &Evidence, log: &[String]) -> Option<&'static str> {
    let (kind, line) = log.iter().rev().find_map(|line| surplus(line))?;
    (evidence.last_received.as_deref() == Some(line)).then_some(kind)
}

/// A line that was dropped, if it is one that a log tells of, and why.
pub(super) fn surplus(logged: &str) -> Option<(&'static str, &str)> {
    ["stray", "stale"].into_iter().find_map(|kind| Some((kind, logged.strip_prefix(kind)?.strip_prefix(" stdout: ")?)))
}

/// The last of what a log has of stderr.
pub(super) fn stderr_end(log: &[String]) -> Vec<String> {
    let lines = log.iter().filter(|line| line.starts_with("stderr")).filter_map(|line| line.split_once(": "));
    let lines: Vec<String> = lines.map(|(_, line)| format!("  {}", shown(line))).collect();
    let end = &lines[lines.len().saturating_sub(LOG_LINES_MAX)..];
    if end.is_empty() { Vec::new() } else { [&["stderr:".to_owned()], end].concat() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_dropped_is_told_from_one_that_counted() {
        let log = ["stray stdout: hm", "stale stdout: {\"id\":1}", "stderr: stray stdout: x"].map(str::to_owned);
        let told =
            |last: &str| dropped(&Evidence { last_received: Some(last.to_owned()), ..Evidence::default() }, &log);
        assert_eq!([told("{\"id\":1}"), told("{\"id\":2}"), told("hm")], [Some("stale"), None, None]);
        assert_eq!(dropped(&Evidence::default(), &log), None);
        assert_eq!(stderr_end(&log), ["stderr:", "  stray stdout: x"]);
        assert_eq!(stderr_end(&log[..2]), [""; 0]);
    }
}
