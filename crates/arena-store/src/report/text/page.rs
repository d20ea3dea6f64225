//! What a command shows of its results: tables and lines, laid out for a terminal or for a file.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use arena_core::text::{cut, percent_encoded, printable, wrap, wrap_command};
use arena_show::views::Table;

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
    /// A line that names a file.
    File {
        before: String,
        path: PathBuf,
        after: String,
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

    /// Adds a line with the path of a file, which is a link to it where colours are understood.
    pub fn file(&mut self, before: &str, path: &Path, after: &str) {
        self.0.push(PagePart::File { before: before.to_owned(), path: path.to_owned(), after: after.to_owned() });
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
    pub(crate) fn table(&mut self, table: Table, more: impl Into<String>) {
        self.0.push(PagePart::Table { table, more: more.into() });
    }

    /// Adds the first of these tables, with their titles, that is no wider than the terminal and [`TABLE_WIDTH_MAX`];
    /// else the line `otherwise`.
    pub(crate) fn either(&mut self, tables: Vec<(&'static str, Table)>, otherwise: impl Into<String>) {
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
                PagePart::File { before, path, after } => text.push_str(&shown_file(before, path, after, layout)),
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

/// A line with a path that is kept whole.
fn shown_file(before: &str, path: &Path, after: &str, layout: TextLayout) -> String {
    let text = printable(&path.to_string_lossy()).replace('\n', "\\n");
    // Of the same width, and no place for a break.
    let whole = text.replace(' ', "\u{a0}");
    let line = fitted(&format!("{before}{whole}{after}"), LineFit::Wrapped, layout);
    line.replacen(&whole, &linked(&text, path, layout), 1) + "\n"
}

/// A link to a file of this machine, as terminals read it (OSC 8), if there are colours: where there are none, there is no
/// telling whether it would be shown.
fn linked(text: &str, path: &Path, layout: TextLayout) -> String {
    match std::path::absolute(path) {
        Ok(file) if layout.colour => {
            let host = rustix::system::uname();
            let [host, file] = [host.nodename().to_bytes(), file.as_os_str().as_bytes()].map(percent_encoded);
            format!("\x1b]8;;file://{host}{file}\x1b\\{text}\x1b]8;;\x1b\\")
        }
        _ => text.to_owned(),
    }
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

/// A code of ECMA-48, Select Graphic Rendition.
const BOLD: &str = "1";

impl Tone {
    /// The code of yellow, red or green, as [`BOLD`].
    const fn colour(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Warning => "33",
            Self::Fault => "31",
            Self::Good => "32",
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
    fn a_file_is_a_link_where_colours_are_understood() {
        let mut page = TextPage::default();
        page.file("report: ", Path::new("/a b/cup\x1b;é/report.html"), "  tables: *.csv");
        let host = percent_encoded(rustix::system::uname().nodename().to_bytes());
        let plain = "/a b/cup\\u{1b};é/report.html";
        assert_eq!(page.text(TextLayout::default()), format!("report: {plain}  tables: *.csv\n"));
        let link = format!("\x1b]8;;file://{host}/a%20b/cup%1B%3B%C3%A9/report.html\x1b\\{plain}\x1b]8;;\x1b\\");
        // The escapes take no columns, and the path is never broken.
        for (width, text) in
            [(80, format!("report: {link}  tables: *.csv\n")), (30, format!("report:\n  {link}\n  tables: *.csv\n"))]
        {
            assert_eq!(page.text(TextLayout { width: Some(width), colour: true }), text);
            assert_eq!(page.text(TextLayout { width: Some(width), colour: false }), text.replace(&link, plain));
        }
        page = TextPage::default();
        page.file("", Path::new("report.html"), "");
        let here = std::env::current_dir().unwrap();
        let text = page.text(TextLayout { width: None, colour: true });
        assert!(text.contains(&format!("{}/report.html\x1b", percent_encoded(here.as_os_str().as_bytes()))), "{text}");
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
