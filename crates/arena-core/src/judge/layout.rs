//! Converts boards as people write them into the rows of `.`, `X` and `O` that the rules read.

use serde::Deserialize;

use super::mistake::Mistake;
use crate::rules::Mark;
use crate::suggest::UnknownName;
use crate::text::shown;

/// The layout of a board in a question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) enum BoardLayout {
    /// One string per row, from the top.
    #[default]
    Rows,
    /// One string per column, from the left, each from the top down.
    Columns,
    /// One string per row, with the numbers of empty cells, from 1.
    Tiles,
}

impl BoardLayout {
    const NAMED: [(&'static str, Self); 3] = [("rows", Self::Rows), ("columns", Self::Columns), ("tiles", Self::Tiles)];
}

impl TryFrom<String> for BoardLayout {
    type Error = UnknownName;

    fn try_from(name: String) -> Result<Self, UnknownName> {
        let found = Self::NAMED.iter().find(|(known, _)| *known == name);
        let unknown = || UnknownName::new("layout", &name, Self::NAMED.iter().map(|(known, _)| *known));
        found.map(|(_, layout)| *layout).ok_or_else(unknown)
    }
}

/// Maximum number of tiles, since each number is one digit.
const TILES_MAX: usize = 9;

/// Returns the rows of a board written in `layout`, with `X` for `x`, `R` and `r`, and `O` for `o`, `Y` and `y`. Leaves
/// wrong sizes and unknown cells to the rules.
pub(super) fn rows(board: &[String], layout: BoardLayout) -> Result<Vec<String>, Mistake> {
    let mut cells: Vec<Vec<char>> = board.iter().map(|line| line.chars().collect()).collect();
    if layout == BoardLayout::Columns {
        cells = transposed(&cells)?;
    }
    let count = cells.iter().map(Vec::len).sum::<usize>();
    if layout == BoardLayout::Tiles && count > TILES_MAX {
        let message = format!("tiles are numbered 1 to {TILES_MAX}, and the board has {count} cells; use `.`");
        return Err(Mistake::new("bad_layout", message));
    }
    one_pair_of_letters(&cells)?;
    let mut tile = 0;
    for (row, line) in cells.iter_mut().enumerate() {
        for (col, cell) in line.iter_mut().enumerate() {
            tile += 1;
            let place = format_args!("row {row}, column {col}");
            match (mark(*cell), cell.to_digit(10)) {
                (Some(Mark::X), _) => *cell = 'X',
                (Some(Mark::O), _) => *cell = 'O',
                (None, Some(digit)) if layout != BoardLayout::Tiles => {
                    let message = format!("`{digit}` at {place} is the number of a tile; use \"layout\":\"tiles\"");
                    return Err(Mistake::new("bad_cell", message));
                }
                (None, Some(digit)) if digit as usize != tile => {
                    let message = format!("`{digit}` at {place} is not the number of that tile, {tile}");
                    return Err(Mistake::new("bad_cell", message));
                }
                (None, Some(_)) => *cell = '.',
                (None, None) => {}
            }
        }
    }
    Ok(cells.into_iter().map(String::from_iter).collect())
}

/// The mark meant by a letter: `X` is also written `x`, `R`, `r`, and `O` is also written `o`, `Y`, `y`.
pub(super) fn mark(letter: char) -> Option<Mark> {
    match letter {
        'X' | 'x' | 'R' | 'r' => Some(Mark::X),
        'O' | 'o' | 'Y' | 'y' => Some(Mark::O),
        _ => None,
    }
}

fn transposed(columns: &[Vec<char>]) -> Result<Vec<Vec<char>>, Mistake> {
    let Some(height) = columns.first().map(Vec::len) else { return Ok(Vec::new()) };
    if let Some((col, column)) = columns.iter().enumerate().find(|(_, column)| column.len() != height) {
        let message = format!("column {col} has {} cells, and column 0 has {height}", column.len());
        return Err(Mistake::new("wrong_size", message));
    }
    Ok((0..height).map(|row| columns.iter().map(|column| column[row]).collect()).collect())
}

/// Rejects a board with both `X` and `R`: that is a typing error, not two names for one side.
fn one_pair_of_letters(cells: &[Vec<char>]) -> Result<(), Mistake> {
    let find = |letters: &str| cells.iter().flatten().find(|cell| letters.contains(**cell));
    match (find("XxOo"), find("RrYy")) {
        (Some(one), Some(other)) => {
            let message = format!("the board has both `{one}` and `{other}`; write X and O, or R and Y");
            Err(Mistake::new("bad_cell", message))
        }
        _ => Ok(()),
    }
}

/// The mark that moves first, as it is written.
pub(super) fn first_mark(text: &str) -> Result<Mark, String> {
    let mut letters = text.chars();
    let found = letters.next().filter(|_| letters.next().is_none()).and_then(mark);
    found.ok_or_else(|| format!("`{}` is not a mark; `first` is X or O (or R or Y)", shown(text)))
}
