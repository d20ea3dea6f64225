//! What keeps bots in bounds, as typed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};

use super::{Scratch, tell};
use crate::clock::Charge;
use crate::guard::probe::{self, Trial};
use crate::guard::{self, GuardProgram, Limits, NamedLimits, SandboxMode, Stage};
use crate::roster::{Found, STARTUP_MOST, Settings};
use crate::text::shown;

fn limits_help() -> String {
    let defaults = Limits::default().to_string();
    format!(
        "What each bot may use up, such as memory_mb=512,processes=off [default: {defaults}, or what its manifest says]"
    )
}

#[derive(Debug, clap::Args)]
pub(super) struct GuardArgs {
    /// What fences bots in: `auto` is what the system has of landlock and seccomp, `landlock` requires both, `strict`
    /// adds namespaces, `off` is nothing
    #[arg(long, value_name = "MODE", default_value = "auto")]
    sandbox: SandboxMode,
    #[arg(long, value_name = "LIMIT=N,…", help = limits_help())]
    limits: Vec<NamedLimits>,
    /// Maximum time from the start of a bot to its hello; only a manifest bots/NAME.toml can set a longer one
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_startup_max)]
    startup_max: Duration,
    /// Stop each bot while it is not on move: no thinking on the opponent's time (with --sandbox off it can wake itself)
    #[arg(long)]
    freeze_idle: bool,
}

fn parse_startup_max(text: &str) -> Result<Duration, String> {
    let time = crate::clock::parse_duration(text).map_err(|error| error.to_string())?;
    if (Duration::from_millis(1)..=STARTUP_MOST).contains(&time) {
        return Ok(time);
    }
    Err(format!("expected a time from 1ms to {}s", STARTUP_MOST.as_secs()))
}

impl GuardArgs {
    /// What is named on the command line, which holds for all bots.
    pub(super) fn settings(&self) -> anyhow::Result<Settings> {
        let mut limits = NamedLimits::default();
        for named in &self.limits {
            limits.add(named).map_err(anyhow::Error::msg)?;
        }
        Ok(Settings {
            guard: GuardProgram::this_arena(),
            sandbox: self.sandbox,
            limits,
            startup_max: self.startup_max,
            freeze_idle: self.freeze_idle,
            bots: None,
        })
    }
}

/// Finds out what each of `bots` may read: no other bot, nor what lies in `hidden` folders.
pub(super) fn fence_in<'a>(bots: impl IntoIterator<Item = &'a mut Found>, charge: Charge, hidden: &[&Path]) {
    let mut bots: Vec<&mut Found> = bots.into_iter().collect();
    let mut hidden: Vec<PathBuf> = hidden.iter().map(|path| path.to_path_buf()).collect();
    hidden.extend(bots.iter().flat_map(|bot| bot.own.iter().filter(|own| !guard::is_of_system(own)).cloned()));
    for bot in &mut bots {
        bot.launch.count_all = charge == Charge::Cpu;
        if bot.launch.sandbox != SandboxMode::Off {
            let own = guard::without_closed(&bot.own, &bot.closed);
            bot.launch.look_around(&own, bot.stranger, &hidden);
        }
    }
}

/// Says what bots asked for and did not get; returned for the record as well.
pub(super) fn tell_refused<'a>(bots: impl IntoIterator<Item = &'a Found>) -> Vec<String> {
    let refused = bots.into_iter().flat_map(|bot| bot.refused.iter().map(|why| format!("{}: {why}", bot.launch.name)));
    refused.inspect(|warning| tell(&format!("warning: {warning}"))).collect()
}

/// Starts a bot of our own in every sandbox that `bots` are in. What is missing under `auto` is told, and returned;
/// what is missing under any other is an error, and so is what was asked for and takes a look at processes that are
/// hidden from us. What of `PATH` stays closed to them is told as well.
pub(super) fn try_out(bots: &[&Found], scratch: &Scratch) -> anyhow::Result<Vec<String>> {
    let fenced = bots.iter().filter(|bot| bot.launch.sandbox != SandboxMode::Off);
    let closed: BTreeSet<PathBuf> = fenced.flat_map(|bot| bot.launch.closed_folders(bot.stranger)).collect();
    for folder in closed {
        tell(&format!(
            "warning: `{}` in PATH is a home or holds homes, and stays closed to bots; take it out of PATH, and keep \
             programs in a folder such as bin in it",
            shown(&folder.to_string_lossy())
        ));
    }
    let mut trials: Vec<(SandboxMode, &GuardProgram)> =
        bots.iter().map(|bot| (bot.launch.sandbox, &bot.launch.guard)).collect();
    trials.sort_by_key(|(mode, _)| mode.rank());
    trials.dedup();
    let mut missing = Vec::new();
    let mut is_seen = true;
    for (mode, guard) in trials {
        match probe::trial(guard, mode, &scratch.0.join("guard-probe")) {
            Ok(Trial { effective, is_seen: seen }) => {
                is_seen &= seen || !effective.guard;
                // Nothing is missing where nothing was asked for.
                missing.extend(effective.weak.into_iter().filter(|_| mode != SandboxMode::Off));
            }
            Err(failed) if mode.rank() <= SandboxMode::Auto.rank() => {
                let is_fence = matches!(failed.stage, Stage::Landlock | Stage::Seccomp);
                let cure = if is_fence { "; --sandbox off does without, if you trust all bots" } else { "" };
                bail!("no bot can be started here: {failed}{cure}");
            }
            Err(failed) => {
                return Err(failed).with_context(|| {
                    format!(
                        "a bot cannot be kept in sandbox `{mode}` here; `arena doctor` says what this machine can do"
                    )
                });
            }
        }
    }
    let mut warnings: Vec<String> = missing.into_iter().map(|weak| format!("sandbox: {weak}")).collect();
    if !is_seen {
        let asks = |asks: fn(&Found) -> bool| bots.iter().any(|bot| asks(bot));
        for (flag, is_asked) in
            [("--clock cpu", asks(|bot| bot.launch.count_all)), ("--freeze-idle", asks(|bot| bot.launch.freeze_idle))]
        {
            if is_asked {
                bail!("{flag} is not possible here: {HIDDEN}; mount /proc without hidepid, or play without {flag}");
            }
        }
        warnings.push(format!("no bot is credited the time for which it waits for a processor: {HIDDEN}"));
    }
    for warning in &warnings {
        tell(&format!("warning: {warning}"));
    }
    Ok(warnings)
}

/// Of whom the arena sees no process.
const HIDDEN: &str = "this system hides the processes of bots from the arena (/proc with hidepid)";
