//! `bots/BOT.faults/ID.jsonl`: what a bot was sent in a game that it lost by a fault, to be fed to it again.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::advice::reproduce;
use crate::event::bot_seeds;
use crate::player::process::Launch;
use crate::record::Record;
use crate::rules::Seat;
use crate::text::shell_word;
use crate::transcript::transcript;

/// Files of one bot; further faults of a run are not written.
const FILES_MAX: usize = 100;

/// The number of files that a run finds. If earlier runs have left no room, their files are removed: `arena replay` can
/// rebuild them.
fn files_in(dir: &Path) -> usize {
    let count = std::fs::read_dir(dir).map_or(0, Iterator::count);
    if count >= FILES_MAX && std::fs::remove_dir_all(dir).is_ok() { 0 } else { count }
}

/// The fault files of one bot.
#[derive(Debug)]
pub(super) struct FaultFiles {
    dir: PathBuf,
    /// Number of files; `None` until a fault is written in this run.
    count: Option<usize>,
    startup: std::time::Duration,
    /// Starts the bot as the arena does, but for the sandbox.
    command: String,
}

impl FaultFiles {
    /// Files in `BOT.faults` in `dir`.
    pub(super) fn new(dir: &Path, launch: &Launch) -> Self {
        Self {
            dir: dir.join(format!("{}.faults", launch.name)),
            count: None,
            startup: launch.startup,
            command: command(launch),
        }
    }

    /// Writes the file for a game that `seat` lost by a fault. Returns lines for the bot's log. If that fails once, no more
    /// files are written.
    pub(super) fn write(&mut self, record: &Record, seat: Seat, event_seed: u64) -> anyhow::Result<Vec<String>> {
        let count = *self.count.get_or_insert_with(|| files_in(&self.dir));
        let path = self.dir.join(format!("{}.jsonl", record.id));
        if count >= FILES_MAX {
            return Ok(Vec::new());
        }
        self.count = Some(FILES_MAX);
        let seed = bot_seeds(event_seed, &record.id)[seat.index()];
        let text = transcript(record, seat, seed, self.startup, Some(&self.command))?;
        std::fs::create_dir_all(&self.dir).with_context(|| format!("creating folder {}", self.dir.display()))?;
        std::fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
        self.count = Some(count + 1);
        let mut lines = vec![format!("referee: to reproduce: {}", reproduce(&self.command, &path.to_string_lossy()))];
        if count + 1 == FILES_MAX {
            let folder = self.dir.display();
            lines.push(format!("referee: {folder} has {FILES_MAX} files; further faults are not written there"));
        }
        Ok(lines)
    }
}

/// A shell command that starts the bot in its folder, as seen from the present one.
fn command(launch: &Launch) -> String {
    let here = std::env::current_dir().unwrap_or_default();
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
