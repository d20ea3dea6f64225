//! What an engine says of a position before it moves, in its `info` lines.

use std::fmt::Write as _;

/// Moves of a line that the engine expects, in a comment.
const EXPECTED_MAX: usize = 8;

/// What the engine says of a position before it moves.
#[derive(Debug, Default)]
pub(super) struct Opinion {
    pub(super) eval: Option<f64>,
    pub(super) comment: Option<String>,
}

impl Opinion {
    /// Reads the words after `info`; those without a score of the best line say nothing new.
    pub(super) fn note(&mut self, info: &[&str]) {
        let after = |word: &str| info.iter().position(|found| *found == word).map(|at| &info[at + 1..]);
        let number = |word: &str| after(word).and_then(|rest| rest.first()?.parse::<i64>().ok());
        let is_other_line = number("multipv").is_some_and(|line| line > 1);
        let Some(&[kind, score, ..]) = after("score").filter(|_| !is_other_line) else { return };
        let Ok(score) = score.parse::<i64>() else { return };
        let (eval, written) = match kind {
            "cp" => (expected(score), format!("{:+.2}", score as f64 / 100.0)),
            "mate" => (if score > 0 { 1.0 } else { -1.0 }, format!("mate in {score}")),
            _ => return,
        };
        let shares = after("wdl").and_then(|shares| {
            let [win, _, loss] =
                shares.get(..3)?.iter().map(|share| share.parse().ok()).collect::<Option<Vec<i64>>>()?[..]
            else {
                return None;
            };
            Some((win - loss) as f64 / 1_000.0)
        });
        self.eval = Some(shares.unwrap_or(eval)).filter(|eval| (-1.0..=1.0).contains(eval));
        let mut comment = number("depth").map_or_else(String::new, |depth| format!("depth {depth}, "));
        comment.push_str(&written);
        if let Some(line) = after("pv") {
            let _ = write!(comment, ": {}", line[..line.len().min(EXPECTED_MAX)].join(" "));
        }
        self.comment = Some(comment);
    }
}

/// What an advantage in hundredths of a pawn is worth, from -1 to 1: four pawns are ten wins to one loss.
/// <https://www.chessprogramming.org/Pawn_Advantage,_Win_Percentage,_and_Elo>
fn expected(centipawns: i64) -> f64 {
    2.0 / (1.0 + 10_f64.powf(-(centipawns as f64) / 400.0)) - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opinion(info: &str) -> (Option<f64>, Option<String>) {
        let mut opinion = Opinion::default();
        opinion.note(&info.split_whitespace().collect::<Vec<_>>());
        (opinion.eval, opinion.comment)
    }

    #[test]
    fn a_score_becomes_an_eval_and_a_comment() {
        let (eval, comment) = opinion("depth 12 seldepth 20 multipv 1 score cp -35 nodes 9 nps 1 pv e7e5 g1f3");
        assert_eq!(comment.unwrap(), "depth 12, -0.35: e7e5 g1f3");
        assert!((eval.unwrap() - expected(-35)).abs() < 1e-12 && eval.unwrap() < 0.0);
        assert_eq!(opinion("score mate -3"), (Some(-1.0), Some("mate in -3".to_owned())));
        assert_eq!(opinion("depth 3 score cp 10 wdl 500 300 200").0, Some(0.3));
        assert_eq!(opinion("score cp 10 wdl 5000 0 0").0, None);
        for silent in
            ["", "depth 3", "score", "score cp", "score cp x", "score tb 3", "multipv 2 score cp 3", "string score"]
        {
            assert_eq!(opinion(silent), (None, None), "{silent}");
        }
    }

    /// Four pawns are ten wins to one loss.
    #[test]
    fn the_worth_of_pawns_is_as_published() {
        assert!((expected(400) - 9.0 / 11.0).abs() < 1e-12);
        assert!(expected(0).abs() < 1e-12 && (expected(i64::MAX) - 1.0).abs() < 1e-12);
    }
}
