//! Reads lists of moves: the same as serde does, at a fraction of the time for the moves of most games.

use crate::rules::{Move, TEXT_BYTES_MAX};

/// Few positions have more moves.
const MOVES_USUAL: usize = 128;
/// Integers of one move that are read here.
const INTEGERS_MAX: usize = 16;

/// The moves in the valid JSON `list`, if all of them are integers, short lists of integers or words without escapes; `None`
/// says nothing about it.
pub(super) fn plain_moves(list: &str) -> Option<Vec<Move>> {
    let mut rest = Bytes(list.as_bytes());
    rest.take(b'[')?;
    let mut moves = Vec::with_capacity(MOVES_USUAL);
    loop {
        rest.skip_space();
        moves.push(match rest.0.first()? {
            b'[' => integers(&mut rest)?,
            b'"' => word(&mut rest)?,
            _ => Move::Int(rest.integer()?),
        });
        rest.skip_space();
        if rest.take(b',').is_none() {
            rest.take(b']')?;
            return rest.0.is_empty().then_some(moves);
        }
    }
}

/// A string that is written as it is.
fn word(rest: &mut Bytes<'_>) -> Option<Move> {
    rest.take(b'"')?;
    let end = rest.0.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
    let (word, after) = rest.0.split_at(end);
    rest.0 = after;
    rest.take(b'"')?;
    let is_short = word.len() <= TEXT_BYTES_MAX;
    std::str::from_utf8(word).ok().filter(|_| is_short).map(|word| Move::Text(word.to_owned()))
}

/// A list of integers, at least one.
fn integers(rest: &mut Bytes<'_>) -> Option<Move> {
    rest.take(b'[')?;
    let mut numbers = [0; INTEGERS_MAX];
    for count in 1..=INTEGERS_MAX {
        rest.skip_space();
        numbers[count - 1] = rest.integer()?;
        rest.skip_space();
        if rest.take(b',').is_none() {
            rest.take(b']')?;
            return Some(Move::List(numbers[..count].to_vec()));
        }
    }
    None
}

/// What is not read yet.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn take(&mut self, byte: u8) -> Option<()> {
        self.0 = self.0.strip_prefix(&[byte])?;
        Some(())
    }

    fn skip_space(&mut self) {
        self.0 = self.0.trim_ascii_start();
    }

    /// An integer of the usual form that fits in 64 bits whatever its digits are; not -0, which is no integer to serde.
    fn integer(&mut self) -> Option<i64> {
        const DIGITS_MAX: usize = 18;
        let is_negative = self.take(b'-').is_some();
        let digits = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.0.split_at(digits);
        let is_fraction = matches!(rest.first(), Some(b'.' | b'e' | b'E'));
        if !(1..=DIGITS_MAX).contains(&digits.len()) || is_fraction || is_negative && digits == b"0" {
            return None;
        }
        self.0 = rest;
        let number = digits.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0'));
        Some(if is_negative { -number } else { number })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_read_is_what_serde_reads() {
        for list in [
            "[1]",
            "[0,-5,[1,2],[3]]",
            "[ 1 ,[ 2 , -3 ] ]",
            "[9007199254740991,[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]]",
            "[\"\", \"e2e4\" ,3]",
            "[\"é 手\"]",
        ] {
            assert!(plain_moves(list).is_some(), "{list}");
            assert_eq!(plain_moves(list), serde_json::from_str(list).ok(), "{list}");
        }
        let others = [
            "[]",
            "[[]]",
            "[-0]",
            "[1.0]",
            "[1e3]",
            "[[1.5]]",
            "[\"\\\\\"]",
            "[[1,\"a\"]]",
            "[[[1]]]",
            "[null]",
            "[{}]",
        ];
        for list in others {
            assert_eq!(plain_moves(list), None, "{list}");
        }
        assert_eq!(plain_moves("[[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]]"), None);
    }

    proptest! {
        #[test]
        fn nothing_else_is_read(list in r#"\[(-?[0-9]{1,3}|\[|\]|,|\.|e| |"|\\){0,12}\]"#) {
            let Ok(values) = serde_json::from_str::<serde_json::Value>(&list) else { return Ok(()) };
            if let Some(moves) = plain_moves(&list) {
                prop_assert_eq!(serde_json::to_value(moves).unwrap(), values);
            }
        }
    }
}
