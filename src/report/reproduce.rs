//! The command that repeats the input on which a bot failed.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use serde::Deserialize;

use super::Results;
use crate::advice::reproduce;
use crate::event::GameId;
use crate::flags::{NAME, WIRE};
use crate::protocol::protocol_of;
use crate::results_folder::ResultsFolder;
use crate::rules::Seat;
use crate::text::{escaped, shell_word};
use crate::transcript::INPUT_ONLY;

/// Upper bound of the last line of a fault file.
const LAST_LINE_BYTES_MAX: i64 = 64 << 10;

/// Before a command of this program, or of a bot of this run.
const OWN: &str = "To reproduce: ";
/// Before a command that a file of the results folder has. It starts what the arena that wrote the file started, if the file
/// was written by one.
const FOUND: &str = "To reproduce (from the results folder; read it before you run it): ";

/// The command for the game in which `bot` failed in `seat`, after a label that says whose it is. `dir` is the path of the
/// results folder. If there is no fault file, the command rebuilds the input from the journal.
pub(super) fn command(
    results: &Results<'_>,
    dir: &Path,
    bot: &str,
    game: GameId,
    seat: Seat,
) -> (&'static str, String) {
    // A name that comes with a journal may be any text.
    let folder = format!("{bot}.faults");
    let entry = results.event().bots.iter().find(|entry| entry.id.name == bot);
    if !protocol_of(entry.and_then(|entry| entry.speaks.as_ref())).takes_remarks {
        return plain_command(results, dir, bot, game, seat, &folder);
    }
    let name = format!("{game}.jsonl");
    let Some(start) = start_command(results.journal.folder(), &folder, &name) else {
        let replay = format!("arena replay {game} {NAME} {} {WIRE} {seat} | BOT", shell_word(&dir.to_string_lossy()));
        return (OWN, escaped(&replay));
    };
    let is_own = results.own_commands.get(bot) == Some(&start);
    let file = dir.join("bots").join(folder).join(name);
    (if is_own { OWN } else { FOUND }, escaped(&reproduce(&start, &file.to_string_lossy())))
}

/// The same for a bot whose files of faults have only what it was sent.
fn plain_command(
    results: &Results<'_>,
    dir: &Path,
    bot: &str,
    game: GameId,
    seat: Seat,
    folder: &str,
) -> (&'static str, String) {
    let name = format!("{game}.txt");
    let has_file =
        || Some(results.journal.folder().subfolder("bots").ok()?.subfolder(folder).ok()?.read(&name).is_ok());
    let command = if let Some(start) = results.own_commands.get(bot).filter(|_| has_file() == Some(true)) {
        reproduce(start, &dir.join("bots").join(folder).join(name).to_string_lossy())
    } else {
        let dir = shell_word(&dir.to_string_lossy());
        format!("arena replay {game} {NAME} {dir} {WIRE} {seat} | {INPUT_ONLY} | BOT")
    };
    (OWN, escaped(&command))
}

/// The command that starts the bot, from the last line of a file of a fault.
fn start_command(results: &ResultsFolder, folder: &str, name: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Fault {
        command: String,
    }
    let mut file = results.subfolder("bots").ok()?.subfolder(folder).ok()?.read(name).ok()?;
    let size = i64::try_from(file.metadata().ok()?.len()).ok()?;
    file.seek(SeekFrom::End(-size.min(LAST_LINE_BYTES_MAX))).ok()?;
    let mut text = Vec::new();
    file.take(LAST_LINE_BYTES_MAX as u64).read_to_end(&mut text).ok()?;
    let line = text.trim_ascii_end().rsplit(|byte| *byte == b'\n').next()?;
    serde_json::from_slice(line).ok().map(|fault: Fault| fault.command)
}
