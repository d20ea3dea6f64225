//! Percentiles of times: a row for each bot, on a common logarithmic axis.

use maud::{Markup, html};

use super::scale::{Scale, ScaleKind, time};
use super::{NARROW, Plot, at, label};

const WIDTH: f64 = 760.0;
const ROW: f64 = 24.0;
const TOP: f64 = 52.0;
/// Height of a row on a narrow page, where the bar is below the name, and where in it the bar is.
const NARROW_ROW: f64 = 42.0;
const NARROW_BAR: f64 = 28.0;

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
        let scale = self.scale([left, WIDTH - 128.0]);
        let end = TOP + self.rows.len() as f64 * ROW;
        let body = html! {
            (key(left))
            @for (name, x) in [("p50", WIDTH - 66.0), ("max", WIDTH)] {
                text class="dim" x=(at(x)) y=(at(TOP - 8.0)) text-anchor="end" { (name) }
            }
            (self.axis(&scale, &[[TOP, end]], end, 9))
            @for (index, row) in self.rows.iter().enumerate() {
                @let y = TOP + (index as f64 + 0.5) * ROW;
                @let values = row.times.map(|times| html! {
                    @for (us, x) in [(times[0], WIDTH - 66.0), (times[3], WIDTH)] {
                        text class="dim" x=(at(x)) y=(at(y + 4.0)) text-anchor="end" { (time(us as f64)) }
                    }
                });
                @let name = html! { text x="0" y=(at(y + 4.0)) { (label::short(&row.name)) } };
                (line(row, &scale, y, [name, values.unwrap_or_default()]))
            }
        };
        let mut plot = Plot::new(self.title, self.description, [WIDTH, end + 24.0], body);
        plot.narrow = Some(self.narrow());
        plot
    }

    /// The plot for a narrow page, where each bar is below its name: its height, and what is drawn.
    fn narrow(&self) -> (f64, Markup) {
        let scale = self.scale([16.0, NARROW - 26.0]);
        let end = TOP + self.rows.len() as f64 * NARROW_ROW;
        let body = html! {
            (key(16.0))
            text class="dim" x=(at(NARROW)) y="11" text-anchor="end" { "p50 … max" }
            // Only where the bars are, so that no line crosses a text.
            @let rows = (0..self.rows.len()).map(|index| TOP + index as f64 * NARROW_ROW + NARROW_BAR);
            (self.axis(&scale, &rows.map(|y| [y - 7.0, y + 9.0]).collect::<Vec<_>>(), end, 5))
            @for (index, row) in self.rows.iter().enumerate() {
                @let top = TOP + index as f64 * NARROW_ROW;
                @let values = row.times.map(|times| [times[0], times[3]].map(|us| time(us as f64)).join(" … "));
                @let values = values.unwrap_or_default();
                @let room = NARROW - 12.0 - label::width(&values);
                @let name = html! { text x="0" y=(at(top + 16.0)) { (label::fitting(&row.name, room)) } };
                @let values = html! { text class="dim" x=(at(NARROW)) y=(at(top + 16.0)) text-anchor="end" { (values) } };
                (line(row, &scale, top + NARROW_BAR, [name, values]))
            }
        };
        (end + 24.0, body)
    }

    /// All times between these places.
    fn scale(&self, ends: [f64; 2]) -> Scale {
        let times = self.rows.iter().filter_map(|row| row.times).flatten();
        let times = times.chain(self.limit.iter().map(|(limit, _)| *limit));
        Scale::new(ScaleKind::Log, times.map(|us| us as f64), ends)
    }

    /// The lines of the axis within these heights, their times below `end`, and the limit.
    fn axis(&self, scale: &Scale, heights: &[[f64; 2]], end: f64, ticks: usize) -> Markup {
        let lines = |x: &str, more: f64| {
            let one = |[from, to]: &[f64; 2]| format!("M{x} {}V{}", at(from - more), at(*to));
            heights.iter().map(one).collect::<Vec<_>>().concat()
        };
        html! {
            @for tick in scale.ticks(ticks) {
                @let x = at(scale.at(tick));
                path class="grid" d=(lines(&x, 0.0)) {}
                text class="dim" x=(x) y=(at(end + 16.0)) text-anchor="middle" { (time(tick)) }
            }
            @if let Some((limit, name)) = &self.limit {
                @let x = scale.at(*limit as f64);
                path class="limit" d=(lines(&at(x), 4.0)) {}
                text class="dim" x=(at(x)) y=(at(TOP - 8.0)) text-anchor="middle" { (name) }
            }
        }
    }
}

/// Box from p50 to p90, line to p99, dot at the maximum, between these texts.
fn line(row: &Span, scale: &Scale, y: f64, [name, values]: [Markup; 2]) -> Markup {
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
            (name)
            @if let Some(times) = row.times {
                (mark(times.map(|us| scale.at(us as f64)), y, row.stopped.is_none_or(|us| us < times[3])))
                @if let Some(us) = row.stopped {
                    path class="limit stop" d={ "M" (at(scale.at(us as f64) - 5.0)) " " (at(y - 5.0)) "l10 10m0 -10l-10 10" } {}
                }
            }
            (values)
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
