//! Rows 1 to 44 and 63 to 68: what a bot writes, or fails to write, and how it ends.

use std::sync::Arc;

use arena::executor::{Slot, SlotSettings};
use arena::guard::SandboxMode;
use arena::player::process::{Launch, SharedProcessor};
use arena::record::Status::{Crashed, IllegalMove, ProtocolError, StartupFailed, Timeout};
use arena::roster::{Roster, RosterSettings};
use arena::schedule::Scheduler;

use super::rows::{check, loses, plays};
use crate::faults::faulty;
use crate::procfs::allowed_cpus_by_thread;
use crate::support::{Dir, LIMIT, until};

const QUICK_START: &str = "startup_ms = 200";

#[test]
fn bots_that_start_badly() {
    check(&[
        loses(1, "exit-at-start=0", StartupFailed, "it exited with status 0 before it said hello"),
        loses(1, "exit-at-start=3", StartupFailed, "it exited with status 3 before it said hello"),
        loses(6, "exit-at-start=1", StartupFailed, "stderr: my tables are missing"),
        loses(7, "mute", StartupFailed, "no hello within 200 ms of its start").manifest(QUICK_START).allowed(200),
        loses(8, "never-reads", StartupFailed, "no hello within 200 ms").manifest(QUICK_START).allowed(200),
        plays(9, "slow-start=400", "").hurried().allowed(400),
        plays(10, "banner", ""),
        loses(11, "flood-at-start", StartupFailed, "more than 1000 lines that are not messages"),
        loses(12, "hello-2", StartupFailed, "its hello says protocol 2; this arena speaks 1"),
        loses(12, "hello-none", StartupFailed, "missing field `protocol`"),
        plays(12, "hello-twice", ""),
        plays(13, "hello-hostile", ""),
        loses(13, "hello-other", StartupFailed, "its hello names go\\u{1b}[2J, chess"),
    ]);
}

#[test]
#[ignore = "waits for limits of five seconds; .ci/run has a command for it"]
fn bots_that_are_never_ready() {
    check(&[loses(7, "ready-never", StartupFailed, "no ready within 5000 ms").with("-j 4").allowed(5_000)]);
}

#[test]
#[ignore = "waits for limits of five seconds; .ci/run has a command for it"]
fn bots_that_say_nothing_in_time() {
    check(&[
        loses(16, "partial", Timeout, "it wrote a line without a newline: {\"type\":\"mo"),
        loses(20, "chatty-blank", Timeout, "no move within 200 ms"),
        loses(20, "drip=10", Timeout, "it wrote a line without a newline: {\"type\":\"move\""),
        loses(20, "chatty", Timeout, "no move within 200 ms"),
        loses(23, "cr", Timeout, "it wrote a line without a newline: {\"type\":\"move\""),
        loses(23, "utf16-bom", Timeout, "write UTF-8, not UTF-16"),
        loses(30, "array", Timeout, "no move within 200 ms"),
        loses(34, "wrong-kind", Timeout, "no move within 200 ms"),
        loses(34, "echo", Timeout, "no move within 200 ms"),
        loses(34, "kind=moove", Timeout, "no move within 200 ms"),
        loses(36, "sleep", Timeout, "no move within 200 ms"),
        loses(36, "late=320", Timeout, "no move within 200 ms"),
        loses(39, "close-stdin", Timeout, "it closed its input"),
        loses(43, "stop", Timeout, "it is stopped (SIGSTOP)"),
        loses(44, "harm=vfork", Timeout, "no move within 200 ms"),
        loses(44, "harm=leader", Timeout, "no move within 200 ms"),
        loses(66, "burn", Timeout, "no move within 200 ms").with("-j 2"),
        loses(66, "burn-thread", Timeout, "no move within 200 ms").with("-j 2"),
    ]);
}

#[test]
fn bots_that_stop_reading() {
    // A sandbox leaves pipes as they are.
    const SHRINKS: &str = "-j 4 --sandbox off";
    // Messages of many pages, through pipes of one page.
    check(&[
        loses(8, "mnk:rows=31,cols=32,k=5: shrink", Timeout, "no move within 200 ms").with(SHRINKS),
        loses(8, "mnk:rows=31,cols=32,k=5: shrink=drool", Timeout, "no move within 200 ms").with(SHRINKS),
        loses(8, "mnk:rows=31,cols=32,k=5: shrink=close", Crashed, "it closed its output while a move was owed")
            .with(SHRINKS),
        loses(41, "mnk:rows=31,cols=32,k=5: shrink=orphan", Crashed, "it exited with status 6 while a move was owed"),
    ]);
}

#[test]
fn bots_that_break_the_protocol() {
    check(&[
        loses(14, "ahead", ProtocolError, "which was never issued to this bot"),
        loses(15, "two-objects", ProtocolError, "trailing characters"),
        loses(18, "endless={", ProtocolError, "a line is longer than 65536 bytes; it begins {"),
        loses(18, "endless=x", ProtocolError, "a line is longer than 65536 bytes; it begins xxx"),
        loses(19, "replies", ProtocolError, "more than 1000 lines that answer no open request"),
        loses(19, "flood-stale", ProtocolError, "more than 1000 lines that answer no open request"),
        loses(19, "flood-stray", ProtocolError, "more than 1000 lines that are not messages"),
        loses(19, "flood-bytes", ProtocolError, "more than 1048576 bytes of unusable output"),
        loses(20, "flood-blank at=2", ProtocolError, "more than 1048576 bytes of unusable output"),
        loses(21, "utf8", ProtocolError, "invalid UTF-8 at byte"),
        loses(21, "utf8-bare", ProtocolError, "invalid UTF-8 at byte"),
        loses(23, "utf16", ProtocolError, "write UTF-8, not UTF-16"),
        loses(24, "nul", ProtocolError, "NUL bytes"),
        loses(25, "deep", ProtocolError, "recursion limit exceeded"),
        loses(26, "move=1e400", ProtocolError, "number out of range"),
        loses(26, "move=18446744073709551616", ProtocolError, "floating point"),
        loses(26, "move=3.0", ProtocolError, "invalid type: floating point `3.0`"),
        loses(26, "move=NaN", ProtocolError, "expected"),
        loses(26, "huge-id", ProtocolError, "floating point"),
        loses(27, "twin-keys", ProtocolError, "duplicate key `move`"),
        loses(29, "move=\"3\"", ProtocolError, "invalid type: string \"3\""),
        loses(29, "move=null", ProtocolError, "invalid type: null"),
        loses(29, "move=true", ProtocolError, "invalid type: boolean `true`"),
        loses(31, "pretty", ProtocolError, "a message must stand on one line"),
        loses(32, "line=65537", ProtocolError, "a line is longer than 65536 bytes"),
        loses(34, "wrong-id at=2", ProtocolError, "which was never issued to this bot"),
        loses(35, "long-text", ProtocolError, "expected a move: an integer or a list of integers"),
    ]);
}

#[test]
fn bots_that_move_wrongly() {
    check(&[
        loses(26, "beyond", IllegalMove, "move [4294967299,0] is not legal"),
        loses(26, "negative", IllegalMove, "move [-1,0] is not legal"),
        loses(33, "occupied at=2", IllegalMove, "] is not legal; legal: ["),
        loses(33, "int", IllegalMove, "move 3 has the wrong form for this game"),
        loses(33, "empty", IllegalMove, "move [] is not legal"),
        loses(33, "long", IllegalMove, "move [1,1,1,1,"),
    ]);
}

#[test]
fn bots_that_end_too_early() {
    check(&[
        loses(17, "no-newline-exit", Crashed, "it wrote a line without a newline: {\"type\":\"move\""),
        loses(17, "no-newline-close", Crashed, "it wrote a line without a newline: {\"type\":\"move\""),
        loses(38, "close-stdout at=2", Crashed, "it closed its output while a move was owed"),
        loses(40, "exit-after-move", Crashed, "it exited with status 0 while a move was owed"),
        loses(41, "orphan-exit", Crashed, "it exited with status 5 while a move was owed"),
        loses(41, "orphan-after-move", Crashed, "it exited with status 0 while a move was owed"),
        loses(65, "harm=segv", Crashed, "it was killed by signal 11 (SIGSEGV) while a move was owed"),
        loses(65, "abort", Crashed, "it was killed by signal 6 (SIGABRT) while a move was owed"),
    ]);
}

#[test]
fn bots_with_odd_habits() {
    check(&[
        plays(10, "stray at=2", "stray stdout: let me see"),
        plays(14, "twice", "stale stdout: {\"type\":\"move\""),
        plays(14, "two-by-two", ""),
        plays(22, "bom", ""),
        plays(22, "crlf", ""),
        plays(28, "escaped", ""),
        plays(32, "line=65535", ""),
        plays(32, "line=65536", ""),
        plays(34, "hello-again", "stale stdout: {\"type\":\"hello\""),
        plays(34, "stale at=2", "stale stdout: {\"type\":\"move\""),
        plays(37, "after-over", ""),
        plays(40, "crash-on-over", "cannot bear to lose"),
        plays(42, "ignore-quit", "").allowed(1_000),
        plays(44, "leader-leaves", ""),
        plays(63, "stderr at=2", "bytes dropped"),
        // On a board on which every game, also one that is played again, takes it more than two moves.
        plays(103, "mnk:rows=5,cols=5,k=5: debug-del", "moves dropped: at most 128 KiB a game"),
        plays(93, "stderr=256 at=2", "bytes dropped").allowed(2_000),
        plays(63, "harm=shout", "stderr: aaaa"),
        plays(64, "harm=escape", "stderr: tried escape \\u{1b}[2J\\u{1b}]0;owned\\u{7}\\u{9b}31m\\u{202e}\\r\\u{8}=="),
        plays(64, "harm=escape", "stderr: referee: ok: no fault"),
        plays(66, "harm=burn:3", ""),
        plays(66, "harm=burn:3", "").with("--freeze-idle"),
        plays(67, "harm=look", "stderr: tried look: TMPDIR="),
    ]);
}

#[test]
fn stderr_is_read_by_a_thread_that_is_not_pinned() {
    let dir = Dir::with_bots(&["random"]);
    dir.script("bots/waits", "exec sleep 1000");
    let arena = dir.start("tournament --game tictactoe --rounds 1 -j 1 --no-check -q");
    let threads = || allowed_cpus_by_thread(arena.pid());
    let slot = || threads().remove("slot 0").filter(|cpus| cpus.parse::<usize>().is_ok());
    until(LIMIT, "a slot is pinned", || slot().is_some());
    // stderr is read by a worker of the runtime.
    let threads = threads();
    assert_eq!(threads.get("tokio-rt-worker"), threads.get("arena"), "{threads:?}");
    assert!(threads.contains_key("tokio-rt-worker"), "{threads:?}");
}

#[test]
fn the_time_to_start_again_after_a_fault_is_recorded() {
    const SLOW_US: u64 = 100_000;
    let dir = Dir::with_bots(&["random"]);
    let program = faulty().to_str().expect("UTF-8");
    dir.file("bots/falls.toml", format!("command = [{program:?}, \"exit=3\", \"slow=100\"]"));
    dir.file("bots/leaves.toml", format!("command = [{program:?}, \"exit-on-over\", \"slow=100\"]"));
    // These bots are not charged: for leaving, for a process per game, or for the first start.
    dir.file("bots/fresh.toml", format!("command = [{program:?}, \"none\", \"slow=100\"]\nfresh = true"));
    dir.file("bots/stays.toml", format!("command = [{program:?}, \"none\", \"slow=100\"]"));
    dir.process("tournament --game tictactoe --rounds 1 --seed 1 -j 1 --move-time 30s --no-check -q");
    let games = dir.journal("tictactoe").games;
    let restarts = |name: &str| -> Vec<u64> {
        let seat = |game: &arena::record::Record| game.bots.iter().position(|bot| bot.name == name);
        games.iter().filter_map(|game| Some(game.restart_us[seat(game)?])).collect()
    };
    let times = restarts("falls");
    assert!(times.len() == 8 && times[0] == 0 && times[1..].iter().all(|us| *us >= SLOW_US), "{times:?}");
    for name in ["leaves", "fresh", "stays", "random"] {
        assert_eq!(restarts(name), [0; 8], "{name}");
    }
}

#[test]
fn a_bot_that_has_left_since_its_fault_starts_again_at_its_own_cost() {
    const SLOW_US: u64 = 100_000;
    let dir = Dir::new();
    dir.builtin("random", "random");
    let program = faulty().to_str().expect("UTF-8");
    dir.file("bots/falls.toml", format!("command = [{program:?}, \"exit=3\", \"slow=100\"]"));
    dir.process("tournament --game tictactoe --rounds 2 -j 1 --move-time 30s --no-check -q --sandbox off");
    let event = dir.journal("tictactoe").event.expect("an event");
    let settings =
        RosterSettings { guard: crate::support::guard(), sandbox: SandboxMode::Off, ..RosterSettings::default() };
    let bots = Roster::find(&dir.path("bots"), &[], &settings).expect("a roster").bots;
    let event = Arc::new(event);
    let mut scheduler = Scheduler::new(Arc::clone(&event), &[], &[], &mut ()).expect("a schedule");
    let slots = SlotSettings {
        variant: event.variant().expect("a game"),
        launches: bots.into_iter().map(|bot| Launch { scratch: dir.path(""), ..bot.launch }).collect(),
        event,
        live_bots: 2,
        host: String::new(),
        machine: None,
        boards: None,
        pace: None,
        events: None,
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let mut slot = Slot::new(&slots, SharedProcessor::default(), runtime.handle().clone());
    let times: Vec<u64> = (0..3)
        .map(|_| {
            let record = slot.play(&scheduler.issue().expect("a game")).record;
            // As bots do that wait for their games, where there are many.
            slot.leave();
            assert!(record.statuses.contains(&Crashed), "{record:?}");
            record.restart_us[record.bots.iter().position(|bot| bot.name == "falls").expect("a seat")]
        })
        .collect();
    assert!(times[0] == 0 && times[1..].iter().all(|us| *us >= SLOW_US), "{times:?}");
}
