//! The manifest of an event: everything that a worker needs to play any of its games.
//!
//! Its bytes are one line of JSON. A signature is a second line with the public key and the Ed25519 signature of the first
//! one. The id of an event, by which its jobs and results are known, is a hash of the first line.

mod bot;
mod error;

use std::collections::HashSet;

use anyhow::{Context, bail};
use arena_core::event::Tournament;
use arena_core::text::shown;
use arena_play::roster::RosterSettings;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::key::{PublicKey, PublicKeyError, SecretKey};
use super::store::is_hash;
pub use bot::{BotSettings, BotSource, PackedBot};
pub use error::ManifestError;

/// Version of the manifest and of what coordinators and workers send each other.
pub const VERSION: u32 = 1;
/// What is signed begins with this, so that no other signature counts.
const SIGNED: &[u8] = b"arena event manifest\n";

/// An event for workers.
#[derive(Debug, Clone)]
pub struct EventManifest {
    /// The line of JSON.
    bytes: Vec<u8>,
    contents: ManifestFields,
}

/// The fields of a manifest.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ManifestFields {
    version: u32,
    event: Tournament,
    bots: Vec<PackedBot>,
    /// The hash of the package with the rules, if they are a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rules: Option<String>,
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
struct ManifestSignature {
    key: String,
    signature: String,
}

impl EventManifest {
    /// The manifest of an event whose bots come from `sources`, in the order of [`Tournament::bots`]; `rules` is the hash of the
    /// package with its rules, if they are a program.
    ///
    /// # Errors
    ///
    /// Returns an error if there are more or fewer sources than bots.
    pub fn new(
        event: &Tournament,
        sources: Vec<BotSource>,
        rules: Option<String>,
        settings: &RosterSettings,
    ) -> anyhow::Result<Self> {
        if sources.len() != event.bots.len() {
            bail!("the event has {} bots, and {} of them were found", event.bots.len(), sources.len());
        }
        let bots = event.bots.iter().zip(sources);
        let bots = bots.map(|(bot, source)| PackedBot {
            name: bot.id.name.clone(),
            fingerprint: bot.id.fingerprint.clone(),
            source,
        });
        let (event, bots, settings) = (event.clone(), bots.collect(), BotSettings::of(settings));
        let contents = ManifestFields { version: VERSION, event, bots, rules, settings };
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
    pub fn event(&self) -> &Tournament {
        &self.contents.event
    }

    /// Its bots, in the order of [`Tournament::bots`].
    #[must_use]
    pub fn bots(&self) -> &[PackedBot] {
        &self.contents.bots
    }

    /// The hash of the package with its rules, if they are a program.
    #[must_use]
    pub fn rules(&self) -> Option<&str> {
        self.contents.rules.as_deref()
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
    pub fn sign(&self, key: &SecretKey) -> anyhow::Result<Vec<u8>> {
        let signature = key.sign(&signed(&self.bytes)).context("signing the manifest of the event")?;
        let signature = ManifestSignature { key: key.public().to_string(), signature: STANDARD.encode(signature) };
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
        let contents: ManifestFields = serde_json::from_slice(line).map_err(malformed)?;
        contents.check().map_err(ManifestError::Malformed)?;
        Ok(Self { bytes: line.to_vec(), contents })
    }
}

fn signed(line: &[u8]) -> Vec<u8> {
    [SIGNED, line].concat()
}

fn check_signature(line: &[u8], second: &[u8], trusted: &[PublicKey]) -> Result<(), ManifestError> {
    let malformed = |why: String| ManifestError::Malformed(format!("its signature: {why}"));
    let ManifestSignature { key, signature } =
        serde_json::from_slice(second).map_err(|error| malformed(shown(&error.to_string())))?;
    let public: PublicKey = key.parse().map_err(|error: PublicKeyError| malformed(error.to_string()))?;
    if !trusted.is_empty() && !trusted.contains(&public) {
        return Err(ManifestError::Untrusted { key, trusted: trusted.to_vec() });
    }
    let is_signed = STANDARD.decode(signature).is_ok_and(|bytes| public.has_signed(&signed(line), &bytes));
    if is_signed { Ok(()) } else { Err(ManifestError::Altered { key }) }
}

impl ManifestFields {
    /// Checks that its parts fit together.
    fn check(&self) -> Result<(), String> {
        if self.bots.len() != self.event.bots.len() {
            return Err(format!("it has {} bots, and its event has {}", self.bots.len(), self.event.bots.len()));
        }
        if self.rules.is_some() != self.event.program.is_some() {
            return Err("it has a program of rules, or its event has one, but not both".to_owned());
        }
        if self.rules.as_deref().is_some_and(|hash| !is_hash(hash)) {
            return Err("the package of its rules is not a hash".to_owned());
        }
        let mut names = HashSet::new();
        for (bot, entry) in self.bots.iter().zip(&self.event.bots) {
            let name = shown(&bot.name);
            if (&bot.name, &bot.fingerprint) != (&entry.id.name, &entry.id.fingerprint) || !names.insert(&bot.name) {
                return Err(format!("the bot `{name}` is not the one of its event"));
            }
            if let BotSource::Package(hash) = &bot.source
                && !is_hash(hash)
            {
                return Err(format!("the package of the bot `{name}` is not a hash"));
            }
        }
        Ok(())
    }
}
