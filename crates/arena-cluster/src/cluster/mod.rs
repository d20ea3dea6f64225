//! Many machines: a coordinator gives out batches of games through a broker (NATS with `JetStream`), and workers play them.
//!
//! The broker is soft state. The truth is the coordinator's journal: whatever the broker loses is published again, and a
//! game that comes twice counts once. So results do not depend on machines, on their number or on what fails.
//!
//! ```text
//! scheduler ──► Coordinator ──► work.TARGET.EVENT ──► worker ──► executor::Local
//!     ▲          │ Batches                              │
//!     └──────────┘ ◄──────────── res.EVENT.* ◄──────────┘
//!
//! Found ── pack ──► Package ──── bucket `bots` ─────► Store ── load ──► Found
//! Tournament ── prepare ─► Manifest ── sign ── open ─────► bots, settings, event
//! ```
//!
//! [`batches`] decides, without a clock or a connection, which games are published together and what to do about lost ones.
//! A bot is known by its fingerprint, which does not depend on where it lies. So a worker plays a bot only if what it loaded
//! has the fingerprint of the manifest. A worker is a module of its own, above the session: it fences bots in as a session
//! does.

pub mod batches;
pub mod broker;
pub mod census;
pub mod coordinator;
pub mod key;
pub mod manifest;
pub mod package;
mod prepare;
mod session_workers;
pub mod store;
pub mod subjects;
#[cfg(test)]
mod tests;
mod unpack;
pub mod wire;

pub use key::{PublicKey, PublicKeyError, SecretKey};
pub use manifest::{BotSettings, BotSource, EventManifest, ManifestError, PackedBot};
pub use package::{PACKAGE_BYTES_MAX, Package, pack};
pub use prepare::{Prepared, prepare};
pub use session_workers::NatsWorkers;
pub use store::Store;
