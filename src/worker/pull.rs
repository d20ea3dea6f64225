//! Takes batches from the broker, one at a time, when they are wanted.

use std::time::Duration;

use async_nats::jetstream::message::Acker;
use futures_util::StreamExt as _;
use tokio::sync::{broadcast, mpsc};

use crate::cluster::broker::{Broker, Consumer, Denied, Incident};
use crate::cluster::subjects;
use crate::cluster::wire::{BatchMessage, read};
use crate::text::causes;

/// How long the broker keeps a request for a batch; then it is made again.
const EXPIRES: Duration = Duration::from_secs(20);
/// Pause after an error, or while there is no coordinator.
const PAUSE: Duration = Duration::from_secs(1);

/// What comes from the broker.
pub(super) enum Pulled {
    Batch(BatchMessage, Box<Acker>),
    /// There is a queue; a batch in it is delivered to another worker after this long without news.
    Ready(Duration),
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
                            Pulled::Unreadable(why)
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
                // The queue may be gone: it is looked for again.
                Err(_) => tokio::time::sleep(PAUSE).await,
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
                pulled.send(Pulled::Ready(consumer.cached_info().config.ack_wait)).await.ok()?;
                return Some(consumer);
            }
            Err(error) if error.is::<Denied>() => {
                let _ = pulled.send(Pulled::Denied(causes(&error).join(": "))).await;
                return None;
            }
            Err(_) => Pulled::NoQueue,
        };
        pulled.send(news).await.ok()?;
        tokio::time::sleep(PAUSE).await;
    }
}

/// A batch, if one comes in time.
async fn take(
    consumer: &Consumer,
    incidents: &mut broadcast::Receiver<Incident>,
) -> anyhow::Result<Option<(Vec<u8>, Acker)>> {
    let mut messages = consumer.batch().max_messages(1).expires(EXPIRES).messages().await?;
    let message = loop {
        tokio::select! {
            message = messages.next() => break message,
            // A server that was restarted does not know the request.
            incident = incidents.recv() => if incident == Ok(Incident::Connected) { return Ok(None) },
        }
    };
    match message {
        Some(Ok(message)) => {
            let (message, acker) = message.split();
            Ok(Some((message.payload.to_vec(), acker)))
        }
        Some(Err(error)) => Err(anyhow::anyhow!(error)),
        None => Ok(None),
    }
}
