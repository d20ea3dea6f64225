//! The report of a match, as text and JSON.

use serde_json::{Value, json};

use crate::cli::play_games::SessionResults;
use crate::report::{
    BIASED, MatchFigures, REPORT_FILE, Results, TIME_OVER, TextPage, accepted, add_incidents, expected_json,
    met_by_first, rounded, score_line, statements, verdict_word, verdict_words, warnings,
};
use crate::session::{MatchTrial, Repeats};
use crate::stats::{Sprt, SprtVerdict};
use crate::text::{counted, shown};

/// The withdrawn bots, if the match has no verdict because of them.
pub(super) fn withdrawn(results: &Results<'_>, trial: &MatchTrial) -> Option<String> {
    let names: Vec<String> = results.withdrawn().map(|(name, _)| shown(name)).collect();
    (!names.is_empty() && trial.verdict == SprtVerdict::Undecided).then(|| names.join(" and "))
}

/// Faults, warnings and conclusions, and the figures of the match at the end.
pub(super) fn report(
    [a, b]: &[String; 2],
    SessionResults { session, policy: trial, results, written }: &SessionResults<'_, MatchTrial>,
) -> TextPage {
    let mut page = TextPage::default();
    let dir = session.dir();
    add_incidents(&mut page, results, &dir);
    page.lines(statements(&results.ranking, results.rounds_played()));
    page.gap();
    if *written {
        page.file("report: ", &dir.join(REPORT_FILE), "  tables: *.csv");
    }
    page.gap();
    let withdrawn = withdrawn(results, trial);
    let is_out_of_time = results.is_out_of_time();
    // Another run may still decide.
    let unfinished = !results.progress.is_complete() && !is_out_of_time;
    let met = met_by_first(results);
    let all = met.map(|met| met.games.total()).unwrap_or_default();
    let games = all.games();
    let mut lines = vec![score_line([a, b], Some(all), all.score(), games)];
    let figures = figures(trial, results);
    lines.extend(figures.lines());
    if trial.repeated > 0 {
        let repeated = counted(trial.repeated, "pair");
        lines.push(format!("{repeated} repeated earlier ones move for move: not counted in pairs and nElo."));
    }
    if (unfinished || is_out_of_time) && withdrawn.is_none() && 2 * (trial.pairs as u64) < games {
        let (pairs, games) = (counted(trial.pairs, "pair"), counted(games as usize, "game"));
        lines.push(format!(
            "Pairs, nElo and tests cover the first {pairs}, up to the first missing game; all else covers {games}."
        ));
    }
    if let Some(sprt) = trial.sprt {
        let accepted = accepted(&sprt, trial.verdict);
        let undecided = match trial.repeats {
            _ if withdrawn.is_some() => "no verdict".to_owned(),
            _ if unfinished => "stopped before a decision; run the same command to resume".to_owned(),
            Some(repeats) => format!("inconclusive: {}", repeats.sentence(trial.pairs)),
            None if is_out_of_time => format!("inconclusive: {TIME_OVER}; run the same command to go on"),
            None => "inconclusive".to_owned(),
        };
        lines.extend((withdrawn.is_none() && !unfinished).then(|| verdict_words(&sprt, trial.verdict, [a, b])));
        lines.push(figures.test_line(&sprt, accepted.as_ref().unwrap_or(&undecided)));
        lines.extend(accepted.map(|_| BIASED.to_owned()));
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

fn figures(trial: &MatchTrial, results: &Results<'_>) -> MatchFigures {
    let duel = met_by_first(results).and_then(|met| met.duel);
    MatchFigures { counts: trial.counts(), split: Some(trial.split), duel }
}

pub(super) fn match_json(names: &[String; 2], trial: &MatchTrial, results: &Results<'_>) -> Value {
    let all = met_by_first(results).map(|met| met.games.total()).unwrap_or_default();
    let figures = figures(trial, results);
    let verdict = verdict_word(results, trial.verdict);
    let is_over = results.progress.is_complete() || results.is_out_of_time();
    let is_said = is_over && withdrawn(results, trial).is_none();
    let names_shown = names.each_ref().map(|name| shown(name));
    let words =
        |sprt: &Sprt| is_said.then(|| verdict_words(sprt, trial.verdict, names_shown.each_ref().map(|name| &**name)));
    let mut json = json!({
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
        "warnings": warnings(results),
        "ended_by": trial.repeats.map(Repeats::word),
        "sprt": trial.sprt.map(|sprt| figures.test_json(&sprt, verdict, words(&sprt).as_deref())),
        "expected_games": trial.sprt.as_ref().map(expected_json),
        "tournament": results.event().name,
    });
    if let Some(json) = json.as_object_mut() {
        json.extend(figures.json());
    }
    json
}
