//! A line that is typed.

use arena_core::text::escaped;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyCode::{Backspace, Char};
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;
use ratatui::widgets::Widget as _;

use super::KeyPress::{self, Ctrl, Key};

/// Most characters that can be typed.
const CHARS_MAX: usize = 200;

/// Changes `text` as a key does; whether the key is for that.
pub(super) fn typed(text: &mut String, key: KeyPress) -> bool {
    match key {
        // Some terminals send Ctrl-H for it.
        Key(Backspace) | Ctrl('h') => _ = text.pop(),
        Ctrl('u') => text.clear(),
        Ctrl('w') => text.truncate(text.trim_end().rfind(' ').map_or(0, |space| space + 1)),
        Key(Char(typed)) if text.chars().count() < CHARS_MAX && !typed.is_control() => text.push(typed),
        _ => return false,
    }
    true
}

/// Draws `text` after a label, its end if it is too long. Returns the place after it.
pub(super) fn draw(label: &str, text: &str, area: Rect, buffer: &mut Buffer) -> Position {
    let text = escaped(text);
    let from = |at: usize| Line::raw(format!("{label}{}", &text[at..]));
    let starts = text.char_indices().map(|(at, _)| at);
    let line = starts.map(from).find(|line| line.width() < area.width.into()).unwrap_or_else(|| from(text.len()));
    let x = area.x.saturating_add(line.width() as u16).min(area.right().saturating_sub(1));
    line.render(area, buffer);
    Position::new(x, area.y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_what_is_typed_is_shown_and_words_are_deleted() {
        let mut text = String::new();
        assert!("bot:列 lost".chars().all(|key| typed(&mut text, Key(Char(key)))));
        let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 1));
        assert_eq!(draw("/", &text, buffer.area, &mut buffer), Position::new(6, 0));
        assert_eq!(buffer, Buffer::with_lines(["/ lost  "]));
        assert!(typed(&mut text, Ctrl('w')) && text == "bot:列 ", "{text}");
        assert!(typed(&mut text, Ctrl('w')) && text.is_empty(), "{text}");
        assert!((0..CHARS_MAX).all(|_| typed(&mut text, Key(Char('x')))) && !typed(&mut text, Key(Char('x'))));
        assert!(typed(&mut text, Ctrl('u')) && text.is_empty(), "{text}");
        assert!(!typed(&mut text, Key(Char('\u{1b}'))) && text.is_empty(), "{text}");
    }
}
