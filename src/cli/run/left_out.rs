//! What to say of bots that are left out: why, and the cure.

use arena_core::text::shown;
use arena_play::roster::{Roster, SkipReason};

/// Maximum number of submissions with the same cause that have a line each.
const SAME_CAUSE_MAX: usize = 20;

/// One line for each bot that cannot be used and each submission that was skipped: what, why, and the cure. More than
/// [`SAME_CAUSE_MAX`] submissions with the same cause share a line.
pub(crate) fn left_out_lines(roster: &Roster) -> Vec<String> {
    let mut lines: Vec<String> = roster.broken.iter().map(|(name, cause)| format!("{name}: {cause}")).collect();
    let mut by_cause: Vec<(&str, Vec<(String, &str)>)> = Vec::new();
    for skipped in &roster.skipped {
        let SkipReason::Submission { cause, cure } = &skipped.reason else { continue };
        let submission = (shown(&skipped.path.to_string_lossy()), cure.as_str());
        match by_cause.iter_mut().find(|(known, _)| known == cause) {
            Some((_, submissions)) => submissions.push(submission),
            None => by_cause.push((cause, vec![submission])),
        }
    }
    for (cause, submissions) in by_cause {
        if submissions.len() <= SAME_CAUSE_MAX {
            lines.extend(submissions.iter().map(|(path, cure)| format!("{path}: {cause}; {cure}")));
            continue;
        }
        let paths: Vec<&str> = submissions.iter().map(|(path, _)| path.as_str()).collect();
        let (count, cure) = (paths.len(), submissions[0].1);
        lines.push(format!("{count} submissions: {cause}; to fix the first: {cure}; all: {}", paths.join(", ")));
    }
    lines
}
