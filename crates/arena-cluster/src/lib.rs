//! Games played by workers on many machines, over NATS `JetStream`.
//!
//! | module | purpose | must not know |
//! |---|---|---|
//! | [`cluster`] | packages of bots, batches, messages, the broker | schedules, sessions |
//! | [`worker`] | plays games for coordinators, with slots of this machine | schedules, journals |

pub mod cluster;
#[cfg(test)]
#[path = "../../arena-core/src/fixture.rs"]
mod fixture;
pub mod worker;
