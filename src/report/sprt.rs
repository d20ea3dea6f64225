//! What the test of a match has decided, by the pairs that its tables have.

use serde::Serialize;

use super::{Results, summary};
use crate::stats::{MatchCounts, Model, Sprt, SprtVerdict};

/// A test as far as the games have come.
#[derive(Debug, Serialize)]
pub(super) struct TestResult {
    /// `None` as long as games are missing: only those before the first missing one count.
    llr: Option<f64>,
    lower: f64,
    upper: f64,
    verdict: &'static str,
}

impl TestResult {
    /// `None` if the tournament is no match with a test.
    pub(super) fn of(results: &Results<'_>) -> Option<Self> {
        let test = results.event().sprt.as_ref()?;
        let sprt = Sprt::new(Model::named(&test.model)?, [test.elo0, test.elo1], test.alpha, test.beta).ok()?;
        let [lower, upper] = sprt.bounds().map(|bound| summary::rounded(bound, 1e6));
        if !results.counts().is_complete() {
            return Some(Self { llr: None, lower, upper, verdict: "unfinished" });
        }
        let met = results.ranking().head_to_head().next();
        let met = met.map(|met| if met.a == 0 { met } else { met.reversed() });
        let counts = MatchCounts::Pairs(met.map(|met| met.pairs).unwrap_or_default());
        let llr = Some(summary::rounded(sprt.llr(&counts), 1e6));
        let verdict = match sprt.verdict(&counts) {
            // It did not run out of rounds.
            SprtVerdict::Undecided if results.withdrawn().next().is_some() => "withdrawn",
            verdict => verdict.word(),
        };
        Some(Self { llr, lower, upper, verdict })
    }
}

/// The test of a match and what it has decided; `None` without one.
pub(super) fn test_sentence(results: &Results<'_>) -> Option<String> {
    let (test, TestResult { llr, lower, upper, verdict }) = (results.event().sprt.as_ref()?, TestResult::of(results)?);
    let llr = llr.map_or_else(String::new, |llr| format!(" LLR {llr:.2} ({lower:.2}, {upper:.2}),"));
    Some(format!("SPRT {}, elo0 {}, elo1 {}:{llr} {verdict}.", test.model, test.elo0, test.elo1))
}
