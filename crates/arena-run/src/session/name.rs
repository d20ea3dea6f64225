//! The default name of a tournament, and so of its folder: no two variants or formats share one.

use std::path::Path;

use arena_core::format::Format;
use arena_core::rules::Variant;

/// Characters of a name of a tournament, beside letters and digits. `=` is for parameters.
const SIGNS: &str = "._-=";
/// A folder of it fits any file system.
const NAME_BYTES_MAX: usize = 200;

/// The folder of games of persons, which are in no tournament.
pub const PLAY_FOLDER: &str = "play";

/// Describes what [`is_tournament_name`] accepts.
pub const TOURNAMENT_NAME: &str = "1 to 200 of A-Z a-z 0-9 . _ - = (not beginning with . or -, and not `play`)";

/// Whether a results folder is that of games with people, which are in no tournament.
#[must_use]
pub fn is_of_play(dir: &Path) -> bool {
    dir.file_name() == Some(PLAY_FOLDER.as_ref())
}

/// Whether a name can be that of a tournament: safe as a folder and on command lines.
#[must_use]
pub fn is_tournament_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || SIGNS.contains(c);
    let is_short = (1..=NAME_BYTES_MAX).contains(&name.len());
    is_short && name.chars().all(plain) && !name.starts_with(['.', '-']) && name != PLAY_FOLDER
}

/// The name of a tournament, or of a match between two bots, that is given none: the game, the parameters that differ
/// from its defaults, the bots of a match, and the format unless it is [`Format::usual`]:
/// `connect4-rows=5-cols=9`, `tictactoe-a-vs-b`.
#[must_use]
pub fn default_name(game: &Variant, bots: Option<[&str; 2]>, format: &Format) -> String {
    let mut rest = bots.map_or_else(String::new, |[a, b]| format!("-{a}-vs-{b}"));
    if !format.is_usual() {
        rest = format!("{rest}-{}", format.name);
    }
    game.to_string().replace([':', ','], "-") + &rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_variant_or_format_has_the_name_of_another() {
        let name = |game: &str, bots, format| default_name(&game.parse().expect("a game"), bots, format);
        let round_robin = Format::usual();
        assert_eq!(name("connect4", None, round_robin), "connect4");
        assert_eq!(name("connect4:rows=6", None, round_robin), "connect4");
        assert_eq!(name("connect4:cols=9,rows=5", None, round_robin), "connect4-rows=5-cols=9");
        assert_eq!(name("gomoku:rows=19", None, round_robin), "gomoku-rows=19");
        assert_eq!(
            name("marbles:rule=fibonacci", None, Format::named("gauntlet").expect("a format")),
            "marbles-rule=fibonacci-gauntlet"
        );
        assert_eq!(name("connect4:cols=9", Some(["a", "b"]), round_robin), "connect4-cols=9-a-vs-b");
    }

    #[test]
    fn every_default_name_can_be_given() {
        for game in Variant::names() {
            assert!(is_tournament_name(game), "{game}");
        }
        assert!(is_tournament_name("mnk-rows=6-cols=6-k=4-a-vs-b"));
        for name in ["", ".", "..", "-a", "a/b", "a b", "ä", &"a".repeat(201)] {
            assert!(!is_tournament_name(name), "{name}");
        }
    }
}
