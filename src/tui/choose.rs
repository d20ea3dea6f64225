//! Choosing one of a list.

use std::convert::Infallible;

use ratatui::Frame;
use ratatui::crossterm::event::KeyCode::{Char, Enter, Esc};
use ratatui::style::Style;
use ratatui::widgets::{Block, Widget as _};

use super::KeyPress::{self, Click, Ctrl, Key};
use super::selection::Selection;
use super::{App, theme};

/// A list of which one is chosen.
#[derive(Debug)]
pub struct Choose {
    title: String,
    /// What there is, printable.
    choices: Vec<String>,
    selection: Selection,
    chosen: Option<usize>,
    is_left: bool,
}

impl Choose {
    /// A list under a title. All of it must be printable.
    #[must_use]
    pub fn new(title: String, choices: Vec<String>) -> Self {
        Self { title, choices, selection: Selection::default(), chosen: None, is_left: false }
    }

    /// Which one was chosen, if any was.
    #[must_use]
    pub const fn chosen(&self) -> Option<usize> {
        self.chosen
    }

    fn choose(&mut self, index: Option<usize>) {
        self.chosen = index.filter(|index| *index < self.choices.len());
    }
}

impl App for Choose {
    type News = Infallible;

    fn key(&mut self, key: KeyPress) {
        match key {
            Key(Enter | Char(' ')) => self.choose(Some(self.selection.index)),
            Key(Char(digit @ '1'..='9')) => self.choose(Some(digit as usize - '1' as usize)),
            Click(place) => self.choose(self.selection.at(place)),
            Key(Char('q') | Esc) | Ctrl('c' | 'd') => self.is_left = true,
            _ => self.selection.key(key, self.choices.len()),
        }
    }

    fn draw(&self, frame: &mut Frame<'_>) {
        let block = Block::bordered().title(format!(" {} ", self.title)).title_bottom(" ↑↓ ⏎ or 1–9 · q leave ");
        let area = block.inner(frame.area());
        block.render(frame.area(), frame.buffer_mut());
        for (index, row) in self.selection.rows(self.choices.len(), area) {
            let number = if index < 9 { (index + 1).to_string() } else { String::new() };
            let text = format!(" {number:>1}  {}", self.choices[index]);
            let style = if index == self.selection.index { theme::CURSOR } else { Style::new() };
            frame.buffer_mut().set_stringn(row.x, row.y, text, row.width.into(), style);
        }
    }

    fn is_over(&self) -> bool {
        self.is_left || self.chosen.is_some()
    }
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use ratatui::crossterm::event::KeyCode::{Down, Up};
    use ratatui::layout::Position;

    use super::*;

    fn choose(count: usize) -> Choose {
        let choice = |number| format!("bot{number}  {}", "列".repeat(50));
        Choose::new("who?".to_owned(), (0..count).map(choice).collect())
    }

    fn draw(choose: &Choose, width: u16, height: u16) {
        Terminal::new(TestBackend::new(width, height)).unwrap().draw(|frame| choose.draw(frame)).unwrap();
    }

    /// What is chosen by these keys at this size.
    fn chosen(count: usize, [width, height]: [u16; 2], keys: &[KeyPress]) -> Option<usize> {
        let mut choose = choose(count);
        for key in keys {
            draw(&choose, width, height);
            choose.key(*key);
        }
        draw(&choose, width, height);
        choose.chosen()
    }

    #[test]
    fn one_is_chosen_by_its_number_by_the_cursor_or_by_a_click() {
        let down = [Key(Down); 30];
        assert_eq!(chosen(20, [80, 10], &[Key(Char('3'))]), Some(2));
        assert_eq!(chosen(20, [80, 10], &[&down[..], &[Key(Enter)]].concat()), Some(19));
        // The list has moved: its last line is the last one.
        let click = Click(Position::new(5, 8));
        assert_eq!(chosen(20, [80, 10], &[&down[..], &[click]].concat()), Some(19));
        assert_eq!(chosen(2, [80, 10], &[Key(Char('9')), Click(Position::new(5, 8)), Key(Esc)]), None);
        for size in [[1, 1], [2, 2], [39, 3]] {
            assert_eq!(chosen(20, size, &[Key(Up), Key(Down), Key(Enter)]), Some(1));
        }
        assert_eq!(chosen(0, [80, 10], &[Key(Down), Key(Enter), Key(Char('q'))]), None);
    }
}
