//! What there is to say of one bot: for its part of the report, and as text to mail to its author.

use std::collections::VecDeque;
use std::fmt::Write as _;

use arena_core::event::GameId;
use arena_core::stats::Tally;
use arena_core::text::{counted, millis, shell_word, shown};
use arena_show::views::RankedBot;
use arena_sys::flags::NAME;

use super::headline::met;
use super::markdown::{markdown_code, markdown_text};
use crate::report::cells::{elo_and_margin, elo_with_margin, percent, wins_draws_losses};
use crate::report::facts::settling::Step;
use crate::report::words::faults::{FaultRow, fault_rows};
use crate::report::words::reproduce::game_flag;
use crate::report::{Conducts, Results};

/// Opponents that are named for each side.
const OPPONENTS_MAX: usize = 3;
/// Difference between a score and the expected one from which on an opponent is named.
const NOTABLE: f64 = 0.05;
/// Games that are listed.
const LOSSES_MAX: usize = 5;
/// Ratings over rounds that are shown.
const STEPS_MAX: usize = 6;

/// A bot's part.
#[derive(Debug)]
pub(crate) struct BotPage {
    pub(crate) bot: usize,
    pub(crate) name: String,
    /// Labels and what they say.
    pub(crate) facts: Vec<(&'static str, String)>,
    /// Its faults, each kind with its cure.
    pub(crate) faults: Vec<FaultRow>,
    /// Its last lost games, the newest first, and who won.
    pub(crate) losses: Vec<(GameId, String)>,
}

/// The parts of the bots for which `wanted` is true of their place in the standings, from 0, and their number.
pub(crate) fn bot_pages(
    results: &Results<'_>,
    conducts: &Conducts,
    wanted: impl Fn(usize, usize) -> bool,
) -> Vec<BotPage> {
    let mut losses = last_losses(results);
    let mut faults = fault_rows(results);
    let rows = results.ranking.bots().zip(results.ranking.meetings(usize::MAX)).enumerate();
    rows.filter(|(place, (row, _))| wanted(*place, row.bot))
        .map(|(_, (row, (_, cells)))| BotPage {
            bot: row.bot,
            name: row.name.clone(),
            facts: facts(results, conducts, &row, &cells),
            faults: faults.extract_if(.., |fault| fault.bot == row.bot).collect(),
            losses: std::mem::take(&mut losses[row.bot]).into(),
        })
        .collect()
}

/// A bot's part as Markdown; `None` if no bot of this name takes part.
///
/// # Errors
///
/// Returns an error if the journal cannot be read.
pub fn bot_markdown(results: &Results<'_>, name: &str) -> anyhow::Result<Option<String>> {
    let pages = bot_pages(results, results.conducts()?, |_, bot| results.name(bot) == name);
    Ok(pages.first().map(|page| markdown(results, page)))
}

fn markdown(results: &Results<'_>, page: &BotPage) -> String {
    let title = markdown_text(&format!("{} in {}", page.name, shown(&results.event().name)));
    let mut text = format!("## {title}\n\n");
    let options = results.ranking.options_in_words().map(|options| ("Numbers", options));
    let faults = page.faults.iter().map(|fault| ("Fault", fault_text(fault)));
    for (label, fact) in page.facts.iter().cloned().chain(options).chain(faults) {
        let _ = writeln!(text, "- {label}: {}", markdown_text(&fact));
    }
    if !page.losses.is_empty() {
        text.push_str("\nLast lost games:\n\n");
    }
    for (id, winner) in &page.losses {
        let command = markdown_code(&replay(results, *id));
        let _ = writeln!(text, "- against {}: {command}", markdown_text(winner));
    }
    text
}

/// The command that shows a game.
pub(crate) fn replay(results: &Results<'_>, id: GameId) -> String {
    let name = shown(&shell_word(&results.event().name));
    format!("arena replay {} {NAME} {name}{}", id.short(), shown(&game_flag(results)))
}

/// `3 games with timeout; what happened first; the cure`.
pub(crate) fn fault_text(row: &FaultRow) -> String {
    let games = counted(row.games[0] as usize, "game");
    let cure = row.advice.as_ref().map(|advice| format!("{}: {}", advice.what, advice.cure));
    let parts = [Some(row.happened.clone()).filter(|text| !text.is_empty()), cure];
    let all = [Some(format!("{games} with {}", row.status))].into_iter().chain(parts).flatten();
    all.collect::<Vec<_>>().join("; ")
}

fn facts(
    results: &Results<'_>,
    conducts: &Conducts,
    row: &RankedBot<'_>,
    cells: &[Option<Tally>],
) -> Vec<(&'static str, String)> {
    let games = row.standing.games;
    let total = row.total;
    let (score, played) = (percent(total.score()), counted(total.games() as usize, "game"));
    let mut all = vec![
        ("Rank", format!("{}, {} Elo", row.rank(), elo_with_margin(row.elo().as_ref()))),
        ("Score", format!("{score} of {played} ({})", wins_draws_losses(total))),
    ];
    if results.ranking.has_seats {
        let [first, second] = [games.as_first, games.as_second].map(|seat| percent(seat.score()));
        all.push(("Seats", format!("first {first}, second {second}")));
    }
    all.extend(over_rounds(results, row.bot).map(|elo| ("Elo over rounds", elo)));
    let against = opponents(results, row.bot, cells);
    for (label, sign) in [("Better than its rating against", 1.0), ("Worse than its rating against", -1.0)] {
        let mut named: Vec<_> = against.iter().filter(|(gain, _)| gain * sign > NOTABLE).collect();
        named.sort_by(|(x, _), (y, _)| (y * sign).total_cmp(&(x * sign)));
        let named: Vec<&str> = named.iter().take(OPPONENTS_MAX).map(|(_, text)| text.as_str()).collect();
        all.extend((!named.is_empty()).then(|| (label, named.join("; "))));
    }
    let conduct = &conducts.bots[row.bot];
    if let Some([_, p50, _, p99, max]) = conduct.times.summary().filter(|_| results.with_times) {
        let [p50, p99, max] = [p50, p99, max].map(millis);
        all.push(("Time", format!("p50 {p50}, p99 {p99}, slowest {max} ms; limit {}", results.event().clock)));
    }
    if conduct.surplus_lines > 0 {
        all.push(("Stray lines", format!("{}: lines that answered nothing", conduct.surplus_lines)));
    }
    if !conduct.denied.is_empty() {
        all.push(("Denied calls", format!("{}: refused by the sandbox", conduct.denied)));
    }
    all
}

/// For each opponent what it scored above the expected score, and that in words.
fn opponents(results: &Results<'_>, bot: usize, cells: &[Option<Tally>]) -> Vec<(f64, String)> {
    let ranking = &results.ranking;
    let met = met(ranking, cells).into_iter().filter_map(|(other, tally)| {
        let (score, expected) = (tally.score()?, ranking.analysis.ratings.expected(bot, other)?);
        let text = format!("{} {} ({} expected)", ranking.name(other), percent(Some(score)), percent(Some(expected)));
        Some((score - expected, text))
    });
    met.collect()
}

/// Its rating after a few numbers of rounds; `None` if it is not known how that settled.
fn over_rounds(results: &Results<'_>, bot: usize) -> Option<String> {
    let settling = results.settling().filter(|settling| settling.is_of_several())?;
    let place = settling.bots.iter().position(|known| *known == bot)?;
    let every = settling.steps.len().div_ceil(STEPS_MAX);
    let text = |step: &Step| format!("{} after {}", elo_and_margin(step.elo[place].as_ref()).0, step.rounds);
    let mut steps: Vec<String> = settling.steps.iter().rev().step_by(every).map(text).collect();
    steps.reverse();
    Some(steps.join(", "))
}

/// For each bot the last games that it lost, the newest first.
fn last_losses(results: &Results<'_>) -> Vec<VecDeque<(GameId, String)>> {
    let mut losses = vec![VecDeque::new(); results.event().bots.len()];
    for (game, brief) in results.schedule.played().filter(|(_, brief)| brief.bytes > 0) {
        let Some(winner) = brief.result.winner() else { continue };
        let [winner, loser] = [winner, winner.other()].map(|seat| game.bots[seat.index()]);
        let own: &mut VecDeque<_> = &mut losses[loser];
        own.push_front((brief.id, winner));
        own.truncate(LOSSES_MAX);
    }
    let named =
        |own: VecDeque<(GameId, usize)>| own.into_iter().map(|(id, bot)| (id, results.ranking.name(bot))).collect();
    losses.into_iter().map(named).collect()
}
