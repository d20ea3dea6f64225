//! The list of games, and its filter.

use std::cell::RefCell;

use arena_core::event::GameId;
use arena_core::text::{counted, cut, shown};
use arena_store::report::{FILTER_WORDS, Filter, List, ListColumns, ListedGame};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyCode::{Backspace, Char, Down, Enter, Esc, PageDown, Tab, Up};
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Position, Rect};
use ratatui::style::{Color, Style};
use ratatui::text::Line;
use ratatui::widgets::Widget as _;

use crate::tui::KeyPress::{self, Key};
use crate::tui::selection::Selection;
use crate::tui::{prompt, theme};

/// Keys of the list.
pub(super) const KEYS: &str = " ↑↓ choose · Enter open · / filter · ? keys · q leave";
/// Before the selected game, and before others.
const MARKS: [&str; 2] = ["▶ ", "  "];
/// A game in which a bot was at fault.
const FAULT: Style = Style::new().fg(Color::Red);

/// A list of games, and which of them are shown.
#[derive(Debug, Default)]
pub(super) struct ListView {
    list: List,
    /// The games that the filter passes, by their indices.
    shown: Vec<u32>,
    /// Of those in `shown`.
    selection: Selection,
    /// The filter by which they are shown.
    applied: Filter,
    /// The filter as it is typed.
    filter: String,
    /// The filter before it was typed, while that lasts.
    before: Option<String>,
    /// What is wrong with the filter; the games shown are then those of the last one that was right.
    problem: Option<String>,
    /// The columns for a width, until other games are shown.
    columns: RefCell<Option<(u16, ListColumns)>>,
}

impl ListView {
    pub(super) fn new(list: List, filter: &str) -> Self {
        let mut view =
            Self { shown: (0..list.rows.len() as u32).collect(), list, filter: filter.to_owned(), ..Self::default() };
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
        self.list.rows.get(*self.shown.get(self.selection.index)? as usize).copied()
    }

    /// Selects a game, if it is shown.
    pub(super) fn select(&mut self, id: GameId) {
        self.selection.index = self.place_of(id).unwrap_or(self.selection.index);
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
        let wanted = self.selection.index.checked_add_signed(by).filter(|place| *place < self.shown.len());
        self.selection.index = wanted.unwrap_or(self.selection.index);
        wanted.is_some()
    }

    pub(super) fn key(&mut self, key: KeyPress) {
        if self.is_typing() {
            return self.key_of_filter(key);
        }
        match key {
            Key(Char('/')) => {
                self.before = Some(self.filter.clone());
                // A filter is added to, word by word.
                if !self.filter.is_empty() && !self.filter.ends_with(' ') {
                    self.filter.push(' ');
                }
            }
            Key(Esc) if !self.filter.is_empty() => {
                self.filter.clear();
                self.apply();
            }
            Key(Char(' ')) => self.selection.key(Key(PageDown), self.shown.len()),
            _ => self.selection.key(key, self.shown.len()),
        }
    }

    fn key_of_filter(&mut self, key: KeyPress) {
        match key {
            Key(Enter | Tab | Up | Down) => {
                self.before = None;
                self.filter.truncate(self.filter.trim_end().len());
                return;
            }
            Key(Esc) => self.filter = self.before.take().unwrap_or_default(),
            Key(Backspace) if self.filter.is_empty() => self.before = None,
            _ if !prompt::typed(&mut self.filter, key) => return,
            _ => {}
        }
        self.apply();
    }

    /// Shows the games that the filter passes; the same game stays selected, if it is among them.
    fn apply(&mut self) {
        match Filter::parse(&self.filter, &self.list) {
            Ok(filter) => {
                let selected = self.shown.get(self.selection.index).copied();
                self.shown = filter.apply(&self.list);
                let place = selected.map_or(0, |game| self.shown.partition_point(|shown| *shown < game));
                self.selection.index = place.min(self.shown.len().saturating_sub(1));
                self.problem = None;
                self.applied = filter;
                *self.columns.borrow_mut() = None;
            }
            Err(problem) => self.problem = Some(problem.to_string()),
        }
    }

    /// The columns for a terminal of this width.
    fn columns_for(&self, width: u16) -> ListColumns {
        ListColumns::new(&self.list, &self.shown, self.applied.gave(), Some(width.into()))
    }

    pub(super) fn title(&self) -> String {
        let games = counted(self.list.rows.len(), "game");
        match (shown(self.filter.trim()).as_str(), self.list.folders.as_slice()) {
            ("", [folder]) => format!(" {games} of {} ", cut(&shown(folder), 40)),
            ("", _) => format!(" {games}"),
            (filter, _) => format!(" {} of {games} ─ {filter}", self.shown.len()),
        }
    }

    /// For a terminal that is too small.
    pub(super) fn text(&self) -> String {
        let mut text = self.title();
        if let Some(row) = self.selected() {
            text.push('\n');
            self.columns_for(1).write(&row, &mut text);
        }
        text
    }

    /// Draws the list into `area`, and what is typed into the line `bottom`. Returns the cursor while something is typed.
    pub(super) fn draw(&self, area: Rect, bottom: Rect, buffer: &mut Buffer) -> Option<Position> {
        let about_filter = match &self.problem {
            Some(problem) => Some(Line::styled(cut(problem, area.width.into()), FAULT)),
            None => self.is_typing().then(|| Line::styled(cut(FILTER_WORDS, area.width.into()), theme::DIM)),
        };
        let parts = [Length(1), Fill(1), Length(about_filter.is_some().into())];
        let [head, rows, below] = Layout::vertical(parts).areas(area);
        about_filter.render(below, buffer);
        let room = area.width.saturating_sub(2);
        let mut cache = self.columns.borrow_mut();
        let columns = match &mut *cache {
            Some((width, columns)) if *width == room => columns,
            cache => &mut cache.insert((room, self.columns_for(room))).1,
        };
        Line::styled(format!("{}{}", MARKS[1], columns.head()), theme::STRONG).render(head, buffer);
        self.draw_rows(columns, rows, buffer);
        self.is_typing().then(|| prompt::draw("/", &self.filter, bottom, buffer))
    }

    fn draw_rows(&self, columns: &ListColumns, area: Rect, buffer: &mut Buffer) {
        if self.shown.is_empty() {
            let is_new = self.list.rows.is_empty();
            let text = if is_new { "  There are no games yet." } else { "  No game matches; Esc shows all." };
            Line::raw(text).render(area, buffer);
        }
        for (place, row) in self.selection.rows(self.shown.len(), area) {
            let game = &self.list.rows[self.shown[place] as usize];
            let is_selected = place == self.selection.index;
            let mut text = MARKS[usize::from(!is_selected)].to_owned();
            columns.write(game, &mut text);
            let is_fault = game.statuses.iter().any(|status| status.is_fault());
            let mut style = if is_fault { FAULT } else { Style::new() };
            if is_selected {
                style = style.patch(theme::CURSOR);
            }
            Line::styled(text, style).render(row, buffer);
        }
    }
}
