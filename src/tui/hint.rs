//! The line of keys at the bottom of a screen.

use crate::text::cut;

/// The key that shows all keys.
const HELP: &str = "? keys";
const BETWEEN: &str = " · ";

/// The keys of `line` in at most `width` columns: where there is no room, the last ones are left out, but never [`HELP`].
pub(super) fn fit_keys(line: &str, width: usize) -> String {
    let mut keys: Vec<&str> = line.split(BETWEEN).collect();
    let fits = |keys: &[&str]| ratatui::text::Span::raw(keys.join(BETWEEN)).width() <= width;
    while !fits(&keys)
        && let Some(last) = keys.iter().skip(1).rposition(|key| *key != HELP)
    {
        keys.remove(last + 1);
    }
    if fits(&keys) || keys.len() < 2 {
        return cut(&keys.join(BETWEEN), width);
    }
    let first = cut(keys[0], width.saturating_sub(BETWEEN.chars().count() + HELP.len()));
    format!("{first}{BETWEEN}{HELP}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_that_shows_all_keys_is_never_left_out() {
        let line = "a bot with a long name thinks · p pause · ? keys · q leave";
        assert_eq!(fit_keys(line, 80), line);
        assert_eq!(fit_keys(line, 50), "a bot with a long name thinks · p pause · ? keys");
        assert_eq!(fit_keys(line, 40), "a bot with a long name thinks · ? keys");
        assert_eq!(fit_keys(line, 20), "a bot with… · ? keys");
    }
}
