//! The lines of a text, and the line numbers of the rows of a table.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read};

/// A reader that counts lines for the CSV reader, which reads ahead.
pub(super) struct LineCounter<R> {
    input: R,
    read: u64,
    /// Positions of carriage returns (`false`) and line feeds (`true`) after the last row asked about.
    ends: VecDeque<(u64, bool)>,
    line: u64,
    /// Where the row begins that is being read.
    row: u64,
}

impl<R> LineCounter<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, read: 0, ends: VecDeque::new(), line: 1, row: 0 }
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

    /// Notes where the next row begins, which may have [`LINE_BYTES_MAX`] bytes from there.
    pub(super) const fn begin_row(&mut self, byte: u64) {
        self.row = byte;
    }
}

impl<R: Read> Read for LineCounter<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // The CSV reader keeps a whole row, over several lines if they are quoted.
        if self.read - self.row > LINE_BYTES_MAX as u64 {
            let line = self.line_at(self.row);
            return Err(too_long(line, "; is a quote missing?"));
        }
        let length = self.input.read(buffer)?;
        let ends = memchr::memchr2_iter(b'\r', b'\n', &buffer[..length]);
        self.ends.extend(ends.map(|place| (self.read + place as u64, buffer[place] == b'\n')));
        self.read += length as u64;
        Ok(length)
    }
}

/// Maximum length of a line of text, or of a row of a table, in bytes.
const LINE_BYTES_MAX: usize = 1 << 24;

fn too_long(line: u64, cure: &str) -> io::Error {
    let what = format!("line {line} has more than {LINE_BYTES_MAX} bytes{cure}");
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// The lines of a text, which end in LF, CRLF or CR.
pub(super) struct TextLines<R> {
    input: BufReader<R>,
    /// Whether a line feed would belong to the end of the last line.
    after_return: bool,
    /// Number of the last line, from 1.
    pub(super) number: u64,
}

impl<R: Read> TextLines<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input: BufReader::new(input), after_return: false, number: 0 }
    }

    /// Reads the next line into `line`, without its end. Returns whether there is one.
    pub(super) fn read(&mut self, line: &mut Vec<u8>) -> io::Result<bool> {
        line.clear();
        loop {
            let bytes = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                bytes => bytes?,
            };
            if self.after_return && bytes.first() == Some(&b'\n') {
                self.after_return = false;
                self.input.consume(1);
                continue;
            }
            self.after_return &= bytes.is_empty();
            let end = memchr::memchr2(b'\r', b'\n', bytes);
            let is_last = bytes.is_empty();
            line.extend_from_slice(&bytes[..end.unwrap_or(bytes.len())]);
            self.after_return |= end.is_some_and(|end| bytes[end] == b'\r');
            let length = end.map_or(bytes.len(), |end| end + 1);
            self.input.consume(length);
            if line.len() > LINE_BYTES_MAX {
                return Err(too_long(self.number + 1, ""));
            }
            if end.is_some() || is_last {
                let is_there = end.is_some() || !line.is_empty();
                self.number += u64::from(is_there);
                return Ok(is_there);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_any_way() {
        let mut lines = TextLines::new(&b"a\r\n\r\nb\rc\n\n\rd"[..]);
        let (mut all, mut line) = (Vec::new(), Vec::new());
        while lines.read(&mut line).unwrap() {
            all.push(String::from_utf8(line.clone()).unwrap());
        }
        assert_eq!((all.join("|"), lines.number), ("a||b|c|||d".to_owned(), 7));
        assert!(!lines.read(&mut line).unwrap());
    }

    #[test]
    fn a_line_has_a_limit() {
        let mut lines = TextLines::new(io::repeat(b'x'));
        let error = lines.read(&mut Vec::new()).unwrap_err();
        assert_eq!(error.to_string(), "line 1 has more than 16777216 bytes");
    }
}
