//! How a game ended: the winner, and the evidence of faults, whole.

use arena_core::record::Evidence;
use arena_core::text::{escaped, millis};
use arena_sys::flags::WIRE;
use arena_wire::transcript::reproduce_from_journal;

use super::Opened;

/// The lines below the last ply.
pub(super) fn lines(opened: &Opened) -> Vec<String> {
    let story = &opened.story;
    story.ending_with(escaped, |seat, evidence| {
        let status = story.record.statuses[seat.index()];
        let mut lines = Vec::new();
        if status.is_fault() {
            lines.push(format!("why: arena explain {status}"));
            let again =
                reproduce_from_journal(&format!("{} {WIRE}", opened.command), seat, opened.protocols[seat.index()]);
            lines.push(format!("again: {}", escaped(&again)));
        }
        lines.extend(evidence.map(details).unwrap_or_default());
        lines
    })
}

/// All that is known about a fault, uncut.
fn details(evidence: &Evidence) -> Vec<String> {
    let mut lines = evidence.last_lines(escaped);
    lines.extend(evidence.cpu_us.map(|us| format!("CPU time: {} ms", millis(us))));
    lines.extend(evidence.load.map(|load| load.to_string()));
    lines.extend(evidence.stderr_lines(escaped, usize::MAX));
    lines
}
