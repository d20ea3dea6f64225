//! How a bot is spoken to, as data: what of the bytes it gets follows from its own settings, and not from the game.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The protocol of a bot with its settings, so that what it was sent in a stored game can be written again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Speech {
    /// Name of the protocol.
    pub protocol: String,
    /// Its version.
    pub version: u32,
    /// Options of that protocol.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: DialectOptions,
    /// The memory limit of the bot, 0 for none.
    pub memory_mb: u64,
}

/// Options of a protocol from a manifest, by name.
pub type DialectOptions = BTreeMap<String, OptionValue>;

/// The value of an option of a protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum OptionValue {
    /// True or false.
    Bool(bool),
    /// An integer.
    Integer(i64),
    /// Printable ASCII.
    Text(String),
}

impl OptionValue {
    /// Maximum length of a text, in bytes.
    pub const BYTES_MAX: usize = 256;

    /// A text that fits on a line of any protocol; `None` if it is too long or not printable ASCII.
    #[must_use]
    pub fn text(text: &str) -> Option<Self> {
        let fits = text.len() <= Self::BYTES_MAX && text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        fits.then(|| Self::Text(text.to_owned()))
    }
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Integer(value) => value.fmt(f),
            Self::Text(text) => f.write_str(text),
        }
    }
}
