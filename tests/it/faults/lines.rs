//! Invalid lines and fields, from bots that are shell scripts: what a line costs depends on where it stands in the
//! conversation, never on when it is read.

use std::path::Path;

use arena::cause::Cause;
use arena::protocol::JSON;
use arena::record::Status;
use arena::rules::Seat;

use super::{AMPLE_MS, Played, Seated, beside, play};

/// Begins like a message and is not one.
const BAD: &str = "{\"type\":\"move\"";
/// Two marbles: the second seat ends the game with its first move.
const SHORT: &str = "marbles:heap=2";
/// Five moves or more.
const LONG: &str = "tictactoe";

/// A bot that plays the sample move; each field is printed at its place, in one write with what is beside it.
#[derive(Default)]
struct Script {
    after_hello: String,
    before_ready: String,
    after_ready: String,
    before_move: String,
    /// Further fields of each move.
    fields: &'static str,
    after_move: String,
    /// Pause between a move and what comes after it.
    pause: &'static str,
    after_over: String,
}

impl Script {
    fn seated(&self) -> (Seated, tempfile::TempDir) {
        let Self { after_hello, before_ready, after_ready, before_move, fields, after_move, pause, after_over } = self;
        script(&format!(
            r#"while read -r line; do
                id=${{line#*\"id\":}}
                id=${{id%%,*}}
                sample=${{line#*\"sample_move\":}}
                case $line in
                '{{"type":"hello"'*) printf '{{"type":"hello","protocol":1}}\n{after_hello}' ;;
                '{{"type":"new_game"'*) printf '{before_ready}{{"type":"ready","id":%s}}\n{after_ready}' "$id" ;;
                '{{"type":"move_request"'*)
                    printf '{before_move}{{"type":"move","id":%s,"move":%s{fields}}}\n' "$id" "${{sample%,\"clock*}}"
                    {pause}
                    printf '{after_move}' ;;
                '{{"type":"game_over"'*) printf '{after_over}' ;;
                esac
            done"#
        ))
    }
}

/// A bot that is a shell script, and the folder of the script.
fn script(text: &str) -> (Seated, tempfile::TempDir) {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("bot.sh");
    std::fs::write(&path, text).expect("a script");
    let bot = Seated::program(Path::new("/bin/sh"), path.to_str().expect("UTF-8"), AMPLE_MS);
    (bot, dir)
}

/// Two games of the same process, unless a fault ends it.
fn play_twice(game: &str, seat: Seat, written: &Script) -> [Played; 2] {
    let (mut bot, _dir) = written.seated();
    let mut honest = Seated::faulty("none");
    let played = [(); 2].map(|()| play(game, seat, &mut bot, &mut honest, AMPLE_MS));
    bot.leave();
    honest.leave();
    played
}

#[test]
fn a_bad_line_has_one_status_whenever_it_is_read() {
    let _beside = beside();
    let bad = || format!("{BAD}\\n");
    let empty = Script::default;
    let cases = [
        ("after hello", LONG, Seat::First, Status::Ok, Script { after_hello: bad(), ..empty() }),
        ("before ready", LONG, Seat::Second, Status::Ok, Script { before_ready: bad(), ..empty() }),
        ("after ready", LONG, Seat::First, Status::ProtocolError, Script { after_ready: bad(), ..empty() }),
        ("after ready", LONG, Seat::Second, Status::ProtocolError, Script { after_ready: bad(), ..empty() }),
        ("before a move", LONG, Seat::First, Status::ProtocolError, Script { before_move: bad(), ..empty() }),
        ("between moves", LONG, Seat::First, Status::ProtocolError, Script { after_move: bad(), ..empty() }),
        (
            "later",
            LONG,
            Seat::First,
            Status::ProtocolError,
            Script { after_move: bad(), pause: "sleep 0.02", ..empty() },
        ),
        (
            "then exits",
            LONG,
            Seat::First,
            Status::ProtocolError,
            Script { after_move: bad() + "'; exit 3; '", ..empty() },
        ),
        ("after the last move", SHORT, Seat::Second, Status::Ok, Script { after_move: bad(), ..empty() }),
        ("its last, not the game's", SHORT, Seat::First, Status::Ok, Script { after_move: bad(), ..empty() }),
        ("after the game", LONG, Seat::First, Status::Ok, Script { after_over: bad(), ..empty() }),
    ];
    for (name, game, seat, status, written) in cases {
        for played in play_twice(game, seat, &written) {
            assert_eq!(played.status(seat), status, "{name}: {:?}", played.verdict);
            assert_eq!(played.status(seat.other()), Status::Ok, "{name}");
            if status == Status::ProtocolError {
                assert!(played.message(seat).contains(BAD), "{name}: {}", played.message(seat));
            }
        }
    }
}

#[test]
fn an_invalid_optional_field_costs_no_game() {
    let _beside = beside();
    for (fields, says) in [
        (r#","eval":"good""#, "eval dropped: expected a number, got \"good\""),
        (r#","eval":-1.5"#, "eval -1.5 dropped"),
        (r#","comment":["a"]"#, "comment dropped: expected a string, got [\"a\"]"),
        (r#","eval":null,"comment":null,"debug":null"#, ""),
    ] {
        let [played, again] = play_twice(LONG, Seat::First, &Script { fields, ..Script::default() });
        assert_eq!([played.verdict.statuses, again.verdict.statuses], [[Status::Ok; 2]; 2], "{fields}");
        assert!(played.log(Seat::First).contains(says), "{fields}: {}", played.log(Seat::First));
        assert_eq!(played.aftermath[0].surplus_lines, 0, "{fields}");
        assert!(played.details.iter().all(|played| played.eval.is_none() && played.comment.is_none()), "{fields}");
    }
    let hello = r#"{"type":"hello","protocol":1,"name":["a"],"version":2,"authors":["a","b"]}"#;
    let text = format!(r"read -r line; echo '{hello}'; read -r line; exit 3");
    let (mut bot, _dir) = script(&text);
    let mut honest = Seated::faulty("none");
    let played = play(SHORT, Seat::First, &mut bot, &mut honest, AMPLE_MS);
    assert!(played.message(Seat::First).starts_with("it exited with status 3"), "{:?}", played.verdict);
    let log = played.log(Seat::First);
    for field in ["name", "version", "authors"] {
        assert!(log.contains(&format!("referee: {field} dropped: expected a string, got ")), "{log}");
    }
    bot.leave();
    honest.leave();
}

#[test]
fn the_carriage_return_of_a_line_is_not_counted() {
    let _beside = beside();
    let (mut honest, seat) = (Seated::faulty("none"), Seat::First);
    for (args, status) in [("crlf-line=65536", Status::Ok), ("crlf-line=65537", Status::ProtocolError)] {
        let mut bot = Seated::faulty(args);
        let played = play(LONG, seat, &mut bot, &mut honest, AMPLE_MS);
        assert_eq!(played.status(seat), status, "{args}: {:?}", played.verdict);
        bot.leave();
    }
    honest.leave();
}

#[test]
fn engines_with_another_protocol_are_named() {
    let _beside = beside();
    let mut honest = Seated::faulty("none");
    for (name, text, cause) in [
        (
            "a UCI engine",
            r#"echo 'Stockfish 17 by the Stockfish developers (see AUTHORS file)'
            while read -r line; do
                case $line in
                uci) echo 'id name Stockfish 17'; echo uciok ;;
                quit) exit ;;
                *) printf "Unknown command: '%s'. Type help for more information.\n" "$line" ;;
                esac
            done"#,
            Cause::SpeaksUci,
        ),
        ("a UGI engine", "read -r line; echo 'id name Motors'; echo ugiok; read -r line", Cause::SpeaksUgi),
        (
            "a Gomocup engine",
            r"while read -r line; do
                case $line in
                START*) printf 'OK\r\n' ;;
                END*) exit ;;
                *) printf 'UNKNOWN command\r\n' ;;
                esac
            done",
            Cause::SpeaksGomocup,
        ),
        ("a Gomocup engine", "read -r line; echo 'ERROR unknown command'; exit 1", Cause::SpeaksGomocup),
    ] {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("engine.sh");
        std::fs::write(&path, text).expect("a script");
        let mut bot = Seated::program(Path::new("/bin/sh"), path.to_str().expect("UTF-8"), 300);
        let played = play(SHORT, Seat::First, &mut bot, &mut honest, AMPLE_MS);
        let evidence = played.verdict.evidence[0].as_ref().expect("a fault");
        assert_eq!((played.status(Seat::First), evidence.cause), (Status::StartupFailed, Some(cause)), "{evidence:?}");
        assert!(evidence.message.starts_with(&format!("it looks like {name}: ")), "{evidence:?}");
        let advice = arena::advice::advice(Status::StartupFailed, evidence, true, &JSON).expect("advice");
        let cure =
            if cause == Cause::SpeaksGomocup { "add protocol = \"gomocup\" to" } else { "adapter (docs/protocol.md" };
        assert!(advice.cure.contains(cure), "{}", advice.cure);
        bot.leave();
    }
    honest.leave();
}
