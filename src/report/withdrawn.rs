//! Why a bot was withdrawn, in a sentence.

use crate::journal::Reader;
use crate::schedule::{Withdrawal, WithdrawalCause};

/// Why a bot was withdrawn: `withdrawn after three failed starts in a row; the last: …`. What the last failed start came to is
/// fetched from the journal.
///
/// # Errors
///
/// Returns an error if the journal cannot be read.
pub fn withdrawal_reason(withdrawal: &Withdrawal, journal: &Reader) -> anyhow::Result<String> {
    let sentence = |brief, seat: &crate::rules::Seat| {
        let record = journal.record(brief)?;
        let index = seat.index();
        let evidence = record.evidence[index].as_ref();
        anyhow::Ok(evidence.map(|evidence| evidence.sentence(record.statuses[index])).unwrap_or_default())
    };
    Ok(match &withdrawal.cause {
        WithdrawalCause::FailedStarts(brief, seat) => {
            format!("withdrawn after three failed starts in a row; the last: {}", sentence(brief, seat)?)
        }
        WithdrawalCause::SlowRestarts { seconds, games } => {
            format!("withdrawn because starting it again after its faults took {seconds} s in {games} games")
        }
        WithdrawalCause::Recorded(brief, seat) => {
            Some(sentence(brief, seat)?).filter(|why| !why.is_empty()).unwrap_or_else(|| "withdrawn".to_owned())
        }
    })
}
