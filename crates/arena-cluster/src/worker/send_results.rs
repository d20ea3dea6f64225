//! Sends results, and tells when the broker has all of a batch: not before that is it acknowledged, or they could be lost.

use std::time::Duration;

use arena_core::text::causes;
use tokio::sync::mpsc;

use crate::cluster::broker::Broker;
use crate::cluster::subjects;

/// Pause before another attempt to send results: the broker may be restarting, or wait for a coordinator that is slow.
const PAUSE: Duration = Duration::from_millis(500);

/// A message to be sent.
pub(super) struct ResultsToSend {
    pub(super) event: String,
    pub(super) batch: u64,
    /// Tells it from others of this worker.
    pub(super) id: String,
    pub(super) bytes: Vec<u8>,
    /// Whether this is the last message of the batch.
    pub(super) is_last: bool,
}

/// What became of messages.
pub(super) enum Delivery {
    /// The broker has the last results of this batch.
    Complete(u64),
    /// The broker does not take results, for this reason; it is tried again.
    Delayed(String),
    /// It takes them again.
    Resumed,
}

/// Sends results one after the other, however long it takes, until the sender is gone.
pub(super) async fn run(
    broker: Broker,
    mut results: mpsc::UnboundedReceiver<ResultsToSend>,
    delivery: mpsc::UnboundedSender<Delivery>,
) {
    while let Some(message) = results.recv().await {
        let subject = subjects::results(&message.event, message.batch);
        let mut is_delayed = false;
        while let Err(error) = broker.publish(subject.clone(), &message.id, message.bytes.clone()).await {
            if !std::mem::replace(&mut is_delayed, true) {
                let _ = delivery.send(Delivery::Delayed(causes(error.as_ref()).join(": ")));
            }
            if delivery.is_closed() {
                return;
            }
            tokio::time::sleep(PAUSE).await;
        }
        if is_delayed {
            let _ = delivery.send(Delivery::Resumed);
        }
        if message.is_last {
            let _ = delivery.send(Delivery::Complete(message.batch));
        }
    }
}
