//! Permissions of bots: what the user sets for all bots or grants to one, and what a bot's own manifest requests.

use std::path::{Path, PathBuf};
use std::time::Duration;

use arena_core::event::BotOptions;
use arena_core::text::shown;
use arena_guard::{GuardProgram, Limits, NamedLimits, SandboxMode};
use arena_sys::flags::{LIMITS, SANDBOX, STARTUP_MAX};

use crate::player::process::{Launch, STARTUP_DEFAULT};

/// Maximum startup limit; the first game waits until all bots are checked.
pub const STARTUP_MOST: Duration = Duration::from_secs(600);

/// What a program of rules may use besides the files in the folder of its manifest and what is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RulesReach {
    /// These files and folders, which the user has named, with all that is in them. It can read them.
    Named(Vec<PathBuf>),
    /// All that the manifest names: someone whom this machine trusts has granted it.
    AsWritten,
}

impl Default for RulesReach {
    /// Nothing: a manifest may be a stranger's.
    fn default() -> Self {
        Self::Named(Vec::new())
    }
}

/// Settings of all bots, from the command line.
#[derive(Debug, Clone)]
pub struct RosterSettings {
    /// The program that runs the guards of all bots. Only the `arena` binary plays built-in strategies.
    pub guard: GuardProgram,
    /// Sandbox of all bots. A manifest may request a stricter one, unless this is `Off`.
    pub sandbox: SandboxMode,
    /// Limits of all bots, which override manifests.
    pub limits: NamedLimits,
    /// Maximum time from the start of a bot to its `hello`. A manifest in the bots folder may set another one.
    pub startup_max: Duration,
    /// Whether to suspend each bot while it is not its turn.
    pub freeze_idle: bool,
    /// The bots folder. Manifests directly in it are trusted.
    pub bots: Option<PathBuf>,
    /// Whether built-in strategies are [played in this program](crate::player::in_process) instead of by processes: for programs
    /// that play many short tournaments. Games, tables and identities are the same.
    pub builtins_in_process: bool,
    /// What programs of rules may use.
    pub rules_reach: RulesReach,
}

impl Default for RosterSettings {
    fn default() -> Self {
        Self {
            guard: GuardProgram::default(),
            sandbox: SandboxMode::default(),
            limits: NamedLimits::default(),
            startup_max: STARTUP_DEFAULT,
            freeze_idle: false,
            bots: None,
            builtins_in_process: false,
            rules_reach: RulesReach::default(),
        }
    }
}

/// The entries of a manifest about permissions.
#[derive(Debug, Clone, Default)]
pub(super) struct PermissionTerms {
    pub(super) limits: NamedLimits,
    pub(super) startup: Option<Duration>,
    pub(super) sandbox: SandboxMode,
    pub(super) build_network: bool,
}

/// Location of an untrusted manifest, which may not raise limits.
#[derive(Debug, Clone, Copy)]
pub(super) enum ManifestOrigin<'a> {
    /// In a bot's folder. The path is the file that can grant more, if any.
    Folder(Option<&'a Path>),
    /// This manifest, outside the bots folder.
    File(&'a Path),
}

impl RosterSettings {
    /// The settings that enter fingerprints, as a tournament records them.
    #[must_use]
    pub fn recorded(&self) -> BotOptions {
        // What holds anyway is no change.
        let limits = &self.limits;
        let limits = if Limits::default().only(limits) == *limits { String::new() } else { limits.to_string() };
        BotOptions {
            sandbox: self.sandbox.to_string(),
            limits,
            startup_max_ms: self.startup_max.as_millis() as u64,
            freeze_idle: self.freeze_idle,
        }
    }

    /// Itself with settings of a tournament that is played again, unless they were given: those that give bots no more than
    /// usual, since a journal may come from someone else. Also returns what would give them more, as it is given on the command
    /// line.
    #[must_use]
    pub fn as_recorded(mut self, recorded: &BotOptions) -> (Self, Vec<String>) {
        let (usual, mut looser) = (Self::default(), Vec::new());
        if self.sandbox == usual.sandbox && recorded.sandbox != self.sandbox.to_string() {
            match recorded.sandbox.parse::<SandboxMode>() {
                Ok(sandbox) if sandbox > usual.sandbox => self.sandbox = sandbox,
                _ => looser.push(format!("{SANDBOX} {}", shown(&recorded.sandbox))),
            }
        }
        if self.limits.is_empty() && !recorded.limits.is_empty() {
            match recorded.limits.parse::<NamedLimits>() {
                Ok(limits) if Limits::default().exceeded(&limits).is_empty() => self.limits = limits,
                _ => looser.push(format!("{LIMITS} {}", shown(&recorded.limits.replace(' ', "")))),
            }
        }
        let startup = Duration::from_millis(recorded.startup_max_ms);
        if self.startup_max == usual.startup_max && startup != self.startup_max {
            if startup < usual.startup_max && !startup.is_zero() {
                self.startup_max = startup;
            } else {
                looser.push(format!("{STARTUP_MAX} {}ms", recorded.startup_max_ms));
            }
        }
        self.freeze_idle |= recorded.freeze_idle;
        (self, looser)
    }

    /// Sets the bot's permissions. `granted` comes from the user and may raise limits; `asked` comes from an untrusted
    /// manifest and can only lower them.
    pub(super) fn settle(&self, launch: &mut Launch, granted: &PermissionTerms, asked: &PermissionTerms) {
        launch.guard.clone_from(&self.guard);
        launch.limits = Limits::default().lowered(&asked.limits).with(&granted.limits).with(&self.limits);
        let startup = || asked.startup.unwrap_or(STARTUP_DEFAULT).min(self.startup_max);
        launch.startup = granted.startup.unwrap_or_else(startup);
        let strictest = self.sandbox.max(granted.sandbox).max(asked.sandbox);
        launch.sandbox = if self.sandbox == SandboxMode::Off { SandboxMode::Off } else { strictest };
        launch.freeze_idle = self.freeze_idle;
        launch.build_network = granted.build_network;
    }

    /// The requests of an untrusted manifest that are not granted, each with the cure.
    pub(super) fn refused(launch: &Launch, asked: &PermissionTerms, by: ManifestOrigin<'_>) -> Vec<String> {
        let path = |path: &Path| shown(&path.to_string_lossy());
        let (manifest, place) = match by {
            ManifestOrigin::Folder(_) => ("bot.toml".to_owned(), "inside a bot's folder"),
            ManifestOrigin::File(file) => (format!("manifest {}", path(file)), "outside the bots folder"),
        };
        let why = format!("a manifest {place} can only lower limits");
        let cure = |entry: &str, flag: &str| match by {
            ManifestOrigin::Folder(Some(file)) => {
                format!("to allow it, write `{entry}` into {}, or use {flag}", path(file))
            }
            ManifestOrigin::Folder(None) => format!("to allow it, use {flag}"),
            ManifestOrigin::File(_) => format!("to allow it, move the manifest into the bots folder, or use {flag}"),
        };
        let mut refused = Vec::new();
        let limits = launch.limits.exceeded(&asked.limits);
        if !limits.is_empty() {
            let flag = format!("{LIMITS} {}", limits.to_string().replace(", ", ","));
            let cure = cure(&format!("limits = {{ {} }}", limits.to_toml()), &flag);
            let granted = launch.limits.only(&limits);
            refused.push(format!("its {manifest} asks for {limits} and gets {granted}, since {why}; {cure}"));
        }
        if let Some(startup) = asked.startup.filter(|startup| *startup > launch.startup) {
            let (asked, granted) = (startup.as_millis(), launch.startup.as_millis());
            let cure = cure(&format!("startup_ms = {asked}"), &format!("{STARTUP_MAX} {asked}ms"));
            refused.push(format!("its {manifest} asks for startup_ms={asked} and gets {granted}, since {why}; {cure}"));
        }
        if asked.build_network && !launch.build_network {
            let cure = match by {
                ManifestOrigin::Folder(Some(file)) => format!("write `build_network = true` into {}", path(file)),
                _ => "build it by hand".to_owned(),
            };
            refused.push(format!(
                "its {manifest} asks for the network during its build, which its author cannot allow; to allow it, {cure}"
            ));
        }
        refused
    }
}

/// The permissions, and a protocol that is not the arena's own, as words of the bot's fingerprint: a bot may play
/// differently under others.
pub(super) fn identity(launch: &Launch) -> Vec<String> {
    // JSON bots had identities before there were other protocols.
    let spoken = launch.speech().map(|speech| format!("protocol {} {}", speech.protocol, speech.version));
    let permissions = [
        format!("limits {}", launch.limits),
        format!("sandbox {}", launch.sandbox),
        format!("startup_ms {}", launch.startup.as_millis()),
        format!("fresh {}", launch.fresh),
        format!("freeze_idle {}", launch.freeze_idle),
    ];
    permissions.into_iter().chain(spoken).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(limits: &str, startup_ms: u64, sandbox: SandboxMode) -> PermissionTerms {
        let limits = if limits.is_empty() { NamedLimits::default() } else { limits.parse().unwrap() };
        let startup = (startup_ms > 0).then(|| Duration::from_millis(startup_ms));
        PermissionTerms { limits, startup, sandbox, build_network: false }
    }

    fn settled(settings: &RosterSettings, granted: &PermissionTerms, asked: &PermissionTerms) -> Launch {
        let mut launch = super::super::inspected::launch("x".into(), "x".into(), Vec::new(), "/".into());
        settings.settle(&mut launch, granted, asked);
        launch
    }

    #[test]
    fn an_untrusted_manifest_only_lowers_limits_and_gets_a_warning() {
        let settings = RosterSettings::default();
        let asked = terms("memory_mb=off,processes=4,cpu_s=60", 600_000, SandboxMode::Strict);
        let launch = settled(&settings, &PermissionTerms::default(), &asked);
        assert_eq!(launch.limits, Limits { processes: 4, cpu_s: 60, ..Limits::default() });
        assert_eq!((launch.startup, launch.sandbox), (STARTUP_DEFAULT, SandboxMode::Strict));
        let why = "since a manifest inside a bot's folder can only lower limits; to allow it, ";
        assert_eq!(
            RosterSettings::refused(&launch, &asked, ManifestOrigin::Folder(Some("bots/x.toml".as_ref()))),
            [
                format!(
                    "its bot.toml asks for memory_mb=off and gets memory_mb=1024, {why}write `limits = {{ memory_mb = 0 \
                     }}` into bots/x.toml, or use --limits memory_mb=off"
                ),
                format!(
                    "its bot.toml asks for startup_ms=600000 and gets 10000, {why}write `startup_ms = 600000` into \
                     bots/x.toml, or use --startup-max 600000ms"
                ),
            ]
        );
        let refused = RosterSettings::refused(&launch, &asked, ManifestOrigin::Folder(None));
        assert!(refused[0].ends_with("to allow it, use --limits memory_mb=off"), "{refused:?}");
    }

    #[test]
    fn the_command_line_overrides_manifests() {
        let asked = terms("memory_mb=64,processes=off", 20_000, SandboxMode::Auto);
        let granted = terms("memory_mb=4096,processes=512", 60_000, SandboxMode::Landlock);
        let mut settings = RosterSettings { startup_max: Duration::from_secs(15), ..RosterSettings::default() };
        let launch = settled(&settings, &granted, &asked);
        assert_eq!(launch.limits, Limits { memory_mb: 4096, processes: 512, ..Limits::default() });
        assert_eq!((launch.startup.as_secs(), launch.sandbox), (60, SandboxMode::Landlock));
        assert_eq!(RosterSettings::refused(&launch, &asked, ManifestOrigin::Folder(None)).len(), 1, "processes alone");

        settings.limits = "memory_mb=2048,processes=off".parse().unwrap();
        settings.sandbox = SandboxMode::Off;
        let launch = settled(&settings, &terms("", 0, SandboxMode::Strict), &asked);
        assert_eq!(launch.limits, Limits { memory_mb: 2048, processes: 0, ..Limits::default() });
        assert_eq!((launch.startup.as_secs(), launch.sandbox), (15, SandboxMode::Off));
        // The same limit applies if the manifest requests nothing.
        let settings = RosterSettings { startup_max: Duration::from_secs(2), ..RosterSettings::default() };
        assert_eq!(settled(&settings, &PermissionTerms::default(), &PermissionTerms::default()).startup.as_secs(), 2);
    }

    #[test]
    fn recorded_settings_only_take_from_bots() {
        let stricter = RosterSettings {
            sandbox: SandboxMode::Strict,
            limits: "memory_mb=64,processes=4".parse().unwrap(),
            startup_max: Duration::from_secs(2),
            freeze_idle: true,
            ..RosterSettings::default()
        };
        let (taken, looser) = RosterSettings::default().as_recorded(&stricter.recorded());
        assert_eq!((taken.recorded(), looser), (stricter.recorded(), Vec::new()));
        let more = RosterSettings {
            sandbox: SandboxMode::Off,
            limits: "memory_mb=off,processes=4".parse().unwrap(),
            startup_max: Duration::from_secs(60),
            ..RosterSettings::default()
        };
        let usual = RosterSettings::default();
        let (kept, looser) = usual.clone().as_recorded(&more.recorded());
        assert_eq!(kept.recorded(), usual.recorded());
        assert_eq!(looser, ["--sandbox off", "--limits memory_mb=off,processes=4", "--startup-max 60000ms"]);
        // What is given on the command line stays.
        let (given, looser) = more.clone().as_recorded(&stricter.recorded());
        assert_eq!((given.sandbox, given.startup_max, looser.len()), (SandboxMode::Off, more.startup_max, 0));
        let strange = BotOptions { sandbox: "none\n".to_owned(), limits: "x=y".to_owned(), ..BotOptions::default() };
        let (kept, looser) = usual.clone().as_recorded(&strange);
        assert_eq!(kept.recorded(), usual.recorded());
        assert_eq!(looser, [r"--sandbox none\n", "--limits x=y", "--startup-max 0ms"]);
    }

    #[test]
    fn all_permissions_are_part_of_the_identity() {
        let base = settled(&RosterSettings::default(), &PermissionTerms::default(), &PermissionTerms::default());
        let change = |change: fn(&mut Launch)| {
            let mut launch = base.clone();
            change(&mut launch);
            assert_ne!(identity(&launch), identity(&base));
        };
        change(|launch| launch.limits.memory_mb += 1);
        change(|launch| launch.limits.cpu_s = 1);
        change(|launch| launch.sandbox = SandboxMode::Strict);
        change(|launch| launch.startup *= 2);
        change(|launch| launch.fresh = true);
        change(|launch| launch.freeze_idle = true);
    }
}
