//! Where text goes: stdout for results, stderr for everything else, as wide and as colourful as the terminal is.

use std::env::var_os;
use std::io::{ErrorKind, IsTerminal as _, Write as _};

use anyhow::Context as _;
use arena_core::text::{json, printable, wrap_command, wrap_list};
use arena_store::report::{TextLayout, TextPage, Tone, message, short_message};
use console::Term;
use serde::Serialize;

/// A terminal narrower than this is taken for this wide.
const WIDTH_MIN: usize = 40;
/// Width of a terminal that does not tell its own.
const WIDTH_DEFAULT: usize = 80;

/// Prints text for people to stdout, with a newline at its end, wrapped at the width of the terminal. A reader that closes
/// the pipe is not an error: the exit code is still that of the command.
pub(super) fn print(text: &str) -> anyhow::Result<()> {
    let text = printable(text);
    write_out(&on_stdout().width.map_or_else(|| text.to_string(), |width| wrap_list(&text, width)))
}

/// Prints data, such as JSON, as it is.
pub(super) fn print_data(text: &str) -> anyhow::Result<()> {
    write_out(&printable(text))
}

/// Prints a value as JSON.
pub(super) fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    print_data(&json(&serde_json::to_string_pretty(value)?))
}

/// Prints results.
pub(super) fn print_page(page: &TextPage) -> anyhow::Result<()> {
    write_out(&page.text(on_stdout()))
}

/// Prints text that is laid out already, after a label in colour.
pub(super) fn print_labelled(label: &str, tone: Tone, text: &str) -> anyhow::Result<()> {
    write_out(&message(label, tone, text, TextLayout { width: None, ..on_stdout() }))
}

/// As [`print_labelled`], for output without an end: a reader that closes the pipe is an error, which ends the command.
pub(super) fn stream_labelled(label: &str, tone: Tone, text: &str) -> anyhow::Result<()> {
    write(&message(label, tone, text, TextLayout { width: None, ..on_stdout() })).context("writing to stdout")
}

fn write_out(text: &str) -> anyhow::Result<()> {
    match write(text) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        printed => printed.context("writing to stdout"),
    }
}

fn write(text: &str) -> std::io::Result<()> {
    let mut stdout = std::io::stdout().lock();
    let end = if text.ends_with('\n') { "" } else { "\n" };
    stdout.write_all(text.as_bytes())?;
    stdout.write_all(end.as_bytes())?;
    stdout.flush()
}

/// Prints a message to stderr; ignored if stderr is closed.
pub(super) fn tell(text: &str) {
    say("", Tone::Plain, text);
}

/// As [`tell`], for what may go wrong or mislead.
pub(super) fn warn(text: &str) {
    say("warning: ", Tone::Warning, text);
}

/// As [`tell`], for the error that ends the program.
pub(super) fn tell_error(text: &str) {
    say("error: ", Tone::Fault, text);
}

/// As [`tell`], for a command to copy.
pub(super) fn tell_command(text: &str, command: &str) {
    let line = printable(&format!("{text}{command}")).into_owned();
    let line = on_stderr().width.map_or_else(|| line.clone(), |width| wrap_command(&line, width));
    write_line(&line);
}

/// Says that a bot does not play, in one line.
pub(super) fn tell_left_out(name_and_cause: &str) {
    let text = short_message("left out: ", Tone::Warning, name_and_cause, on_stderr());
    write_line(&text);
}

fn say(label: &str, tone: Tone, text: &str) {
    write_line(&message(label, tone, text, on_stderr()));
}

/// Writes a line to stderr in one piece: stderr has no buffer, and a signal or another program's line may come between pieces.
fn write_line(line: &str) {
    let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
}

/// The layout of results.
pub(super) fn on_stdout() -> TextLayout {
    layout(&Term::stdout(), std::io::stdout().is_terminal())
}

/// Columns of the terminal that shows progress, whatever width the user prefers for text.
pub(super) fn columns() -> usize {
    Term::stderr().size_checked().map_or(WIDTH_DEFAULT, |(_, columns)| columns.into())
}

fn on_stderr() -> TextLayout {
    layout(&Term::stderr(), std::io::stderr().is_terminal())
}

/// Whether there is a terminal that can show screens and send keys.
pub(super) fn can_show_screens() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal() && !is_dumb()
}

/// Whether the terminal has neither a cursor nor colours.
fn is_dumb() -> bool {
    var_os("TERM").is_some_and(|term| term == "dumb")
}

/// `COLUMNS` is the width that the user prefers (POSIX), `NO_COLOR` is honoured as on no-color.org.
fn layout(term: &Term, is_terminal: bool) -> TextLayout {
    let wanted: Option<usize> = var_os("COLUMNS").and_then(|columns| columns.to_str()?.parse().ok());
    let actual = || is_terminal.then(|| term.size_checked().map_or(WIDTH_DEFAULT, |(_, columns)| columns.into()));
    let is_set = |name: &str| var_os(name).is_some_and(|value| !value.is_empty());
    TextLayout {
        width: wanted.or_else(actual).map(|width| width.max(WIDTH_MIN)),
        colour: is_terminal && !is_set("NO_COLOR") && !is_dumb(),
    }
}
