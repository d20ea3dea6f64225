//! `bots/BOT.log`: what a bot wrote to stderr, its stray output, and remarks of the referee; and the files of its faults.

use std::fs::File;
use std::io::Write;

use anyhow::Context;
use arena_core::record::Record;
use arena_core::rules::Seat;
use arena_core::text::escaped;
use arena_play::player::process::Launch;
use arena_sys::results_folder::ResultsFolder;

use super::fault_files::FaultFiles;

/// The folder of logs and files of faults, in that of the tournament.
pub const BOTS_FOLDER: &str = "bots";

/// A log is not continued beyond this size.
const LOG_BYTES_MAX: u64 = 8 << 20;

/// The logs of all bots; a file is created when there is something to say.
#[derive(Debug)]
pub struct BotLogs {
    /// The results folder.
    results: ResultsFolder,
    /// Opened with the first file in it.
    folder: Option<ResultsFolder>,
    logs: Vec<BotLog>,
    /// The seed of the tournament, if files of faults are written.
    event_seed: Option<u64>,
}

#[derive(Debug)]
struct BotLog {
    name: String,
    file: Option<File>,
    /// Its size; 0 before it is opened.
    bytes: u64,
    faults: FaultFiles,
}

impl BotLogs {
    /// Logs in this results folder, one for each bot.
    pub fn open<'a>(results: &ResultsFolder, launches: impl IntoIterator<Item = &'a Launch>) -> Self {
        let logs = launches.into_iter().map(|launch| BotLog {
            name: log_name(&launch.name),
            file: None,
            bytes: 0,
            faults: FaultFiles::new(launch),
        });
        Self { results: results.clone(), folder: None, logs: logs.collect(), event_seed: None }
    }

    /// Also writes what a bot was sent in each game that it lost by a fault, in a tournament with this seed.
    #[must_use]
    pub fn with_fault_files(self, event_seed: u64) -> Self {
        Self { event_seed: Some(event_seed), ..self }
    }

    /// Appends what the bots, given by their numbers in seat order, left behind in a game; its title ends in `what`.
    pub(super) fn append(
        &mut self,
        record: &Record,
        bots: [usize; 2],
        lines: &[Vec<String>; 2],
        what: &str,
    ) -> anyhow::Result<()> {
        let mut failed = Ok(());
        for seat in Seat::BOTH {
            let mut lines = lines[seat.index()].clone();
            if let Some(evidence) = &record.evidence[seat.index()] {
                lines.extend(evidence.log_lines(record.statuses[seat.index()]));
                // A bot that was sent nothing has not run.
                if let Some(seed) = self.event_seed.filter(|_| evidence.last_sent.is_some()) {
                    let faults = &mut self.logs[bots[seat.index()]].faults;
                    let folder = folder(&self.results, &mut self.folder);
                    match folder.and_then(|folder| faults.write(folder, record, seat, seed)) {
                        Ok(remarks) => lines.extend(remarks),
                        Err(error) => failed = failed.and(Err(error)),
                    }
                }
            }
            let opponent = &record.bots[seat.other().index()].name;
            let title = format!("game {}, {seat} against {opponent}, {}{what}", record.id, record.started);
            let written = self.append_lines(bots[seat.index()], &title, &lines);
            failed = failed.and(written);
        }
        failed
    }

    /// Appends lines of one bot under a title, if there are any. A log that cannot be written is given up: its error comes
    /// once.
    ///
    /// # Errors
    ///
    /// Returns an error if the log cannot be written.
    pub fn append_lines(&mut self, bot: usize, title: &str, lines: &[String]) -> anyhow::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        // Most of it is escaped already, which changes nothing.
        let text: String = lines.iter().map(|line| escaped(line) + "\n").collect();
        let written = self.write(bot, &format!("== {title}\n{text}"));
        if written.is_err() {
            self.logs[bot].bytes = LOG_BYTES_MAX;
        }
        written
    }

    fn write(&mut self, bot: usize, text: &str) -> anyhow::Result<()> {
        let log = &mut self.logs[bot];
        if log.bytes >= LOG_BYTES_MAX {
            return Ok(());
        }
        let folder = folder(&self.results, &mut self.folder)?;
        let path = folder.path_of(&log.name);
        if log.file.is_none() {
            let opened = folder.append(&log.name).and_then(|file| Ok((file.metadata()?.len(), file)));
            let (bytes, file) = opened.with_context(|| format!("opening log {}", path.display()))?;
            (log.bytes, log.file) = (bytes, Some(file));
            if bytes >= LOG_BYTES_MAX {
                return Ok(());
            }
        }
        log.bytes += text.len() as u64;
        let end = if log.bytes >= LOG_BYTES_MAX { "== this log is full; further games are not logged\n" } else { "" };
        let Some(file) = &mut log.file else { return Ok(()) };
        file.write_all(text.as_bytes())
            .and_then(|()| file.write_all(end.as_bytes()))
            .with_context(|| format!("writing log {}", path.display()))
    }
}

/// The name of a bot's log.
#[must_use]
pub fn log_name(bot: &str) -> String {
    format!("{bot}.log")
}

/// The folder of logs, created when it is first needed.
fn folder<'a>(results: &ResultsFolder, opened: &'a mut Option<ResultsFolder>) -> anyhow::Result<&'a ResultsFolder> {
    if let Some(folder) = opened {
        return Ok(folder);
    }
    let creating = || format!("creating folder {}", results.path_of(BOTS_FOLDER).display());
    Ok(opened.insert(results.make_subfolder(BOTS_FOLDER).with_context(creating)?))
}
