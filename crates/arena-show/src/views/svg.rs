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
pub use intervals::whisker;
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
}

impl Plot {
    fn new(title: &str, description: &str, [width, height]: [f64; 2], body: Markup) -> Self {
        Self { title: title.to_owned(), description: description.to_owned(), width, height, body }
    }

    /// The picture for a page that has the rules of `chart.css` and the title near it.
    #[must_use]
    pub fn in_page(&self) -> Markup {
        let view = format!("0 0 {} {}", at(self.width), at(self.height));
        html! {
            svg class="chart" viewBox=(view) role="img" {
                title { (self.title) }
                desc { (self.description) }
                (self.body)
            }
        }
    }

    /// The picture in its own size, with links in it, for a page as [`Plot::in_page`].
    #[must_use]
    pub fn with_links(&self) -> Markup {
        let [width, height] = [self.width, self.height].map(at);
        html! {
            svg class="chart" width=(width) height=(height) viewBox={ "0 0 " (width) " " (height) } role="group" aria-label=(self.title) {
                (self.body)
            }
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
            g transform={ "translate(" (at(MARGIN)) " " (at(top)) ")" } { (self.body) }
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
