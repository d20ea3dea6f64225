//! Many lines at a time: answers in the order of the lines, each as soon as it is there.

use std::collections::BTreeMap;
use std::io::{BufRead, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::scope;

use anyhow::Context as _;
use arena_core::judge::read_line;

use crate::cli::Io;

/// A line with its number.
type Numbered = (usize, String);
/// Lines read ahead of each worker.
const AHEAD: usize = 64;

/// Answers each line of stdin but empty ones on stdout, with `answer` on as many threads. A reader that closes the pipe
/// ends it.
///
/// # Errors
///
/// Returns the error if the input cannot be read, or the output not be written.
pub(super) fn run(io: &Io, concurrency: usize, answer: &(dyn Fn(&str) -> String + Sync)) -> anyhow::Result<()> {
    let (lines, waiting) = sync_channel::<Numbered>(concurrency * AHEAD);
    let waiting = Mutex::new(waiting);
    let (answers, answered) = channel::<Numbered>();
    let is_closed = AtomicBool::new(false);
    scope(|threads| {
        for _ in 0..concurrency {
            let (answers, waiting) = (answers.clone(), &waiting);
            threads.spawn(move || work(waiting, &answers, answer));
        }
        drop(answers);
        let is_closed = &is_closed;
        let writer = threads.spawn(move || write(&answered, is_closed, io));
        let read = read(io.stdin(), &lines, is_closed);
        drop(lines);
        let written = writer.join().unwrap_or(Ok(()));
        read.and(written)
    })
}

fn read(mut input: impl BufRead, lines: &SyncSender<Numbered>, is_closed: &AtomicBool) -> anyhow::Result<()> {
    let mut line = Vec::new();
    let mut number = 0;
    while !is_closed.load(Ordering::Relaxed) && read_line(&mut input, &mut line).context("could not read a position")? {
        let text = line.strip_prefix(b"\xef\xbb\xbf").filter(|_| number == 0).unwrap_or(&line);
        // What is not UTF-8 is no position, and the answer says so.
        let text = String::from_utf8_lossy(text.trim_ascii()).into_owned();
        if text.is_empty() {
            continue;
        }
        if lines.send((number, text)).is_err() {
            break;
        }
        number += 1;
    }
    Ok(())
}

fn work(waiting: &Mutex<Receiver<Numbered>>, answers: &Sender<Numbered>, answer: &(dyn Fn(&str) -> String + Sync)) {
    loop {
        let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, line)) = next else { return };
        if answers.send((number, answer(&line))).is_err() {
            return;
        }
    }
}

/// Writes answers in order. What a program asks, it may wait for, so nothing is held back.
fn write(answered: &Receiver<Numbered>, is_closed: &AtomicBool, io: &Io) -> anyhow::Result<()> {
    let mut early = BTreeMap::new();
    let mut next = 0;
    let mut out = io.stdout();
    for (number, text) in answered {
        early.insert(number, text);
        while let Some(text) = early.remove(&next) {
            next += 1;
            match writeln!(out, "{text}").and_then(|()| out.flush()) {
                Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {
                    is_closed.store(true, Ordering::Relaxed);
                    return Ok(());
                }
                written => written.context("could not write an answer")?,
            }
        }
    }
    Ok(())
}
