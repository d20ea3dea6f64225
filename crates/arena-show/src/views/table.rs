//! Tables with aligned columns, of which a narrow terminal shows fewer.

use std::fmt::Write as _;

use console::measure_text_width;

/// Longest table that a terminal shows whole.
const ROWS_WHOLE_MAX: usize = 60;
/// Rows shown of a longer one.
const ROWS_SHOWN: usize = 56;

/// Aligned columns, two spaces apart.
#[derive(Debug, Default)]
pub struct Table {
    columns: Vec<TableColumn>,
    rows: Vec<Vec<String>>,
}

#[derive(Debug)]
struct TableColumn {
    head: String,
    is_left: bool,
    /// Columns with higher numbers are dropped first where there is no room; 0 is for those that stay.
    drop: u8,
}

impl Table {
    /// A table without columns.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a column of numbers, aligned to the right, that always stays.
    #[must_use]
    pub fn column(self, head: impl Into<String>) -> Self {
        self.less_important(head, 0)
    }

    /// Adds a column of names, aligned to the left, that always stays.
    #[must_use]
    pub fn names(mut self, head: &str) -> Self {
        self.columns.push(TableColumn { head: head.to_owned(), is_left: true, drop: 0 });
        self
    }

    /// Adds a column of numbers that is dropped where there is no room, the one with the highest `order` first; 0 stays.
    #[must_use]
    pub fn less_important(mut self, head: impl Into<String>, order: u8) -> Self {
        self.columns.push(TableColumn { head: head.into(), is_left: false, drop: order });
        self
    }

    /// Adds a row with a cell for each column.
    pub fn row(&mut self, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.columns.len());
        self.rows.push(cells);
    }

    /// The header and all rows, or as much of them as a terminal of this width shows, every line ended by a newline.
    /// `more` is the file that has the rest.
    #[must_use]
    pub fn text(&self, width: Option<usize>, more: &str) -> String {
        let shown = if width.is_some() && self.rows.len() > ROWS_WHOLE_MAX { ROWS_SHOWN } else { self.rows.len() };
        let header: Vec<String> = self.columns.iter().map(|column| column.head.clone()).collect();
        let rows: Vec<&Vec<String>> = [&header].into_iter().chain(&self.rows[..shown]).collect();
        let columns = self.fitting(&rows, width.unwrap_or(usize::MAX));
        let mut text = String::new();
        for row in rows {
            let cells =
                columns.iter().map(|&(column, width)| padded(&row[column], width, self.columns[column].is_left));
            text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
            text.push('\n');
        }
        if shown < self.rows.len() {
            let _ = writeln!(text, "and {} more in {more}", self.rows.len() - shown);
        }
        text
    }

    /// The heads of all columns, and whether they are aligned to the left.
    pub fn heads(&self) -> impl Iterator<Item = (&str, bool)> {
        self.columns.iter().map(|column| (column.head.as_str(), column.is_left))
    }

    /// All rows, with a cell for each column.
    #[must_use]
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// The table with each cell replaced by what `cell` makes of it.
    #[must_use]
    pub fn mapped(mut self, cell: impl Fn(String) -> String) -> Self {
        for text in self.rows.iter_mut().flatten() {
            *text = cell(std::mem::take(text));
        }
        self
    }

    /// Gives a column another head, and each of its cells what `cell` makes of its row.
    pub fn rewrite(&mut self, head: &str, other: &str, cell: impl Fn(&[String], &str) -> String) {
        let Some(place) = self.columns.iter().position(|column| column.head == head) else { return };
        other.clone_into(&mut self.columns[place].head);
        for row in &mut self.rows {
            row[place] = cell(row, &row[place]);
        }
    }

    /// Puts a column that always stays at this place, with a cell for each row; names are aligned to the left.
    pub fn insert(&mut self, place: usize, head: &str, is_left: bool, cells: impl IntoIterator<Item = String>) {
        self.columns.insert(place, TableColumn { head: head.to_owned(), is_left, drop: 0 });
        self.rows.iter_mut().zip(cells).for_each(|(row, cell)| row.insert(place, cell));
    }

    /// Keeps the columns whose heads are `wanted`.
    pub fn retain(&mut self, wanted: impl Fn(&str) -> bool) {
        let is_kept: Vec<bool> = self.columns.iter().map(|column| wanted(&column.head)).collect();
        for row in &mut self.rows {
            let mut kept = is_kept.iter();
            row.retain(|_| kept.next() == Some(&true));
        }
        self.columns.retain(|column| wanted(&column.head));
    }

    /// All rows, the heads first, with each cell written by `write` and padded to the width of its column, which is at least
    /// `least`; and these widths.
    pub fn aligned(&self, write: fn(&str) -> String, least: usize) -> (Vec<Vec<String>>, Vec<usize>) {
        let head = self.columns.iter().map(|column| write(&column.head)).collect();
        let rows = self.rows.iter().map(|row| row.iter().map(|cell| write(cell)).collect());
        let mut all: Vec<Vec<String>> = [head].into_iter().chain(rows).collect();
        let width =
            |column: usize| all.iter().map(|row| measure_text_width(&row[column])).max().unwrap_or(0).max(least);
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        for row in &mut all {
            for ((cell, width), column) in row.iter_mut().zip(&widths).zip(&self.columns) {
                *cell = padded(cell, *width, column.is_left);
            }
        }
        (all, widths)
    }

    /// Whether all columns fit.
    #[must_use]
    pub fn fits(&self, width: usize) -> bool {
        let text = self.text(None, "");
        text.lines().all(|line| measure_text_width(line) <= width)
    }

    /// The columns that fit within `limit`, each with its width.
    fn fitting(&self, rows: &[&Vec<String>], limit: usize) -> Vec<(usize, usize)> {
        let width = |column: usize| rows.iter().map(|row| measure_text_width(&row[column])).max().unwrap_or(0);
        let mut columns: Vec<(usize, usize)> = (0..self.columns.len()).map(|column| (column, width(column))).collect();
        let total = |columns: &[(usize, usize)]| columns.iter().map(|(_, width)| width + 2).sum::<usize>();
        while total(&columns) > limit.saturating_add(2) {
            let dropped = columns.iter().map(|(column, _)| self.columns[*column].drop).max().unwrap_or(0);
            if dropped == 0 {
                break;
            }
            columns.retain(|(column, _)| self.columns[*column].drop != dropped);
        }
        columns
    }
}

/// A cell with the spaces that make it as wide as its column.
#[must_use]
pub fn padded(cell: &str, width: usize, is_left: bool) -> String {
    let space = " ".repeat(width.saturating_sub(measure_text_width(cell)));
    if is_left { format!("{cell}{space}") } else { format!("{space}{cell}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: usize) -> Table {
        let mut table = Table::new().column("#").names("Name").less_important("First", 2).less_important("Second", 1);
        for row in 0..rows {
            table.row([&(row + 1).to_string(), "囲碁", "7", "12"].map(str::to_owned).to_vec());
        }
        table
    }

    #[test]
    fn columns_are_aligned_by_display_width() {
        let mut table = Table::new().column("#").names("Name").column("N");
        table.row(["1", "囲碁", "7"].map(str::to_owned).to_vec());
        table.row(["2", "naïve e\u{301}", "12"].map(str::to_owned).to_vec());
        assert_eq!(table.text(None, ""), "#  Name      N\n1  囲碁      7\n2  naïve e\u{301}  12\n");
    }

    #[test]
    fn the_least_important_columns_are_dropped_first() {
        let heads = |width| table(1).text(Some(width), "").lines().next().unwrap_or_default().to_owned();
        assert_eq!(heads(22), "#  Name  First  Second");
        assert_eq!(heads(21), "#  Name  Second");
        assert_eq!(heads(14), "#  Name");
        assert_eq!(heads(2), "#  Name", "what stays is shown even where it is too wide");
    }

    #[test]
    fn a_terminal_shows_the_first_rows_of_a_long_table() {
        assert_eq!(table(60).text(Some(80), "x.csv").lines().count(), 61);
        let long = table(90).text(Some(80), "x.csv");
        assert_eq!(long.lines().count(), 1 + ROWS_SHOWN + 1);
        assert!(long.ends_with("and 34 more in x.csv\n"), "{long}");
        assert_eq!(table(50).text(None, "x.csv").lines().count(), 51);
    }
}
