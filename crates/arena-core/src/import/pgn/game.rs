//! The game that is being read.

use super::moves::Moves;
use super::result::result;
use super::tag::Tag;
use crate::import::LeftOutCause;
use crate::import::alike::trimmed;
use crate::import::missing::is_missing;
use crate::text::shown;

/// The tags that are read.
const READ: [&str; 8] = ["White", "Black", "Result", "Round", "FEN", "SetUp", "Termination", "Event"];
/// Maximum number of tags of a game.
const TAGS_MAX: usize = 500;
/// Longest value of a tag that is only compared, and kept as it is. Of longer ones there is a hash.
const VALUE_BYTES_MAX: usize = 1_000;

/// A game, as far as it is read.
#[derive(Default)]
pub(super) struct Game {
    /// The line of its first tag; 0 before it.
    pub(super) line: u64,
    /// Its tags, each with its line.
    pub(super) tags: Vec<(Tag, u64)>,
    /// The place of the first tag that repeats an earlier one.
    again: Option<usize>,
    /// Whether an empty line followed its tags.
    pub(super) is_parted: bool,
    pub(super) moves: Moves,
    pub(super) damage: Option<PgnDamage>,
}

/// Why a game cannot be read.
pub(super) struct PgnDamage {
    pub(super) cause: LeftOutCause,
    pub(super) line: u64,
    /// The text on that line, escaped.
    pub(super) text: String,
}

impl Game {
    /// Notes the first damage of the game.
    pub(super) fn damage(&mut self, cause: LeftOutCause, line: u64, text: &[u8]) {
        if self.line == 0 {
            self.line = line;
        }
        self.damage.get_or_insert_with(|| {
            let text = shown(&String::from_utf8_lossy(text.trim_ascii_end()));
            PgnDamage { cause, line, text: if text.is_empty() { text } else { format!("`{text}`") } }
        });
    }

    /// Whether its tags are damaged, and moves have not begun.
    pub(super) fn is_cut(&self) -> bool {
        !self.moves.any && self.damage.as_ref().is_some_and(|damage| damage.cause == LeftOutCause::Tag)
    }

    /// Whether it has players and a result.
    pub(super) fn is_whole(&self) -> bool {
        self.damage.is_some() || has_roster(&self.tags)
    }

    /// Adds a tag.
    pub(super) fn add(&mut self, mut tag: Tag, line: u64) {
        if self.line == 0 {
            self.line = line;
        }
        if self.tags.len() == TAGS_MAX {
            return self.damage(LeftOutCause::Tag, line, format!("more than {TAGS_MAX} tags").as_bytes());
        }
        if tag.value.len() > VALUE_BYTES_MAX && !tag.is_any(&READ) {
            tag.value = blake3::hash(&tag.value).as_bytes().to_vec();
        }
        if self.again.is_none() && self.tags.iter().any(|(known, _)| known.is(&tag)) {
            self.again = Some(self.tags.len());
        }
        self.tags.push((tag, line));
    }

    /// Whether a tag begins a third game: the second one has it.
    pub(super) fn is_of_third(&self, tag: &Tag) -> bool {
        self.again.is_some_and(|again| {
            self.tags[again..].iter().any(|(known, _)| known.is(tag)) && has_roster(&self.tags[again..])
        })
    }

    /// Splits off a second game, if the tags from the first repeated one on are all that a game needs: one without moves is
    /// before it. Otherwise they are tags that come twice.
    pub(super) fn split(&mut self) -> Option<Self> {
        let again = self.again?;
        if !has_roster(&self.tags[..again]) || !has_roster(&self.tags[again..]) {
            return None;
        }
        let tags = self.tags.split_off(again);
        let line = tags[0].1;
        let moves = std::mem::take(&mut self.moves);
        let damage = self.damage.take_if(|damage| damage.line >= line);
        self.again = None;
        let mut second = Self { line, is_parted: self.is_parted, moves, damage, ..Self::default() };
        for (tag, line) in tags {
            second.add(tag, line);
        }
        Some(second)
    }

    /// The value of the first tag of this name that says something.
    pub(super) fn tag(&self, name: &str) -> Option<&[u8]> {
        let mut values = self.tags.iter().filter(|(tag, _)| tag.is_any(&[name])).map(|(tag, _)| trimmed(&tag.value));
        let first = values.next()?;
        let says = |value: &&[u8]| !is_missing(value) && *value != b"*";
        Some(Some(first).filter(says).or_else(|| values.find(says)).unwrap_or(first))
    }

    /// The tag `Result`; of several the one that agrees with the end of the moves.
    pub(super) fn result(&self) -> &[u8] {
        let values = self.tags.iter().filter(|(tag, _)| tag.is_any(&["Result"])).map(|(tag, _)| trimmed(&tag.value));
        let agreeing = self.moves.end.and_then(|end| values.clone().find(|value| result(value) == end));
        agreeing.or_else(|| self.tag("Result")).unwrap_or_default()
    }

    /// Whether its `Termination` is one of these.
    pub(super) fn ended_by(&self, words: &[&str]) -> bool {
        let value = self.tag("Termination").unwrap_or_default();
        words.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
    }

    /// The name of the first tag that comes twice, and the line of the second one.
    pub(super) fn twice(&self) -> Option<(&[u8], u64)> {
        self.again.map(|place| (&self.tags[place].0.name[..], self.tags[place].1))
    }
}

/// Whether tags are those of a game: players and result.
fn has_roster(tags: &[(Tag, u64)]) -> bool {
    ["White", "Black", "Result"].iter().all(|name| tags.iter().any(|(tag, _)| tag.is_any(&[name])))
}
