//! Tournaments on several machines, with the engines that people have. Ignored, since they need these:
//! `cargo test --features nats --test cluster -- --ignored`. Everything listens on the loopback interface only.
#![allow(dead_code, reason = "the support of the integration tests has more than is needed here")]

mod cup;
#[cfg(feature = "nats")]
mod nats;
#[path = "../it/procfs.rs"]
mod procfs;
mod slurm;
#[path = "../it/support.rs"]
mod support;
