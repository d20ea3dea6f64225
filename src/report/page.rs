//! What a command shows of its results: tables and lines, laid out for a terminal or for a file.

use crate::text::{cut, printable, wrap, wrap_command};
use crate::views::Table;

/// Columns by which the further lines of a wrapped line are indented.
const HANGING: usize = 2;
/// Widest table of which there is a narrower one.
const TABLE_WIDTH_MAX: usize = 110;

/// Tables and lines, from top to bottom.
#[derive(Debug, Default)]
pub struct TextPage(Vec<PagePart>);

#[derive(Debug)]
enum PagePart {
    Line {
        tone: Tone,
        text: String,
        fit: LineFit,
    },
    Table {
        table: Table,
        more: String,
    },
    /// Tables of the same, of which the first one that fits is shown, under its title.
    Either {
        tables: Vec<(&'static str, Table)>,
        otherwise: String,
    },
}

/// What a line is about, which decides its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// A statement.
    Plain,
    /// What may mislead a reader.
    Warning,
    /// What a bot did wrong.
    Fault,
    /// What is as it should be.
    Good,
}

/// What happens to a line that is wider than the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineFit {
    Wrapped,
    Command,
    Cut,
}

/// Where a page is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TextLayout {
    /// Columns of the terminal; `None` where lines may have any width and tables any length, as in a file.
    pub width: Option<usize>,
    /// Whether colours are understood.
    pub colour: bool,
}

impl TextPage {
    /// Adds a line, which is wrapped at spaces where it is too wide.
    pub fn line(&mut self, tone: Tone, text: impl Into<String>) {
        self.0.push(PagePart::Line { tone, text: text.into(), fit: LineFit::Wrapped });
    }

    /// Adds a line of which the end is left out where it is too wide.
    pub fn short_line(&mut self, tone: Tone, text: impl Into<String>) {
        self.0.push(PagePart::Line { tone, text: text.into(), fit: LineFit::Cut });
    }

    /// Adds a command to copy, after a label. Where it is too wide, it is continued as shells do it.
    pub fn command(&mut self, label: &str, command: &str) {
        self.0.push(PagePart::Line { tone: Tone::Plain, text: format!("{label}{command}"), fit: LineFit::Command });
    }

    /// Adds plain lines, each wrapped where it is too wide.
    pub fn lines(&mut self, texts: impl IntoIterator<Item = String>) {
        for text in texts {
            self.line(Tone::Plain, text);
        }
    }

    /// Adds an empty line, unless the page is empty or ends in one.
    pub fn gap(&mut self) {
        let is_gap = |part: &PagePart| matches!(part, PagePart::Line { text, .. } if text.is_empty());
        if self.0.last().is_some_and(|last| !is_gap(last)) {
            self.line(Tone::Plain, "");
        }
    }

    /// Adds a table; `more` is the file that has all of it, where a terminal shows less.
    pub(super) fn table(&mut self, table: Table, more: impl Into<String>) {
        self.0.push(PagePart::Table { table, more: more.into() });
    }

    /// Adds the first of these tables, with their titles, that is no wider than the terminal and [`TABLE_WIDTH_MAX`];
    /// else the line `otherwise`.
    pub(super) fn either(&mut self, tables: Vec<(&'static str, Table)>, otherwise: impl Into<String>) {
        self.0.push(PagePart::Either { tables, otherwise: otherwise.into() });
    }

    /// Adds all of another page.
    pub fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    /// The text of the page, every line ended by a newline.
    #[must_use]
    pub fn text(&self, layout: TextLayout) -> String {
        let mut text = String::new();
        for part in &self.0 {
            match part {
                PagePart::Line { tone, text: line, fit } => text.push_str(&shown_line(*tone, line, *fit, layout)),
                PagePart::Table { table, more } => text.push_str(&shown_table(table, more, layout)),
                PagePart::Either { tables, otherwise } => {
                    let limit = layout.width.unwrap_or(usize::MAX).min(TABLE_WIDTH_MAX);
                    match tables.iter().find(|(_, table)| table.fits(limit)) {
                        Some((title, table)) => {
                            text.push_str(title);
                            text.push('\n');
                            text.push_str(&shown_table(table, "", layout));
                        }
                        None => text.push_str(&shown_line(Tone::Plain, otherwise, LineFit::Wrapped, layout)),
                    }
                }
            }
        }
        text
    }
}

fn shown_line(tone: Tone, line: &str, fit: LineFit, layout: TextLayout) -> String {
    painted(&fitted(&printable(line), fit, layout), tone.colour(), layout) + "\n"
}

fn fitted(line: &str, fit: LineFit, layout: TextLayout) -> String {
    match (layout.width, fit) {
        (None, _) => line.to_owned(),
        (Some(width), LineFit::Wrapped) => wrap(line, width, HANGING),
        (Some(width), LineFit::Command) => wrap_command(line, width),
        (Some(width), LineFit::Cut) => cut(line, width),
    }
}

/// A table with its header in bold.
fn shown_table(table: &Table, more: &str, layout: TextLayout) -> String {
    let text = table.text(layout.width, more);
    let text = printable(&text);
    let (head, rows) = text.split_once('\n').unwrap_or((&text, ""));
    format!("{}\n{rows}", painted(head, BOLD, layout))
}

/// Codes of ECMA-48, Select Graphic Rendition.
const BOLD: &str = "1";
const RED: &str = "31";
const GREEN: &str = "32";
const YELLOW: &str = "33";

impl Tone {
    const fn colour(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Warning => YELLOW,
            Self::Fault => RED,
            Self::Good => GREEN,
        }
    }
}

/// `text` in a colour, if there are any.
fn painted(text: &str, colour: &str, layout: TextLayout) -> String {
    if !layout.colour || colour.is_empty() || text.is_empty() {
        return text.to_owned();
    }
    format!("\x1b[{colour}m{text}\x1b[0m")
}

/// A message in this layout, without a newline: its label, such as `warning: `, in colour, and wrapped.
#[must_use]
pub fn message(label: &str, tone: Tone, text: &str, layout: TextLayout) -> String {
    labelled(label, tone, text, LineFit::Wrapped, layout)
}

/// As [`message`], but the end is left out where it is too wide.
#[must_use]
pub fn short_message(label: &str, tone: Tone, text: &str, layout: TextLayout) -> String {
    labelled(label, tone, text, LineFit::Cut, layout)
}

fn labelled(label: &str, tone: Tone, text: &str, fit: LineFit, layout: TextLayout) -> String {
    let line = fitted(&printable(&format!("{label}{text}")), fit, layout);
    let rest = line.strip_prefix(label).unwrap_or(&line);
    format!("{}{rest}", painted(label, tone.colour(), layout))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NARROW: TextLayout = TextLayout { width: Some(10), colour: false };

    #[test]
    fn lines_fit_the_terminal() {
        let mut page = TextPage::default();
        page.line(Tone::Plain, "one two three four");
        page.short_line(Tone::Fault, "one two three four");
        page.gap();
        page.gap();
        page.line(Tone::Warning, "five");
        page.command("do: ", "a b c d");
        page.gap();
        assert_eq!(page.text(NARROW), "one two\n  three\n  four\none two t…\n\nfive\ndo: a b \\\n    c d\n\n");
        assert_eq!(page.text(TextLayout::default()), "one two three four\none two three four\n\nfive\ndo: a b c d\n\n");
    }

    #[test]
    fn colours_are_only_where_they_are_understood() {
        let mut page = TextPage::default();
        page.line(Tone::Warning, "care\x1b[7m");
        page.line(Tone::Plain, "plain");
        let colour = TextLayout { width: None, colour: true };
        assert_eq!(page.text(colour), "\x1b[33mcare\\u{1b}[7m\x1b[0m\nplain\n");
        assert_eq!(message("error: ", Tone::Fault, "no such file", colour), "\x1b[31merror: \x1b[0mno such file");
        assert_eq!(message("error: ", Tone::Fault, "no such file", NARROW), "error: no\n  such\n  file");
        assert_eq!(short_message("error: ", Tone::Fault, "no such file", NARROW), "error: no…");
    }
}
