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

#[test]
#[ignore = "belongs to those of many machines, whose build has signatures"]
fn a_tournament_is_signed_and_only_the_right_key_is_trusted() {
    let dir = Dir::with_bots(&BOTS);
    let play = |rounds: u32, more: &str| {
        let words = format!("tournament --game tictactoe --seed 1 --rounds {rounds} --move-time 30s --no-check {more}");
        dir.arena_ends(0, &words).stderr
    };
    let told = play(1, "--sign-key key");
    let key = told.split("is signed by ").nth(1).and_then(|rest| rest.split(';').next()).expect("a key").to_owned();
    dir.file("public", format!("{key}\n"));
    let other = play(1, "--name other --sign-key another");
    let other = other.split("is signed by ").nth(1).and_then(|rest| rest.split(';').next()).expect("a key").to_owned();
    for trusted in [key.as_str(), "public"] {
        let said = dir.arena_ends(0, &format!("verify tictactoe --trust {trusted}")).stdout;
        assert!(said.contains(&format!("lines 1 to 3 are signed by {key}: its holder recorded them")), "{said}");
        assert!(said.contains("2 games follow the rules; none of the 2 scheduled is missing"), "{said}");
    }
    assert!(dir.arena_ends(0, "verify tictactoe").stdout.contains("which anyone can say"));
    let said = dir.arena_ends(1, &format!("verify tictactoe --trust {other}")).stdout;
    assert!(said.contains("which is not trusted"), "{said}");

    // Going on without the key, and then with it.
    play(2, "--quiet");
    let said = dir.arena_ends(1, &format!("verify tictactoe --trust {key}")).stdout;
    assert!(said.contains("not signed: 3 lines, from line 4 on"), "{said}");
    play(3, "--quiet --sign-key key");
    let said = dir.arena_ends(0, &format!("verify tictactoe --trust {key}")).stdout;
    assert!(said.contains("not recorded by the holder of the key, but found when a run went on"), "{said}");

    // An edited record whose sum is right.
    dir.edit_games("tictactoe", |index, record| {
        record.host = if index == 0 { "forged".into() } else { record.host.clone() }
    });
    let said = dir.arena_ends(1, &format!("verify tictactoe --trust {key}")).stdout;
    assert!(said.contains("are not what was signed"), "{said}");
    std::fs::remove_file(dir.path("results/tictactoe/signatures.jsonl")).expect("signatures");
    let said = dir.arena_ends(1, &format!("verify tictactoe --trust {key}")).stdout;
    assert!(said.contains("it has no signatures"), "{said}");
}
