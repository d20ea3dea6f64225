//! The line of keys at the bottom of a screen.

use arena_core::text::cut;
use ratatui::text::Span;

/// The key that shows all keys.
const HELP: &str = "? keys";
const BETWEEN: &str = " · ";

/// The keys of `line` in at most `width` columns: where there is no room, the last ones are left out, but never [`HELP`].
pub(super) fn fit_keys(line: &str, width: usize) -> String {
    let keys: Vec<&str> = line.split(BETWEEN).collect();
    let first = |count: usize| {
        let kept = keys.iter().zip(0..).filter(|(key, place)| *place < count || **key == HELP);
        kept.map(|(key, _)| *key).collect::<Vec<_>>().join(BETWEEN)
    };
    let fitting = (1..=keys.len()).rev().map(first).find(|line| Span::raw(line).width() <= width);
    fitting.unwrap_or_else(|| {
        let room = width.saturating_sub(Span::raw(BETWEEN).width() + HELP.len());
        format!("{}{BETWEEN}{HELP}", cut(keys[0], room))
    })
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
