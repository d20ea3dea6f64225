//! The screen of `arena play`: a board, what bots think, and the moves.

mod draw;
mod side;

use std::cell::Cell;
use std::time::Duration;

use arena_core::rules::{Board, Move, Picture};
use arena_run::sitting::{Phase, Sitting, SittingError, SittingNews, read_move};
use ratatui::Frame;
use ratatui::crossterm::event::KeyCode::{Backspace, Char, Down, End, Enter, Esc, Home, Left, Right, Up};
use ratatui::layout::{Position, Rect};

use super::KeyPress::{self, Click, Ctrl, Key};
use super::picture::cell_at;
use super::{App, prompt};

/// What is typed to resign.
const RESIGN: &str = "resign";

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
        let cursor = match sitting.picture() {
            Picture::Board(board) => board.rows / 2 * board.cols + board.cols / 2,
            _ => 0,
        };
        Self {
            sitting,
            cursor,
            typed: None,
            message: String::new(),
            shows_thoughts: true,
            shows_eval: true,
            shows_wire: false,
            shows_help: false,
            seconds: 0,
            is_over: false,
            drawn: Cell::default(),
        }
    }

    /// Stops the game that runs. Returns what came of saving the last game in which a move was made.
    pub fn leave(&mut self) -> Option<&Result<String, String>> {
        self.sitting.abandon();
        self.sitting.last_saved()
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

    /// Does what the sitting may refuse, and says why.
    fn attempt(&mut self, act: impl FnOnce(&mut Sitting) -> Result<(), SittingError>) {
        self.message = act(&mut self.sitting).err().map_or_else(String::new, |why| why.to_string());
    }

    fn play(&mut self, played: &Move) {
        self.attempt(|sitting| sitting.play(played));
    }

    /// Types a key; Enter plays what was typed.
    fn type_key(&mut self, mut typed: String, key: KeyPress) {
        match key {
            Key(Enter) if !typed.trim().is_empty() => match read_move(&typed, self.sitting.state()) {
                Ok(played) => self.play(&played),
                // Where letters are typed, there is no key for it.
                Err(_) if typed.trim() == RESIGN => self.attempt(Sitting::resign),
                Err(why) => self.message = why.to_string(),
            },
            Key(Enter | Esc) => {}
            Key(Backspace) | Ctrl('h') if typed.is_empty() => {}
            _ => {
                prompt::typed(&mut typed, key);
                self.typed = Some(typed);
            }
        }
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

    /// Whether a character begins a move that is typed, instead of being a key: in games of programs, whose moves may begin
    /// with any character, when it is a person's move.
    fn types_moves(&self) -> bool {
        self.sitting.setup().variant.rules.is_external() && self.sitting.phase() == Phase::Yours
    }

    /// Does what a key stands for while no move is typed. Letters do the same with Ctrl.
    fn act(&mut self, key: KeyPress) {
        let key = match key {
            Key(Char(typed)) if self.types_moves() && !" :?".contains(typed) => {
                return self.type_key(String::new(), key);
            }
            Ctrl(letter) if letter != 'd' => Key(Char(letter)),
            key => key,
        };
        match key {
            Key(Left | Char('H')) => self.move_cursor([0, -1]),
            Key(Right | Char('l')) => self.move_cursor([0, 1]),
            Key(Up | Char('k')) => self.move_cursor([-1, 0]),
            Key(Down | Char('j')) => self.move_cursor([1, 0]),
            Key(Home) => self.move_cursor([0, isize::MIN]),
            Key(End) => self.move_cursor([0, isize::MAX]),
            Key(Enter) => self.enter(),
            Key(Char(' ')) => self.sitting.step(),
            Key(Char(digit @ '0'..='9')) => self.digit(digit),
            Key(Char(':')) => self.typed = Some(String::new()),
            Key(Char('u')) => self.attempt(|sitting| sitting.undo().map(drop)),
            Key(Char('r')) => self.attempt(|sitting| sitting.redo().map(drop)),
            Key(Char('h')) => self.attempt(Sitting::ask_hint),
            Key(Char('t')) => self.shows_thoughts = !self.shows_thoughts,
            Key(Char('e')) => self.shows_eval = !self.shows_eval,
            Key(Char('w')) => self.shows_wire = !self.shows_wire,
            Key(Char('p')) => self.toggle_pause(),
            Key(Char('n')) => self.sitting.new_game(false),
            Key(Char('s')) => self.sitting.new_game(true),
            Key(Char('R')) => self.attempt(Sitting::resign),
            Key(Char('?')) => self.shows_help = true,
            Key(Char('q')) | Ctrl('d') => self.is_over = true,
            Click(place) => self.click(place),
            _ => {}
        }
    }
}

impl App for PlayScreen {
    type News = SittingNews;

    fn key(&mut self, key: KeyPress) {
        if key == Ctrl('c') {
            self.is_over = true;
        } else if let Some(typed) = self.typed.take() {
            self.type_key(typed, key);
        } else if !std::mem::take(&mut self.shows_help) {
            self.message.clear();
            self.act(key);
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
