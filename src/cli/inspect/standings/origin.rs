//! Files that are the `games.csv` of a tournament whose own tables are not those of a round-robin.

use std::io::Read;

use arena_core::format::Format;
use arena_core::text::shown;

/// The bytes in which the first row is looked for: its format is one of the first cells.
const HEAD_BYTES: u64 = 4 << 10;

/// A file of games, and its format if its own tables depend on that.
pub(super) struct Origin {
    name: String,
    format: Option<&'static Format>,
}

impl Origin {
    /// Looks at the beginning of a file, which can be read from what is returned.
    pub(super) fn of<R: Read>(name: String, mut input: R) -> std::io::Result<(Self, impl Read + use<R>)> {
        let mut head = Vec::new();
        input.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
        let format = format_of(&String::from_utf8_lossy(&head));
        Ok((Self { name, format }, std::io::Cursor::new(head).chain(input)))
    }
}

/// Whether all files are of formats in which bots of about equal strength meet more often: then ratings have a prior.
pub(super) fn prefer_likes(origins: &[Origin]) -> bool {
    origins.iter().all(|origin| origin.format.is_some_and(Format::prefers_likes))
}

/// A sentence for each file of which the own tables of the tournament have other columns than those of all files together.
pub(super) fn differences(origins: &[Origin]) -> Vec<String> {
    let has_prior = prefer_likes(origins);
    let sentence = |Origin { name, format }: &Origin| {
        let format = format.as_ref()?;
        let (name, title, own) = (shown(name), format.title, own_columns(format));
        match (format.prefers_likes(), origins.len()) {
            (true, _) if has_prior => None,
            (true, _) => Some(format!(
                "{name} is of a {title}, whose own ratings have a prior, since bots of about equal strength met more often; with \
                 other files there is none, so `elo` and its margins are further apart"
            )),
            (false, 1) => Some(format!(
                "{name} is of a {title}, which ranks by rules of its own: `rank`, `rank_lo` and `rank_hi` are by rating here, `los` \
                 and `group` follow that order, and {own} are not there; ratings and points are as in its own tables"
            )),
            (false, _) => {
                Some(format!("{name} is of a {title}, which ranks by rules of its own: ranks are by rating here"))
            }
        }
    };
    origins.iter().filter_map(sentence).collect()
}

fn own_columns(format: &Format) -> String {
    let names: Vec<String> = format.columns.iter().map(|column| format!("`{}`", column.name)).collect();
    names.join(", ")
}

/// The format in the first row of a table that has columns `format` and `match`.
fn format_of(head: &str) -> Option<&'static Format> {
    let mut lines = head.trim_start_matches('\u{feff}').lines();
    let header = lines.next()?;
    let separator = header.chars().find(|c| [',', ';', '\t'].contains(c))?;
    let names: Vec<&str> = header.split(separator).map(str::trim).collect();
    let place = names.iter().position(|name| *name == "format").filter(|_| names.contains(&"match"))?;
    // The cells before it are numbers.
    let format = Format::named(lines.next()?.split(separator).nth(place)?.trim())?;
    format.is_stepwise().then_some(format)
}
