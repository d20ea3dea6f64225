//! `tournament.json`: the definition of the tournament, the machine, its progress and warnings.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter};

use super::{GameCounts, Results, Summary, fault_sentences, statements, warnings};
use crate::event::Event;
use crate::protocol;
use crate::text::json;

/// The machine a tournament ran on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Machine {
    /// Host name.
    pub host: String,
    /// Operating system and architecture.
    pub os: String,
    /// Logical CPUs.
    pub cpus: usize,
}

impl Machine {
    /// The machine this runs on.
    #[must_use]
    pub fn this() -> Self {
        let uname = rustix::system::uname();
        let [system, release] = [uname.sysname(), uname.release()].map(|text| text.to_string_lossy().into_owned());
        Self {
            host: uname.nodename().to_string_lossy().into_owned(),
            os: format!("{system} {release} {}", std::env::consts::ARCH),
            cpus: std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get),
        }
    }
}

#[derive(Serialize)]
struct Tournament<'a> {
    #[serde(flatten)]
    event: Event,
    counts: GameCounts,
    summary: Summary,
    warnings: Vec<String>,
    versions: Versions,
    machine: &'a Machine,
}

#[derive(Serialize)]
struct Versions {
    arena: &'static str,
    protocol: u32,
}

/// Writes the event with all its settings, then counts, summary, warnings (the event's own first), versions and the
/// machine.
///
/// # Errors
///
/// Returns an error if `out` fails.
pub fn tournament_json(results: &Results<'_>, machine: &Machine, out: &mut dyn Write) -> anyhow::Result<()> {
    // Merge the lists of warnings: the event's own would be a second field of that name.
    let mut event = results.event().clone();
    if results.schedule().is_cut() {
        // Later rounds start no game any more, and there may be thousands.
        event.rounds = results.rounds();
        event.openings.truncate(event.rounds.max(1) as usize);
    }
    let mut all = std::mem::take(&mut event.warnings);
    all.extend(warnings(results));
    all.extend(fault_sentences(results));
    all.extend(statements(results.ranking(), results.rounds_played()));
    let tournament = Tournament {
        event,
        counts: results.progress(),
        summary: Summary::of_tournament(results),
        warnings: all,
        versions: Versions { arena: env!("CARGO_PKG_VERSION"), protocol: protocol::VERSION },
        machine,
    };
    let mut text = Vec::new();
    tournament.serialize(&mut serde_json::Serializer::with_formatter(&mut text, Layout::default()))?;
    Ok(writeln!(out, "{}", json(std::str::from_utf8(&text)?))?)
}

/// Pretty JSON in which an array within an array stays on one line, because hundreds of openings would otherwise take
/// thousands of lines.
#[derive(Default)]
struct Layout {
    pretty: PrettyFormatter<'static>,
    arrays: usize,
}

impl Layout {
    fn is_compact(&self) -> bool {
        self.arrays > 1
    }
}

impl Formatter for Layout {
    fn begin_array<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.arrays += 1;
        if self.is_compact() { out.write_all(b"[") } else { self.pretty.begin_array(out) }
    }

    fn end_array<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        let compact = self.is_compact();
        self.arrays -= 1;
        if compact { out.write_all(b"]") } else { self.pretty.end_array(out) }
    }

    fn begin_array_value<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        match (self.is_compact(), first) {
            (true, true) => Ok(()),
            (true, false) => out.write_all(b", "),
            (false, _) => self.pretty.begin_array_value(out, first),
        }
    }

    fn end_array_value<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        if self.is_compact() { Ok(()) } else { self.pretty.end_array_value(out) }
    }

    fn begin_object<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.pretty.begin_object(out)
    }

    fn end_object<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.pretty.end_object(out)
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.pretty.begin_object_key(out, first)
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.pretty.begin_object_value(out)
    }

    fn end_object_value<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.pretty.end_object_value(out)
    }
}
