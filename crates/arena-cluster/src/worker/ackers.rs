//! How the batches of a worker are acknowledged.

use std::collections::HashMap;

use async_nats::jetstream::AckKind;
use async_nats::jetstream::message::Acker;

/// The batches that this worker has or whose results are not all sent, by their numbers. Acknowledgements get lost like other
/// messages: then a batch is played once more, and its results are recognised.
#[derive(Default)]
pub(super) struct Ackers(HashMap<u64, Option<Acker>>);

impl Ackers {
    pub(super) fn add(&mut self, batch: u64, acker: Acker) {
        self.0.insert(batch, Some(acker));
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// A batch is done with; `kind` says how.
    pub(super) async fn end(&mut self, batch: u64, kind: AckKind) {
        if let Some(acker) = self.0.remove(&batch).flatten() {
            let _ = acker.ack_with(kind).await;
        }
    }

    /// Tells the broker that all batches are still being played.
    pub(super) async fn progress(&self) {
        for acker in self.0.values().flatten() {
            let _ = acker.ack_with(AckKind::Progress).await;
        }
    }

    /// Gives all batches back to the broker, which delivers them to another worker at once.
    pub(super) async fn give_back(&mut self) {
        for acker in self.0.drain().filter_map(|(_, acker)| acker) {
            let _ = acker.ack_with(AckKind::Nak(None)).await;
        }
    }

    /// The broker has lost its queue. The new one counts from the start, so the acknowledgement of an old batch would be taken
    /// for that of a new one.
    pub(super) fn forget(&mut self) {
        self.0.values_mut().for_each(|acker| *acker = None);
    }
}
