//! Shares of the row against the column, as numbers and colours.

use std::fmt::Write as _;

use maud::{Markup, html};

use super::{Plot, at, label};
use crate::views::{Cell, Matrix, shade, whole_percent};

/// Most rows of which the cells have room for their numbers; others have them in titles.
const NUMBERS_MAX: usize = 15;
const HEAD: f64 = 26.0;
/// What the axes are.
const AXES: &str = "row against column";

impl Matrix {
    /// The square as a plot; `names` are those of its bots.
    #[must_use]
    pub fn plot(&self, title: &str, description: &str, names: &[String]) -> Plot {
        let count = names.len();
        let is_small = count > NUMBERS_MAX;
        let [wide, high] = if is_small { [16.0, 16.0] } else { [46.0, 28.0] };
        let numbers = label::width(&count.to_string()) + 8.0;
        let left = (numbers + label::widest(names.iter().map(String::as_str))).max(label::width(AXES)) + 12.0;
        let place = |row: usize, col: usize| [left + col as f64 * wide, HEAD + row as f64 * high];
        let text = if is_small { "cell small" } else { "cell" };
        let pair = |row: usize, col: usize, share: f64| {
            format!("{} against {}: {} %", names[row], names[col], whole_percent(share))
        };
        let mut hatch = String::new();
        let body = html! {
            @for (index, name) in names.iter().enumerate() {
                @let [x, y] = place(index, index);
                @let middle = y + high / 2.0 + 4.0;
                g {
                    title { (name) }
                    text class="dim" x=(at(numbers - 8.0)) y=(at(middle)) text-anchor="end" { (index + 1) }
                    text x=(at(numbers)) y=(at(middle)) { (label::short(name)) }
                    text class={ "dim " (text) } x=(at(x + wide / 2.0)) y=(at(HEAD - 8.0)) { (index + 1) }
                }
            }
            text class="dim" x=(at(left - 8.0)) y=(at(HEAD - 8.0)) text-anchor="end" { (AXES) }
            @for (row, cells) in self.cells.iter().enumerate() {
                @for (col, cell) in cells.iter().enumerate() {
                    @let [x, y] = place(row, col);
                    @match cell {
                        Cell::Apart => {},
                        Cell::Same => rect class="card" x=(at(x + 0.5)) y=(at(y + 0.5)) width=(at(wide - 1.0)) height=(at(high - 1.0)) {},
                        Cell::Unplayed => { @let () = add_hatch(&mut hatch, [x, y], [wide, high]); },
                        Cell::Share(share) => {
                            rect class=(class(*share)) x=(at(x + 0.5)) y=(at(y + 0.5)) width=(at(wide - 1.0)) height=(at(high - 1.0)) {
                                @if is_small { title { (pair(row, col, *share)) } }
                            }
                            @if !is_small {
                                text class=(text) x=(at(x + wide / 2.0)) y=(at(y + high / 2.0 + 4.0)) { (whole_percent(*share)) }
                            }
                        }
                    }
                }
            }
            @if !hatch.is_empty() { path class="hatch" d=(hatch) {} }
            (legend([left, HEAD + count as f64 * high + 22.0]))
        };
        let width = (left + count as f64 * wide).max(left + 300.0);
        Plot::new(title, description, [width, HEAD + count as f64 * high + 34.0], body)
    }
}

/// Lines across a cell.
fn add_hatch(path: &mut String, [x, y]: [f64; 2], [wide, high]: [f64; 2]) {
    let size = (wide - 6.0).min(high - 6.0);
    for step in [0.5, 1.0] {
        let length = size * step;
        let _ = write!(path, "M{} {}l{} {}", at(x + 3.0), at(y + 3.0 + length), at(length), at(-length));
        let (right, bottom) = (x + 3.0 + size, y + 3.0 + size);
        if step < 1.0 {
            let _ = write!(path, "M{} {}l{} {}", at(right - length), at(bottom), at(length), at(-length));
        }
    }
}

/// The colours and what they mean.
fn legend([x, y]: [f64; 2]) -> Markup {
    html! {
        text class="dim" x=(at(x)) y=(at(y + 9.0)) { "0 %" }
        @for step in 0..=10 {
            rect class=(class(f64::from(step) / 10.0)) x=(at(x + 30.0 + f64::from(step) * 16.0)) y=(at(y)) width="15" height="10" {}
        }
        text class="dim" x=(at(x + 212.0)) y=(at(y + 9.0)) { "100 %" }
    }
}

/// The class of a colour from that of losses to that of wins.
fn class(share: f64) -> String {
    match shade(share) {
        5 => "card".to_owned(),
        wins @ 6.. => format!("win o{}", wins - 5),
        losses => format!("lose o{}", 5 - losses),
    }
}
