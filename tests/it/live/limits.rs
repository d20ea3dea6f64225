use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use super::client::{SOON, Watched, content, status};
use crate::support::{LIMIT, until};

#[test]
fn only_what_is_listed_can_be_read_and_nothing_else_done() {
    let watched = Watched::endless();
    let mut viewer = watched.viewer();
    viewer.find("state", |state| state["phase"] == "playing");
    for (request, expected) in [
        ("GET /", "200"),
        ("HEAD /", "200"),
        ("HEAD /events", "200"),
        ("POST /", "405"),
        ("PUT /standings.csv", "405"),
        ("DELETE /events", "405"),
        ("OPTIONS /", "405"),
        ("GET /games.jsonl", "404"),
        ("GET /bots", "404"),
        ("GET /bots/random.log", "404"),
        ("GET /../../../etc/passwd", "404"),
        ("GET /..%2f..%2fetc%2fpasswd", "404"),
        ("GET /%2e%2e/%2e%2e", "404"),
        ("GET /standings.csv/", "404"),
        ("GET /game/", "404"),
        ("GET /game/0000000000000000", "404"),
        ("GET /report.html", "404"),
    ] {
        let answer = watched.ask(request);
        assert_eq!(status(&answer), expected, "{request}\n{answer}");
        let head = answer.split("\r\n\r\n").next().unwrap_or_default();
        for header in ["x-content-type-options: nosniff", "referrer-policy: no-referrer", "frame-ancestors 'none'"] {
            assert!(head.contains(header), "{request}: {header}\n{head}");
        }
        assert!(!head.contains("set-cookie") && !head.contains("access-control"), "{request}\n{head}");
    }
    assert!(watched.ask("GET /").contains("connect-src 'self'"));
    assert!(watched.ask("HEAD /events").contains("x-accel-buffering: no"));
    for host in ["evil.example", "127.0.0.1.evil.example", "127.0.0.2", ""] {
        let answer = watched.send(format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes());
        assert_eq!(status(&answer), "421", "{host}\n{answer}");
    }
    for host in ["localhost", "localhost:1", "127.0.0.1", "[::1]:80"] {
        let answer = watched.send(format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes());
        assert_eq!(status(&answer), "200", "{host}\n{answer}");
    }
    assert_eq!(status(&watched.send(b"GET / HTTP/1.1\r\n\r\n")), "421");
    watched.kill();
}

#[test]
#[ignore = "waits for limits of five seconds; .ci/run has a command for it"]
fn heads_have_limits_of_size_and_time() {
    let watched = Watched::endless();
    let large = format!("GET / HTTP/1.1\r\nHost: {}\r\nX: {}\r\n\r\n", watched.address, "x".repeat(9_000));
    assert_eq!(status(&watched.send(large.as_bytes())), "431");
    let answer = watched.send(&vec![b'x'; 20_000]);
    assert!(["400", "431", "414", ""].contains(&status(&answer)), "{answer}");
    // Half a head, and none at all: closed after 5 s.
    let halves = ["GET / HTTP/1.1\r\nHost: loc", ""].map(|half| {
        let mut stream = watched.connect();
        stream.write_all(half.as_bytes()).expect("sent");
        stream
    });
    for mut stream in halves {
        stream.set_read_timeout(Some(SOON)).expect("a timeout");
        let mut answer = Vec::new();
        assert!(stream.read_to_end(&mut answer).is_ok(), "it is closed");
    }
    assert_eq!(status(&watched.ask("GET /")), "200");
    watched.kill();
}

/// Viewers up to the limit are served; the next one is refused.
#[test]
fn too_many_viewers_are_refused_and_the_others_served() {
    let watched = Watched::endless();
    let request = format!("GET /events HTTP/1.1\r\nHost: {}\r\n\r\n", watched.address);
    let mut viewers: Vec<TcpStream> = Vec::new();
    let mut refused = None;
    // As many as the limit of open files leaves, on any machine; this process has the same.
    while refused.is_none() && viewers.len() < 2_100 {
        let Ok(mut stream) = TcpStream::connect(watched.address) else { break };
        stream.write_all(request.as_bytes()).expect("sent");
        stream.set_read_timeout(Some(LIMIT)).expect("a timeout");
        let mut first = [0; 12];
        stream.read_exact(&mut first).expect("an answer");
        if first.ends_with(b"503") {
            refused = Some(stream);
        } else {
            assert!(first.ends_with(b"200"), "{}", String::from_utf8_lossy(&first));
            viewers.push(stream);
        }
    }
    let Some(mut stream) = refused else {
        crate::support::not_tested("too many viewers", "the limit of open files is too low for this process");
        watched.kill();
        return;
    };
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("text");
    assert!(answer.contains("retry-after: 10") && answer.ends_with("try again in 10 s\r\n"), "{answer}");
    assert!(answer.contains(&format!("content-length: {}\r\n", content(&answer).len())), "{answer}");
    assert!((64..=2_000).contains(&viewers.len()), "{} viewers", viewers.len());
    viewers.truncate(10);
    until(LIMIT, "there is room again", || status(&watched.ask("GET /")) == "200");
    watched.kill();
}

/// Viewers who do not read the file they asked for: each costs the arena its connection, and only some cost it the file.
#[test]
fn files_that_nobody_reads_are_open_up_to_a_limit() {
    let watched = Watched::endless();
    watched.viewer().find("state", |state| state["phase"] == "playing");
    // More than the buffers of a connection take.
    let large = watched.dir.path("results/connect4/report.html");
    std::fs::File::create(large).and_then(|file| file.set_len(64 << 20)).expect("a file");
    let request = format!("GET /report.html HTTP/1.1\r\nHost: {}\r\n\r\n", watched.address);
    let mut readers: Vec<TcpStream> = (0..40)
        .map(|_| {
            let mut stream = watched.connect();
            stream.write_all(request.as_bytes()).expect("sent");
            stream.set_nonblocking(true).expect("it does not wait");
            stream
        })
        .collect();
    let is_answered = |stream: &TcpStream| stream.peek(&mut [0]).is_ok();
    let answered = |readers: &[TcpStream]| readers.iter().filter(|reader| is_answered(reader)).count();
    until(LIMIT, "some get theirs", || answered(&readers) >= 32);
    // This one came after all of them.
    assert_eq!(status(&watched.ask("GET /")), "200");
    assert_eq!(answered(&readers), 32, "the others wait");
    // One that leaves makes room for one that waits.
    readers.remove(readers.iter().position(is_answered).expect("a reader"));
    until(LIMIT, "the next one gets its file", || answered(&readers) == 32);
    drop(readers);
    std::fs::remove_file(watched.dir.path("results/connect4/report.html")).expect("it is there");
    assert_eq!(status(&watched.ask("GET /report.html")), "404", "nothing is open any more");
    watched.kill();
}
