//! Plots as SVG, for the report and as files. Every plot has a title and a description, numbers with one decimal at most,
//! and classes for all colours, so that a page that forbids inline styles can show it.

mod by_tag;
mod intervals;
mod label;
mod lines;
mod matches;
mod matrix;
mod scale;
mod spans;
mod style;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html};

pub use by_tag::{ByTag, TaggedValue};
pub use intervals::{Interval, Intervals};
pub use lines::{LinesPlot, Series};
pub use matches::competition;
pub use scale::ScaleKind;
pub use scale::{Scale, range};
pub use spans::{Span, Spans};

/// Height of the title in a file.
const HEAD: f64 = 50.0;
/// Space around the plot in a file.
const MARGIN: f64 = 16.0;
/// Width of a plot for a narrow page, such as that of a phone.
const NARROW: f64 = 312.0;
/// Columns of a name at most.
const NAME_COLUMNS: usize = 32;

/// A drawing with its name.
#[derive(Debug, Clone)]
pub struct Plot {
    /// What it shows.
    pub title: String,
    /// How to read it.
    pub description: String,
    width: f64,
    height: f64,
    body: Markup,
    /// The same for a narrow page: its height and what is drawn.
    narrow: Option<(f64, Markup)>,
    /// The names of the rows, which are drawn left of this place and stay there while the rest is scrolled.
    names: Option<(f64, Markup)>,
}

impl Plot {
    fn new(title: &str, description: &str, [width, height]: [f64; 2], body: Markup) -> Self {
        let (title, description) = (title.to_owned(), description.to_owned());
        Self { title, description, width, height, body, narrow: None, names: None }
    }

    /// The picture for a page that has the rules of `chart.css` and the title near it. The page shows the one for its width.
    #[must_use]
    pub fn in_page(&self) -> Markup {
        let drawing = |class: &str, [width, height]: [f64; 2], body: &Markup| {
            html! {
                svg class=(class) viewBox={ "0 0 " (at(width)) " " (at(height)) } role="img" {
                    title { (self.title) }
                    desc { (self.description) }
                    (body)
                }
            }
        };
        html! {
            (drawing(if self.narrow.is_some() { "chart wide" } else { "chart" }, [self.width, self.height], &self.body))
            @if let Some((height, body)) = &self.narrow { (drawing("chart narrow", [NARROW, *height], body)) }
        }
    }

    /// The picture in its own size, with links in it, for a page as [`Plot::in_page`].
    #[must_use]
    pub fn with_links(&self) -> Markup {
        let left = self.names.as_ref().map_or(0.0, |(left, _)| *left);
        let drawing = |from: f64, to: f64, label: &str, body: &Markup| {
            let [from, width, height] = [from, to - from, self.height].map(at);
            html! {
                svg class="chart" width=(width) height=(height) viewBox={ (from) " 0 " (width) " " (height) } role="group" aria-label=(label) {
                    (body)
                }
            }
        };
        let body = drawing(left, self.width, &self.title, &self.body);
        match &self.names {
            Some((_, names)) => html! { div class="split" { (drawing(0.0, left, "Names", names)) (body) } },
            None => body,
        }
    }

    /// A file of its own, with its style for both themes and its title on top.
    #[must_use]
    pub fn file(&self) -> String {
        let lines = label::wrapped(&self.description, self.width + MARGIN);
        let top = HEAD + 17.0 * lines.len() as f64;
        let size = [self.width + 2.0 * MARGIN, self.height + top + MARGIN];
        let heading = html! {
            text class="heading" x=(at(MARGIN)) y="30" { (self.title) }
            @for (index, line) in lines.iter().enumerate() {
                text class="dim" x=(at(MARGIN)) y=(at(52.0 + 17.0 * index as f64)) { (line) }
            }
            g transform={ "translate(" (at(MARGIN)) " " (at(top)) ")" } {
                @if let Some((_, names)) = &self.names { (names) }
                (self.body)
            }
        };
        whole_file(size, &self.title, &self.description, &heading)
    }
}

/// A file of this width and height with the style of plots, a background, and `body` before it.
#[must_use]
pub fn whole_file(size: [f64; 2], title: &str, description: &str, body: &Markup) -> String {
    let [width, height] = size.map(at);
    let svg = html! {
        svg xmlns="http://www.w3.org/2000/svg" class="chart" width=(width) height=(height)
            viewBox={ "0 0 " (width) " " (height) } role="img" {
            title { (title) }
            desc { (description) }
            style { (PreEscaped(style::of_file())) }
            rect class="paper" width=(width) height=(height) {}
            (body)
        }
    };
    // One element a line, so that changes can be read.
    format!("{}\n", svg.into_string().replace("><", ">\n<"))
}

/// A coordinate with one decimal at most; 0 for what is not finite, which is not drawn where it would matter.
#[must_use]
pub fn at(value: f64) -> String {
    if !value.is_finite() {
        return "0".to_owned();
    }
    let text = format!("{value:.1}");
    let text = text.trim_end_matches(".0");
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// The path of a line through these points, each after the first relative to the one before it, which takes fewer bytes.
fn polyline(points: impl IntoIterator<Item = [f64; 2]>) -> String {
    let mut path = String::new();
    let mut last = [0.0; 2];
    for (index, point) in points.into_iter().enumerate() {
        // Differences of rounded places, so that their errors do not add up.
        let point = point.map(|place| if place.is_finite() { (place * 10.0).round() / 10.0 } else { 0.0 });
        let [x, y] = [0, 1].map(|axis| at(point[axis] - last[axis]));
        path.push_str(["M", "l", " "][index.min(2)]);
        let _ = write!(path, "{x} {y}");
        last = point;
    }
    path.replace(" -", "-")
}

/// The class of the colour of a series.
fn colour(index: usize) -> String {
    let dashed = if index >= style::SERIES { " dash" } else { "" };
    format!("c{}{dashed}", index % style::SERIES)
}
