//! `arena history`: the versions of a bot, and what each was worth.

use anyhow::bail;
use arena_core::stats::PLAYERS_MAX;
use arena_core::suggest::did_you_mean;
use arena_core::text::shown;
use arena_store::journal::last_event;
use arena_store::report::{History, Versions};

use super::standings::open;
use crate::cli::{Exit, Io, ResultsArgs};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Name of the bot
    #[arg(value_name = "BOT")]
    bot: String,
    /// Name or folder of a tournament [default: all that have the bot]
    #[arg(value_name = "TOURNAMENT")]
    name: Option<String>,
    /// Print JSON: an object for each tournament
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    results: ResultsArgs,
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    let mut found = Vec::new();
    let mut known = std::collections::BTreeSet::new();
    for place in args.results.tournaments(args.name.as_deref(), io)? {
        let folder = open(&place)?;
        let versions = Versions::read(&folder, last_event(&folder).as_ref())?;
        let path = place.path();
        let tournament = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        if versions.all.len() > PLAYERS_MAX {
            bail!(
                "{} has {} versions; at most {PLAYERS_MAX} can be rated together",
                path.display(),
                versions.all.len()
            );
        }
        known.extend(versions.all.iter().flat_map(|version| &version.names).map(|named| named.name.clone()));
        found.extend(History::of(&args.bot, &versions).map(|history| (tournament, history)));
    }
    if found.is_empty() {
        let hint = did_you_mean(&args.bot, known.iter().map(String::as_str));
        bail!("no games of `{}` in {}{hint}", shown(&args.bot), args.results.results.display());
    }
    if args.json {
        let all = found.iter().map(|(tournament, history)| {
            let mut json = history.json();
            json["tournament"] = tournament.as_str().into();
            json
        });
        io.print_json(&all.collect::<Vec<_>>())?;
        return Ok(Exit::Done);
    }
    for (number, (tournament, history)) in found.iter().enumerate() {
        let mut page = history.page(tournament);
        if number > 0 {
            let mut gap = arena_store::report::TextPage::default();
            gap.gap();
            gap.append(page);
            page = gap;
        }
        io.print_page(&page)?;
    }
    Ok(Exit::Done)
}
