//! What the coordinator creates at the broker.

use std::time::Duration;

use anyhow::bail;
use async_nats::jetstream::consumer::{self, AckPolicy};
use async_nats::jetstream::object_store;
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};

use super::{Broker, Consumer};
use crate::cluster::subjects::{BOTS, RESULTS, WORK, all_results};

/// Deliveries of a batch; then the coordinator is told, and publishes it again in halves.
const DELIVERIES_MAX: i64 = 3;
/// Batches that workers may have, and requests of workers that may wait: more than slots. With the server's defaults of 1,000
/// and 512, large fleets stand still.
const SLOTS_MAX: i64 = 20_000;
/// Maximum number of batches in the queue: a hard stop, which is not reached.
const BATCHES_MAX: i64 = 200_000;
/// Results that the coordinator has not written yet. When it is full workers wait.
const RESULTS_BYTES_MAX: i64 = 256 << 20;
/// Results of tournaments that are never resumed are dropped after this time.
const RESULTS_AGE_MAX: Duration = Duration::from_secs(7 * 24 * 3600);
/// A result is delivered once more if the coordinator has not acknowledged it in this time.
const RESULTS_WAIT: Duration = Duration::from_secs(300);

impl Broker {
    /// Creates the streams, the bucket, and the consumer of batches for machines of this kind. A batch is delivered once more
    /// if its worker says nothing for `ack_wait`. Returns whether the stream of batches is empty and new.
    ///
    /// # Errors
    ///
    /// Returns an error if this user may not create them, or if something else is there under one of their names.
    pub async fn set_up(&self, target: &str, ack_wait: Duration) -> anyhow::Result<bool> {
        let work = Config { max_messages: BATCHES_MAX, ..queue(WORK, "work.>") };
        let results = Config { max_bytes: RESULTS_BYTES_MAX, max_age: RESULTS_AGE_MAX, ..queue(RESULTS, "res.>") };
        let is_new = self.create(work).await?;
        self.create(results).await?;
        let bucket = object_store::Config { bucket: BOTS.to_owned(), ..object_store::Config::default() };
        self.ask("creating the bucket for bots", self.context.create_object_store(bucket)).await?;
        let filter = format!("work.{target}.>");
        let wanted = consumer::pull::Config {
            ack_wait,
            max_deliver: DELIVERIES_MAX,
            max_waiting: SLOTS_MAX,
            ..pull(target, filter)
        };
        self.consumer(WORK, wanted).await?;
        Ok(is_new)
    }

    async fn create(&self, wanted: Config) -> anyhow::Result<bool> {
        let what = format!("creating the stream {}", wanted.name);
        let stream = self.ask(&what, self.context.create_stream(wanted.clone())).await?;
        let info = stream.cached_info();
        let got = &info.config;
        let pairs = [
            ("subjects", format!("{:?}", wanted.subjects), format!("{:?}", got.subjects)),
            ("retention", format!("{:?}", wanted.retention), format!("{:?}", got.retention)),
            ("discard", format!("{:?}", wanted.discard), format!("{:?}", got.discard)),
            ("storage", format!("{:?}", wanted.storage), format!("{:?}", got.storage)),
        ];
        differing(&format!("stream {}", wanted.name), &pairs)?;
        Ok(info.state.last_sequence == 0)
    }

    /// The consumer of the results of an event, from the first one that is there.
    ///
    /// # Errors
    ///
    /// Returns an error if this user may not create it.
    pub async fn results_consumer(&self, event: &str) -> anyhow::Result<Consumer> {
        // What was delivered to a coordinator that is gone would come only after a while.
        self.forget_consumer(event).await;
        let wanted = consumer::pull::Config { ack_wait: RESULTS_WAIT, ..pull(event, all_results(event)) };
        self.consumer(RESULTS, wanted).await
    }

    pub(super) async fn forget_consumer(&self, event: &str) {
        // There may be none, which is as well.
        let _ = self.context.delete_consumer_from_stream(event, RESULTS).await;
    }

    async fn consumer(&self, stream: &str, wanted: consumer::pull::Config) -> anyhow::Result<Consumer> {
        let name = wanted.durable_name.clone().unwrap_or_default();
        let what = format!("creating the consumer {name} of {stream}");
        let created = self.ask(&what, self.context.create_consumer_on_stream(wanted.clone(), stream)).await?;
        let got = &created.cached_info().config;
        let pairs = [
            ("filter_subject", wanted.filter_subject, got.filter_subject.clone()),
            ("ack_policy", format!("{:?}", wanted.ack_policy), format!("{:?}", got.ack_policy)),
            ("ack_wait", format!("{:?}", wanted.ack_wait), format!("{:?}", got.ack_wait)),
            ("max_ack_pending", wanted.max_ack_pending.to_string(), got.max_ack_pending.to_string()),
        ];
        differing(&format!("consumer {name} of {stream}"), &pairs)?;
        Ok(created)
    }
}

fn queue(name: &str, subjects: &str) -> Config {
    Config {
        name: name.to_owned(),
        subjects: vec![subjects.to_owned()],
        retention: RetentionPolicy::WorkQueue,
        discard: DiscardPolicy::New,
        storage: StorageType::File,
        max_messages: -1,
        max_bytes: -1,
        max_messages_per_subject: -1,
        max_consumers: -1,
        num_replicas: 1,
        ..Config::default()
    }
}

fn pull(name: &str, filter: String) -> consumer::pull::Config {
    consumer::pull::Config {
        durable_name: Some(name.to_owned()),
        filter_subject: filter,
        ack_policy: AckPolicy::Explicit,
        max_ack_pending: SLOTS_MAX,
        max_deliver: -1,
        ..consumer::pull::Config::default()
    }
}

/// Fails if something has other settings than we wanted.
fn differing(what: &str, settings: &[(&str, String, String)]) -> anyhow::Result<()> {
    let differs = settings.iter().find(|(_, wanted, got)| wanted != got);
    let Some((setting, wanted, got)) = differs else { return Ok(()) };
    bail!(
        "the {what} has {setting} {got} instead of {wanted}; the server is too old, or another program made it: delete it \
         with `nats`, or use another server"
    )
}
