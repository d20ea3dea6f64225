//! Names at the broker. Rights are given by them, so they are few and fixed (docs/cluster.md).

use std::borrow::Cow;

/// The stream of batches to play. A batch leaves it when it is acknowledged.
pub const WORK: &str = "WORK";
/// The stream of results, which leave it when they are in the coordinator's journal.
pub const RESULTS: &str = "RES";
/// The bucket of manifests and packages of bots.
pub const BOTS: &str = "bots";
/// Subjects on which workers say what they are doing.
pub const WORKERS: &str = "worker.*";

/// What machines of this kind can run, and the name of the consumer from which they take batches.
#[must_use]
pub fn target() -> String {
    format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)
}

/// The subject of the batches of an event.
#[must_use]
pub fn work(target: &str, event: &str) -> String {
    format!("work.{target}.{event}")
}

/// The subject of the results of a batch.
#[must_use]
pub fn results(event: &str, batch: u64) -> String {
    format!("res.{event}.{batch}")
}

/// The subjects of all results of an event.
#[must_use]
pub fn all_results(event: &str) -> String {
    format!("res.{event}.>")
}

/// The subject on which a worker says what it is doing.
#[must_use]
pub fn worker(id: &str) -> String {
    format!("worker.{id}")
}

/// The subject on which a coordinator says that batches need not be played.
#[must_use]
pub fn halt(event: &str) -> String {
    format!("halt.{event}")
}

/// The subjects of this kind of all coordinators.
pub const HALTS: &str = "halt.*";

/// A word that can be part of a subject: other characters become `-`.
#[must_use]
pub fn token(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.into();
    }
    let plain: String = text.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
    if plain.is_empty() { "-".into() } else { plain.into() }
}
