//! Takes batches from the broker, one at a time, when they are wanted.

use std::time::Duration;

use arena_core::text::causes;
use async_nats::datetime::DateTime;
use async_nats::jetstream::message::Acker;
use futures_util::StreamExt as _;
use tokio::sync::{broadcast, mpsc};

use crate::cluster::broker::{Broker, Consumer, Denied, Incident};
use crate::cluster::subjects;
use crate::cluster::wire::{BatchMessage, read};

/// How long the broker keeps a request for a batch; then it is made again.
const EXPIRES: Duration = Duration::from_secs(20);
/// Pause after an error, or while there is no coordinator.
const PAUSE: Duration = Duration::from_secs(1);

/// What comes from the broker.
pub(super) enum Pulled {
    Batch(BatchMessage, Box<Acker>),
    /// There is a queue.
    Ready {
        /// A batch is delivered to another worker after this long without news.
        ack_wait: Duration,
        created: DateTime,
    },
    /// There is no queue yet.
    NoQueue,
    /// A batch that cannot be read.
    Unreadable(String),
    /// This user may not take batches.
    Denied(String),
}

/// Takes one batch for each of `wanted`, until the receiver is gone.
pub(super) async fn run(broker: Broker, mut wanted: mpsc::Receiver<()>, pulled: mpsc::Sender<Pulled>) {
    let mut consumer: Option<Consumer> = None;
    let mut incidents = broker.incidents();
    while wanted.recv().await.is_some() {
        loop {
            let current = match consumer.take() {
                Some(current) => current,
                None => match find(&broker, &pulled).await {
                    Some(current) => current,
                    None => return,
                },
            };
            match take(&current, &mut incidents).await {
                Ok(Some((bytes, acker))) => {
                    consumer = Some(current);
                    let news = match read::<BatchMessage>(&bytes) {
                        Ok(batch) => Pulled::Batch(batch, Box::new(acker)),
                        Err(why) => {
                            // Another worker may have the right version.
                            let _ = acker.ack_with(async_nats::jetstream::AckKind::Nak(Some(EXPIRES))).await;
                            Pulled::Unreadable(why.to_string())
                        }
                    };
                    let is_batch = matches!(news, Pulled::Batch(..));
                    if pulled.send(news).await.is_err() {
                        return;
                    }
                    if is_batch {
                        break;
                    }
                }
                Ok(None) => consumer = Some(current),
                // The queue may be gone, or another one: it is looked for.
                Err(Interrupted::Reconnected) => {}
                Err(Interrupted::Failed) => tokio::time::sleep(PAUSE).await,
            }
            if pulled.is_closed() {
                return;
            }
        }
    }
}

/// Waits for the queue; `None` if it is no use.
async fn find(broker: &Broker, pulled: &mpsc::Sender<Pulled>) -> Option<Consumer> {
    loop {
        let news = match broker.work_consumer(&subjects::target()).await {
            Ok(consumer) => {
                let info = consumer.cached_info();
                let ready = Pulled::Ready { ack_wait: info.config.ack_wait, created: info.created };
                pulled.send(ready).await.ok()?;
                return Some(consumer);
            }
            Err(error) if error.is::<Denied>() => {
                let _ = pulled.send(Pulled::Denied(causes(error.as_ref()).join(": "))).await;
                return None;
            }
            Err(_) => Pulled::NoQueue,
        };
        pulled.send(news).await.ok()?;
        tokio::time::sleep(PAUSE).await;
    }
}

/// Why a request for a batch has no answer.
enum Interrupted {
    /// The connection was lost for a while. A server that was restarted does not know the request.
    Reconnected,
    /// The broker has no such queue, or something else failed.
    Failed,
}

/// A batch, if one comes in time.
async fn take(
    consumer: &Consumer,
    incidents: &mut broadcast::Receiver<Incident>,
) -> Result<Option<(Vec<u8>, Acker)>, Interrupted> {
    let request = consumer.batch().max_messages(1).expires(EXPIRES).messages();
    let mut messages = request.await.map_err(|_| Interrupted::Failed)?;
    let message = loop {
        tokio::select! {
            message = messages.next() => break message,
            incident = incidents.recv() => if incident == Ok(Incident::Connected) {
                return Err(Interrupted::Reconnected);
            },
        }
    };
    match message {
        Some(Ok(message)) => {
            let (message, acker) = message.split();
            Ok(Some((message.payload.to_vec(), acker)))
        }
        Some(Err(_)) => Err(Interrupted::Failed),
        None => Ok(None),
    }
}
