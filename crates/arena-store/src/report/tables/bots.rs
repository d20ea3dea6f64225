//! `bots.csv`: how each bot behaved on each class of machines, in roster order.

use std::collections::HashMap;
use std::io::Write;

use arena_core::event::Entry;
use arena_core::record::Status;
use arena_core::text::cell;
use arena_show::views::TagColumn;

use crate::report::cells::CsvColumn;
use crate::report::facts::conduct::{Conduct, OTHER_CLASSES, sums};
use crate::report::{Results, cells};

/// A bot and the sums of its games on machines of one class.
struct BotRow<'a> {
    entry: &'a Entry,
    class: &'a str,
    conduct: &'a Conduct,
    /// Mean, median, 90th and 99th percentile, and maximum.
    times: Option<[u64; 5]>,
}

impl BotRow<'_> {
    fn time(&self, index: usize) -> String {
        self.times.map(|times| arena_core::text::millis(times[index])).unwrap_or_default()
    }

    fn games_with(&self, status: Status) -> String {
        self.conduct.statuses[status as usize].to_string()
    }
}

/// Writes every bot's games, moves, times and faults, and at the end its tags, in a row for each class of machines that played it. Void games are
/// counted, but otherwise ignored. Times are in milliseconds, and empty for a bot without moves.
///
/// # Errors
///
/// Returns an error if `out` or the journal fails.
pub fn bots_csv(results: &Results<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let columns: [CsvColumn<BotRow<'_>>; 25] = [
        ("name", |row| cell(row.entry.id.name.as_bytes())),
        ("class", |row| cell(row.class.as_bytes())),
        ("games", |row| row.conduct.games.to_string()),
        ("moves", |row| row.conduct.moves.to_string()),
        ("mean_ms", |row| row.time(0)),
        ("p50_ms", |row| row.time(1)),
        ("p99_ms", |row| row.time(3)),
        ("max_ms", |row| row.time(4)),
        ("cpu_ms", |row| row.conduct.cpu_us.map(arena_core::text::millis).unwrap_or_default()),
        ("credit_ms", |row| arena_core::text::millis(row.conduct.credit_us)),
        ("off_move_ms", |row| arena_core::text::millis(row.conduct.off_move_us)),
        ("timeout", |row| row.games_with(Status::Timeout)),
        ("timeout_starved", |row| row.conduct.starved.to_string()),
        ("illegal_move", |row| row.games_with(Status::IllegalMove)),
        ("protocol_error", |row| row.games_with(Status::ProtocolError)),
        ("crashed", |row| row.games_with(Status::Crashed)),
        ("startup_failed", |row| row.games_with(Status::StartupFailed)),
        ("interference", |row| row.games_with(Status::Interference)),
        ("resigned", |row| row.games_with(Status::Resigned)),
        ("withdrawn", |row| row.games_with(Status::Withdrawn)),
        ("void", |row| row.conduct.void.to_string()),
        ("disturbed_others", |row| row.conduct.disturbed_others.to_string()),
        ("surplus_lines", |row| row.conduct.surplus_lines.to_string()),
        ("fingerprint", |row| cell(row.entry.id.fingerprint.as_bytes())),
        ("command", |row| cell(row.entry.command.as_bytes())),
    ];
    let bots = &results.conducts()?.bots;
    let classes = classes(bots);
    let by_class;
    // A row for each bot, unless one was played by machines of two classes.
    let conducts = if classes.len() == bots.len() {
        bots
    } else {
        by_class = conducts_by_class(results, &classes)?;
        &by_class
    };
    let rows = classes.iter().zip(conducts).map(|((bot, class), conduct)| {
        let entry = &results.event().bots[*bot];
        Ok(BotRow { entry, class, times: conduct.times.summary(), conduct })
    });
    // Where commands are not published, there is no column of them.
    let has_commands = !results.for_others || results.event().bots.iter().any(|bot| !bot.command.is_empty());
    let columns = columns.into_iter().filter(|(name, _)| has_commands || *name != "command");
    let columns = columns.map(|(name, cell)| (name, Box::new(cell) as BotCell<'_>));
    let columns: Vec<(&str, BotCell<'_>)> = columns.chain(results.ranking.tags.iter().map(tag_column)).collect();
    cells::write_table(out, &columns, rows)
}

/// A cell of a row, by the column.
type BotCell<'a> = Box<dyn Fn(&BotRow<'a>) -> String + 'a>;

fn tag_column(tag: &TagColumn) -> (&str, BotCell<'_>) {
    (&tag.name, Box::new(|row| cells::tag(row.entry.tags.get(&tag.name))))
}

/// For each row the bot and its class, which is empty for a bot without games.
fn classes(bots: &[Conduct]) -> Vec<(usize, &str)> {
    let rows = bots.iter().enumerate().flat_map(|(bot, conduct)| {
        let unknown = conduct.classes.is_empty().then_some("");
        conduct.classes.iter().map(String::as_str).chain(unknown).map(move |class| (bot, class))
    });
    rows.collect()
}

/// The sums of each row. Games that nobody played belong to the first row of a bot.
fn conducts_by_class(results: &Results<'_>, rows: &[(usize, &str)]) -> anyhow::Result<Vec<Conduct>> {
    let places: HashMap<(usize, &str), usize> = rows.iter().enumerate().map(|(place, row)| (*row, place)).collect();
    let row = |bot: usize, class: Option<&str>| {
        let own = class.and_then(|class| places.get(&(bot, class)).or_else(|| places.get(&(bot, OTHER_CLASSES))));
        own.copied().unwrap_or_else(|| rows.partition_point(|(other, _)| *other < bot))
    };
    sums(results, rows.len(), |bot, record| row(bot, record.class()), |_, _| ())
}
