//! What a command has of the world around it: a value and not its process, so that one process can run several.
//!
//! Text goes to stdout for results, to stderr for everything else, as wide and as colourful as the terminal is.

use std::env::var_os;
use std::ffi::OsString;
use std::io::{BufRead, ErrorKind, IsTerminal as _, Stdin, Write};
use std::sync::{Mutex, PoisonError};

use anyhow::Context as _;
use arena_core::text::{json, printable, wrap_command, wrap_list};
use arena_guard::GuardProgram;
use arena_play::roster::RosterSettings;
use arena_store::report::{TextLayout, TextPage, Tone, message, short_message};
use console::Term;
use indicatif::ProgressDrawTarget;
use serde::Serialize;

/// A terminal narrower than this is taken for this wide.
const WIDTH_MIN: usize = 40;
/// Width of a terminal that does not tell its own.
const WIDTH_DEFAULT: usize = 80;

/// What a command has of the world around it: its words, its streams, and what bots are started with.
#[derive(Debug)]
pub struct Io {
    /// The first is the name of the program.
    words: Vec<OsString>,
    guard: GuardProgram,
    /// What was written to stdout and stderr; `None` if they are those of the process.
    kept: Option<[KeptText; 2]>,
}

/// What was written, by any thread.
#[derive(Debug, Default)]
struct KeptText(Mutex<Vec<u8>>);

impl Write for &KeptText {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Io {
    /// The words and streams of this process, and bots that are started from it. Its first act is
    /// [`serve_if_asked`](arena_guard::serve_if_asked).
    #[must_use]
    pub fn of_process() -> Self {
        Self { words: std::env::args_os().collect(), guard: GuardProgram::this_arena(), kept: None }
    }

    /// These words, of which the first is the name of the program. There is no terminal and nothing to read, what is written is
    /// kept, and tournaments play built-in bots in this process. Other bots are processes with guards from `guard`.
    #[must_use]
    pub fn captured(words: impl IntoIterator<Item: Into<OsString>>, guard: GuardProgram) -> Self {
        Self { words: words.into_iter().map(Into::into).collect(), guard, kept: Some(Default::default()) }
    }

    /// What was written to stdout and stderr, if it was [kept](Self::captured).
    #[must_use]
    pub fn into_output(self) -> [String; 2] {
        self.kept.unwrap_or_default().map(|KeptText(bytes)| {
            String::from_utf8_lossy(&bytes.into_inner().unwrap_or_else(PoisonError::into_inner)).into_owned()
        })
    }

    const fn is_of_process(&self) -> bool {
        self.kept.is_none()
    }

    /// The command line, beginning with the name of the program.
    pub(crate) fn words(&self) -> impl Iterator<Item = OsString> {
        self.words.iter().cloned()
    }

    /// What all bots are started with, where no flag says otherwise.
    pub(crate) fn bot_settings(&self) -> RosterSettings {
        let builtins_in_process = !self.is_of_process();
        RosterSettings { guard: self.guard.clone(), builtins_in_process, ..RosterSettings::default() }
    }

    /// The stdin of this process, for those who wait for it in a way of their own; `None` if there is nothing to read.
    pub(crate) fn own_stdin(&self) -> Option<Stdin> {
        self.is_of_process().then(std::io::stdin)
    }

    /// stdin, locked.
    pub(crate) fn stdin(&self) -> Box<dyn BufRead> {
        self.own_stdin().map_or_else(|| Box::new(std::io::empty()) as Box<dyn BufRead>, |stdin| Box::new(stdin.lock()))
    }

    /// stdout, locked, for data that is written piece by piece.
    pub(crate) fn stdout(&self) -> Box<dyn Write + '_> {
        match &self.kept {
            None => Box::new(std::io::stdout().lock()),
            Some([stdout, _]) => Box::new(stdout),
        }
    }

    fn stderr(&self) -> Box<dyn Write + '_> {
        match &self.kept {
            None => Box::new(std::io::stderr()),
            Some([_, stderr]) => Box::new(stderr),
        }
    }

    /// Prints text for people to stdout, with a newline at its end, wrapped at the width of the terminal. A reader that
    /// closes the pipe is not an error: the exit code is still that of the command.
    pub(crate) fn print(&self, text: &str) -> anyhow::Result<()> {
        let text = printable(text);
        self.write_out(&self.on_stdout().width.map_or_else(|| text.to_string(), |width| wrap_list(&text, width)))
    }

    /// Prints data, such as JSON, as it is.
    pub(crate) fn print_data(&self, text: &str) -> anyhow::Result<()> {
        self.write_out(&printable(text))
    }

    /// Prints a value as JSON.
    pub(crate) fn print_json(&self, value: &impl Serialize) -> anyhow::Result<()> {
        self.print_data(&json(&serde_json::to_string_pretty(value)?))
    }

    /// Prints results.
    pub(crate) fn print_page(&self, page: &TextPage) -> anyhow::Result<()> {
        self.write_out(&page.text(self.on_stdout()))
    }

    /// Prints text that is laid out already, after a label in colour.
    pub(crate) fn print_labelled(&self, label: &str, tone: Tone, text: &str) -> anyhow::Result<()> {
        self.write_out(&message(label, tone, text, TextLayout { width: None, ..self.on_stdout() }))
    }

    /// As [`print_labelled`](Self::print_labelled), for output without an end: a reader that closes the pipe is an
    /// error, which ends the command.
    pub(crate) fn stream_labelled(&self, label: &str, tone: Tone, text: &str) -> anyhow::Result<()> {
        let text = message(label, tone, text, TextLayout { width: None, ..self.on_stdout() });
        self.write(&text).context("writing to stdout")
    }

    /// Has clap lay its help out for the terminal, as it does by itself, or as it does where the process has none.
    pub(super) fn lay_out(&self, program: clap::Command) -> clap::Command {
        if self.is_of_process() { program } else { program.term_width(100) }
    }

    /// Prints help or the version. A failure to print them is ignored.
    pub(super) fn print_help(&self, help: &clap::Error) {
        let _ = if self.is_of_process() { help.print() } else { self.write(&help.to_string()) };
    }

    fn write_out(&self, text: &str) -> anyhow::Result<()> {
        match self.write(text) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            printed => printed.context("writing to stdout"),
        }
    }

    fn write(&self, text: &str) -> std::io::Result<()> {
        let mut stdout = self.stdout();
        let end = if text.ends_with('\n') { "" } else { "\n" };
        stdout.write_all(text.as_bytes())?;
        stdout.write_all(end.as_bytes())?;
        stdout.flush()
    }

    /// Prints a message to stderr; ignored if stderr is closed.
    pub(crate) fn tell(&self, text: &str) {
        self.say("", Tone::Plain, text);
    }

    /// As [`tell`](Self::tell), for what may go wrong or mislead.
    pub(crate) fn warn(&self, text: &str) {
        self.say("warning: ", Tone::Warning, text);
    }

    /// As [`tell`](Self::tell), for the error that ends the command.
    pub(crate) fn tell_error(&self, text: &str) {
        self.say("error: ", Tone::Fault, text);
    }

    /// As [`tell`](Self::tell), for a command to copy.
    pub(crate) fn tell_command(&self, text: &str, command: &str) {
        let line = printable(&format!("{text}{command}")).into_owned();
        let line = self.on_stderr().width.map_or_else(|| line.clone(), |width| wrap_command(&line, width));
        self.write_line(&line);
    }

    /// Says that a bot does not play, in one line.
    pub(crate) fn tell_left_out(&self, name_and_cause: &str) {
        let text = short_message("left out: ", Tone::Warning, name_and_cause, self.on_stderr());
        self.write_line(&text);
    }

    fn say(&self, label: &str, tone: Tone, text: &str) {
        self.write_line(&message(label, tone, text, self.on_stderr()));
    }

    /// Writes a line to stderr in one piece: stderr has no buffer, and a signal or another program's line may come
    /// between pieces.
    fn write_line(&self, line: &str) {
        let _ = self.stderr().write_all(format!("{line}\n").as_bytes());
    }

    /// Whether a person types.
    pub(crate) fn stdin_is_terminal(&self) -> bool {
        self.is_of_process() && std::io::stdin().is_terminal()
    }

    /// Whether a person reads what is printed.
    pub(crate) fn stdout_is_terminal(&self) -> bool {
        self.is_of_process() && std::io::stdout().is_terminal()
    }

    /// Whether there is a terminal that can show screens and send keys.
    pub(crate) fn can_show_screens(&self) -> bool {
        self.stdin_is_terminal() && self.stdout_is_terminal() && !is_dumb()
    }

    /// Where progress is drawn: on the terminal, if stderr is one.
    pub(crate) fn draw_target(&self) -> ProgressDrawTarget {
        if self.is_of_process() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() }
    }

    /// The layout of results.
    pub(crate) fn on_stdout(&self) -> TextLayout {
        self.layout(&Term::stdout(), std::io::stdout().is_terminal())
    }

    fn on_stderr(&self) -> TextLayout {
        self.layout(&Term::stderr(), std::io::stderr().is_terminal())
    }

    /// `COLUMNS` is the width that the user prefers (POSIX), `NO_COLOR` is honoured as on no-color.org.
    fn layout(&self, term: &Term, is_terminal: bool) -> TextLayout {
        if !self.is_of_process() {
            return TextLayout::default();
        }
        let wanted: Option<usize> = var_os("COLUMNS").and_then(|columns| columns.to_str()?.parse().ok());
        let actual = || is_terminal.then(|| term.size_checked().map_or(WIDTH_DEFAULT, |(_, columns)| columns.into()));
        let is_set = |name: &str| var_os(name).is_some_and(|value| !value.is_empty());
        TextLayout {
            width: wanted.or_else(actual).map(|width| width.max(WIDTH_MIN)),
            colour: is_terminal && !is_set("NO_COLOR") && !is_dumb(),
        }
    }
}

/// Columns of the terminal that shows [progress](Io::draw_target), whatever width the user prefers for text.
pub(crate) fn columns() -> usize {
    Term::stderr().size_checked().map_or(WIDTH_DEFAULT, |(_, columns)| columns.into())
}

/// Whether the terminal has neither a cursor nor colours.
fn is_dumb() -> bool {
    var_os("TERM").is_some_and(|term| term == "dumb")
}
