//! A terminal for tests: the other end of a pty, and what is on its screen.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::process::{Child, Command, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};

use crate::pty;
use crate::support::{Dir, LIMIT, arena, until};

/// A program on a terminal.
pub(super) struct Screen {
    end: File,
    terminal: File,
    before: Termios,
    child: Child,
    size: [usize; 2],
    cells: Vec<Vec<char>>,
    cursor: [usize; 2],
    /// Part of an escape sequence or of a character.
    rest: Vec<u8>,
}

impl Screen {
    /// Starts `arena` with these arguments on a terminal of this width and height.
    pub(super) fn start(dir: &Dir, args: &str, [width, height]: [u16; 2]) -> Self {
        let (end, terminal, _) = pty::terminal();
        let size = Winsize { ws_row: height, ws_col: width, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&end, size).expect("a size");
        let before = tcgetattr(&terminal).expect("modes");
        let stdio = || Stdio::from(terminal.try_clone().expect("a terminal"));
        // A session of its own, so that the terminal can tell it its size.
        let mut command = Command::new("setsid");
        command.arg("--ctty").arg(arena()).args(args.split_whitespace()).current_dir(dir.path("")).env_clear();
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path))).env("TMPDIR", dir.path("tmp"));
        command.env("TERM", "xterm-256color").stdin(stdio()).stdout(stdio()).stderr(stdio());
        let child = command.spawn().expect("setsid of util-linux");
        let (width, height) = (usize::from(width), usize::from(height));
        let cells = vec![vec![' '; width]; height];
        Self { end, terminal, before, child, size: [width, height], cells, cursor: [0; 2], rest: Vec::new() }
    }

    pub(super) fn type_keys(&mut self, keys: &str) {
        self.end.write_all(keys.as_bytes()).expect("typed");
    }

    pub(super) fn resize(&mut self, [width, height]: [u16; 2]) {
        self.size = [width, height].map(usize::from);
        self.cells = vec![vec![' '; self.size[0]]; self.size[1]];
        let size = Winsize { ws_row: height, ws_col: width, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&self.end, size).expect("a size");
    }

    pub(super) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("it is still there");
    }

    pub(super) fn text(&self) -> String {
        self.cells.iter().map(|row| row.iter().collect::<String>().trim_end().to_owned() + "\n").collect()
    }

    /// Waits until this is on the screen.
    #[track_caller]
    pub(super) fn shows(&mut self, what: &str) {
        self.shows_one_of(&[what]);
    }

    /// Waits until one of these is on the screen, and returns which.
    #[track_caller]
    pub(super) fn shows_one_of(&mut self, what: &[&str]) -> usize {
        let mut found = None;
        let begun = std::cell::Cell::new(0);
        until(LIMIT, &format!("{what:?} is on the screen"), || {
            self.read();
            let text = self.text();
            found = what.iter().position(|what| text.contains(what));
            begun.set(begun.get() + 1);
            assert!(begun.get() < 20_000 || found.is_some(), "not on the screen: {what:?}\n{text}");
            found.is_some()
        });
        found.expect("found")
    }

    /// Waits for the end and checks that the terminal is as it was. Returns the exit code.
    #[track_caller]
    pub(super) fn ends(mut self, dir: &Dir) -> Option<i32> {
        until(LIMIT, "the arena ends", || {
            self.read();
            self.child.try_wait().expect("a child").is_some()
        });
        self.read();
        let after = tcgetattr(&self.terminal).expect("modes");
        let modes = |of: &Termios| (of.input_modes, of.output_modes, of.control_modes, of.local_modes);
        assert_eq!(modes(&after), modes(&self.before), "the terminal is not as it was");
        until(LIMIT, "no process is left", || dir.processes().is_empty());
        self.child.wait().expect("a child").code()
    }

    fn read(&mut self) {
        let mut buffer = [0; 4096];
        loop {
            let wait = Timespec { tv_sec: 0, tv_nsec: 1_000_000 };
            let mut fds = [PollFd::new(&self.end, PollFlags::IN)];
            if !poll(&mut fds, Some(&wait)).is_ok_and(|ready| ready > 0) || !fds[0].revents().contains(PollFlags::IN) {
                return;
            }
            let Ok(count) = self.end.read(&mut buffer) else { return };
            self.rest.extend_from_slice(&buffer[..count]);
            let bytes = std::mem::take(&mut self.rest);
            let used = self.write(&bytes);
            self.rest = bytes[used..].to_vec();
        }
    }

    /// Writes to the screen; returns how much of it was complete.
    fn write(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            let end = match byte {
                0x1b => match bytes.get(at + 1) {
                    None => return at,
                    Some(b'[') => {
                        let Some(last) = bytes[at + 2..].iter().position(|byte| (0x40..0x7f).contains(byte)) else {
                            return at;
                        };
                        self.control(&bytes[at + 2..at + 2 + last], bytes[at + 2 + last]);
                        at + last + 3
                    }
                    Some(_) => at + 2,
                },
                b'\r' => {
                    self.cursor[0] = 0;
                    at + 1
                }
                b'\n' => {
                    self.cursor[1] += 1;
                    at + 1
                }
                _ => {
                    let length = match byte {
                        0xf0.. => 4,
                        0xe0.. => 3,
                        0xc0.. => 2,
                        _ => 1,
                    };
                    let Some(character) = bytes.get(at..at + length) else { return at };
                    let character = std::str::from_utf8(character).ok().and_then(|text| text.chars().next());
                    let [x, y] = self.cursor;
                    if let Some(cell) = self.cells.get_mut(y).and_then(|row| row.get_mut(x)) {
                        *cell = character.unwrap_or('?');
                    }
                    self.cursor[0] += 1;
                    at + length
                }
            };
            at = end;
        }
        at
    }

    fn control(&mut self, arguments: &[u8], what: u8) {
        let text = String::from_utf8_lossy(arguments);
        let mut numbers = text.split(';').map(|number| number.parse::<usize>().unwrap_or(1).max(1) - 1);
        match what {
            b'H' => {
                let row = numbers.next().unwrap_or(0);
                self.cursor = [numbers.next().unwrap_or(0), row];
            }
            // Erased, or another screen.
            b'J' => self.cells.iter_mut().for_each(|row| row.fill(' ')),
            b'h' if text == "?1049" => self.cells.iter_mut().for_each(|row| row.fill(' ')),
            _ => {}
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // It fails only if it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
