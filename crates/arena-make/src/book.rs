//! `arena-make book`: the book of connect4 on 6×7, hours of work that can be stopped and run again.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread::scope;
use std::time::Duration;

use anyhow::{Context as _, bail};
use arena_core::solver::{BookPlan, BookTable, BookWorker, PLIES};
use arena_core::text::shown;
use arena_run::session::Runtime;
use arena_sys::time::now;

use crate::progress::{progress, progress_line};
use crate::{Exit, ThreadArgs, refuse_existing, tell, write};

/// Time between lines of progress where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(60);

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// File to make; FILE.part has what is done so far
    file: PathBuf,
    /// Last ply in the book
    #[arg(long, value_name = "N", default_value_t = PLIES, value_parser = clap::value_parser!(u32).range(0..=14))]
    plies: u32,
    /// Memory for the positions that workers share, in megabytes
    #[arg(long, value_name = "MB", default_value_t = 2_048, value_parser = clap::value_parser!(u64).range(1..=65_536))]
    memory: u64,
    #[command(flatten)]
    threads: ThreadArgs,
}

/// Makes the book, or goes on with it.
pub(crate) fn run(args: &Args) -> anyhow::Result<Exit> {
    let path = &args.file;
    refuse_existing(path)?;
    let plan = BookPlan::new(args.plies);
    let mut part = Part::open(path, &plan)?;
    let left: Vec<usize> = (0..plan.chunks()).filter(|chunk| part.scores[*chunk].is_none()).collect();
    if left.len() < plan.chunks() {
        tell(&format!("{} of {} chunks are there already", plan.chunks() - left.len(), plan.chunks()));
    }
    let table = BookTable::new((args.memory << 20).ilog2() - 4);
    let done: usize = part.scores.iter().flatten().map(Vec::len).sum();
    let bar = progress(plan.positions(), done);
    let stop = AtomicBool::new(false);
    let mut runtime = Runtime::start()?;
    let solve = || {
        solve_all(&plan, &left, args.threads.count(), &table, &stop, |chunk, scores| {
            bar.inc(scores.len() as u64);
            part.keep(chunk, scores)
        })
    };
    let mut last_line = now();
    let waiting = || {
        if bar.is_hidden() && last_line.elapsed() >= LINE_EVERY {
            last_line = now();
            tell(&progress_line(&bar));
        }
    };
    let solved = runtime.unless_stopped(&stop, solve, waiting)?;
    bar.finish_and_clear();
    let Some(scores) = solved.transpose()?.and_then(|()| part.all()) else {
        tell(&format!("{} is kept; run the same command to go on", shown(&part.path.to_string_lossy())));
        return Ok(Exit::Killed);
    };
    let book = plan.finish(&scores).context("the scores are not those of this book")?;
    write(path, &book)?;
    std::fs::remove_file(&part.path).with_context(|| format!("removing {}", part.path.display()))?;
    Ok(Exit::Done)
}

/// Solves chunks on several threads and hands each to `keep` on this one. What is being solved when it is stopped is lost.
fn solve_all(
    plan: &BookPlan,
    chunks: &[usize],
    concurrency: usize,
    table: &BookTable,
    stop: &AtomicBool,
    mut keep: impl FnMut(usize, Vec<i8>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let next = AtomicUsize::new(0);
    let (done, finished) = channel();
    scope(|threads| {
        for _ in 0..concurrency {
            let (done, next) = (done.clone(), &next);
            threads.spawn(move || {
                let mut worker = BookWorker::new(table);
                while let Some(chunk) = chunks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let Some(scores) = worker.solve(plan, *chunk, &|| stop.load(Ordering::Relaxed)) else { return };
                    if done.send((*chunk, scores)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(done);
        for (chunk, scores) in finished {
            if let Err(error) = keep(chunk, scores) {
                stop.store(true, Ordering::Relaxed);
                return Err(error);
            }
        }
        Ok(())
    })
}

/// The chunks that are done, in a file next to the book: a line each with its number, its scores as digits of base 32 and a
/// checksum.
struct Part {
    path: PathBuf,
    file: File,
    /// By chunk.
    scores: Vec<Option<Vec<i8>>>,
}

/// Added to scores for their digits.
const OFFSET: i8 = 16;

impl Part {
    /// Reads what is there. A last line that was not finished is removed.
    fn open(book: &Path, plan: &BookPlan) -> anyhow::Result<Self> {
        let mut path = book.as_os_str().to_owned();
        path.push(".part");
        let path = PathBuf::from(path);
        let reading = || format!("opening {}", shown(&path.to_string_lossy()));
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(&path).with_context(reading)?;
        let mut text = String::new();
        file.read_to_string(&mut text).with_context(reading)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut scores = vec![None; plan.chunks()];
        for (index, line) in text[..whole].lines().enumerate() {
            let Some((chunk, read)) = read_line(line, plan) else {
                bail!(
                    "{}, line {}: not a chunk of this book; remove the file",
                    shown(&path.to_string_lossy()),
                    index + 1
                );
            };
            scores[chunk] = Some(read);
        }
        file.set_len(whole as u64).with_context(reading)?;
        file.seek(SeekFrom::End(0)).with_context(reading)?;
        Ok(Self { path, file, scores })
    }

    fn keep(&mut self, chunk: usize, scores: Vec<i8>) -> anyhow::Result<()> {
        let written = self.file.write_all(line(chunk, &scores).as_bytes()).and_then(|()| self.file.sync_data());
        written.with_context(|| format!("writing {}", self.path.display()))?;
        self.scores[chunk] = Some(scores);
        Ok(())
    }

    /// The scores of all chunks, if they are all there.
    fn all(&self) -> Option<Vec<i8>> {
        let chunks: Option<Vec<&Vec<i8>>> = self.scores.iter().map(Option::as_ref).collect();
        Some(chunks?.into_iter().flatten().copied().collect())
    }
}

fn line(chunk: usize, scores: &[i8]) -> String {
    let digits: String =
        scores.iter().map(|score| char::from_digit(u32::from((score + OFFSET) as u8), 32).unwrap_or('?')).collect();
    let text = format!("{chunk} {digits}");
    let sum = blake3::hash(text.as_bytes()).to_hex();
    format!("{text} {}\n", &sum[..16])
}

fn read_line(text: &str, plan: &BookPlan) -> Option<(usize, Vec<i8>)> {
    let mut words = text.split(' ');
    let (chunk, digits) = (words.next()?.parse().ok()?, words.next()?);
    let score = |digit: char| Some(digit.to_digit(32)? as i8 - OFFSET);
    let scores: Vec<i8> = digits.chars().map(score).collect::<Option<_>>()?;
    (chunk < plan.chunks() && scores.len() == plan.chunk_len(chunk) && format!("{text}\n") == line(chunk, &scores))
        .then_some((chunk, scores))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_done_is_kept_and_a_torn_line_is_done_again() {
        let folder = tempfile::tempdir().unwrap();
        let book = folder.path().join("book");
        let plan = BookPlan::new(6);
        let scores =
            |chunk: usize| (0..plan.chunk_len(chunk)).map(|index| (index % 31) as i8 - 15).collect::<Vec<i8>>();
        let mut part = Part::open(&book, &plan).unwrap();
        // Workers finish in any order.
        for chunk in [3, 0, 1, 2, 7, 5, 6, 4] {
            part.keep(chunk, scores(chunk)).unwrap();
        }
        let whole = std::fs::read_to_string(&part.path).unwrap();
        let expected = plan.finish(&part.all().unwrap()).unwrap();

        let lines = [0, 1, 2].map(|line| whole.lines().take(line).map(|line| line.len() + 1).sum::<usize>());
        for at in lines.into_iter().flat_map(|start| [start, start + 1, start + 700]) {
            std::fs::write(&part.path, &whole[..at]).unwrap();
            let mut again = Part::open(&book, &plan).unwrap();
            assert_eq!(again.all(), None);
            for chunk in (0..plan.chunks()).rev().filter(|chunk| part.scores[*chunk].is_some()) {
                if again.scores[chunk].is_none() {
                    again.keep(chunk, scores(chunk)).unwrap();
                }
            }
            let read = Part::open(&book, &plan).unwrap();
            assert_eq!(plan.finish(&read.all().unwrap()).unwrap(), expected, "cut at {at}");
        }

        std::fs::write(&part.path, whole.replacen('5', "6", 1)).unwrap();
        let error = Part::open(&book, &plan).err().expect("a checksum is wrong").to_string();
        assert!(error.ends_with("book.part, line 1: not a chunk of this book; remove the file"), "{error}");
    }
}
