//! The report of a match, as text and JSON.

use arena_core::stats::SprtVerdict;
use arena_core::text::{counted, shown};
use arena_run::session::{MatchEvaluation, Repeats};
use arena_store::report::{
    BIASED, MatchFigures, MatchSummary, REPORT_FILE, Results, TIME_OVER, TextPage, accepted, add_incidents,
    expected_json, met_by_first, rounded, score_line, statements, verdict_word, verdict_words, warnings,
};
use serde_json::{Value, json};

use crate::cli::run::play_games::SessionResults;

/// The withdrawn bots, if the match has no verdict because of them.
pub(super) fn withdrawn(results: &Results<'_>, evaluation: &MatchEvaluation) -> Option<String> {
    let names: Vec<String> = results.withdrawn().map(|(name, _)| shown(name)).collect();
    (!names.is_empty() && evaluation.verdict == SprtVerdict::Undecided).then(|| names.join(" and "))
}

/// Whether another run may still decide the match: games are missing, and not because its time is over.
fn is_unfinished(results: &Results<'_>) -> bool {
    !results.progress().is_complete() && !results.is_out_of_time()
}

/// What there is to say of the match, for all outputs.
pub(super) fn summary<'a>(
    names: &'a [String; 2],
    evaluation: &MatchEvaluation,
    results: &Results<'_>,
) -> MatchSummary<'a> {
    let names = names.each_ref().map(String::as_str);
    let met = met_by_first(results);
    let withdrawn = withdrawn(results, evaluation);
    let undecided = match evaluation.repeats {
        _ if withdrawn.is_some() => "no verdict".to_owned(),
        _ if is_unfinished(results) => "stopped before a decision; run the same command to resume".to_owned(),
        Some(repeats) => format!("inconclusive: {}", repeats.sentence(evaluation.pairs)),
        None if results.is_out_of_time() => format!("inconclusive: {TIME_OVER}; run the same command to go on"),
        None => "inconclusive".to_owned(),
    };
    let shown_names = names.map(shown);
    let is_over = withdrawn.is_none() && !is_unfinished(results);
    let words = evaluation.sprt.filter(|_| is_over);
    MatchSummary {
        names,
        games: met.map(|met| met.games.total()).unwrap_or_default(),
        figures: MatchFigures {
            counts: evaluation.counts(),
            split: Some(evaluation.split),
            duel: met.and_then(|met| met.duel),
        },
        test: evaluation.sprt.map(|sprt| (sprt, accepted(&sprt, evaluation.verdict).unwrap_or(undecided))),
        words: words.map(|sprt| verdict_words(&sprt, evaluation.verdict, shown_names.each_ref().map(String::as_str))),
    }
}

/// Faults, warnings and conclusions, and the figures of the match at the end.
pub(super) fn report(
    summary: &MatchSummary<'_>,
    SessionResults { session, policy: evaluation, results, written }: &SessionResults<'_, MatchEvaluation>,
) -> TextPage {
    let mut page = TextPage::default();
    let dir = session.dir();
    add_incidents(&mut page, results, &dir);
    page.lines(statements(results.ranking(), results.rounds_played()));
    page.gap();
    if *written {
        page.file("report: ", &dir.join(REPORT_FILE), "  tables: *.csv");
    }
    page.gap();
    let withdrawn = withdrawn(results, evaluation);
    let games = summary.games.games();
    let mut lines = vec![score_line(summary.names, Some(summary.games), summary.games.score(), games)];
    lines.extend(summary.figures.lines());
    if evaluation.repeated > 0 {
        let repeated = counted(evaluation.repeated, "pair");
        lines.push(format!("{repeated} repeated earlier ones move for move: not counted in pairs and nElo."));
    }
    if !results.progress().is_complete() && withdrawn.is_none() && 2 * (evaluation.pairs as u64) < games {
        let (pairs, games) = (counted(evaluation.pairs, "pair"), counted(games as usize, "game"));
        lines.push(format!(
            "Pairs, nElo and tests cover the first {pairs}, up to the first missing game; all else covers {games}."
        ));
    }
    if let Some((sprt, state)) = &summary.test {
        lines.extend(summary.words.clone());
        lines.push(summary.figures.test_line(sprt, state));
        lines.extend((evaluation.verdict != SprtVerdict::Undecided).then(|| BIASED.to_owned()));
        let beyond = session.scheduler().beyond();
        if beyond > 0 {
            lines.push(format!(
                "{} beyond the end of the test: in the journal, but not counted.",
                counted(beyond, "game")
            ));
        }
    }
    if let Some(names) = withdrawn {
        lines.push(format!("No verdict: {names} withdrawn. Elo and pairs cover the games played."));
    }
    page.lines(lines);
    page
}

pub(super) fn match_json(summary: &MatchSummary<'_>, evaluation: &MatchEvaluation, results: &Results<'_>) -> Value {
    let MatchSummary { names, games, figures, words, .. } = summary;
    let verdict = verdict_word(results, evaluation.verdict);
    let mut json = json!({
        "a": names[0],
        "b": names[1],
        "games": games.games(),
        "wins": games.wins,
        "draws": games.draws,
        "losses": games.losses,
        "score": games.score().map(rounded),
        "pairs": evaluation.counts,
        "won_and_lost": evaluation.split,
        "repeated_pairs": evaluation.repeated,
        "withdrawn": results.withdrawn().map(|(name, _)| name).collect::<Vec<_>>(),
        "warnings": warnings(results),
        "ended_by": evaluation.repeats.map(Repeats::word),
        "sprt": evaluation.sprt.map(|sprt| figures.test_json(&sprt, verdict, words.as_deref())),
        "expected_games": evaluation.sprt.as_ref().map(expected_json),
        "tournament": results.event().name,
    });
    if let Some(json) = json.as_object_mut() {
        json.extend(figures.json());
    }
    json
}
