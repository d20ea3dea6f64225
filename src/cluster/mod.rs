//! What machines need from each other to play one event together: bots as packages, and a manifest that says what is
//! played and that workers can trust.
//!
//! ```text
//! coordinator                                        worker
//! Found ── pack ──► Package ──── any transport ────► Store ── load ──► Found
//! Event ── prepare ─► Manifest ── sign ── open ────► bots, settings, event
//! ```
//!
//! A bot is known by its fingerprint, which does not depend on where it lies. So a worker plays a bot only if what it loaded
//! has the fingerprint of the manifest. Nothing here knows how bytes are transported.

pub mod key;
mod layout;
pub mod manifest;
pub mod package;
mod prepare;
pub mod store;
#[cfg(test)]
mod tests;
mod unpack;

pub use key::{Key, PublicKey};
pub use manifest::{Bot, BotSettings, Manifest, ManifestError, Source};
pub use package::{PACKAGE_BYTES_MAX, Package, pack};
pub use prepare::{Prepared, prepare};
pub use store::Store;
