//! Values with their errors: a row for each, a point with a bar, an arrow where an end is open.

use std::fmt::Write as _;

use maud::{Markup, html};

use super::scale::{Scale, ScaleKind, number};
use super::{Plot, at, label};

const ROW: f64 = 24.0;
const WIDTH: f64 = 760.0;
const TICKS_MAX: usize = 9;
/// Rows of a group from which it has its axis above as well.
const ROWS_LONG: usize = 20;

/// A row.
#[derive(Debug, Clone)]
pub struct Interval {
    /// What precedes the name.
    pub rank: String,
    /// Whose value it is.
    pub name: String,
    /// The value and the ends of its interval, which may be infinite; none if there is no value.
    pub value: Option<[f64; 3]>,
    /// The value in words.
    pub text: String,
}

/// A plot of groups of rows, which cannot be compared with each other.
#[derive(Debug, Clone)]
pub struct Intervals<'a> {
    /// Its title.
    pub title: &'a str,
    /// How to read it.
    pub description: &'a str,
    /// What is measured.
    pub unit: &'a str,
    /// The rows by group, each with its heading, which may be empty.
    pub groups: Vec<(String, Vec<Interval>)>,
    /// A line at this value, and its name.
    pub anchor: (f64, &'a str),
}

impl Intervals<'_> {
    /// The plot.
    #[must_use]
    pub fn plot(&self) -> Plot {
        let rows = || self.groups.iter().flat_map(|(_, rows)| rows);
        let ranks = label::widest(rows().map(|row| row.rank.as_str())) + 8.0;
        let left = ranks + label::widest(rows().map(|row| row.name.as_str())) + 14.0;
        let right = label::widest(rows().map(|row| row.text.as_str())) + 18.0;
        let ends = rows().filter_map(|row| row.value).flatten();
        let scale = Scale::new(ScaleKind::Linear, ends.chain([self.anchor.0]), [left, WIDTH - right]).widened();
        let mut top = 0.0;
        let body = html! {
            @for (heading, group) in &self.groups {
                @if !heading.is_empty() {
                    text class="dim strong" x="0" y=(at(top + 16.0)) { (heading) }
                    @let () = top += 24.0;
                }
                (self.group(group, &scale, [ranks, left], top))
                @let () = top += group_height(group.len());
            }
        };
        Plot::new(self.title, self.description, [WIDTH, top], body)
    }

    fn group(&self, rows: &[Interval], scale: &Scale, [ranks, left]: [f64; 2], top: f64) -> Markup {
        let begin = top + above(rows.len());
        let end = begin + rows.len() as f64 * ROW;
        let (anchor, name) = (scale.at(self.anchor.0), self.anchor.1);
        html! {
            @for tick in scale.ticks(TICKS_MAX) {
                @let x = at(scale.at(tick));
                path class="grid" d={ "M" (x) " " (at(begin)) "V" (at(end)) } {}
                @if rows.len() > ROWS_LONG {
                    text class="dim" x=(x) y=(at(begin - 8.0)) text-anchor="middle" { (number(tick)) }
                }
                text class="dim" x=(x) y=(at(end + 16.0)) text-anchor="middle" { (number(tick)) }
            }
            path class="anchor" d={ "M" (at(anchor)) " " (at(begin)) "V" (at(end)) } {}
            text class="dim" x=(at(anchor)) y=(at(end + 33.0)) text-anchor="middle" { (self.unit) " (" (name) ")" }
            @for (index, row) in rows.iter().enumerate() {
                @let y = begin + (index as f64 + 0.5) * ROW;
                g {
                    title { (row.name) " " (row.text) }
                    text class="dim" x=(at(ranks - 8.0)) y=(at(y + 4.0)) text-anchor="end" { (row.rank) }
                    text x=(at(ranks)) y=(at(y + 4.0)) { (label::short(&row.name)) }
                    @if let Some(value) = row.value { (bar(value, scale, y, left)) }
                    text class="dim" x=(at(WIDTH)) y=(at(y + 4.0)) text-anchor="end" { (row.text) }
                }
            }
        }
    }
}

fn above(rows: usize) -> f64 {
    if rows > ROWS_LONG { 24.0 } else { 4.0 }
}

fn group_height(rows: usize) -> f64 {
    above(rows) + rows as f64 * ROW + 44.0
}

/// A line with a dot. Where an end is unbounded, there is an arrow at the end of the scale, and the dot, which virtual draws have
/// placed, is open.
fn bar([value, lo, hi]: [f64; 3], scale: &Scale, y: f64, left: f64) -> Markup {
    let end = |value: f64, open: f64| (scale.at(if value.is_finite() { value } else { open }), value.is_finite());
    let path = whisker([end(lo, f64::NEG_INFINITY), end(hi, f64::INFINITY)], y, left);
    html! {
        g class="c0" {
            path class="line" d=(path) {}
            @if value.is_finite() {
                circle class=(if lo.is_finite() && hi.is_finite() { "solid" } else { "open" }) cx=(at(scale.at(value))) cy=(at(y)) r="4.5" {}
            }
        }
    }
}

/// The path of an interval: a line that is not drawn left of `left`, with a stroke at each end that is bounded and an arrow at
/// the others.
fn whisker(ends: [(f64, bool); 2], y: f64, left: f64) -> String {
    let mut path = format!("M{} {}H{}", at(ends[0].0.max(left)), at(y), at(ends[1].0));
    for ((x, is_bounded), toward) in ends.into_iter().zip([1.0, -1.0]) {
        let _ = if is_bounded {
            write!(path, "M{} {}v10", at(x), at(y - 5.0))
        } else {
            write!(path, "M{} {}l{} 5 {} 5", at(x + 6.0 * toward), at(y - 5.0), at(-6.0 * toward), at(6.0 * toward))
        };
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unbounded_rating_is_no_known_point() {
        let dots = |hi: f64| {
            let row = Interval {
                rank: "1".to_owned(),
                name: "a".to_owned(),
                value: Some([9.0, 1.0, hi]),
                text: String::new(),
            };
            let groups = vec![(String::new(), vec![row])];
            let plot = Intervals { title: "t", description: "d", unit: "Elo", groups, anchor: (0.0, "mean") }.plot();
            let drawn = plot.body.into_string();
            ["solid", "open"].map(|class| drawn.matches(&format!("circle class=\"{class}\"")).count())
        };
        assert_eq!([dots(20.0), dots(f64::INFINITY)], [[1, 0], [0, 1]]);
    }
}
