//! Suggests the nearest known name in errors about unknown ones.
//!
//! # Examples
//!
//! ```
//! use arena_rules::suggest::UnknownName;
//!
//! let error = UnknownName::new("game", "conect4", ["connect4", "mnk"]);
//! assert_eq!(error.to_string(), "no game named `conect4` (did you mean `connect4`?); known: connect4, mnk");
//! ```

use thiserror::Error;

use crate::text::shown;

/// Maximum length in bytes of a name to compare. Longer ones are not typing errors, and comparing them is slow.
const GIVEN_MAX: usize = 64;

/// A name that is none of the known ones.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("no {kind} named `{name}`{hint}; known: {known}")]
pub struct UnknownName {
    kind: &'static str,
    name: String,
    hint: String,
    known: String,
}

impl UnknownName {
    /// Creates the error for the name `given` of a `kind` of thing, such as `game`.
    #[must_use]
    pub fn new<'a>(kind: &'static str, given: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        let hint = did_you_mean(given, known.iter().copied());
        Self { kind, name: shown(given), hint, known: known.join(", ") }
    }
}

/// Whether a name is within two letters of a known one, and so most likely a typing error.
pub fn is_mistyped<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> bool {
    given.len() <= GIVEN_MAX
        && known.into_iter().any(|name| {
            let distance = strsim::damerau_levenshtein(&given.to_lowercase(), &name.to_lowercase());
            distance <= 2 && 2 * distance <= name.len().max(given.len())
        })
}

/// Returns ` (did you mean `x`?)` for the known name nearest to `given`, or an empty string if none is near.
pub fn did_you_mean<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    if given.len() > GIVEN_MAX {
        return String::new();
    }
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&given.to_lowercase(), &name.to_lowercase()), name))
        .filter(|(distance, name)| {
            let length = name.len().max(given.len());
            *distance <= length / 3 + 1 && 2 * distance <= length
        })
        .min()
        .map(|(_, name)| format!(" (did you mean `{name}`?)"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typing_error_finds_the_name() {
        assert_eq!(did_you_mean("conect4", ["connect4", "mnk"]), " (did you mean `connect4`?)");
        assert_eq!(did_you_mean("ROWS", ["rows", "cols"]), " (did you mean `rows`?)");
    }

    #[test]
    fn a_distant_name_is_not_suggested() {
        assert_eq!(did_you_mean("chess", ["connect4", "mastermind"]), "");
        assert_eq!(did_you_mean("foo", ["auto", "off"]), "");
    }
}
