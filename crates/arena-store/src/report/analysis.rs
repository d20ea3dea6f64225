//! Bots against best play: `analysis.csv`, the table for a terminal, and JSON.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

use arena_core::analysis::{AnalysisRow, PHASES, PhaseCount, RegretRow, WorstPosition};
use arena_core::event::GameId;
use arena_core::text::{cell, counted, shell_word, shown};
use arena_show::views::Table;
use arena_sys::flags::{BOT, FROM, GAVE, NAME};
use serde_json::{Value, json};

use super::cells::{self, CsvColumn};
use crate::report::text::page::{TextPage, Tone};

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
    /// The same of games of `mastermind`.
    pub regrets: Vec<(String, RegretRow)>,
}

/// A row with the name of its bot.
type NamedRow = (String, AnalysisRow);

/// Every column: counts, and other numbers with four decimals; empty where they are not known.
const COLUMNS: [CsvColumn<NamedRow>; 33] = [
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
    ("gave_0_25_pct", |(_, row)| row.phases[0].gave_away.to_string()),
    ("gave_25_50_pct", |(_, row)| row.phases[1].gave_away.to_string()),
    ("gave_50_75_pct", |(_, row)| row.phases[2].gave_away.to_string()),
    ("gave_75_100_pct", |(_, row)| row.phases[3].gave_away.to_string()),
    ("could_0_25_pct", |(_, row)| row.phases[0].could.to_string()),
    ("could_25_50_pct", |(_, row)| row.phases[1].could.to_string()),
    ("could_50_75_pct", |(_, row)| row.phases[2].could.to_string()),
    ("could_75_100_pct", |(_, row)| row.phases[3].could.to_string()),
];

/// A row of guesses with the name of its bot.
type NamedRegret = (String, RegretRow);

/// The columns of `mastermind`. Those of the same name as one of the others are the same column.
const REGRET_COLUMNS: [CsvColumn<NamedRegret>; 10] = [
    ("name", |(name, _)| cell(name.as_bytes())),
    ("games", |(_, row)| row.games.to_string()),
    ("moves", |(_, row)| row.moves.to_string()),
    ("judged", |(_, row)| row.judged.to_string()),
    ("unsolved", |(_, row)| row.unsolved.to_string()),
    ("best", |(_, row)| row.best.to_string()),
    ("best_rate", |(_, row)| cells::score(row.best_rate())),
    ("regret", |(_, row)| cells::score(row.regret)),
    ("regret_lo", |(_, row)| cells::score(row.interval.map(|[low, _]| low))),
    ("regret_hi", |(_, row)| cells::score(row.interval.map(|[_, high]| high))),
];

/// A column of the printed table: its head, when it is dropped where there is no room, and its cell.
pub(super) type ShownColumn<Row> = (&'static str, u8, fn(&Row) -> String);

/// What the table is about.
pub(super) const SAID_OF_TABLE: &str =
    "Results given away by moves of each bot, against best play. Moves of openings do not count.";

pub(super) const SHOWN: [ShownColumn<AnalysisRow>; 13] = [
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

/// What the table of `mastermind` is about.
pub(super) const SAID_OF_REGRETS: &str =
    "Guesses lost a guess: how many more are expected after it than after that of the reference.";

pub(super) const REGRETS_SHOWN: [ShownColumn<RegretRow>; 4] = [
    ("Games", 2, |row| row.games.to_string()),
    ("Moves", 2, |row| row.moves.to_string()),
    ("Regret", 0, regret),
    ("Best", 1, |row| cells::percent(row.best_rate())),
];

/// The mean and the half of its interval.
fn regret(row: &RegretRow) -> String {
    let Some(mean) = row.regret else { return none() };
    let margin = row.interval.map(|[_, high]| high - mean);
    margin.map_or_else(|| format!("{mean:.3}"), |margin| format!("{mean:.3} ± {margin:.3}"))
}

fn none() -> String {
    "-".to_owned()
}

/// The mean and the larger half of its interval.
fn per_game(row: &AnalysisRow) -> String {
    let Some(mean) = row.per_game() else { return none() };
    let margin = row.per_game_interval.map(|[low, high]| (high - mean).max(mean - low));
    margin.map_or_else(|| format!("{mean:.2}"), |margin| format!("{mean:.2} ± {margin:.2}"))
}

/// What the table of phases is about.
const SAID_OF_PHASES: &str = "The same by phase, in % of the moves that could give a result away: how much of the board was full, or of the heap taken.";

/// The bots by phase.
fn phase_table(rows: &[NamedRow]) -> Table {
    let table = PHASES.iter().fold(Table::new().names("Bot"), |table, phase| table.column(*phase));
    rows.iter().fold(table, |mut table, (name, row)| {
        table.row([shown(name)].into_iter().chain(row.phases.map(phase_cell)).collect());
        table
    })
}

/// `38% of 40`: the share that was given away, and of how many moves.
fn phase_cell(count: PhaseCount) -> String {
    count.rate().map_or_else(none, |rate| format!("{:.0}% of {}", 100.0 * rate, count.could))
}

/// Bots of which the worst positions are printed; of more, only those of one that is asked for.
const WORST_BOTS_MAX: usize = 10;

/// What the table of the worst positions is about.
const SAID_OF_WORST: &str = "The worst position of each phase: what cost most in all games, then what loses soonest.";

/// The worst positions of the bots. `folder` is the results folder, as the command takes it.
fn worst_table(rows: &[NamedRow], folder: &str) -> Table {
    let table = Table::new()
        .names("Bot")
        .less_important("Times", 2)
        .column("Cost")
        .less_important("Loses in", 4)
        .less_important("Full", 5)
        .less_important("Played", 1)
        .less_important("Best", 1)
        .names("Command that shows it");
    let worst = rows.iter().flat_map(|(name, row)| row.worst.iter().map(move |at| (name, at)));
    worst.fold(table, |mut table, (name, at)| {
        table.row(vec![
            shown(name),
            at.times.to_string(),
            at.kind.words().to_owned(),
            at.loses_in.map_or_else(none, |moves| moves.to_string()),
            at.used_up.map_or_else(none, |share| format!("{share}%")),
            shown(&at.played.to_string()),
            at.best.as_ref().map_or_else(none, |best| shown(&best.to_string())),
            format!("arena replay {} {NAME} {folder} {FROM} {}", GameId::of(&at.game).short(), at.ply),
        ]);
        table
    })
}

/// A table for a terminal.
fn shown_table<Row>(columns: &[ShownColumn<Row>], rows: &[(String, Row)]) -> Table {
    let table = Table::new().names("Bot");
    let table = columns.iter().fold(table, |table, (head, drop, _)| table.less_important(*head, *drop));
    rows.iter().fold(table, |mut table, (name, row)| {
        table.row([shown(name)].into_iter().chain(columns.iter().map(|(.., cell)| cell(row))).collect());
        table
    })
}

impl AnalysisReport {
    /// Moves that are judged, and others.
    fn judged(&self) -> [u64; 2] {
        let values = self.rows.iter().map(|(_, row)| [row.judged, row.unsolved]);
        let guesses = self.regrets.iter().map(|(_, row)| [row.judged, row.unsolved]);
        values.chain(guesses).fold([0; 2], |sum, own| [sum[0] + own[0], sum[1] + own[1]])
    }

    /// The heads of all columns.
    fn heads() -> Vec<&'static str> {
        let own = COLUMNS.iter().map(|(head, _)| *head);
        let is_new = |head: &&str| COLUMNS.iter().all(|(known, _)| known != head);
        own.chain(REGRET_COLUMNS.iter().map(|(head, _)| *head).filter(is_new)).collect()
    }

    /// The cells of each row: empty where a column is of other games.
    fn table(&self) -> impl Iterator<Item = Vec<String>> {
        fn row<Row>(columns: &[CsvColumn<Row>], of: &Row) -> Vec<String> {
            let cell = |head| columns.iter().find(|(own, _)| *own == head).map(|(_, cell)| cell(of));
            AnalysisReport::heads().into_iter().map(|head| cell(head).unwrap_or_default()).collect()
        }
        let values = self.rows.iter().map(|named| row(&COLUMNS, named));
        values.chain(self.regrets.iter().map(|named| row(&REGRET_COLUMNS, named)))
    }

    /// The tables for a terminal. `time` is how long it took; `folder` is the results folder, and `file` has what is left out.
    #[must_use]
    pub fn page(&self, time: &str, folder: &Path, file: &str) -> TextPage {
        let mut page = TextPage::default();
        let Self { tournament, game, games, analysed, rows, regrets } = self;
        let games = if analysed == games { counted(*games, "game") } else { format!("{analysed} of {games} games") };
        let [judged, unsolved] = self.judged();
        let share = match unsolved {
            0 => String::new(),
            _ => format!(" ({})", cells::percent(Some(unsolved as f64 / (judged + unsolved) as f64))),
        };
        let names: BTreeSet<&String> =
            rows.iter().map(|(name, _)| name).chain(regrets.iter().map(|(name, _)| name)).collect();
        let (bots, moves) = (counted(names.len(), "bot"), counted(judged as usize, "move"));
        let against = match (regrets.is_empty(), rows.is_empty()) {
            (true, _) => "",
            (false, true) => " against a reference strategy, not proved optimal",
            (false, false) => " (those of mastermind against a reference strategy, not proved optimal)",
        };
        let tournament = shown(tournament);
        page.line(
            Tone::Plain,
            format!(
                "{tournament}: {game}, {games} of {bots}, {moves} judged{against}, {unsolved} unsolved{share} ({time})"
            ),
        );
        if regrets.is_empty() || !rows.is_empty() {
            page.line(Tone::Plain, SAID_OF_TABLE);
            page.gap();
            page.table(shown_table(&SHOWN, rows), file);
            self.add_mistakes(&mut page, file, folder);
        }
        if !regrets.is_empty() {
            if !rows.is_empty() {
                page.gap();
            }
            page.line(Tone::Plain, SAID_OF_REGRETS);
            page.gap();
            page.table(shown_table(&REGRETS_SHOWN, regrets), file);
        }
        page
    }

    /// Where in a game results were given away, and the worst of these moves.
    fn add_mistakes(&self, page: &mut TextPage, file: &str, folder: &Path) {
        let with_mistakes: Vec<&NamedRow> = self.rows.iter().filter(|(_, row)| row.gave_away() > 0).collect();
        let Some((name, _)) = with_mistakes.last() else { return };
        page.gap();
        page.line(Tone::Plain, SAID_OF_PHASES);
        page.gap();
        page.table(phase_table(&self.rows), file);
        page.gap();
        let folder = shell_word(&folder.to_string_lossy());
        if with_mistakes.len() > WORST_BOTS_MAX {
            let command = format!("arena analyze {folder} {BOT} {}", shell_word(name));
            page.command("Worst positions of a bot: ", &command);
        } else {
            page.line(Tone::Plain, SAID_OF_WORST);
            page.gap();
            page.table(worst_table(&self.rows, &folder), file);
            page.gap();
        }
        let command = format!("arena replay {NAME} {folder} {GAVE} {}", shell_word(name));
        page.command("All such games of a bot, with the plies: ", &command);
    }

    /// As JSON: for each bot the columns of `analysis.csv`, missing values as null, and its worst positions.
    #[must_use]
    pub fn json(&self) -> Value {
        let number = |text: String| serde_json::from_str(&text).unwrap_or(Value::Null);
        let names = self.rows.iter().map(|(name, _)| name).chain(self.regrets.iter().map(|(name, _)| name));
        let bots = names.zip(self.table()).map(|(name, cells)| {
            let numbers = Self::heads().into_iter().zip(cells).skip(1);
            let numbers = numbers.map(|(head, cell)| (head.to_owned(), number(cell)));
            let worst = self.rows.iter().find(|(own, _)| own == name).map_or(&[][..], |(_, row)| row.worst.as_slice());
            let worst = ("worst".to_owned(), worst.iter().map(worst_json).collect());
            let name = ("name".to_owned(), Value::from(name.as_str()));
            Value::Object([name].into_iter().chain(numbers).chain([worst]).collect())
        });
        let [judged, unsolved] = self.judged();
        json!({
            "tournament": self.tournament,
            "game": self.game,
            "games": self.games,
            "analysed": self.analysed,
            "judged": judged,
            "unsolved": unsolved,
            "bots": bots.collect::<Vec<Value>>(),
        })
    }
}

fn worst_json(at: &WorstPosition) -> Value {
    json!({
        "id": at.game,
        "ply": at.ply,
        "cost": at.kind.name(),
        "move": at.played,
        "best": at.best,
        "loses_in": at.loses_in,
        "full_pct": at.used_up,
        "times": at.times,
    })
}

/// Writes a row for each bot.
///
/// # Errors
///
/// Returns an error if `out` fails.
pub fn analysis_csv(report: &AnalysisReport, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut table = cells::csv_writer(out);
    table.write_record(AnalysisReport::heads())?;
    for row in report.table() {
        table.write_record(row)?;
    }
    Ok(table.flush()?)
}
