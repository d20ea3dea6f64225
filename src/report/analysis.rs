//! Bots against best play: `analysis.csv`, the table for a terminal, and JSON.

use std::io::Write;

use serde_json::{Value, json};

use super::cells::{self, CsvColumn};
use super::page::{TextPage, Tone};
use crate::analysis::AnalysisRow;
use crate::text::{cell, counted, shown};
use crate::views::Table;

/// What the games of a tournament say about its bots.
#[derive(Debug)]
pub struct AnalysisReport {
    /// The tournament.
    pub tournament: String,
    /// Its game, or games.
    pub game: String,
    /// Games that were asked for.
    pub games: usize,
    /// Games that are analysed.
    pub analysed: usize,
    /// Names and rows of the bots, the best first.
    pub rows: Vec<(String, AnalysisRow)>,
}

/// A row with the name of its bot.
type NamedRow = (String, AnalysisRow);

/// Every column: counts, and other numbers with four decimals; empty where they are not known.
const COLUMNS: [CsvColumn<NamedRow>; 25] = [
    ("name", |(name, _)| cell(name.as_bytes())),
    ("games", |(_, row)| row.games.to_string()),
    ("moves", |(_, row)| row.moves.to_string()),
    ("judged", |(_, row)| row.judged.to_string()),
    ("unsolved", |(_, row)| row.unsolved.to_string()),
    ("distinct", |(_, row)| row.distinct.to_string()),
    ("could", |(_, row)| row.could.to_string()),
    ("gave_away", |(_, row)| row.gave_away().to_string()),
    ("rate", |(_, row)| cells::score(row.rate())),
    ("win_to_draw", |(_, row)| row.gave_away_by_kind[0].to_string()),
    ("win_to_loss", |(_, row)| row.gave_away_by_kind[1].to_string()),
    ("draw_to_loss", |(_, row)| row.gave_away_by_kind[2].to_string()),
    ("per_game", |(_, row)| cells::score(row.per_game())),
    ("per_game_lo", |(_, row)| cells::score(row.per_game_interval.map(|[low, _]| low))),
    ("per_game_hi", |(_, row)| cells::score(row.per_game_interval.map(|[_, high]| high))),
    ("clean_games", |(_, row)| row.clean_games.to_string()),
    ("best", |(_, row)| row.best.to_string()),
    ("best_rate", |(_, row)| cells::score(row.best_rate())),
    ("slower", |(_, row)| row.slower_by.map(|_| row.slower.to_string()).unwrap_or_default()),
    ("slower_by", |(_, row)| cells::score(row.slower_by)),
    ("first_ply", |(_, row)| row.first_ply.map(|ply| ply.to_string()).unwrap_or_default()),
    ("gave_0_9", |(_, row)| row.gave_away_by_ply[0].to_string()),
    ("gave_10_19", |(_, row)| row.gave_away_by_ply[1].to_string()),
    ("gave_20_29", |(_, row)| row.gave_away_by_ply[2].to_string()),
    ("gave_30", |(_, row)| row.gave_away_by_ply[3].to_string()),
];

/// A column of the printed table: its head, when it is dropped where there is no room, and its cell.
pub(super) type ShownColumn = (&'static str, u8, fn(&AnalysisRow) -> String);

/// What the table is about.
pub(super) const SAID_OF_TABLE: &str =
    "Results given away by moves of each bot, against best play. Moves of openings do not count.";

pub(super) const SHOWN: [ShownColumn; 13] = [
    ("Games", 5, |row| row.games.to_string()),
    ("Moves", 6, |row| row.moves.to_string()),
    ("Gave away", 0, |row| row.gave_away().to_string()),
    ("/game", 0, per_game),
    ("W→D", 4, |row| row.gave_away_by_kind[0].to_string()),
    ("W→L", 4, |row| row.gave_away_by_kind[1].to_string()),
    ("D→L", 4, |row| row.gave_away_by_kind[2].to_string()),
    ("Could", 3, |row| row.could.to_string()),
    ("Rate", 0, |row| row.rate().map_or_else(none, |rate| format!("{rate:.3}"))),
    ("Clean", 2, |row| cells::percent(row.clean_share())),
    ("Best", 1, |row| cells::percent(row.best_rate())),
    ("Slower by", 3, |row| row.slower_by.map_or_else(none, |moves| format!("{moves:.2}"))),
    ("First at", 5, |row| row.first_ply.map_or_else(none, |ply| ply.to_string())),
];

fn none() -> String {
    "-".to_owned()
}

/// The mean and the larger half of its interval.
fn per_game(row: &AnalysisRow) -> String {
    let Some(mean) = row.per_game() else { return none() };
    let margin = row.per_game_interval.map(|[low, high]| (high - mean).max(mean - low));
    margin.map_or_else(|| format!("{mean:.2}"), |margin| format!("{mean:.2} ± {margin:.2}"))
}

impl AnalysisReport {
    fn sum(&self, of: impl Fn(&AnalysisRow) -> u64) -> u64 {
        self.rows.iter().map(|(_, row)| of(row)).sum()
    }

    /// The table for a terminal. `time` is how long it took; `file` has what is left out.
    #[must_use]
    pub fn page(&self, time: &str, file: &str) -> TextPage {
        let mut page = TextPage::default();
        let Self { tournament, game, games, analysed, rows } = self;
        let games = if analysed == games { counted(*games, "game") } else { format!("{analysed} of {games} games") };
        let (judged, unsolved) = (self.sum(|row| row.judged), self.sum(|row| row.unsolved));
        let share = match unsolved {
            0 => String::new(),
            _ => format!(" ({})", cells::percent(Some(unsolved as f64 / (judged + unsolved) as f64))),
        };
        let (bots, moves) = (counted(rows.len(), "bot"), counted(judged as usize, "move"));
        let tournament = shown(tournament);
        page.line(
            Tone::Plain,
            format!("{tournament}: {game}, {games} of {bots}, {moves} judged, {unsolved} unsolved{share} ({time})"),
        );
        page.line(Tone::Plain, SAID_OF_TABLE);
        page.gap();
        let table =
            SHOWN.iter().fold(Table::new().names("Bot"), |table, (head, drop, _)| table.less_important(*head, *drop));
        let table = rows.iter().fold(table, |mut table, (name, row)| {
            table.row([shown(name)].into_iter().chain(SHOWN.iter().map(|(.., cell)| cell(row))).collect());
            table
        });
        page.table(table, file);
        page
    }

    /// As JSON: the columns of `analysis.csv` for each bot, missing values as null.
    #[must_use]
    pub fn json(&self) -> Value {
        let number = |text: String| serde_json::from_str(&text).unwrap_or(Value::Null);
        let bots = self.rows.iter().map(|named| {
            let numbers = COLUMNS[1..].iter().map(|(head, cell)| ((*head).to_owned(), number(cell(named))));
            Value::Object([("name".to_owned(), Value::from(named.0.as_str()))].into_iter().chain(numbers).collect())
        });
        json!({
            "tournament": self.tournament,
            "game": self.game,
            "games": self.games,
            "analysed": self.analysed,
            "judged": self.sum(|row| row.judged),
            "unsolved": self.sum(|row| row.unsolved),
            "bots": bots.collect::<Vec<Value>>(),
        })
    }
}

/// Writes a row for each bot.
///
/// # Errors
///
/// Returns an error if `out` fails.
pub fn analysis_csv(report: &AnalysisReport, out: &mut dyn Write) -> anyhow::Result<()> {
    cells::write_table(out, &COLUMNS, report.rows.iter().cloned().map(Ok))
}
