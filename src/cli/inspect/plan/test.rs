//! The games that a sequential test takes, by the true difference.

use arena_core::stats::{Course, Sprt, SprtModel};
use arena_core::text::{grouped, percent};
use arena_show::views::Table;
use arena_store::report::rounded_to;
use serde_json::json;

use super::{Premises, digits, duration, premises_json};
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
    let decimals = decimals(elo1 - elo0);
    let rows: Vec<Row> = PLACES.iter().map(|place| row(sprt, premises, elo0 + place * (elo1 - elo0))).collect();
    if as_json {
        let line = |Row { truth, course }: &Row| {
            json!({
                "elo": rounded_to(*truth, 2.max(decimals as i32)),
                "games": course.games.round() as u64,
                "seconds": digits(premises.time(course.games), 1),
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
            label(*truth, decimals),
            grouped(course.games.round() as u64),
            duration(premises.time(course.games)),
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

/// The decimals with which differences of these hypotheses are labelled: one, or as many as tell them apart.
fn decimals(width: f64) -> usize {
    let is_exact = |decimals: &usize| {
        let unit = 0.1_f64.powi(*decimals as i32);
        PLACES.iter().all(|place| ((place * width / unit).round() * unit - place * width).abs() <= width / 40.0)
    };
    (1..12).find(is_exact).unwrap_or(12)
}

fn label(elo: f64, decimals: usize) -> String {
    // Adding 0 makes 0 of -0.
    format!("{:+.decimals$}", rounded_to(elo, decimals as i32))
}

fn row(sprt: &Sprt, premises: &Premises, truth: f64) -> Row {
    let (mut low, mut high) = (-4_000.0, 4_000.0);
    // Down to the resolution of the numbers, since hypotheses may be that close.
    for _ in 0..70 {
        let middle = f64::midpoint(low, high);
        if sprt.elo_of(premises.world.pair(middle)) < truth { low = middle } else { high = middle }
    }
    Row { truth, course: sprt.course(premises.world.pair(high)) }
}
