//! A heap: its number, and a dot for each thing.

use arena_core::rules::Heap;
use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use ratatui::style::Style;

use super::{wanted_by_lines, write};
use crate::tui::theme;

/// Dots beside each other, before a space.
const GROUP: usize = 5;
/// Dots in a row, at most.
const ROW: usize = 20;

pub(super) fn wanted(heap: &Heap) -> Size {
    let text = wanted_by_lines(&heap.to_string());
    let rows = (usize::try_from(heap.left).unwrap_or(0) / ROW + 2).min(8) as u16;
    Size::new(text.width.max((ROW + ROW / GROUP) as u16), text.height + 1 + rows)
}

pub(super) fn draw(heap: &Heap, area: Rect, buffer: &mut Buffer) {
    let text = heap.to_string();
    let (amount, last) = text.split_once('\n').unwrap_or((&text, ""));
    write(amount, theme::STRONG, (area.x, area.y), area, buffer);
    write(last, Style::new(), (area.x, area.y + 1), area, buffer);
    let [left, taken] = [Some(heap.left), heap.last].map(|count| usize::try_from(count.unwrap_or(0)).unwrap_or(0));
    let per_row = (usize::from(area.width + 1) / (GROUP + 1) * GROUP).min(ROW);
    let rows = usize::from(area.height.saturating_sub(4));
    if per_row == 0 || rows == 0 {
        return;
    }
    let each = (left + taken).div_ceil(per_row * rows).max(1);
    let [full, all] = [left.div_ceil(each), (left + taken).div_ceil(each)];
    let legend = match (each, taken) {
        (1, 0) => String::new(),
        (1, _) => "○ just taken".to_owned(),
        (each, _) => format!("● {each} {}, ○ just taken", heap.things),
    };
    write(&legend, theme::DIM, (area.x, area.y + 2), area, buffer);
    for dot in 0..all {
        let (row, col) = (dot / per_row, dot % per_row);
        let place = (area.x + (col + col / GROUP) as u16, area.y + 3 + row as u16);
        let (dot, style) = if dot < full { ("●", theme::FIRST) } else { ("○", theme::DIM) };
        write(dot, style, place, area, buffer);
    }
}
