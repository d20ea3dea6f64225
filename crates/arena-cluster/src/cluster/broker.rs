//! The broker: a NATS server with `JetStream`.
//!
//! The coordinator creates streams, consumers and the bucket, and compares what it gets with what it wanted: old servers
//! ignore settings that they do not know. A worker creates nothing, so it needs few rights. A request that the server
//! forbids looks like one without an answer; the reason comes on another way, so [`Broker::ask`] listens to both.

mod access;
mod safe;
mod setup;

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, bail};
use arena_core::text::{escaped, shown};
use async_nats::datetime::DateTime;
use async_nats::jetstream::stream::{ConsumerError, ConsumerErrorKind};
use async_nats::jetstream::{self, ErrorCode, consumer, object_store};
use async_nats::{Client, Event, ServerError};
use tokio::io::AsyncReadExt as _;
use tokio::sync::broadcast;

use super::subjects::{BOTS, RESULTS, WORK};
pub use access::{Access, AddressError};

/// A pull consumer.
pub type Consumer = consumer::Consumer<consumer::pull::Config>;

/// Maximum time for a request.
pub(super) const REQUEST_MAX: Duration = Duration::from_secs(5);
/// Incidents that a listener may be behind.
const INCIDENTS_MAX: usize = 256;

/// Something that happened to the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Incident {
    /// The connection is there again.
    Connected,
    /// The connection is lost; it will come back by itself.
    Disconnected,
    /// The server forbids a request: its words.
    Denied(String),
}

/// The server does not allow something to this user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{what}: the server at {place} does not allow it to this user ({words}); docs/cluster.md lists the rights that are needed"
)]
pub struct Denied {
    what: String,
    place: String,
    words: String,
}

/// A connection to the broker.
#[derive(Debug, Clone)]
pub struct Broker {
    client: Client,
    context: jetstream::Context,
    incidents: broadcast::Sender<Incident>,
    /// Where it is, without a password.
    place: String,
}

impl Broker {
    /// Connects. Returns warnings about the server as well. Must be called within a runtime.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no server, it refuses the user, or it has no `JetStream`.
    pub async fn connect(access: &Access, name: &str) -> anyhow::Result<(Self, Vec<String>)> {
        let (incidents, _) = broadcast::channel(INCIDENTS_MAX);
        let (sender, was_lost) = (incidents.clone(), AtomicBool::new(false));
        let options = access.options().await?.name(name).event_callback(move |event| {
            let incident = incident(&event).filter(|incident| match incident {
                Incident::Disconnected => !was_lost.swap(true, Ordering::Relaxed),
                // It also comes when the connection is made first.
                Incident::Connected => was_lost.swap(false, Ordering::Relaxed),
                Incident::Denied(_) => true,
            });
            // It fails if there is no listener.
            incident.map(|incident| sender.send(incident).ok());
            async {}
        });
        let place = access.place();
        let client = options.connect(access.url()).await.map_err(|error| access.explain(&error))?;
        let info = client.server_info();
        if !info.jetstream {
            bail!("the server at {place} has no JetStream; start it as `nats-server -js`");
        }
        let warnings = safe::warning(&info.version, &place, access.is_loopback()).into_iter().collect();
        let mut context = jetstream::new(client.clone());
        context.set_timeout(REQUEST_MAX);
        Ok((Self { client, context, incidents, place }, warnings))
    }

    /// Where it is, without a password.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The connection itself, for messages that need not be kept.
    #[must_use]
    pub const fn client(&self) -> &Client {
        &self.client
    }

    /// Incidents from now on.
    #[must_use]
    pub fn incidents(&self) -> broadcast::Receiver<Incident> {
        self.incidents.subscribe()
    }

    /// Maximum size of a message, as the server has it.
    #[must_use]
    pub fn payload_max(&self) -> usize {
        self.client.server_info().max_payload
    }

    /// Waits for the answer to a request, named for people by `what`.
    ///
    /// # Errors
    ///
    /// Returns the error of the request, or that this user may not do it.
    pub async fn ask<T, E: Into<anyhow::Error>>(
        &self,
        what: &str,
        request: impl Future<Output = Result<T, E>>,
    ) -> anyhow::Result<T> {
        let mut incidents = self.incidents();
        tokio::select! {
            biased;
            denied = next_denial(&mut incidents) => Err(self.denied(what, denied).into()),
            answer = request => match answer {
                Ok(answer) => Ok(answer),
                Err(error) => {
                    // It may have been forbidden, and both came at once.
                    if let Ok(Incident::Denied(denied)) = incidents.try_recv() {
                        return Err(self.denied(what, denied).into());
                    }
                    Err(error.into()).with_context(|| format!("{what} at {}", self.place))
                }
            },
        }
    }

    /// The error for what the server does not allow, in its `words`.
    #[must_use]
    pub fn denied(&self, what: &str, words: String) -> Denied {
        Denied { what: what.to_owned(), place: self.place.clone(), words }
    }

    /// Publishes to a stream, and waits until the server has it. The same `id` is stored once within two minutes. Returns
    /// its number in the stream.
    ///
    /// # Errors
    ///
    /// Returns an error if the server has not taken it.
    pub async fn publish(&self, subject: String, id: &str, bytes: Vec<u8>) -> anyhow::Result<u64> {
        let mut headers = async_nats::HeaderMap::new();
        headers.insert("Nats-Msg-Id", id);
        let published = async {
            let sent = self.context.publish_with_headers(subject, headers, bytes.into()).await?;
            Ok::<_, jetstream::context::PublishError>(sent.await?.sequence)
        };
        self.ask("publishing", published).await
    }

    /// The consumer from which machines of this kind take batches.
    ///
    /// # Errors
    ///
    /// Returns an error if there is none yet, or this user may not use it.
    pub async fn work_consumer(&self, target: &str) -> anyhow::Result<Consumer> {
        self.ask("looking for work", self.context.get_consumer_from_stream(target, WORK)).await
    }

    /// When the queue was created from which machines of this kind take batches; `None` if there is none.
    ///
    /// # Errors
    ///
    /// Returns an error if the server does not answer, or this user may not ask.
    pub async fn queue_created(&self, target: &str) -> anyhow::Result<Option<DateTime>> {
        let is_missing = |error: &anyhow::Error| {
            let kind = error.downcast_ref::<ConsumerError>().map(ConsumerError::kind);
            let missing = [ErrorCode::CONSUMER_NOT_FOUND, ErrorCode::STREAM_NOT_FOUND];
            matches!(kind, Some(ConsumerErrorKind::JetStream(error)) if missing.contains(&error.error_code()))
        };
        match self.work_consumer(target).await {
            Ok(consumer) => Ok(Some(consumer.cached_info().created)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The bytes of a manifest or a package.
    ///
    /// # Errors
    ///
    /// Returns an error if there is none of this name, or it is larger than `bytes_max`.
    pub async fn fetch(&self, name: &str, bytes_max: u64) -> anyhow::Result<Vec<u8>> {
        let what = format!("fetching {}", shown(name));
        let bucket = self.ask(&what, self.context.get_object_store(BOTS)).await?;
        let object = self.ask(&what, bucket.get(name)).await?;
        if object.info().size as u64 > bytes_max {
            bail!("{what}: it has {} bytes, at most {bytes_max} are taken", object.info().size);
        }
        let mut bytes = Vec::new();
        self.ask(&what, object.take(bytes_max).read_to_end(&mut bytes)).await?;
        Ok(bytes)
    }

    /// Stores a manifest or a package, unless it is there.
    ///
    /// # Errors
    ///
    /// Returns an error if the server does not take it.
    pub async fn store(&self, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
        if self.fetch(name, bytes.len() as u64).await.is_ok_and(|there| there == bytes) {
            return Ok(());
        }
        let what = format!("storing {name}");
        let bucket: object_store::ObjectStore = self.ask(&what, self.context.get_object_store(BOTS)).await?;
        self.ask(&what, bucket.put(name, &mut &bytes[..])).await?;
        Ok(())
    }

    /// Removes a manifest, whose event is over.
    ///
    /// # Errors
    ///
    /// Returns an error if the server refuses.
    pub async fn remove(&self, name: &str) -> anyhow::Result<()> {
        let bucket = self.ask("removing", self.context.get_object_store(BOTS)).await?;
        self.ask("removing", bucket.delete(name)).await
    }

    /// Removes all batches of an event.
    ///
    /// # Errors
    ///
    /// Returns an error if the server refuses.
    pub async fn purge_work(&self, subject: &str) -> anyhow::Result<()> {
        self.purge(WORK, subject).await
    }

    /// Removes all results of an event, and its consumer.
    ///
    /// # Errors
    ///
    /// Returns an error if the server refuses.
    pub async fn purge_results(&self, event: &str) -> anyhow::Result<()> {
        self.forget_consumer(event).await;
        self.purge(RESULTS, &super::subjects::all_results(event)).await
    }

    async fn purge(&self, stream: &str, subject: &str) -> anyhow::Result<()> {
        let what = format!("removing {subject}");
        let stream = self.ask(&what, self.context.get_stream_no_info(stream)).await?;
        let purge = async { stream.purge().filter(subject).await };
        self.ask(&what, purge).await?;
        Ok(())
    }

    /// Removes one batch, which the server delivers no more.
    ///
    /// # Errors
    ///
    /// Returns an error if the server refuses.
    pub async fn remove_batch(&self, sequence: u64) -> anyhow::Result<()> {
        let stream = self.ask("removing a batch", self.context.get_stream_no_info(WORK)).await?;
        self.ask("removing a batch", stream.delete_message(sequence)).await?;
        Ok(())
    }
}

async fn next_denial(incidents: &mut broadcast::Receiver<Incident>) -> String {
    loop {
        match incidents.recv().await {
            Ok(Incident::Denied(words)) => return words,
            Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
            Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
        }
    }
}

fn incident(event: &Event) -> Option<Incident> {
    match event {
        Event::Connected => Some(Incident::Connected),
        Event::Disconnected => Some(Incident::Disconnected),
        Event::ServerError(ServerError::Other(words)) => Some(Incident::Denied(escaped(words))),
        Event::ServerError(error @ ServerError::AuthorizationViolation) => Some(Incident::Denied(error.to_string())),
        _ => None,
    }
}
