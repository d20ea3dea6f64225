//! The sizes of lists in a line, checked before they are decoded: a list takes many times the memory of its text.

use std::fmt;

use arena_core::event::{GAMES_MAX, ROUNDS_MAX};
use arena_core::record::Record;
use arena_core::rules::{PLIES_MAX, Variant};
use arena_core::text::json_mistake;
use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::line_error::LineError;

/// Lines up to this length are decoded without a check: what they take is not worth one.
const SHORT_BYTES_MAX: usize = 1 << 16;

/// The lists of all kinds of lines.
#[derive(Deserialize)]
struct Sizes<'a> {
    #[serde(default)]
    id: String,
    #[serde(default)]
    game: String,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(default)]
    opening: Size,
    #[serde(default)]
    moves: Size,
    #[serde(default)]
    played: Size,
    // Those of definitions and decisions.
    #[serde(default)]
    openings: Size,
    #[serde(default)]
    pairs: Size,
    #[serde(default)]
    extra: Size,
    #[serde(default)]
    bots: Size,
    #[serde(default)]
    dropped: Size,
    #[serde(default)]
    left_out: Size,
    #[serde(default)]
    earlier: Size,
    #[serde(default)]
    warnings: Size,
}

/// The number of elements of a list.
#[derive(Clone, Copy, Default)]
struct Size(usize);

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SizeVisitor;

        impl<'de> Visitor<'de> for SizeVisitor {
            type Value = Size;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Size, A::Error> {
                let mut size = 0;
                while list.next_element::<IgnoredAny>()?.is_some() {
                    size += 1;
                }
                Ok(Size(size))
            }
        }

        deserializer.deserialize_seq(SizeVisitor)
    }
}

/// Fails if the line has a list that is longer than any of a tournament.
pub(super) fn check(line: &str) -> Result<(), LineError> {
    if line.len() <= SHORT_BYTES_MAX {
        return Ok(());
    }
    let sizes: Sizes<'_> = serde_json::from_str(line).map_err(|error| LineError::NotALine(json_mistake(&error)))?;
    let Sizes { id, game, params, opening, moves, played, .. } = &sizes;
    let plies = [opening, moves, played].map(|size| size.0);
    if plies.iter().any(|plies| *plies > SHORT_BYTES_MAX / 2) {
        // Parameters that are not a map are rejected when the line is decoded.
        let params = params.filter(|params| params.get().len() <= SHORT_BYTES_MAX);
        let params = params.and_then(|params| serde_json::from_str(params.get()).ok()).unwrap_or_default();
        check_plies(id, game, &params, plies)?;
    }
    let Sizes { openings, pairs, extra, bots, dropped, left_out, earlier, warnings, .. } = sizes;
    let limited = |size: Size| (size.0 as u64, u64::from(ROUNDS_MAX));
    let lists = [openings, extra, bots, dropped, left_out, earlier, warnings].map(limited);
    let pairs = (pairs.0 as u64, GAMES_MAX);
    match lists.into_iter().chain([pairs]).find(|(size, most)| size > most) {
        Some((size, most)) => Err(LineError::LongList { size, most }),
        None => Ok(()),
    }
}

/// Fails if a record has more moves than its game can have.
pub(super) fn check_record(record: &Record) -> Result<(), LineError> {
    let plies = [record.opening.len(), record.moves.len(), record.played.len()];
    check_plies(&record.id, &record.game, &record.params, plies)
}

fn check_plies(
    id: &str,
    game: &str,
    params: &serde_json::Map<String, serde_json::Value>,
    plies: [usize; 3],
) -> Result<(), LineError> {
    let most = Variant::plies_max(game, params).min(PLIES_MAX);
    match plies.into_iter().find(|plies| *plies > most) {
        Some(plies) => Err(LineError::TooManyMoves { id: id.to_owned(), game: game.to_owned(), plies, most }),
        None => Ok(()),
    }
}
