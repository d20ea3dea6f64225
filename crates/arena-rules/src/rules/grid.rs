//! A board on which two sides make lines, shared by `connect4` and `mnk`. It knows cells but not moves.
//!
//! Cells are numbered row by row from the top left: `cell = row * cols + col`.

mod evaluation;
mod forced;
mod schema;

use super::json::write_list;
use super::{Board, BoardError, EndReason, Mark, Outcome, Picture, Seat, SetupError};
pub(super) use schema::schema;

/// The mark of an empty cell.
const EMPTY: u8 = b'.';

/// One of each pair of opposite directions, as (row, column) steps.
const DIRECTIONS: [(isize, isize); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

/// Marks on a board, the order in which they were placed, and the result.
#[derive(Debug)]
pub(super) struct Grid {
    rows: usize,
    cols: usize,
    /// Number of marks in a row that wins.
    connect: usize,
    /// `.`, `X` or `O`.
    cells: Vec<u8>,
    /// The mark of each seat.
    marks: [u8; 2],
    empty: usize,
    /// Cells in the order they were taken; empty if the board was read from rows.
    played: Vec<u16>,
    outcome: Option<Outcome>,
}

// Not derived: a derived clone drops the spare capacity of `played`, so every playout would reallocate.
impl Clone for Grid {
    fn clone(&self) -> Self {
        let mut played = Vec::with_capacity(self.cells.len());
        played.extend_from_slice(&self.played);
        Self { cells: self.cells.clone(), played, ..*self }
    }
}

impl Grid {
    /// Creates an empty board.
    pub(super) fn new(rows: usize, cols: usize, connect: usize) -> Result<Self, SetupError> {
        if connect > rows.max(cols) {
            return Err(SetupError::new(
                "bad_param",
                format!(
                    "{connect} in a row does not fit on {rows} rows and {cols} columns; at most {} fit",
                    rows.max(cols)
                ),
            ));
        }
        let cells = vec![EMPTY; rows * cols];
        let played = Vec::with_capacity(cells.len());
        let marks = Mark::X.by_seat();
        Ok(Self { rows, cols, connect, empty: cells.len(), cells, marks, played, outcome: None })
    }

    /// Places the marks of `rows` on this board, which must be empty. `first` is the mark that moves first.
    pub(super) fn read(&mut self, rows: Option<&[String]>, first: Mark) -> Result<(), SetupError> {
        self.marks = first.by_seat();
        let Some(rows) = rows else { return Ok(()) };
        if rows.len() != self.rows {
            return Err(wrong_size(format!("the board has {} rows, not {}", rows.len(), self.rows)));
        }
        for (row, text) in rows.iter().enumerate() {
            let length = text.chars().count();
            if length != self.cols {
                return Err(wrong_size(format!("row {row} has {length} cells, not {}", self.cols)));
            }
            for (col, mark) in text.chars().enumerate() {
                self.cells[row * self.cols + col] = match mark {
                    '.' => EMPTY,
                    'X' => b'X',
                    'O' => b'O',
                    other => {
                        let other = crate::text::shown(&other.to_string());
                        return Err(SetupError::new(
                            "bad_cell",
                            format!("`{other}` at row {row}, column {col} is none of `.`, `X` and `O`"),
                        ));
                    }
                };
            }
        }
        self.empty = self.empty_cells().count();
        Ok(())
    }

    /// Checks the numbers of marks on a board that was read from rows.
    pub(super) fn check_counts(&self) -> Result<(), SetupError> {
        let [first, second] = Seat::BOTH.map(|seat| self.count(seat));
        if first == second || first == second + 1 {
            return Ok(());
        }
        let [own, other] = Seat::BOTH.map(|seat| self.name(seat));
        Err(SetupError::new(
            "bad_count",
            format!(
                "{first} {own} and {second} {other} are impossible: {own} moves first, so there are as many {own} as \
                 {other}, or one more"
            ),
        ))
    }

    /// The error for a board that was read from rows but is impossible.
    pub(super) fn reject(&self, source: SetupError) -> BoardError {
        BoardError { source, lines: Some(self.lines()), value: Some(self.value()) }
    }

    /// The row and column of a cell.
    fn place(&self, cell: usize) -> [usize; 2] {
        [cell / self.cols, cell % self.cols]
    }

    fn mark(&self, seat: Seat) -> u8 {
        self.marks[seat.index()]
    }

    /// The mark of `seat`, for messages.
    pub(super) fn name(&self, seat: Seat) -> char {
        char::from(self.mark(seat))
    }

    /// Determines the result of a board that was read from rows, or why no game can lead to it. Returns the cells that
    /// can be the winning last move; `removable` says whether a cell can have been taken last.
    pub(super) fn decide(&mut self, removable: impl Fn(usize) -> bool) -> Result<Vec<usize>, SetupError> {
        let winner = match Seat::BOTH.map(|seat| self.has_line(self.mark(seat))) {
            [true, true] => {
                return Err(SetupError::new("two_winners", "both X and O have a line; the game ended with the first"));
            }
            [true, false] => Seat::First,
            [false, true] => Seat::Second,
            [false, false] => {
                self.outcome = (self.empty == 0).then_some(BOARD_FULL);
                return Ok(Vec::new());
            }
        };
        if winner == self.to_move() {
            let [own, other] = [winner, winner.other()].map(|seat| self.name(seat));
            return Err(SetupError::new("move_after_win", format!("{own} has a line, but {other} moved after it")));
        }
        let last: Vec<usize> = (0..self.cells.len())
            .filter(|&cell| self.cells[cell] == self.mark(winner) && removable(cell) && self.is_only_line_through(cell))
            .collect();
        if last.is_empty() {
            let own = self.name(winner);
            return Err(SetupError::new(
                "no_last_move",
                format!("{own} has lines that no single last move can have completed; the game ended with the first"),
            ));
        }
        self.outcome = Some(line(winner));
        Ok(last)
    }

    /// Places a mark of the side to move on an empty cell.
    pub(super) fn take(&mut self, cell: usize) {
        let mover = self.to_move();
        self.cells[cell] = self.mark(mover);
        self.played.push(cell as u16);
        self.empty -= 1;
        // Check for a line first: one made by the very last mark wins.
        if self.is_line_through(cell) {
            self.outcome = Some(line(mover));
        } else if self.empty == 0 {
            self.outcome = Some(BOARD_FULL);
        }
    }

    pub(super) fn to_move(&self) -> Seat {
        Seat::after(self.cells.len() - self.empty)
    }

    pub(super) fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn cols(&self) -> usize {
        self.cols
    }

    pub(super) fn is_empty(&self, cell: usize) -> bool {
        self.cells[cell] == EMPTY
    }

    /// The side that has taken `cell`.
    pub(super) fn owner(&self, cell: usize) -> Option<Seat> {
        Seat::BOTH.into_iter().find(|&seat| self.cells[cell] == self.mark(seat))
    }

    /// Number of empty cells.
    pub(super) fn empty(&self) -> usize {
        self.empty
    }

    /// Cells that are taken, and all cells.
    pub(super) fn used_up(&self) -> [usize; 2] {
        [self.cells.len() - self.empty, self.cells.len()]
    }

    /// The empty cells, ascending.
    pub(super) fn empty_cells(&self) -> impl Iterator<Item = usize> + '_ {
        self.cells.iter().enumerate().filter(|(_, mark)| **mark == EMPTY).map(|(cell, _)| cell)
    }

    /// Writes the view of both seats: one string per row, from the top, and the moves so far, each cell as `write_cell`
    /// does.
    pub(super) fn write_view(&self, write_cell: impl Fn(&mut Vec<u8>, usize), out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"board\":");
        write_list(out, self.cells.chunks(self.cols), |out, marks| {
            out.push(b'"');
            out.extend_from_slice(marks);
            out.push(b'"');
        });
        out.extend_from_slice(b",\"moves\":");
        write_list(out, &self.played, |out, cell| write_cell(out, usize::from(*cell)));
        out.push(b'}');
    }

    /// Two bits per cell. The side to move and the end of the game follow from the marks.
    pub(super) fn key(&self) -> Vec<u8> {
        let bits = |mark: &u8| match *mark {
            EMPTY => 0,
            mark if mark == self.marks[0] => 1,
            _ => 2,
        };
        self.cells.chunks(4).map(|four| four.iter().fold(0, |byte, mark| byte << 2 | bits(mark))).collect()
    }

    /// The board to be drawn; with `gravity`, a move is a column.
    pub(super) fn picture(&self, gravity: bool) -> Picture {
        let line = self.outcome.and_then(|outcome| outcome.winner).map_or_else(Vec::new, |winner| {
            let [first, second] = self.lines();
            let line = if winner == Seat::First { first } else { second };
            line.into_iter().map(|[row, col]| row * self.cols + col).collect()
        });
        Picture::Board(Board {
            rows: self.rows,
            cols: self.cols,
            cells: (0..self.cells.len()).map(|cell| self.owner(cell)).collect(),
            marks: self.marks.map(char::from),
            last: self.played.last().map(|cell| usize::from(*cell)),
            line,
            gravity,
        })
    }

    fn count(&self, seat: Seat) -> usize {
        (0..self.cells.len()).filter(|cell| self.owner(*cell) == Some(seat)).count()
    }

    fn has_line(&self, mark: u8) -> bool {
        (0..self.cells.len()).any(|cell| self.cells[cell] == mark && self.is_line_through(cell))
    }

    /// Whether the side that owns `cell` has no line without it.
    fn is_only_line_through(&self, cell: usize) -> bool {
        let mut before = self.clone();
        before.cells[cell] = EMPTY;
        !before.has_line(self.cells[cell])
    }

    /// Whether the mark on `cell` is part of a line of `connect` or more. Checks only the four lines through it.
    fn is_line_through(&self, cell: usize) -> bool {
        DIRECTIONS
            .iter()
            .any(|&(down, right)| 1 + self.run(cell, down, right) + self.run(cell, -down, -right) >= self.connect)
    }

    /// Number of equal marks that follow `cell` without a gap. Row and column are separate, so that a run ends at the
    /// border instead of wrapping around.
    fn run(&self, cell: usize, down: isize, right: isize) -> usize {
        let mark = self.cells[cell];
        let (mut row, mut col) = (cell / self.cols, cell % self.cols);
        let mut length = 0;
        loop {
            // A step past the top or left border wraps to a huge number, which is off the board too.
            row = row.wrapping_add_signed(down);
            col = col.wrapping_add_signed(right);
            if row >= self.rows || col >= self.cols || self.cells[row * self.cols + col] != mark {
                return length;
            }
            length += 1;
        }
    }
}

/// A line wins. Games say how long it is.
pub(super) const LINE: EndReason = EndReason { name: "line", words: "a line", means: "The winner completed a line." };
/// No cell is empty.
pub(super) const FULL: EndReason = EndReason {
    name: "board_full",
    words: "the board is full",
    means: "The board is full and neither side has a line: a draw.",
};
const BOARD_FULL: Outcome = Outcome { winner: None, reason: FULL.name };

const fn line(winner: Seat) -> Outcome {
    Outcome { winner: Some(winner), reason: LINE.name }
}

fn wrong_size(message: String) -> SetupError {
    SetupError::new("wrong_size", message)
}
