//! Connections and rights: every refusal is an error with its cure, at once.

use std::process::Command;
use std::time::Duration;

use crate::kit::ends;
use crate::machine::start_on;
use crate::server::Server;
use crate::support::{Dir, Running};

const BOTS: [&str; 2] = ["greedy", "random"];
/// The configuration in docs/cluster.md.
const PAGE: &str = include_str!("../../docs/cluster.md");

/// A time-out would take longer than this.
const AT_ONCE: Duration = Duration::from_secs(20);

/// A command that is refused within seconds: exit code 1 and these words.
#[track_caller]
fn check(refused: Running, words: &[&str]) {
    let refused = refused.wait(AT_ONCE);
    assert_eq!(refused.status, Some(1), "{refused}");
    for word in words {
        assert!(refused.stderr.contains(word), "`{word}` is not in:\n{refused}");
    }
}

/// The file between the first lines with these words in the page.
fn documented(first: &str) -> String {
    let from = PAGE.find(first).unwrap_or_else(|| panic!("docs/cluster.md has `{first}`"));
    let text = &PAGE[from..];
    text[..text.find("```").expect("a block ends")].to_owned()
}

#[test]
#[ignore = "needs nats-server"]
fn a_server_that_is_not_there_or_is_no_broker_is_named() {
    let dir = Dir::with_bots(&BOTS);
    let Some(mut server) = Server::without_store(&dir.path("")) else { return };
    check(start_on(&dir, "a", &format!("worker --nats {}", server.url())), &["has no JetStream", "nats-server -js"]);
    server.kill();
    let url = server.url();
    check(start_on(&dir, "b", &format!("worker --nats {url}")), &["no NATS server answers at 127.0.0.1", "--nats URL"]);
    check(start_on(&dir, "c", &format!("coordinate --nats {url}")), &["no NATS server answers"]);
}

/// Runs `openssl` with these words in the folder.
fn openssl(dir: &Dir, words: &str) {
    let made = Command::new("openssl").args(words.split_whitespace()).current_dir(dir.path("")).output();
    let made = made.expect("openssl is installed");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

#[test]
#[ignore = "needs nats-server and openssl"]
fn a_connection_is_encrypted_and_the_server_proves_who_it_is() {
    const KEY: &str = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
    let dir = Dir::with_bots(&BOTS);
    openssl(&dir, &format!("req -x509 {KEY} -keyout ca.key -out ca.pem -subj /CN=authority -days 2"));
    openssl(&dir, &format!("req -x509 {KEY} -keyout other.key -out other.pem -subj /CN=other -days 2"));
    let names = "-addext subjectAltName=IP:127.0.0.1";
    openssl(&dir, &format!("req {KEY} -keyout server.key -out server.csr -subj /CN=server {names}"));
    openssl(&dir, "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -copy_extensions copy -days 2 -out server.pem");
    let [store, certificate, key] =
        ["nats/store", "server.pem", "server.key"].map(|path| dir.path(path).display().to_string());
    let config =
        format!("jetstream {{ store_dir: {store:?} }}\ntls {{ cert_file: {certificate:?}, key_file: {key:?} }}\n");
    dir.file("nats.conf", &config);
    let Some(server) = Server::with_config(&dir.path(""), &dir.path("nats.conf")) else { return };
    let url = server.url().replace("nats://", "tls://");
    let refusal = ["no encrypted connection to 127.0.0.1", "--nats-ca FILE"];
    check(start_on(&dir, "unknown", &format!("worker --nats {url}")), &refusal);
    check(start_on(&dir, "wrong", &format!("worker --nats {url} --nats-ca other.pem")), &refusal);
    check(
        start_on(&dir, "missing", &format!("worker --nats {url} --nats-ca none.pem")),
        &["reading --nats-ca none.pem"],
    );
    let _worker = start_on(&dir, "worker", &format!("worker --nats {url} --nats-ca ca.pem"));
    let words = format!("coordinate --nats {url} --nats-ca ca.pem --rounds 4 --seed 1 --quiet");
    ends(start_on(&dir, "home", &words), 0);
}

#[test]
#[ignore = "needs nats-server"]
fn the_documented_rights_are_enough_and_less_is_an_error() {
    let dir = Dir::with_bots(&BOTS);
    let stranger = r#"{ user: stranger, password: secret, permissions: { publish: ["x"], subscribe: ["_INBOX.>"] } }"#;
    let config = documented("# nats.conf")
        .replace("COORDINATOR_PASSWORD", "secret")
        .replace("WORKER_PASSWORD", "secret")
        .replace("/var/lib/nats", &dir.path("nats/store").to_string_lossy())
        .replace("# another user", stranger);
    dir.file("nats.conf", &config);
    let Some(server) = Server::with_config(&dir.path(""), &dir.path("nats.conf")) else { return };
    check(start_on(&dir, "nobody", &format!("worker --nats {}", server.url())), &["refuses this user", "--nats-creds"]);
    check(
        start_on(&dir, "stranger", &format!("worker --nats {}", server.url_of("stranger"))),
        &["does not allow it to this user", "docs/cluster.md"],
    );
    check(
        start_on(&dir, "usurper", &format!("coordinate --nats {}", server.url_of("worker"))),
        &["creating the stream WORK", "does not allow it to this user"],
    );
    let _worker = start_on(&dir, "worker", &format!("worker --nats {} --slots 2", server.url_of("worker")));
    let url = server.url_of("coordinator");
    ends(start_on(&dir, "home", &format!("coordinate --nats {url} --rounds 10 --seed 1 --quiet")), 0);
}
