//! The manifest of an event: everything that a worker needs to play any of its games.
//!
//! Its bytes are one line of JSON. A signature is a second line with the public key and the Ed25519 signature of the first
//! one. The id of an event, by which its jobs and results are known, is a hash of the first line.

use std::collections::HashSet;
use std::time::Duration;

use anyhow::{Context, bail};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::key::{Key, PublicKey};
use super::store::{Store, is_hash};
use crate::event::Event;
use crate::guard::{GuardProgram, NamedLimits, SandboxMode};
use crate::roster::{Found, Roster, Settings};
use crate::strategy::Strategy;
use crate::text::shown;

/// Version of the manifest and of what coordinators and workers send each other.
pub const VERSION: u32 = 1;
/// What is signed begins with this, so that no other signature counts.
const SIGNED: &[u8] = b"arena event manifest\n";

/// An event for workers.
#[derive(Debug, Clone)]
pub struct Manifest {
    /// The line of JSON.
    bytes: Vec<u8>,
    contents: Contents,
}

/// The fields of a manifest.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    version: u32,
    event: Event,
    bots: Vec<Bot>,
    settings: BotSettings,
}

/// Reads the version alone, whatever else there is.
#[derive(Deserialize)]
struct Version {
    version: u32,
}

/// The second line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Signature {
    key: String,
    signature: String,
}

/// A bot of the event, in the order of [`Event::bots`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bot {
    /// Its name.
    pub name: String,
    /// The fingerprint that it must have where it plays.
    pub fingerprint: String,
    /// Where it comes from.
    pub source: Source,
}

/// Where a bot comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
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

/// The error for a manifest that is not used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// It is not one.
    #[error("the manifest of the event cannot be read: {0}")]
    Malformed(String),
    /// It was written for another version.
    #[error(
        "the manifest of the event has version {0}, and this arena reads {VERSION}; use one version of arena on all machines"
    )]
    Version(u32),
    /// It has no signature, and one is required.
    #[error(
        "the manifest of the event is not signed, and only those signed by {} are accepted; sign it with that key",
        keys(trusted)
    )]
    Unsigned {
        /// The keys that are trusted.
        trusted: Vec<PublicKey>,
    },
    /// It is signed with another key.
    #[error(
        "the manifest of the event is signed by {key}, and only {} is trusted; if that key is right, trust it too",
        keys(trusted)
    )]
    Untrusted {
        /// The key that it is signed with, as far as it says.
        key: String,
        /// The keys that are trusted.
        trusted: Vec<PublicKey>,
    },
    /// It is not what was signed.
    #[error("the manifest of the event is not what {key} has signed; it was changed, and is not used")]
    Altered {
        /// The key that it claims to be signed with.
        key: String,
    },
}

fn keys(keys: &[PublicKey]) -> String {
    keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ")
}

impl Manifest {
    /// The manifest of an event whose bots come from `sources`, in the order of [`Event::bots`].
    ///
    /// # Errors
    ///
    /// Returns an error if there are more or fewer sources than bots.
    pub fn new(event: &Event, sources: Vec<Source>, settings: &Settings) -> anyhow::Result<Self> {
        if sources.len() != event.bots.len() {
            bail!("the event has {} bots, and {} of them were found", event.bots.len(), sources.len());
        }
        let bots = event.bots.iter().zip(sources);
        let bots = bots.map(|(bot, source)| Bot {
            name: bot.id.name.clone(),
            fingerprint: bot.id.fingerprint.clone(),
            source,
        });
        let (event, bots, settings) = (event.clone(), bots.collect(), BotSettings::of(settings));
        let contents = Contents { version: VERSION, event, bots, settings };
        let bytes = serde_json::to_vec(&contents).context("writing the manifest of the event")?;
        Ok(Self { bytes, contents })
    }

    /// Its bytes, without a signature.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The id of the event: the first 16 hexadecimal digits of the BLAKE3 hash of the bytes.
    #[must_use]
    pub fn id(&self) -> String {
        blake3::hash(&self.bytes).to_hex()[..16].to_owned()
    }

    /// The event.
    #[must_use]
    pub fn event(&self) -> &Event {
        &self.contents.event
    }

    /// Its bots, in the order of [`Event::bots`].
    #[must_use]
    pub fn bots(&self) -> &[Bot] {
        &self.contents.bots
    }

    /// The settings of its bots.
    #[must_use]
    pub fn settings(&self) -> &BotSettings {
        &self.contents.settings
    }

    /// The bytes with a signature.
    ///
    /// # Errors
    ///
    /// Returns an error if the key cannot sign.
    pub fn sign(&self, key: &Key) -> anyhow::Result<Vec<u8>> {
        let signature = key.sign(&signed(&self.bytes)).context("signing the manifest of the event")?;
        let signature = Signature { key: key.public().to_string(), signature: STANDARD.encode(signature) };
        let mut bytes = self.bytes.clone();
        bytes.push(b'\n');
        bytes.extend(serde_json::to_vec(&signature).context("signing the manifest of the event")?);
        Ok(bytes)
    }

    /// Reads a manifest with or without a signature. If keys are `trusted`, one of them must have signed it.
    ///
    /// # Errors
    ///
    /// Returns [`ManifestError`] if it is not accepted. Nothing in it was then used.
    pub fn open(bytes: &[u8], trusted: &[PublicKey]) -> Result<Self, ManifestError> {
        let (line, second) = match bytes.iter().position(|byte| *byte == b'\n') {
            Some(end) => (&bytes[..end], Some(&bytes[end + 1..])),
            None => (bytes, None),
        };
        match second {
            Some(second) => check_signature(line, second, trusted)?,
            None if trusted.is_empty() => {}
            None => return Err(ManifestError::Unsigned { trusted: trusted.to_vec() }),
        }
        let malformed = |error: serde_json::Error| ManifestError::Malformed(shown(&error.to_string()));
        let Version { version } = serde_json::from_slice(line).map_err(malformed)?;
        if version != VERSION {
            return Err(ManifestError::Version(version));
        }
        let contents: Contents = serde_json::from_slice(line).map_err(malformed)?;
        contents.check().map_err(ManifestError::Malformed)?;
        Ok(Self { bytes: line.to_vec(), contents })
    }
}

fn signed(line: &[u8]) -> Vec<u8> {
    [SIGNED, line].concat()
}

fn check_signature(line: &[u8], second: &[u8], trusted: &[PublicKey]) -> Result<(), ManifestError> {
    let malformed = |why: String| ManifestError::Malformed(format!("its signature: {why}"));
    let Signature { key, signature } =
        serde_json::from_slice(second).map_err(|error| malformed(shown(&error.to_string())))?;
    let public: PublicKey = key.parse().map_err(malformed)?;
    if !trusted.is_empty() && !trusted.contains(&public) {
        return Err(ManifestError::Untrusted { key, trusted: trusted.to_vec() });
    }
    let is_signed = STANDARD.decode(signature).is_ok_and(|bytes| public.has_signed(&signed(line), &bytes));
    if is_signed { Ok(()) } else { Err(ManifestError::Altered { key }) }
}

impl Contents {
    /// Checks that its parts fit together.
    fn check(&self) -> Result<(), String> {
        if self.bots.len() != self.event.bots.len() {
            return Err(format!("it has {} bots, and its event has {}", self.bots.len(), self.event.bots.len()));
        }
        let mut names = HashSet::new();
        for (bot, entry) in self.bots.iter().zip(&self.event.bots) {
            let name = shown(&bot.name);
            if (&bot.name, &bot.fingerprint) != (&entry.id.name, &entry.id.fingerprint) || !names.insert(&bot.name) {
                return Err(format!("the bot `{name}` is not the one of its event"));
            }
            if let Source::Package(hash) = &bot.source
                && !is_hash(hash)
            {
                return Err(format!("the package of the bot `{name}` is not a hash"));
            }
        }
        Ok(())
    }
}

impl Bot {
    /// Loads the bot on this machine. A bot with a package must be in the `store`.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be used here, or if it is not the bot of the event.
    pub fn load(&self, store: &Store, settings: &Settings) -> anyhow::Result<Found> {
        let of = || format!("bot `{}`", shown(&self.name));
        let (found, cure) = match &self.source {
            Source::Package(hash) => {
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
            Source::Builtin(name) => {
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
    pub fn of(settings: &Settings) -> Self {
        let Settings { sandbox, limits, startup_max, freeze_idle, guard: _, bots: _ } = settings;
        let startup_max_ms = u64::try_from(startup_max.as_millis()).unwrap_or(u64::MAX);
        Self { sandbox: *sandbox, limits: limits.clone(), startup_max_ms, freeze_idle: *freeze_idle }
    }

    /// Settings of a roster whose bots are started from `guard`.
    #[must_use]
    pub fn with_guard(&self, guard: GuardProgram) -> Settings {
        Settings {
            guard,
            sandbox: self.sandbox,
            limits: self.limits.clone(),
            startup_max: Duration::from_millis(self.startup_max_ms),
            freeze_idle: self.freeze_idle,
            bots: None,
        }
    }
}
