//! The command that repeats the input on which a bot failed.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use serde::Deserialize;

use crate::advice::reproduce;
use crate::event::GameId;
use crate::rules::Seat;
use crate::text::{escaped, shell_word};

/// Upper bound of the last line of a fault file.
const LAST_LINE_BYTES_MAX: i64 = 64 << 10;

/// The command for the game in which `bot` failed in `seat`. `dir` is the results folder of the tournament. If there is
/// no fault file, the command rebuilds the input from the journal.
pub(super) fn command(dir: &Path, bot: &str, game: GameId, seat: Seat) -> String {
    let file = dir.join("bots").join(format!("{bot}.faults")).join(format!("{game}.jsonl"));
    let command = match start_command(&file) {
        Some(start) => reproduce(&start, &file.to_string_lossy()),
        None => format!("arena replay {game} --name {} --wire {seat} | BOT", shell_word(&dir.to_string_lossy())),
    };
    escaped(&command)
}

/// The command that starts the bot, from the last line of a file of a fault.
fn start_command(file: &Path) -> Option<String> {
    #[derive(Deserialize)]
    struct Fault {
        command: String,
    }
    let mut file = File::open(file).ok()?;
    let size = i64::try_from(file.metadata().ok()?.len()).ok()?;
    file.seek(SeekFrom::End(-size.min(LAST_LINE_BYTES_MAX))).ok()?;
    let mut text = Vec::new();
    file.read_to_end(&mut text).ok()?;
    let line = text.trim_ascii_end().rsplit(|byte| *byte == b'\n').next()?;
    serde_json::from_slice(line).ok().map(|fault: Fault| fault.command)
}
