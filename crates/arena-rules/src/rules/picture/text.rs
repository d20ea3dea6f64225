//! Pictures as text.

use std::fmt::{self, Display, Formatter};

use super::{Board, Guesses, Heap, Image, Picture, Viewer};
use crate::rules::Seat;

impl Display for Picture {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Board(board) => board.fmt(f),
            Self::Heap(heap) => heap.fmt(f),
            Self::Guesses(guesses) => guesses.fmt(f),
            Self::Text(text) | Self::Image(Image { text, .. }) => f.write_str(text),
        }
    }
}

/// Numbered columns, numbered rows unless a move is a column, the last mark in lower case.
impl Display for Board {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let width = (self.cols - 1).to_string().len() + 1;
        let margin = if self.gravity { 0 } else { (self.rows - 1).to_string().len() };
        write!(f, "{:margin$}", "")?;
        for col in 0..self.cols {
            write!(f, "{col:>width$}")?;
        }
        for (row, owners) in self.cells.chunks(self.cols).enumerate() {
            f.write_str("\n")?;
            if !self.gravity {
                write!(f, "{row:>margin$}")?;
            }
            for (col, owner) in owners.iter().enumerate() {
                let mark = owner.map_or('.', |seat| self.marks[seat.index()]);
                let is_last = self.last == Some(row * self.cols + col);
                write!(f, "{:>width$}", if is_last { mark.to_ascii_lowercase() } else { mark })?;
            }
        }
        let Some(last) = self.last else { return Ok(()) };
        let small = self.cells[last].map_or('.', |seat| self.marks[seat.index()].to_ascii_lowercase());
        let (row, col) = (last / self.cols, last % self.cols);
        if self.gravity {
            write!(f, "\nlast move: column {col}, shown as {small}")
        } else {
            write!(f, "\nlast move: [{row},{col}], shown as {small}")
        }
    }
}

impl Display for Heap {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "heap: {} (", self.left)?;
        match self.take {
            [_, 0] => f.write_str("nothing left to take)")?,
            [min, max] if min == max => write!(f, "take {min})")?,
            [min, max] => write!(f, "take {min} to {max})")?,
        }
        self.last.map_or(Ok(()), |take| write!(f, "\nlast move: {take} taken"))
    }
}

impl Display for Guesses {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let made = |seat| self.rows.iter().filter(|row| row.seat == seat).count();
        match self.viewer {
            Viewer::All => {
                f.write_str("first")?;
                self.write_rows(f, Seat::First)?;
                f.write_str("\nsecond")?;
                self.write_rows(f, Seat::Second)?;
            }
            Viewer::Seat(seat) => {
                write!(f, "{} pegs, colours 0 to {}", self.pegs, self.colors - 1)?;
                self.write_rows(f, seat)?;
                write!(f, "\nguesses made by the other side: {}", made(seat.other()))?;
            }
            Viewer::Audience => {
                write!(f, "{} pegs, colours 0 to {}", self.pegs, self.colors - 1)?;
                write!(f, "\nguesses made: first {}, second {}", made(Seat::First), made(Seat::Second))?;
            }
        }
        self.code.as_ref().map_or(Ok(()), |code| write!(f, "\ncode  {}", list(code)))
    }
}

impl Guesses {
    fn write_rows(&self, f: &mut Formatter<'_>, seat: Seat) -> fmt::Result {
        let own = self.rows.iter().enumerate().filter(|(_, row)| row.seat == seat);
        for (number, (index, row)) in (1..).zip(own) {
            let Some(row) = &row.shown else { continue };
            let mark = if index + 1 == self.rows.len() { "  <- last move" } else { "" };
            write!(f, "\n{number:>4}  {}  exact {}, color {}{mark}", list(&row.pegs), row.exact, row.color)?;
        }
        Ok(())
    }
}

/// `[0,3,1,1]`.
fn list(pegs: &[u8]) -> String {
    let pegs: Vec<String> = pegs.iter().map(u8::to_string).collect();
    format!("[{}]", pegs.join(","))
}
