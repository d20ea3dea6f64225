//! A coordinator and workers as processes.

use std::time::Duration;

use crate::cup::{GAMES, field};
use crate::machine::start_on;
use crate::server::Server;
use crate::support::{Dir, Ended, Running, until};

/// No tournament here takes longer, on a machine that does other things too.
pub(crate) const LIMIT: Duration = Duration::from_secs(240);

/// The bots of the cup and a server, if there is one.
pub(crate) fn field_and_server() -> Option<(Dir, Server)> {
    let dir = field();
    let server = Server::start(&dir.path(""))?;
    Some((dir, server))
}

/// Starts a worker with one slot.
#[track_caller]
pub(crate) fn worker(dir: &Dir, server: &Server, machine: &str) -> Running {
    start_on(dir, machine, &format!("worker --nats {} --slots 1", server.url()))
}

/// Starts a coordinator, which waits briefly for lost workers.
#[track_caller]
pub(crate) fn coordinator(dir: &Dir, server: &Server, flags: &str) -> Running {
    start_on(dir, "home", &format!("coordinate --nats {} --worker-timeout 2s --quiet {flags}", server.url()))
}

/// Waits for its end, which must be with this exit code.
#[track_caller]
pub(crate) fn ends(running: Running, code: i32) -> Ended {
    let ended = running.wait(LIMIT);
    assert_eq!(ended.status, Some(code), "{ended}");
    ended
}

/// Waits until a part of the cup is played.
#[track_caller]
pub(crate) fn await_part(dir: &Dir, percent: usize) {
    until(LIMIT, "some games are in the journal", || dir.journal_lines("cup") > GAMES * percent / 100);
}
