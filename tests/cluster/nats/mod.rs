//! Tournaments over NATS, with real servers, coordinators and workers on this machine. Each test starts its own server:
//! `$NATS_SERVER`, else `nats-server`.

mod faults;
mod kit;
mod rights;
mod trust;
