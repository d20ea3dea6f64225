//! Isolation of one game from the next, and races at the end of a game.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use arena::record::{GameResult, Status};
use arena::rules::Seat;

use super::{AMPLE_MS, Seated, as_the_system_tells, beside, faulty, play};

/// Two marbles: the second seat ends the game with its first move, by taking the last one.
const SHORT_GAME: &str = "marbles:heap=2";

#[test]
fn a_bot_that_exits_right_after_its_last_move_has_moved() {
    let _beside = beside();
    let mut honest = Seated::faulty("none");
    for args in ["exit-after-move", "orphan-after-move"] {
        let mut bot = Seated::faulty(args);
        let mut seen = Vec::new();
        // Many times, since it is a race between the reply and the exit.
        for _ in 0..40 {
            let played = play(SHORT_GAME, Seat::Second, &mut bot, &mut honest, AMPLE_MS);
            assert_eq!(played.verdict.statuses, [Status::Ok; 2], "{args}: {:?}", played.verdict);
            assert_eq!(played.verdict.result, GameResult::SecondWins, "{args}");
            played.assert_within(args, Duration::ZERO);
            seen.extend(bot.name());
        }
        seen.dedup();
        assert_eq!(seen.len(), 40, "{args}: a new process for every game");
        bot.leave();
    }
    honest.leave();
}

#[test]
fn no_interruptions_after_a_game() {
    let (mut bot, mut honest) = (Seated::faulty("none"), Seated::faulty("exit=3 at=2"));
    for _ in 0..2 {
        play(SHORT_GAME, Seat::First, &mut bot, &mut honest, AMPLE_MS);
        // Several times the delay of the alarm that interrupts reads.
        let time = rustix::event::Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
        assert_eq!(rustix::event::poll(&mut [], Some(&time)), Ok(0));
    }
    bot.leave();
    honest.leave();
}

#[test]
fn a_bot_that_exits_between_games_is_restarted_and_its_stderr_is_logged() {
    let _beside = beside();
    let (mut bot, mut honest) = (Seated::faulty("crash-on-over"), Seated::faulty("none"));
    let mut logs = String::new();
    for _ in 0..5 {
        let played = play(SHORT_GAME, Seat::First, &mut bot, &mut honest, AMPLE_MS);
        assert_eq!(played.verdict.statuses, [Status::Ok; 2], "{:?}", played.verdict);
        logs.push_str(&played.log(Seat::First));
    }
    assert!(logs.contains("cannot bear to lose"), "{logs}");
    bot.leave();
    honest.leave();
}

#[test]
fn an_answer_to_the_last_game_is_stale_in_the_next() {
    let _beside = beside();
    let (mut bot, mut honest) = (Seated::faulty("stale at=2"), Seated::faulty("none"));
    // Its second request is the first one of the second game. Before it answers, it repeats the id of the first game.
    let first = play("marbles:heap=2", Seat::First, &mut bot, &mut honest, AMPLE_MS);
    let second = play("marbles:heap=2", Seat::First, &mut bot, &mut honest, AMPLE_MS);
    assert_eq!(first.verdict.statuses, [Status::Ok; 2]);
    assert_eq!(second.verdict.statuses, [Status::Ok; 2]);
    assert_eq!((first.aftermath[0].surplus_lines, second.aftermath[0].surplus_lines), (0, 1));
    bot.leave();
    honest.leave();
}

#[test]
fn a_late_answer_does_not_reach_the_next_game() {
    let _beside = beside();
    let (mut bot, mut honest) = (Seated::faulty("late=130"), Seated::faulty("none"));
    for _ in 0..3 {
        let played = play("tictactoe", Seat::First, &mut bot, &mut honest, 100);
        assert_eq!(played.verdict.statuses, [Status::Timeout, Status::Ok], "{:?}", played.verdict);
        assert_eq!(played.aftermath[0].surplus_lines, 0);
    }
    bot.leave();
    honest.leave();
}

#[test]
fn a_late_answer_is_not_reported_as_unflushed() {
    let _beside = beside();
    let mut honest = Seated::faulty("none");
    for args in ["late=1000", "helper=1"] {
        let mut bot = Seated::faulty(args);
        let played = play("tictactoe", Seat::First, &mut bot, &mut honest, 100);
        let message = played.message(Seat::First);
        assert!(message.starts_with("no move within 100 ms") && !message.contains("flush"), "{args}: {message}");
        bot.leave();
    }
    // These may arrive during the diagnosis, or even in time.
    for late in (109..=112).cycle().take(12) {
        let mut bot = Seated::faulty(&format!("late={late}"));
        let played = play("tictactoe", Seat::First, &mut bot, &mut honest, 100);
        let message = played.message(Seat::First);
        assert!(!message.contains("most likely"), "late={late}: {message}");
        bot.leave();
    }
    honest.leave();
}

#[test]
fn an_unflushed_answer_behind_a_script_is_found() {
    let _beside = beside();
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("bot");
    fs::write(&path, format!("#!/bin/sh\n{} no-flush\nexit $?\n", faulty().display())).expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a mode");
    let (mut bot, mut honest) = (Seated::program(&path, "", AMPLE_MS), Seated::faulty("none"));
    let played = play("tictactoe", Seat::First, &mut bot, &mut honest, 100);
    let says = as_the_system_tells("it probably did not flush its output");
    assert!(played.message(Seat::First).starts_with(&says), "{:?}", played.verdict);
    bot.leave();
    honest.leave();
}

#[test]
fn output_after_game_over_is_counted_alike_whenever_it_is_read() {
    let _beside = beside();
    let mut honest = Seated::faulty("none");
    // Each line with its count in the next game. After the last one, a new process plays that.
    for (line, counted) in [
        ("bye", 1),
        (r#"{"type":"bye"}"#, 1),
        (r#"{"type":"ready"}"#, 1),
        (r#"{"result":"win"}"#, 1),
        ("{", 1),
        (r#"{"type":"hello","protocol":1}"#, 1),
        (r#"{"type":"ready","id":0}"#, 0),
    ] {
        for when in ["over", "over-early", "over-late"] {
            let mut bot = Seated::faulty(&format!("{when}={line}"));
            for expected in [0, counted, counted] {
                let played = play(SHORT_GAME, Seat::Second, &mut bot, &mut honest, AMPLE_MS);
                assert_eq!(played.verdict.statuses, [Status::Ok; 2], "{when} {line}: {:?}", played.verdict);
                let surplus = played.aftermath[1].surplus_lines;
                assert_eq!(surplus, expected, "{when} {line}: {}", played.log(Seat::Second));
            }
            bot.leave();
        }
    }
    honest.leave();
}

#[test]
fn resigning_is_not_a_fault() {
    let _beside = beside();
    let (mut bot, mut honest) = (Seated::faulty("resign at=2"), Seated::faulty("none"));
    let played = play("connect4", Seat::First, &mut bot, &mut honest, AMPLE_MS);
    let name = bot.name();
    assert_eq!(played.verdict.statuses, [Status::Resigned, Status::Ok]);
    assert_eq!((played.verdict.result, played.verdict.reason.as_str()), (GameResult::SecondWins, "resigned"));
    assert!(played.verdict.evidence[0].is_none());
    play("connect4", Seat::First, &mut bot, &mut honest, AMPLE_MS);
    assert_eq!(bot.name(), name, "the process plays on");
    bot.leave();
    honest.leave();
}

#[test]
fn an_illegal_move_comes_with_the_request_and_the_reply() {
    let _beside = beside();
    let (mut bot, mut honest) = (Seated::faulty("int"), Seated::faulty("none"));
    let played = play("tictactoe", Seat::First, &mut bot, &mut honest, AMPLE_MS);
    let evidence = played.verdict.evidence[0].clone().expect("evidence");
    assert!(evidence.last_sent.expect("a request").starts_with("{\"type\":\"move_request\""));
    assert!(evidence.last_received.expect("a reply").ends_with("\"move\":3}"));
    bot.leave();
    honest.leave();
}

#[test]
fn the_end_of_stderr_is_kept_and_escaped() {
    let _beside = beside();
    let (mut bot, mut honest) = (Seated::faulty("exit=3"), Seated::faulty("none"));
    let played = play("tictactoe", Seat::First, &mut bot, &mut honest, AMPLE_MS);
    let evidence = played.verdict.evidence[0].clone().expect("evidence");
    assert_eq!(evidence.stderr_tail.as_deref(), Some("Traceback: it was all too much\\u{1b}[31m"));
    assert!(played.log(Seat::First).contains("stderr: Traceback: it was all too much\\u{1b}[31m"));
    bot.leave();
    honest.leave();
}

#[test]
fn output_after_a_game_does_not_affect_other_games() {
    let _beside = beside();
    let (mut bot, mut honest) = (Seated::faulty("ahead"), Seated::faulty("none"));
    // It answers its only request, and then a future id; that is read after the game.
    for _ in 0..4 {
        let played = play(SHORT_GAME, Seat::First, &mut bot, &mut honest, AMPLE_MS);
        assert_eq!(played.verdict.statuses, [Status::Ok; 2], "{:?}", played.verdict);
        assert_eq!(played.aftermath[0].surplus_lines, 0);
    }
    bot.leave();
    honest.leave();
}

#[test]
fn stderr_between_games_is_labelled() {
    let _beside = beside();
    let dir = tempfile::tempdir().expect("a folder");
    let (path, go) = (dir.path().join("bot"), dir.path().join("go"));
    // It writes to stderr once the file `go` exists.
    let text = format!(
        r#"#!/bin/sh
id() {{ echo "$1" | sed 's/.*"id":\([0-9]*\).*/\1/'; }}
echo begun >&2
while read -r line; do case "$line" in
*'"hello"'*) echo '{{"type":"hello","protocol":1}}';;
*'"new_game"'*) echo "{{\"type\":\"ready\",\"id\":$(id "$line")}}";;
*'"move_request"'*) echo asked >&2; echo "{{\"type\":\"move\",\"id\":$(id "$line"),\"move\":1}}";;
*'"game_over"'*) while ! test -e {go}; do :; done; echo over >&2;;
esac; done"#,
        go = go.display()
    );
    fs::write(&path, text).expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a mode");
    let (mut bot, mut honest) = (Seated::program(&path, "", AMPLE_MS), Seated::faulty("none"));
    let first = play(SHORT_GAME, Seat::First, &mut bot, &mut honest, AMPLE_MS);
    assert_eq!(first.log(Seat::First), "stderr: begun\nstderr: asked");
    fs::write(&go, "").expect("a file");
    let second = play(SHORT_GAME, Seat::First, &mut bot, &mut honest, AMPLE_MS);
    let log = second.log(Seat::First);
    assert!(log.starts_with("stderr, between games: over\nstderr: asked"), "{log}");
    bot.leave();
    honest.leave();
}
