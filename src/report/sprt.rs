//! The result of a match's sequential test, from the pairs in its tables.

use serde::Serialize;

use super::Results;
use super::cells::rounded;
use crate::stats::{Estimate, HeadToHead, MatchCounts, SprtVerdict};
use crate::text::signed;

/// The state of a test.
#[derive(Debug, Serialize)]
pub(super) struct TestResult {
    /// `None` while games are missing: only those before the first missing one count.
    llr: Option<f64>,
    lower: f64,
    upper: f64,
    verdict: &'static str,
}

impl TestResult {
    /// Returns `None` if the tournament is not a match with a test.
    pub(super) fn of(results: &Results<'_>) -> Option<Self> {
        let test = results.event().sprt.as_ref()?;
        let sprt = test.sprt()?;
        let [lower, upper] = sprt.bounds().map(rounded);
        let counts = MatchCounts::Pairs(met_by_first(results).map(|met| met.pairs).unwrap_or_default());
        let is_complete = results.progress.is_complete();
        let llr = is_complete.then(|| rounded(sprt.llr(&counts)));
        // If a game among them was not played, they are not the pairs that led to a decision.
        let is_whole = is_complete && results.schedule.tried().all(|(_, brief)| brief.is_rated());
        let verdict = if is_whole { sprt.verdict(&counts) } else { SprtVerdict::Undecided };
        Some(Self { llr, lower, upper, verdict: verdict_word(results, verdict) })
    }
}

/// A log-likelihood ratio and the bounds at which the test decides: `LLR 1.00 (-2.94, 2.94)`; never `-0.00`.
pub(crate) fn llr_text(llr: f64, [lower, upper]: [f64; 2]) -> String {
    let llr = format!("{llr:.2}");
    let llr = if llr == "-0.00" { "0.00" } else { &llr };
    format!("LLR {llr} ({lower:.2}, {upper:.2})")
}

/// An estimate with the half width of its interval: `+12.3 ± 4.5`.
pub(crate) fn with_margin(estimate: &Estimate) -> String {
    match (estimate.lo.is_finite(), estimate.hi.is_finite()) {
        (true, true) => format!("{} ± {:.1}", signed(estimate.elo), (estimate.hi - estimate.lo) / 2.0),
        (true, false) => format!("above {}", signed(estimate.lo)),
        (false, true) => format!("below {}", signed(estimate.hi)),
        (false, false) => "unknown".to_owned(),
    }
}

/// The word for a verdict in files; for an undecided test, the reason.
pub(crate) fn verdict_word(results: &Results<'_>, verdict: SprtVerdict) -> &'static str {
    match verdict {
        SprtVerdict::Undecided if !results.progress.is_complete() => "unfinished",
        // The match did not run out of rounds.
        SprtVerdict::Undecided if results.withdrawn().next().is_some() => "withdrawn",
        verdict => verdict.word(),
    }
}

/// All games that count between the two bots of a match, as seen from the first one.
pub(crate) fn met_by_first(results: &Results<'_>) -> Option<HeadToHead> {
    let row = results.ranking.head_to_head().next()?;
    Some(if row.a == 0 { row } else { row.reversed() })
}

/// A sentence with the result of a match's test; `None` if there is no test.
pub(super) fn test_sentence(results: &Results<'_>) -> Option<String> {
    let (test, TestResult { llr, lower, upper, verdict }) = (results.event().sprt.as_ref()?, TestResult::of(results)?);
    let llr = llr.map_or_else(String::new, |llr| format!(" {},", llr_text(llr, [lower, upper])));
    Some(format!("SPRT {}, elo0 {}, elo1 {}:{llr} {verdict}.", test.model, test.elo0, test.elo1))
}

#[cfg(test)]
mod tests {
    use super::llr_text;

    #[test]
    fn zero_has_no_sign() {
        let texts = [-0.004, 0.0, -0.006].map(|llr| llr_text(llr, [-2.944, 2.944]));
        assert_eq!(texts, ["LLR 0.00 (-2.94, 2.94)", "LLR 0.00 (-2.94, 2.94)", "LLR -0.01 (-2.94, 2.94)"]);
    }
}
