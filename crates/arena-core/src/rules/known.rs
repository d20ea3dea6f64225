//! The games of this process: the built-in ones, and those that a program adds.

use super::{NameTaken, RULES, Rules};
use crate::registry::Registry;

static ADDED: Registry<Rules> = Registry::new();
static TEXTS: Registry<str> = Registry::new();

/// All games: the built-in ones, then those that were [added](add).
pub fn all() -> impl Iterator<Item = &'static Rules> {
    let added = ADDED.all();
    // What is absent comes last, so that it is found only where there is nothing else.
    let (absent, present): (Vec<_>, Vec<_>) = added.into_iter().partition(|rules| rules.is_absent());
    RULES.iter().copied().chain(present).chain(absent)
}

/// Makes rules known to this process: from now on their game is found by name, and whatever lists games lists it. Rules of
/// a name that was added before are not added again, unless those are [absent](Rules::is_absent); these are returned.
///
/// Names are `NAME` or `NAME@HASH`: games, records and events keep the whole name, and people, bots and folders see `NAME`
/// ([`Rules::label`]).
///
/// # Errors
///
/// Returns [`NameTaken`] if a built-in game or an alias of one has the name, or one of the aliases.
pub fn add(rules: Rules) -> Result<&'static Rules, NameTaken> {
    let built_in: Vec<&str> = RULES.iter().flat_map(|rules| rules.names()).collect();
    if let Some(name) = rules.names().find(|name| built_in.contains(name)) {
        return Err(NameTaken { kind: "game", name });
    }
    let (name, is_absent) = (rules.name, rules.is_absent());
    Ok(ADDED.find_or_add(|known| known.name == name && (is_absent || !known.is_absent()), || Box::new(rules)))
}

/// A text that lives as long as the process, for words of rules that are read at run time. Equal texts are kept once; callers
/// limit how many there are.
#[must_use]
pub fn intern(text: &str) -> &'static str {
    TEXTS.find_or_add(|known| known == text, || text.into())
}
