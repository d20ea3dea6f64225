//! `arena replay` on a terminal: a list of games, and a game to step through.

mod ending;
mod game;
mod help;
mod list;
mod plies;
#[cfg(test)]
mod tests;

use std::convert::Infallible;
use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;

use super::hint::fit_keys;
use super::{App, KeyPress, draw_small, is_small, theme};
use crate::protocol::Protocol;
use crate::report::{List, ListedGame};
use crate::text::{causes, cut, printable};
use crate::views::Story;
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
        Ok(Self { list: Some(list), is_from_list: true, ..Self::new(games) })
    }

    /// A game, after `ply` plies.
    #[must_use]
    pub fn game(games: G, opened: Opened, ply: usize) -> Self {
        Self { game: Some(GameView::new(opened, ply)), ..Self::new(games) }
    }

    fn new(games: G) -> Self {
        Self {
            games,
            list: None,
            game: None,
            is_from_list: false,
            message: None,
            copied: None,
            shows_help: false,
            is_over: false,
        }
    }

    /// The list, which is read if it was not before; `None` if it cannot be.
    fn loaded(&mut self) -> Option<&mut ListView> {
        if self.list.is_none() {
            match self.games.list() {
                Ok(list) => {
                    let mut list = ListView::new(list, "");
                    if let Some(game) = &self.game {
                        list.select(game.id());
                    }
                    self.list = Some(list);
                }
                Err(error) => self.message = Some(causes(error.as_ref()).join(": ")),
            }
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
        match self.games.open(&row) {
            Ok(opened) => self.game = Some(GameView::new(opened, 0)),
            Err(error) => self.message = Some(causes(error.as_ref()).join(": ")),
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
            KeyPress::Char('n') => self.open_neighbour(1),
            KeyPress::Char('N') => self.open_neighbour(-1),
            KeyPress::Char('/') => {
                self.back_to_list();
                if let Some(list) = self.list.as_mut().filter(|_| self.game.is_none()) {
                    list.key(KeyPress::Char('/'));
                }
            }
            KeyPress::Char('c') => {
                let command = self.game.as_ref().map(GameView::command);
                self.message = command.as_ref().map(|command| format!("copied: {command}"));
                self.copied = command;
            }
            KeyPress::Char('q') if !self.is_from_list => self.is_over = true,
            KeyPress::Esc | KeyPress::Backspace | KeyPress::Char('q') => self.back_to_list(),
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
            KeyPress::Char('q') => self.is_over = true,
            KeyPress::Enter | KeyPress::Right | KeyPress::Char('l') => self.open_selected(),
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
        if key == KeyPress::Ctrl('c') {
            self.is_over = true;
        } else if self.shows_help {
            self.shows_help = false;
        } else if key == KeyPress::Char('?') && !self.list.as_ref().is_some_and(ListView::is_typing) {
            self.shows_help = true;
        } else if self.game.is_some() {
            self.key_in_game(key);
        } else {
            self.key_in_list(key);
        }
    }

    fn news(&mut self, news: Infallible) {
        match news {}
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
        if is_small(frame) {
            let text = match (&self.game, &self.list) {
                (Some(game), _) => game.text(),
                (None, Some(list)) => list.text(),
                (None, None) => String::new(),
            };
            draw_small(frame, &text);
            return;
        }
        if self.shows_help {
            help::draw(frame);
            return;
        }
        let [top, body, bottom] =
            Layout::vertical([Constraint::Length(1), Constraint::Fill(1), Constraint::Length(1)]).areas(frame.area());
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
    let width = usize::from(area.width);
    let text = cut(&printable(text), width.saturating_sub(2));
    let line = Line::styled(format!("─{text} "), theme::STRONG);
    let rest = width.saturating_sub(line.width());
    frame.render_widget(line, area);
    let [_, rule] = Layout::horizontal([Constraint::Fill(1), Constraint::Length(rest as u16)]).areas(area);
    frame.render_widget(Line::styled("─".repeat(rest), theme::DIM), rule);
}
