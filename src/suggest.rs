//! Suggests the nearest known name in errors about unknown ones.

/// Maximum length in bytes of a name to compare. Longer ones are not typing errors, and comparing them is slow.
const GIVEN_MAX: usize = 64;

/// Returns ` (did you mean `x`?)` for the known name nearest to `given`, or an empty string if none is near.
pub(crate) fn did_you_mean<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    if given.len() > GIVEN_MAX {
        return String::new();
    }
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&given.to_lowercase(), &name.to_lowercase()), name))
        .filter(|(distance, name)| *distance <= name.len().max(given.len()) / 3 + 1)
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
    }
}
