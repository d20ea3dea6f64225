//! Cells that say nothing.

/// What programs write into a cell without a value: R, pandas, databases, spreadsheets, PGN. Names such as `Nan` and `none`
/// are not among them.
const MARKS: [&str; 13] = ["", "-", "?", "NA", "<NA>", "N/A", "n/a", "#N/A", "NULL", "null", "None", "NaN", "nan"];

/// Whether a trimmed cell or tag says that its value is missing.
pub(super) fn is_missing(cell: &[u8]) -> bool {
    // Marks are short, or one dash of several bytes.
    cell.len() <= 4
        && (MARKS.iter().any(|mark| mark.as_bytes() == cell)
            || ["–", "—", "−"].iter().any(|dash| dash.as_bytes() == cell))
}

/// The text, unless it is missing.
pub(super) fn present(cell: &[u8]) -> Option<&[u8]> {
    (!is_missing(cell)).then_some(cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_other_programs_say_nothing() {
        for mark in ["", "-", "–", "?", "NA", "<NA>", "N/A", "#N/A", "null", "NULL", "None", "NaN", "nan"] {
            assert!(is_missing(mark.as_bytes()), "{mark}");
        }
        for text in ["0", "Nan", "Na", "none", "--", "*", "N", "nul", "ann"] {
            assert!(!is_missing(text.as_bytes()), "{text}");
        }
    }
}
