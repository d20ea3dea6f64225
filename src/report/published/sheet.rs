//! A table of text, its columns aligned.

use console::measure_text_width;

use crate::report::columns::{Table, padded};

/// Columns of the terminal's table that are published, if it has them.
const COLUMNS: [&str; 11] =
    ["Rank", "Name", "Elo", "Games", "W-D-L", "Score", "LOS", "Faults", "Group", "Davidson", "Nash"];

/// A table with aligned columns.
pub(super) struct Sheet {
    /// The heads, and whether the column is aligned to the left.
    pub(super) heads: Vec<(String, bool)>,
    rows: Vec<Vec<String>>,
}

impl Sheet {
    /// The published columns of the standings, each rating with its error, and the column `of_format`.
    pub(super) fn published(table: &Table, of_format: Option<&str>) -> Self {
        let cell = |row: &[String], head: &str| {
            let column = table.heads().position(|(known, _)| known == head);
            column.and_then(|column| row.get(column).cloned()).unwrap_or_default()
        };
        let is_faultless = table.rows().iter().all(|row| cell(row, "Faults") == "0");
        let is_published = |head: &str| COLUMNS.contains(&head) || Some(head) == of_format;
        let mut sheet = Self::of(table, |head| is_published(head) && !(head == "Faults" && is_faultless));
        let Some(elo) = sheet.heads.iter().position(|(head, _)| head == "Elo") else { return sheet };
        "Elo ± 95%".clone_into(&mut sheet.heads[elo].0);
        for (row, whole) in sheet.rows.iter_mut().zip(table.rows()) {
            let margin = cell(whole, "±95%");
            if !margin.is_empty() {
                row[elo] = format!("{} ± {margin}", row[elo]);
            }
        }
        sheet
    }

    /// The columns of `table` whose heads are `wanted`.
    pub(super) fn of(table: &Table, wanted: impl Fn(&str) -> bool) -> Self {
        let columns: Vec<usize> =
            table.heads().enumerate().filter(|(_, (head, _))| wanted(head)).map(|(column, _)| column).collect();
        let all: Vec<(&str, bool)> = table.heads().collect();
        let rows = table.rows().iter().map(|row| columns.iter().map(|&column| row[column].clone()).collect());
        Self {
            heads: columns.iter().map(|&column| (all[column].0.to_owned(), all[column].1)).collect(),
            rows: rows.collect(),
        }
    }

    /// All rows, the head first, with each cell written by `write` and padded to the width of its column.
    pub(super) fn aligned(&self, write: fn(&str) -> String) -> (Vec<Vec<String>>, Vec<usize>) {
        let head = self.heads.iter().map(|(head, _)| write(head)).collect();
        let rows = self.rows.iter().map(|row| row.iter().map(|cell| write(cell)).collect());
        let mut all: Vec<Vec<String>> = [head].into_iter().chain(rows).collect();
        let width = |column: usize| all.iter().map(|row: &Vec<String>| measure_text_width(&row[column])).max();
        // At least as wide as the shortest rule of Markdown.
        let widths: Vec<usize> = (0..self.heads.len()).map(|column| width(column).unwrap_or(0).max(3)).collect();
        for (cell, (width, (_, is_left))) in
            all.iter_mut().flat_map(|row| row.iter_mut().zip(widths.iter().zip(&self.heads)))
        {
            *cell = padded(cell, *width, *is_left);
        }
        (all, widths)
    }
}
