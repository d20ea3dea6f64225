//! Lines with bands, labelled at their ends.

use maud::{Markup, html};

use super::scale::{Scale, ScaleKind, number, time};
use super::{Plot, at, colour, label, polyline};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 58.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = HEIGHT - 40.0;
/// Distance of labels.
const LABEL: f64 = 15.0;
/// Lines of which all bands are visible; those of others are when pointed at.
const BANDS_MAX: usize = 3;

/// A line.
#[derive(Debug, Clone)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// For each place on the axis: the value and the ends of its band, which may be infinite; none where there is none.
    pub points: Vec<Option<[f64; 3]>>,
}

/// A plot of lines.
#[derive(Debug, Clone)]
pub struct LinesPlot<'a> {
    /// Its title.
    pub title: &'a str,
    /// How to read it.
    pub description: &'a str,
    /// The places on the horizontal axis, and its name.
    pub x: (Vec<f64>, &'a str),
    /// A value that the horizontal axis has besides the places.
    pub x_from: Option<f64>,
    /// The scale of the values, and its name; a logarithmic one is of microseconds.
    pub y: (ScaleKind, &'a str),
    /// A line at this value, and its name.
    pub limit: Option<(f64, String)>,
    /// The lines.
    pub series: Vec<Series>,
}

impl LinesPlot<'_> {
    /// The plot.
    #[must_use]
    pub fn plot(&self) -> Plot {
        let right = WIDTH - label::widest(self.series.iter().map(|series| series.name.as_str())) - 26.0;
        let places = self.x.0.iter().copied().chain(self.x_from);
        let x = Scale::new(ScaleKind::Linear, places, [LEFT, right]);
        let y = Scale::new(self.y.0, self.values(), [BOTTOM, TOP]);
        let y = if self.y.0 == ScaleKind::Linear { y.widened() } else { y };
        let ends: Vec<f64> =
            self.series.iter().map(|series| y.at(series.last().map_or(0.0, |(_, value)| value))).collect();
        let labels = label::spread(&ends, LABEL, [TOP + 4.0, BOTTOM]);
        let few = (self.series.len() <= BANDS_MAX).then_some("few");
        let body = html! {
            (self.axes(&x, &y, right))
            g class=[few] {
                @for (index, series) in self.series.iter().enumerate() {
                    g class={ "series " (colour(index)) } {
                        title { (series.name) }
                        (self.line(series, &x, &y))
                        @if let Some((place, value)) = series.last() {
                            @let [from, to] = [[x.at(self.x.0[place]), y.at(value)], [right, labels[index]]];
                            circle class="solid" cx=(at(from[0])) cy=(at(from[1])) r="3" {}
                            path class="lead" d={ "M" (at(from[0])) " " (at(from[1])) "L" (at(to[0] + 4.0)) " " (at(to[1])) "h10" } {}
                            text x=(at(to[0] + 18.0)) y=(at(to[1] + 4.0)) { (label::short(&series.name)) }
                        }
                    }
                }
            }
        };
        Plot::new(self.title, self.description, [WIDTH, HEIGHT], body)
    }

    /// What the vertical axis must have: all values, the bands at the end, on a logarithmic axis all bands, and the limit.
    fn values(&self) -> impl Iterator<Item = f64> {
        let values = self.series.iter().flat_map(|series| series.points.iter().flatten().map(|point| point[0]));
        let bands = self.series.iter().filter_map(|series| series.points.last().copied().flatten());
        let limit = self.limit.iter().map(|(limit, _)| *limit);
        let is_log = self.y.0 == ScaleKind::Log;
        let whole = self.series.iter().filter(move |_| is_log).flat_map(|series| series.points.iter().flatten());
        values.chain(bands.flatten()).chain(whole.copied().flatten()).chain(limit)
    }

    fn axes(&self, x: &Scale, y: &Scale, right: f64) -> Markup {
        let ticks = x.ticks(11).into_iter().filter(|tick| tick.fract() == 0.0);
        html! {
            @for tick in y.ticks(8) {
                @let place = y.at(tick);
                path class="grid" d={ "M" (at(LEFT)) " " (at(place)) "H" (at(right)) } {}
                text class="dim" x=(at(LEFT - 8.0)) y=(at(place + 4.0)) text-anchor="end" {
                    (if self.y.0 == ScaleKind::Log { time(tick) } else { number(tick) })
                }
            }
            @for tick in ticks {
                @let place = at(x.at(tick));
                path class="axis" d={ "M" (place) " " (at(BOTTOM)) "v5" } {}
                text class="dim" x=(place) y=(at(BOTTOM + 18.0)) text-anchor="middle" { (number(tick)) }
            }
            path class="axis" d={ "M" (at(LEFT)) " " (at(BOTTOM)) "H" (at(right)) } {}
            text class="dim" x=(at(f64::midpoint(LEFT, right))) y=(at(BOTTOM + 36.0)) text-anchor="middle" { (self.x.1) }
            text class="dim" x="0" y="10" { (self.y.1) }
            @if let Some((limit, name)) = &self.limit {
                @let place = y.at(*limit);
                path class="limit" d={ "M" (at(LEFT)) " " (at(place)) "H" (at(right)) } {}
                text class="dim" x=(at(right)) y=(at(place - 5.0)) text-anchor="end" { (name) }
            }
        }
    }

    /// A line and its band, in pieces where points are missing.
    fn line(&self, series: &Series, x: &Scale, y: &Scale) -> Markup {
        let points: Vec<_> = self.x.0.iter().zip(&series.points).map(|(x, point)| Some((*x, (*point)?))).collect();
        let (mut line, mut band) = (String::new(), String::new());
        for piece in points.split(Option::is_none) {
            let place = |(at_x, [value, lo, hi]): (f64, [f64; 3])| [x.at(at_x), y.at(value), y.at(lo), y.at(hi)];
            let places: Vec<[f64; 4]> = piece.iter().flatten().copied().map(place).collect();
            line.push_str(&polyline(places.iter().map(|[x, value, ..]| [*x, *value])));
            let upper = places.iter().map(|[x, _, _, hi]| [*x, *hi]);
            let lower = places.iter().rev().map(|[x, _, lo, _]| [*x, *lo]);
            band.push_str(&polyline(upper.chain(lower)));
            band.push_str(if places.is_empty() { "" } else { "z" });
        }
        html! {
            path class="band" d=(band) {}
            path class="hit" d=(line) {}
            path class="line" d=(line) {}
        }
    }
}

impl Series {
    /// The last point and its value.
    fn last(&self) -> Option<(usize, f64)> {
        self.points.iter().enumerate().rev().find_map(|(place, point)| Some((place, (*point)?[0])))
    }
}
