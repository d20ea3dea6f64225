//! The verdict of a sequential test in plain words, in one place for all outputs.

use arena_core::stats::{Sprt, SprtModel, SprtVerdict};

/// A note for every decided test.
pub const BIASED: &str =
    "A test stops when the results look best: the Elo after it is biased in the direction of the verdict.";

/// What a test shows: `head is not weaker than base by 20 Elo or more`.
///
/// Nothing more is said than what has the error rates of the test: where elo1 is accepted, that the difference is above elo0;
/// where elo0 is accepted, that it is below elo1.
#[must_use]
pub fn verdict_words(sprt: &Sprt, verdict: SprtVerdict, [a, b]: [&str; 2]) -> String {
    let [below, above] = claims(sprt, b);
    match verdict {
        SprtVerdict::H1 => format!("{a} {above}"),
        SprtVerdict::H0 => format!("{a} {below}"),
        SprtVerdict::Undecided => format!("it is not shown that {a} {above}, nor that it {below}"),
    }
}

/// What accepting elo0 and elo1 says of a bot compared with `b`.
fn claims(sprt: &Sprt, b: &str) -> [String; 2] {
    let unit = if sprt.model() == SprtModel::Normalized { "nElo" } else { "Elo" };
    let [elo0, elo1] = sprt.hypotheses();
    let below = match elo1 {
        0.0 => format!("is weaker than {b}"),
        elo1 if elo1 > 0.0 => format!("is not stronger than {b} by {elo1} {unit} or more"),
        elo1 => format!("is weaker than {b} by more than {} {unit}", -elo1),
    };
    let above = match elo0 {
        0.0 => format!("is stronger than {b}"),
        elo0 if elo0 > 0.0 => format!("is stronger than {b} by more than {elo0} {unit}"),
        elo0 => format!("is not weaker than {b} by {} {unit} or more", -elo0),
    };
    [below, above]
}

/// These words as a sentence. The name of a bot begins as it is written.
pub(crate) fn sentence(words: &str) -> String {
    let words = words.strip_prefix("it is").map_or_else(|| words.to_owned(), |rest| format!("It is{rest}"));
    format!("{words}.")
}

/// Which hypothesis is accepted, with both of them: `H1 accepted: elo0 -20, elo1 0, logistic`; `None` if none is.
#[must_use]
pub fn accepted(sprt: &Sprt, verdict: SprtVerdict) -> Option<String> {
    // Zero has no sign.
    let [elo0, elo1] = sprt.hypotheses().map(|elo| elo + 0.0);
    let is_decided = verdict != SprtVerdict::Undecided;
    is_decided.then(|| format!("{} accepted: elo0 {elo0}, elo1 {elo1}, {}", verdict.word(), sprt.model().name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_says_what_was_refuted_and_no_more() {
        let all = [[0.0, 20.0], [-20.0, 0.0], [-1.75, 50.0], [5.0, 10.0], [-10.0, -5.0]].map(|elo| {
            let sprt = Sprt::new(SprtModel::Logistic, elo, 0.05, 0.05).unwrap();
            let words = |verdict| verdict_words(&sprt, verdict, ["head", "base"]);
            let lines = [SprtVerdict::H0, SprtVerdict::H1, SprtVerdict::Undecided].map(words);
            format!("{elo:?}\n  {}", lines.join("\n  "))
        });
        insta::assert_snapshot!(all.join("\n"), @"
        [0.0, 20.0]
          head is not stronger than base by 20 Elo or more
          head is stronger than base
          it is not shown that head is stronger than base, nor that it is not stronger than base by 20 Elo or more
        [-20.0, 0.0]
          head is weaker than base
          head is not weaker than base by 20 Elo or more
          it is not shown that head is not weaker than base by 20 Elo or more, nor that it is weaker than base
        [-1.75, 50.0]
          head is not stronger than base by 50 Elo or more
          head is not weaker than base by 1.75 Elo or more
          it is not shown that head is not weaker than base by 1.75 Elo or more, nor that it is not stronger than base by 50 Elo or more
        [5.0, 10.0]
          head is not stronger than base by 10 Elo or more
          head is stronger than base by more than 5 Elo
          it is not shown that head is stronger than base by more than 5 Elo, nor that it is not stronger than base by 10 Elo or more
        [-10.0, -5.0]
          head is weaker than base by more than 5 Elo
          head is not weaker than base by 10 Elo or more
          it is not shown that head is not weaker than base by 10 Elo or more, nor that it is weaker than base by more than 5 Elo
        ");
    }

    #[test]
    fn a_verdict_names_its_unit_and_hypotheses() {
        let sprt = Sprt::new(SprtModel::Normalized, [-0.0, 2.5], 0.05, 0.05).unwrap();
        let [h0, h1] = [SprtVerdict::H0, SprtVerdict::H1]
            .map(|verdict| (verdict_words(&sprt, verdict, ["a", "b"]), accepted(&sprt, verdict).unwrap()));
        assert_eq!(h0.0, "a is not stronger than b by 2.5 nElo or more");
        assert_eq!(h1.0, "a is stronger than b");
        assert_eq!(h0.1, "H0 accepted: elo0 0, elo1 2.5, normalized");
        assert_eq!(accepted(&sprt, SprtVerdict::Undecided), None);
    }
}
