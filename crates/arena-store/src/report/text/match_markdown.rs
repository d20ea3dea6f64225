//! A match as Markdown, for the summary of a CI job.

use std::fmt::Write as _;

use arena_core::stats::{Sprt, SprtVerdict, Tally};
use arena_core::text::{counted, grouped, shown};

use super::markdown::markdown_text;
use crate::report::cells::percent;
use crate::report::words::faults::fault_rows;
use crate::report::words::match_figures::{MatchFigures, llr_text, with_margin};
use crate::report::words::verdict::sentence;
use crate::report::{BIASED, Results, warnings};

/// What there is to say of a match.
#[derive(Debug)]
pub struct MatchSummary<'a> {
    /// The two bots.
    pub names: [&'a str; 2],
    /// All games that count.
    pub games: Tally,
    /// Their difference, and the evidence for it.
    pub figures: MatchFigures,
    /// The test, and which hypothesis it accepted or why none.
    pub test: Option<(Sprt, String)>,
    /// What the test shows, if it says something.
    pub words: Option<String>,
}

/// The match as a heading with the verdict, a table of figures, and what to know of them.
#[must_use]
pub fn match_markdown(of: &MatchSummary<'_>, results: &Results<'_>) -> String {
    let [a, b] = of.names.map(shown);
    let score = format!("{a} scored {} against {b}.", percent(of.games.score()));
    let title = of.words.as_deref().map_or(score, sentence);
    let mut text = format!("### {}\n\n|  |  |\n| --- | --- |\n", markdown_text(&title));
    let mut row = |label: &str, cell: &str| {
        let _ = writeln!(text, "| {label} | {} |", markdown_text(cell));
    };
    if let Some((sprt, state)) = &of.test {
        row("Test", state);
        row("LLR", llr_text(sprt.llr(&of.figures.counts), sprt.bounds()).trim_start_matches("LLR "));
    }
    if let Some(duel) = of.figures.duel {
        row("Elo of the difference", &format!("{} (95 %), LOS {:.1} %", with_margin(&duel.elo), duel.los * 100.0));
    }
    let games = grouped(of.games.games());
    row("Games", &format!("{games}: {}, score {}", of.games, percent(of.games.score())));
    if let Some(pairs) = of.figures.pairs() {
        row("Pairs", pairs.trim_start_matches("Pairs "));
    }
    let faults = fault_rows(results);
    for fault in &faults {
        let name = results.ranking.name(fault.bot);
        let happened = if fault.happened.is_empty() { String::new() } else { format!("; {}", fault.happened) };
        let games = counted(fault.games[0] as usize, "game");
        row("Fault", &format!("{name}: {games} with {}{happened}", fault.status));
    }
    if faults.is_empty() {
        row("Faults", "none");
    }
    let event = results.event();
    let played = format!("{}, {}, seed {}", shown(&event.label), event.clock, event.seed);
    let is_decided = |(sprt, _): &(Sprt, String)| sprt.verdict(&of.figures.counts) != SprtVerdict::Undecided;
    let biased = of.test.as_ref().is_some_and(is_decided).then(|| BIASED.to_owned());
    text.push('\n');
    for line in [played].into_iter().chain(biased).chain(warnings(results)) {
        let _ = writeln!(text, "- {}", markdown_text(&line));
    }
    text
}
