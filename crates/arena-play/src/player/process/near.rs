//! Limits that a bot is near, so that it may have been refused more.

use std::fmt::Write as _;

use arena_core::cause::Cause;
use arena_core::clock::{MostlySpent, TimeUse};
use arena_guard::{Limits, MemoryUse, Share, Usage};

/// A limit that a bot is near.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NearLimit {
    /// The cause of its silence, if it is silent.
    silence: Cause,
    /// The cause of its end, if it ended, and what it was out of; `None` if that is not counted before an end.
    end: Option<(Cause, &'static str)>,
    /// `its memory was`.
    subject: &'static str,
    /// How near, as a sentence.
    how: String,
}

/// All limits that a bot is near, if it uses so much.
pub(super) fn near_limits(used: &Usage, limits: &Limits) -> Vec<NearLimit> {
    let memory = near_memory(used.memory, limits).map(|how| NearLimit {
        silence: Cause::NearMemoryLimit,
        end: Some((Cause::MemoryLimit, "memory")),
        subject: "its memory was",
        how,
    });
    let Share { used: count, allowed } = used.threads;
    let threads = used.threads.is_near().then(|| NearLimit {
        silence: Cause::NearThreadLimit,
        end: Some((Cause::ThreadLimit, "threads")),
        subject: "its threads and processes were",
        how: format!("it had {count} of {allowed}"),
    });
    let Share { used: count, allowed } = used.open_files;
    let open_files = used.open_files.is_near().then(|| NearLimit {
        silence: Cause::NearOpenFileLimit,
        end: None,
        subject: "its open files were",
        how: format!("a process of it had {count} of {allowed}"),
    });
    [memory, threads, open_files].into_iter().flatten().collect()
}

/// How near a bot came to the limit on memory, or to the one on what a process may reserve, if it came so near that it may have
/// been refused more: `it used 980 of 1024 MB`.
pub(super) fn near_memory(memory: MemoryUse, limits: &Limits) -> Option<String> {
    let [held, reserved] = [(memory.held_kb, limits.memory_mb), (memory.reserved_kb, limits.reserved_mb())]
        .map(|(kb, allowed)| Share { used: kb / 1024, allowed });
    if held.is_near() {
        Some(format!("it used {} of {} MB", held.used, held.allowed))
    } else if reserved.is_near() {
        Some(format!(
            "it reserved {} of {} MB of address space, such as stacks of threads that were not joined",
            reserved.used, reserved.allowed
        ))
    } else {
        None
    }
}

/// How a bot ended, where it may have been refused what it is near the limit of.
pub(super) fn explained_end(near: &[NearLimit], (cause, how): (Cause, String)) -> (Cause, String) {
    match near.iter().find_map(|near| near.end.zip(Some(&near.how))) {
        None => (cause, how),
        Some(((cause, what), near)) => (cause, format!("{how}, probably out of {what} ({near})")),
    }
}

/// Why nothing came in time, where what the bot is near the limit of may be the reason for that. One that computed for most of
/// the time, as `spent` says, waited for nothing: what it is near is only told.
pub(super) fn explained_silence(
    near: &[NearLimit],
    spent: Option<TimeUse>,
    (cause, mut message): (Cause, String),
) -> (Cause, String) {
    let Some(first) = near.first().filter(|_| cause.is_silence()) else { return (cause, message) };
    let mut told = String::new();
    for NearLimit { subject, how, .. } in near {
        let _ = write!(told, "; {subject} near the limit: {how}");
    }
    // Before how the time went: long messages are cut.
    let at = message.find("; ").unwrap_or(message.len());
    message.insert_str(at, &told);
    let has_computed = spent.is_some_and(|spent| spent.mostly() == Some(MostlySpent::Computing));
    (if has_computed { cause } else { first.silence }, message)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const LATE: &str = "no move within 500 ms; it slept";

    fn near(held_mb: u64, reserved_mb: u64, threads: u64, open_files: u64) -> Vec<NearLimit> {
        let limits = Limits { memory_mb: 100, ..Limits::default() };
        let memory = MemoryUse { held_kb: held_mb * 1024, reserved_kb: reserved_mb * 1024 };
        let share = |used| Share { used, allowed: 20 };
        near_limits(&Usage { memory, threads: share(threads), open_files: share(open_files) }, &limits)
    }

    fn silence(near: &[NearLimit], computed_ms: u64) -> (Cause, String) {
        let time = Duration::from_millis;
        let spent = TimeUse { elapsed: time(500), cpu: Some(time(computed_ms)), waited: Some(time(0)) };
        explained_silence(near, Some(spent), (Cause::NoMove, LATE.to_owned()))
    }

    #[test]
    fn a_silence_is_explained_by_each_limit_that_is_near() {
        assert_eq!(silence(&near(89, 5_759, 17, 17), 0), (Cause::NoMove, LATE.to_owned()));
        for (near, cause, says) in [
            (near(90, 0, 0, 0), Cause::NearMemoryLimit, "its memory was near the limit: it used 90 of 100 MB"),
            (
                near(5, 5_760, 0, 0),
                Cause::NearMemoryLimit,
                "its memory was near the limit: it reserved 5760 of 6400 MB of address space, such as stacks of threads that were not \
                 joined",
            ),
            (
                near(0, 0, 18, 0),
                Cause::NearThreadLimit,
                "its threads and processes were near the limit: it had 18 of 20",
            ),
            (
                near(0, 0, 0, 20),
                Cause::NearOpenFileLimit,
                "its open files were near the limit: a process of it had 20 of 20",
            ),
            (
                near(0, 0, 19, 20),
                Cause::NearThreadLimit,
                "its threads and processes were near the limit: it had 19 of 20; its open files were near the limit: a process of it \
                 had 20 of 20",
            ),
        ] {
            let told = format!("no move within 500 ms; {says}; it slept");
            assert_eq!(silence(&near, 200), (cause, told.clone()));
            assert_eq!(silence(&near, 300), (Cause::NoMove, told), "it computed");
        }
        let other = (Cause::NotFlushed, LATE.to_owned());
        assert_eq!(explained_silence(&near(90, 0, 0, 0), None, other.clone()), other);
    }

    #[test]
    fn an_end_is_explained_by_the_first_limit_that_is_near() {
        let end = |near: &[NearLimit]| explained_end(near, (Cause::Exited { code: 1 }, "exited".to_owned()));
        assert_eq!(end(&near(89, 0, 17, 0)), (Cause::Exited { code: 1 }, "exited".to_owned()));
        let (cause, how) = end(&near(90, 0, 18, 0));
        assert_eq!((cause, &*how), (Cause::MemoryLimit, "exited, probably out of memory (it used 90 of 100 MB)"));
        let (cause, how) = end(&near(0, 0, 18, 0));
        assert_eq!((cause, &*how), (Cause::ThreadLimit, "exited, probably out of threads (it had 18 of 20)"));
    }

    #[test]
    fn nothing_is_near_where_there_is_no_limit() {
        let memory = MemoryUse { held_kb: 1 << 50, reserved_kb: 1 << 50 };
        let limits = Limits { memory_mb: 0, ..Limits::default() };
        assert_eq!(near_limits(&Usage { memory, ..Usage::default() }, &limits), []);
    }
}
