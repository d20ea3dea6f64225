//! `arena standings`: the tables again, from the journal alone.

use anyhow::Context;

use super::{Exit, ResultsArgs, print};
use crate::journal;
use crate::report::{Durability, Results, summary_text, write_all};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Name or folder of a tournament [default: the only one there is]
    tournament: Option<String>,
    #[command(flatten)]
    results: ResultsArgs,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let dir = args.results.tournament(args.tournament.as_deref())?;
    let contents = journal::read(&dir)?;
    let event = contents.event.with_context(|| {
        format!("journal {} does not say which tournament it is of; it was cut", dir.join(journal::FILE_NAME).display())
    })?;
    let variant = event.variant()?;
    let format = super::tournament::format_named(&event.format)?;
    let schedule = event.schedule(format, variant.rules.open_information(), &contents.games);
    let results = Results::new(&event, &schedule, &contents.games);
    write_all(&dir, &results, &super::tournament::this_machine(), &[], Durability::Synced)?;
    print(&summary_text(&results, &dir))?;
    Ok(if results.counts().played < schedule.len() { Exit::Incomplete } else { Exit::Done })
}
