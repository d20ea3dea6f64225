//! The command that repeats the input on which a bot failed.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use arena_core::event::GameId;
use arena_core::rules::Seat;
use arena_core::text::{escaped, shell_word};
use arena_sys::flags::{GAME, NAME, WIRE};
use arena_sys::results_folder::ResultsFolder;
use arena_wire::advice::reproduce;
use arena_wire::protocol::protocol_of;
use arena_wire::transcript::reproduce_from_journal;
use serde::Deserialize;

use crate::report::Results;

/// Upper bound of the last line of a fault file.
const LAST_LINE_BYTES_MAX: i64 = 64 << 10;

/// Before a command of this program, or of a bot of this run.
const OWN: &str = "To reproduce: ";
/// Before a command that a file of the results folder has. It starts what the arena that wrote the file started, if the file
/// was written by one.
const FOUND: &str = "To reproduce (from the results folder; read it before you run it): ";

/// The command for the game in which `bot` failed in `seat`, after a label that says whose it is. `dir` is the path of the
/// results folder. If there is no fault file, the command rebuilds the input from the journal.
pub(crate) fn command(
    results: &Results<'_>,
    dir: &Path,
    bot: &str,
    game: GameId,
    seat: Seat,
) -> (&'static str, String) {
    // A name that comes with a journal may be any text.
    let folder = format!("{bot}.faults");
    let entry = results.event().bots.iter().find(|entry| entry.id.name == bot);
    let own = results.own_commands.as_ref().and_then(|commands| commands.get(bot));
    let protocol = protocol_of(entry.and_then(|entry| entry.speaks.as_ref()));
    let name = format!("{game}.{}", protocol.input_extension());
    let file = fault_file(results.journal.folder(), &folder, &name);
    // Without remarks a file has only what the bot was sent, and not the command.
    let start = file.and_then(|file| if protocol.takes_remarks { start_command(file) } else { own.cloned() });
    let Some(start) = start else {
        let replay =
            format!("arena replay {game} {NAME} {}{} {WIRE}", shell_word(&dir.to_string_lossy()), game_flag(results));
        return (OWN, escaped(&reproduce_from_journal(&replay, seat, protocol)));
    };
    let path = dir.join("bots").join(folder).join(name);
    (if own == Some(&start) { OWN } else { FOUND }, escaped(&reproduce(&start, &path.to_string_lossy())))
}

/// The flag that names the program of the game, after a space; empty if it has none, or commands find it. The path in a folder that somebody else
/// has made is not for a command that people paste. Not escaped.
pub(crate) fn game_flag(results: &Results<'_>) -> String {
    let path = |path: &String| if results.own_commands.is_none() { "FILE".to_owned() } else { shell_word(path) };
    results
        .event()
        .program
        .as_ref()
        .filter(|_| !results.remembers_rules)
        .map_or_else(String::new, |program| format!(" {GAME} {}", path(&program.path)))
}

fn fault_file(results: &ResultsFolder, folder: &str, name: &str) -> Option<File> {
    results.subfolder("bots").ok()?.subfolder(folder).ok()?.read(name).ok()
}

/// The command that starts the bot, from the last line of a file of a fault.
fn start_command(mut file: File) -> Option<String> {
    #[derive(Deserialize)]
    struct Fault {
        command: String,
    }
    let size = i64::try_from(file.metadata().ok()?.len()).ok()?;
    file.seek(SeekFrom::End(-size.min(LAST_LINE_BYTES_MAX))).ok()?;
    let mut text = Vec::new();
    file.take(LAST_LINE_BYTES_MAX as u64).read_to_end(&mut text).ok()?;
    let line = text.trim_ascii_end().rsplit(|byte| *byte == b'\n').next()?;
    serde_json::from_slice(line).ok().map(|fault: Fault| fault.command)
}
