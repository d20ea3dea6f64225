//! `arena bots`: lists the bots in the bots folder, and what was skipped and why.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use arena_core::clock::Charge;
use arena_core::text::shown;
use arena_play::roster::{FoundBot, Roster, SkipReason, Skipped};
use arena_run::session::{closed_folders, closed_programs, fence_in, refused};

use crate::cli::args::shared::RESULTS_DEFAULT;
use crate::cli::run::left_out::left_out_lines;
use crate::cli::{BotsArgs, Exit, Io};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    bots: BotsArgs,
    /// List the built-in strategies too
    #[arg(long)]
    builtins: bool,
    /// Print JSON: bots, broken, skipped and warnings
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    let settings = io.bot_settings();
    let mut roster =
        if args.builtins { args.bots.roster_with_builtins(&settings, |_| true) } else { args.bots.roster(&settings) }?;
    roster.break_missing();
    fence_in(&mut roster.bots, Charge::Wall, &[&args.bots.bots, Path::new(RESULTS_DEFAULT)]);
    let warnings = warnings(&roster);
    if args.json {
        io.print_json(&json(&roster, &warnings))?;
    } else {
        io.print(&text(&roster, &warnings, &args.bots.bots))?;
    }
    Ok(if roster.left_out().next().is_none() { Exit::Done } else { Exit::BotTrouble })
}

fn text(roster: &Roster, warnings: &[String], folder: &Path) -> String {
    let mut text = String::new();
    let width = roster.bots.iter().map(|bot| bot.launch.name.len()).max().unwrap_or(0);
    for bot in &roster.bots {
        let protocol = bot.launch.speech().map_or_else(String::new, |speech| format!("{}: ", speech.protocol));
        let _ = writeln!(text, "{:<width$}  {}  {protocol}{}", bot.launch.name, bot.fingerprint, shown(&bot.command));
    }
    if roster.bots.is_empty() {
        let folder = folder.display();
        let _ = writeln!(
            text,
            "no bots in {folder}; put an executable, a manifest NAME.toml or a bot folder there, or make one with `arena \
             new-bot NAME`"
        );
    }
    for warning in warnings {
        let _ = writeln!(text, "warning: {warning}");
    }
    for line in left_out_lines(roster) {
        let _ = writeln!(text, "cannot be used: {line}");
    }
    for skipped in &roster.skipped {
        if let SkipReason::Ignored(why) | SkipReason::Part(why) = &skipped.reason {
            let _ = writeln!(text, "skipped: {}: {why}", shown(&skipped.path.to_string_lossy()));
        }
    }
    text
}

/// The roster as JSON: `bots`, those that cannot be used (`broken`), everything else in the folder (`skipped`), and
/// `warnings`.
fn json(roster: &Roster, warnings: &[String]) -> serde_json::Value {
    let bot = |bot: &FoundBot| {
        serde_json::json!({
            "name": bot.launch.name,
            "fingerprint": bot.fingerprint,
            "path": bot.path.to_string_lossy(),
            "command": bot.command,
            "protocol": bot.launch.protocol.name,
            "games": bot.games(),
        })
    };
    let skipped = |skipped: &Skipped| {
        let (cause, cure) = match &skipped.reason {
            SkipReason::Ignored(why) | SkipReason::Part(why) => (why, None),
            SkipReason::Submission { cause, cure } => (cause, Some(cure)),
        };
        let (path, meant) = (skipped.path.to_string_lossy(), skipped.is_submission());
        serde_json::json!({ "path": path, "submission": meant, "cause": cause, "cure": cure })
    };
    serde_json::json!({
        "bots": roster.bots.iter().map(bot).collect::<Vec<_>>(),
        "broken": roster
            .broken
            .iter()
            .map(|(name, cause)| serde_json::json!({ "name": name, "cause": cause }))
            .collect::<Vec<_>>(),
        "skipped": roster.skipped.iter().map(skipped).collect::<Vec<_>>(),
        "warnings": warnings,
    })
}

/// Warnings for authors of bots: requests that are not granted, programs that bots may not run, closed folders of `PATH`,
/// and bots with the same files.
fn warnings(roster: &Roster) -> Vec<String> {
    let mut warnings = refused(&roster.bots);
    let bots: Vec<&FoundBot> = roster.bots.iter().collect();
    warnings.extend(closed_programs(&bots));
    warnings.extend(closed_folders(&bots));
    let mut copies: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for bot in &roster.bots {
        copies.entry(&bot.fingerprint).or_default().push(&bot.launch.name);
    }
    let copies = copies.into_values().filter(|names| names.len() > 1).map(|names| names.join(", "));
    let mut copies: Vec<String> =
        copies.map(|names| format!("{names} are identical bots; only their names distinguish them")).collect();
    copies.sort();
    warnings.extend(copies);
    warnings
}
