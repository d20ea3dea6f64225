//! The workers that are there, as they say themselves.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::StreamExt as _;

use super::broker::{Access, Broker};
use super::subjects::WORKERS;
use super::wire::{PresenceMessage, read};

/// How long to listen: a little longer than workers are silent.
const LISTEN: Duration = Duration::from_millis(2_500);

/// The workers that speak within a few seconds, by id; and warnings about the broker.
///
/// # Errors
///
/// Returns an error if there is no broker, or this user may not listen to workers.
pub fn workers(access: &Access) -> anyhow::Result<(Vec<PresenceMessage>, Vec<String>)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let (broker, warnings) = Broker::connect(access, "arena workers").await?;
        let mut seen = BTreeMap::new();
        let listening = async {
            let mut presences = broker.client().subscribe(WORKERS).await?;
            let until = tokio::time::Instant::now() + LISTEN;
            while let Ok(Some(message)) = tokio::time::timeout_at(until, presences.next()).await {
                // A worker of another version is not one of ours.
                if let Ok(presence) = read::<PresenceMessage>(&message.payload) {
                    seen.insert(presence.worker.clone(), presence);
                }
            }
            Ok::<_, anyhow::Error>(())
        };
        broker.ask("listening to workers", listening).await?;
        Ok((seen.into_values().filter(|presence| presence.slots > 0).collect(), warnings))
    })
}
