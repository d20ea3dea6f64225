//! The names of the tags of a file, and what they tell of a game.

use super::game::Game;
use crate::import::identity::{RecordParts, Tells};

/// The names so far. Most games have the same ones.
#[derive(Default)]
pub(super) struct TagNames {
    all: Vec<TagName>,
}

struct TagName {
    name: Vec<u8>,
    lower: Vec<u8>,
    /// `None` for players and result, which are compared by what they mean.
    tells: Option<Tells>,
}

impl TagNames {
    /// Number of names that are kept.
    const KEPT_MAX: usize = 64;

    /// Collects what identifies the record of a game, except players, moves and result.
    pub(super) fn record(&mut self, game: &Game) -> RecordParts {
        if self.all.len() > Self::KEPT_MAX {
            self.all.clear();
        }
        let mut tags: Vec<(usize, &[u8])> =
            game.tags.iter().map(|(tag, _)| (self.number(&tag.name), &tag.value[..])).collect();
        tags.sort_unstable_by_key(|(name, value)| (&self.all[*name].lower, *value));
        let mut parts = RecordParts::default();
        for (name, value) in tags {
            let TagName { lower, tells, .. } = &self.all[name];
            if let Some(tells) = tells {
                parts.add(lower, *tells, value);
            }
        }
        parts
    }

    fn number(&mut self, name: &[u8]) -> usize {
        self.all.iter().position(|known| known.name == name).unwrap_or_else(|| {
            let lower = name.to_ascii_lowercase();
            let is_apart = [&b"white"[..], b"black", b"result"].contains(&&lower[..]);
            self.all.push(TagName { name: name.to_vec(), tells: (!is_apart).then(|| Tells::of(name)), lower });
            self.all.len() - 1
        })
    }
}
