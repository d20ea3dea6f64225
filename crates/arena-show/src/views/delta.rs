//! What changes from one picture to the next, so that a page can step through a game without knowing it.

use arena_core::rules::{Guess, Picture, Seat};

/// What changes from one picture to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delta {
    /// On a board of the same size: the cells that changed with their owners, the cell of the last move, and the cells
    /// of the winner's lines.
    Cells {
        /// The cells and their new owners, ascending.
        changed: Vec<(usize, Option<Seat>)>,
        /// The cell of the last move.
        last: Option<usize>,
        /// The cells of the winner's lines, ascending.
        line: Vec<usize>,
    },
    /// Marbles were taken; as in [`Heap`](arena_core::rules::Heap).
    Take {
        /// Marbles left.
        left: i64,
        /// Smallest and largest legal take.
        take: [i64; 2],
        /// The last take.
        last: Option<i64>,
    },
    /// Guesses were added, and perhaps the code was revealed.
    Guesses {
        /// The new guesses.
        added: Vec<Guess>,
        /// The code, if the new picture shows it.
        code: Option<Vec<u8>>,
    },
    /// The whole of the new picture.
    Whole(Picture),
}

/// What changes from `before` to `after`.
#[must_use]
pub fn delta(before: &Picture, after: &Picture) -> Delta {
    match (before, after) {
        (Picture::Board(old), Picture::Board(new))
            if (old.rows, old.cols, old.marks, old.gravity) == (new.rows, new.cols, new.marks, new.gravity) =>
        {
            let cells = old.cells.iter().zip(&new.cells).enumerate();
            let changed = cells.filter(|(_, (old, new))| old != new).map(|(cell, (_, new))| (cell, *new)).collect();
            Delta::Cells { changed, last: new.last, line: new.line.clone() }
        }
        (Picture::Heap(_), Picture::Heap(new)) => Delta::Take { left: new.left, take: new.take, last: new.last },
        (Picture::Guesses(old), Picture::Guesses(new))
            if (old.pegs, old.colors, old.viewer) == (new.pegs, new.colors, new.viewer)
                && new.rows.starts_with(&old.rows) =>
        {
            Delta::Guesses { added: new.rows[old.rows.len()..].to_vec(), code: new.code.clone() }
        }
        _ => Delta::Whole(after.clone()),
    }
}
