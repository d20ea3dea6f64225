//! Boards: aligned columns, coordinates, and marks around the last move and the winner's line.

use std::ops::Range;

use arena_core::rules::Board;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};
use ratatui::style::{Modifier, Style};

use super::write;
use crate::tui::theme;

/// Widths of a cell, the best first. From 3 on, a mark has room for brackets around it.
const CELL_WIDTHS: [u16; 3] = [4, 3, 2];

/// Cells are two lines high where as many lines as this stay free, so that a message below a board does not change its size.
const LINES_FREE: u16 = 6;

/// Which part of a board is where on the screen. The numbers of the columns are at the top of the area.
struct Viewport {
    /// Width of a cell.
    cell: u16,
    /// Lines of a cell; the mark is in the first one.
    lines: u16,
    /// Rows that are shown.
    rows: Range<usize>,
    /// Columns that are shown.
    cols: Range<usize>,
    /// Where the cells begin.
    origin: Position,
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
        let focus = cursor.or(board.last).unwrap_or(board.rows / 2 * board.cols + board.cols / 2);
        // Where the cursor is a column, what is at the bottom, or new, is worth the room.
        let bottom = board.last.unwrap_or(board.cells.len() - 1);
        let row = if board.gravity { bottom } else { focus } / board.cols;
        let rows = around(row, board.rows, area.height.saturating_sub(head) / lines);
        let cols = around(focus % board.cols, board.cols, room / cell);
        let left = area.width.saturating_sub(margin + cols.len() as u16 * cell) / 2;
        Self { cell, lines, rows, cols, origin: Position::new(area.x + left + margin, area.y + head) }
    }

    /// Where the mark of a shown cell is.
    fn place(&self, row: usize, col: usize) -> (u16, u16) {
        let before_the_mark = if self.cell > 2 { self.cell - 2 } else { 1 };
        let x = self.origin.x + (col - self.cols.start) as u16 * self.cell + before_the_mark;
        (x, self.origin.y + (row - self.rows.start) as u16 * self.lines)
    }
}

/// As many of `count` rows or columns as there is room for, around one of them.
fn around(focus: usize, count: usize, room: u16) -> Range<usize> {
    let shown = count.min(room.into());
    let first = focus.saturating_sub(shown / 2).min(count - shown);
    first..first + shown
}

/// The cell at a place of the screen, where `board` was drawn into `area` with this cursor.
#[must_use]
pub fn cell_at(board: &Board, cursor: Option<usize>, area: Rect, place: Position) -> Option<usize> {
    let Viewport { cell, lines, rows, cols, origin } = Viewport::new(board, cursor, area);
    // With marks that fall, the head of a column is as good as a cell of it.
    let is_inside = area.contains(place) && place.x >= origin.x && (board.gravity || place.y >= origin.y);
    let row = rows.start + usize::from(place.y.saturating_sub(origin.y) / lines);
    let col = cols.start + usize::from(place.x.saturating_sub(origin.x) / cell);
    let is_cell = cols.contains(&col) && (board.gravity || rows.contains(&row));
    (is_inside && is_cell).then_some(row.min(board.rows - 1) * board.cols + col)
}

pub(super) fn draw(board: &Board, cursor: Option<usize>, area: Rect, buffer: &mut Buffer) -> Option<Position> {
    let view = Viewport::new(board, cursor, area);
    for col in view.cols.clone() {
        let (number, (x, _)) = (col.to_string(), view.place(view.rows.start, col));
        write(&number, theme::DIM, (x + 1 - number.len() as u16, area.y), area, buffer);
    }
    for row in view.rows.clone() {
        let width = digits(board.rows);
        let number = format!("{row:>0$}", usize::from(width));
        write(&number, theme::DIM, (view.origin.x - width - 1, view.place(row, view.cols.start).1), area, buffer);
        for col in view.cols.clone() {
            draw_cell(board, row * board.cols + col, &view, area, buffer);
        }
    }
    draw_edges(board, &view, area, buffer);
    let (row, col) = (cursor? / board.cols, cursor? % board.cols);
    if !view.cols.contains(&col) || !(board.gravity || view.rows.contains(&row)) || area.height < 2 {
        return None;
    }
    if board.gravity {
        let place = (view.place(view.rows.start, col).0, area.y + 1);
        write("▼", theme::STRONG, place, area, buffer);
        return Some(place.into());
    }
    let (x, y) = view.place(row, col);
    if view.cell > 2 {
        write(">", theme::STRONG, (x - 1, y), area, buffer);
        write("<", theme::STRONG, (x + 1, y), area, buffer);
    }
    buffer.set_style(Rect::new(x, y, 1, 1), theme::CURSOR);
    Some(Position::new(x, y))
}

/// A mark, in brackets if it is the last one or in a line that won; where cells are too narrow, after a sign.
fn draw_cell(board: &Board, cell: usize, view: &Viewport, area: Rect, buffer: &mut Buffer) {
    let (x, y) = view.place(cell / board.cols, cell % board.cols);
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
    let Viewport { cell, lines, rows, cols, origin } = view;
    if rows.is_empty() || cols.is_empty() {
        return;
    }
    let bottom = origin.y + rows.len() as u16 * lines - 1;
    let right = origin.x + cols.len() as u16 * cell - u16::from(*cell > 2);
    let arrows = [
        (rows.start > 0, "↑", (origin.x - 1, origin.y)),
        (rows.end < board.rows, "↓", (origin.x - 1, bottom)),
        (cols.start > 0, "←", (origin.x - 1, area.y)),
        (cols.end < board.cols, "→", (right, area.y)),
    ];
    for (_, arrow, place) in arrows.into_iter().filter(|(is_more, ..)| *is_more) {
        write(arrow, theme::STRONG, place, area, buffer);
    }
}
