//! The strategy for 4×6 in the program, as a file.
//!
//! File: [`MAGIC`], pegs, colours, and the guesses as little-endian `u16`, in pre-order: the guess for a set, then those for what each
//! answer leaves, in the order of answers. Sets whose best guess is [obvious] are left out.

use super::codes::Codes;
use super::frames::Frames;
use super::search::{BestGuess, BestGuesses, Memo, Search, Work, obvious, one_less};
use crate::solver::{Limits, Unsolved};

/// What a file begins with.
const MAGIC: &[u8; 18] = b"arena mastermind 1";
/// Pegs and colours of the shipped strategy.
const SHIPPED: [usize; 2] = [4, 6];

/// Width of the search that made the shipped table.
pub const TABLE_WIDTH: usize = 30;
/// Guesses that the shipped strategy takes at most.
pub const TABLE_WORST: u8 = 5;

/// Makes the table of the reference strategy for four pegs and six colours that takes at most `worst` guesses; of the guesses of each
/// set, the best `width` by rank are tried. `None` if there is no such strategy among these.
///
/// # Errors
///
/// Returns why it was not finished.
pub fn make_table(width: usize, worst: u8, limits: &Limits<'_>) -> Result<Option<Vec<u8>>, Unsolved> {
    let [pegs, colors] = SHIPPED;
    let mut codes = Codes::new(pegs, colors);
    codes.prepare();
    let (known, mut memo) = (BestGuesses::new(), Memo::default());
    let mut search = Search { codes: &codes, known: &known, memo: &mut memo, width, work: Work::new(limits) };
    let all: Vec<u32> = (0..codes.count).collect();
    if search.best_guess(&all, worst, &Frames::new(pegs, colors))?.is_none() {
        return Ok(None);
    }
    let mut file = MAGIC.to_vec();
    file.extend([pegs as u8, colors as u8]);
    write(&codes, &memo, &all, worst, &mut file)?;
    Ok(Some(file))
}

fn write(codes: &Codes, memo: &Memo, set: &[u32], left: u8, file: &mut Vec<u8>) -> Result<(), Unsolved> {
    if obvious(codes, set, &codes.packed(set), &mut Work::new(&Limits::NONE))?.is_some() {
        return Ok(());
    }
    let Some(best) = memo.get(set, left).copied().flatten() else { return Ok(()) };
    file.extend((best.guess as u16).to_le_bytes());
    for part in codes.split(best.guess, set) {
        write(codes, memo, &part, one_less(left), file)?;
    }
    Ok(())
}

/// The shipped guesses for these codes; none for others.
pub(super) fn shipped(codes: &Codes) -> BestGuesses {
    if SHIPPED == [codes.pegs, codes.colors] {
        read(codes, include_bytes!("4x6.tree")).unwrap_or_default()
    } else {
        BestGuesses::new()
    }
}

/// Reads a table; `None` if it is not one for these codes.
pub(super) fn read(codes: &Codes, file: &[u8]) -> Option<BestGuesses> {
    let file = file.strip_prefix(MAGIC)?.strip_prefix(&[codes.pegs as u8, codes.colors as u8])?;
    let (guesses, rest) = file.as_chunks();
    let mut guesses = guesses.iter().map(|bytes| u32::from(u16::from_le_bytes(*bytes)));
    let mut best_guesses = BestGuesses::new();
    let all: Vec<u32> = (0..codes.count).collect();
    read_set(codes, &all, &mut guesses, &mut best_guesses)?;
    (rest.is_empty() && guesses.next().is_none()).then_some(best_guesses)
}

/// The total of a set.
fn read_set(
    codes: &Codes,
    set: &[u32],
    guesses: &mut impl Iterator<Item = u32>,
    best_guesses: &mut BestGuesses,
) -> Option<u32> {
    let work = &mut Work::new(&Limits::NONE);
    if let Some(best) = obvious(codes, set, &codes.packed(set), work).ok()? {
        return Some(best.total);
    }
    let guess = guesses.next().filter(|guess| *guess < codes.count)?;
    let parts = codes.split(guess, set);
    // Otherwise it would not end.
    if parts.iter().any(|part| part.len() == set.len()) {
        return None;
    }
    let mut total = set.len() as u32;
    for part in parts {
        total += read_set(codes, &part, guesses, best_guesses)?;
    }
    // A set may be there twice, with different numbers of guesses left.
    let best = best_guesses.entry(set.into()).or_insert(BestGuess { total, guess });
    if total < best.total {
        *best = BestGuess { total, guess };
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::super::search::ANY;
    use super::*;

    #[test]
    fn a_search_of_the_best_guess_alone_gives_the_known_total() {
        assert_eq!(make_table(1, 5, &Limits::NONE), Ok(None));
        let file = make_table(1, 6, &Limits::NONE).unwrap().expect("there is one with at most 6");
        assert_eq!(make_table(1, ANY, &Limits::NONE), Ok(Some(file.clone())));
        let codes = Codes::new(4, 6);
        let best_guesses = read(&codes, &file).expect("a table is readable");
        let all: Box<[u32]> = (0..codes.count).collect();
        assert_eq!(best_guesses[&all].total, 5_667);
        assert_eq!(make_table(1, 6, &Limits::nodes(100_000)), Err(Unsolved::Nodes));
    }

    #[test]
    fn damaged_tables_are_refused() {
        let codes = Codes::new(4, 6);
        let file = include_bytes!("4x6.tree");
        assert!(read(&codes, file).is_some());
        assert!(read(&Codes::new(4, 5), file).is_none());
        for end in 0..file.len() {
            assert!(read(&codes, &file[..end]).is_none(), "{end}");
        }
        assert!(read(&codes, &[file.as_slice(), &[0; 2]].concat()).is_none());
        let first = MAGIC.len() + 2;
        // The second guess is for what the first one leaves. To repeat it tells nothing.
        for (at, guess) in
            [(first, 1_296), (first, u16::MAX), (first + 2, u16::from_le_bytes([file[first], file[first + 1]]))]
        {
            let mut damaged = file.to_vec();
            damaged[at..at + 2].copy_from_slice(&u16::to_le_bytes(guess));
            assert!(read(&codes, &damaged).is_none(), "{at} {guess}");
        }
    }
}
