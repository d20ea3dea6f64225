//! Positions as pictures: what every view draws, whatever the game.

mod text;

use serde::Serialize;

use super::{Move, Seat};

/// Who looks at a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Viewer {
    /// Someone who may know everything, such as the reader of a stored game. The secret itself is shown after the end only.
    All,
    /// The player in a seat: sees what [`State::view`](super::State::view) shows that seat.
    Seat(Seat),
    /// Someone who watches a running game. Sees what both seats may know, and everything once the game has ended by the
    /// rules.
    Audience,
}

/// A position to be drawn. Its text, by [`Display`](std::fmt::Display), shows coordinates and the last move, and has no
/// trailing newline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Picture {
    /// Marks on a board.
    Board(Board),
    /// A heap from which things are taken.
    Heap(Heap),
    /// Guesses with their feedback.
    Guesses(Guesses),
    /// Anything else.
    Text(String),
    /// Anything else, with an image of it.
    Image(Image),
}

/// A position with an image of it. Both are foreign, and nothing in them is escaped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// The image: it should be an SVG document. A page may show it as an image alone, never as a part of itself.
    pub svg: String,
    /// The position as text, for views without images.
    pub text: String,
}

/// Marks on a board. Cells are numbered row by row from the top left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board {
    /// Height, at least 1.
    pub rows: usize,
    /// Width, at least 1.
    pub cols: usize,
    /// The owner of each cell.
    pub cells: Vec<Option<Seat>>,
    /// The mark of each seat: `X` and `O`, or the reverse.
    pub marks: [char; 2],
    /// The cell of the last move.
    pub last: Option<usize>,
    /// The cells of the winner's lines, ascending.
    pub line: Vec<usize>,
    /// Whether marks fall to the bottom, so that a move is a column and not a cell.
    pub gravity: bool,
}

impl Board {
    /// The move that takes `cell`, or drops a mark into its column. It need not be legal.
    #[must_use]
    pub fn move_at(&self, cell: usize) -> Move {
        let [row, col] = [cell / self.cols, cell % self.cols].map(|index| index as i64);
        if self.gravity { Move::Int(col) } else { Move::List(vec![row, col]) }
    }
}

/// A heap from which things are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heap {
    /// What it is of, in the plural: `marbles`.
    pub things: &'static str,
    /// Things left.
    pub left: i64,
    /// Smallest and largest legal take; 0 once nothing is left.
    pub take: [i64; 2],
    /// The last take.
    pub last: Option<i64>,
}

/// Guesses of a hidden code, in the order in which they were made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guesses {
    /// Length of the code.
    pub pegs: usize,
    /// Number of colours, which are numbers from 0.
    pub colors: usize,
    /// Who sees it.
    pub viewer: Viewer,
    /// All guesses.
    pub rows: Vec<Guess>,
    /// The code, if the viewer may know it.
    pub code: Option<Vec<u8>>,
}

/// A guess of a seat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guess {
    /// Who made it.
    pub seat: Seat,
    /// The guess and its feedback; none if they are hidden from the viewer.
    pub shown: Option<Feedback>,
}

/// A guess with its feedback.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Feedback {
    /// The colours guessed.
    pub pegs: Vec<u8>,
    /// Pegs of the right colour in the right place.
    pub exact: usize,
    /// Further pegs of the right colour.
    pub color: usize,
}
