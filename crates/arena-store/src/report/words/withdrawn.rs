//! Why a bot was withdrawn, in a sentence.

use arena_core::format::flags::DROP;
use arena_core::record::{Status, UNPUBLISHED};
use arena_core::rules::Seat;
use arena_core::schedule::{Brief, Withdrawal, WithdrawalCause};
use arena_core::text::counted;

use crate::journal::Reader;

/// Why a bot was withdrawn: `withdrawn after 3 failed starts in a row; the last: …`. The reason of the last game is read
/// from the journal.
///
/// # Errors
///
/// Returns an error if the journal cannot be read.
pub fn withdrawal_reason(withdrawal: &Withdrawal, journal: &Reader) -> anyhow::Result<String> {
    let sentence = |brief: &Brief, seat: Seat| {
        // Another machine has it.
        if brief.bytes == 0 {
            return Ok("played elsewhere".to_owned());
        }
        let record = journal.record(brief)?;
        let index = seat.index();
        let evidence = record.evidence[index].as_ref();
        anyhow::Ok(evidence.map(|evidence| evidence.sentence(record.statuses[index])).unwrap_or_default())
    };
    Ok(match &withdrawal.cause {
        WithdrawalCause::FailedStarts { starts, last, seat } => {
            let row = if *starts > 1 { " in a row" } else { "" };
            let reason = match sentence(last, *seat)? {
                why if why == UNPUBLISHED => String::new(),
                why if *starts > 1 => format!("; the last: {why}"),
                why => format!(": {why}"),
            };
            format!("withdrawn after {}{row}{reason}", counted(*starts as usize, "failed start"))
        }
        WithdrawalCause::LostFirstGames { timeouts, crashes, last, seat } => {
            let lost = (timeouts + crashes) as usize;
            let first = if lost == 1 { "first game".to_owned() } else { format!("first {lost} games") };
            let kinds = [(timeouts, Status::Timeout), (crashes, Status::Crashed)];
            let kinds = kinds.into_iter().filter(|(count, _)| **count > 0);
            let kinds: Vec<String> = kinds.map(|(count, status)| format!("{count} {status}")).collect();
            let reason = Some(sentence(last, *seat)?).filter(|why| why != UNPUBLISHED);
            let reason = reason.map_or_else(String::new, |why| format!("; the last: {why}"));
            format!("withdrawn after it lost its {first} by timeout or crash ({}){reason}", kinds.join(", "))
        }
        WithdrawalCause::SlowRestarts { seconds, games } => {
            format!("withdrawn because restarting it after its faults took {seconds} s in {games} games")
        }
        WithdrawalCause::Disturbances { games } => format!(
            "withdrawn after it made {} of others void by using the processor while it waited for its own",
            counted(*games as usize, "game")
        ),
        WithdrawalCause::Dropped => format!("taken out with {DROP}"),
    })
}
