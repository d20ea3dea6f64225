//! The default name of a tournament, and so of its folder: no two variants or formats share one.

use std::path::Path;

use crate::format::Format;
use crate::journal;
use crate::results_folder::ResultsFolder;
use crate::rules::Variant;

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
///
/// Earlier versions left the parameters out. Such a name is used if `results` has a folder of that name and none of the
/// new one, and its tournament is of this very game and format.
#[must_use]
pub fn default_name(results: &Path, game: &Variant, bots: Option<[&str; 2]>, format: &Format) -> String {
    let mut rest = bots.map_or_else(String::new, |[a, b]| format!("-{a}-vs-{b}"));
    if !format.is_usual() {
        rest = format!("{rest}-{}", format.name);
    }
    let name = game.to_string().replace([':', ','], "-") + &rest;
    let earlier = format!("{}{rest}", game.label);
    if name != earlier && !results.join(&name).exists() {
        let folder = ResultsFolder::open(&results.join(&earlier)).ok();
        let last = folder.and_then(|folder| journal::last_event(&folder));
        if last.is_some_and(|last| last.is_of(game) && last.format == format.name) {
            return earlier;
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::toy::KING_OF_THE_HILL;

    #[test]
    fn no_variant_or_format_has_the_name_of_another() {
        let name = |game: &str, bots, format| {
            default_name(Path::new("/nonexistent"), &game.parse().expect("a game"), bots, format)
        };
        let round_robin = Format::usual();
        assert_eq!(name("connect4", None, round_robin), "connect4");
        assert_eq!(name("connect4:rows=6", None, round_robin), "connect4");
        assert_eq!(name("connect4:cols=9,rows=5", None, round_robin), "connect4-rows=5-cols=9");
        assert_eq!(name("gomoku:rows=19", None, round_robin), "gomoku-rows=19");
        assert_eq!(name("marbles:rule=fibonacci", None, &KING_OF_THE_HILL), "marbles-rule=fibonacci-king-of-the-hill");
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
