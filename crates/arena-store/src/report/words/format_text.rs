//! Who plays whom in a tournament, in a few words.

use arena_core::event::Tournament;
use arena_core::text::shown;

/// The format and how much is played: `swiss, 5 rounds of 1 pair`.
#[must_use]
pub fn format_text(event: &Tournament) -> String {
    let name = shown(&event.format);
    match event.size().as_deref() {
        None | Some("") => name,
        Some(size) => format!("{name}, {}", shown(size)),
    }
}

#[cfg(test)]
mod tests {
    use arena_core::format::FormatOptions;

    use super::*;
    use crate::fixture;

    #[test]
    fn every_format_says_how_much_is_played() {
        let options = |json: &str| serde_json::from_str(json).unwrap();
        let text = |format: &str, rounds, format_options| {
            let format = format.to_owned();
            format_text(&Tournament {
                format,
                format_options,
                rounds,
                ..fixture::event(&["a", "b", "c", "d", "e", "f"])
            })
        };
        let plans = [
            text("round-robin", 1, FormatOptions::default()),
            text("gauntlet", 50, options(r#"{"challengers":["b"]}"#)),
            text("ladder", 1_000, FormatOptions::default()),
            text("ladder", 1_000, options(r#"{"pairs_per_bot":9}"#)),
            text("ladder", 1_000, options(r#"{"until":"±20"}"#)),
            text("ladder", 1_000, options(r#"{"pairs_per_bot":1000000}"#)),
            text("knockout", 3, FormatOptions::default()),
            text("swiss", 1, FormatOptions::default()),
            text("swiss", 2, options(r#"{"swiss_rounds":5}"#)),
            text("unknown", 2, FormatOptions::default()),
        ];
        insta::assert_snapshot!(plans.join("\n"), @r"
        round-robin, 1 round
        gauntlet, 50 rounds for b
        ladder, 50 pairs for each bot
        ladder, 9 pairs for each bot
        ladder, until ±20
        ladder
        knockout, 3 pairs a match
        swiss, 3 rounds of 1 pair
        swiss, 5 rounds of 2 pairs
        unknown
        ");
    }
}
