//! `arena bots`: what was found in the bots folder, what was skipped, and why.

use std::fmt::Write as _;

use super::{BotsArgs, Exit, print};
use crate::guard::GuardProgram;
use crate::roster::Settings;
use crate::session::refused;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    bots: BotsArgs,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let roster = args.bots.roster(&Settings { guard: GuardProgram::this_arena(), ..Settings::default() })?;
    let mut text = String::new();
    let width = roster.bots.iter().map(|bot| bot.launch.name.len()).max().unwrap_or(0);
    for bot in &roster.bots {
        let _ =
            writeln!(text, "{:<width$}  {}  {}", bot.launch.name, bot.fingerprint, crate::text::shown(&bot.command));
    }
    if roster.bots.is_empty() {
        let folder = args.bots.bots.display();
        let _ = writeln!(text, "no bots in {folder}; put an executable, a manifest NAME.toml or a bot folder there");
    }
    for why in refused(&roster.bots) {
        let _ = writeln!(text, "warning: {why}");
    }
    for (name, cause) in &roster.broken {
        let _ = writeln!(text, "cannot be used: {name}: {cause}");
    }
    for skipped in &roster.skipped {
        let _ = writeln!(text, "skipped: {}: {}", crate::text::shown(&skipped.path.to_string_lossy()), skipped.reason);
    }
    print(&text)?;
    Ok(if roster.broken.is_empty() { Exit::Done } else { Exit::BotTrouble })
}
