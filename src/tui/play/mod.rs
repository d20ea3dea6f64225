//! The screen of `arena play`: a board, what bots think, and the moves.

mod draw;
mod side;

use std::cell::Cell;
use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::picture::cell_at;
use super::{App, KeyPress};
use crate::rules::{Board, Move, Picture};
use crate::sitting::{Phase, Sitting, SittingError, SittingNews, read_move};

/// Longest move that is typed.
const TYPED_MAX: usize = 100;

/// A sitting on a screen.
#[expect(clippy::struct_excessive_bools, reason = "what is shown is on or off")]
pub struct PlayScreen {
    sitting: Sitting,
    /// The cell of the cursor on a board.
    cursor: usize,
    /// A move that is being typed.
    typed: Option<String>,
    /// What a key could not do, or did.
    message: String,
    shows_thoughts: bool,
    shows_eval: bool,
    shows_wire: bool,
    shows_help: bool,
    /// Seconds since the person on move was asked.
    seconds: u64,
    is_over: bool,
    /// Where the picture was drawn.
    drawn: Cell<Rect>,
}

impl PlayScreen {
    /// Shows a sitting.
    #[must_use]
    pub fn new(sitting: Sitting) -> Self {
        let mut play = Self {
            sitting,
            cursor: 0,
            typed: None,
            message: String::new(),
            shows_thoughts: true,
            shows_eval: true,
            shows_wire: false,
            shows_help: false,
            seconds: 0,
            is_over: false,
            drawn: Cell::default(),
        };
        if let Some(board) = play.board() {
            play.cursor = board.rows / 2 * board.cols + board.cols / 2;
        }
        play
    }

    /// The sitting.
    #[must_use]
    pub const fn sitting(&self) -> &Sitting {
        &self.sitting
    }

    /// Stops the game that runs.
    pub fn leave(&mut self) {
        self.sitting.abandon();
    }

    fn board(&self) -> Option<Board> {
        match self.sitting.picture() {
            Picture::Board(board) => Some(board),
            _ => None,
        }
    }

    /// The cursor, where there is a board and a person at it.
    fn cursor(&self) -> Option<usize> {
        (self.sitting.persons() > 0).then_some(self.cursor)
    }

    fn say(&mut self, done: Result<(), SittingError>) {
        self.message = done.err().map_or_else(String::new, |why| why.to_string());
    }

    fn play(&mut self, played: &Move) {
        let done = self.sitting.play(played);
        self.say(done);
    }

    /// Plays what was typed.
    fn submit(&mut self, typed: &str) {
        if typed.trim().is_empty() {
            return;
        }
        match read_move(typed, self.sitting.state()) {
            Ok(played) => self.play(&played),
            Err(why) => self.message = why.to_string(),
        }
    }

    fn type_key(&mut self, mut typed: String, key: KeyPress) {
        match key {
            KeyPress::Enter => return self.submit(&typed),
            KeyPress::Esc => return,
            KeyPress::Ctrl('c') => {
                self.is_over = true;
                return;
            }
            KeyPress::Backspace if typed.is_empty() => return,
            KeyPress::Backspace => _ = typed.pop(),
            KeyPress::Char(character) if typed.chars().count() < TYPED_MAX && !character.is_control() => {
                typed.push(character);
            }
            _ => {}
        }
        self.typed = Some(typed);
    }

    /// Moves the cursor by rows and columns.
    fn move_cursor(&mut self, [rows, cols]: [isize; 2]) {
        let Some(board) = self.board() else { return };
        let step = |at: usize, by: isize, count: usize| at.saturating_add_signed(by).min(count - 1);
        let row = step(self.cursor / board.cols, rows, board.rows);
        let col = step(self.cursor % board.cols, cols, board.cols);
        self.cursor = row * board.cols + col;
    }

    fn enter(&mut self) {
        match (self.sitting.phase(), self.board()) {
            (Phase::Waiting, _) => self.sitting.step(),
            (Phase::Over, _) => "n begins a new game, q leaves".clone_into(&mut self.message),
            (_, Some(board)) => self.play(&board.move_at(self.cursor)),
            (Phase::Yours, None) => self.typed = Some(String::new()),
            (_, None) => {}
        }
    }

    fn digit(&mut self, digit: char) {
        match self.board() {
            // A digit is a column.
            Some(board) if board.gravity && board.cols <= 10 => {
                let col = digit as usize - '0' as usize;
                if col < board.cols {
                    self.cursor = self.cursor / board.cols * board.cols + col;
                }
                self.play(&Move::Int(col as i64));
            }
            _ if self.sitting.phase() == Phase::Yours => self.typed = Some(digit.to_string()),
            _ => {}
        }
    }

    fn click(&mut self, place: Position) {
        let Some(board) = self.board() else { return };
        if let Some(cell) = cell_at(&board, self.cursor(), self.drawn.get(), place) {
            self.cursor = cell;
            self.play(&board.move_at(cell));
        }
    }

    fn toggle_pause(&mut self) {
        let is_paused = !self.sitting.is_paused();
        self.sitting.set_paused(is_paused);
        let text = if is_paused { "paused: bots wait for space before each move" } else { "bots move at once" };
        text.clone_into(&mut self.message);
    }
}

impl App for PlayScreen {
    type News = SittingNews;

    fn key(&mut self, key: KeyPress) {
        if let Some(typed) = self.typed.take() {
            return self.type_key(typed, key);
        }
        if self.shows_help {
            self.shows_help = false;
            if !matches!(key, KeyPress::Ctrl('c')) {
                return;
            }
        }
        self.message.clear();
        match key {
            KeyPress::Left | KeyPress::Char('H') => self.move_cursor([0, -1]),
            KeyPress::Right | KeyPress::Char('l') => self.move_cursor([0, 1]),
            KeyPress::Up | KeyPress::Char('k') => self.move_cursor([-1, 0]),
            KeyPress::Down | KeyPress::Char('j') => self.move_cursor([1, 0]),
            KeyPress::Home => self.move_cursor([0, isize::MIN]),
            KeyPress::End => self.move_cursor([0, isize::MAX]),
            KeyPress::Enter => self.enter(),
            KeyPress::Char(' ') => self.sitting.step(),
            KeyPress::Char(digit @ '0'..='9') => self.digit(digit),
            KeyPress::Char(':') => self.typed = Some(String::new()),
            KeyPress::Char('u') => {
                let done = self.sitting.undo().map(drop);
                self.say(done);
            }
            KeyPress::Char('r') => {
                let done = self.sitting.redo().map(drop);
                self.say(done);
            }
            KeyPress::Char('h') => {
                let done = self.sitting.ask_hint();
                self.say(done);
            }
            KeyPress::Char('t') => self.shows_thoughts = !self.shows_thoughts,
            KeyPress::Char('e') => self.shows_eval = !self.shows_eval,
            KeyPress::Char('w') => self.shows_wire = !self.shows_wire,
            KeyPress::Char('p') => self.toggle_pause(),
            KeyPress::Char('n') => self.sitting.new_game(false),
            KeyPress::Char('s') => self.sitting.new_game(true),
            KeyPress::Char('R') => {
                let done = self.sitting.resign();
                self.say(done);
            }
            KeyPress::Char('?') => self.shows_help = true,
            KeyPress::Char('q') | KeyPress::Ctrl('c' | 'd') => self.is_over = true,
            KeyPress::Click(place) => self.click(place),
            _ => {}
        }
    }

    fn news(&mut self, news: SittingNews) {
        if matches!(news, SittingNews::Asked { .. }) {
            self.seconds = 0;
        }
        self.sitting.news(news);
    }

    fn ticks_every(&self) -> Option<Duration> {
        (self.sitting.phase() == Phase::Yours && self.sitting.limit().is_some()).then_some(Duration::from_secs(1))
    }

    fn tick(&mut self) {
        self.seconds += 1;
    }

    fn draw(&self, frame: &mut Frame<'_>) {
        draw::draw(self, frame);
    }

    fn is_over(&self) -> bool {
        self.is_over
    }
}

#[cfg(test)]
mod tests;
