//! Keys and clicks, without the terminal they came from.

use ratatui::crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind};
use ratatui::layout::Position;

/// A key, or something done with the mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyPress {
    /// A key, a character as it is typed: `G` is Shift and g.
    Key(KeyCode),
    /// A character typed with Ctrl, in lower case.
    Ctrl(char),
    /// The left button was pressed at this place.
    Click(Position),
}

impl KeyPress {
    /// The key of an event of the terminal; `None` if no screen has a use for it. The wheel is an arrow, as terminals have it on
    /// this kind of screen where no program asks for the mouse.
    pub(super) fn of(event: &Event) -> Option<Self> {
        match event {
            Event::Key(key) if key.kind == KeyEventKind::Release => None,
            Event::Key(key) => match key.code {
                KeyCode::Char(character) if key.modifiers.contains(KeyModifiers::CONTROL) => {
                    Some(Self::Ctrl(character.to_ascii_lowercase()))
                }
                // A command of the terminal itself.
                KeyCode::Char(_) if key.modifiers.contains(KeyModifiers::ALT) => None,
                code => Some(Self::Key(code)),
            },
            Event::Mouse(mouse) => match mouse.kind {
                MouseEventKind::Down(MouseButton::Left) => Some(Self::Click(Position::new(mouse.column, mouse.row))),
                MouseEventKind::ScrollUp => Some(Self::Key(KeyCode::Up)),
                MouseEventKind::ScrollDown => Some(Self::Key(KeyCode::Down)),
                _ => None,
            },
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use ratatui::crossterm::event::KeyEvent;

    use super::*;

    fn typed(code: KeyCode, modifiers: KeyModifiers) -> Option<KeyPress> {
        KeyPress::of(&Event::Key(KeyEvent::new(code, modifiers)))
    }

    #[test]
    fn keys_are_what_was_typed() {
        assert_eq!(typed(KeyCode::Char('G'), KeyModifiers::SHIFT), Some(KeyPress::Key(KeyCode::Char('G'))));
        assert_eq!(typed(KeyCode::Char('C'), KeyModifiers::CONTROL), Some(KeyPress::Ctrl('c')));
        assert_eq!(typed(KeyCode::Char('x'), KeyModifiers::ALT), None);
        assert_eq!(typed(KeyCode::Home, KeyModifiers::NONE), Some(KeyPress::Key(KeyCode::Home)));
        let released = KeyEvent::new_with_kind(KeyCode::Enter, KeyModifiers::NONE, KeyEventKind::Release);
        assert_eq!(KeyPress::of(&Event::Key(released)), None);
    }
}
