//! Lines with bands, labelled at their ends.

use maud::{Markup, html};

use super::scale::{Scale, ScaleKind, number, time};
use super::{NARROW, Plot, at, colour, label, polyline};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 58.0;
const TOP: f64 = 22.0;
/// What is below the horizontal axis: its numbers and its name.
const FOOT: f64 = 40.0;
/// Height on a narrow page, without the names below, and space for the numbers of the axis.
const NARROW_HEIGHT: f64 = 260.0;
const NARROW_LEFT: f64 = 50.0;
/// Distance of labels.
const LABEL: f64 = 15.0;
/// Height of a line of names on a narrow page.
const ROW: f64 = 17.0;
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

/// The ends of the axes, and how many numbers they have at most.
#[derive(Debug, Clone, Copy)]
struct Frame {
    left: f64,
    right: f64,
    bottom: f64,
    ticks: usize,
}

impl LinesPlot<'_> {
    /// The plot.
    #[must_use]
    pub fn plot(&self) -> Plot {
        let names = label::widest(self.series.iter().map(|series| series.name.as_str()));
        let frame = Frame { left: LEFT, right: WIDTH - names - 26.0, bottom: HEIGHT - FOOT, ticks: 11 };
        let (_, y) = self.scales(&frame);
        let ends: Vec<f64> =
            self.series.iter().map(|series| y.at(series.last().map_or(0.0, |(_, value)| value))).collect();
        let labels = label::spread(&ends, LABEL, [TOP + 4.0, frame.bottom]);
        let name = |index: usize, from: [f64; 2], text: &str| {
            let to = [frame.right, labels[index]];
            html! {
                path class="lead" d={ "M" (at(from[0])) " " (at(from[1])) "L" (at(to[0] + 4.0)) " " (at(to[1])) "h10" } {}
                text x=(at(to[0] + 18.0)) y=(at(to[1] + 4.0)) { (text) }
            }
        };
        let mut plot = Plot::new(self.title, self.description, [WIDTH, HEIGHT], self.drawing(&frame, name));
        plot.narrow = Some(self.narrow());
        plot
    }

    /// The plot for a narrow page, where the names are below: its height, and what is drawn.
    fn narrow(&self) -> (f64, Markup) {
        let frame = Frame { left: NARROW_LEFT, right: NARROW - 8.0, bottom: NARROW_HEIGHT - FOOT, ticks: 6 };
        let name = |index: usize, _: [f64; 2], text: &str| {
            let y = NARROW_HEIGHT + (index as f64 + 0.5) * ROW;
            html! {
                path class="line" d={ "M" (at(4.0)) " " (at(y)) "h34" } {}
                text x=(at(NARROW_LEFT)) y=(at(y + 4.0)) { (text) }
            }
        };
        (NARROW_HEIGHT + self.series.len() as f64 * ROW + 4.0, self.drawing(&frame, name))
    }

    fn scales(&self, frame: &Frame) -> (Scale, Scale) {
        let places = self.x.0.iter().copied().chain(self.x_from);
        let x = Scale::new(ScaleKind::Linear, places, [frame.left, frame.right]);
        let y = Scale::new(self.y.0, self.values(), [frame.bottom, TOP]);
        (x, if self.y.0 == ScaleKind::Linear { y.widened() } else { y })
    }

    /// Axes and lines. `name` draws the name of a line, given its number, where it ends, and the name.
    fn drawing(&self, frame: &Frame, name: impl Fn(usize, [f64; 2], &str) -> Markup) -> Markup {
        let (x, y) = self.scales(frame);
        let few = (self.series.len() <= BANDS_MAX).then_some("few");
        html! {
            (self.axes(&x, &y, frame))
            g class=[few] {
                @for (index, series) in self.series.iter().enumerate() {
                    g class={ "series " (colour(index)) } {
                        title { (series.name) }
                        (self.line(series, &x, &y))
                        @if let Some((place, value)) = series.last() {
                            @let end = [x.at(self.x.0[place]), y.at(value)];
                            circle class="solid" cx=(at(end[0])) cy=(at(end[1])) r="3" {}
                            (name(index, end, &label::short(&series.name)))
                        }
                    }
                }
            }
        }
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

    fn axes(&self, x: &Scale, y: &Scale, &Frame { left, right, bottom, ticks }: &Frame) -> Markup {
        let ticks = x.ticks(ticks).into_iter().filter(|tick| tick.fract() == 0.0);
        html! {
            @for tick in y.ticks(8) {
                @let place = y.at(tick);
                path class="grid" d={ "M" (at(left)) " " (at(place)) "H" (at(right)) } {}
                text class="dim" x=(at(left - 8.0)) y=(at(place + 4.0)) text-anchor="end" {
                    (if self.y.0 == ScaleKind::Log { time(tick) } else { number(tick) })
                }
            }
            @for tick in ticks {
                @let place = at(x.at(tick));
                path class="axis" d={ "M" (place) " " (at(bottom)) "v5" } {}
                text class="dim" x=(place) y=(at(bottom + 18.0)) text-anchor="middle" { (number(tick)) }
            }
            path class="axis" d={ "M" (at(left)) " " (at(bottom)) "H" (at(right)) } {}
            text class="dim" x=(at(f64::midpoint(left, right))) y=(at(bottom + 36.0)) text-anchor="middle" { (self.x.1) }
            text class="dim" x="0" y="10" { (self.y.1) }
            @if let Some((limit, name)) = &self.limit {
                @let place = y.at(*limit);
                path class="limit" d={ "M" (at(left)) " " (at(place)) "H" (at(right)) } {}
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
