//! Choosing one of a list.

use std::cell::Cell;
use std::convert::Infallible;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::widgets::{Block, Widget as _};

use super::{App, KeyPress, theme};

/// One of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedChoice {
    /// What is chosen.
    pub name: String,
    /// What it is, printable.
    pub what: String,
}

/// A list of which one is chosen.
#[derive(Debug)]
pub struct Choose {
    title: String,
    choices: Vec<ListedChoice>,
    index: usize,
    chosen: Option<usize>,
    is_over: bool,
    /// Where the lines were drawn, and which was the first of them.
    drawn: Cell<(Rect, usize)>,
}

impl Choose {
    /// A list under a title.
    #[must_use]
    pub fn new(title: &str, choices: Vec<ListedChoice>) -> Self {
        let drawn = Cell::default();
        Self { title: title.to_owned(), choices, index: 0, chosen: None, is_over: false, drawn }
    }

    /// What was chosen, if anything was.
    #[must_use]
    pub fn chosen(&self) -> Option<&ListedChoice> {
        self.choices.get(self.chosen?)
    }

    fn choose(&mut self, index: usize) {
        if index < self.choices.len() {
            (self.chosen, self.is_over) = (Some(index), true);
        }
    }
}

impl App for Choose {
    type News = Infallible;

    fn key(&mut self, key: KeyPress) {
        let last = self.choices.len().saturating_sub(1);
        match key {
            KeyPress::Up | KeyPress::Char('k') | KeyPress::WheelUp(_) => self.index = self.index.saturating_sub(1),
            KeyPress::Down | KeyPress::Char('j') | KeyPress::Tab | KeyPress::WheelDown(_) => {
                self.index = (self.index + 1).min(last);
            }
            KeyPress::Home | KeyPress::Char('g') => self.index = 0,
            KeyPress::End | KeyPress::Char('G') => self.index = last,
            KeyPress::Enter | KeyPress::Char(' ') => self.choose(self.index),
            KeyPress::Char(digit @ '1'..='9') => self.choose(digit as usize - '1' as usize),
            KeyPress::Click(Position { x, y }) => {
                let (area, first) = self.drawn.get();
                if area.contains(Position { x, y }) {
                    self.choose(first + usize::from(y - area.y));
                }
            }
            KeyPress::Char('q') | KeyPress::Esc | KeyPress::Ctrl('c' | 'd') => self.is_over = true,
            _ => {}
        }
    }

    fn news(&mut self, news: Infallible) {
        match news {}
    }

    fn draw(&self, frame: &mut Frame<'_>) {
        let block = Block::bordered().title(format!(" {} ", self.title)).title_bottom(" ↑↓ ⏎ or 1–9 · q leave ");
        let area = block.inner(frame.area());
        block.render(frame.area(), frame.buffer_mut());
        let rows = usize::from(area.height);
        let first = (self.index + 1).saturating_sub(rows).min(self.choices.len());
        self.drawn.set((area, first));
        let width = self.choices.iter().map(|choice| choice.name.len()).max().unwrap_or(0);
        for (row, (index, choice)) in (area.top()..area.bottom()).zip(self.choices.iter().enumerate().skip(first)) {
            let number = if index < 9 { (index + 1).to_string() } else { String::new() };
            let text = format!(" {number:>1}  {:<width$}  {}", choice.name, choice.what);
            let style = if index == self.index { theme::CURSOR } else { Style::new() };
            frame.buffer_mut().set_stringn(area.x, row, text, area.width.into(), style);
        }
    }

    fn is_over(&self) -> bool {
        self.is_over
    }
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;

    fn choose(count: usize) -> Choose {
        let choice = |number| ListedChoice { name: format!("bot{number}"), what: "列".repeat(50) };
        Choose::new("who?", (0..count).map(choice).collect())
    }

    fn draw(choose: &Choose, width: u16, height: u16) {
        Terminal::new(TestBackend::new(width, height)).unwrap().draw(|frame| choose.draw(frame)).unwrap();
    }

    /// What is chosen by these keys at this size.
    fn chosen(count: usize, [width, height]: [u16; 2], keys: &[KeyPress]) -> Option<String> {
        let mut choose = choose(count);
        for key in keys {
            draw(&choose, width, height);
            choose.key(*key);
        }
        draw(&choose, width, height);
        choose.chosen().map(|choice| choice.name.clone())
    }

    #[test]
    fn one_is_chosen_by_its_number_by_the_cursor_or_by_a_click() {
        let down = [KeyPress::Down; 30];
        assert_eq!(chosen(20, [80, 10], &[KeyPress::Char('3')]), Some("bot2".to_owned()));
        assert_eq!(chosen(20, [80, 10], &[&down[..], &[KeyPress::Enter]].concat()), Some("bot19".to_owned()));
        // The list has moved: its last line is the last one.
        let click = KeyPress::Click(Position::new(5, 8));
        assert_eq!(chosen(20, [80, 10], &[&down[..], &[click]].concat()), Some("bot19".to_owned()));
        assert_eq!(
            chosen(2, [80, 10], &[KeyPress::Char('9'), KeyPress::Click(Position::new(5, 8)), KeyPress::Esc]),
            None
        );
        for size in [[1, 1], [2, 2], [39, 3]] {
            assert_eq!(chosen(20, size, &[KeyPress::Up, KeyPress::Down, KeyPress::Enter]), Some("bot1".to_owned()));
        }
        assert_eq!(chosen(0, [80, 10], &[KeyPress::Down, KeyPress::Enter, KeyPress::Char('q')]), None);
    }
}
