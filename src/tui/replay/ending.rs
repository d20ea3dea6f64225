//! How a game ended: the winner, and the evidence of faults, whole.

use ratatui::text::Span;

use super::Opened;
use crate::record::Evidence;
use crate::text::{escaped, wrap};
use crate::transcript::reproduce_from_journal;

/// The lines below the last ply.
pub(super) fn lines(opened: &Opened) -> Vec<String> {
    let story = &opened.story;
    story.ending_with(escaped, |seat, evidence| {
        let status = story.record.statuses[seat.index()];
        let mut lines = Vec::new();
        if status.is_fault() {
            lines.push(format!("why: arena explain {status}"));
            let again = reproduce_from_journal(&opened.command, seat, opened.protocols[seat.index()]);
            lines.push(format!("again: {}", escaped(&again)));
        }
        lines.extend(evidence.map(details).unwrap_or_default());
        lines
    })
}

/// All that is known about a fault, uncut.
fn details(evidence: &Evidence) -> Vec<String> {
    let mut lines = evidence.last_lines(escaped);
    lines.extend(evidence.cpu_us.map(|us| format!("CPU time: {} ms", crate::text::millis(us))));
    lines.extend(evidence.load.map(|load| load.to_string()));
    lines.extend(evidence.stderr_lines(escaped, usize::MAX));
    lines
}

/// Breaks text into lines at most `width` columns wide: at spaces, and where there are none anywhere.
pub(super) fn folded(text: &str, width: usize) -> Vec<String> {
    if width < 4 {
        return Vec::new();
    }
    let mut lines = Vec::new();
    for line in wrap(text, width, 2).lines() {
        let mut rest = line;
        while Span::raw(rest).width() > width {
            let fits = |end: &usize| Span::raw(&rest[..*end]).width() <= width;
            let ends = rest.char_indices().map(|(at, _)| at).skip(1);
            let Some(end) = ends.take_while(fits).last() else { break };
            lines.push(rest[..end].to_owned());
            rest = &rest[end..];
        }
        lines.push(rest.to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_that_are_too_long_are_broken() {
        assert_eq!(folded("ab abcdefghij", 5), ["ab", "  abc", "defgh", "ij"]);
        assert_eq!(folded("日本語日本語", 5), ["日本", "語日", "本語"]);
        assert_eq!(folded("anything", 3), [""; 0]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost(text in "[a-z{}\": 日é]{0,60}", width in 4_usize..30) {
            let lines = folded(&text, width);
            let without_spaces = |text: &str| text.replace(' ', "");
            prop_assert_eq!(without_spaces(&lines.concat()), without_spaces(&text));
            prop_assert!(lines.iter().all(|line| Span::raw(line).width() <= width), "{:?}", lines);
        }
    }
}
