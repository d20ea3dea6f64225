//! Tournaments over NATS, with real servers, coordinators and workers on this machine. Each test starts its own server:
//! `$NATS_SERVER`, else `nats-server`. They are ignored by default, since not every machine has one:
//!
//! ```text
//! cargo test --features nats --test cluster -- --ignored
//! ```

mod faults;
mod kit;
mod rights;
mod trust;
