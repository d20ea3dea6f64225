//! The result of a match's sequential test, from the pairs in its tables.

use arena_core::stats::{HeadToHead, MatchCounts, SprtVerdict};
use arena_core::text::shown;
use serde::Serialize;

use super::match_figures::llr_text;
use super::verdict::verdict_words;
use crate::report::Results;
use crate::report::cells::rounded;

/// The words for a test without a verdict: games are missing, or a withdrawal has ended it.
pub(crate) const UNFINISHED: &str = "unfinished";
pub(crate) const WITHDRAWN: &str = "withdrawn";

/// Why a test is undecided whose budget of time is over.
pub const TIME_OVER: &str = "the time is over";

/// The state of a test.
#[derive(Debug, Serialize)]
pub(crate) struct TestResult {
    /// `None` where a game is missing before others: only those before the first missing one count.
    pub(crate) llr: Option<f64>,
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    pub(crate) verdict: &'static str,
    /// What the test shows, in words, once it is over.
    pub(crate) words: Option<String>,
    /// Whether a hypothesis is accepted.
    #[serde(skip)]
    pub(crate) is_decided: bool,
    /// Which one, or why the test is undecided.
    #[serde(skip)]
    pub(crate) state: String,
}

impl TestResult {
    /// Returns `None` if the tournament is not a match with a test.
    pub(crate) fn of(results: &Results<'_>) -> Option<Self> {
        let test = results.event().sprt.as_ref()?;
        let sprt = test.sprt()?;
        let [lower, upper] = sprt.bounds().map(rounded);
        let counts = MatchCounts::Pairs(met_by_first(results).map(|met| met.pairs).unwrap_or_default());
        let is_over = results.progress.is_complete() || results.is_out_of_time() && has_no_gap(results);
        let llr = is_over.then(|| rounded(sprt.llr(&counts)));
        // Pairs with an unplayed game are not the ones that led to a decision.
        let is_whole = is_over && results.schedule.tried().all(|(_, brief)| brief.is_rated());
        let verdict = if is_whole { sprt.verdict(&counts) } else { SprtVerdict::Undecided };
        let is_decided = verdict != SprtVerdict::Undecided;
        let word = verdict_word(results, verdict);
        let bots = results.event().bots.iter().map(|entry| shown(&entry.id.name)).collect::<Vec<_>>();
        let bots = bots.first().zip(bots.get(1)).filter(|_| !matches!(word, UNFINISHED | WITHDRAWN));
        let words = bots.map(|(a, b)| verdict_words(&sprt, verdict, [a, b]));
        let ended_by = if results.is_out_of_time() {
            Some(TIME_OVER)
        } else {
            // It had more rounds to play.
            (is_whole && results.schedule.is_cut()).then_some("the bots only repeated earlier games")
        };
        let state = match ended_by {
            _ if is_decided => format!("{word} accepted"),
            Some(why) => format!("{word}: {why}"),
            None => word.to_owned(),
        };
        Some(Self { llr, lower, upper, verdict: word, words, is_decided, state })
    }
}

/// Whether no game is missing before one that was played.
fn has_no_gap(results: &Results<'_>) -> bool {
    (0..).zip(results.schedule.tried()).all(|(place, (game, brief))| game.place == place && brief.is_settled())
}

/// The word for a verdict in files; for an undecided test, the reason.
pub fn verdict_word(results: &Results<'_>, verdict: SprtVerdict) -> &'static str {
    match verdict {
        SprtVerdict::Undecided if !results.progress.is_complete() && !results.is_out_of_time() => UNFINISHED,
        // The match did not run out of rounds.
        SprtVerdict::Undecided if results.withdrawn().next().is_some() => WITHDRAWN,
        verdict => verdict.word(),
    }
}

/// All games that count between the two bots of a match, as seen from the first one.
pub fn met_by_first(results: &Results<'_>) -> Option<HeadToHead> {
    let row = results.ranking.head_to_head().next()?;
    Some(if row.a == 0 { row } else { row.reversed() })
}

/// A sentence with the state of a match's test; `None` if there is no test. What it shows is in [`TestResult::words`].
pub(crate) fn test_sentence(results: &Results<'_>) -> Option<String> {
    let test = results.event().sprt.as_ref()?;
    let TestResult { llr, lower, upper, state, .. } = TestResult::of(results)?;
    let llr = llr.map_or_else(String::new, |llr| format!(" {},", llr_text(llr, [lower, upper])));
    Some(format!("SPRT {}, elo0 {}, elo1 {}:{llr} {}.", test.model, test.elo0, test.elo1, state))
}
