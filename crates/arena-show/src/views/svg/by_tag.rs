//! Values with their errors over what people say about each bot: over a number, or a column for each of several words.

use arena_core::tags::TagValue;
use maud::{Markup, html};

use super::scale::{Scale, ScaleKind, number};
use super::{Plot, at, label};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = WIDTH - 16.0;
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
    /// What is measured.
    pub unit: &'a str,
    /// The bots.
    pub points: Vec<TaggedValue>,
    /// A line at this value.
    pub anchor: f64,
}

/// The horizontal axis.
enum Axis {
    /// Numbers, and whether by ratios.
    Numbers(Scale, bool),
    /// Words, in order.
    Words(Vec<String>),
}

impl Axis {
    /// An axis of numbers if all values are some.
    fn of(points: &[TaggedValue]) -> Self {
        let numbers: Option<Vec<f64>> = points.iter().map(|point| point.tag.number()).collect();
        let Some(numbers) = numbers else {
            let mut words: Vec<&TagValue> = points.iter().map(|point| &point.tag).collect();
            // Numbers among words are in their order, and before them.
            words.sort_by(|a, b| {
                let key = |tag: &TagValue| tag.number().unwrap_or(f64::INFINITY);
                key(a).total_cmp(&key(b)).then_with(|| a.to_string().cmp(&b.to_string()))
            });
            let mut words: Vec<String> = words.into_iter().map(TagValue::to_string).collect();
            words.dedup();
            return Self::Words(words);
        };
        let [least, most] = super::range(numbers.iter().copied()).unwrap_or_default();
        let is_log = least >= 1.0 && most / least >= RATIO_LOG;
        let kind = if is_log { ScaleKind::Log } else { ScaleKind::Linear };
        Self::Numbers(Scale::new(kind, numbers, [LEFT, RIGHT]).widened(), is_log)
    }

    /// The place of a value.
    fn at(&self, tag: &TagValue) -> f64 {
        match self {
            Self::Numbers(scale, _) => scale.at(tag.number().unwrap_or_default()),
            Self::Words(words) => {
                let text = tag.to_string();
                let place = words.iter().position(|word| *word == text).unwrap_or_default();
                LEFT + (RIGHT - LEFT) * (place as f64 + 0.5) / words.len().max(1) as f64
            }
        }
    }

    /// The marks, with their labels.
    fn ticks(&self) -> Vec<(f64, String)> {
        match self {
            Self::Numbers(scale, _) => scale.ticks(11).into_iter().map(|tick| (scale.at(tick), number(tick))).collect(),
            Self::Words(words) => {
                let room = (RIGHT - LEFT) / words.len().max(1) as f64;
                let place =
                    |(index, word): (usize, &String)| (LEFT + room * (index as f64 + 0.5), label::fitting(word, room));
                words.iter().enumerate().map(place).collect()
            }
        }
    }
}

impl ByTag<'_> {
    /// The plot.
    #[must_use]
    pub fn plot(&self) -> Plot {
        let axis = Axis::of(&self.points);
        let ends = self.points.iter().flat_map(|point| point.value).chain([self.anchor]);
        let y = Scale::new(ScaleKind::Linear, ends, [BOTTOM, TOP]).widened();
        let places = aside(&self.points.iter().map(|point| axis.at(&point.tag)).collect::<Vec<_>>());
        let is_named = |is_alone| is_alone && self.points.len() <= NAMED_MAX;
        let body = html! {
            (self.axes(&axis, &y))
            @for (point, (x, is_alone)) in self.points.iter().zip(places) {
                g {
                    title { (point.name) " (" (self.tag) " " (point.tag) "): " (point.text) }
                    (bar(point.value, x, &y))
                    @if is_named(is_alone) {
                        @let is_left = x > RIGHT - label::width(&label::short(&point.name)) - 12.0;
                        @let (place, anchor) = if is_left { (x - 8.0, "end") } else { (x + 8.0, "start") };
                        text class="small dim" x=(at(place)) y=(at(y.at(point.value[0]) - 5.0)) text-anchor=(anchor) { (label::short(&point.name)) }
                    }
                }
            }
        };
        Plot::new(self.title, self.description, [WIDTH, HEIGHT], body)
    }

    fn axes(&self, axis: &Axis, y: &Scale) -> Markup {
        let is_log = matches!(axis, Axis::Numbers(_, true));
        html! {
            @for tick in y.ticks(8) {
                @let place = y.at(tick);
                path class="grid" d={ "M" (at(LEFT)) " " (at(place)) "H" (at(RIGHT)) } {}
                text class="dim" x=(at(LEFT - 8.0)) y=(at(place + 4.0)) text-anchor="end" { (number(tick)) }
            }
            path class="anchor" d={ "M" (at(LEFT)) " " (at(y.at(self.anchor))) "H" (at(RIGHT)) } {}
            @for (place, label) in axis.ticks() {
                path class="axis" d={ "M" (at(place)) " " (at(BOTTOM)) "v5" } {}
                text class="dim" x=(at(place)) y=(at(BOTTOM + 18.0)) text-anchor="middle" { (label) }
            }
            path class="axis" d={ "M" (at(LEFT)) " " (at(BOTTOM)) "H" (at(RIGHT)) } {}
            text class="dim" x=(at(f64::midpoint(LEFT, RIGHT))) y=(at(BOTTOM + 36.0)) text-anchor="middle" {
                (self.tag) @if is_log { " (logarithmic)" }
            }
            text class="dim" x="0" y="10" { (self.unit) }
        }
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
fn bar([value, lo, hi]: [f64; 3], x: f64, y: &Scale) -> Markup {
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
        g class="c0" {
            path class="line" d=(line) {}
            @if value.is_finite() { circle class=(dot) cx=(at(x)) cy=(at(y.at(value))) r="4.5" {} }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(name: &str, tag: &str, value: [f64; 3]) -> TaggedValue {
        let tag = serde_json::from_str(tag).unwrap();
        TaggedValue { name: name.to_owned(), tag, value, text: "0".to_owned() }
    }

    fn drawn(points: Vec<TaggedValue>) -> String {
        ByTag { title: "t", description: "d", tag: "c", unit: "Elo", points, anchor: 0.0 }.plot().body.into_string()
    }

    #[test]
    fn numbers_are_on_a_scale_and_all_else_in_columns() {
        let kind = |tags: &[&str]| {
            let points: Vec<TaggedValue> = tags.iter().map(|tag| point("a", tag, [0.0; 3])).collect();
            match Axis::of(&points) {
                Axis::Numbers(_, is_log) => format!("numbers {is_log}"),
                Axis::Words(words) => words.join(" "),
            }
        };
        assert_eq!(kind(&["0.5", "1.4", "-2"]), "numbers false");
        assert_eq!(kind(&["10", "1000"]), "numbers true");
        assert_eq!(kind(&["0", "1000"]), "numbers false");
        assert_eq!(kind(&["\"b\"", "10", "\"a\"", "9", "\"b\"", "true"]), "9 10 a b true");
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
}
