//! Sends results, and acknowledges a batch once the broker has all of them: never before, or they could be lost.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::AckKind;
use async_nats::jetstream::message::Acker;
use tokio::sync::mpsc;

use crate::cluster::broker::Broker;
use crate::cluster::subjects;
use crate::text::causes;

/// Pause before another attempt to send results: the broker may be restarting, or wait for a coordinator that is slow.
const PAUSE: Duration = Duration::from_millis(500);

/// A message to be sent.
pub(super) struct Letter {
    pub(super) event: String,
    pub(super) batch: u64,
    /// Tells it from others of this worker.
    pub(super) id: String,
    pub(super) bytes: Vec<u8>,
    /// The batch, if this is its last message.
    pub(super) closes: Option<Arc<Acker>>,
}

/// What became of messages.
pub(super) enum Posted {
    /// The broker has the last results of this batch.
    Closed(u64),
    /// The broker does not take results, for this reason; it is tried again.
    Delayed(String),
    /// It takes them again.
    Resumed,
}

/// Sends letters one after the other, however long it takes, until the sender is gone.
pub(super) async fn run(
    broker: Broker,
    mut letters: mpsc::UnboundedReceiver<Letter>,
    posted: mpsc::UnboundedSender<Posted>,
) {
    while let Some(letter) = letters.recv().await {
        let subject = subjects::results(&letter.event, letter.batch);
        let mut is_delayed = false;
        while let Err(error) = broker.publish(subject.clone(), &letter.id, letter.bytes.clone()).await {
            if !std::mem::replace(&mut is_delayed, true) {
                let _ = posted.send(Posted::Delayed(causes(&error).join(": ")));
            }
            if posted.is_closed() {
                return;
            }
            tokio::time::sleep(PAUSE).await;
        }
        if is_delayed {
            let _ = posted.send(Posted::Resumed);
        }
        if let Some(acker) = letter.closes {
            // If it is lost, the batch is played once more, and its results are recognised.
            let _ = acker.double_ack_with(AckKind::Ack).await;
            let _ = posted.send(Posted::Closed(letter.batch));
        }
    }
}

/// How the batches of this worker are acknowledged, by their numbers.
#[derive(Default)]
pub(super) struct Ackers(HashMap<u64, Arc<Acker>>);

impl Ackers {
    pub(super) fn add(&mut self, batch: u64, acker: Acker) {
        self.0.insert(batch, Arc::new(acker));
    }

    pub(super) fn get(&self, batch: u64) -> Option<Arc<Acker>> {
        self.0.get(&batch).cloned()
    }

    pub(super) fn remove(&mut self, batch: u64) -> Option<Arc<Acker>> {
        self.0.remove(&batch)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Tells the broker that all batches are still being played.
    pub(super) async fn progress(&self) {
        for acker in self.0.values() {
            // If it is lost, another one follows in time.
            let _ = acker.ack_with(AckKind::Progress).await;
        }
    }

    /// Gives all batches back to the broker, which delivers them to another worker at once.
    pub(super) async fn give_back(&mut self) {
        for (_, acker) in self.0.drain() {
            let _ = acker.ack_with(AckKind::Nak(None)).await;
        }
    }
}
