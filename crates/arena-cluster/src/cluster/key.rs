//! Keys: who prepared an event.
//!
//! They are keys of NATS (Ed25519, written as `SU…` and `U…`), but should not be used to log in to a server as well: a login
//! signs what the server asks for.

use std::fmt;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::str::FromStr;

use anyhow::{Context, bail};
use arena_core::text::shown;
use arena_guard::open_foreign;
use arena_store::journal::Signer;
use nkeys::KeyPair;

/// A secret key. It is shown as its public key.
pub struct SecretKey(KeyPair);

impl SecretKey {
    /// The key with this seed, `SU…`.
    ///
    /// # Errors
    ///
    /// Returns an error, without the seed, if it is none.
    pub fn from_seed(seed: &str) -> anyhow::Result<Self> {
        let pair = KeyPair::from_seed(seed).ok().filter(|_| seed.starts_with("SU"));
        Ok(Self(pair.context("it is not the seed of a user's key: SU and 56 more of A-Z and 2-7")?))
    }

    /// Reads the seed in a file, or creates the file with a new key.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or created, if other users may read it, or if it is not a seed.
    pub fn read_or_create(path: &Path) -> anyhow::Result<Self> {
        let named = || format!("key file {}", shown(&path.to_string_lossy()));
        match File::options().write(true).create_new(true).mode(0o600).open(path) {
            Ok(file) => Self::create(file).with_context(named),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Self::read(path).with_context(named),
            Err(error) => Err(error).with_context(named),
        }
    }

    fn create(mut file: File) -> anyhow::Result<Self> {
        let pair = KeyPair::new_user();
        let seed = pair.seed()?;
        writeln!(file, "{seed}")?;
        file.sync_all()?;
        Ok(Self(pair))
    }

    fn read(path: &Path) -> anyhow::Result<Self> {
        const BYTES_MAX: u64 = 1_000;
        let file = open_foreign(path)?;
        let mode = file.metadata()?.mode() & 0o777;
        if mode & 0o077 != 0 {
            bail!(
                "others may read it (mode {mode:o}), so it is no secret; make a new one, or chmod 600 it if no one did"
            );
        }
        let mut text = String::new();
        file.take(BYTES_MAX).read_to_string(&mut text)?;
        Self::from_seed(text.trim())
    }

    /// The public key, which workers trust.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.public_key())
    }

    pub(super) fn sign(&self, bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
        Ok(self.0.sign(bytes)?)
    }
}

impl Signer for SecretKey {
    fn public(&self) -> String {
        Self::public(self).to_string()
    }

    fn sign(&self, bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
        Self::sign(self, bytes)
    }

    fn is_signed_by(&self, key: &str, bytes: &[u8], signature: &[u8]) -> bool {
        key.parse().is_ok_and(|key: PublicKey| key.has_signed(bytes, signature))
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Key").field(&self.0.public_key()).finish()
    }
}

/// A public key, `U…`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PublicKey(String);

impl PublicKey {
    /// Whether this key has signed `bytes`.
    #[must_use]
    pub fn has_signed(&self, bytes: &[u8], signature: &[u8]) -> bool {
        KeyPair::from_public_key(&self.0).is_ok_and(|key| key.verify(bytes, signature).is_ok())
    }
}

/// A text that is not a public key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PublicKeyError {
    /// It is a seed.
    #[error("this is a seed, which is secret; give the public key, which begins with U")]
    Seed,
    /// It is no key.
    #[error("`{}` is not a public key: U and 55 more of A-Z and 2-7", shown(.0))]
    NotAKey(String),
}

impl FromStr for PublicKey {
    type Err = PublicKeyError;

    fn from_str(text: &str) -> Result<Self, PublicKeyError> {
        if text.starts_with("SU") {
            return Err(PublicKeyError::Seed);
        }
        match KeyPair::from_public_key(text) {
            Ok(_) if text.starts_with('U') => Ok(Self(text.to_owned())),
            _ => Err(PublicKeyError::NotAKey(text.to_owned())),
        }
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
