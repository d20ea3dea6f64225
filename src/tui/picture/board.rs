//! Boards: aligned columns, coordinates, and marks around the last move and the winner's line.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};
use ratatui::style::{Modifier, Style};

use super::write;
use crate::rules::Board;
use crate::tui::theme;

/// Widths of a cell, the best first. From 3 on, a mark has room for brackets around it.
const CELL_WIDTHS: [u16; 3] = [4, 3, 2];

/// Cells are two lines high where as many lines as this stay free, so that a message below a board does not change its size.
const LINES_FREE: u16 = 6;

/// Which part of a board is where on the screen.
struct Viewport {
    /// Width of a cell.
    cell: u16,
    /// Lines of a cell; the mark is in the first one.
    lines: u16,
    /// The top left cell that is shown.
    first: [usize; 2],
    /// Rows and columns that are shown.
    count: [usize; 2],
    /// Where the numbers of the rows begin.
    left: u16,
    /// Where the cells begin.
    origin: Position,
    /// Where the numbers of the columns are.
    head: u16,
    /// The end of the cells.
    right: u16,
}

pub(super) fn wanted(board: &Board) -> Size {
    Size::new(margin(board) + board.cols as u16 * CELL_WIDTHS[0], board.rows as u16 + 1)
}

/// Width of the numbers of the rows, and a space.
fn margin(board: &Board) -> u16 {
    digits(board.rows) + 1
}

fn digits(count: usize) -> u16 {
    count.saturating_sub(1).to_string().len() as u16
}

impl Viewport {
    fn new(board: &Board, cursor: Option<usize>, area: Rect) -> Self {
        let margin = margin(board);
        let least = (digits(board.cols) + 1).max(2);
        let room = area.width.saturating_sub(margin);
        let fits = |cell: &u16| *cell >= least && usize::from(*cell) * board.cols <= usize::from(room);
        let cell = CELL_WIDTHS.into_iter().find(fits).unwrap_or(least);
        // A cursor above columns has a line of its own.
        let head = if board.gravity && cursor.is_some() { 2 } else { 1 };
        let tall = 2 * board.rows as u16 + head + LINES_FREE;
        let lines = if cell == CELL_WIDTHS[0] && area.height >= tall { 2 } else { 1 };
        let place = |cell: usize| [cell / board.cols, cell % board.cols];
        let mut focus = cursor.or(board.last).map_or([board.rows / 2, board.cols / 2], place);
        if board.gravity {
            // The cursor is a column: what is at the bottom, or new, is worth the room.
            focus[0] = board.last.map_or(board.rows - 1, |last| place(last)[0]);
        }
        let sizes = [board.rows, board.cols];
        let room = [area.height.saturating_sub(head) / lines, room / cell].map(usize::from);
        let count = [0, 1].map(|axis| sizes[axis].min(room[axis]));
        let first = [0, 1].map(|axis| focus[axis].saturating_sub(count[axis] / 2).min(sizes[axis] - count[axis]));
        let width = margin + count[1] as u16 * cell;
        let left = area.x + area.width.saturating_sub(width) / 2;
        Self {
            cell,
            lines,
            first,
            count,
            left,
            origin: Position::new(left + margin, area.y + head),
            head: area.y,
            right: left + width,
        }
    }

    /// Where the mark of a shown column is.
    fn x(&self, col: usize) -> u16 {
        let before_the_mark = if self.cell > 2 { self.cell - 2 } else { 1 };
        self.origin.x + (col - self.first[1]) as u16 * self.cell + before_the_mark
    }

    fn y(&self, row: usize) -> u16 {
        self.origin.y + (row - self.first[0]) as u16 * self.lines
    }

    fn end(&self, axis: usize) -> usize {
        self.first[axis] + self.count[axis]
    }
}

/// The cell at a place of the screen, where `board` was drawn into `area` with this cursor.
#[must_use]
pub fn cell_at(board: &Board, cursor: Option<usize>, area: Rect, place: Position) -> Option<usize> {
    let view = Viewport::new(board, cursor, area);
    // With marks that fall, the head of a column is as good as a cell of it.
    let top = if board.gravity { view.head } else { view.origin.y };
    let is_inside = (view.origin.x..view.right).contains(&place.x) && area.contains(place) && place.y >= top;
    let row = view.first[0] + usize::from(place.y.saturating_sub(view.origin.y) / view.lines);
    let col = view.first[1] + usize::from(place.x.saturating_sub(view.origin.x) / view.cell);
    let is_row = board.gravity || row < view.end(0);
    (is_inside && is_row && col < view.end(1)).then_some(row.min(board.rows - 1) * board.cols + col)
}

pub(super) fn draw(board: &Board, cursor: Option<usize>, area: Rect, buffer: &mut Buffer) -> Option<Position> {
    let view = Viewport::new(board, cursor, area);
    for col in view.first[1]..view.end(1) {
        let number = col.to_string();
        write(&number, theme::DIM, (view.x(col) + 1 - number.len() as u16, view.head), area, buffer);
    }
    for row in view.first[0]..view.end(0) {
        let number = format!("{row:>width$}", width = usize::from(digits(board.rows)));
        write(&number, theme::DIM, (view.left, view.y(row)), area, buffer);
        for col in view.first[1]..view.end(1) {
            draw_cell(board, row * board.cols + col, &view, area, buffer);
        }
    }
    draw_edges(board, &view, area, buffer);
    let cursor = cursor?;
    let (row, col) = (cursor / board.cols, cursor % board.cols);
    let is_shown =
        (view.first[1]..view.end(1)).contains(&col) && (board.gravity || (view.first[0]..view.end(0)).contains(&row));
    if !is_shown || area.height < 2 {
        return None;
    }
    if board.gravity {
        let place = (view.x(col), view.head + 1);
        write("▼", theme::STRONG, place, area, buffer);
        return Some(place.into());
    }
    let place = Position::new(view.x(col), view.y(row));
    if view.cell > 2 {
        write(">", theme::STRONG, (place.x - 1, place.y), area, buffer);
        write("<", theme::STRONG, (place.x + 1, place.y), area, buffer);
    }
    buffer.set_style(Rect::new(place.x, place.y, 1, 1), theme::CURSOR);
    Some(place)
}

/// A mark, in brackets if it is the last one or in a line that won; where cells are too narrow, after a sign.
fn draw_cell(board: &Board, cell: usize, view: &Viewport, area: Rect, buffer: &mut Buffer) {
    let (x, y) = (view.x(cell % board.cols), view.y(cell / board.cols));
    let Some(owner) = board.cells[cell] else { return write("·", theme::DIM, (x, y), area, buffer) };
    let (is_last, is_line) = (board.last == Some(cell), board.line.contains(&cell));
    let mut style = if is_line { theme::LINE } else { theme::of(owner) };
    if is_last {
        style = style.patch(theme::LAST);
    }
    write(&board.marks[owner.index()].to_string(), style, (x, y), area, buffer);
    let around = match (is_last, is_line) {
        (true, _) => ["(", ")", ">"],
        (_, true) => ["[", "]", "*"],
        _ => return,
    };
    let style = Style { add_modifier: Modifier::BOLD, sub_modifier: Modifier::UNDERLINED, ..style };
    if view.cell > 2 {
        write(around[0], style, (x - 1, y), area, buffer);
        write(around[1], style, (x + 1, y), area, buffer);
    } else {
        write(around[2], style, (x - 1, y), area, buffer);
    }
}

/// Arrows where there is more of the board.
fn draw_edges(board: &Board, view: &Viewport, area: Rect, buffer: &mut Buffer) {
    if view.count.contains(&0) {
        return;
    }
    let beside = view.origin.x - 1;
    let [top, bottom] = [view.origin.y, view.origin.y + view.count[0] as u16 * view.lines - 1];
    let arrows = [
        (view.first[0] > 0, "↑", (beside, top)),
        (view.end(0) < board.rows, "↓", (beside, bottom)),
        (view.first[1] > 0, "←", (beside, view.head)),
        (view.end(1) < board.cols, "→", (view.right - u16::from(view.cell > 2), view.head)),
    ];
    for (_, arrow, place) in arrows.into_iter().filter(|(is_more, ..)| *is_more) {
        write(arrow, theme::STRONG, place, area, buffer);
    }
}
