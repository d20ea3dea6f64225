//! Many machines: a coordinator gives out batches of games through a broker (NATS JetStream), and workers play them.
//!
//! The broker is soft state. The truth is the coordinator's journal: whatever the broker loses is published again, and a
//! game that comes twice counts once. So results do not depend on machines, on their number or on what fails.
//!
//! ```text
//! scheduler ──► Coordinator ──► work.TARGET.EVENT ──► worker ──► executor::Local
//!     ▲          │ Batches                              │
//!     └──────────┘ ◄──────────── res.EVENT.* ◄──────────┘
//! ```
//!
//! [`batches`] decides, without a clock or a connection, which games are published together and what to do about lost ones.
//! A worker is a module of its own, above the session: it fences bots in as a session does.

pub mod batches;
pub mod broker;
pub mod coordinator;
pub mod subjects;
pub mod wire;
