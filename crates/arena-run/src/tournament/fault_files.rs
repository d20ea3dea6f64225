//! `bots/BOT.faults/ID.jsonl`, or `ID.txt` for protocols that are not JSON lines: what a bot was sent in a game that it lost by
//! a fault, to be fed to it again.

use std::fmt::Write as _;

use anyhow::Context;
use arena_core::event::bot_seeds;
use arena_core::record::Record;
use arena_core::rules::Seat;
use arena_core::speech::Speech;
use arena_core::text::shell_word;
use arena_play::player::process::Launch;
use arena_sys::results_folder::{Durability, ResultsFolder};
use arena_wire::advice::reproduce;
use arena_wire::transcript::{TranscriptOptions, transcript};

/// Files of one bot; further faults of a run are not written.
const FILES_MAX: usize = 100;

/// The fault files of one bot.
#[derive(Debug)]
pub(super) struct FaultFiles {
    /// Name of their folder.
    name: String,
    /// Number of files; `None` until a fault is written in this run.
    count: Option<usize>,
    startup: std::time::Duration,
    speaks: Option<Speech>,
    extension: &'static str,
    /// Starts the bot as the arena does, but for the sandbox.
    command: String,
}

impl FaultFiles {
    /// Files in `BOT.faults`.
    pub(super) fn new(launch: &Launch) -> Self {
        Self {
            name: format!("{}.faults", launch.name),
            count: None,
            startup: launch.startup,
            speaks: launch.speech(),
            extension: launch.protocol.input_extension(),
            command: start_command(launch),
        }
    }

    /// Writes the file for a game that `seat` lost by a fault, in a folder in `bots`. Returns lines for the bot's log. If that
    /// fails once, no more files are written.
    pub(super) fn write(
        &mut self,
        bots: &ResultsFolder,
        record: &Record,
        seat: Seat,
        event_seed: u64,
    ) -> anyhow::Result<Vec<String>> {
        if self.count.is_some_and(|count| count >= FILES_MAX) {
            return Ok(Vec::new());
        }
        let known = self.count.replace(FILES_MAX);
        let seed = bot_seeds(event_seed, &record.id)[seat.index()];
        let (speaks, command) = (self.speaks.as_ref(), Some(self.command.as_str()));
        let options = TranscriptOptions { speaks, seed, startup: self.startup, command, both_ways: false };
        let text = transcript(record, seat, &options)?;
        let creating = || format!("creating folder {}", bots.path_of(&self.name).display());
        let folder = bots.make_subfolder(&self.name).with_context(creating)?;
        let count = known.map_or_else(|| files_in(&folder), Ok)?;
        let name = format!("{}.{}", record.id, self.extension);
        folder.replace(&name, Durability::Flushed, |out| Ok(out.write_all(text.as_bytes())?))?;
        self.count = Some(count + 1);
        let path = folder.path_of(&name);
        let mut lines = vec![format!("referee: to reproduce: {}", reproduce(&self.command, &path.to_string_lossy()))];
        if count + 1 == FILES_MAX {
            let folder = folder.path().display();
            lines.push(format!("referee: {folder} has {FILES_MAX} files; further faults are not written there"));
        }
        Ok(lines)
    }
}

/// The number of files that a run finds. If earlier runs have left no room, their files are removed: `arena replay` can
/// rebuild them.
fn files_in(folder: &ResultsFolder) -> anyhow::Result<usize> {
    let reading = || format!("reading folder {}", folder.path().display());
    let names = folder.names().with_context(reading)?;
    if names.len() < FILES_MAX {
        return Ok(names.len());
    }
    for name in names {
        folder.remove(&name).with_context(|| format!("removing {}", folder.path_of(&name).display()))?;
    }
    Ok(0)
}

/// A shell command that starts the bot in its folder, as seen from the present one.
#[must_use]
pub fn start_command(launch: &Launch) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    if launch.protocol.shim.is_some() {
        // What is started is longer than a person wants to read.
        let path = launch.path.strip_prefix(&here).unwrap_or(&launch.path);
        return format!("arena talk {}", shell_word(&path.to_string_lossy()));
    }
    let folder = launch.dir.strip_prefix(&here).unwrap_or(&launch.dir);
    let mut words = String::new();
    // Names may need quotes, and a quoted name is not an assignment to a shell.
    words.push_str(if launch.env.is_empty() { "" } else { "env " });
    for (name, value) in &launch.env {
        let _ = write!(words, "{} ", shell_word(&format!("{name}={value}")));
    }
    match launch.program.strip_prefix(&launch.dir) {
        Ok(program) => words.push_str(&shell_word(&format!("./{}", program.to_string_lossy()))),
        Err(_) => words.push_str(&shell_word(&launch.program.to_string_lossy())),
    }
    for arg in &launch.args {
        let _ = write!(words, " {}", shell_word(&arg.to_string_lossy()));
    }
    if folder.as_os_str().is_empty() {
        words
    } else {
        format!("(cd {} && {words})", shell_word(&folder.to_string_lossy()))
    }
}
