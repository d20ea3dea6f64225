//! Formats numbers for files and tables. Uses integers where possible, so that rounding is the same on all machines.

use std::io::Write;

use arena_core::rules::Move;
use arena_core::stats::{Estimate, Tally};
use arena_core::tags::TagValue;
use arena_core::text::{self, cell, signed};

/// Halves of points with one decimal: `12.5`.
pub(super) fn halves(halves: u64) -> String {
    format!("{}.{}", halves / 2, halves % 2 * 5)
}

/// Quarters of points with two decimals: `12.25`.
pub(super) fn quarters(quarters: u64) -> String {
    format!("{}.{:02}", quarters / 4, quarters % 4 * 25)
}

/// A score from 0 to 1 with four decimals; empty if there is none.
pub(super) fn score(score: Option<f64>) -> String {
    score.map(|score| format!("{score:.4}")).unwrap_or_default()
}

/// A probability from 0 to 1 with six significant digits: `0.975000`, `0.00123457`, `1.23457e-09`; empty if there is none. Only 1
/// is `1.00000`: what would be rounded to it is `0.999999`.
pub(super) fn probability(value: Option<f64>) -> String {
    let Some(value) = value.filter(|value| !value.is_nan()) else { return String::new() };
    if value == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{value:.5e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    match exponent.parse::<i32>().unwrap_or_default() {
        0.. if value < 1.0 => "0.999999".to_owned(),
        exponent @ -4.. => format!("{value:.*}", (5 - exponent) as usize),
        exponent => format!("{digits}e-{:02}", -exponent),
    }
}

/// Elo or a similar number with two decimals: `inf` and `-inf` if unbounded, empty if there is none.
pub(super) fn elo(elo: Option<f64>) -> String {
    let text = elo.filter(|elo| !elo.is_nan()).map(|elo| format!("{elo:.2}")).unwrap_or_default();
    if text == "-0.00" { "0.00".to_owned() } else { text }
}

/// A number for JSON, to six decimals: the last digits of a computed number differ between machines.
#[must_use]
pub fn rounded(value: f64) -> f64 {
    rounded_to(value, 6)
}

/// A number for JSON, to some decimals; `"inf"` or `"-inf"` if it is infinite.
pub(crate) fn json_number(value: f64, decimals: i32) -> serde_json::Value {
    match value {
        f64::INFINITY => "inf".into(),
        f64::NEG_INFINITY => "-inf".into(),
        value => rounded_to(value, decimals).into(),
    }
}

/// A number for JSON, to some decimals.
#[must_use]
pub fn rounded_to(value: f64, decimals: i32) -> f64 {
    let steps = 10_f64.powi(decimals);
    // Adding 0 makes 0 of -0.
    (value * steps).round() / steps + 0.0
}

/// A score as a percentage, as [`text::percent`] has it; `-` if there is none.
pub(super) fn percent(score: Option<f64>) -> String {
    score.map_or_else(|| "-".to_owned(), |score| format!("{}%", text::percent(score)))
}

/// A rating, with a sign, and its 95 % margin; `-` without one. If it is unbounded on one side, only the other bound is shown: `>120`.
pub(super) fn elo_and_margin(elo: Option<&Estimate>) -> (String, String) {
    let Some(elo) = elo else { return ("-".to_owned(), String::new()) };
    match (elo.lo.is_finite(), elo.hi.is_finite()) {
        (true, true) => (signed(elo.elo), format!("{:.1}", elo.half_width())),
        (true, false) => (format!(">{}", signed(elo.lo)), String::new()),
        (false, true) => (format!("<{}", signed(elo.hi)), String::new()),
        (false, false) => ("?".to_owned(), String::new()),
    }
}

/// A rating and its margin, if it has one, as [`elo_and_margin`] has them: `+305.1 ± 40.2`.
pub(super) fn elo_with_margin(elo: Option<&Estimate>) -> String {
    match elo_and_margin(elo) {
        (elo, margin) if margin.is_empty() => elo,
        (elo, margin) => format!("{elo} ± {margin}"),
    }
}

/// At most `most` of these texts, separated by commas, then how many there are more: `a, b, and 3 more`.
pub(super) fn first_of(texts: impl ExactSizeIterator<Item = String>, most: usize, and: &str) -> String {
    let more = texts.len().saturating_sub(most);
    let first = texts.take(most).collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{first}{and} {more} more") } else { first }
}

/// `3-1-2`.
pub(super) fn wins_draws_losses(tally: Tally) -> String {
    format!("{}-{}-{}", tally.wins, tally.draws, tally.losses)
}

/// Moves separated by single spaces: `3 [1,2] c4`.
pub(super) fn moves(moves: &[Move]) -> String {
    moves.iter().map(Move::plain).collect::<Vec<_>>().join(" ")
}

/// A tag in a table.
pub(super) fn tag(value: Option<&TagValue>) -> String {
    match value {
        None => String::new(),
        Some(TagValue::Text(text)) => cell(text.as_bytes()),
        Some(value) => value.to_string(),
    }
}

/// A column of a CSV table: its name, and its cell in a row.
pub(super) type CsvColumn<Row> = (&'static str, fn(&Row) -> String);

/// Writes a CSV table with a line for each of `rows`.
pub(super) fn write_table<Row>(
    out: &mut dyn Write,
    columns: &[(&str, impl Fn(&Row) -> String)],
    rows: impl IntoIterator<Item = anyhow::Result<Row>>,
) -> anyhow::Result<()> {
    let mut table = csv_writer(out);
    table.write_record(columns.iter().map(|(name, _)| name))?;
    for row in rows {
        let row = row?;
        table.write_record(columns.iter().map(|(_, cell)| cell(&row)))?;
    }
    Ok(table.flush()?)
}

/// CSV by RFC 4180, except that lines end in LF.
pub(super) fn csv_writer(out: &mut dyn Write) -> csv::Writer<&mut dyn Write> {
    csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_have_six_significant_digits() {
        let shown = |value: f64| probability(Some(value));
        assert_eq!(
            [0.975, 0.5, 0.099_999_96, 0.001_234_567].map(shown),
            ["0.975000", "0.500000", "0.100000", "0.00123457"]
        );
        assert_eq!(
            [1.234_567e-4, 1.234_567e-5, 1.234_567e-9, 1e-300, 0.0].map(shown),
            ["0.000123457", "1.23457e-05", "1.23457e-09", "1.00000e-300", "0"]
        );
        assert_eq!([1.0, 0.999_98, 1.0 - 1e-9].map(shown), ["1.00000", "0.999980", "0.999999"]);
        assert_eq!(probability(None) + &shown(f64::NAN), "");
    }
}
