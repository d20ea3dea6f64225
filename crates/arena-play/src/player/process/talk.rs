//! A bot without a referee: its author sends any text and sees all that it writes.
//!
//! The same guard, limits and sandbox as in a game, but no protocol and no deadline.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::Duration;

use arena_core::text::escaped;
use arena_guard::{Guarded, Limits};
use arena_sys::time::timespec;
use arena_wire::protocol::LINE_BYTES_MAX;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::exit::describe;
use super::launch::{Launch, PrivateFolder};
use super::stderr::PIPE_BYTES;
use crate::player::Failure;

/// Silence after which the beginning of a line is reported.
const FRAGMENT_AFTER: Duration = Duration::from_millis(500);
/// Bytes read at once.
const READ_BYTES: usize = 16 * 1024;
/// Bytes that may wait to be read by the bot before no more is taken from the author.
const UNSENT_MAX: usize = 1 << 20;

/// A running process.
#[derive(Debug)]
pub struct Talk {
    guarded: Guarded,
    limits: Limits,
    stdin: Option<OwnedFd>,
    unsent: Vec<u8>,
    /// The input ends once all is sent.
    is_ending: bool,
    stdout: TalkStream,
    stderr: TalkStream,
    // The last field, so that the folder is removed when no process writes to it any more.
    _scratch: PrivateFolder,
}

/// Something that happened; text is escaped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TalkNews {
    /// It wrote to stdout.
    Stdout(WrittenLine),
    /// It wrote to stderr.
    Stderr(WrittenLine),
    /// It closed its input, so that nothing more reaches it.
    Deaf,
    /// It ended; says how, and whether with status 0.
    Ended(String, bool),
    /// What was given to [`Talk::listen`] can be read.
    Typed,
    /// Nothing happened for half a second.
    Silence,
}

/// A line, or a part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenLine {
    /// Its text.
    pub text: String,
    /// Whether a newline ended it.
    pub is_whole: bool,
}

/// What ended a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Woken {
    Author,
    Bot,
    Nothing,
}

/// An output of the process.
#[derive(Debug)]
struct TalkStream {
    pipe: Option<OwnedFd>,
    bytes: Vec<u8>,
}

impl Talk {
    /// Starts the process.
    ///
    /// # Errors
    ///
    /// Returns whose failure it is if that does not succeed.
    pub fn start(launch: &Launch) -> Result<Self, Failure> {
        let scratch = PrivateFolder::create(launch)?;
        let (guarded, pipes) = launch.spawn(&scratch)?;
        for pipe in [&pipes.stdin, &pipes.stdout, &pipes.stderr] {
            rustix::io::ioctl_fionbio(pipe, true)
                .map_err(|error| Failure::Void(format!("connecting to bot `{}`: {error}", launch.name)))?;
        }
        Ok(Self {
            guarded,
            limits: launch.limits.clone(),
            stdin: Some(pipes.stdin),
            unsent: Vec::new(),
            is_ending: false,
            stdout: TalkStream { pipe: Some(pipes.stdout), bytes: Vec::new() },
            stderr: TalkStream { pipe: Some(pipes.stderr), bytes: Vec::new() },
            _scratch: scratch,
        })
    }

    /// Sends these bytes, as soon as the bot reads them.
    pub fn send(&mut self, bytes: &[u8]) {
        self.unsent.extend_from_slice(bytes);
    }

    /// Closes the bot's input once all is sent.
    pub fn end_input(&mut self) {
        self.is_ending = true;
    }

    /// Waits until something happens, and returns all of it in order. [`TalkNews::Ended`] comes last, and once. `typed` is
    /// what the author types; it is not waited for while the bot does not read.
    ///
    /// # Errors
    ///
    /// Returns an error if a system call of ours fails.
    pub fn listen(&mut self, typed: Option<BorrowedFd<'_>>) -> io::Result<Vec<TalkNews>> {
        let typed = typed.filter(|_| self.unsent.len() < UNSENT_MAX);
        let mut heard = self.write()?;
        let woken = if heard.is_empty() { self.wait(typed)? } else { Woken::Bot };
        let exited = self.guarded.wait_exited(Duration::ZERO);
        let ended = exited.map(|exited| (describe(exited, &self.limits).1, exited.code == Some(0)));
        // Its bot died with it.
        let lost = || self.guarded.has_lost_guard().then(|| ("ended: its guard was killed".to_owned(), false));
        let ended = ended.or_else(lost);
        // Its last words came before its end, but perhaps after the wait.
        let is_last = ended.is_some();
        heard.extend(self.stdout.read(is_last)?.into_iter().map(TalkNews::Stdout));
        heard.extend(self.stderr.read(is_last)?.into_iter().map(TalkNews::Stderr));
        let is_silent = woken == Woken::Nothing;
        // The end of a line will not come, or not soon.
        heard.extend(self.stdout.take_rest(is_last || is_silent).map(TalkNews::Stdout));
        heard.extend(self.stderr.take_rest(is_last || is_silent).map(TalkNews::Stderr));
        if let Some((how, is_good)) = ended {
            heard.push(TalkNews::Ended(how, is_good));
        } else if woken == Woken::Author {
            heard.push(TalkNews::Typed);
        } else if is_silent {
            heard.push(TalkNews::Silence);
        }
        Ok(heard)
    }

    /// Waits for any event, at most until a silence.
    fn wait(&self, typed: Option<BorrowedFd<'_>>) -> io::Result<Woken> {
        let mut fds: Vec<PollFd<'_>> = typed.iter().map(|typed| PollFd::new(typed, PollFlags::IN)).collect();
        let exit = self.guarded.exit_fd();
        fds.extend(exit.iter().map(|exit| PollFd::new(exit, PollFlags::IN)));
        fds.extend(
            [&self.stdout, &self.stderr]
                .into_iter()
                .filter_map(|stream| stream.pipe.as_ref())
                .map(|pipe| PollFd::new(pipe, PollFlags::IN)),
        );
        if !self.unsent.is_empty() {
            fds.extend(self.stdin.iter().map(|stdin| PollFd::new(stdin, PollFlags::OUT)));
        }
        match poll(&mut fds, Some(&timespec(FRAGMENT_AFTER))) {
            Ok(0) => Ok(Woken::Nothing),
            Ok(_) if typed.is_some() && !fds[0].revents().is_empty() => Ok(Woken::Author),
            Ok(_) | Err(Errno::INTR) => Ok(Woken::Bot),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes what the bot takes now.
    fn write(&mut self) -> io::Result<Vec<TalkNews>> {
        while let Some(stdin) = self.stdin.as_ref().filter(|_| !self.unsent.is_empty()) {
            match rustix::io::write(stdin, &self.unsent) {
                Ok(count) => drop(self.unsent.drain(..count)),
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => {}
                Err(Errno::PIPE) => {
                    self.stdin = None;
                    self.unsent.clear();
                    return Ok(vec![TalkNews::Deaf]);
                }
                Err(error) => return Err(error.into()),
            }
        }
        if self.stdin.is_none() {
            self.unsent.clear();
        }
        if self.is_ending && self.unsent.is_empty() {
            self.stdin = None;
        }
        Ok(Vec::new())
    }

    /// Removes the process and everything that it started.
    pub fn kill(&mut self) {
        self.stdin = None;
        // A process stuck in the kernel is left to its guard.
        let _ = self.guarded.kill();
    }
}

impl TalkStream {
    /// Reads the lines that are there, once; all of them if it is the `last` time, at most what a pipe holds: a process that
    /// is left may write on.
    fn read(&mut self, last: bool) -> io::Result<Vec<WrittenLine>> {
        let mut lines = Vec::new();
        let mut buffer = [0; READ_BYTES];
        for _ in 0..if last { PIPE_BYTES.div_ceil(READ_BYTES) } else { 1 } {
            let Some(pipe) = &self.pipe else { break };
            match rustix::io::read(pipe, &mut buffer) {
                Ok(0) => self.pipe = None,
                Ok(count) => {
                    self.bytes.extend_from_slice(&buffer[..count]);
                    self.take_lines(&mut lines);
                }
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(lines)
    }

    fn take_lines(&mut self, lines: &mut Vec<WrittenLine>) {
        while let Some(end) = memchr::memchr(b'\n', &self.bytes) {
            let line: Vec<u8> = self.bytes.drain(..=end).collect();
            let line = line.strip_suffix(b"\n").unwrap_or(&line);
            lines.push(written(line.strip_suffix(b"\r").unwrap_or(line), true));
        }
        if self.bytes.len() > LINE_BYTES_MAX {
            lines.extend(self.take_rest(true));
        }
    }

    /// The beginning of a line, if there is one and it `is_due`, or nothing more comes.
    fn take_rest(&mut self, is_due: bool) -> Option<WrittenLine> {
        let is_due = is_due || self.pipe.is_none();
        let bytes = if is_due { std::mem::take(&mut self.bytes) } else { Vec::new() };
        (!bytes.is_empty()).then(|| written(&bytes, false))
    }
}

fn written(bytes: &[u8], is_whole: bool) -> WrittenLine {
    WrittenLine { text: escaped(&String::from_utf8_lossy(bytes)), is_whole }
}
