//! What is on a screen, for a picture of it.

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

use crate::show::svg::Glyph;

/// The characters of a screen and their looks, line by line.
#[must_use]
pub fn glyphs(buffer: &Buffer) -> Vec<Vec<Glyph>> {
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
