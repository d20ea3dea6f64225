//! Where the openings of a tournament come from.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use arena_core::openings::{self, Book, BookReader, Drawn, LOST_PLIES, Lost, ReadBook};
use arena_core::rules::{Move, Variant};
use arena_sys::flags::{OPENING_PLIES, OPENINGS};

/// Source of the openings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpeningSource {
    /// Those of the contest in the folder; else as many random moves as suit the game, and one or two more once those are
    /// used up.
    Suitable,
    /// This many random moves.
    Plies(u16),
    /// A file with one JSON list of moves a line.
    File(PathBuf),
    /// These, of a tournament that is played again.
    Recorded(Vec<Vec<Move>>),
}

/// Openings of a tournament.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenOpenings {
    /// The openings, by number.
    pub openings: Vec<Vec<Move>>,
    /// The book whose first ones they are.
    pub book: Option<Book>,
    /// The number of moves of the longest one, of a book of all of it.
    pub longest: usize,
    /// A note about them.
    pub note: Option<String>,
}

impl TakenOpenings {
    fn new(openings: Vec<Vec<Move>>, note: Option<String>) -> Self {
        let longest = openings.iter().map(Vec::len).max().unwrap_or(0);
        Self { openings, book: None, longest, note }
    }
}

impl OpeningSource {
    /// The source that is asked for on the command line, where a file goes before a number of moves.
    #[must_use]
    pub fn asked(file: Option<&Path>, plies: Option<u16>) -> Self {
        match (file, plies) {
            (Some(path), _) => Self::File(path.to_owned()),
            (None, Some(plies)) => Self::Plies(plies),
            (None, None) => Self::Suitable,
        }
    }

    /// The openings of `rounds` rounds. A file may have fewer.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, or the game cannot start from given moves.
    pub fn take(&self, variant: &Variant, seed: u64, rounds: u32, lost: Lost) -> anyhow::Result<TakenOpenings> {
        let hidden = |flag: &str| {
            anyhow::anyhow!("{flag}: {} has hidden information, its games cannot start from given moves", variant.label)
        };
        let open = variant.rules.open_information;
        match self {
            Self::Suitable => {
                let drawn = openings::suitable(variant, seed, rounds as usize, lost)?;
                let note = note_of_lost(variant, &drawn);
                Ok(TakenOpenings::new(drawn.openings, note))
            }
            Self::Plies(1..) if !open => Err(hidden(OPENING_PLIES)),
            Self::Plies(plies) => {
                let plies = usize::from(*plies);
                let drawn = openings::draw(variant, plies, seed, rounds as usize, lost)?;
                let reached = drawn.openings.iter().map(Vec::len).max().unwrap_or(0);
                let why = if openings::none_is_undecided_after(variant, plies)? {
                    format!("no game of {variant} is undecided after {plies}")
                } else {
                    let tries = openings::FAILED_DRAWS_MAX;
                    format!("none of {tries} random games of {variant} was undecided after {plies}")
                };
                let short = (reached < plies).then(|| format!("openings have {reached} plies: {why}"));
                let notes: Vec<String> = short.into_iter().chain(note_of_lost(variant, &drawn)).collect();
                Ok(TakenOpenings::new(drawn.openings, (!notes.is_empty()).then(|| notes.join("; "))))
            }
            Self::Recorded(openings) => Ok(TakenOpenings::new(openings.clone(), None)),
            Self::File(_) if !open => Err(hidden(OPENINGS)),
            Self::File(path) => {
                let ReadBook { openings, book, longest } = read(variant, path, rounds as usize)?;
                Ok(TakenOpenings { openings, book: Some(book), longest, note: None })
            }
        }
    }
}

/// What to say if lost openings are played.
fn note_of_lost(variant: &Variant, drawn: &Drawn) -> Option<String> {
    let which = match drawn.lost_from? {
        0 => String::new(),
        others => format!(" after the first {others}"),
    };
    Some(format!("openings{which} are lost for a side within {LOST_PLIES} plies: no others of {variant} were found"))
}

/// Longest line of a book, in bytes.
const LINE_BYTES_MAX: u64 = 1 << 24;

/// Reads a book, of which only one line and the first openings are in memory.
fn read(variant: &Variant, path: &Path, keep: usize) -> anyhow::Result<ReadBook> {
    let reading = || format!("reading openings {}", path.display());
    let mut input = BufReader::with_capacity(1 << 16, File::open(path).with_context(reading)?);
    let mut reader = BookReader::new(variant, keep);
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        if input.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line).with_context(reading)? == 0 {
            break;
        }
        if line.len() as u64 == LINE_BYTES_MAX {
            bail!(
                "openings {}, line {number}: it has more than {LINE_BYTES_MAX} bytes; each opening has a line of its own",
                path.display()
            );
        }
        let Ok(text) = std::str::from_utf8(&line) else {
            bail!("openings {}, line {number}: it is not UTF-8", path.display());
        };
        reader.add(text).with_context(|| format!("openings {}", path.display()))?;
    }
    reader.finish().with_context(|| format!("openings {}", path.display()))
}
