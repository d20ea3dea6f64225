//! One line of a list is selected, and as many as there is room for are shown.

use std::cell::Cell;

use ratatui::crossterm::event::KeyCode::{Char, Down, End, Home, PageDown, PageUp, Tab, Up};
use ratatui::layout::{Position, Rect};

use super::KeyPress::{self, Ctrl, Key};

/// Which line of a list is selected, and which are on the screen.
#[derive(Debug, Default)]
pub(super) struct Selection {
    /// The selected line.
    pub(super) index: usize,
    /// The first line that was drawn, and where it and those after it are.
    drawn: Cell<(usize, Rect)>,
}

impl Selection {
    /// Selects another one of `count` lines, if that is what the key is for.
    pub(super) fn key(&mut self, key: KeyPress, count: usize) {
        let page = usize::from(self.drawn.get().1.height).max(2) - 1;
        let index = match key {
            Key(Up | Char('k')) => self.index.saturating_sub(1),
            Key(Down | Char('j') | Tab) => self.index + 1,
            Key(PageUp) | Ctrl('b') => self.index.saturating_sub(page),
            Key(PageDown) | Ctrl('f') => self.index + page,
            Key(Home | Char('g')) => 0,
            Key(End | Char('G')) => count,
            _ => self.index,
        };
        self.index = index.min(count.saturating_sub(1));
    }

    /// Those of `count` lines that are drawn into `area`, each with its row: the same as before, as far as the selected one is
    /// among them and no room is left empty.
    pub(super) fn rows(&self, count: usize, area: Rect) -> impl Iterator<Item = (usize, Rect)> + use<> {
        let height = usize::from(area.height);
        let least = (self.index + 1).saturating_sub(height);
        let most = count.saturating_sub(height).max(least);
        let first = self.drawn.get().0.clamp(least, self.index.max(least)).min(most);
        self.drawn.set((first, area));
        (first..count).zip(area.rows())
    }

    /// The line at a place of the screen; there need not be that many.
    pub(super) fn at(&self, place: Position) -> Option<usize> {
        let (first, area) = self.drawn.get();
        area.contains(place).then(|| first + usize::from(place.y - area.y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_selected_line_is_among_those_that_are_drawn() {
        let mut selection = Selection::default();
        let area = Rect::new(0, 2, 9, 4);
        let mut after = |key: KeyPress, count: usize| {
            selection.key(key, count);
            let drawn: Vec<usize> = selection.rows(count, area).map(|(line, _)| line).collect();
            (selection.index, drawn)
        };
        assert_eq!(after(Key(PageDown), 10), (1, vec![0, 1, 2, 3]));
        assert_eq!(after(Key(PageDown), 10), (4, vec![1, 2, 3, 4]));
        assert_eq!(after(Key(Up), 10), (3, vec![1, 2, 3, 4]));
        assert_eq!(after(Key(End), 10), (9, vec![6, 7, 8, 9]));
        assert_eq!(after(Key(Tab), 10), (9, vec![6, 7, 8, 9]));
        // There are fewer now, and no room is left empty.
        assert_eq!(after(Key(Down), 5), (4, vec![1, 2, 3, 4]));
        assert_eq!(after(Key(Down), 0), (0, vec![]));
        assert_eq!(selection.at(Position::new(3, 3)), Some(1));
        assert_eq!(selection.at(Position::new(3, 6)), None);
    }
}
