//! The bots of an event, for workers.

use std::time::Duration;

use anyhow::{Context, bail};
use arena_bots::strategy::Strategy;
use arena_core::text::shown;
use arena_guard::{GuardProgram, NamedLimits, SandboxMode};
use arena_play::roster::{FoundBot, Roster, RosterSettings, RulesReach};
use serde::{Deserialize, Serialize};

use crate::cluster::store::Store;

/// A bot of the event, in the order of [`Tournament::bots`](arena_core::event::Tournament::bots).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackedBot {
    /// Its name.
    pub name: String,
    /// The fingerprint that it must have where it plays.
    pub fingerprint: String,
    /// Where it comes from.
    pub source: BotSource,
}

/// Where a bot comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BotSource {
    /// The package with this hash.
    Package(String),
    /// The built-in strategy of this name, with default options.
    Builtin(String),
}

/// The settings of all bots that enter their fingerprints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BotSettings {
    /// The sandbox.
    pub sandbox: SandboxMode,
    /// Limits that override manifests.
    pub limits: NamedLimits,
    /// Maximum time from the start of a bot to its `hello`, in milliseconds.
    pub startup_max_ms: u64,
    /// Whether to suspend each bot while it is not its turn.
    pub freeze_idle: bool,
}

impl PackedBot {
    /// Loads the bot on this machine. A bot with a package must be in the `store`.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be used here, or if it is not the bot of the event.
    pub fn load(&self, store: &Store, settings: &RosterSettings) -> anyhow::Result<FoundBot> {
        let of = || format!("bot `{}`", shown(&self.name));
        let (found, cure) = match &self.source {
            BotSource::Package(hash) => {
                let found = store.load(hash, &self.name, settings).with_context(of)?;
                let folder = store.folder(hash)?;
                (
                    found,
                    format!(
                        "its package was changed in {}, a file that it names by an absolute path is another one, or the sandbox \
                     here closes other folders; remove that folder, or compare the machines",
                        folder.display()
                    ),
                )
            }
            BotSource::Builtin(name) => {
                let mut found = Roster::builtin(Strategy::named(name).with_context(of)?, settings).with_context(of)?;
                found.launch.name.clone_from(&self.name);
                (found, "use one version of arena on all machines".to_owned())
            }
        };
        if found.fingerprint != self.fingerprint {
            bail!(
                "{} has fingerprint {} here and {} in the event: {cure}",
                of(),
                found.fingerprint,
                shown(&self.fingerprint)
            );
        }
        Ok(found)
    }
}

impl BotSettings {
    /// The part of the settings of a roster that enters fingerprints.
    #[must_use]
    pub fn of(settings: &RosterSettings) -> Self {
        let RosterSettings {
            sandbox,
            limits,
            startup_max,
            freeze_idle,
            guard: _,
            bots: _,
            builtins_in_process: _,
            rules_reach: _,
        } = settings;
        let startup_max_ms = u64::try_from(startup_max.as_millis()).unwrap_or(u64::MAX);
        Self { sandbox: *sandbox, limits: limits.clone(), startup_max_ms, freeze_idle: *freeze_idle }
    }

    /// Settings of a roster whose bots are started from `guard`.
    #[must_use]
    pub fn with_guard(&self, guard: GuardProgram) -> RosterSettings {
        RosterSettings {
            guard,
            sandbox: self.sandbox,
            limits: self.limits.clone(),
            startup_max: Duration::from_millis(self.startup_max_ms),
            freeze_idle: self.freeze_idle,
            bots: None,
            builtins_in_process: false,
            rules_reach: RulesReach::default(),
        }
    }
}
