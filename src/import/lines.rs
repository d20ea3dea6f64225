//! In which line of a table a row stands.

use std::collections::VecDeque;
use std::io::{self, Read};

/// Counts lines on the way to the CSV reader, which reads ahead.
pub(super) struct Lines<R> {
    input: R,
    read: u64,
    /// Places of carriage returns and line feeds that no row has passed yet; of the latter, `true`.
    ends: VecDeque<(u64, bool)>,
    line: u64,
}

impl<R> Lines<R> {
    pub(super) fn of(input: R) -> Self {
        Self { input, read: 0, ends: VecDeque::new(), line: 1 }
    }

    /// The line, from 1, of the first row at or after `byte`; asked in ascending order.
    pub(super) fn line_at(&mut self, byte: u64) -> u64 {
        let mut start = byte;
        while let Some((place, feed)) = self.ends.front().copied().filter(|(place, _)| *place <= start) {
            self.ends.pop_front();
            // A carriage return ends a line too, unless a line feed after it does.
            self.line += u64::from(feed || self.ends.front() != Some(&(place + 1, true)));
            // An empty line, or the rest of the line end before: the row begins after it.
            start += u64::from(place == start);
        }
        self.line
    }
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.input.read(buffer)?;
        let ends = memchr::memchr2_iter(b'\r', b'\n', &buffer[..length]);
        self.ends.extend(ends.map(|place| (self.read + place as u64, buffer[place] == b'\n')));
        self.read += length as u64;
        Ok(length)
    }
}
