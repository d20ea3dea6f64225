//! Causes of faults and their cures: one table for `check`, the sentences about faults, and `arena explain`.

mod table;

use crate::record::{Evidence, Status};
pub use table::STALE;
use table::{CAUSES, SANDBOX};

/// Something that makes bots fail, and what to do about it.
#[derive(Debug)]
pub struct Cause {
    /// The statuses it leads to.
    pub statuses: &'static [Status],
    /// What the bot does, or what is the matter with it.
    pub what: &'static str,
    /// What to do about it.
    pub cure: &'static str,
    seen: fn(&Evidence) -> bool,
}

/// The first cause of `status` that `evidence` shows. The last one of each status is what holds for all its faults, so
/// that there is none only for a status that is no fault.
#[must_use]
pub fn cause(status: Status, evidence: &Evidence, sandboxed: bool) -> Option<&'static Cause> {
    let known = if sandboxed { &[SANDBOX] } else { [].as_slice() };
    let mut causes = known.iter().chain(CAUSES);
    causes.find(|cause| cause.statuses.contains(&status) && (cause.seen)(evidence))
}

/// All causes of `status`, for people to look through.
pub fn causes(status: Status) -> impl Iterator<Item = &'static Cause> {
    CAUSES.iter().chain(&[STALE, SANDBOX]).filter(move |cause| cause.statuses.contains(&status))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cure(status: Status, message: &str, stderr: &str, received: &str) -> &'static str {
        let evidence = Evidence {
            message: message.to_owned(),
            stderr_tail: Some(stderr.to_owned()),
            last_received: Some(received.to_owned()),
            ..Evidence::default()
        };
        cause(status, &evidence, true).expect("a cause").cure
    }

    #[track_caller]
    fn check(status: Status, message: &str, stderr: &str, received: &str, expected: &str) {
        let cure = cure(status, message, stderr, received);
        assert!(cure.contains(expected), "{message}: {cure}");
    }

    #[test]
    fn every_fault_has_a_cause_whatever_is_known_of_it() {
        for status in Status::ALL {
            assert_eq!(cause(status, &Evidence::default(), true).is_some(), status.is_fault(), "{status}");
        }
    }

    #[test]
    fn the_cure_is_of_what_was_seen() {
        use Status::{Crashed, IllegalMove, ProtocolError, StartupFailed, Timeout};
        check(StartupFailed, "cannot start x: it is empty", "", "", "mend what is named");
        check(StartupFailed, "it was killed by signal 11 (SIGSEGV) before it was ready", "", "", "-fsanitize");
        check(StartupFailed, "it exited with status 1 before it was ready", "KeyError: 'x'", "", "stderr");
        check(StartupFailed, "missing field `protocol` at byte 16: {…}", "", "{…}", "\"protocol\":1");
        check(StartupFailed, "invalid type: string: {\"protocol\": \"1\"}", "", "", "the 1 an integer");
        check(StartupFailed, "no ready within 5000 ms", "", "{\"type\":\"ok\",\"id\":1}", "spelt just so");
        check(StartupFailed, "no ready within 5000 ms", "", "{\"type\":\"hello\",\"protocol\":1}", "\"ready\"");
        check(StartupFailed, "no hello within 10000 ms of its start", "", "", "type the last line sent");
        check(StartupFailed, "no hello within 10000 ms", "", "Starting up...{\"type\":\"hello\"}", "alone on its line");
        check(Timeout, "no move within 1000 ms", "", "\\u{feff}{\"type\":\"move\"}", "alone on its line");
        check(Timeout, "no move within 1000 ms", "", "{\"type\":\"move\",\"id\":1,\"move\":3}", "with its `id`");
        check(Timeout, "no move within 1000 ms", "", "thinking", "stop searching");
        check(Timeout, "no move within 9 ms; its last line was dropped as stray: flush", "", "flush", "stop searching");
        check(Timeout, "no move within 1000 ms", "", "3", "alone on its line");
        check(Timeout, "no move within 1000 ms; it most likely forgot to flush", "", "", "line by line");
        check(Crashed, "it exited with status 1 while a move was owed", "PermissionError: [Errno 13]", "", "$TMPDIR");
        check(Crashed, "it exited with status 1 while a move was owed", "No module named 'helper'", "", "`files`");
        check(Crashed, "it was ended: out of memory (limit 9 MB)", "", "", "--limits");
        check(ProtocolError, "key must be a string at byte 2: {'type'…", "", "", "json.dumps(reply)");
        check(ProtocolError, "invalid type: string \"5\", expected a move: an integer", "", "", "not \"3\" or 3.0");
        check(ProtocolError, "a reply carries id 9, which was never issued to this bot", "", "", "copy the `id`");
        check(ProtocolError, "a line is longer than 65536 bytes; it begins xxx", "", "", "stderr");
        check(IllegalMove, "at ply 0: move 99 is not legal", "", "", "legal_moves");
    }

    #[test]
    fn the_sandbox_is_blamed_where_there_is_one() {
        let refused = Evidence { stderr_tail: Some("PermissionError: log.txt".to_owned()), ..Evidence::default() };
        for (sandboxed, blamed) in [(true, true), (false, false)] {
            let cure = cause(Status::Crashed, &refused, sandboxed).expect("a cause").cure;
            assert_eq!(cure.starts_with("in a sandbox"), blamed, "{cure}");
        }
    }
}
