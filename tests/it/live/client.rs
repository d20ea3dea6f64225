//! A viewer without a browser, and a run that lasts until the test has seen enough.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use crate::support::{ASKED, Dir, Ended, LIMIT, Running, until};

/// A run that is watched.
pub(super) struct Watched {
    pub(super) dir: Dir,
    running: Running,
    pub(super) address: SocketAddr,
}

/// Adds a bot that never answers its first question, so a run with it does not end by itself.
pub(super) fn add_waiting(dir: &Dir) {
    dir.script("bots/waits", &format!("{ASKED}while read -r line; do :; done"));
}

impl Watched {
    /// Starts a tournament that does not end by itself.
    #[track_caller]
    pub(super) fn endless() -> Self {
        let dir = Dir::with_bots(&["random", "greedy"]);
        add_waiting(&dir);
        Self::start(dir, "tournament --no-check --move-time 50s -q -j 1")
    }

    /// Starts `arena ARGS --serve`, and waits until it serves.
    #[track_caller]
    pub(super) fn start(dir: Dir, args: &str) -> Self {
        let running = dir.start(&format!("{args} --serve"));
        let mut address = None;
        until(LIMIT, "it says where to watch", || {
            let said = running.stdout() + &running.stderr();
            let line = said.lines().find_map(|line| line.split_once("http://")?.1.strip_suffix('/'));
            address = line.and_then(|line| line.parse().ok());
            address.is_some()
        });
        Self { dir, running, address: address.expect("an address") }
    }

    /// Ends it at once.
    #[track_caller]
    pub(super) fn kill(mut self) -> Ended {
        // Before it plays, a signal ends it without a word.
        self.viewer().find("state", |state| state["phase"] == "playing");
        self.running.signal(Signal::INT);
        until(LIMIT, "it hears the first signal", || self.running.stderr().contains("stopping"));
        self.running.signal_again(Signal::INT);
        self.running.wait(LIMIT)
    }

    /// Ends it by one Ctrl-C.
    #[track_caller]
    pub(super) fn interrupt(self) -> Ended {
        self.running.signal(Signal::INT);
        self.running.wait(LIMIT)
    }

    #[track_caller]
    pub(super) fn wait(self) -> (Dir, Ended) {
        let ended = self.running.wait(LIMIT);
        (self.dir, ended)
    }

    pub(super) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("a connection");
        stream.set_read_timeout(Some(LIMIT)).expect("a timeout");
        stream
    }

    /// The whole answer to these bytes.
    pub(super) fn send(&self, request: &[u8]) -> String {
        let mut stream = self.connect();
        // An answer may come before everything is sent.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// The answer to `METHOD PATH` with the right host.
    pub(super) fn ask(&self, request: &str) -> String {
        self.send(format!("{request} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address).as_bytes())
    }

    pub(super) fn viewer(&self) -> Viewer {
        self.viewer_of("/events")
    }

    pub(super) fn viewer_of(&self, path: &str) -> Viewer {
        let mut stream = self.connect();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address).expect("sent");
        Viewer { stream, unread: Vec::new() }
    }
}

/// The number in the first line of an answer.
pub(super) fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or_default()
}

/// The text after the head of an answer.
pub(super) fn content(answer: &str) -> &str {
    answer.split_once("\r\n\r\n").map_or("", |(_, content)| content)
}

/// Reads the stream of events.
pub(super) struct Viewer {
    stream: TcpStream,
    unread: Vec<u8>,
}

/// A frame and its size.
pub(super) struct Event {
    pub(super) kind: String,
    pub(super) data: Value,
    pub(super) bytes: usize,
}

impl Viewer {
    /// The next event; `None` at the end of the stream. Each chunk of a body has whole events.
    #[track_caller]
    pub(super) fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(end) = self.unread.windows(2).position(|pair| pair == b"\n\n") {
                let event: Vec<u8> = self.unread.drain(..end + 2).collect();
                let text = String::from_utf8(event).expect("UTF-8");
                let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
                let Some(kind) = field("event: ") else { continue };
                let data = serde_json::from_str(field("data: ").expect("data")).expect("JSON");
                let begin = text.find("event: ").expect("an event");
                return Some(Event { kind: kind.to_owned(), data, bytes: text.len() - begin });
            }
            let mut bytes = [0; 4096];
            match self.stream.read(&mut bytes) {
                Ok(count) if count > 0 => self.unread.extend_from_slice(&bytes[..count]),
                _ => return None,
            }
        }
    }

    /// The next event of this kind for which `is_it` holds.
    #[track_caller]
    pub(super) fn find(&mut self, kind: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        while let Some(event) = self.next() {
            if event.kind == kind && is_it(&event.data) {
                return event.data;
            }
        }
        panic!("the stream ended without such a {kind}");
    }
}

/// Longer than the limit for the head of a request, shorter than all other limits.
pub(super) const SOON: Duration = Duration::from_secs(20);
