//! Flags for the sandbox and limits of bots.

use std::path::PathBuf;
use std::time::Duration;

use arena_guard::{Limits, NamedLimits, SandboxMode};
use arena_play::roster::{RosterSettings, RulesReach, STARTUP_MOST};

use crate::cli::Io;

fn limits_help() -> String {
    let defaults = Limits::default().to_string();
    format!("Limits of each bot [default: {defaults}]")
}

#[derive(Debug, Clone, clap::Args)]
pub(crate) struct GuardArgs {
    /// auto: Landlock and seccomp where available; landlock: both required; strict: also namespaces; off: none
    #[arg(long, value_name = "MODE", default_value = "auto")]
    sandbox: SandboxMode,
    #[arg(long, value_name = "LIMIT=N,…", help = limits_help())]
    limits: Vec<NamedLimits>,
    /// Maximum startup time that a bot may request
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_startup_max)]
    startup_max: Duration,
    /// Suspend each bot while it is not its turn
    #[arg(long)]
    freeze_idle: bool,
    #[command(flatten)]
    rules: RulesReadArgs,
}

/// What programs of rules may read.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct RulesReadArgs {
    /// File or folder elsewhere that the program of `--game FILE` may read
    #[arg(long, value_name = "PATH")]
    rules_read: Vec<PathBuf>,
}

impl RulesReadArgs {
    /// Itself, for a manifest.
    pub(crate) fn reach(&self) -> RulesReach {
        RulesReach::Named(self.rules_read.clone())
    }
}

fn parse_startup_max(text: &str) -> Result<Duration, String> {
    let time = arena_core::clock::parse_duration(text).map_err(|error| error.to_string())?;
    if (Duration::from_millis(1)..=STARTUP_MOST).contains(&time) {
        return Ok(time);
    }
    Err(format!("expected a time from 1ms to {}s", STARTUP_MOST.as_secs()))
}

impl GuardArgs {
    /// The settings from the command line, which apply to all bots.
    pub(crate) fn settings(&self, io: &Io) -> anyhow::Result<RosterSettings> {
        let mut limits = NamedLimits::default();
        for named in &self.limits {
            limits.add(named)?;
        }
        Ok(RosterSettings {
            sandbox: self.sandbox,
            limits,
            startup_max: self.startup_max,
            freeze_idle: self.freeze_idle,
            rules_reach: self.rules.reach(),
            ..io.bot_settings()
        })
    }
}
