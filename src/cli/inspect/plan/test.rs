//! The games that a sequential test takes, by the true difference.

use arena_core::stats::{Course, Sprt, SprtModel};
use arena_core::text::{grouped, percent, signed};
use arena_show::views::Table;
use arena_store::report::rounded_to;
use arena_sys::time::long_duration;
use serde_json::json;

use super::{Premises, premises_json};
use crate::cli::{Exit, Io};

/// True differences that are looked at: beyond, at and between the hypotheses, in widths from elo0.
const PLACES: [f64; 7] = [-0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5];

/// A true difference, and how the test goes.
struct Row {
    truth: f64,
    course: Course,
}

pub(super) fn show(sprt: &Sprt, premises: &Premises, as_json: bool, io: &Io) -> anyhow::Result<Exit> {
    let [elo0, elo1] = sprt.hypotheses();
    let rows: Vec<Row> = PLACES.iter().map(|place| row(sprt, premises, elo0 + place * (elo1 - elo0))).collect();
    if as_json {
        let line = |Row { truth, course }: &Row| {
            json!({
                "elo": rounded_to(*truth, 2),
                "games": course.games.round() as u64,
                "seconds": rounded_to(premises.time(course.games), 1),
                "accepts_elo1": rounded_to(course.accepts_elo1, 4),
            })
        };
        let mut json = premises_json(premises);
        json["sprt"] = json!({ "model": sprt.model().name(), "elo0": elo0, "elo1": elo1, "by_difference": rows.iter().map(line).collect::<Vec<_>>() });
        io.print_json(&json)?;
        return Ok(Exit::Done);
    }
    let unit = if sprt.model() == SprtModel::Logistic { "True Elo" } else { "True nElo" };
    let mut table = Table::new().column(unit).column("Games").column("Time").column("H1 accepted");
    for Row { truth, course } in &rows {
        table.row(vec![
            signed(*truth),
            grouped(course.games.round() as u64),
            long_duration(premises.time(course.games)),
            format!("{}%", percent(course.accepts_elo1)),
        ]);
    }
    // How far two bots are apart is what the test is to find.
    let told = premises.told[1..].join("\n");
    io.print(&format!(
        "{} % of games between equals are drawn.\n{told}\n\nA test of elo0 {elo0} against elo1 {elo1} ({}) takes on average:\n{}\nNo limit of \
         rounds is allowed for.",
        percent(premises.world.draws()),
        sprt.model().name(),
        table.text(None, "")
    ))?;
    Ok(Exit::Done)
}

fn row(sprt: &Sprt, premises: &Premises, truth: f64) -> Row {
    let (mut low, mut high) = (-4_000.0, 4_000.0);
    for _ in 0..40 {
        let middle = f64::midpoint(low, high);
        if sprt.elo_of(premises.world.pair(middle)) < truth { low = middle } else { high = middle }
    }
    Row { truth, course: sprt.course(premises.world.pair(high)) }
}
