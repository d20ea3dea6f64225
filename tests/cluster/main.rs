//! Tournaments on several machines, with the engines that people have: one tournament in one process, as shards, by workers,
//! and by workers that are tasks of a scheduler, with the same tables. Ignored, since they need these engines:
//! `cargo test --features nats --test cluster -- --ignored`. Everything listens on the loopback interface only.
#![allow(dead_code, reason = "the support of the integration tests has more than is needed here")]

mod cup;
mod faults;
mod kit;
mod machine;
mod pilots;
#[path = "../it/procfs.rs"]
mod procfs;
mod programs;
mod rights;
mod server;
mod shards;
mod slurm;
#[path = "../it/support.rs"]
mod support;
mod trust;
