//! What `arena analyze` has found about the games of a tournament by now.

use arena_core::analysis::{
    AnalysedGame, AnalysisTable, Asked, Entry, GuessedGame, Line, RegretTable, SharedPositions, is_guessed, solver_name,
};
use arena_core::event::GameId;
use arena_core::rules::Variant;
use arena_core::schedule::{Brief, Planned};
use arena_core::stats::Duplicates;

use crate::report::{AnalysisReport, Results, counted_games};

/// The bots against best play, from all games that are analysed; `None` if none is.
///
/// # Errors
///
/// Returns an error if the journal or its analyses cannot be read.
pub(crate) fn analysed(results: &Results<'_>) -> anyhow::Result<Option<AnalysisReport>> {
    let analyses = results.analyses()?;
    let variant = results.event().variant().ok().filter(|_| !analyses.is_empty());
    let Some(variant) = variant else { return Ok(None) };
    let solver = solver_name(&variant).unwrap_or_default();
    let mut table = AnalysisTable::new(results.event().bots.len());
    let mut regrets = RegretTable::new(results.event().bots.len());
    // First all are compared with each other: one that contradicts another is not used either.
    let mut shared = SharedPositions::default();
    let mut ids: Vec<GameId> = Vec::new();
    for (game, brief) in results.schedule.played() {
        let Some((line, entry)) = entry_of(results, &variant, &game, &brief)? else { continue };
        if let Some(other) = shared.add(&variant, &line, &entry, ids.len()) {
            analyses.refuse([ids[other], brief.id]);
        }
        ids.push(brief.id);
    }
    let (mut games, mut done) = (0, 0);
    let mut duplicates = Duplicates::default();
    let rows = counted_games(results.schedule, &mut duplicates);
    for ((game, brief), (_, row)) in results.schedule.played().zip(rows) {
        games += 1;
        let Some((line, entry)) = entry_of(results, &variant, &game, &brief)? else { continue };
        if entry.serves(&solver, &line, Asked { only_result: true, nodes: 0 }) {
            done += 1;
            let (bots, cluster, line) = (game.bots, row.cluster, &line);
            if is_guessed(&variant) {
                regrets.add(&GuessedGame { bots, cluster, line, costs: &entry.guesses() });
            } else {
                let (id, opening, found) = (&brief.id.to_string(), row.opening, &entry.values());
                table.add(&AnalysedGame { id, bots, cluster, opening, line, found });
            }
        }
    }
    let rows = table.rows().into_iter().map(|row| (results.name(row.bot).to_owned(), row)).collect();
    let regrets = regrets.rows().into_iter().map(|row| (results.name(row.bot).to_owned(), row)).collect();
    let tournament = results.event().name.clone();
    let report = AnalysisReport { tournament, game: variant.to_string(), games, analysed: done, rows, regrets };
    Ok((done > 0).then_some(report))
}

/// A game of the journal with its entry, if it has one that is not refused.
fn entry_of(
    results: &Results<'_>,
    variant: &Variant,
    game: &Planned,
    brief: &Brief,
) -> anyhow::Result<Option<(Line, Entry)>> {
    let analyses = results.analyses()?;
    if brief.bytes == 0 || !analyses.has(brief.id) {
        return Ok(None);
    }
    let Ok(line) = Line::of(&results.record(game, brief)?, variant) else { return Ok(None) };
    Ok(analyses.checked(brief.id, &line, variant).map(|entry| (line, entry)))
}
