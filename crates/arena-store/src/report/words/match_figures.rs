//! The figures of a match, as lines and JSON. They are the same for a match played here and for given counts.

use arena_core::stats::{Duel, Estimate, ExpectedGames, MatchCounts, Sprt, Tally};
use arena_core::text::{grouped, percent, signed};
use serde_json::{Map, Value, json};

use crate::report::cells::{json_number, rounded};

/// The results of a match, from the side of its first bot.
#[derive(Debug, Clone, Copy)]
pub struct MatchFigures {
    /// The outcomes that count as evidence, up to the first missing game.
    pub counts: MatchCounts,
    /// Number of pairs with a win and a loss, if known.
    pub split: Option<u64>,
    /// The difference in Elo, from all games.
    pub duel: Option<Duel>,
}

impl MatchFigures {
    /// Elo, nElo and pairs, a line each.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let elo = self.duel.map(|duel| format!("Elo   {}, LOS {} %", with_margin(&duel.elo), percent(duel.los)));
        let nelo = self.counts.normalized_elo().map(|normalized| format!("nElo  {}", with_margin(&normalized)));
        elo.into_iter().chain(nelo).chain(self.pairs()).collect()
    }

    /// Pairs by what they gave, and their ratio.
    pub(crate) fn pairs(&self) -> Option<String> {
        let MatchCounts::Pairs([ll, ld, tied, wd, ww]) = self.counts else { return None };
        let ratio = self.counts.pair_ratio().map_or_else(String::new, |ratio| format!(", pair ratio {ratio:.2}"));
        let tied = match self.split {
            Some(wl) => format!("DD {}, WL {wl}", tied - wl),
            None => format!("DD or WL {tied}"),
        };
        Some(format!("Pairs LL {ll}, LD {ld}, {tied}, WD {wd}, WW {ww}{ratio}"))
    }

    /// The same figures as JSON.
    #[must_use]
    pub fn json(&self) -> Map<String, Value> {
        let number = |value: f64| json_number(value, 6);
        let estimate = |of: Estimate| json!({ "elo": number(of.elo), "lo": number(of.lo), "hi": number(of.hi) });
        let json = json!({
            "logistic": self.duel.map(|duel| estimate(duel.elo)),
            "los": self.duel.map(|duel| rounded(duel.los)),
            "normalized": self.counts.normalized_elo().map(estimate),
            "pair_ratio": self.counts.pair_ratio().map(number),
        });
        if let Value::Object(map) = json { map } else { Map::new() }
    }

    /// The state of a test: `SPRT  LLR 1.00 (-2.94, 2.94), …`, with `state` at its end.
    #[must_use]
    pub fn test_line(&self, sprt: &Sprt, state: &str) -> String {
        format!("SPRT  {}, {state}", llr_text(sprt.llr(&self.counts), sprt.bounds()))
    }

    /// The state of a test as JSON, with a word for its verdict and what that says, if it has one.
    pub fn test_json(&self, sprt: &Sprt, word: &str, words: Option<&str>) -> Value {
        let [lower, upper] = sprt.bounds().map(rounded);
        json!({
            "llr": rounded(sprt.llr(&self.counts)), "lower": lower, "upper": upper, "verdict": word, "words": words,
        })
    }
}

/// `Score of a vs b: +77 =14 -85  [0.477] 176`: wins, draws and losses of the first bot if they are known, its score, and
/// the number of games. `arena sprt` reads it.
pub fn score_line([a, b]: [&str; 2], tally: Option<Tally>, score: Option<f64>, games: u64) -> String {
    let tally = tally.map_or_else(String::new, |tally| format!(" {tally} "));
    let score = score.map_or_else(|| "-".to_owned(), |score| format!("{score:.3}"));
    format!("Score of {a} vs {b}:{tally} [{score}] {games}")
}

/// A log-likelihood ratio and the bounds at which the test decides: `LLR 1.00 (-2.94, 2.94)`; never `-0.00`.
#[must_use]
pub fn llr_text(llr: f64, [lower, upper]: [f64; 2]) -> String {
    let llr = format!("{llr:.2}");
    let llr = if llr == "-0.00" { "0.00" } else { &llr };
    format!("LLR {llr} ({lower:.2}, {upper:.2})")
}

/// An estimate with the half width of its interval: `+12.3 ± 4.5`.
#[must_use]
pub fn with_margin(estimate: &Estimate) -> String {
    match (estimate.lo.is_finite(), estimate.hi.is_finite()) {
        (true, true) => format!("{} ± {:.1}", signed(estimate.elo), estimate.half_width()),
        (true, false) => format!("above {}", signed(estimate.lo)),
        (false, true) => format!("below {}", signed(estimate.hi)),
        (false, false) => "unknown".to_owned(),
    }
}

/// The expected number of games of a test, as text.
#[must_use]
pub fn expected_text(sprt: &Sprt) -> String {
    let ExpectedGames { at_elo0, at_elo1, between } = sprt.expected_games();
    let [at_elo0, at_elo1, between] = [at_elo0, at_elo1, between].map(|games| grouped(games.round() as u64));
    format!("expected: {at_elo0} games if elo0 is true, {at_elo1} if elo1 is, {between} in between")
}

/// The expected number of games of a test, as JSON.
#[must_use]
pub fn expected_json(sprt: &Sprt) -> Value {
    let ExpectedGames { at_elo0, at_elo1, between } = sprt.expected_games();
    json!({ "elo0": at_elo0.round() as u64, "elo1": at_elo1.round() as u64, "between": between.round() as u64 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_has_no_sign() {
        let texts = [-0.004, 0.0, -0.006].map(|llr| llr_text(llr, [-2.944, 2.944]));
        assert_eq!(texts, ["LLR 0.00 (-2.94, 2.94)", "LLR 0.00 (-2.94, 2.94)", "LLR -0.01 (-2.94, 2.94)"]);
    }
}
