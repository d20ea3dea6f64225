//! The report of a tournament for a terminal: crosstable, faults, warnings, conclusions and standings.

use std::path::Path;

use arena_core::stats::Tally;
use arena_core::text::{shown, signed};
use arena_show::views::{RankedBot, Ranking, Table, capital};

use super::headline::Headline;
use super::page::{TextPage, Tone};
use crate::report::cells::{elo_and_margin, wins_draws_losses};
use crate::report::tables::rounds::shown_matches;
use crate::report::words::sprt::test_sentence;
use crate::report::{REPORT_FILE, Results, cells, fault_commands, fault_lines, machine_lines, statements, warnings};

/// Maximum number of bots in a crosstable that is shown; a larger one is unreadable.
const CROSSTABLE_BOTS_MAX: usize = 15;

/// Sentences above the standings at most; the report has all.
const SENTENCES_MAX: usize = 5;

/// The page for the end of a run: crosstable, faults, warnings, headline, conclusions, `footer`, and the standings at the
/// end. `dir` is the results folder; the page names it if a file contains more than is shown.
///
/// # Errors
///
/// Returns an error if the journal cannot be read.
pub fn summary_page(results: &Results<'_>, dir: &Path, footer: TextPage) -> anyhow::Result<TextPage> {
    let Headline { facts, verdict, sentences, games, .. } = Headline::of(results, results.conducts()?);
    let mut page = TextPage::default();
    page.line(Tone::Plain, facts);
    page.lines(verdict.into_iter().chain(test_sentence(results)));
    add_incidents(&mut page, results, dir);
    let mut all = sentences;
    all.extend(statements(&results.ranking, results.rounds_played()));
    if all.len() > SENTENCES_MAX {
        let more = all.split_off(SENTENCES_MAX - 1).len();
        all.push(format!("{more} more remarks are in {}.", shown(&dir.join(REPORT_FILE).to_string_lossy())));
    }
    page.lines(all);
    let games: Vec<String> = games.iter().map(|game| format!("{} ({})", game.id.short(), game.what)).collect();
    page.lines((!games.is_empty()).then(|| format!("Worth seeing: {}.", games.join("; "))));
    Ok(ranking_page(&results.ranking, dir, page, footer))
}

/// Adds faults and warnings.
pub fn add_incidents(page: &mut TextPage, results: &Results<'_>, dir: &Path) {
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

/// Crosstable, `sentences`, `footer`, and the standings at the end.
#[must_use]
pub fn ranking_page(ranking: &Ranking, dir: &Path, sentences: TextPage, footer: TextPage) -> TextPage {
    let file = |name: &str| shown(&dir.join(name).to_string_lossy());
    let mut page = TextPage::default();
    let bots = ranking.analysis.standings.len();
    if bots > 1 {
        let tables = if bots <= CROSSTABLE_BOTS_MAX { crosstables(ranking) } else { Vec::new() };
        page.either(tables, format!("The crosstable of {bots} bots is in {}.", file("crosstable.csv")));
    }
    if let Some((title, table)) = shown_matches(ranking) {
        page.gap();
        page.either(vec![(title, table)], format!("The matches are in {}.", file("rounds.csv")));
    }
    page.gap();
    page.append(sentences);
    page.gap();
    page.append(footer);
    page.gap();
    page.lines(ranking.options_in_words());
    page.table(standings_table(ranking), file("standings.csv"));
    page
}

/// A column of the standings: its head, when it is dropped where there is no room, and its cell.
type StandingsColumn = (&'static str, u8, fn(&RankedBot<'_>) -> String);

/// The standings, best first. `LOS` is the probability of being stronger than the next bot.
pub(crate) fn standings_table(ranking: &Ranking) -> Table {
    let analysis = &ranking.analysis;
    let always: [StandingsColumn; 10] = [
        ("Elo", 0, |bot| elo_and_margin(bot.elo().as_ref()).0),
        ("±95%", 0, |bot| elo_and_margin(bot.elo().as_ref()).1),
        ("Games", 3, |bot| bot.total.games().to_string()),
        ("W-D-L", 0, |bot| wins_draws_losses(bot.total)),
        ("Points", 4, |bot| cells::halves(bot.total.half_points())),
        ("Score", 0, |bot| cells::percent(bot.total.score())),
        ("LOS", 2, |bot| bot.los.map_or_else(String::new, |los| cells::percent(Some(los)))),
        ("First", 5, |bot| cells::percent(bot.standing.games.as_first.score())),
        ("Second", 5, |bot| cells::percent(bot.standing.games.as_second.score())),
        ("Faults", 1, |bot| bot.standing.forfeits.to_string()),
    ];
    let requested: [(bool, StandingsColumn); 3] = [
        (analysis.ratings.groups() > 1, ("Group", 0, |bot| bot.group().map_or_else(String::new, |it| it.to_string()))),
        (analysis.davidson.is_some(), ("Davidson", 0, |bot| bot.davidson_elo.map_or_else(String::new, signed))),
        (ranking.nash().is_some(), ("Nash", 0, |bot| cells::percent(bot.nash))),
    ];
    let of_format: Option<StandingsColumn> = ranking
        .shown_column()
        .map(|(title, _)| (title, 0, (|bot: &RankedBot<'_>| bot.of_format.unwrap_or_default().to_owned()) as _));
    let requested = requested.into_iter().filter(|(is_wanted, _)| *is_wanted).map(|(_, column)| column);
    let columns: Vec<StandingsColumn> = of_format.into_iter().chain(always).chain(requested).collect();
    let table = Table::new().column("Rank").names("Name");
    let seats = ranking.seat_names.map(|names| names.map(capital));
    let head = |head: &str| match (head, &seats) {
        ("First", Some([first, _])) => first.clone(),
        ("Second", Some([_, second])) => second.clone(),
        _ => head.to_owned(),
    };
    let mut table = columns.iter().fold(table, |table, (title, drop, _)| table.less_important(head(title), *drop));
    for bot in ranking.bots() {
        let cells = columns.iter().map(|(.., cell)| cell(&bot));
        table.row([bot.rank(), bot.name.clone()].into_iter().chain(cells).collect());
    }
    table
}

/// Two crosstables in the order of the standings, with columns numbered as in chess. The first has wins, draws and losses
/// of the row against the column; the narrower second one has points.
fn crosstables(ranking: &Ranking) -> Vec<(&'static str, Table)> {
    vec![
        ("Wins-draws-losses of the row against the column:", crosstable(ranking, wins_draws_losses)),
        ("Points of the row against the column:", points_crosstable(ranking)),
    ]
}

/// The crosstable of points.
pub(crate) fn points_crosstable(ranking: &Ranking) -> Table {
    crosstable(ranking, |tally| cells::halves(tally.half_points()))
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

#[cfg(test)]
mod tests {
    use arena_core::format::FormatColumn;
    use arena_core::record::GameResult;
    use arena_core::rules::Seat;
    use arena_core::stats::{Analysis, AnalysisOptions, CountsBuilder, RankBy};

    use super::*;

    #[test]
    fn a_format_shows_by_what_it_ranks() {
        static POINTS: FormatColumn = FormatColumn { name: "swiss_points", means: "", title: Some("Swiss") };
        let names = ["a", "b"].map(|name| name.as_bytes().to_vec()).to_vec();
        let analysis = Analysis::new(CountsBuilder::new(2).finish(), None, &[0; 2], &AnalysisOptions::default());
        let mut ranking = Ranking::new(names, analysis, 0);
        ranking.sheet = Some(arena_core::format::Sheet {
            columns: vec![(&POINTS, vec!["1.5".into(), "0.5".into()])],
            ..Default::default()
        });
        let table = standings_table(&ranking).text(None, "");
        let cells = table.lines().map(|row| row.split_whitespace().take(3).collect::<Vec<_>>().join(" "));
        assert_eq!(cells.collect::<Vec<_>>(), ["Rank Name Swiss", "1–2 a 1.5", "1–2 b 0.5"]);
        assert!(crate::report::standings_markdown(&ranking, &[]).starts_with("| Rank | Name | Swiss |"));
    }

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
            let ranking = Ranking::new(names, Analysis::new(counts.clone(), None, &[], &options), 0);
            let table = standings_table(&ranking).text(None, "");
            let cells = |row: &str| row.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
            table.lines().skip(1).map(cells).collect::<Vec<_>>().join(", ")
        };
        assert_eq!(ranks(RankBy::Elo), "1–2 strong, 1–2 strong2, 3 mid, 4–5 weak2, 4–5 weak");
        assert_eq!(ranks(RankBy::Points), "1 mid, 2 weak2, 3 weak, 4 strong, 5 strong2");
    }
}
