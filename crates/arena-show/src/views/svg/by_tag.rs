//! Values with their errors over what people say about each bot: over a number, or a column for each of several words. With a
//! second tag, a line for each of its values.

use arena_core::tags::TagValue;
use maud::{Markup, html};

use super::scale::{Scale, ScaleKind, number};
use super::{Plot, at, colour, label, polyline};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = WIDTH - 16.0;
/// Between the axis and the names of lines.
const NAMES_GAP: f64 = 26.0;
/// Distance of the names of lines.
const NAME_HEIGHT: f64 = 15.0;
/// Distance of lines, so that their intervals stand side by side, and of the first from the last at most.
const LINES_ASIDE: [f64; 2] = [5.0, 30.0];
/// Different dashes.
const DASHES: usize = 4;
const TOP: f64 = 22.0;
const BOTTOM: f64 = HEIGHT - 40.0;
/// Distance of points with the same value.
const ASIDE: f64 = 7.0;
/// Positive numbers whose ratio is at least this are spread by ratios.
const RATIO_LOG: f64 = 50.0;
/// Points at most of which those that stand alone have their names beside them.
const NAMED_MAX: usize = 12;

/// A bot.
#[derive(Debug, Clone)]
pub struct TaggedValue {
    /// Whose value it is.
    pub name: String,
    /// What is said about it.
    pub tag: TagValue,
    /// The value of the second tag, which is the line that it belongs to; none if there is no second tag.
    pub line: Option<TagValue>,
    /// The value and the ends of its interval, which may be infinite.
    pub value: [f64; 3],
    /// The value in words.
    pub text: String,
}

/// A plot of values by a tag.
#[derive(Debug, Clone)]
pub struct ByTag<'a> {
    /// Its title.
    pub title: &'a str,
    /// How to read it.
    pub description: &'a str,
    /// The name of the tag.
    pub tag: &'a str,
    /// The name of the second tag, if there is one.
    pub line_tag: Option<&'a str>,
    /// What is measured.
    pub unit: &'a str,
    /// The bots.
    pub points: Vec<TaggedValue>,
    /// A line at this value.
    pub anchor: f64,
}

/// The horizontal axis.
struct Axis {
    kind: AxisKind,
    right: f64,
}

enum AxisKind {
    /// Numbers, and whether by ratios.
    Numbers(Scale, bool),
    /// Words, in order.
    Words(Vec<TagValue>),
}

/// Different values in order; equal numbers are one.
fn distinct<'a>(values: impl Iterator<Item = &'a TagValue>) -> Vec<TagValue> {
    let mut values: Vec<TagValue> = values.cloned().collect();
    values.sort_by(TagValue::order);
    values.dedup_by(|a, b| a.is_same(b));
    values
}

impl Axis {
    /// An axis of numbers if all values are some.
    fn of(points: &[TaggedValue], right: f64) -> Self {
        let numbers: Option<Vec<f64>> = points.iter().map(|point| point.tag.number()).collect();
        let Some(numbers) = numbers else {
            return Self { kind: AxisKind::Words(distinct(points.iter().map(|point| &point.tag))), right };
        };
        let [least, most] = super::range(numbers.iter().copied()).unwrap_or_default();
        let is_log = least >= 1.0 && most / least >= RATIO_LOG;
        let kind = if is_log { ScaleKind::Log } else { ScaleKind::Linear };
        Self { kind: AxisKind::Numbers(Scale::new(kind, numbers, [LEFT, right]).widened(), is_log), right }
    }

    /// The place of a value.
    fn at(&self, tag: &TagValue) -> f64 {
        match &self.kind {
            AxisKind::Numbers(scale, _) => scale.at(tag.number().unwrap_or_default()),
            AxisKind::Words(words) => {
                let place = words.iter().position(|word| word.is_same(tag)).unwrap_or_default();
                LEFT + (self.right - LEFT) * (place as f64 + 0.5) / words.len().max(1) as f64
            }
        }
    }

    /// The marks, with their labels.
    fn ticks(&self) -> Vec<(f64, String)> {
        match &self.kind {
            AxisKind::Numbers(scale, _) => {
                scale.ticks(11).into_iter().map(|tick| (scale.at(tick), number(tick))).collect()
            }
            AxisKind::Words(words) => {
                let room = (self.right - LEFT) / words.len().max(1) as f64;
                words.iter().map(|word| (self.at(word), label::fitting(&word.to_string(), room))).collect()
            }
        }
    }
}

impl ByTag<'_> {
    /// The plot.
    #[must_use]
    pub fn plot(&self) -> Plot {
        let lines = distinct(self.points.iter().filter_map(|point| point.line.as_ref()));
        let ends = self.points.iter().flat_map(|point| point.value).chain([self.anchor]);
        let y = Scale::new(ScaleKind::Linear, ends, [BOTTOM, TOP]).widened();
        let body = match self.line_tag {
            Some(line_tag) => self.lines(line_tag, &lines, &y),
            None => self.columns(&y),
        };
        Plot::new(self.title, self.description, [WIDTH, HEIGHT], body)
    }

    /// Bots of the same value side by side.
    fn columns(&self, y: &Scale) -> Markup {
        let axis = Axis::of(&self.points, RIGHT);
        let places = aside(&self.points.iter().map(|point| axis.at(&point.tag)).collect::<Vec<_>>());
        let is_named = |is_alone| is_alone && self.points.len() <= NAMED_MAX;
        html! {
            (self.axes(&axis, y))
            @for (point, (x, is_alone)) in self.points.iter().zip(places) {
                g {
                    title { (point.name) " (" (self.tag) " " (point.tag) "): " (point.text) }
                    g class="c0" { (bar(point.value, x, y, "line")) }
                    @if is_named(is_alone) {
                        @let is_left = x > RIGHT - label::width(&label::short(&point.name)) - 12.0;
                        @let (place, anchor) = if is_left { (x - 8.0, "end") } else { (x + 8.0, "start") };
                        text class="small dim" x=(at(place)) y=(at(y.at(point.value[0]) - 5.0)) text-anchor=(anchor) { (label::short(&point.name)) }
                    }
                }
            }
        }
    }

    /// A line for each value of the second tag, through the mean of its values at each place, with its name at the right end.
    fn lines(&self, line_tag: &str, lines: &[TagValue], y: &Scale) -> Markup {
        let names: Vec<String> = lines.iter().map(TagValue::to_string).collect();
        let right = WIDTH - label::widest(names.iter().map(String::as_str).chain([line_tag])) - NAMES_GAP;
        let axis = Axis::of(&self.points, right);
        let step = LINES_ASIDE[0].min(LINES_ASIDE[1] / lines.len().max(1) as f64);
        let drawn: Vec<Line<'_>> = (0..)
            .zip(lines)
            .map(|(index, line)| {
                let aside = (f64::from(index) - (lines.len() - 1) as f64 / 2.0) * step;
                let own = self.points.iter().filter(|point| point.line.as_ref().is_some_and(|own| own.is_same(line)));
                Line::of(own.map(|point| (axis.at(&point.tag) + aside, point)).collect(), y)
            })
            .collect();
        let ends: Vec<f64> = drawn.iter().map(|line| line.means.last().map_or(BOTTOM, |end| end[1])).collect();
        let labels = label::spread(&ends, NAME_HEIGHT, [TOP + 10.0, BOTTOM]);
        html! {
            (self.axes(&axis, y))
            text class="small dim" x=(at(right + 18.0)) y="10" { (label::short(line_tag)) }
            @for (index, (line, name)) in drawn.iter().zip(&names).enumerate() {
                g class={ "series " (colour(index)) " d" (index % DASHES) } {
                    title { (line_tag) " " (name) }
                    path class="line" d=(polyline(line.means.iter().copied())) {}
                    @for (x, point) in &line.points {
                        g {
                            title { (point.name) " (" (self.tag) " " (point.tag) ", " (line_tag) " " (name) "): " (point.text) }
                            (bar(point.value, *x, y, "thin"))
                        }
                    }
                    @if let Some(end) = line.means.last() {
                        path class="lead" d={ "M" (at(end[0])) " " (at(end[1])) "L" (at(right)) " " (at(labels[index])) } {}
                        path class="line" d={ "M" (at(right)) " " (at(labels[index])) "h14" } {}
                        text x=(at(right + 18.0)) y=(at(labels[index] + 4.0)) { (label::short(name)) }
                    }
                }
            }
        }
    }

    fn axes(&self, axis: &Axis, y: &Scale) -> Markup {
        let is_log = matches!(axis.kind, AxisKind::Numbers(_, true));
        html! {
            @for tick in y.ticks(8) {
                @let place = y.at(tick);
                path class="grid" d={ "M" (at(LEFT)) " " (at(place)) "H" (at(axis.right)) } {}
                text class="dim" x=(at(LEFT - 8.0)) y=(at(place + 4.0)) text-anchor="end" { (number(tick)) }
            }
            path class="anchor" d={ "M" (at(LEFT)) " " (at(y.at(self.anchor))) "H" (at(axis.right)) } {}
            @for (place, label) in axis.ticks() {
                path class="axis" d={ "M" (at(place)) " " (at(BOTTOM)) "v5" } {}
                text class="dim" x=(at(place)) y=(at(BOTTOM + 18.0)) text-anchor="middle" { (label) }
            }
            path class="axis" d={ "M" (at(LEFT)) " " (at(BOTTOM)) "H" (at(axis.right)) } {}
            text class="dim" x=(at(f64::midpoint(LEFT, axis.right))) y=(at(BOTTOM + 36.0)) text-anchor="middle" {
                (self.tag) @if is_log { " (logarithmic)" }
            }
            text class="dim" x="0" y="10" { (self.unit) }
        }
    }
}

/// The points of one line.
struct Line<'a> {
    /// Each with its place.
    points: Vec<(f64, &'a TaggedValue)>,
    /// Where the line goes: from left to right, the mean of the values at each place.
    means: Vec<[f64; 2]>,
}

impl<'a> Line<'a> {
    fn of(mut points: Vec<(f64, &'a TaggedValue)>, y: &Scale) -> Self {
        points.sort_by(|(x, _), (other, _)| x.total_cmp(other));
        let at_place = |same: &[(f64, &TaggedValue)]| {
            let values: Vec<f64> =
                same.iter().map(|(_, point)| point.value[0]).filter(|value| value.is_finite()).collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            (!values.is_empty()).then(|| [same[0].0, y.at(mean)])
        };
        let means = points.chunk_by(|(x, _), (other, _)| (x - other).abs() < 0.05).filter_map(at_place).collect();
        Self { points, means }
    }
}

/// These places, of which those that are the same stand side by side, and whether each is alone.
fn aside(places: &[f64]) -> Vec<(f64, bool)> {
    let near = |place: f64| move |other: &&f64| (*other - place).abs() < 0.05;
    let moved = |(index, place): (usize, &f64)| {
        let (all, before) =
            (places.iter().filter(near(*place)).count(), places[..index].iter().filter(near(*place)).count());
        (place + (before as f64 - (all - 1) as f64 / 2.0) * ASIDE, all == 1)
    };
    places.iter().enumerate().map(moved).collect()
}

/// A dot with its interval; where an end is unbounded, the dot is open and there is an arrow at the end of the scale.
fn bar([value, lo, hi]: [f64; 3], x: f64, y: &Scale, class: &str) -> Markup {
    let end = |end: f64, sign: f64| {
        let place = y.at(if end.is_finite() { end } else { sign * f64::MAX });
        let toward = 6.0 * sign;
        if end.is_finite() {
            format!("M{} {}h8", at(x - 4.0), at(place))
        } else {
            format!("M{} {}l4 {}l4 {}", at(x - 4.0), at(place + toward), at(-toward), at(toward))
        }
    };
    let [bottom, top] =
        [(lo, -1.0), (hi, 1.0)].map(|(end, sign)| y.at(if end.is_finite() { end } else { sign * f64::MAX }));
    let line = format!("M{} {}V{}{}{}", at(x), at(bottom), at(top), end(lo, -1.0), end(hi, 1.0));
    let dot = if lo.is_finite() && hi.is_finite() { "solid" } else { "open" };
    html! {
        path class=(class) d=(line) {}
        @if value.is_finite() { circle class=(dot) cx=(at(x)) cy=(at(y.at(value))) r="4.5" {} }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(name: &str, tag: &str, value: [f64; 3]) -> TaggedValue {
        let tag = serde_json::from_str(tag).unwrap();
        TaggedValue { name: name.to_owned(), tag, line: None, value, text: "0".to_owned() }
    }

    fn drawn(points: Vec<TaggedValue>) -> String {
        ByTag { title: "t", description: "d", tag: "c", line_tag: None, unit: "Elo", points, anchor: 0.0 }
            .plot()
            .body
            .into_string()
    }

    #[test]
    fn numbers_are_on_a_scale_and_all_else_in_columns() {
        let kind = |tags: &[&str]| {
            let points: Vec<TaggedValue> = tags.iter().map(|tag| point("a", tag, [0.0; 3])).collect();
            match Axis::of(&points, RIGHT).kind {
                AxisKind::Numbers(_, is_log) => format!("numbers {is_log}"),
                AxisKind::Words(words) => words.iter().map(TagValue::to_string).collect::<Vec<_>>().join(" "),
            }
        };
        assert_eq!(kind(&["0.5", "1.4", "-2"]), "numbers false");
        assert_eq!(kind(&["10", "1000"]), "numbers true");
        assert_eq!(kind(&["0", "1000"]), "numbers false");
        assert_eq!(kind(&["\"b\"", "10", "\"a\"", "9", "\"b\"", "true"]), "9 10 a b true");
        assert_eq!(kind(&["\"a\"", "1", "1.0", "10e-1"]), "1 a", "equal numbers are one place");
    }

    #[test]
    fn equal_values_stand_side_by_side() {
        assert_eq!(aside(&[10.0, 50.0, 10.0, 10.0]), [(3.0, false), (50.0, true), (10.0, false), (17.0, false)]);
    }

    #[test]
    fn an_unbounded_rating_is_an_open_dot_and_nothing_is_no_number() {
        let all = drawn(vec![point("a", "1", [1.0, f64::NEG_INFINITY, 3.0]), point("b", "2", [1.0, 0.0, 3.0])]);
        assert_eq!([all.matches("\"open\"").count(), all.matches("\"solid\"").count()], [1, 1]);
        for strange in [vec![], vec![point("<b>", "\"<&>\"", [f64::NAN, f64::NEG_INFINITY, f64::INFINITY])]] {
            let all = drawn(strange);
            assert!(!all.contains("NaN") && !all.contains("inf") && !all.contains("<b>"), "{all}");
        }
    }

    #[test]
    fn a_line_goes_through_the_means_of_its_points() {
        let line = |name: &str, c: &str, n: &str, value: f64| {
            let mut point = point(name, c, [value, value - 10.0, value + 10.0]);
            point.line = Some(serde_json::from_str(n).unwrap());
            point
        };
        let points = vec![
            line("a", "1", "8", 0.0),
            line("b", "2", "8.0", 50.0),
            line("c", "2", "8", 70.0),
            line("d", "1", "\"many <&>\"", -30.0),
            line("e", "3", "\"many <&>\"", f64::NAN),
        ];
        let plot =
            ByTag { title: "t", description: "d", tag: "c", line_tag: Some("n"), unit: "Elo", points, anchor: 0.0 };
        let drawn = plot.plot().body.into_string();
        assert_eq!(drawn.matches("class=\"series ").count(), 2, "{drawn}");
        assert!(drawn.contains("series c0 d0") && drawn.contains("series c1 d1"), "{drawn}");
        assert!(!drawn.contains("NaN") && !drawn.contains("<&>"), "{drawn}");
        insta::assert_snapshot!(drawn.replace("><", ">\n<"));
    }
}
