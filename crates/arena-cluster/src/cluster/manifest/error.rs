//! Why a manifest is not used.

use thiserror::Error;

use super::VERSION;
use crate::cluster::key::PublicKey;

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
