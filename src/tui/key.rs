//! Keys and clicks, without the terminal they came from.

use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind};
use ratatui::layout::Position;

/// A key, or something done with the mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyPress {
    /// A character, as typed: `G` is Shift and g.
    Char(char),
    /// A character typed with Ctrl, in lower case.
    Ctrl(char),
    /// Return.
    Enter,
    /// Escape.
    Esc,
    /// Deletes backwards.
    Backspace,
    /// Deletes forwards.
    Delete,
    /// Tab.
    Tab,
    /// An arrow.
    Left,
    /// An arrow.
    Right,
    /// An arrow.
    Up,
    /// An arrow.
    Down,
    /// To the beginning.
    Home,
    /// To the end.
    End,
    /// A screen up.
    PageUp,
    /// A screen down.
    PageDown,
    /// The left button was pressed at this place.
    Click(Position),
    /// The wheel was turned up at this place.
    WheelUp(Position),
    /// The wheel was turned down at this place.
    WheelDown(Position),
}

impl KeyPress {
    /// The key of an event of the terminal; `None` if no screen has a use for it.
    pub(super) fn of(event: &Event) -> Option<Self> {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => Self::of_key(*key),
            Event::Mouse(mouse) => {
                let position = Position::new(mouse.column, mouse.row);
                match mouse.kind {
                    MouseEventKind::Down(MouseButton::Left) => Some(Self::Click(position)),
                    MouseEventKind::ScrollUp => Some(Self::WheelUp(position)),
                    MouseEventKind::ScrollDown => Some(Self::WheelDown(position)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn of_key(key: KeyEvent) -> Option<Self> {
        Some(match key.code {
            KeyCode::Char(character) if key.modifiers.contains(KeyModifiers::CONTROL) => {
                Self::Ctrl(character.to_ascii_lowercase())
            }
            // With Alt a terminal means a command of its own.
            KeyCode::Char(character) if !key.modifiers.contains(KeyModifiers::ALT) => Self::Char(character),
            KeyCode::Enter => Self::Enter,
            KeyCode::Esc => Self::Esc,
            KeyCode::Backspace => Self::Backspace,
            KeyCode::Delete => Self::Delete,
            KeyCode::Tab => Self::Tab,
            KeyCode::Left => Self::Left,
            KeyCode::Right => Self::Right,
            KeyCode::Up => Self::Up,
            KeyCode::Down => Self::Down,
            KeyCode::Home => Self::Home,
            KeyCode::End => Self::End,
            KeyCode::PageUp => Self::PageUp,
            KeyCode::PageDown => Self::PageDown,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(code: KeyCode, modifiers: KeyModifiers) -> Option<KeyPress> {
        KeyPress::of(&Event::Key(KeyEvent::new(code, modifiers)))
    }

    #[test]
    fn keys_are_what_was_typed() {
        assert_eq!(typed(KeyCode::Char('G'), KeyModifiers::SHIFT), Some(KeyPress::Char('G')));
        assert_eq!(typed(KeyCode::Char('C'), KeyModifiers::CONTROL), Some(KeyPress::Ctrl('c')));
        assert_eq!(typed(KeyCode::Char('x'), KeyModifiers::ALT), None);
        assert_eq!(typed(KeyCode::F(1), KeyModifiers::NONE), None);
        let released = KeyEvent::new_with_kind(KeyCode::Enter, KeyModifiers::NONE, KeyEventKind::Release);
        assert_eq!(KeyPress::of(&Event::Key(released)), None);
    }
}
