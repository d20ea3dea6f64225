//! Files that are the `games.csv` of a tournament whose own tables are not those of a round-robin.

use arena_core::format::Format;
use arena_core::import::FileOrigin;
use arena_core::text::shown;

/// The format of a file, if its own tables depend on that.
fn format_of(origin: &FileOrigin) -> Option<&'static Format> {
    origin.format.and_then(Format::named).filter(|format| format.is_stepwise())
}

/// Whether all files are of formats in which bots of about equal strength meet more often: then ratings have a prior.
pub(super) fn prefer_likes(origins: &[FileOrigin]) -> bool {
    origins.iter().all(|origin| format_of(origin).is_some_and(Format::prefers_likes))
}

/// A sentence for each file of which the own tables of the tournament have other columns than those of all files together.
pub(super) fn differences(origins: &[FileOrigin]) -> Vec<String> {
    let has_prior = prefer_likes(origins);
    let sentence = |origin: &FileOrigin| {
        let format = format_of(origin)?;
        let (name, title, own) = (shown(&origin.file), format.title, own_columns(format));
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
