//! Text in UTF-16, as spreadsheets save it, read as UTF-8.

use std::io::{self, Read};

/// Bytes that are read at once.
const PIECE_BYTES: usize = 1 << 13;

/// Whether text that begins like this is UTF-16: `Some(true)` if the lower byte of a character comes first.
pub(super) fn order(head: &[u8]) -> Option<bool> {
    match head {
        // A byte order mark, or two characters of ASCII.
        [0xff, 0xfe, ..] | [1..=0x7f, 0, 1..=0x7f, 0, ..] => Some(true),
        [0xfe, 0xff, ..] | [0, 1..=0x7f, 0, 1..=0x7f, ..] => Some(false),
        _ => None,
    }
}

/// A reader of UTF-16 that gives UTF-8. Half a pair of surrogates becomes the three bytes that UTF-8 has no use for, so
/// that different names stay different.
pub(super) struct Utf16<R> {
    input: R,
    is_low_first: bool,
    /// UTF-8 that was not asked for yet.
    ready: io::Cursor<Vec<u8>>,
    /// The first byte of a unit whose other one is still to be read.
    half: Option<u8>,
    /// The first half of a pair of surrogates.
    high: Option<u16>,
}

impl<R: Read> Utf16<R> {
    pub(super) fn new(input: R, is_low_first: bool) -> Self {
        Self { input, is_low_first, ready: io::Cursor::default(), half: None, high: None }
    }

    fn unit(&mut self, unit: u16) {
        let high = self.high.take();
        if let Some(high) = high
            && let Some(Ok(character)) = char::decode_utf16([high, unit]).next()
        {
            self.push(character);
            return;
        }
        self.lone(high);
        match char::from_u32(unit.into()) {
            Some(character) => self.push(character),
            None if unit < 0xdc00 => self.high = Some(unit),
            None => self.lone(Some(unit)),
        }
    }

    fn push(&mut self, character: char) {
        self.ready.get_mut().extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }

    fn lone(&mut self, surrogate: Option<u16>) {
        let bytes = surrogate.map(|unit| [0xed, 0x80 | (unit >> 6 & 0x3f) as u8, 0x80 | (unit & 0x3f) as u8]);
        self.ready.get_mut().extend(bytes.into_iter().flatten());
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut piece = [0; PIECE_BYTES];
        while self.ready.position() as usize == self.ready.get_ref().len() {
            self.ready.get_mut().clear();
            self.ready.set_position(0);
            let length = self.input.read(&mut piece)?;
            if length == 0 {
                let high = self.high.take();
                self.lone(high);
                // Half a character at the end of the file.
                let half = self.half.take();
                self.ready.get_mut().extend(half);
                return self.ready.read(buffer);
            }
            for byte in &piece[..length] {
                match self.half.take() {
                    None => self.half = Some(*byte),
                    Some(first) => {
                        let bytes = [first, *byte];
                        self.unit(if self.is_low_first {
                            u16::from_le_bytes(bytes)
                        } else {
                            u16::from_be_bytes(bytes)
                        });
                    }
                }
            }
        }
        self.ready.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader of one byte at a time.
    struct Drip<'a>(&'a [u8]);

    impl Read for Drip<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.0.len().min(1).min(buffer.len());
            self.0.read(&mut buffer[..length])
        }
    }

    #[test]
    fn text_is_the_same_in_both_orders() {
        let text = "\u{feff}wéiß\t\u{1f642}\r\n".repeat(3_000);
        for is_low_first in [true, false] {
            let bytes = |unit: u16| if is_low_first { unit.to_le_bytes() } else { unit.to_be_bytes() };
            let input: Vec<u8> = text.encode_utf16().flat_map(bytes).collect();
            assert_eq!(order(&input), Some(is_low_first));
            for reader in [&mut &input[..] as &mut dyn Read, &mut Drip(&input)] {
                let mut read = String::new();
                Utf16::new(reader, is_low_first).read_to_string(&mut read).unwrap();
                assert_eq!(read, text);
            }
        }
        assert_eq!(
            [order(b"w\0h\0"), order(b"\0w\0h"), order(b"white"), order(b"\0\0"), order(b"")],
            [Some(true), Some(false), None, None, None]
        );
    }

    #[test]
    fn nothing_is_dropped_or_merged() {
        let read = |input: &[u8]| {
            let mut read = Vec::new();
            Utf16::new(input, true).read_to_end(&mut read).unwrap();
            read
        };
        assert_eq!(read(b"\x00\xd8a\0"), b"\xed\xa0\x80a");
        assert_eq!(read(b"\x00\xd8\x01\xd8\x00\xdc"), [&b"\xed\xa0\x80"[..], "\u{10400}".as_bytes()].concat());
        assert_eq!(read(b"\x00\xdc\x00\xd8"), b"\xed\xb0\x80\xed\xa0\x80");
        assert_eq!(read(b"a\0b"), b"ab");
    }
}
