//! The sandbox of a session's bots.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use arena_core::clock::Charge;
use arena_core::text::shown;
use arena_guard::probe::{self, ProbeStart};
use arena_guard::{self as guard, GuardProgram, SandboxMode, StartStage};
use arena_play::program;
use arena_play::roster::FoundBot;
use arena_sys::flags::{CLOCK_CPU, FREEZE_IDLE, SANDBOX_OFF};
use arena_sys::machine::PassedTrials;

use super::Scratch;

/// Sets what each of `bots` may read: no other bot, no program of rules, and nothing in `hidden` folders.
pub fn fence_in<'a>(bots: impl IntoIterator<Item = &'a mut FoundBot>, charge: Charge, hidden: &[&Path]) {
    let mut bots: Vec<&mut FoundBot> = bots.into_iter().collect();
    let mut hidden: Vec<PathBuf> = hidden.iter().map(|path| path.to_path_buf()).collect();
    hidden.extend(bots.iter().flat_map(|bot| bot.own.iter().filter(|own| !guard::is_of_system(own)).cloned()));
    hidden.extend(program::own_files());
    for bot in &mut bots {
        bot.launch.count_all = charge == Charge::Cpu;
        if bot.launch.sandbox != SandboxMode::Off {
            let own = guard::without_closed(&bot.own, &bot.closed);
            bot.launch.look_around(&own, bot.untrusted, &hidden);
        }
    }
}

/// Requests of bots that were refused.
#[must_use]
pub fn refused<'a>(bots: impl IntoIterator<Item = &'a FoundBot>) -> Vec<String> {
    let refused = |bot: &'a FoundBot| bot.refused.iter().map(|why| format!("{}: {why}", bot.launch.name));
    bots.into_iter().flat_map(refused).collect()
}

/// A warning for each folder of `PATH` that stays closed to `bots`.
#[must_use]
pub fn closed_folders(bots: &[&FoundBot]) -> Vec<String> {
    let sandboxed = bots.iter().filter(|bot| bot.launch.sandbox != SandboxMode::Off);
    let closed: BTreeSet<PathBuf> = sandboxed.flat_map(|bot| bot.launch.closed_folders(bot.untrusted)).collect();
    let warning = |folder: PathBuf| {
        format!(
            "`{}` in PATH is a home or holds homes, and stays closed to bots; take it out of PATH, and keep \
             programs in a folder such as bin in it",
            shown(&folder.to_string_lossy())
        )
    };
    closed.into_iter().map(warning).collect()
}

/// A warning for each of `bots`, which were [fenced in](fence_in), that may not read the program or interpreter it is
/// started with, so that it cannot be started.
#[must_use]
pub fn closed_programs(bots: &[&FoundBot]) -> Vec<String> {
    let fenced = bots.iter().filter(|bot| guard::can_close(bot.launch.sandbox));
    let warning = |bot: &&FoundBot| {
        let program = bot.launch.closed_program()?;
        Some(format!(
            "{}: it cannot be started in the sandbox, because it may not read `{}`; put that into the bot's folder, or \
             install it in a folder of PATH such as /usr/local/bin",
            bot.launch.name,
            shown(&program.to_string_lossy())
        ))
    };
    fenced.filter_map(warning).collect()
}

/// Starts a test bot in every sandbox used by `bots`, and returns what is missing under `auto`, which is recorded with the
/// tournament. A sandbox that has passed before, in the [same circumstances](probe::circumstances), is not tried again.
///
/// # Errors
///
/// Returns an error if something is missing in any other sandbox, or if a requested option needs access to processes that
/// are hidden from us.
pub fn try_out(bots: &[&FoundBot], scratch: &Scratch) -> anyhow::Result<Vec<String>> {
    try_out_knowing(PassedTrials::of_user().as_ref(), bots, scratch)
}

/// As [`try_out`], with the trials that were `passed` before; without them, every sandbox is tried.
///
/// # Errors
///
/// As those of [`try_out`].
pub fn try_out_knowing(
    passed: Option<&PassedTrials>,
    bots: &[&FoundBot],
    scratch: &Scratch,
) -> anyhow::Result<Vec<String>> {
    let mut trials: Vec<(SandboxMode, &GuardProgram)> =
        bots.iter().map(|bot| (bot.launch.sandbox, &bot.launch.guard)).collect();
    trials.sort_by_key(|(mode, _)| *mode);
    trials.dedup();
    let mut missing = Vec::new();
    let mut is_seen = true;
    for (mode, guard) in trials {
        // Looked at before the trial: if they change during it, it says nothing about those of later.
        let known = passed.and_then(|passed| Some((passed, probe::circumstances(guard, mode)?)));
        if known.as_ref().is_some_and(|(passed, now)| passed.has(now)) {
            continue;
        }
        match probe::try_start(guard, mode, &scratch.path().join("guard-probe")) {
            Ok(ProbeStart { effective, is_seen: seen }) => {
                if let Some((passed, before)) = known
                    && seen
                    && effective.weak.is_empty()
                {
                    passed.note(&before);
                }
                is_seen &= seen || !effective.guard;
                // Nothing was requested, so nothing is missing.
                missing.extend(effective.weak.into_iter().filter(|_| mode != SandboxMode::Off));
            }
            Err(failed) if mode <= SandboxMode::Auto => {
                let is_restriction = matches!(failed.stage, StartStage::Landlock | StartStage::Seccomp);
                let cure =
                    if is_restriction { format!("; if you trust all bots, use {SANDBOX_OFF}") } else { String::new() };
                bail!("no bot can be started here: {failed}{cure}");
            }
            Err(failed) => {
                return Err(failed).with_context(|| {
                    format!("sandbox `{mode}` is not available here; `arena doctor` shows what this machine supports")
                });
            }
        }
    }
    let mut warnings: Vec<String> = missing.into_iter().map(|weak| format!("sandbox: {weak}")).collect();
    if !is_seen {
        let needs = |bot: &&FoundBot| match (bot.launch.count_all, bot.launch.freeze_idle) {
            (true, _) => Some(CLOCK_CPU),
            (_, true) => Some(FREEZE_IDLE),
            _ => None,
        };
        if let Some(flag) = bots.iter().find_map(needs) {
            bail!("{flag} is not possible here: {HIDDEN}; mount /proc without hidepid, or play without {flag}");
        }
        warnings.push(format!("time that bots wait for a processor is not credited: {HIDDEN}"));
    }
    Ok(warnings)
}

/// Reason why the arena sees no processes of bots.
const HIDDEN: &str = "this system hides the processes of bots from the arena (/proc with hidepid)";
