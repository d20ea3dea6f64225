//! What a coordinator sends: batches, acknowledgements, and what is to be stopped.

use std::time::Duration;

use arena_core::text::causes;
use async_nats::jetstream::AckKind;
use async_nats::jetstream::message::Acker;
use futures_util::future::join_all;
use tokio::sync::{mpsc, oneshot};

use super::PackedEvent;
use super::listen::CoordinatorNews;
use crate::cluster::broker::Broker;
use crate::cluster::subjects;
use crate::cluster::wire::{HaltMessage, written};

/// Batches that are published together.
const TOGETHER_MAX: usize = 64;
/// Pause before another attempt to publish.
const PAUSE: Duration = Duration::from_millis(500);

/// What the publisher is to do.
pub(super) enum PublishOrder {
    Publish {
        batch: u64,
        bytes: Vec<u8>,
    },
    /// Results are durable.
    Acknowledge(Vec<Acker>),
    /// Workers should stop.
    Halt(HaltMessage),
    /// The batch with this number in the stream is not needed.
    Remove(u64),
    /// The connection was lost for a while: everything must be there.
    SetUp,
    /// The run is over.
    Finish {
        is_over: bool,
        done: oneshot::Sender<()>,
    },
}

pub(super) struct Publisher {
    broker: Broker,
    packed: PackedEvent,
    target: String,
    worker_timeout: Duration,
    heard: mpsc::Sender<CoordinatorNews>,
}

impl Publisher {
    pub(super) fn new(
        broker: Broker,
        packed: PackedEvent,
        worker_timeout: Duration,
        heard: mpsc::Sender<CoordinatorNews>,
    ) -> Self {
        Self { broker, packed, target: subjects::target(), worker_timeout, heard }
    }

    /// The subject of its batches.
    pub(super) fn subject(&self) -> String {
        subjects::work(&self.target, &self.packed.id)
    }

    /// Creates everything at the broker that is not there. Returns whether the stream of batches is new.
    pub(super) async fn set_up(&self) -> anyhow::Result<bool> {
        let is_new = self.broker.set_up(&self.target, self.worker_timeout).await?;
        for (name, bytes) in &self.packed.objects {
            self.broker.store(name, bytes).await?;
        }
        Ok(is_new)
    }

    /// Does what it is told, in order, until the coordinator is gone.
    pub(super) async fn run(self, mut orders: mpsc::UnboundedReceiver<PublishOrder>) {
        let mut next = None;
        while let Some(order) = match next.take() {
            Some(order) => Some(order),
            None => orders.recv().await,
        } {
            match order {
                PublishOrder::Publish { batch, bytes } => {
                    let mut batches = vec![(batch, bytes)];
                    while batches.len() < TOGETHER_MAX {
                        match orders.try_recv() {
                            Ok(PublishOrder::Publish { batch, bytes }) => batches.push((batch, bytes)),
                            other => {
                                next = other.ok();
                                break;
                            }
                        }
                    }
                    self.publish_all(&batches).await;
                }
                PublishOrder::Acknowledge(ackers) => {
                    for acker in ackers {
                        // If it is lost, the result comes again and is recognised.
                        let _ = acker.ack_with(AckKind::Ack).await;
                    }
                }
                PublishOrder::Halt(message) => {
                    let subject = subjects::halt(&self.packed.id);
                    // Workers that miss it finish their batches.
                    let _ = self.broker.client().publish(subject, written(&message).into()).await;
                    let _ = self.broker.purge_work(&self.subject()).await;
                }
                PublishOrder::Remove(sequence) => {
                    // It may be gone.
                    let _ = self.broker.remove_batch(sequence).await;
                }
                PublishOrder::SetUp => self.set_up_again().await,
                PublishOrder::Finish { is_over, done } => {
                    self.finish(is_over).await;
                    let _ = done.send(());
                    return;
                }
            }
        }
    }

    /// Publishes batches together: one after the other, each would wait for the broker's answer.
    async fn publish_all(&self, batches: &[(u64, Vec<u8>)]) {
        let tried = join_all(batches.iter().map(|(batch, bytes)| self.try_publish(*batch, bytes))).await;
        for ((batch, bytes), tried) in batches.iter().zip(tried) {
            if tried.is_err() {
                self.publish(*batch, bytes).await;
            }
        }
    }

    async fn try_publish(&self, batch: u64, bytes: &[u8]) -> anyhow::Result<()> {
        let id = format!("{}.{batch}", self.packed.id);
        let sequence = self.broker.publish(self.subject(), &id, bytes.to_vec()).await?;
        self.tell(CoordinatorNews::Published { batch, sequence }).await;
        Ok(())
    }

    /// Publishes a batch, however long it takes.
    async fn publish(&self, batch: u64, bytes: &[u8]) {
        let mut has_warned = false;
        loop {
            match self.try_publish(batch, bytes).await {
                Ok(()) => return,
                Err(error) if !has_warned => {
                    has_warned = true;
                    let why = causes(error.as_ref()).join(": ");
                    self.tell(CoordinatorNews::Warning(format!("a batch could not be published, trying again: {why}")))
                        .await;
                }
                Err(_) => {}
            }
            if self.heard.is_closed() {
                return;
            }
            tokio::time::sleep(PAUSE).await;
            self.set_up_again().await;
        }
    }

    /// Creates what is missing. If the stream of batches was missing, the batches are lost.
    async fn set_up_again(&self) {
        // If it fails, publishing fails as well, and says why.
        if let Ok(true) = self.set_up().await {
            self.tell(CoordinatorNews::Emptied).await;
        }
    }

    async fn finish(&self, is_over: bool) {
        let _ = self.broker.purge_work(&self.subject()).await;
        if is_over {
            // What is left is dropped by its age.
            let _ = self.broker.purge_results(&self.packed.id).await;
            let _ = self.broker.remove(&self.packed.id).await;
        }
        let _ = self.broker.client().flush().await;
    }

    async fn tell(&self, news: CoordinatorNews) {
        // The coordinator may have ended.
        let _ = self.heard.send(news).await;
    }
}
