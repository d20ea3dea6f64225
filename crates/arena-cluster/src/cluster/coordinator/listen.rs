//! What a coordinator hears: results, workers, and the state of the connection.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use arena_core::event::Tournament;
use arena_core::text::{escaped, shown};
use async_nats::jetstream::message::Acker;
use futures_util::StreamExt as _;
use serde::Deserialize;
use tokio::sync::{broadcast, mpsc};

use crate::cluster::batches::BatchResults;
use crate::cluster::broker::{Broker, Consumer, Incident};
use crate::cluster::subjects::WORKERS;
use crate::cluster::wire::{PresenceMessage, ResultsMessage, WireError, read};

/// Results that are requested at once.
const RESULTS_MAX: usize = 64;
/// Pause before results are requested again after an error.
const PAUSE: Duration = Duration::from_millis(500);
/// The server tells here that it delivers a batch no more.
const GIVEN_UP: &str = "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.WORK.>";

/// Something that a coordinator hears.
pub(super) enum CoordinatorNews {
    Results(Box<Received>),
    Presence(Box<PresenceMessage>),
    /// A batch is in the stream, under this number.
    Published {
        batch: u64,
        sequence: u64,
    },
    /// The server delivers the batch with this number in the stream no more.
    GivenUp(u64),
    Incident(Incident),
    /// The broker has lost its queue, and has a new one.
    Emptied,
    Warning(String),
}

/// Results of a batch; those that did not hold are left out.
pub(super) struct Received {
    pub(super) results: BatchResults,
    pub(super) acker: Acker,
    pub(super) last_words: Vec<(usize, Vec<String>)>,
    pub(super) warnings: Vec<String>,
    pub(super) declined: Option<String>,
}

/// Begins to listen. All tasks end with the receiver.
pub(super) async fn start(
    broker: &Broker,
    id: &str,
    event: &Arc<Tournament>,
    heard: &mpsc::Sender<CoordinatorNews>,
) -> anyhow::Result<()> {
    let presences = broker.ask("listening to workers", broker.client().subscribe(WORKERS)).await?;
    let given_up = broker.ask("listening to the server", broker.client().subscribe(GIVEN_UP)).await?;
    let consumer = broker.results_consumer(id).await?;
    let reader = ResultsReader { id: id.to_owned(), event: Arc::clone(event), heard: heard.clone() };
    tokio::spawn(reader.run(broker.clone(), consumer));
    tokio::spawn(hear_workers(presences, given_up, broker.incidents(), heard.clone()));
    Ok(())
}

async fn hear_workers(
    mut presences: async_nats::Subscriber,
    mut given_up: async_nats::Subscriber,
    mut incidents: broadcast::Receiver<Incident>,
    heard: mpsc::Sender<CoordinatorNews>,
) {
    loop {
        let news = tokio::select! {
            Some(message) = presences.next() => presence(&message.payload),
            Some(message) = given_up.next() => sequence(&message.payload).map(CoordinatorNews::GivenUp),
            incident = incidents.recv() => match incident {
                Ok(incident) => Some(CoordinatorNews::Incident(incident)),
                Err(broadcast::error::RecvError::Lagged(_)) => None,
                Err(broadcast::error::RecvError::Closed) => return,
            },
            () = heard.closed() => return,
        };
        if let Some(news) = news
            && heard.send(news).await.is_err()
        {
            return;
        }
    }
}

/// A worker of another version, or what is none, is not one of ours.
fn presence(bytes: &[u8]) -> Option<CoordinatorNews> {
    read::<PresenceMessage>(bytes).ok().map(|presence| CoordinatorNews::Presence(Box::new(presence)))
}

fn sequence(bytes: &[u8]) -> Option<u64> {
    #[derive(Deserialize)]
    struct Advisory {
        stream_seq: u64,
    }
    serde_json::from_slice::<Advisory>(bytes).ok().map(|advisory| advisory.stream_seq)
}

struct ResultsReader {
    id: String,
    event: Arc<Tournament>,
    heard: mpsc::Sender<CoordinatorNews>,
}

impl ResultsReader {
    async fn run(self, broker: Broker, first: Consumer) {
        let mut consumer = Some(first);
        let mut incidents = broker.incidents();
        loop {
            let current = match consumer.take() {
                Some(consumer) => Ok(consumer),
                None => broker.results_consumer(&self.id).await,
            };
            if let Ok(current) = current {
                // An error is one of the connection; whatever it is, a new consumer begins where this one was.
                let _ = self.read_all(&current, &mut incidents).await;
            }
            tokio::select! {
                () = self.heard.closed() => return,
                () = tokio::time::sleep(PAUSE) => {}
            }
        }
    }

    /// Reads results until something is wrong, or the connection was lost for a while.
    async fn read_all(&self, consumer: &Consumer, incidents: &mut broadcast::Receiver<Incident>) -> anyhow::Result<()> {
        let mut messages = consumer.stream().max_messages_per_batch(RESULTS_MAX).messages().await?;
        loop {
            let message = tokio::select! {
                message = messages.next() => message.context("no more messages")??,
                incident = incidents.recv() => match incident {
                    Ok(Incident::Connected) => return Ok(()),
                    _ => continue,
                },
                () = self.heard.closed() => return Ok(()),
            };
            let (message, acker) = message.split();
            self.heard.send(CoordinatorNews::Results(Box::new(self.results(&message.payload, acker)))).await?;
        }
    }

    fn results(&self, bytes: &[u8], acker: Acker) -> Received {
        let read = read::<ResultsMessage>(bytes)
            .and_then(|message| if message.event == self.id { Ok(message) } else { Err(WireError::OtherEvent) });
        let message = match read {
            Ok(message) => message,
            Err(why) => {
                let warnings = vec![format!("results that cannot be read are left out: {why}")];
                let results = BatchResults {
                    batch: 0,
                    worker: String::new(),
                    receipt: 0,
                    games: Vec::new(),
                    is_last: false,
                    seconds_per_game: None,
                };
                return Received { results, acker, last_words: Vec::new(), warnings, declined: None };
            }
        };
        let worker = message.worker;
        let by_worker = |text: &str| format!("worker {}: {}", shown(&worker), escaped(text));
        let mut warnings: Vec<String> = message.warnings.iter().map(|text| by_worker(text)).collect();
        if let Some(why) = &message.declined {
            warnings.push(by_worker(why));
        }
        let mut games = Vec::with_capacity(message.games.len());
        for game in message.games {
            match game.checked(&self.event) {
                Ok(finished) => games.push(finished),
                Err(why) => warnings.push(by_worker(&format!("a result does not hold and is played again: {why}"))),
            }
        }
        let bots = self.event.bots.len();
        let last_words = message.last_words.into_iter().filter(|(bot, _)| *bot < bots).collect();
        let results = BatchResults {
            batch: message.batch,
            worker,
            receipt: 0,
            games,
            is_last: message.is_last,
            seconds_per_game: message.seconds_per_game,
        };
        Received { results, acker, last_words, warnings, declined: message.declined }
    }
}
