//! The list of games, and its filter.

use std::cell::{Cell, RefCell};

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget as _;

use crate::event::GameId;
use crate::report::{FILTER_WORDS, Filter, List, ListColumns, ListedGame};
use crate::text::{counted, cut, shown};
use crate::tui::{KeyPress, theme};

/// Keys of the list.
pub(super) const KEYS: &str = " ↑↓ choose · Enter open · / filter · ? keys · q leave";
/// Longest filter that can be typed.
const FILTER_CHARS_MAX: usize = 200;
/// Before the selected game, and before others.
const MARKS: [&str; 2] = ["▶ ", "  "];
/// A game in which a bot was at fault.
const FAULT: Style = Style::new().fg(Color::Red);

/// A list of games, and which of them are shown.
#[derive(Debug)]
pub(super) struct ListView {
    list: List,
    /// The games that the filter passes, by their indices.
    shown: Vec<u32>,
    /// Place in `shown`.
    selected: usize,
    /// The filter as it is typed.
    filter: String,
    /// The filter before it was typed, while that lasts.
    before: Option<String>,
    /// What is wrong with the filter; the games shown are then those of the last one that was right.
    problem: Option<String>,
    /// The first game on the screen, and the number of games there.
    top: Cell<usize>,
    height: Cell<usize>,
    /// The columns for a width, until other games are shown.
    columns: RefCell<Option<(u16, ListColumns)>>,
}

impl ListView {
    pub(super) fn new(list: List, filter: &str) -> Self {
        let mut view = Self {
            shown: (0..list.rows.len() as u32).collect(),
            list,
            selected: 0,
            filter: filter.to_owned(),
            before: None,
            problem: None,
            top: Cell::new(0),
            height: Cell::new(1),
            columns: RefCell::new(None),
        };
        if !filter.is_empty() {
            view.apply();
        }
        view
    }

    /// Whether a filter is being typed.
    pub(super) fn is_typing(&self) -> bool {
        self.before.is_some()
    }

    /// The selected game, if any is shown.
    pub(super) fn selected(&self) -> Option<ListedGame> {
        self.list.rows.get(*self.shown.get(self.selected)? as usize).copied()
    }

    /// Selects a game, if it is shown.
    pub(super) fn select(&mut self, id: GameId) {
        self.selected = self.place_of(id).unwrap_or(self.selected);
    }

    /// Whether a game is shown.
    pub(super) fn shows(&self, id: GameId) -> bool {
        self.place_of(id).is_some()
    }

    fn place_of(&self, id: GameId) -> Option<usize> {
        self.shown.iter().position(|game| self.list.rows[*game as usize].id == id)
    }

    /// Selects the game that is `by` places further; whether there is one.
    pub(super) fn step(&mut self, by: isize) -> bool {
        let wanted = self.selected.checked_add_signed(by).filter(|place| *place < self.shown.len());
        self.selected = wanted.unwrap_or(self.selected);
        wanted.is_some()
    }

    pub(super) fn key(&mut self, key: KeyPress) {
        if self.is_typing() {
            return self.key_of_filter(key);
        }
        let last = self.shown.len().saturating_sub(1);
        let page = self.height.get().max(2) - 1;
        self.selected = match key {
            KeyPress::Up | KeyPress::Char('k') | KeyPress::WheelUp(_) => self.selected.saturating_sub(1),
            KeyPress::Down | KeyPress::Char('j') | KeyPress::WheelDown(_) => (self.selected + 1).min(last),
            KeyPress::PageUp | KeyPress::Ctrl('b') => self.selected.saturating_sub(page),
            KeyPress::PageDown | KeyPress::Ctrl('f') | KeyPress::Char(' ') => (self.selected + page).min(last),
            KeyPress::Home | KeyPress::Char('g') => 0,
            KeyPress::End | KeyPress::Char('G') => last,
            KeyPress::Char('/') => {
                self.before = Some(self.filter.clone());
                // A filter is added to, word by word.
                if !self.filter.is_empty() && !self.filter.ends_with(' ') {
                    self.filter.push(' ');
                }
                return;
            }
            KeyPress::Esc if !self.filter.is_empty() => {
                self.filter.clear();
                return self.apply();
            }
            _ => return,
        };
    }

    fn key_of_filter(&mut self, key: KeyPress) {
        match key {
            KeyPress::Enter | KeyPress::Tab | KeyPress::Up | KeyPress::Down => {
                self.before = None;
                self.filter.truncate(self.filter.trim_end().len());
                return;
            }
            KeyPress::Esc => self.filter = self.before.take().unwrap_or_default(),
            KeyPress::Backspace if self.filter.is_empty() => self.before = None,
            KeyPress::Backspace => {
                self.filter.pop();
            }
            KeyPress::Ctrl('u') => self.filter.clear(),
            KeyPress::Ctrl('w') => {
                let words = self.filter.trim_end();
                self.filter.truncate(words.rfind(' ').map_or(0, |space| space + 1));
            }
            KeyPress::Char(typed) if self.filter.chars().count() < FILTER_CHARS_MAX => self.filter.push(typed),
            _ => return,
        }
        self.apply();
    }

    /// Shows the games that the filter passes; the same game stays selected, if it is among them.
    fn apply(&mut self) {
        match Filter::parse(&self.filter, &self.list) {
            Ok(filter) => {
                let selected = self.shown.get(self.selected).copied();
                self.shown = filter.apply(&self.list);
                let place = selected.map_or(0, |game| self.shown.partition_point(|shown| *shown < game));
                self.selected = place.min(self.shown.len().saturating_sub(1));
                self.problem = None;
                *self.columns.borrow_mut() = None;
            }
            Err(problem) => self.problem = Some(problem.to_string()),
        }
    }

    pub(super) fn title(&self) -> String {
        let (some, all) = (self.shown.len(), self.list.rows.len());
        let filter = shown(self.filter.trim());
        match (filter.is_empty(), self.folder()) {
            (true, Some(folder)) => format!(" {} of {folder} ", counted(all, "game")),
            (true, None) => format!(" {}", counted(all, "game")),
            (false, _) => format!(" {some} of {} ─ {filter}", counted(all, "game")),
        }
    }

    /// The folder that all games are in.
    fn folder(&self) -> Option<String> {
        match self.list.folders.as_slice() {
            [folder] => Some(cut(&shown(folder), 40)),
            _ => None,
        }
    }

    /// For a terminal that is too small.
    pub(super) fn text(&self) -> String {
        let mut text = self.title();
        if let Some(row) = self.selected() {
            text.push('\n');
            ListColumns::new(&self.list, &self.shown, Some(1)).write(&row, &mut text);
        }
        text
    }

    /// Draws the list into `area`, and what is typed into the line `bottom`. Returns the cursor while something is typed.
    pub(super) fn draw(&self, area: Rect, bottom: Rect, buffer: &mut Buffer) -> Option<Position> {
        let [head, rows, hint] = Layout::vertical([
            Constraint::Length(1),
            Constraint::Fill(1),
            Constraint::Length(self.is_hinting().into()),
        ])
        .areas(area);
        let room = area.width.saturating_sub(2);
        let mut cache = self.columns.borrow_mut();
        let columns = match &mut *cache {
            Some((width, columns)) if *width == room => columns,
            cache => &mut cache.insert((room, ListColumns::new(&self.list, &self.shown, Some(room.into())))).1,
        };
        Line::styled(format!("{}{}", MARKS[1], columns.head()), theme::STRONG).render(head, buffer);
        self.draw_rows(columns, rows, buffer);
        if self.is_hinting() {
            let (text, style) = match &self.problem {
                Some(problem) => (problem.as_str(), FAULT),
                None => (FILTER_WORDS, theme::DIM),
            };
            Line::styled(cut(text, hint.width.into()), style).render(hint, buffer);
        }
        self.is_typing().then(|| self.draw_prompt(bottom, buffer))
    }

    /// Whether there is a line about the filter.
    fn is_hinting(&self) -> bool {
        self.is_typing() || self.problem.is_some()
    }

    fn draw_rows(&self, columns: &ListColumns, area: Rect, buffer: &mut Buffer) {
        let height = usize::from(area.height);
        self.height.set(height);
        let least = (self.selected + 1).saturating_sub(height);
        let most = self.shown.len().saturating_sub(height);
        let top = self.top.get().clamp(least, self.selected.max(least)).min(most.max(least));
        self.top.set(top);
        if self.shown.is_empty() {
            let text =
                if self.list.rows.is_empty() { "There are no games yet." } else { "No game matches; Esc shows all." };
            Line::raw(format!("{}{text}", MARKS[1])).render(area, buffer);
        }
        for ((place, game), y) in self.shown.iter().enumerate().skip(top).zip(area.top()..area.bottom()) {
            let row = &self.list.rows[*game as usize];
            let is_selected = place == self.selected;
            let mut text = MARKS[usize::from(!is_selected)].to_owned();
            let mut cells = String::new();
            columns.write(row, &mut cells);
            text.push_str(&cells);
            let is_fault = row.statuses.iter().any(|status| status.is_fault());
            let mut style = if is_fault { FAULT } else { Style::new() };
            if is_selected {
                style = style.patch(theme::CURSOR);
            }
            Line::styled(text, style).render(Rect { y, height: 1, ..area }, buffer);
        }
    }

    /// Draws the filter as it is typed, its end if it is too long.
    fn draw_prompt(&self, area: Rect, buffer: &mut Buffer) -> Position {
        let text = shown(&self.filter);
        let room = usize::from(area.width).saturating_sub(2);
        let skipped = text.char_indices().map(|(at, _)| at).find(|at| Span::raw(&text[*at..]).width() <= room);
        let line = Line::raw(format!("/{}", &text[skipped.unwrap_or(text.len())..]));
        let x = area.x + line.width() as u16;
        line.render(area, buffer);
        Position::new(x.min(area.right().saturating_sub(1)), area.y)
    }
}
