//! `bots/NAME.log`: what a bot wrote to stderr and to stdout without being asked, and what the referee remarked.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::player::process::Launch;
use crate::record::Record;
use crate::rules::Seat;

/// A log is not continued beyond this size.
const LOG_BYTES_MAX: u64 = 8 << 20;

/// The logs of all bots; a file is created when there is something to say.
#[derive(Debug)]
pub(super) struct BotLogs {
    dir: PathBuf,
    logs: Vec<BotLog>,
}

#[derive(Debug)]
struct BotLog {
    path: PathBuf,
    file: Option<File>,
    bytes: u64,
}

impl BotLogs {
    /// Logs in `dir`, one for each bot.
    pub(super) fn open(dir: &Path, launches: &[Launch]) -> Self {
        let logs = launches.iter().map(|launch| {
            let path = dir.join(format!("{}.log", launch.name));
            let bytes = std::fs::metadata(&path).map_or(0, |meta| meta.len());
            BotLog { path, file: None, bytes }
        });
        Self { dir: dir.to_owned(), logs: logs.collect() }
    }

    /// Appends what the bots, given by their numbers in seat order, left behind in a game.
    pub(super) fn append(&mut self, record: &Record, bots: [usize; 2], lines: &[Vec<String>; 2]) -> anyhow::Result<()> {
        for seat in Seat::BOTH {
            let mut lines = lines[seat.index()].clone();
            if let Some(evidence) = &record.evidence[seat.index()] {
                lines.push(format!("referee: {}: {}", record.statuses[seat.index()], evidence.message));
            }
            if lines.is_empty() {
                continue;
            }
            let opponent = &record.bots[seat.other().index()].name;
            let mut text = format!("== game {}, {seat} against {opponent}, {}\n", record.id, record.started);
            for line in lines {
                text.push_str(&line);
                text.push('\n');
            }
            self.write(bots[seat.index()], &text)?;
        }
        Ok(())
    }

    fn write(&mut self, bot: usize, text: &str) -> anyhow::Result<()> {
        let log = &mut self.logs[bot];
        if log.bytes >= LOG_BYTES_MAX {
            return Ok(());
        }
        if log.file.is_none() {
            std::fs::create_dir_all(&self.dir).with_context(|| format!("creating folder {}", self.dir.display()))?;
            let opened = OpenOptions::new().append(true).create(true).open(&log.path);
            log.file = Some(opened.with_context(|| format!("opening log {}", log.path.display()))?);
        }
        log.bytes += text.len() as u64;
        let end = if log.bytes >= LOG_BYTES_MAX { "== this log is full; further games are not logged\n" } else { "" };
        let Some(file) = &mut log.file else { return Ok(()) };
        file.write_all(text.as_bytes())
            .and_then(|()| file.write_all(end.as_bytes()))
            .with_context(|| format!("writing log {}", log.path.display()))
    }
}
