//! Percentiles of times: a row for each bot, on a common logarithmic axis.

use maud::{Markup, html};

use super::scale::{Scale, ScaleKind, time};
use super::{Plot, at, label};

const WIDTH: f64 = 760.0;
const ROW: f64 = 24.0;
const TOP: f64 = 52.0;

/// A row.
#[derive(Debug, Clone)]
pub struct Span {
    /// Whose times they are.
    pub name: String,
    /// Median, 90th and 99th percentile, and maximum, in microseconds; none without moves.
    pub times: Option<[u64; 4]>,
    /// The time in microseconds after which a move was stopped, if any was.
    pub stopped: Option<u64>,
}

/// A plot of percentiles.
#[derive(Debug, Clone)]
pub struct Spans<'a> {
    /// Its title.
    pub title: &'a str,
    /// How to read it.
    pub description: &'a str,
    /// The rows.
    pub rows: Vec<Span>,
    /// A line at this time in microseconds, and its name.
    pub limit: Option<(u64, String)>,
}

impl Spans<'_> {
    /// The plot.
    #[must_use]
    pub fn plot(&self) -> Plot {
        let left = label::widest(self.rows.iter().map(|row| row.name.as_str())) + 14.0;
        let right = WIDTH - 128.0;
        let times =
            self.rows.iter().filter_map(|row| row.times).flatten().chain(self.limit.iter().map(|(limit, _)| *limit));
        let scale = Scale::new(ScaleKind::Log, times.map(|us| us as f64), [left, right]);
        let end = TOP + self.rows.len() as f64 * ROW;
        let body = html! {
            (key(left))
            @for (name, x) in [("p50", WIDTH - 66.0), ("max", WIDTH)] {
                text class="dim" x=(at(x)) y=(at(TOP - 8.0)) text-anchor="end" { (name) }
            }
            @for tick in scale.ticks(9) {
                @let x = at(scale.at(tick));
                path class="grid" d={ "M" (x) " " (at(TOP)) "V" (at(end)) } {}
                text class="dim" x=(x) y=(at(end + 16.0)) text-anchor="middle" { (time(tick)) }
            }
            @if let Some((limit, name)) = &self.limit {
                @let x = scale.at(*limit as f64);
                path class="limit" d={ "M" (at(x)) " " (at(TOP - 4.0)) "V" (at(end)) } {}
                text class="dim" x=(at(x)) y=(at(TOP - 8.0)) text-anchor="middle" { (name) }
            }
            @for (index, row) in self.rows.iter().enumerate() {
                (line(row, &scale, TOP + (index as f64 + 0.5) * ROW))
            }
        };
        Plot::new(self.title, self.description, [WIDTH, end + 24.0], body)
    }
}

/// Box from p50 to p90, line to p99, dot at the maximum.
fn line(row: &Span, scale: &Scale, y: f64) -> Markup {
    let words = row.times.map_or_else(
        || "no moves".to_owned(),
        |times| {
            let [p50, p90, p99, max] = times.map(|us| time(us as f64));
            let stopped = row.stopped.map_or_else(String::new, |us| format!(", stopped after {}", time(us as f64)));
            format!("p50 {p50}, p90 {p90}, p99 {p99}, max {max}{stopped}")
        },
    );
    html! {
        g class="c0" {
            title { (row.name) ": " (words) }
            text x="0" y=(at(y + 4.0)) { (label::short(&row.name)) }
            @if let Some(times) = row.times {
                (mark(times.map(|us| scale.at(us as f64)), y, row.stopped.is_none_or(|us| us < times[3])))
                @if let Some(us) = row.stopped {
                    path class="limit stop" d={ "M" (at(scale.at(us as f64) - 5.0)) " " (at(y - 5.0)) "l10 10m0 -10l-10 10" } {}
                }
                @for (us, x) in [(times[0], WIDTH - 66.0), (times[3], WIDTH)] {
                    text class="dim" x=(at(x)) y=(at(y + 4.0)) text-anchor="end" { (time(us as f64)) }
                }
            }
        }
    }
}

/// A box, a line, and a dot at the maximum if that move was made.
fn mark([p50, p90, p99, max]: [f64; 4], y: f64, is_made: bool) -> Markup {
    html! {
        path class="thin" d={ "M" (at(p99)) " " (at(y)) "H" (at(max)) } {}
        path class="line" d={ "M" (at(p90)) " " (at(y)) "H" (at(p99)) "M" (at(p99)) " " (at(y - 4.0)) "v8" } {}
        path class="solid" d={ "M" (at(p50 - 1.5)) " " (at(y - 6.0)) "H" (at(p90 + 1.5)) "v12H" (at(p50 - 1.5)) "z" } {}
        @if is_made { circle class="solid" cx=(at(max)) cy=(at(y)) r="3" {} }
    }
}

/// What the marks mean.
fn key(left: f64) -> Markup {
    let places = [left + 2.0, left + 42.0, left + 82.0, left + 122.0];
    html! {
        g class="c0" { (mark(places, 24.0, true)) }
        @for (place, name) in places.into_iter().zip(["p50", "p90", "p99", "max"]) {
            text class="dim" x=(at(place)) y="11" text-anchor="middle" { (name) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_that_was_stopped_is_a_cross_in_place_of_the_dot() {
        let drawn = |stopped| {
            let rows = vec![Span { name: "a".to_owned(), times: Some([1_000, 2_000, 3_000, 1_010_000]), stopped }];
            let plot =
                Spans { title: "t", description: "d", rows, limit: Some((1_000_000, "limit".to_owned())) }.plot();
            let body = plot.body.into_string();
            ["limit stop", "<circle"].map(|mark| body.matches(mark).count())
        };
        // One dot is that of the key.
        assert_eq!([drawn(None), drawn(Some(1_010_000))], [[0, 2], [1, 1]]);
    }
}
