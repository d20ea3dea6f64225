//! Lists of moves as a program writes them. They are read one by one, when they are needed: to make a value of each of 100
//! moves would take most of the time of an answer.

use arena_core::rules::{Move, TEXT_BYTES_MAX};
use serde_json::value::RawValue;

/// Few positions have more moves.
const MOVES_USUAL: usize = 128;
/// Integers of one move that are read without serde.
const INTEGERS_MAX: usize = 16;

/// A list of moves: the text of each, which is valid, and a number for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveList {
    json: Box<str>,
    places: Vec<Place>,
}

/// One move of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    start: u32,
    end: u32,
    number: u64,
}

impl MoveList {
    /// Reads a valid JSON list; its places are those of a line of a program, which has less than 4 GiB.
    ///
    /// # Errors
    ///
    /// Returns an error if an entry is no move.
    pub(super) fn read(list: &str) -> Result<Self, serde_json::Error> {
        if let Some(places) = plain_places(list) {
            return Ok(Self { json: list.into(), places });
        }
        let moves: Vec<Move> = serde_json::from_str(list)?;
        let texts: Vec<&RawValue> = serde_json::from_str(list)?;
        let mut json = String::with_capacity(list.len());
        let mut place = |(played, text): (&Move, &&RawValue)| {
            let start = json.len() as u32;
            json.push_str(text.get());
            Place { start, end: json.len() as u32, number: number_of(played) }
        };
        let places = moves.iter().zip(&texts).map(&mut place).collect();
        Ok(Self { json: json.into(), places })
    }

    /// The number of moves.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The move at this index, if there is one.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Move> {
        let Place { start, end, .. } = *self.places.get(index)?;
        serde_json::from_str(&self.json[start as usize..end as usize]).ok()
    }

    /// Whether a move is in the list.
    #[must_use]
    pub fn contains(&self, played: &Move) -> bool {
        let number = number_of(played);
        let mut alike = self.places.iter().enumerate().filter(|(_, place)| place.number == number);
        alike.any(|(index, _)| self.get(index).as_ref() == Some(played))
    }

    /// All moves, in their order.
    #[must_use]
    pub fn to_vec(&self) -> Vec<Move> {
        (0..self.len()).filter_map(|index| self.get(index)).collect()
    }

    /// Whether no two moves have the same number, by a table with open addressing: sorting takes several times as long.
    fn has_distinct_numbers(&self) -> bool {
        let size = (2 * self.len()).next_power_of_two();
        let mut table = vec![0; size];
        self.places.iter().all(|place| {
            // The upper bits of a product are the better ones.
            let mut at = (place.number >> 32) as usize % size;
            while table[at] != 0 {
                if table[at] == place.number {
                    return false;
                }
                at = (at + 1) % size;
            }
            table[at] = place.number;
            true
        })
    }

    /// A move that is in the list twice.
    pub(super) fn first_repeated(&self) -> Option<Move> {
        if self.has_distinct_numbers() {
            return None;
        }
        // Hardly ever are moves of equal numbers different.
        let mut sorted = self.to_vec();
        sorted.sort_unstable();
        sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0].clone())
    }
}

/// The number of a move: never 0, equal for equal moves, and hardly ever for others.
fn number_of(played: &Move) -> u64 {
    match played {
        Move::Int(integer) => of_integer(*integer),
        Move::List(integers) => of_integers(integers),
        Move::Text(text) => of_text(text.as_bytes()),
        Move::Parts(parts) => {
            parts.iter().fold(folded(PARTS, parts.len() as u64), |so_far, part| folded(so_far, number_of(part)))
        }
    }
}

/// What numbers of each kind of move begin with.
const INTEGER: u64 = 1;
const LIST: u64 = 2;
const TEXT: u64 = 3;
const PARTS: u64 = 4;

fn of_integer(integer: i64) -> u64 {
    folded(INTEGER, integer as u64)
}

fn of_integers(integers: &[i64]) -> u64 {
    integers.iter().fold(folded(LIST, integers.len() as u64), |so_far, integer| folded(so_far, *integer as u64))
}

fn of_text(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(folded(TEXT, bytes.len() as u64), |so_far, part| {
        let mut word = [0; 8];
        word[..part.len()].copy_from_slice(part);
        folded(so_far, u64::from_le_bytes(word))
    })
}

/// One step of the multiplicative hash of Firefox, odd and so never 0: numbers need not be hard to guess.
fn folded(so_far: u64, word: u64) -> u64 {
    (so_far.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) | 1
}

/// The places of the moves in the valid JSON `list`, if all of them are integers, short lists of integers or words without
/// escapes; `None` says nothing about it.
fn plain_places(list: &str) -> Option<Vec<Place>> {
    let mut rest = Bytes(list.as_bytes());
    rest.take(b'[')?;
    let mut places = Vec::with_capacity(MOVES_USUAL);
    loop {
        rest.skip_space();
        let at = |rest: &Bytes<'_>| (list.len() - rest.0.len()) as u32;
        let start = at(&rest);
        let number = match rest.0.first()? {
            b'[' => integers(&mut rest)?,
            b'"' => word(&mut rest)?,
            _ => of_integer(rest.integer()?),
        };
        places.push(Place { start, end: at(&rest), number });
        rest.skip_space();
        if rest.take(b',').is_none() {
            rest.take(b']')?;
            return rest.0.is_empty().then_some(places);
        }
    }
}

/// A string that is written as it is.
fn word(rest: &mut Bytes<'_>) -> Option<u64> {
    rest.take(b'"')?;
    let end = rest.0.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
    let (word, after) = rest.0.split_at(end);
    rest.0 = after;
    rest.take(b'"')?;
    (word.len() <= TEXT_BYTES_MAX).then(|| of_text(word))
}

/// A list of integers, at least one.
fn integers(rest: &mut Bytes<'_>) -> Option<u64> {
    rest.take(b'[')?;
    let mut numbers = [0; INTEGERS_MAX];
    for count in 1..=INTEGERS_MAX {
        rest.skip_space();
        numbers[count - 1] = rest.integer()?;
        rest.skip_space();
        if rest.take(b',').is_none() {
            rest.take(b']')?;
            return Some(of_integers(&numbers[..count]));
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
    fn usual_moves_need_no_serde() {
        for list in [
            "[1]",
            "[0,-5,[1,2],[3]]",
            "[ 1 ,[ 2 , -3 ] ]",
            "[9007199254740991,[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]]",
            "[\"\", \"e2e4\" ,3]",
            "[\"é 手\"]",
        ] {
            assert!(plain_places(list).is_some(), "{list}");
            check(list);
        }
        let others = ["[[]]", "[-0]", "[\"\\\\\"]", "[[1,\"a\"]]", "[[[1]]]"];
        for list in others.into_iter().chain(["[[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]]"]) {
            assert_eq!(plain_places(list), None, "{list}");
            if serde_json::from_str::<Vec<Move>>(list).is_ok() {
                check(list);
            }
        }
        for wrong in ["[1.0]", "[1e3]", "[[1.5]]", "[null]", "[{}]"] {
            assert!(MoveList::read(wrong).is_err(), "{wrong}");
        }
    }

    /// The moves are those that serde reads, and each is found.
    fn check(list: &str) {
        let moves: Vec<Move> = serde_json::from_str(list).unwrap();
        let read = MoveList::read(list).unwrap();
        assert_eq!((read.to_vec(), read.len()), (moves.clone(), moves.len()), "{list}");
        assert!(moves.iter().all(|played| read.contains(played)), "{list}");
        assert!(!read.contains(&Move::Text("none".to_owned())) && read.get(moves.len()).is_none());
        let mut distinct = moves.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(read.first_repeated().is_some(), distinct.len() < moves.len(), "{list}");
    }

    proptest! {
        #[test]
        fn a_list_is_read_as_serde_reads_it(list in r#"\[(-?[0-9]{1,3}|\[|\]|,|\.|e| |"|\\){0,12}\]"#) {
            if serde_json::from_str::<serde_json::Value>(&list).is_ok() {
                match serde_json::from_str::<Vec<Move>>(&list) {
                    Ok(_) => check(&list),
                    Err(_) => prop_assert!(MoveList::read(&list).is_err(), "{}", list),
                }
            }
        }
    }
}
