//! Workers play only what the coordinator has sent, and only what is signed by a key that they trust.

use arena::cluster::broker::{Access, Broker};
use arena::cluster::subjects::BOTS as BUCKET;
use futures_util::StreamExt as _;

use super::kit::{Place, Server, until};

const BOTS: [&str; 2] = ["greedy: greedy", "random: random"];
const EVENT: &str = "--rounds 2 --quiet";

/// Overwrites everything in the bucket that is no manifest.
fn tamper(server: &Server) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let (broker, _) = Broker::connect(&Access::new(&server.url()).expect("the broker does it"), "test")
            .await
            .expect("the broker does it");
        let bucket = async_nats::jetstream::new(broker.client().clone())
            .get_object_store(BUCKET)
            .await
            .expect("the broker does it");
        let mut objects = bucket.list().await.expect("the broker does it");
        let mut packages = Vec::new();
        while let Some(object) = objects.next().await {
            packages.extend(Some(object.expect("the broker does it").name).filter(|name| name.len() == 64));
        }
        assert!(!packages.is_empty());
        for name in packages {
            bucket.put(name.as_str(), &mut &b"something else"[..]).await.expect("the broker does it");
        }
    });
}

#[test]
#[ignore = "needs nats-server"]
fn a_tampered_bot_is_refused_by_name() {
    let place = Place::with_bots(&BOTS);
    let server = Server::start(&place);
    let mut coordinator = place.arena("coordinator", &format!("coordinate --nats {} {EVENT}", server.url()));
    until("the tournament has begun", || !place.journal("results").is_empty());
    // The first batch is published after everything is stored.
    until("the bots are stored", || has_work(&server));
    tamper(&server);
    let worker = place.arena("worker", &format!("worker --nats {}", server.url()));
    coordinator.ends_with(3);
    for text in [coordinator.stderr(), worker.stderr()] {
        assert!(text.contains("was changed on its way") && text.contains("bot `greedy`"), "{text}");
    }
    assert_eq!(place.games("results"), 0);
}

fn has_work(server: &Server) -> bool {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let (broker, _) = Broker::connect(&Access::new(&server.url()).expect("the broker does it"), "test")
            .await
            .expect("the broker does it");
        let stream = async_nats::jetstream::new(broker.client().clone()).get_stream("WORK").await;
        stream.is_ok_and(|stream| stream.cached_info().state.messages > 0)
    })
}

#[test]
#[ignore = "needs nats-server"]
fn a_worker_with_a_key_plays_only_what_it_has_signed() {
    let place = Place::with_bots(&BOTS);
    let server = Server::start(&place);
    let coordinate = |name: &str, more: &str| {
        let words = format!("coordinate --nats {} {EVENT} --results {name} {more}", server.url());
        place.arena(name, &words)
    };
    // The key is made, and the public one is told.
    let signed = coordinate("signed", "--sign-key key");
    signed.await_text("signed by U");
    let stderr = signed.stderr();
    let key = stderr.split("signed by ").nth(1).and_then(|rest| rest.split(';').next()).expect("a key").to_owned();
    let _worker = place.arena("worker", &format!("worker --nats {} --trust {key}", server.url()));
    let mut signed = signed;
    signed.ends_with(0);
    let mut unsigned = coordinate("unsigned", "");
    unsigned.ends_with(3);
    assert!(unsigned.stderr().contains("is not signed"), "{}", unsigned.stderr());
    let mut other = coordinate("other", "--sign-key another");
    other.ends_with(3);
    assert!(other.stderr().contains("is trusted"), "{}", other.stderr());
}
