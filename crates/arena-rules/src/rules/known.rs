//! The games of this process: the built-in ones, and those that a program adds.

use super::{NameTaken, RULES, Rules};
use crate::registry::Registry;

static ADDED: Registry<Rules> = Registry::new();
static TEXTS: Registry<str> = Registry::new();

/// All games: the built-in ones, then those that were [added](add), but for those of programs that are not there.
pub fn all() -> impl Iterator<Item = &'static Rules> {
    RULES.iter().copied().chain(ADDED.all().into_iter().filter(|rules| !rules.is_absent()))
}

/// As [`all`], then those that are absent, so that these are found only where there is nothing else.
pub(super) fn all_and_absent() -> impl Iterator<Item = &'static Rules> {
    all().chain(ADDED.all().into_iter().filter(|rules| rules.is_absent()))
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
