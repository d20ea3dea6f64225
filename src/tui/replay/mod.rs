//! `arena replay` on a terminal: a list of games, and a game to step through.

mod ending;
mod game;
mod keys;
mod list;
mod plies;
#[cfg(test)]
mod tests;

use std::convert::Infallible;
use std::time::Duration;

use arena_core::text::{causes, cut, printable};
use arena_show::views::Story;
use arena_store::report::{List, ListedGame};
use arena_wire::protocol::Protocol;
use ratatui::Frame;
use ratatui::crossterm::event::KeyCode::{Backspace, Char, Enter, Esc, Right};
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Rect};
use ratatui::style::Color;
use ratatui::text::Line;
use ratatui::widgets::{Block, Borders};

use super::KeyPress::{self, Ctrl, Key};
use super::hint::fit_keys;
use super::small::is_drawn_small;
use super::{App, help, theme};
use game::GameView;
use list::ListView;

/// Time between plies while a game plays by itself.
const PLAY_STEP: Duration = Duration::from_millis(700);

/// Where games come from.
pub trait Games {
    /// All games. Called once, when the list is looked at.
    ///
    /// # Errors
    ///
    /// Returns an error if they cannot be read.
    fn list(&mut self) -> anyhow::Result<List>;

    /// A game of the list.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be read, or was not played.
    fn open(&mut self, row: &ListedGame) -> anyhow::Result<Opened>;
}

/// A game that is looked at.
#[derive(Debug)]
pub struct Opened {
    /// The game.
    pub story: Story,
    /// The protocols of its bots, by seat.
    pub protocols: [&'static Protocol; 2],
    /// The command that shows it, such as `arena replay ID --name NAME`.
    pub command: String,
}

/// The screen of `arena replay`.
#[derive(Debug)]
pub struct Replay<G> {
    games: G,
    /// The list, once it was looked at.
    list: Option<ListView>,
    /// The game that is shown; else the list is.
    game: Option<GameView>,
    /// Whether leaving the game shows the list.
    is_from_list: bool,
    /// What there is to say until the next key.
    message: Option<String>,
    copied: Option<String>,
    shows_help: bool,
    is_over: bool,
}

impl<G: Games> Replay<G> {
    /// The list, as filtered by `filter`.
    ///
    /// # Errors
    ///
    /// Returns an error if the games cannot be read.
    pub fn list(mut games: G, filter: &str) -> anyhow::Result<Self> {
        let list = ListView::new(games.list()?, filter);
        Ok(Self::new(games, Some(list), None))
    }

    /// A game, after `ply` plies.
    #[must_use]
    pub fn game(games: G, opened: Opened, ply: usize) -> Self {
        Self::new(games, None, Some(GameView::new(opened, ply)))
    }

    fn new(games: G, list: Option<ListView>, game: Option<GameView>) -> Self {
        let is_from_list = list.is_some();
        Self { games, list, game, is_from_list, message: None, copied: None, shows_help: false, is_over: false }
    }

    /// What is read; else none, and a message says why.
    fn read<T>(&mut self, read: impl FnOnce(&mut G) -> anyhow::Result<T>) -> Option<T> {
        read(&mut self.games).inspect_err(|error| self.message = Some(causes(error.as_ref()).join(": "))).ok()
    }

    /// The list, which is read if it was not before; `None` if it cannot be.
    fn loaded(&mut self) -> Option<&mut ListView> {
        if self.list.is_none() {
            let mut list = ListView::new(self.read(G::list)?, "");
            if let Some(game) = &self.game {
                list.select(game.id());
            }
            self.list = Some(list);
        }
        self.list.as_mut()
    }

    /// Shows the list instead of the game.
    fn back_to_list(&mut self) {
        if self.loaded().is_some() {
            (self.game, self.is_from_list) = (None, true);
        }
    }

    /// Opens the selected game.
    fn open_selected(&mut self) {
        let Some(row) = self.loaded().and_then(|list| list.selected()) else { return };
        if let Some(opened) = self.read(|games| games.open(&row)) {
            self.game = Some(GameView::new(opened, 0));
        }
    }

    /// Opens the next or previous game of the list.
    fn open_neighbour(&mut self, by: isize) {
        let Some(shown) = self.game.as_ref().map(GameView::id) else { return };
        let Some(list) = self.loaded() else { return };
        // A game that the filter leaves out has no neighbours; the selected one takes its place.
        let is_moved = !list.shows(shown) || list.step(by);
        if is_moved && list.selected().is_some() {
            self.open_selected();
        } else {
            let which = if by > 0 { "last" } else { "first" };
            self.message = Some(format!("this is the {which} game of the list; / changes it"));
        }
    }

    fn key_in_game(&mut self, key: KeyPress) {
        match key {
            Key(Char('n')) => self.open_neighbour(1),
            Key(Char('N')) => self.open_neighbour(-1),
            Key(Char('/')) => {
                self.back_to_list();
                if self.game.is_none() {
                    self.key_in_list(key);
                }
            }
            Key(Char('c')) => {
                self.copied = self.game.as_ref().map(GameView::command);
                self.message = self.copied.as_ref().map(|command| format!("copied: {command}"));
            }
            Key(Char('q')) if !self.is_from_list => self.is_over = true,
            Key(Esc | Backspace | Char('q')) => self.back_to_list(),
            key => {
                if let Some(game) = &mut self.game {
                    game.key(key);
                }
            }
        }
    }

    fn key_in_list(&mut self, key: KeyPress) {
        let Some(list) = &mut self.list else { return };
        match key {
            key if list.is_typing() => list.key(key),
            Key(Char('q')) => self.is_over = true,
            Key(Enter | Right | Char('l')) => self.open_selected(),
            key => list.key(key),
        }
    }

    /// The line at the bottom.
    fn bottom(&self, width: usize) -> String {
        let keys = match (&self.game, self.is_from_list) {
            (Some(_), true) => game::KEYS,
            (Some(_), false) => game::KEYS_ALONE,
            (None, _) => list::KEYS,
        };
        self.message.clone().unwrap_or_else(|| fit_keys(keys, width))
    }
}

impl<G: Games> App for Replay<G> {
    type News = Infallible;

    fn key(&mut self, key: KeyPress) {
        self.message = None;
        if key == Ctrl('c') {
            self.is_over = true;
        } else if self.shows_help {
            self.shows_help = false;
        } else if key == Key(Char('?')) && !self.list.as_ref().is_some_and(ListView::is_typing) {
            self.shows_help = true;
        } else if self.game.is_some() {
            self.key_in_game(key);
        } else {
            self.key_in_list(key);
        }
    }

    fn ticks_every(&self) -> Option<Duration> {
        self.game.as_ref().is_some_and(GameView::is_playing).then_some(PLAY_STEP)
    }

    fn tick(&mut self) {
        if let Some(game) = &mut self.game {
            game.tick();
        }
    }

    fn copied(&mut self) -> Option<String> {
        self.copied.take()
    }

    fn draw(&self, frame: &mut Frame<'_>) {
        let text = || match (&self.game, &self.list) {
            (Some(game), _) => game.text(),
            (None, list) => list.as_ref().map_or_else(String::new, ListView::text),
        };
        if is_drawn_small(frame, text) {
            return;
        }
        if self.shows_help {
            return help::draw(frame, &keys::ALL, "docs/replay.md");
        }
        let [top, body, bottom] = Layout::vertical([Length(1), Fill(1), Length(1)]).areas(frame.area());
        match (&self.game, &self.list) {
            (Some(game), _) => {
                draw_rule(frame, top, &game.title(top.width.into()));
                game.draw(body, frame.buffer_mut());
            }
            (None, Some(list)) => {
                draw_rule(frame, top, &list.title());
                if let Some(cursor) = list.draw(body, bottom, frame.buffer_mut()) {
                    frame.set_cursor_position(cursor);
                    return;
                }
            }
            (None, None) => return,
        }
        draw_rule(frame, bottom, &self.bottom(bottom.width.saturating_sub(2).into()));
    }

    fn is_over(&self) -> bool {
        self.is_over
    }
}

/// A line of text that a rule continues.
fn draw_rule(frame: &mut Frame<'_>, area: Rect, text: &str) {
    let text = cut(&printable(text), usize::from(area.width).saturating_sub(2));
    let text = Line::styled(format!("─{text} "), theme::STRONG);
    let rule = Block::new().borders(Borders::TOP).border_style(theme::DIM);
    frame.render_widget(rule.title_style(Color::Reset).title(text), area);
}
