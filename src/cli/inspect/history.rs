//! `arena history`: the versions of a bot, and what each was worth.

use anyhow::bail;
use arena_core::suggest::did_you_mean;
use arena_core::text::{grouped, shown};
use arena_store::journal::{FILE_NAME, last_event};
use arena_store::report::{History, VERSIONS_MAX, Versions};

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
    let (mut is_passed_over, mut has_damage) = (false, false);
    for place in args.results.tournaments(args.name.as_deref(), io)? {
        let folder = open(&place)?;
        let versions = Versions::read(&folder, last_event(&folder).as_ref())?;
        let path = place.path();
        if let Some(damage) = versions.damage() {
            io.warn(&format!("journal {} has {damage}", folder.path_of(FILE_NAME).display()));
            has_damage = true;
        }
        let tournament = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        if versions.all.len() > VERSIONS_MAX {
            if versions.of(&args.bot).is_empty() {
                continue;
            }
            let [all, most] = [versions.all.len(), VERSIONS_MAX].map(|count| grouped(count as u64));
            let why = format!("{} has {all} versions of bots; at most {most} are rated together", path.display());
            if args.name.is_some() {
                bail!("{why}; `arena standings` rates those of the present");
            }
            io.warn(&format!("{why}, so it is passed over"));
            is_passed_over = true;
            continue;
        }
        known.extend(versions.all.iter().flat_map(|version| &version.names).map(|named| named.name.clone()));
        found.extend(History::of(&args.bot, &versions).map(|history| (tournament, history)));
    }
    if found.is_empty() && is_passed_over {
        bail!("no other tournament in {} has games of `{}`", args.results.results.display(), shown(&args.bot));
    }
    if found.is_empty() {
        let hint = match did_you_mean(&args.bot, known.iter().map(String::as_str)) {
            hint if hint.is_empty() && has_damage => ", as far as the journals can be read".to_owned(),
            hint => hint,
        };
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
