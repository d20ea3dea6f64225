//! The report of a match, as text and JSON.

use serde_json::json;

use crate::report::{
    Results, fault_paragraphs, json_number, llr_text, met_by_first, rounded, statements, verdict_word, warnings,
    with_margin,
};
use crate::session::{Session, Trial};
use crate::stats::{Estimate, SprtModel, SprtVerdict, Tally};
use crate::text::{counted, shown};

/// The withdrawn bots, if they are why the match has no verdict.
pub(super) fn withdrawn(results: &Results<'_>, trial: &Trial) -> Option<String> {
    let names: Vec<String> = results.withdrawn().map(|(name, _)| shown(name)).collect();
    (!names.is_empty() && trial.verdict == SprtVerdict::Undecided).then(|| names.join(" and "))
}

pub(super) fn report([a, b]: &[String; 2], trial: &Trial, results: &Results<'_>, session: &Session) -> String {
    let counts = trial.counts();
    let withdrawn = withdrawn(results, trial);
    // Another run may still decide.
    let unfinished = !results.progress.is_complete();
    let met = met_by_first(results);
    let all = met.map(|met| met.games.total()).unwrap_or_default();
    let (Tally { wins, draws, losses }, games) = (all, all.games());
    let score = all.score().map_or_else(|| "-".to_owned(), |score| format!("{score:.3}"));
    let mut lines = vec![format!("Score of {a} vs {b}: {wins} - {losses} - {draws}  [{score}] {games}")];
    if let Some(duel) = met.and_then(|met| met.duel) {
        lines.push(format!("Elo   {}, LOS {:.1} %", with_margin(&duel.elo), duel.los * 100.0));
    }
    lines.extend(counts.normalized_elo().map(|normalized| format!("nElo  {}", with_margin(&normalized))));
    let ratio = counts.pair_ratio().map_or_else(String::new, |ratio| format!(", pair ratio {ratio:.2}"));
    let [ll, ld, dd, wd, ww] = trial.counts;
    let (wl, dd) = (trial.split, dd - trial.split);
    lines.push(format!("Pairs LL {ll}, LD {ld}, DD {dd}, WL {wl}, WD {wd}, WW {ww}{ratio}"));
    if trial.repeated > 0 {
        let repeated = counted(trial.repeated, "pair");
        lines.push(format!(
            "{repeated} repeated earlier ones move for move, which is no evidence: left out of pairs and nElo."
        ));
    }
    if unfinished && withdrawn.is_none() && 2 * (trial.pairs as u64) < games {
        let (pairs, games) = (counted(trial.pairs, "pair"), counted(games as usize, "game"));
        lines.push(format!(
            "Pairs, nElo and tests are of the first {pairs}, up to the first game that is missing; all else is of {games}."
        ));
    }
    if let (Some(sprt), Some(test)) = (trial.sprt, &results.event().sprt) {
        let unit = if sprt.model() == SprtModel::Normalized { "nElo" } else { "Elo" };
        let verdict = match trial.verdict {
            SprtVerdict::H1 => &format!("H1 accepted: {a} is more than {} {unit} (elo0) stronger than {b}", test.elo0),
            SprtVerdict::H0 => &format!("H0 accepted: {a} is not {} {unit} (elo1) stronger than {b}", test.elo1),
            SprtVerdict::Undecided if withdrawn.is_some() => "no verdict",
            SprtVerdict::Undecided if unfinished => "stopped before a decision; run the same command to resume",
            SprtVerdict::Undecided => "inconclusive",
        };
        lines.push(format!("SPRT  {}, {verdict}", llr_text(sprt.llr(&counts), sprt.bounds())));
        if trial.verdict != SprtVerdict::Undecided {
            let biased =
                "A test stops when the results look best: the Elo after it is biased in the direction of the verdict.";
            lines.push(biased.to_owned());
        }
        let beyond = session.scheduler().others();
        if beyond > 0 && withdrawn.is_none() {
            lines.push(format!("{} beyond the decision: in the journal, counted nowhere.", counted(beyond, "game")));
        }
    }
    if let Some(names) = withdrawn {
        lines.push(format!("No verdict: {names} withdrawn. Elo and pairs are of the games that were played."));
    }
    lines.push(String::new());
    lines.extend(fault_paragraphs(results, &session.dir()));
    lines.extend(warnings(results));
    lines.extend(statements(&results.ranking, results.rounds_played()));
    lines.join("\n")
}

pub(super) fn json_text(names: &[String; 2], trial: &Trial, results: &Results<'_>) -> String {
    let counts = trial.counts();
    let met = met_by_first(results);
    let (all, duel) = (met.map(|met| met.games.total()).unwrap_or_default(), met.and_then(|met| met.duel));
    let bound = |value: f64| json_number(value, 6);
    let estimate =
        |estimate: Estimate| json!({ "elo": bound(estimate.elo), "lo": bound(estimate.lo), "hi": bound(estimate.hi) });
    let verdict = verdict_word(results, trial.verdict);
    let sprt = trial.sprt.map(|sprt| {
        let [lower, upper] = sprt.bounds();
        json!({ "llr": rounded(sprt.llr(&counts)), "lower": rounded(lower), "upper": rounded(upper), "verdict": verdict })
    });
    let json = json!({
        "a": names[0],
        "b": names[1],
        "games": all.games(),
        "wins": all.wins,
        "draws": all.draws,
        "losses": all.losses,
        "score": all.score().map(rounded),
        "pairs": trial.counts,
        "won_and_lost": trial.split,
        "repeated_pairs": trial.repeated,
        "withdrawn": results.withdrawn().map(|(name, _)| name).collect::<Vec<_>>(),
        "logistic": duel.map(|duel| estimate(duel.elo)),
        "los": duel.map(|duel| rounded(duel.los)),
        "normalized": counts.normalized_elo().map(estimate),
        "pair_ratio": counts.pair_ratio().map(bound),
        "sprt": sprt,
        "tournament": results.event().name,
    });
    crate::text::json(&serde_json::to_string_pretty(&json).unwrap_or_default()).into_owned()
}
