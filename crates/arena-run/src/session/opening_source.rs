//! Where the openings of a tournament come from.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use arena_core::openings::{self, Drawn, LOST_PLIES, Lost};
use arena_core::rules::{Move, Variant};
use arena_core::text::utf8;
use arena_sys::flags::{OPENING_PLIES, OPENINGS};

/// Source of the openings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpeningSource {
    /// As many random moves as suit the game, and one or two more once those are used up.
    Suitable,
    /// This many random moves.
    Plies(u16),
    /// A file with one JSON list of moves a line.
    File(PathBuf),
    /// These, of a tournament that is played again.
    Recorded(Vec<Vec<Move>>),
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

    /// The openings of `rounds` rounds, with a note about them if there is one. A file has as many as it has.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, or the game cannot start from given moves.
    pub fn take(
        &self,
        variant: &Variant,
        seed: u64,
        rounds: u32,
        lost: Lost,
    ) -> anyhow::Result<(Vec<Vec<Move>>, Option<String>)> {
        let hidden = |flag: &str| {
            anyhow::anyhow!("{flag}: {} has hidden information, its games cannot start from given moves", variant.label)
        };
        let open = variant.rules.open_information;
        match self {
            Self::Suitable => {
                let drawn = openings::suitable(variant, seed, rounds as usize, lost)?;
                let note = note_of_lost(variant, &drawn);
                Ok((drawn.openings, note))
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
                Ok((drawn.openings, (!notes.is_empty()).then(|| notes.join("; "))))
            }
            Self::Recorded(openings) => Ok((openings.clone(), None)),
            Self::File(_) if !open => Err(hidden(OPENINGS)),
            Self::File(path) => Ok((read(variant, path)?, None)),
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

fn read(variant: &Variant, path: &Path) -> anyhow::Result<Vec<Vec<Move>>> {
    let bytes = std::fs::read(path).with_context(|| format!("reading openings {}", path.display()))?;
    let text =
        utf8(bytes).map_err(|line| anyhow::anyhow!("openings {}, line {line}: it is not UTF-8", path.display()))?;
    openings::parse(variant, &text).with_context(|| format!("openings {}", path.display()))
}
