//! Standings, crosstable, warnings and conclusions as plain text for a terminal.

use std::path::Path;

use console::measure_text_width;

use super::sprt::test_sentence;
use super::{Ranking, Results, cells, fault_paragraphs, statements, warnings};
use crate::stats::{RankBy, Rating, Tally};
use crate::text::{shown, signed};

/// Maximum width of a line of a crosstable.
const LINE_WIDTH_MAX: usize = 110;
/// Maximum number of bots in a crosstable that is shown; a larger one is unreadable.
const CROSSTABLE_BOTS_MAX: usize = 15;

/// The text shown when a tournament ends or stops: standings, crosstable, faults, warnings and conclusions. `dir` is
/// the results folder, named if a file contains more than is shown.
#[must_use]
pub fn summary_text(results: &Results<'_>, dir: &Path) -> String {
    let mut sentences: Vec<String> = test_sentence(results).into_iter().collect();
    sentences.extend(fault_paragraphs(results, dir));
    sentences.extend(warnings(results));
    ranking_text(&results.ranking, dir, results.rounds_played(), &sentences)
}

/// Standings, crosstable, `sentences` and conclusions. `rounds` is the number of rounds played; `None` for games that
/// were not played in rounds.
#[must_use]
pub fn ranking_text(ranking: &Ranking, dir: &Path, rounds: Option<f64>, sentences: &[String]) -> String {
    let mut parts = vec![standings_text(ranking)];
    let bots = ranking.analysis.standings.len();
    if bots > 1 {
        parts.push(crosstable_text(ranking).unwrap_or_else(|| {
            let file = shown(&dir.join("crosstable.csv").to_string_lossy());
            format!("The crosstable of {bots} bots is in {file}.\n")
        }));
    }
    let mut sentences = sentences.to_vec();
    sentences.extend(statements(ranking, rounds));
    if !sentences.is_empty() {
        parts.push(sentences.join("\n") + "\n");
    }
    parts.join("\n")
}

/// The standings, best first, every line ended by a newline. Ranks are ranges if the ratings allow several, unless
/// points determine the ranks and contradict the ratings. `LOS` is the probability of being stronger than the next bot.
#[must_use]
pub fn standings_text(ranking: &Ranking) -> String {
    let analysis = &ranking.analysis;
    let nash = ranking.nash();
    let grouped = analysis.ratings.groups() > 1;
    let mut header = vec!["Rank", "Name", "Elo", "±95%", "Games", "W-D-L", "Points", "Score"];
    header.extend(["LOS", "First", "Second", "Faults"]);
    header.extend(grouped.then_some("Group"));
    let davidson = analysis.davidson.as_ref();
    header.extend(davidson.map(|_| "Davidson"));
    header.extend(nash.map(|_| "Nash"));
    let mut rows = vec![header.into_iter().map(str::to_owned).collect::<Vec<_>>()];
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
        rows.push(cells);
    }
    aligned(&rows)
}

/// A rating and its 95 % margin. If one end is unbounded, only the other one is shown: `>120`.
fn elo_and_margin(rating: &Rating) -> (String, String) {
    let elo = rating.elo;
    match (elo.lo.is_finite(), elo.hi.is_finite()) {
        (true, true) => (signed(elo.elo), format!("{:.1}", elo.half_width())),
        (true, false) => (format!(">{}", signed(elo.lo)), String::new()),
        (false, true) => (format!("<{}", signed(elo.hi)), String::new()),
        (false, false) => ("?".to_owned(), String::new()),
    }
}

/// The crosstable in the order of the standings, with columns numbered as in chess: wins, draws and losses of the row
/// against the column, or points if those are too wide. `None` if there are too many bots.
#[must_use]
pub fn crosstable_text(ranking: &Ranking) -> Option<String> {
    if ranking.analysis.standings.len() > CROSSTABLE_BOTS_MAX {
        return None;
    }
    let wide = ("Wins-draws-losses of the row against the column:", crosstable(ranking, wins_draws_losses));
    let narrow =
        ("Points of the row against the column:", crosstable(ranking, |tally| cells::halves(tally.half_points())));
    let (title, table) = [wide, narrow]
        .into_iter()
        .find(|(_, table)| table.lines().all(|line| measure_text_width(line) <= LINE_WIDTH_MAX))?;
    Some(format!("{title}\n{table}"))
}

fn crosstable(ranking: &Ranking, cell: fn(Tally) -> String) -> String {
    let mut rows = vec![vec!["#".to_owned(), "Name".to_owned()]];
    // Places instead of ranks, because a shared rank would label two columns alike.
    rows[0].extend((1..=ranking.analysis.standings.len()).map(|place| place.to_string()));
    for (index, (bot, mut cells)) in ranking.crosstable("-", cell).enumerate() {
        "*".clone_into(&mut cells[index]);
        rows.push([(index + 1).to_string(), ranking.name(bot)].into_iter().chain(cells).collect());
    }
    aligned(&rows)
}

fn wins_draws_losses(tally: Tally) -> String {
    format!("{}-{}-{}", tally.wins, tally.draws, tally.losses)
}

/// Aligns columns to the right, two spaces apart, except the second, which contains names. All rows have the same
/// length.
fn aligned(rows: &[Vec<String>]) -> String {
    const NAMES: usize = 1;
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| measure_text_width(&row[column])).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            let space = " ".repeat(width - measure_text_width(cell));
            if column == NAMES { format!("{cell}{space}") } else { format!("{space}{cell}") }
        });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
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

    #[test]
    fn columns_are_aligned_by_display_width() {
        let table = [["1", "囲碁", "7"], ["2", "naïve e\u{301}", "12"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(aligned(&table), "1  囲碁      7\n2  naïve e\u{301}  12\n");
    }
}
