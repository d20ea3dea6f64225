//! Advice on fixing faults: one table for `check`, the sentences about faults, and `arena explain`.

mod table;

use arena_core::cause::{Cause, Surplus};
use arena_core::clock::MostlySpent;
use arena_core::record::{Evidence, Status};
use arena_core::text::shell_word;

use crate::protocol::{PROTOCOLS, Protocol};

/// A common reason for faults, and its cure.
#[derive(Debug, Clone, Copy)]
pub struct Advice {
    /// Statuses of bots with this fault.
    pub statuses: &'static [Status],
    /// What is wrong with the bot.
    pub what: &'static str,
    /// How to fix it.
    pub cure: &'static str,
    /// Whether these are words of the arena's own protocol.
    pub in_json: bool,
}

/// The shell command that gives a bot the input in `file` again; `command` starts the bot.
#[must_use]
pub fn reproduce(command: &str, file: &str) -> String {
    format!("{command} < {}", shell_word(file))
}

/// Advice on a fault of a bot that speaks `protocol`; `None` for a status that is not a fault. Where the cure is in words of
/// the arena's own protocol, bots of others have one of their protocol.
#[must_use]
pub fn advice(status: Status, evidence: &Evidence, sandboxed: bool, protocol: &Protocol) -> Option<Advice> {
    let found = known(status, evidence, sandboxed)?;
    let mut mistaken = PROTOCOLS.iter().filter_map(|protocol| protocol.mistaken);
    if let Some((_, cure)) = mistaken.find(|(cause, _)| evidence.cause == Some(*cause)) {
        return Some(Advice { cure, ..*found });
    }
    // A file that is called by another program is not run by hand.
    let is_called = protocol.shim.is_some() && std::ptr::eq(found, &raw const table::CRASH);
    let cure = protocol.words.cure.filter(|_| found.in_json || is_called);
    Some(cure.map_or(*found, |cure| Advice { what: OF_PROTOCOL, cure, ..*found }))
}

/// What is wrong with a bot of another protocol, where the table has words of the arena's own.
const OF_PROTOCOL: &str = "it does not do what its protocol demands: the message says how";

/// The entry of the table.
fn known(status: Status, evidence: &Evidence, sandboxed: bool) -> Option<&'static Advice> {
    let in_general = match status {
        Status::Ok | Status::Resigned => return None,
        Status::Timeout => &table::TIME,
        Status::IllegalMove => &table::ILLEGAL,
        Status::ProtocolError => &table::UNSOUND,
        Status::Crashed | Status::StartupFailed => &table::CRASH,
        Status::Interference => &table::INTERFERENCE,
        Status::Withdrawn => &table::WITHDRAWN,
    };
    Some(match evidence.cause {
        _ if sandboxed && table::TIMERS.statuses.contains(&status) && wrote(evidence, &TIMERS) => &table::TIMERS,
        _ if sandboxed && table::SANDBOX.statuses.contains(&status) && wrote(evidence, &REFUSED) => &table::SANDBOX,
        Some(cause) => of_cause(cause, evidence).unwrap_or(in_general),
        None => in_general,
    })
}

/// All advice on faults with `status`, in the order of the table.
pub fn all(status: Status) -> impl Iterator<Item = &'static Advice> {
    table::ALL.into_iter().filter(move |advice| advice.statuses.contains(&status))
}

/// Advice on a cause; `None` if only the general advice on its status applies.
fn of_cause(cause: Cause, evidence: &Evidence) -> Option<&'static Advice> {
    Some(match cause {
        Cause::BadFolder
        | Cause::NoProgram
        | Cause::NoInterpreter
        | Cause::HiddenInterpreter
        | Cause::WindowsLineEnds
        | Cause::NotExecutable
        | Cause::NotAProgram
        | Cause::FileBusy
        | Cause::CannotStart => &table::START,
        Cause::MemoryLimit
        | Cause::ProcessLimit
        | Cause::ThreadLimit
        | Cause::DiskLimit
        | Cause::FileLimit
        | Cause::Uncountable => &table::LIMITS,
        _ if cause.is_exit() && wrote(evidence, &MISSING) => &table::IMPORT,
        Cause::Exited { code: 0 } => &table::LEAVES,
        Cause::Crashed { .. } => &table::SIGNAL,
        Cause::Exited { .. } | Cause::Killed { .. } | Cause::ClosedOutput => &table::CRASH,
        Cause::NoHello => of_dropped(evidence).unwrap_or(&table::HELLO),
        Cause::NoReady => of_dropped(evidence).unwrap_or(&table::READY),
        Cause::NoMove => of_dropped(evidence).unwrap_or_else(|| of_time(evidence)),
        Cause::LateMove => of_time(evidence),
        Cause::NotFlushed => &table::FLUSH,
        Cause::NoNewline => &table::NEWLINE,
        Cause::ClosedInput => &table::STDIN,
        Cause::SpeaksUci | Cause::SpeaksUgi | Cause::SpeaksGomocup => &table::OTHER_ENGINE,
        Cause::WrongProtocol => &table::PROTOCOL,
        Cause::GameNotPlayed => &table::GAMES,
        Cause::Declined => &table::DECLINED,
        Cause::NotAnObject => &table::NO_MESSAGE,
        Cause::NotUtf8 => &table::ENCODING,
        Cause::SingleQuotes => &table::PYTHON_DICT,
        Cause::SplitMessage => &table::SPLIT,
        Cause::JoinedMessages => &table::JOINED,
        Cause::NotAValue => &table::NOT_A_VALUE,
        Cause::InvalidJson => &table::UNSOUND,
        Cause::MissingField => &table::MISSING_FIELD,
        Cause::FieldType => &table::FIELD_TYPE,
        Cause::MoveType => &table::MOVE_TYPE,
        Cause::UnknownId => &table::UNKNOWN_ID,
        Cause::LineTooLong | Cause::TooManyLines | Cause::TooManyBytes => &table::TOO_MUCH,
        Cause::IllegalMove | Cause::BreaksRules => &table::ILLEGAL,
        Cause::AnsweredTwice => &table::TWICE,
        Cause::TookProcessor => &table::INTERFERENCE,
        Cause::Starved => &table::STARVED,
        Cause::NotIdle => &table::BUSY,
        Cause::NearMemoryLimit => &table::NEAR_MEMORY,
        Cause::NearThreadLimit => &table::NEAR_THREADS,
        Cause::NearOpenFileLimit => &table::NEAR_OPEN_FILES,
        Cause::Refused => &table::REFUSED,
        Cause::BadOption => &table::OPTION,
        Cause::Stopped => return None,
    })
}

/// Advice on a move that did not come in time, from how the time went.
fn of_time(evidence: &Evidence) -> &'static Advice {
    match evidence.time_use().and_then(|spent| spent.mostly()) {
        Some(MostlySpent::Computing) => &table::COMPUTES,
        Some(MostlySpent::WaitingForProcessor) => &table::STARVED,
        Some(MostlySpent::Blocked) => &table::BLOCKED,
        None => &table::TIME,
    }
}

/// Advice on the last line of a bot that did not answer, if that line was dropped and looks like an answer.
fn of_dropped(evidence: &Evidence) -> Option<&'static Advice> {
    let line = evidence.last_received.as_deref()?;
    match evidence.last_dropped? {
        Surplus::Stale => Some(&table::STALE),
        Surplus::Stray if line.contains("{\"") && line.trim_start().starts_with('{') => Some(&table::OTHER_TYPE),
        Surplus::Stray if line.contains("{\"") || line.trim().parse::<f64>().is_ok() => Some(&table::NO_MESSAGE),
        Surplus::Stray => None,
    }
}

/// Words in stderr that show that the sandbox denied access.
const REFUSED: [&str; 7] = [
    "Permission denied",
    "PermissionError",
    "Operation not permitted",
    "Read-only file system",
    "EACCES",
    "EPERM",
    "AccessDenied",
];

/// Words in stderr that show that the sandbox refused a timer.
const TIMERS: [&str; 2] = ["timer_create: ", "timerfd_create: "];

/// Words in stderr that show that a module was not found.
const MISSING: [&str; 5] =
    ["No module named", "ImportError", "Cannot find module", "Cannot find package", "load main class"];

/// Whether the end of the bot's stderr has one of `words`.
fn wrote(evidence: &Evidence, words: &[&str]) -> bool {
    evidence.stderr_tail.as_deref().is_some_and(|tail| words.iter().any(|word| tail.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::JSON;

    #[track_caller]
    fn check(status: Status, cause: Cause, known: &Evidence, expected: &str) {
        let evidence = Evidence { cause: Some(cause), ..known.clone() };
        let cure = advice(status, &evidence, true, &JSON).expect("advice").cure;
        assert!(cure.contains(expected), "{cause:?}: {cure}");
    }

    fn wrote(stderr: &str) -> Evidence {
        Evidence { stderr_tail: Some(stderr.to_owned()), ..Evidence::default() }
    }

    fn dropped(kind: Surplus, line: &str) -> Evidence {
        Evidence { last_received: Some(line.to_owned()), last_dropped: Some(kind), ..Evidence::default() }
    }

    /// Every cause, by the names that its deserializer knows.
    fn causes() -> Vec<Cause> {
        let unknown = serde_json::from_str::<Cause>("\"\"").expect_err("no name").to_string();
        let names: Vec<&str> = unknown.split('`').skip(3).step_by(2).collect();
        let cause = |name: &&str| {
            let plain = serde_json::from_value(serde_json::json!(name));
            plain.unwrap_or_else(|_| {
                serde_json::from_str(&format!("{{\"{name}\":{{\"code\":0,\"signal\":9}}}}")).unwrap()
            })
        };
        names.iter().map(cause).collect()
    }

    #[test]
    fn every_fault_has_advice_whatever_is_known_of_it() {
        for status in Status::ALL {
            let unknown = advice(status, &Evidence::default(), true, &JSON);
            assert_eq!(unknown.is_some(), status.is_fault(), "{status}");
            assert!(unknown.is_none_or(|advice| advice.statuses.contains(&status)), "{status}");
        }
    }

    #[test]
    fn every_cause_is_read_back_and_has_advice_that_is_explained() {
        let causes = causes();
        assert!(causes.len() > 40, "{causes:?}");
        for cause in causes {
            let evidence = Evidence::new(cause, "a message");
            let line = serde_json::to_string(&evidence).unwrap();
            assert_eq!(serde_json::from_str::<Evidence>(&line).unwrap(), evidence, "{line}");
            // The message is for people: nothing follows from it.
            let silent = Evidence { message: String::new(), ..evidence };
            if let Some(advice) = of_cause(cause, &silent) {
                let explained = |status: &Status| all(*status).any(|known| std::ptr::eq(known, advice));
                assert!(!advice.statuses.is_empty() && advice.statuses.iter().all(explained), "{cause:?}");
                assert!(!advice.what.is_empty() && !advice.cure.is_empty(), "{cause:?}");
            }
        }
    }

    #[test]
    fn the_cure_is_of_what_was_seen() {
        use Status::{Crashed, IllegalMove, ProtocolError, StartupFailed, Timeout};
        use Surplus::{Stale, Stray};
        let nothing = Evidence::default();
        check(StartupFailed, Cause::NotAProgram, &nothing, "fix what the message names");
        check(StartupFailed, Cause::Crashed { signal: 11 }, &nothing, "-fsanitize");
        check(StartupFailed, Cause::Exited { code: 1 }, &wrote("KeyError: 'x'"), "stderr");
        check(StartupFailed, Cause::WrongProtocol, &nothing, "the 1 is an integer");
        check(StartupFailed, Cause::SpeaksUci, &nothing, "an adapter (docs/protocol.md");
        check(StartupFailed, Cause::SpeaksGomocup, &nothing, "add protocol = \"gomocup\" to");
        check(StartupFailed, Cause::NoReady, &dropped(Stray, "{\"type\":\"ok\",\"id\":1}"), "spelled exactly so");
        check(StartupFailed, Cause::NoReady, &nothing, "\"ready\"");
        check(StartupFailed, Cause::NoHello, &nothing, "paste the last line sent");
        let prefixed = dropped(Stray, "Starting up...{\"type\":\"hello\"}");
        check(StartupFailed, Cause::NoHello, &prefixed, "only the message on its line");
        check(Timeout, Cause::NoMove, &dropped(Stray, "\\u{feff}{\"type\":\"move\"}"), "only the message on its line");
        check(Timeout, Cause::NoMove, &dropped(Stray, "3"), "only the message on its line");
        check(
            Timeout,
            Cause::NoMove,
            &dropped(Stale, "{\"type\":\"move\",\"id\":1,\"move\":3}"),
            "the request that you answer",
        );
        check(Timeout, Cause::NoMove, &dropped(Stray, "flush"), "stop searching");
        check(Timeout, Cause::NoMove, &nothing, "with its `id`");
        check(Timeout, Cause::LateMove, &nothing, "stop searching");
        let spent = |cpu_us, waited_us| Evidence {
            elapsed_us: Some(1_000_000),
            cpu_us: Some(cpu_us),
            waited_us: Some(waited_us),
            ..Evidence::default()
        };
        check(Timeout, Cause::NoMove, &spent(990_000, 0), "search less deep");
        check(Timeout, Cause::NoMove, &spent(20_000, 970_000), "run fewer games at once");
        check(Timeout, Cause::NoMove, &spent(1_000, 0), "wait for nothing but the next line");
        check(Timeout, Cause::LateMove, &spent(990_000, 0), "search less deep");
        check(Timeout, Cause::Starved, &nothing, "run fewer games at once");
        check(StartupFailed, Cause::Starved, &nothing, "run fewer games at once");
        check(Timeout, Cause::NearMemoryLimit, &spent(1_000, 0), "memory_mb");
        check(StartupFailed, Cause::NearMemoryLimit, &nothing, "memory_mb");
        check(Timeout, Cause::NearThreadLimit, &spent(1_000, 0), "--limits processes=N");
        check(StartupFailed, Cause::NearOpenFileLimit, &nothing, "--limits open_files=N");
        check(Timeout, Cause::NotFlushed, &nothing, "line by line");
        check(Crashed, Cause::Exited { code: 1 }, &wrote("PermissionError: [Errno 13]"), "$TMPDIR");
        check(StartupFailed, Cause::Exited { code: 1 }, &wrote("timer_create: Operation not permitted"), "-V0");
        check(StartupFailed, Cause::Crashed { signal: 6 }, &wrote("error: timerfd_create: Function not"), "-V0");
        check(Crashed, Cause::Exited { code: 1 }, &wrote("No module named 'helper'"), "`files`");
        check(Crashed, Cause::Exited { code: 0 }, &nothing, "until `quit`");
        check(Crashed, Cause::Killed { signal: 9 }, &nothing, "end of its stderr");
        check(Crashed, Cause::MemoryLimit, &wrote("ImportError: no room"), "--limits");
        check(ProtocolError, Cause::SingleQuotes, &nothing, "json.dumps(reply)");
        check(ProtocolError, Cause::MoveType, &nothing, "not \"3\" or 3.0");
        check(ProtocolError, Cause::UnknownId, &nothing, "copy the `id`");
        check(ProtocolError, Cause::LineTooLong, &nothing, "stderr");
        check(IllegalMove, Cause::IllegalMove, &nothing, "legal_moves");
        check(IllegalMove, Cause::AnsweredTwice, &nothing, "exactly one line");
    }

    #[test]
    fn the_sandbox_is_blamed_where_there_is_one() {
        for (sandboxed, blamed) in [(true, true), (false, false)] {
            let cure =
                advice(Status::Crashed, &wrote("PermissionError: log.txt"), sandboxed, &JSON).expect("advice").cure;
            assert_eq!(cure.starts_with("in a sandbox"), blamed, "{cure}");
        }
    }
}
