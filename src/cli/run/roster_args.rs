//! Flags for the field of a tournament.

use arena_core::rules::Variant;
use arena_play::roster::{FoundBot, KeptVersions, Roster};

use super::event_args::{BOTS, EventArgs};
use crate::cli::Io;

/// Which bots play, beside those in the folder.
#[derive(Debug, clap::Args)]
pub(crate) struct RosterArgs {
    /// Also play the built-in bots
    #[arg(long, help_heading = BOTS)]
    pub(crate) builtins: bool,
    /// Keep each version that passes the check (in .kept in the bots folder), and play it while a later one fails
    #[arg(long, conflicts_with = "no_check", help_heading = BOTS)]
    keep_last_good: bool,
}

impl RosterArgs {
    /// The bots found; of the built-in ones those for which `plays` holds, if they were requested.
    pub(crate) fn find(&self, event: &EventArgs, io: &Io, plays: impl Fn(&FoundBot) -> bool) -> anyhow::Result<Roster> {
        let settings = event.guard.settings(io)?;
        if self.builtins { event.bots.roster_with_builtins(&settings, plays) } else { event.bots.roster(&settings) }
    }

    /// The bots for one game: those of `roster`, and kept versions of those that cannot be used. Also returns where versions
    /// are kept.
    pub(crate) fn for_game(
        &self,
        event: &EventArgs,
        game: &Variant,
        roster: &Roster,
        io: &Io,
    ) -> anyhow::Result<(Roster, Option<KeptVersions>)> {
        let mut roster = roster.clone();
        if !self.keep_last_good {
            return Ok((roster, None));
        }
        let kept = KeptVersions::new(&event.bots.bots, game, &event.guard.settings(io)?);
        for remark in kept.replace_unusable(&mut roster)? {
            io.warn(&remark);
        }
        Ok((roster, Some(kept)))
    }
}
