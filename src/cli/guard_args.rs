//! What keeps bots in bounds, as typed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::{Scratch, tell};
use crate::clock::Charge;
use crate::guard::probe::Trial;
use crate::guard::{self, Limits, SandboxMode, Stage};
use crate::roster::Found;
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
    #[arg(long, value_name = "LIMIT=N,…", value_parser = parse_limits, help = limits_help())]
    limits: Vec<String>,
    /// Stop each bot while it is not on move: no thinking on the opponent's time (with --sandbox off it can wake itself)
    #[arg(long)]
    freeze_idle: bool,
}

/// Checked here, applied to each bot's own.
fn parse_limits(text: &str) -> Result<String, String> {
    Limits::default().set(text).map(|()| text.to_owned())
}

impl GuardArgs {
    /// Bounds `bots`: what is named on the command line holds for all of them; a manifest may ask for a stricter
    /// sandbox. No bot may read another, nor what lies in `hidden` folders.
    pub(super) fn apply<'a>(
        &self,
        bots: impl IntoIterator<Item = &'a mut Found>,
        charge: Charge,
        hidden: &[&Path],
    ) -> anyhow::Result<()> {
        let mut bots: Vec<&mut Found> = bots.into_iter().collect();
        let mut hidden: Vec<PathBuf> = hidden.iter().map(|path| path.to_path_buf()).collect();
        hidden.extend(bots.iter().flat_map(|bot| bot.own.iter().filter(|own| !guard::is_of_system(own)).cloned()));
        for bot in &mut bots {
            bot.launch.freeze_idle = self.freeze_idle;
            bot.launch.count_all = charge == Charge::Cpu;
            if !self.limits.is_empty() {
                bot.launch.limits.set(&self.limits.join(",")).map_err(anyhow::Error::msg)?;
            }
            bot.launch.sandbox = stricter(self.sandbox, bot.launch.sandbox);
            if bot.launch.sandbox != SandboxMode::Off {
                let own = bot.own.clone();
                bot.launch.look_around(&own, bot.stranger, &hidden);
            }
        }
        Ok(())
    }
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
    let mut modes: Vec<SandboxMode> = bots.iter().map(|bot| bot.launch.sandbox).collect();
    modes.sort_by_key(|mode| rank(*mode));
    modes.dedup();
    let mut missing = Vec::new();
    let mut is_seen = true;
    for mode in modes {
        match guard::probe::trial(mode, &scratch.0.join("guard-probe")) {
            Ok(Trial { effective, is_seen: seen }) => {
                is_seen &= seen || !effective.guard;
                // Nothing is missing where nothing was asked for.
                missing.extend(effective.weak.into_iter().filter(|_| mode != SandboxMode::Off));
            }
            Err(failed) if rank(mode) <= rank(SandboxMode::Auto) => {
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

fn rank(mode: SandboxMode) -> u8 {
    match mode {
        SandboxMode::Off => 0,
        SandboxMode::Auto => 1,
        SandboxMode::Landlock => 2,
        SandboxMode::Strict => 3,
    }
}

/// The command line lifts the sandbox for all; otherwise the stricter of the two counts.
fn stricter(asked: SandboxMode, manifest: SandboxMode) -> SandboxMode {
    if asked == SandboxMode::Off || rank(asked) > rank(manifest) { asked } else { manifest }
}
