//! The report of a tournament for a terminal: crosstable, faults, warnings, conclusions and standings.

use std::path::Path;

use super::columns::Table;
use super::page::{Page, Tone};
use super::sprt::test_sentence;
use super::{Ranking, Results, cells, fault_commands, fault_lines, machine_lines, statements, warnings};
use crate::stats::{RankBy, Rating, Tally};
use crate::text::{shown, signed};

/// Maximum number of bots in a crosstable that is shown; a larger one is unreadable.
const CROSSTABLE_BOTS_MAX: usize = 15;

/// The page for the end of a run: crosstable, faults, warnings, conclusions, `footer`, and the standings at the end.
/// `dir` is the results folder; the page names it if a file contains more than is shown.
#[must_use]
pub fn summary_page(results: &Results<'_>, dir: &Path, footer: Option<&str>) -> Page {
    let mut sentences = Page::default();
    sentences.lines(test_sentence(results));
    add_incidents(&mut sentences, results, dir);
    ranking_page(&results.ranking, dir, results.rounds_played(), sentences, footer)
}

/// Adds faults and warnings.
pub fn add_incidents(page: &mut Page, results: &Results<'_>, dir: &Path) {
    for line in fault_lines(results) {
        page.short_line(Tone::Fault, line);
    }
    page.lines(machine_lines(results));
    for (label, command) in fault_commands(results, dir) {
        page.command(label, &command);
    }
    for warning in warnings(results) {
        page.line(Tone::Warning, warning);
    }
}

/// Crosstable, `sentences`, conclusions, `footer`, and the standings at the end. `rounds` is the number of rounds played;
/// `None` for games that were not played in rounds.
#[must_use]
pub fn ranking_page(ranking: &Ranking, dir: &Path, rounds: Option<f64>, sentences: Page, footer: Option<&str>) -> Page {
    let file = |name: &str| shown(&dir.join(name).to_string_lossy());
    let mut page = Page::default();
    let bots = ranking.analysis.standings.len();
    if bots > 1 {
        let tables = if bots <= CROSSTABLE_BOTS_MAX { crosstables(ranking) } else { Vec::new() };
        page.either(tables, format!("The crosstable of {bots} bots is in {}.", file("crosstable.csv")));
    }
    page.gap();
    page.append(sentences);
    page.lines(statements(ranking, rounds));
    page.gap();
    page.lines(footer.map(str::to_owned));
    page.gap();
    page.table(standings_table(ranking), file("standings.csv"));
    page
}

/// The standings, best first, as plain text.
#[must_use]
pub fn standings_text(ranking: &Ranking) -> String {
    standings_table(ranking).text(None, "")
}

/// The standings, best first. Ranks are ranges if the ratings allow several, unless points determine the ranks and
/// contradict the ratings. `LOS` is the probability of being stronger than the next bot.
fn standings_table(ranking: &Ranking) -> Table {
    let analysis = &ranking.analysis;
    let nash = ranking.nash();
    let grouped = analysis.ratings.groups() > 1;
    let davidson = analysis.davidson.as_ref();
    let mut table = Table::new().column("Rank").names("Name").column("Elo").column("±95%").less_important("Games", 3);
    table = table.column("W-D-L").less_important("Points", 4).column("Score").less_important("LOS", 2);
    table = table.less_important("First", 5).less_important("Second", 5).less_important("Faults", 1);
    let more = [grouped.then_some("Group"), davidson.map(|_| "Davidson"), nash.map(|_| "Nash")];
    table = more.into_iter().flatten().fold(table, Table::column);
    let ranges = analysis.ratings.rank_ranges();
    let by_elo = analysis.rank_by == RankBy::Elo;
    for (place, row) in analysis.standings.iter().enumerate() {
        let total = row.games.total();
        let rating = analysis.ratings.of(row.bot);
        let (elo, margin) = rating.map_or_else(|| ("-".to_owned(), String::new()), elo_and_margin);
        let rank = match ranges.get(row.bot).and_then(Option::as_ref) {
            Some(range) if range.start() < range.end() && (by_elo || !grouped && range.contains(&row.rank)) => {
                format!("{}–{}", range.start(), range.end())
            }
            _ => row.rank.to_string(),
        };
        let mut cells = vec![
            rank,
            ranking.name(row.bot),
            elo,
            margin,
            total.games().to_string(),
            wins_draws_losses(total),
            cells::halves(total.half_points()),
            cells::percent(total.score()),
            analysis.los_against_next(place).map_or_else(String::new, |los| cells::percent(Some(los))),
            cells::percent(row.games.as_first.score()),
            cells::percent(row.games.as_second.score()),
            row.forfeits.to_string(),
        ];
        cells.extend(grouped.then(|| rating.map_or_else(String::new, |rating| (rating.group + 1).to_string())));
        cells.extend(davidson.map(|fit| fit.of(row.bot).map_or_else(String::new, |of| signed(of.scaled_elo))));
        cells.extend(nash.map(|shares| cells::percent(shares.get(row.bot).map(|share| share.weight))));
        table.row(cells);
    }
    table
}

/// A rating and its 95 % margin. If it is unbounded on one side, only the other bound is shown: `>120`.
fn elo_and_margin(rating: &Rating) -> (String, String) {
    let elo = rating.elo;
    match (elo.lo.is_finite(), elo.hi.is_finite()) {
        (true, true) => (signed(elo.elo), format!("{:.1}", elo.half_width())),
        (true, false) => (format!(">{}", signed(elo.lo)), String::new()),
        (false, true) => (format!("<{}", signed(elo.hi)), String::new()),
        (false, false) => ("?".to_owned(), String::new()),
    }
}

/// Two crosstables in the order of the standings, with columns numbered as in chess. The first has wins, draws and losses
/// of the row against the column; the narrower second one has points.
fn crosstables(ranking: &Ranking) -> Vec<(&'static str, Table)> {
    let points = |tally: Tally| cells::halves(tally.half_points());
    vec![
        ("Wins-draws-losses of the row against the column:", crosstable(ranking, wins_draws_losses)),
        ("Points of the row against the column:", crosstable(ranking, points)),
    ]
}

fn crosstable(ranking: &Ranking, cell: fn(Tally) -> String) -> Table {
    // Places instead of ranks, because a shared rank would label two columns alike.
    let places = 1..=ranking.analysis.standings.len();
    let mut table = places.fold(Table::new().column("#").names("Name"), |table, place| table.column(place.to_string()));
    for (index, (bot, mut cells)) in ranking.crosstable("-", cell).enumerate() {
        "*".clone_into(&mut cells[index]);
        table.row([(index + 1).to_string(), ranking.name(bot)].into_iter().chain(cells).collect());
    }
    table
}

fn wins_draws_losses(tally: Tally) -> String {
    format!("{}-{}-{}", tally.wins, tally.draws, tally.losses)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::GameResult;
    use crate::rules::Seat;
    use crate::stats::{Analysis, AnalysisOptions, CountsBuilder};

    #[test]
    fn ranks_are_those_of_one_ranking() {
        // The strong bots have played few games and so have few points.
        let names = ["mid", "weak", "weak2", "strong", "strong2"];
        let mut counts = CountsBuilder::new(names.len());
        for (other, wins, games) in [(1, 60, 200), (2, 62, 200), (3, 18, 20), (4, 17, 20)] {
            for game in 0..games {
                let winner = if game < wins { Seat::First } else { Seat::Second };
                counts.add(other, 0, GameResult::of(Some(winner)), None);
            }
        }
        let counts = counts.finish();
        let ranks = |rank_by| {
            let options = AnalysisOptions { rank_by: Some(rank_by), ..AnalysisOptions::default() };
            let names = names.map(|name| name.as_bytes().to_vec()).to_vec();
            let table = standings_text(&Ranking::new(names, Analysis::new(counts.clone(), None, &[], &options), 0));
            let cells = |row: &str| row.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
            table.lines().skip(1).map(cells).collect::<Vec<_>>().join(", ")
        };
        assert_eq!(ranks(RankBy::Elo), "1–2 strong, 1–2 strong2, 3 mid, 4–5 weak2, 4–5 weak");
        assert_eq!(ranks(RankBy::Points), "1 mid, 2 weak2, 3 weak, 4 strong, 5 strong2");
    }
}
