//! A text for an author as plain text.

use std::fmt::Write as _;

use arena_core::text::wrap;

use super::document::{Block, Document, position_lines};

/// Columns of a line.
const WIDTH: usize = 90;
/// Spaces before lines that stay as they are.
const INDENT: &str = "    ";

/// The text of a document.
pub(super) fn text(document: &Document) -> String {
    let mut text = format!("{}\n{}\n", document.title, "=".repeat(console::measure_text_width(&document.title)));
    for sentence in &document.lead {
        let _ = write!(text, "\n{}\n", wrap(sentence, WIDTH, 0));
    }
    for chapter in &document.chapters {
        let _ = write!(text, "\n\n{}\n{}\n", chapter.title, "-".repeat(console::measure_text_width(&chapter.title)));
        for block in &chapter.blocks {
            text.push('\n');
            push_block(block, &mut text);
        }
    }
    text
}

fn push_block(block: &Block, text: &mut String) {
    match block {
        Block::Heading(title) => {
            let _ = writeln!(text, "* {}", wrap(title, WIDTH - 2, 2));
        }
        Block::Text(sentence) => {
            let _ = writeln!(text, "{}", wrap(sentence, WIDTH, 0));
        }
        Block::Facts(facts) => {
            let width = facts.iter().map(|(label, _)| label.len()).max().unwrap_or(0);
            for (label, fact) in facts {
                let _ = writeln!(text, "{}", wrap(&format!("{label:<width$}  {fact}"), WIDTH, width + 2));
            }
        }
        Block::Table(_, table) => text.push_str(&table.text(None, "")),
        Block::Lines(lines) => push_lines(lines, text),
        Block::Position(picture) => push_lines(&position_lines(picture), text),
    }
}

fn push_lines(lines: &[String], text: &mut String) {
    for line in lines {
        let _ = writeln!(text, "{}", format!("{INDENT}{line}").trim_end());
    }
}
