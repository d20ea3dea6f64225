//! Draws a [`Picture`] into a part of the screen. Knows no game.

mod board;
mod guesses;
mod heap;

use arena_core::rules::{Image, Picture};
use arena_core::text::printable;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};
use ratatui::style::Style;
use ratatui::text::Text;
use ratatui::widgets::Widget as _;

pub use board::cell_at;

/// Draws `picture` at the top of `area`. `cursor` is a cell of a board; on one where marks fall, any cell of a column. A board
/// that is larger than the area is shown around the cursor, or else around the last move. Returns the place of the cursor.
pub fn draw(picture: &Picture, cursor: Option<usize>, area: Rect, buffer: &mut Buffer) -> Option<Position> {
    let area = area.intersection(buffer.area);
    if area.is_empty() {
        return None;
    }
    match picture {
        Picture::Board(board) => return board::draw(board, cursor, area, buffer),
        Picture::Heap(heap) => heap::draw(heap, area, buffer),
        Picture::Guesses(guesses) => guesses::draw(guesses, area, buffer),
        Picture::Text(text) | Picture::Image(Image { text, .. }) => Text::raw(printable(text)).render(area, buffer),
    }
    None
}

/// The room that `picture` takes, drawn without a cursor, where there is enough of it.
#[must_use]
pub fn wanted(picture: &Picture) -> Size {
    match picture {
        Picture::Board(board) => board::wanted(board),
        Picture::Heap(heap) => heap::wanted(heap),
        Picture::Guesses(guesses) => guesses::wanted(guesses),
        Picture::Text(text) | Picture::Image(Image { text, .. }) => wanted_by_lines(text),
    }
}

fn wanted_by_lines(text: &str) -> Size {
    let text = Text::raw(text);
    Size::new(text.width() as u16, text.height() as u16)
}

/// Writes `text` at a place, cut at the right end of `area`; nothing if the place is outside.
fn write(text: &str, style: Style, (x, y): (u16, u16), area: Rect, buffer: &mut Buffer) {
    if area.contains(Position::new(x, y)) {
        buffer.set_stringn(x, y, text, usize::from(area.right() - x), style);
    }
}

#[cfg(test)]
mod tests;
