//! Line numbers of the rows of a table.

use std::collections::VecDeque;
use std::io::{self, Read};

/// A reader that counts lines for the CSV reader, which reads ahead.
pub(super) struct LineCounter<R> {
    input: R,
    read: u64,
    /// Positions of carriage returns (`false`) and line feeds (`true`) after the last row asked about.
    ends: VecDeque<(u64, bool)>,
    line: u64,
}

impl<R> LineCounter<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, read: 0, ends: VecDeque::new(), line: 1 }
    }

    /// Returns the line, from 1, of the first row at or after `byte`. Calls must be in ascending order.
    pub(super) fn line_at(&mut self, byte: u64) -> u64 {
        let mut start = byte;
        while let Some((place, feed)) = self.ends.front().copied().filter(|(place, _)| *place <= start) {
            self.ends.pop_front();
            // A carriage return ends a line, unless a line feed follows it.
            self.line += u64::from(feed || self.ends.front() != Some(&(place + 1, true)));
            // Skip an empty line, or the rest of the previous line end.
            start += u64::from(place == start);
        }
        self.line
    }
}

impl<R: Read> Read for LineCounter<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.input.read(buffer)?;
        let ends = memchr::memchr2_iter(b'\r', b'\n', &buffer[..length]);
        self.ends.extend(ends.map(|place| (self.read + place as u64, buffer[place] == b'\n')));
        self.read += length as u64;
        Ok(length)
    }
}
