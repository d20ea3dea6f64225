//! A picture of a screen of a terminal, character by character, so that columns are aligned in any font.

use arena::views::svg::whole_file;
use maud::{Markup, html};
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

const COLUMN: f64 = 8.6;
const LINE: f64 = 20.0;
const MARGIN: f64 = 18.0;

/// A character of a screen and its look.
pub(super) struct Glyph {
    /// The character, or several that are one; empty where a wide one before it reaches.
    pub(super) text: String,
    /// One of the eight colours of terminals, 8 for grey; none for that of text.
    pub(super) colour: Option<u8>,
    /// Whether it is bold.
    pub(super) bold: bool,
    /// Whether it is underlined.
    pub(super) underlined: bool,
    /// Whether text and background are exchanged.
    pub(super) reversed: bool,
}

/// A screen.
pub(super) struct Screen<'a> {
    /// What it shows.
    pub(super) title: &'a str,
    /// Its text in words.
    pub(super) description: &'a str,
    /// The characters, line by line.
    pub(super) lines: Vec<Vec<Glyph>>,
}

impl Screen<'_> {
    /// The screen as a file of its own.
    pub(super) fn file(&self) -> String {
        let columns = self.lines.iter().map(Vec::len).max().unwrap_or(0);
        let size = [columns as f64 * COLUMN + 2.0 * MARGIN, self.lines.len() as f64 * LINE + 2.0 * MARGIN];
        let body = html! {
            rect class="screen" x="0.5" y="0.5" rx="6" width=(at(size[0] - 1.0)) height=(at(size[1] - 1.0)) {}
            @for (line, glyphs) in self.lines.iter().enumerate() {
                @let y = MARGIN + (line as f64 + 1.0) * LINE - 6.0;
                @for (column, run) in runs(glyphs) { (drawn(run, column, y)) }
            }
        };
        whole_file(size, self.title, self.description, &body)
    }
}

/// Neighbours that look alike, each with its first column; without spaces at their ends.
fn runs(glyphs: &[Glyph]) -> impl Iterator<Item = (usize, &[Glyph])> {
    let alike = |a: &Glyph, b: &Glyph| {
        (a.colour, a.bold, a.underlined, a.reversed) == (b.colour, b.bold, b.underlined, b.reversed)
    };
    let mut column = 0;
    glyphs.chunk_by(alike).filter_map(move |run| {
        let first = column;
        column += run.len();
        if run[0].reversed {
            return Some((first, run));
        }
        let is_blank = |glyph: &Glyph| glyph.text.trim().is_empty();
        let begin = run.iter().position(|glyph| !is_blank(glyph))?;
        let end = run.iter().rposition(|glyph| !is_blank(glyph))?;
        Some((first + begin, &run[begin..=end]))
    })
}

fn drawn(run: &[Glyph], column: usize, y: f64) -> Markup {
    let look = &run[0];
    let x = |column: usize| MARGIN + column as f64 * COLUMN;
    let mut class = "code".to_owned();
    if let Some(colour) = look.colour.filter(|_| !look.reversed) {
        class.push_str(" t");
        class.push_str(&colour.to_string());
    }
    for (is_so, name) in [(look.bold, " bold"), (look.reversed, " reversed")] {
        class.push_str(if is_so { name } else { "" });
    }
    // A place for each character: of those that are several, the others have none of their own.
    let shown = || run.iter().enumerate().filter(|(_, glyph)| !glyph.text.trim().is_empty());
    html! {
        @if look.reversed {
            rect class="back" x=(at(x(column))) y=(at(y - 14.0)) width=(at(run.len() as f64 * COLUMN)) height=(at(LINE)) {}
        }
        @for (index, glyph) in shown() {
            text class=(class) x=(at(x(column + index))) y=(at(y)) { (glyph.text) }
        }
        @if look.underlined {
            path class={ "under" (look.colour.map(|colour| format!(" t{colour}")).unwrap_or_default()) }
                d={ "M" (at(x(column))) " " (at(y + 3.0)) "h" (at(run.len() as f64 * COLUMN)) } {}
        }
    }
}

/// A coordinate with two decimals at most.
fn at(value: f64) -> String {
    format!("{value:.2}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The characters of a screen and their looks, line by line.
pub(super) fn glyphs(buffer: &Buffer) -> Vec<Vec<Glyph>> {
    let width = usize::from(buffer.area.width).max(1);
    buffer.content.chunks(width).map(|line| line.iter().map(glyph).collect()).collect()
}

fn glyph(cell: &Cell) -> Glyph {
    let has = |modifier| cell.modifier.contains(modifier);
    Glyph {
        text: cell.symbol().to_owned(),
        colour: colour(cell.fg),
        bold: has(Modifier::BOLD),
        underlined: has(Modifier::UNDERLINED),
        reversed: has(Modifier::REVERSED),
    }
}

fn colour(colour: Color) -> Option<u8> {
    match colour {
        Color::Red | Color::LightRed => Some(1),
        Color::Green | Color::LightGreen => Some(2),
        Color::Yellow | Color::LightYellow => Some(3),
        Color::Blue | Color::LightBlue => Some(4),
        Color::Magenta | Color::LightMagenta => Some(5),
        Color::Cyan | Color::LightCyan => Some(6),
        Color::DarkGray => Some(8),
        _ => None,
    }
}
