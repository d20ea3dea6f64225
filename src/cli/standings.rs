//! `arena standings`: the tables again, from the journal alone.

use anyhow::Context;

use super::{Exit, ResultsArgs, print, tell};
use crate::journal::{self, Lock};
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
        let path = dir.join(journal::FILE_NAME);
        format!("journal {} holds no tournament; `arena tournament` begins one", path.display())
    })?;
    let variant = event.variant()?;
    let format = super::tournament::format_named(&event.format)?;
    let schedule = event.schedule(format, variant.rules.open_information(), &contents.games);
    let results = Results::new(&event, &schedule, &contents.games);
    // A tournament that is running writes these files itself, and one process at a time may.
    match Lock::take_if_free(&dir)? {
        Ok(_lock) => write_all(&dir, &results, &super::tournament::this_machine(), &[], Durability::Synced)?,
        Err(holder) => tell(&format!(
            "{} is in use by another arena (process {holder}), which writes the tables; these are the standings so far",
            dir.display()
        )),
    }
    print(&summary_text(&results, &dir))?;
    Ok(if results.counts().played < schedule.len() { Exit::Incomplete } else { Exit::Done })
}
