//! Splits what a program writes into lines of limited length. Pure: the caller reads the pipe.

use std::ops::Range;

use arena_core::text::shown;

use super::log::{RulesLog, Source};
use super::messages::LINE_BYTES_MAX;
use super::mistake::Mistake;

/// Size of the buffer until a line is longer.
const BYTES: usize = 64 << 10;
/// Bytes kept of the last line, which is cut when it is shown.
const QUOTED_BYTES_MAX: usize = 1_000;

/// What was read from a program and not yet judged.
#[derive(Debug)]
pub(super) struct LineBuffer {
    /// `bytes[start..end]` is not judged yet.
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    /// Up to here there is no newline.
    searched: usize,
    is_first_line: bool,
    /// The beginning of the last line.
    last_line: Vec<u8>,
}

impl Default for LineBuffer {
    fn default() -> Self {
        let last_line = Vec::with_capacity(QUOTED_BYTES_MAX);
        Self { bytes: vec![0; BYTES], start: 0, end: 0, searched: 0, is_first_line: true, last_line }
    }
}

impl LineBuffer {
    /// Where the next bytes are to be read to; never empty after [`LineBuffer::next_message`] has returned `None`.
    pub(super) fn space(&mut self) -> &mut [u8] {
        if self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            self.searched -= self.start;
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.bytes.len() {
            self.bytes.resize((2 * self.bytes.len()).min(LINE_BYTES_MAX + 2), 0);
        }
        &mut self.bytes[self.end..]
    }

    /// Notes that `count` bytes were read into [`LineBuffer::space`].
    pub(super) fn filled(&mut self, count: usize) {
        self.end += count;
    }

    /// Forgets what is not judged yet.
    pub(super) fn clear(&mut self) {
        (self.start, self.end, self.searched) = (0, 0, 0);
    }

    /// The next line that is a message, without its end. Other lines go to the log, as those of `process`.
    pub(super) fn next_message(&mut self, log: &RulesLog, process: u32) -> Result<Option<&[u8]>, Mistake> {
        loop {
            let Some(newline) = memchr::memchr(b'\n', &self.bytes[self.searched..self.end]) else {
                self.searched = self.end;
                self.check_length(self.start..self.end)?;
                return Ok(None);
            };
            let mut line = self.start..self.searched + newline;
            self.start = line.end + 1;
            self.searched = self.start;
            self.check_length(line.clone())?;
            line.end -= usize::from(self.bytes[line.clone()].ends_with(b"\r"));
            if std::mem::take(&mut self.is_first_line) && self.bytes[line.clone()].starts_with(b"\xef\xbb\xbf") {
                line.start += 3;
            }
            let Some(first) = self.bytes[line.clone()].iter().find(|byte| !byte.is_ascii_whitespace()) else {
                continue;
            };
            let is_message = *first == b'{';
            self.keep(line.clone());
            if is_message {
                return Ok(Some(&self.bytes[line]));
            }
            log.push(process, Source::Stray, &self.bytes[line]);
        }
    }

    /// The last line, escaped and cut; empty if there was none.
    pub(super) fn last_line(&self) -> String {
        shown(String::from_utf8_lossy(&self.last_line).trim_end())
    }

    /// The line that is being written, escaped and cut, if there is one.
    pub(super) fn fragment(&self) -> Option<String> {
        let unjudged = &self.bytes[self.start..self.end];
        let fragment = memchr::memrchr(b'\n', unjudged).map_or(unjudged, |newline| &unjudged[newline + 1..]);
        let cut = &fragment[..fragment.len().min(QUOTED_BYTES_MAX)];
        (!fragment.is_empty()).then(|| shown(String::from_utf8_lossy(cut).trim_end()))
    }

    /// The `\r` of `\r\n` is part of the end of a line and does not count.
    fn check_length(&mut self, line: Range<usize>) -> Result<(), Mistake> {
        let length = line.len() - usize::from(self.bytes[line.clone()].ends_with(b"\r"));
        if length > LINE_BYTES_MAX {
            self.keep(line);
            return Err(Mistake::TooLong { max: LINE_BYTES_MAX });
        }
        Ok(())
    }

    fn keep(&mut self, line: Range<usize>) {
        let cut = line.start..line.end.min(line.start + QUOTED_BYTES_MAX);
        self.last_line.clear();
        self.last_line.extend_from_slice(&self.bytes[cut]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads `output` in pieces of `piece` bytes; returns the messages.
    fn messages(output: &[u8], piece: usize) -> Result<Vec<String>, Mistake> {
        let (log, mut lines) = (RulesLog::none(), LineBuffer::default());
        let mut found = Vec::new();
        for piece in output.chunks(piece) {
            let mut rest = piece;
            while !rest.is_empty() {
                let space = lines.space();
                let count = rest.len().min(space.len());
                assert!(count > 0, "no space");
                space[..count].copy_from_slice(&rest[..count]);
                lines.filled(count);
                rest = &rest[count..];
                while let Some(line) = lines.next_message(&log, 1)? {
                    found.push(String::from_utf8_lossy(line).into_owned());
                }
            }
        }
        Ok(found)
    }

    #[test]
    fn messages_are_found_however_they_are_read() {
        let output = b"\xef\xbb\xbf{1}\r\n\n \r\ndebug\n {2}\n\xef\xbb\xbf{stray}\n[3]\n{4}\n{5";
        for piece in [1, 2, 3, 7, 1_000] {
            assert_eq!(messages(output, piece).unwrap(), ["{1}", " {2}", "{4}"], "{piece}");
        }
    }

    #[test]
    fn a_line_of_a_mebibyte_is_read_and_a_longer_one_is_not() {
        let line = |length: usize, end: &str| [&b"{"[..], &vec![b'x'; length - 1], end.as_bytes()].concat();
        for end in ["\n", "\r\n"] {
            let longest = [line(LINE_BYTES_MAX, end), line(LINE_BYTES_MAX, end)].concat();
            for piece in [1 << 16, 4_095, longest.len()] {
                assert_eq!(messages(&longest, piece).unwrap().len(), 2);
            }
            let too_long = [line(7, "\n"), line(LINE_BYTES_MAX + 1, end)].concat();
            assert_eq!(messages(&too_long, 1 << 16), Err(Mistake::TooLong { max: LINE_BYTES_MAX }));
        }
        // Also one that is no message, and one whose end never comes.
        assert!(messages(&vec![b'x'; LINE_BYTES_MAX + 2], 1 << 16).is_err());
        assert_eq!(messages(&vec![b'x'; LINE_BYTES_MAX + 1], 1 << 16), Err(Mistake::TooLong { max: LINE_BYTES_MAX }));
        assert_eq!(messages(&vec![b'x'; LINE_BYTES_MAX], 1 << 16), Ok(Vec::new()));
    }

    #[test]
    fn the_last_line_and_a_fragment_are_quoted() {
        let (log, mut lines) = (RulesLog::none(), LineBuffer::default());
        assert_eq!((lines.last_line(), lines.fragment()), (String::new(), None));
        let output = b"{\"a\x1b\":1}\n{\"b\"";
        lines.space()[..output.len()].copy_from_slice(output);
        lines.filled(output.len());
        assert!(lines.next_message(&log, 1).unwrap().is_some());
        assert_eq!((lines.last_line().as_str(), lines.fragment().as_deref()), ("{\"a\\u{1b}\":1}", Some("{\"b\"")));
        assert!(lines.next_message(&log, 1).unwrap().is_none());
        assert_eq!(lines.last_line(), "{\"a\\u{1b}\":1}");
    }
}
