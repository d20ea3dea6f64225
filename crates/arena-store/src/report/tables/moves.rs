//! One row per move, for analyses.

use std::io::Write;

use arena_core::analysis::{Mark, Marks, Verdict, short};
use arena_core::record::{Played, Record};
use arena_core::rules::{Move, Seat};
use arena_core::schedule::{Planned, Scheduler};
use arena_core::text::{cell, millis};

use crate::journal::{Analyses, Reader};
use crate::report::cells;
use crate::report::cells::CsvColumn;

/// A move of a game.
struct MoveRow {
    game: Planned,
    record: Record,
    names: [String; 2],
    marks: Option<Marks>,
    ply: usize,
}

impl MoveRow {
    fn seat(&self) -> Seat {
        self.record.movers.seat(self.ply)
    }

    /// The measurements; a move of the opening has none.
    fn played(&self) -> Option<&Played> {
        self.record.measured(self.ply)
    }

    /// What an analysis says of it, or an empty cell.
    fn marked<T: ToString>(&self, of: impl Fn(&Mark) -> Option<T>) -> String {
        let mark = self.marks.as_ref().and_then(|marks| marks.at(self.ply));
        mark.and_then(of).map(|value| value.to_string()).unwrap_or_default()
    }
}

/// Writes every move of every game that was played, in the order of the schedule: the opening's too, which no bot chose.
/// Times are in milliseconds; moves that `arena analyze` has judged have their values. Holds one game in memory.
///
/// # Errors
///
/// Returns an error if `out` or the journal fails.
pub fn moves_csv(schedule: &Scheduler, journal: &Reader, out: &mut dyn Write) -> anyhow::Result<Vec<String>> {
    let columns: [CsvColumn<MoveRow>; 22] = [
        ("id", |row| row.record.id.clone()),
        ("round", |row| row.game.round.to_string()),
        ("pair", |row| row.game.pair.to_string()),
        ("first", |row| row.names[0].clone()),
        ("second", |row| row.names[1].clone()),
        ("ply", |row| row.ply.to_string()),
        ("seat", |row| row.seat().name().to_owned()),
        ("bot", |row| row.names[row.seat().index()].clone()),
        ("move", |row| row.record.moves[row.ply].plain()),
        ("is_opening", |row| row.played().is_none().to_string()),
        ("ms", |row| row.played().map(|played| millis(played.us)).unwrap_or_default()),
        ("cpu_ms", |row| row.played().and_then(|played| played.cpu_us).map(millis).unwrap_or_default()),
        ("credit_ms", |row| row.played().map(|played| millis(played.credit_us)).unwrap_or_default()),
        ("eval", |row| row.played().and_then(|played| played.eval).map(|eval| eval.to_string()).unwrap_or_default()),
        ("comment", |row| {
            let comment = row.played().and_then(|played| played.comment.as_deref());
            comment.map(|comment| cell(comment.as_bytes())).unwrap_or_default()
        }),
        ("result", |row| row.record.result.name().to_owned()),
        ("reason", |row| cell(row.record.reason.as_bytes())),
        ("before", |row| row.marked(|mark| mark.before.map(short))),
        ("after", |row| row.marked(|mark| mark.after.map(short))),
        ("verdict", |row| row.marked(|mark| mark.verdict().map(Verdict::name))),
        ("could", |row| row.marked(Mark::could)),
        ("best", |row| row.marked(|mark| mark.best().map(Move::plain))),
    ];
    let name =
        |bot: usize| schedule.event().bots.get(bot).map_or_else(String::new, |entry| cell(entry.id.name.as_bytes()));
    let analyses = Analyses::read_in(journal.folder())?;
    let mut table = cells::csv_writer(out);
    table.write_record(columns.iter().map(|(name, _)| name))?;
    // A game that withdrawn bots lost unplayed is not in the journal, and has no moves.
    for (game, brief) in schedule.tried().filter(|(_, brief)| brief.bytes > 0) {
        let record = journal.record(&brief)?;
        let marks = analyses.marks(&record);
        let mut row = MoveRow { game, record, names: game.bots.map(name), marks, ply: 0 };
        while row.ply < row.record.moves.len() {
            table.write_record(columns.iter().map(|(_, cell)| cell(&row)))?;
            row.ply += 1;
        }
    }
    table.flush()?;
    Ok(analyses.warnings(Analyses::SHOWN))
}
