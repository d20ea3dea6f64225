//! Brains that speak the Gomocup protocol, as real processes: `tests/bots/brain.rs` with different arguments.

use std::path::PathBuf;
use std::time::Duration;

use arena::cause::Cause;
use arena::clock::{Charge, TimeControl};
use arena::protocol::protocol_named;
use arena::record::Status;
use arena::rules::{Move, Seat};
use arena::speech::{DialectOptions, OptionValue};

use super::{AMPLE_MS, MARGIN_MS, Played, SHORT_MS, Seated, beside, compiled, play, play_from};

/// Five cells in a corner: a game on the smallest board is over soon.
const BOARD: &str = "gomoku:rows=5,cols=5";

fn program() -> PathBuf {
    compiled("bots/brain.rs", &[])
}

fn brain(args: &str) -> Seated {
    speaking(args, DialectOptions::new(), AMPLE_MS)
}

fn speaking(args: &str, options: DialectOptions, startup_ms: u64) -> Seated {
    let gomocup = protocol_named("gomocup").expect("it is known");
    Seated::speaking(gomocup, options, &program(), args, startup_ms)
}

/// The brain with `args` and a correct one, which takes the last free cells.
fn against_a_correct_one(args: &str, seat: Seat, move_ms: u64) -> (Played, Seated) {
    let (mut subject, mut opponent) = (brain(args), brain("last"));
    let played = play(BOARD, seat, &mut subject, &mut opponent, move_ms);
    opponent.leave();
    (played, subject)
}

#[track_caller]
fn fails(args: &str, seat: Seat, move_ms: u64, status: Status, cause: Cause, says: &str) {
    let (played, mut subject) = against_a_correct_one(args, seat, move_ms);
    let evidence = played.verdict.evidence[seat.index()].as_ref().unwrap_or_else(|| panic!("{args}: no fault"));
    assert_eq!((played.status(seat), evidence.cause), (status, Some(cause)), "{args}: {evidence:?}");
    assert!(evidence.message.contains(says), "{args}: {}", evidence.message);
    assert_eq!(played.status(seat.other()), Status::Ok, "{args}");
    played.assert_within(args, Duration::from_millis(move_ms + 5_000));
    // The fault has ended its process, and the next game is judged on its own.
    assert!(!subject.bot.is_started(), "{args}");
    subject.bot.say_quit();
    subject.leave();
}

#[track_caller]
fn plays(args: &str, seat: Seat, move_ms: u64) -> (Played, Seated) {
    let (played, subject) = against_a_correct_one(args, seat, move_ms);
    assert_eq!(played.verdict.statuses, [Status::Ok; 2], "{args}: {:?}", played.verdict);
    (played, subject)
}

#[test]
fn what_a_brain_may_write_costs_it_nothing() {
    let _beside = beside();
    for (args, name, surplus) in [
        ("", Some("tiny"), 0),
        ("cr blank", Some("tiny"), 0),
        ("lower", Some("tiny"), 0),
        ("ok-text", Some("tiny"), 0),
        ("info-error", Some("tiny"), 0),
        ("free-about", None, 0),
        ("unknown-about", None, 0),
        ("noisy-about", Some("tiny"), 1),
        ("stray at:2", Some("tiny"), 1),
    ] {
        let (played, subject) = plays(args, Seat::First, AMPLE_MS);
        assert_eq!(subject.name().as_deref(), name, "{args}");
        assert!(played.aftermath[0].surplus_lines >= surplus, "{args}: {}", played.log(Seat::First));
        assert!(surplus > 0 || played.aftermath[0].surplus_lines == 0, "{args}: {}", played.log(Seat::First));
        let log = played.log(Seat::First);
        assert!(args != "info-error" || log.contains("stdout: ERROR - unknown info"), "{log}");
        subject.leave();
    }
}

#[test]
fn the_last_message_is_the_comment_of_a_move() {
    let _beside = beside();
    let (played, subject) = plays("message", Seat::Second, AMPLE_MS);
    let comments: Vec<_> = played.details.iter().map(|details| details.comment.as_deref()).collect();
    assert_eq!(comments[..4], [None, Some("depth 3"), None, Some("depth 3")]);
    assert!(played.details.iter().all(|details| details.eval.is_none()));
    subject.leave();
}

#[test]
fn answers_to_repeated_questions_are_no_answer_to_a_move_request() {
    let _beside = beside();
    // It is busy for longer than ABOUT waits, reads on meanwhile, and knows no ABOUT.
    let script = r#"exec python3 -c '
import sys, time
free = [(x, y) for y in range(5) for x in range(5)]
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "START": print("OK", flush=True)
    elif word == "ABOUT": print("UNKNOWN", flush=True)
    elif word in ("BEGIN", "TURN"):
        if rest: free.remove(tuple(map(int, rest.split(","))))
        print("%d,%d" % free.pop(0), flush=True)
        time.sleep(0.1)
    elif word == "END": break
'"#;
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("brain.sh");
    std::fs::write(&path, script).expect("a script");
    let gomocup = protocol_named("gomocup").expect("it is known");
    let shell = std::path::Path::new("/bin/sh");
    let mut subject = Seated::speaking(gomocup, DialectOptions::new(), shell, path.to_str().expect("UTF-8"), AMPLE_MS);
    let mut opponent = brain("last");
    let played = play(BOARD, Seat::First, &mut subject, &mut opponent, AMPLE_MS);
    assert_eq!(played.verdict.statuses, [Status::Ok; 2], "{:?}", played.verdict);
    assert_eq!(played.aftermath[0].surplus_lines, 0, "{}", played.log(Seat::First));
    subject.leave();
    opponent.leave();
}

#[test]
fn a_second_pair_is_dropped_and_answers_no_later_question() {
    let _beside = beside();
    for (args, seat) in [("twice", Seat::First), ("twice-late", Seat::Second)] {
        let (played, subject) = plays(args, seat, AMPLE_MS);
        let aftermath = &played.aftermath[seat.index()];
        // The last ones are read when the game is over, or with the next.
        assert!(aftermath.surplus_lines >= 2, "{args}: {}", played.log(seat));
        assert!(played.log(seat).contains("stale stdout: "), "{}", played.log(seat));
        subject.leave();
    }
}

#[test]
#[ignore = "waits for limits of five seconds; .ci/run has a command for it"]
fn a_brain_that_fails_at_its_start_is_not_started_for_a_move() {
    use Cause::{Exited, NoHello, NoReady, Refused};
    use Status::StartupFailed;
    let _beside = beside();
    for (args, cause, says) in [
        ("refuse-size", Refused, "it answers START 5 with ERROR - unsupported board size (5)"),
        ("unknown-start", Refused, "it answers START 5 with UNKNOWN command"),
        ("silent-start", NoReady, "no OK within 5000 ms"),
        ("no-about:2", NoReady, "no answer to the ABOUT after START within 5000 ms"),
        ("die-at-start", Exited { code: 4 }, "before it answered ABOUT"),
        ("die-at-about", Exited { code: 4 }, "before it answered ABOUT"),
        ("die-at-START", Exited { code: 4 }, "before it was ready"),
        ("die-at-ready", Exited { code: 4 }, "before it was ready"),
    ] {
        fails(args, Seat::First, AMPLE_MS, StartupFailed, cause, says);
    }
    // What has no line end stays before the next line, and of OK nothing is left.
    let (_, mut subject) = plays("unended", Seat::First, AMPLE_MS);
    let mut opponent = brain("last");
    let played = play(BOARD, Seat::First, &mut subject, &mut opponent, AMPLE_MS);
    assert_eq!(played.status(Seat::First), StartupFailed, "{:?}", played.verdict);
    let told = "no OK within 5000 ms; its line `2,2OK` began with `2,2`, which it wrote before it was asked";
    assert_eq!(played.message(Seat::First), told);
    subject.leave();
    opponent.leave();
    let (mut subject, mut opponent) = (speaking("no-about", DialectOptions::new(), 300), brain(""));
    let played = play(BOARD, Seat::Second, &mut subject, &mut opponent, AMPLE_MS);
    assert_eq!(played.status(Seat::Second), StartupFailed);
    let message = played.message(Seat::Second);
    assert!(message.starts_with("no answer to ABOUT within 300 ms of its start; it wrote nothing"), "{message}");
    assert_eq!(played.verdict.evidence[1].as_ref().and_then(|evidence| evidence.cause), Some(NoHello));
    subject.leave();
    opponent.leave();
}

#[test]
fn faults_in_a_game_are_told_in_the_words_of_the_protocol() {
    use Cause::{Exited, IllegalMove, MoveType, NoMove, Refused, TooManyBytes, TooManyLines};
    use Status::{Crashed, ProtocolError, Timeout};
    let _beside = beside();
    for (args, seat, move_ms, status, cause, says) in [
        ("silent", Seat::First, SHORT_MS, Timeout, NoMove, "no move within 100 ms"),
        (
            "illegal",
            Seat::Second,
            AMPLE_MS,
            Status::IllegalMove,
            IllegalMove,
            "move `4,4` ([4,4]) is not legal; legal: ",
        ),
        ("off", Seat::First, AMPLE_MS, Status::IllegalMove, IllegalMove, "at ply 0: move `5,0` ([0,5]) is not legal"),
        (
            "older at:3",
            Seat::First,
            AMPLE_MS,
            Status::IllegalMove,
            IllegalMove,
            "it wrote the same line 2 moves earlier; at ply 4: move `0,0` ([0,0]) is not legal",
        ),
        ("error-move", Seat::First, AMPLE_MS, ProtocolError, Refused, "it answers BEGIN with ERROR - no move"),
        ("unknown-move", Seat::Second, AMPLE_MS, ProtocolError, Refused, "it answers TURN 4,4 with UNKNOWN command"),
        ("half-pair", Seat::Second, AMPLE_MS, ProtocolError, MoveType, "it answers TURN 4,4 with 7;8"),
        ("suggest", Seat::First, AMPLE_MS, ProtocolError, MoveType, "SUGGEST asks a person; answer with x,y"),
        // Reading that much takes processor time, of which a busy machine has little.
        ("flood", Seat::First, 3 * AMPLE_MS, ProtocolError, TooManyBytes, "more than 16777216 bytes of remarks"),
        (
            "flood-stray",
            Seat::First,
            AMPLE_MS,
            ProtocolError,
            TooManyLines,
            "more than 1000 lines that are not messages",
        ),
        ("die-at-sync", Seat::First, AMPLE_MS, Crashed, Exited { code: 4 }, "before it was asked for a move"),
        ("die-at-first-move", Seat::First, AMPLE_MS, Crashed, Exited { code: 4 }, "while a move was owed"),
        ("die-at-second-move", Seat::Second, AMPLE_MS, Crashed, Exited { code: 4 }, "while a move was owed"),
    ] {
        fails(args, seat, move_ms, status, cause, says);
    }
}

#[test]
fn a_flood_of_remarks_takes_no_longer_than_its_move() {
    let _beside = beside();
    let (played, subject) = against_a_correct_one("flood:200000000", Seat::First, SHORT_MS);
    // Whichever comes first: the end of its time, or the limit of bytes.
    let status = played.status(Seat::First);
    assert!([Status::Timeout, Status::ProtocolError].contains(&status), "{:?}", played.verdict);
    assert!(!played.message(Seat::First).contains("without a newline"), "{}", played.message(Seat::First));
    played.assert_within("a flood", Duration::from_millis(SHORT_MS));
    subject.leave();
}

#[test]
fn a_move_that_comes_late_answers_no_later_question() {
    let _beside = beside();
    let (played, mut subject) = against_a_correct_one("late:400 at:2", Seat::First, SHORT_MS);
    assert_eq!(played.status(Seat::First), Status::Timeout, "{:?}", played.verdict);
    // A new process, which is fast at first.
    let mut opponent = brain("last");
    let played = play(BOARD, Seat::First, &mut subject, &mut opponent, SHORT_MS);
    assert_eq!((played.status(Seat::First), played.moves.len()), (Status::Timeout, 2), "{:?}", played.verdict);
    subject.leave();
    opponent.leave();
}

#[test]
#[ignore = "waits for limits of five seconds; .ci/run has a command for it"]
fn time_that_a_brain_is_busy_before_its_question_is_part_of_its_move() {
    let _beside = beside();
    for args in ["hold-sync:350 at:2", "ponder-sync:350 at:2", "deaf:350"] {
        let (played, subject) = plays(args, Seat::First, 2_000);
        // Less the free 50 ms; only its own second move was late.
        let second = &played.details[2];
        assert!(second.us >= 250_000, "{args}: {second:?}");
        assert!(args.starts_with("deaf") || played.details[0].us < 250_000, "{args}: {:?}", played.details[0]);
        subject.leave();
    }
    let busy = "no answer to the ABOUT before a move within 150 ms";
    fails("hold-sync:600", Seat::First, SHORT_MS, Status::Timeout, Cause::NotIdle, busy);
    let busy = "no answer to the ABOUT before a move within 5000 ms";
    fails("no-about:3", Seat::First, 6_000, Status::Timeout, Cause::NotIdle, busy);
}

#[test]
fn a_move_in_time_is_not_called_late_because_its_brain_was_busy_before() {
    let _beside = beside();
    // 600 ms are part of its last move, and with the 500 ms after them it is in time.
    let (played, subject) = plays("hold-sync:650 late:500 at:5", Seat::First, 1_500);
    assert!(played.details[8].us >= 1_000_000, "{:?}", played.details);
    assert!(!played.log(Seat::First).contains("no move within"), "{}", played.log(Seat::First));
    subject.leave();
}

#[test]
fn processor_time_before_a_question_is_charged_where_it_counts() {
    let _beside = beside();
    let clock = TimeControl {
        margin_ms: MARGIN_MS,
        charge: Charge::Cpu,
        ..TimeControl::per_move(Duration::from_millis(AMPLE_MS))
    };
    let (mut subject, mut opponent) = (brain("ponder-sync:350 at:2"), brain("last"));
    let played = play_from(BOARD, &[], clock, Seat::First, &mut subject, &mut opponent);
    assert_eq!(played.verdict.statuses, [Status::Ok; 2], "{:?}", played.verdict);
    let cpu_us = played.details[2].cpu_us.expect("it is charged");
    // It computes for 350 ms, of which it gets a part on a busy machine.
    assert!((20_000..600_000).contains(&cpu_us), "{cpu_us}");
    subject.leave();
    opponent.leave();
}

#[test]
fn a_brain_that_leaves_after_a_game_gets_a_new_process() {
    let _beside = beside();
    let (_, mut subject) = plays("no-second-game", Seat::First, AMPLE_MS);
    let mut opponent = brain("last");
    let played = play(BOARD, Seat::Second, &mut subject, &mut opponent, AMPLE_MS);
    assert_eq!(played.verdict.statuses, [Status::Ok; 2], "{:?}", played.verdict);
    subject.leave();
    opponent.leave();
}

#[test]
fn a_brain_that_does_not_leave_is_killed() {
    let _beside = beside();
    let (_, mut subject) = plays("ignore-end", Seat::First, AMPLE_MS);
    assert!(!subject.bot.leave());
    subject.assert_gone("after END");
    let (_, mut subject) = plays("die-at-end", Seat::First, AMPLE_MS);
    assert!(subject.bot.leave());
}

/// What a brain was sent, byte for byte.
fn sent(options: DialectOptions, clock: TimeControl, opening: &[Move], seat: Seat) -> String {
    let dir = tempfile::tempdir().expect("a folder");
    let log = dir.path().join("log");
    let mut subject = speaking(&format!("log:{}", log.display()), options, AMPLE_MS);
    let mut opponent = brain("last");
    let played = play_from(BOARD, opening, clock, seat, &mut subject, &mut opponent);
    assert_eq!(played.verdict.statuses, [Status::Ok; 2], "{:?}", played.verdict);
    subject.leave();
    opponent.leave();
    let text = std::fs::read_to_string(log).expect("what it received");
    // How much is left of a bank depends on the machine; and a slow answer to ABOUT has it asked again.
    let lines = text.split_inclusive("\r\n").map(|line| match line.strip_prefix("INFO time_left ") {
        Some(left) => {
            let left: u64 = left.trim().parse().expect("a number");
            assert!(
                (9_000..=9_980).contains(&left),
                "{left}: less than the bank by what is kept back, and by its time so far"
            );
            "INFO time_left T\n"
        }
        None => line,
    });
    let mut lines: Vec<String> = lines.map(|line| line.replace("\r\n", "\n")).collect();
    lines.dedup_by(|line, before| line == before && line == "ABOUT\n");
    lines.concat()
}

#[test]
fn a_brain_is_sent_what_its_protocol_says() {
    let _beside = beside();
    let per_move = TimeControl { margin_ms: MARGIN_MS, ..TimeControl::per_move(Duration::from_millis(AMPLE_MS)) };
    let cell = |row, col| Move::List(vec![row, col]);
    let options = [
        ("overhead_ms", OptionValue::Integer(100)),
        ("take", OptionValue::Text("first".to_owned())),
        ("thread_num", OptionValue::Integer(1)),
        ("usedatabase", OptionValue::Bool(true)),
    ];
    let options = options.map(|(name, value)| (name.to_owned(), value)).into();
    let opening = [cell(2, 2), cell(1, 2), cell(3, 2)];
    insta::assert_snapshot!(sent(options, per_move, &opening, Seat::Second));
    let bank = TimeControl { move_ms: None, bank_ms: Some(10_000), ..per_move };
    insta::assert_snapshot!(sent(DialectOptions::new(), bank, &[], Seat::First));
}
