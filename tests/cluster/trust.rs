//! Workers play only what the coordinator has sent, and only what is signed by a key that they trust.

use arena::cluster::broker::{Access, Broker};
use arena::cluster::subjects::BOTS as BUCKET;
use futures_util::StreamExt as _;

use crate::kit::{LIMIT, ends};
use crate::machine::start_on;
use crate::server::Server;
use crate::support::{Dir, until};

const BOTS: [&str; 2] = ["greedy", "random"];
const EVENT: &str = "--game connect4 --rounds 2 --quiet";

/// What the server keeps.
async fn store_of(server: &Server) -> async_nats::jetstream::Context {
    let access = Access::new(&server.url()).expect("an address");
    let (broker, _) = Broker::connect(&access, "test").await.expect("the server is there");
    async_nats::jetstream::new(broker.client().clone())
}

/// Overwrites everything in the bucket that is no manifest.
fn tamper(server: &Server) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let bucket = store_of(server).await.get_object_store(BUCKET).await.expect("the broker does it");
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
    let dir = Dir::with_bots(&BOTS);
    let Some(server) = Server::start(&dir.path("")) else { return };
    let coordinator = start_on(&dir, "coordinator", &format!("coordinate --nats {} {EVENT}", server.url()));
    until(LIMIT, "the tournament has begun", || dir.journal_lines("connect4") > 0);
    // The first batch is published after everything is stored.
    until(LIMIT, "the bots are stored", || has_work(&server));
    tamper(&server);
    let worker = start_on(&dir, "worker", &format!("worker --nats {}", server.url()));
    for text in [ends(coordinator, 3).stderr, worker.stderr()] {
        assert!(text.contains("was changed on its way") && text.contains("bot `greedy`"), "{text}");
    }
    assert!(dir.journal("connect4").games.is_empty());
}

fn has_work(server: &Server) -> bool {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let stream = store_of(server).await.get_stream("WORK").await;
        stream.is_ok_and(|stream| stream.cached_info().state.messages > 0)
    })
}

#[test]
#[ignore = "needs nats-server"]
fn a_worker_with_a_key_plays_only_what_it_has_signed() {
    let dir = Dir::with_bots(&BOTS);
    let Some(server) = Server::start(&dir.path("")) else { return };
    let coordinate = |name: &str, more: &str| {
        let words = format!("coordinate --nats {} {EVENT} --results {name} {more}", server.url());
        start_on(&dir, name, &words)
    };
    // The key is made, and the public one is told.
    let signed = coordinate("signed", "--sign-key key");
    until(LIMIT, "it tells its key", || signed.stderr().contains("--trust U"));
    let stderr = signed.stderr();
    let key = stderr.split("signed by ").nth(1).and_then(|rest| rest.split(';').next()).expect("a key").to_owned();
    let _worker = start_on(&dir, "worker", &format!("worker --nats {} --trust {key}", server.url()));
    ends(signed, 0);
    let unsigned = ends(coordinate("unsigned", ""), 3);
    assert!(unsigned.stderr.contains("is not signed"), "{unsigned}");
    let other = ends(coordinate("other", "--sign-key another"), 3);
    assert!(other.stderr.contains("is trusted"), "{other}");
}
