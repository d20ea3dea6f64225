//! One game for each fault, and its consequences.

use std::time::Duration;

use arena::record::{GameResult, Status};
use arena::rules::Seat;

use super::{AMPLE_MS, MARGIN_MS, SHORT_MS, Seated, as_the_system_tells, beside, play};

/// Opponent and sparring partner that play all cases of a test with the same two processes.
struct Honest {
    opponent: Seated,
    partner: Seated,
}

impl Honest {
    fn new() -> Self {
        Self { opponent: Seated::faulty("none"), partner: Seated::faulty("none") }
    }

    /// Plays a normal game: nothing was carried over from the last one.
    #[track_caller]
    fn play_on(&mut self, game: &str, after: &str) -> super::Played {
        let before = self.opponent.name();
        let played = play(game, Seat::First, &mut self.opponent, &mut self.partner, AMPLE_MS);
        assert_eq!(played.verdict.statuses, [Status::Ok; 2], "{after}: {:?}", played.verdict);
        assert!(before.is_none() || before == self.opponent.name(), "{after}: the opponent's process was replaced");
        played
    }

    fn leave(self) {
        self.opponent.leave();
        self.partner.leave();
    }
}

/// Arguments of the faulty bot, and a part of the message.
type Case = (&'static str, &'static str);

/// Each of `cases` loses by `status`, in tic-tac-toe unless another game is given.
#[track_caller]
fn check_lost(status: Status, cases: &[Case]) {
    let allowed_ms = if status == Status::Timeout { SHORT_MS + MARGIN_MS } else { 0 };
    check_lost_within(status, AMPLE_MS, allowed_ms, cases);
}

/// As [`check_lost`], with these limits for the start and in total.
#[track_caller]
fn check_lost_within(status: Status, startup_ms: u64, allowed_ms: u64, cases: &[Case]) {
    let _beside = beside();
    let mut honest = Honest::new();
    honest.play_on("tictactoe", "before anything");
    for (number, (args, says)) in cases.iter().enumerate() {
        let seat = [Seat::First, Seat::Second][number % 2];
        let (game, args) = args.split_once(": ").unwrap_or(("tictactoe", args));
        let mut bot = Seated::with_startup(&format!("{args} once"), startup_ms);
        let move_ms = if status == Status::Timeout { SHORT_MS } else { AMPLE_MS };
        let played = play(game, seat, &mut bot, &mut honest.opponent, move_ms);

        assert_eq!(played.status(seat), status, "{args}: {:?}", played.verdict);
        assert_eq!(played.status(seat.other()), Status::Ok, "{args}: {:?}", played.verdict);
        assert_eq!(played.verdict.result, GameResult::of(Some(seat.other())), "{args}");
        assert_eq!(played.verdict.reason, status.name(), "{args}");
        assert!(played.message(seat).contains(&as_the_system_tells(says)), "{args}: {}", played.message(seat));
        let cause = played.verdict.evidence[seat.index()].as_ref().and_then(|evidence| evidence.cause);
        assert!(cause.is_some(), "{args}: no cause");
        assert!(played.message(seat).chars().count() < 1_000, "{args}: a long message");
        assert!(!format!("{}{}", played.message(seat), played.log(seat)).contains('\u{1b}'), "{args}: an escape");
        played.assert_within(args, Duration::from_millis(allowed_ms));
        bot.assert_gone(args);
        honest.play_on("tictactoe", args);

        let before = bot.name();
        let again = play("tictactoe", seat, &mut bot, &mut honest.opponent, AMPLE_MS);
        assert_eq!(again.verdict.statuses, [Status::Ok; 2], "{args}, again: {:?}", again.verdict);
        assert!(bot.name().is_some() && bot.name() != before, "{args}: its process was not replaced");
        bot.leave();
    }
    honest.leave();
}

/// Each of `cases` plays exactly the game that an honest bot would, and `says` is in its log.
#[track_caller]
fn check_played(cases: &[(&'static str, u32, &'static str)]) {
    let _beside = beside();
    let mut honest = Honest::new();
    for (number, (args, surplus, says)) in cases.iter().enumerate() {
        let seat = [Seat::First, Seat::Second][number % 2];
        let (game, args) = args.split_once(": ").unwrap_or(("tictactoe", args));
        let mut bot = Seated::with_startup(args, AMPLE_MS);
        for time in ["first", "second"] {
            let played = play(game, seat, &mut bot, &mut honest.opponent, AMPLE_MS);
            assert_eq!(played.verdict.statuses, [Status::Ok; 2], "{args}, {time} game: {:?}", played.verdict);
            let expected = honest.play_on(game, args);
            assert_eq!(played.moves, expected.moves, "{args}, {time} game: other moves");
            assert_eq!(played.verdict.result, expected.verdict.result, "{args}, {time} game");
            let log = played.log(seat);
            assert!(log.contains(says), "{args}, {time} game: {log}");
            assert!(!log.contains('\u{1b}'), "{args}: an escape in its log");
            assert!(log.len() < 1_000_000, "{args}: a log of {} bytes", log.len());
            if time == "first" {
                assert_eq!(played.aftermath[seat.index()].surplus_lines, *surplus, "{args}: {log}");
            }
        }
        bot.leave();
    }
    honest.leave();
}

#[test]
fn faults_at_the_start_are_startup_failed_at_once() {
    check_lost_within(
        Status::StartupFailed,
        AMPLE_MS,
        0,
        &[
            ("exit-at-start=0", "it exited with status 0 before it said hello"),
            ("exit-at-start=3", "it exited with status 3 before it said hello"),
            ("closed-at-start", "it closed its output before it said hello"),
            ("flood-at-start", "more than 1000 lines that are not messages"),
            ("hello-2", "its hello says protocol 2; this arena speaks 1"),
            ("hello-none", "missing field `protocol`"),
            ("hello-other", "it does not play mnk; its hello names go\\u{1b}[2J, chess"),
            ("ready-exit", "it exited with status 0 before it was ready"),
            ("ready-wrong", "which was never issued to this bot; it was asked with id"),
            ("ready-short", "which was never issued to this bot; it was asked with id"),
        ],
    );
}

#[test]
fn no_hello_in_time_is_startup_failed() {
    check_lost_within(
        Status::StartupFailed,
        200,
        200,
        &[
            ("mute", "no hello within 200 ms of its start"),
            ("never-reads", "no hello within 200 ms"),
            ("slow-start=1000", "no hello within 200 ms"),
            ("hello-bad", "its answer to hello was not understood: EOF while parsing"),
            ("hello-held", "it probably did not flush its output, or reads to the end of its input"),
            ("read-all", "it probably did not flush its output, or reads to the end of its input"),
        ],
    );
}

#[test]
#[ignore = "waits for limits of five seconds; .ci/run has a command for it"]
fn no_ready_in_time_is_startup_failed() {
    let says = r#"its answer to new_game was not understood: missing field `id` at byte 16: {"type":"ready"}"#;
    check_lost_within(Status::StartupFailed, AMPLE_MS, 5_000, &[(r#"ready-never={"type":"ready"}"#, says)]);
}

#[test]
fn exits_and_closed_pipes_are_crashes() {
    check_lost(
        Status::Crashed,
        &[
            ("exit=3", "it exited with status 3 while a move was owed"),
            ("exit=0 at=2", "it exited with status 0 while a move was owed"),
            ("abort", "it was killed by signal 6 (SIGABRT) while a move was owed"),
            ("orphan-exit at=2", "it exited with status 5 while a move was owed"),
            ("orphan-after-move", "it exited with status 0 while a move was owed"),
            ("exit-after-move", "it exited with status 0 while a move was owed"),
            ("no-newline-exit", "it wrote a line without a newline: {\"type\":\"move\""),
            ("close-stdout at=2", "it closed its output while a move was owed"),
            ("mnk:rows=31,cols=32,k=5: shrink=close", "it closed its output while a move was owed"),
            ("mnk:rows=31,cols=32,k=5: shrink=orphan", "it exited with status 6 while a move was owed"),
        ],
    );
}

#[test]
fn silence_of_every_kind_is_a_timeout() {
    check_lost(
        Status::Timeout,
        &[
            ("sleep", "no move within 100 ms"),
            ("late=130", "no move within 100 ms"),
            ("helper=0.13", "no move within 100 ms"),
            ("burn", "no move within 100 ms"),
            ("burn-thread", "no move within 100 ms"),
            ("stop", "it is stopped (SIGSTOP)"),
            ("chatty", "no move within 100 ms; its last line was dropped as stray: still thinking"),
            ("chatty-blank", "no move within 100 ms"),
            ("drip", "it wrote a line without a newline: {\"type\":\"move\""),
            ("partial", "it wrote a line without a newline: {\"type\":\"mo"),
            ("no-flush", "it probably did not flush its output"),
            ("no-flush-poll", "it was late, or did not flush its output: the answer came when its input was closed"),
            ("array", "no move within 100 ms; its last line was dropped as stray: [\"move\","),
            ("wrong-kind", "no move within 100 ms; its last line was dropped as stale: {\"type\":\"ready\""),
            ("echo", "no move within 100 ms"),
            ("utf16-bom", "write UTF-8, not UTF-16"),
            ("close-stdin", "it closed its input"),
            ("mnk:rows=31,cols=32,k=5: shrink", "no move within 100 ms"),
            ("mnk:rows=31,cols=32,k=5: shrink=drool", "no move within 100 ms"),
        ],
    );
}

#[test]
fn broken_messages_are_protocol_errors() {
    check_lost(
        Status::ProtocolError,
        &[
            ("float", "invalid type: floating point `3.0`"),
            ("text", "invalid type: string \"3\""),
            ("long-text", "expected a move: an integer or a list of integers at byte"),
            ("null", "invalid type: null"),
            ("huge", "number out of range"),
            ("wide", "floating point `1.8446744073709552e+19`"),
            ("huge-id", "floating point"),
            ("text-id", "expected an integer"),
            ("no-id", "missing field `id`"),
            ("shape", "expected an integer"),
            ("pretty", "a message must stand on one line"),
            ("two-objects", "trailing characters"),
            ("utf8", "invalid UTF-8 at byte"),
            ("twin-keys", "duplicate key `move`"),
            ("nul", "NUL bytes"),
            ("utf16", "write UTF-8, not UTF-16"),
            ("deep", "recursion limit exceeded"),
            ("line=65537", "a line is longer than 65536 bytes; it begins {"),
            ("endless={", "a line is longer than 65536 bytes"),
            ("endless=x", "a line is longer than 65536 bytes; it begins xxx"),
            ("wrong-id at=2", "which was never issued to this bot; it was asked with id"),
            ("ahead", "which was never issued to this bot"),
            ("junk-after", "a message must stand on one line: {\"type\":"),
        ],
    );
}

#[test]
fn floods_are_protocol_errors() {
    check_lost(
        Status::ProtocolError,
        &[
            ("flood-stray", "more than 1000 lines that are not messages"),
            ("flood-stale", "more than 1000 lines that answer no open request"),
            ("flood-bytes", "more than 1048576 bytes of unusable output"),
            ("flood-blank at=2", "more than 1048576 bytes of unusable output"),
        ],
    );
}

#[test]
fn wrong_moves_are_illegal() {
    check_lost(
        Status::IllegalMove,
        &[
            ("occupied at=2", "at ply 2: move ["),
            ("int", "move 3 has the wrong form for this game"),
            ("beyond", "move [4294967299,0] is not legal; legal: ["),
            ("negative", "move [-1,0] is not legal"),
            ("empty", "move [] is not legal"),
            ("long", "move [1,1,1,1,"),
            ("connect4: beyond", "move [4294967299,0] has the wrong form for this game; legal: 0, 1, 2"),
            ("connect4: empty", "move [] has the wrong form for this game"),
        ],
    );
}

#[test]
fn harmless_habits_are_not_faults() {
    check_played(&[
        ("none", 0, ""),
        ("slow-start=300", 0, ""),
        ("banner", 1, ""),
        ("hello-twice", 1, ""),
        ("hello-hostile", 0, ""),
        ("ready-twice", 1, "stale stdout: {\"type\":\"ready\""),
        ("bom", 0, ""),
        ("crlf", 0, ""),
        ("lfcr", 0, ""),
        ("blank", 0, ""),
        ("stray at=2", 6, "stray stdout: let me see"),
        ("comment", 0, "comment of 10000 characters cut: 280 are kept"),
        ("twice", 3, "stale stdout: {\"type\":\"move\""),
        ("stale at=2", 2, "stale stdout: {\"type\":\"move\""),
        ("hello-again", 4, "stale stdout: {\"type\":\"hello\""),
        ("escaped", 0, ""),
        ("line=65536", 0, ""),
        ("eval", 0, "eval 7.5 dropped"),
        ("debug", 0, "debug of 9002 bytes dropped"),
        ("stderr at=2", 0, "bytes dropped"),
        ("orphan-quit", 0, ""),
        ("ignore-quit", 0, ""),
        ("exit-on-over", 0, ""),
        ("crash-on-over", 0, ""),
    ]);
}
