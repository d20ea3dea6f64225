//! The pure half of the wire, fed with anything at all.

use std::time::Duration;

use arena::cause::Cause;
use arena::clock::TimeControl;
use arena::player::sample::instantly;
use arena::protocol::{Event, Expected, FromBot, Inbox, LINE_BYTES_MAX, Line, UNUSABLE_LINES_MAX, decode};
use arena::record::{GameResult, Status};
use arena::referee::{Answer, Fault, Next, Referee, Reply, Setup};
use arena::rules::{Move, Seat};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::playing::variant;

const FIRST_ID: u64 = 1;

/// An event as a test compares it.
#[derive(Debug, PartialEq)]
enum Seen {
    Reply(String),
    Surplus(String),
    Violation(String),
}

/// Feeds `output` in chunks of these sizes, over and over, until everything is read or a violation ends it. Replies are
/// counted on: the expectation is that of the first request for ever.
fn feed(output: &[u8], chunks: &[usize], expected: Expected) -> Vec<Seen> {
    let mut inbox = Inbox::new(FIRST_ID);
    inbox.issue_id();
    inbox.issue_id();
    let mut seen = Vec::new();
    let mut sizes = chunks.iter().copied().cycle();
    let mut rest = output;
    loop {
        while let Some(event) = inbox.next(expected) {
            seen.push(match event {
                Event::Reply(reply) => Seen::Reply(format!("{reply:?}")),
                Event::Surplus(kind, line) => Seen::Surplus(format!("{kind:?} {line}")),
                Event::Violation(_, how) => {
                    seen.push(Seen::Violation(how));
                    return seen;
                }
            });
        }
        assert!(inbox.surplus_lines() <= 2 * UNUSABLE_LINES_MAX);
        if rest.is_empty() {
            return seen;
        }
        let space = inbox.space();
        assert!(!space.is_empty() && space.len() <= LINE_BYTES_MAX + 1, "memory is bounded, and there is always room");
        let count = sizes.next().unwrap_or(1).max(1).min(space.len()).min(rest.len());
        space[..count].copy_from_slice(&rest[..count]);
        inbox.filled(count);
        rest = &rest[count..];
    }
}

/// Something that a bot might write: bits of messages, junk, and line ends.
fn some_output() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(vec![
        r#"{"type":"move","id":1,"move":3}"#,
        r#"{"type":"move","id":2,"move":[0,1]}"#,
        r#"{"type":"move","id":9,"move":3}"#,
        r#"{"type":"ready","id":2}"#,
        r#"{"type":"resign","id":2}"#,
        r#"{"type":"hello","protocol":1}"#,
        r#"{"type":"info"}"#,
        r#"{"type":"move","id":2"#,
        "thinking",
        "\u{feff}",
        "\r",
        " ",
    ]);
    let piece = prop_oneof![
        6 => known.prop_map(|text| text.as_bytes().to_vec()),
        6 => Just(b"\n".to_vec()),
        1 => vec(any::<u8>(), 0..20),
        1 => (any::<u8>(), 0_usize..70_000).prop_map(|(byte, count)| vec![byte; count]),
        1 => prop::sample::select(vec!["\n", "x\n", "{\"type\":\"move\",\"id\":1,\"move\":3}\n"])
            .prop_map(|line| line.repeat(1_001).into_bytes()),
    ];
    vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// What a bot may say of the end of a game, that does not guess an id.
fn some_remark() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "thinking",
        " ",
        r#"{"type":"ready"}"#,
        r#"{"type":"bye"}"#,
        r#"{"result":"win"}"#,
        "{",
        r#"{"type":"hello","protocol":1}"#,
        r#"{"type":"move","id":1,"move":3}"#,
        r#"{"type":"ready","id":9}"#,
    ]);
    prop_oneof![20 => line.prop_map(str::to_owned), 1 => Just("x".repeat(LINE_BYTES_MAX + 1))]
}

/// What becomes of `output`, written after a game and followed by `ready` for the next, if `early` bytes of it are read
/// before that is asked for: how many lines were dropped until the bot was ready, or why its process was replaced.
fn between_games(output: &[u8], early: usize) -> Result<u32, String> {
    let mut inbox = Inbox::new(FIRST_ID);
    inbox.issue_id();
    inbox.end_game();
    assert!(!read(&mut inbox, &output[..early], Expected::Nothing)?, "nothing was asked");
    get_ready(inbox, &output[early..])
}

/// As [`between_games`], for what a bot writes after its hello, if `early` bytes of it come in one piece with that.
fn before_the_first_game(output: &[u8], early: usize) -> Result<u32, String> {
    let mut inbox = Inbox::new(FIRST_ID);
    let hello: &[u8] = b"{\"type\":\"hello\",\"protocol\":1}\n";
    let early = early.min(inbox.space().len() - hello.len());
    assert!(read(&mut inbox, &[hello, &output[..early]].concat(), Expected::Hello)?, "it said hello");
    get_ready(inbox, &output[early..])
}

fn get_ready(mut inbox: Inbox, output: &[u8]) -> Result<u32, String> {
    let id = inbox.issue_id();
    inbox.begin_request();
    let rest = [output, format!("{{\"type\":\"ready\",\"id\":{id}}}\n").as_bytes()].concat();
    assert!(read(&mut inbox, &rest, Expected::Ready(id))?, "the bot is ready");
    Ok(inbox.begin_game())
}

/// Reads `bytes` up to a reply, if there is one, in pieces as large as can be.
fn read(inbox: &mut Inbox, mut bytes: &[u8], expected: Expected) -> Result<bool, String> {
    loop {
        match inbox.next(expected) {
            Some(Event::Reply(_)) => return Ok(true),
            Some(Event::Violation(_, how)) => return Err(how.split("; it was asked").next().expect("text").to_owned()),
            Some(Event::Surplus(..)) => {}
            None if bytes.is_empty() => return Ok(false),
            None => {
                let space = inbox.space();
                let count = space.len().min(bytes.len());
                space[..count].copy_from_slice(&bytes[..count]);
                inbox.filled(count);
                bytes = &bytes[count..];
            }
        }
    }
}

fn some_expectation() -> impl Strategy<Value = Expected> {
    prop::sample::select(vec![Expected::Nothing, Expected::Hello, Expected::Ready(2), Expected::Reply(2)])
}

/// Text that is nearly a message.
fn some_line() -> impl Strategy<Value = Vec<u8>> {
    let value = prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        any::<f64>().prop_map(|number| number.to_string()),
        "\\PC{0,12}".prop_map(|text| serde_json::Value::from(text).to_string()),
        prop::sample::select(vec![
            "null",
            "[]",
            "[1,2]",
            "{}",
            "{\"a\":1,\"a\":2}",
            "\"\\ud800\"",
            "1e999",
            "-0",
            "+1"
        ])
        .prop_map(str::to_owned),
    ];
    let kind = prop::sample::select(vec!["move", "ready", "resign", "hello", "quit", ""]);
    let name = prop::sample::select(vec!["id", "move", "eval", "comment", "debug", "protocol", "games", "x"]);
    (kind, vec((name, value), 0..5)).prop_map(|(kind, fields)| {
        let fields: Vec<String> = fields.iter().map(|(name, value)| format!(",\"{name}\":{value}")).collect();
        format!("{{\"type\":\"{kind}\"{}}}", fields.concat()).into_bytes()
    })
}

fn some_answer() -> impl Strategy<Value = Option<(u8, Option<Move>, u64, u8)>> {
    let number = prop_oneof![-2_i64..12, any::<i64>()];
    let any_move = prop_oneof![number.clone().prop_map(Move::Int), vec(number, 0..6).prop_map(Move::List)];
    // None: the sample move, instantly, so that games also get somewhere.
    prop_oneof![
        6 => Just(None),
        1 => (0_u8..5, prop::option::of(any_move), 0_u64..200, 0_u8..8).prop_map(Some),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn chunks_do_not_matter(
        output in some_output(),
        chunks in vec(prop_oneof![1_usize..40, 1_000_usize..70_000], 1..6),
        expected in some_expectation(),
    ) {
        let seen = feed(&output, &chunks, expected);
        prop_assert_eq!(&seen, &feed(&output, &[usize::MAX], expected));
        let dropped = seen.iter().filter(|event| matches!(event, Seen::Surplus(_))).count();
        prop_assert!(dropped <= 2 * UNUSABLE_LINES_MAX as usize);
        let replies = seen.iter().filter(|event| matches!(event, Seen::Reply(_))).count();
        prop_assert!(expected != Expected::Nothing || replies == 0);
    }

    #[test]
    fn before_a_game_it_makes_no_difference_when_a_line_is_read(
        lines in vec(some_remark(), 0..8),
        flood in prop_oneof![3 => Just(0), 1 => 990_usize..1_010],
        early: prop::sample::Index,
        later: prop::sample::Index,
    ) {
        let mut output: Vec<u8> = lines.iter().flat_map(|line| [line.as_bytes(), b"\n"].concat()).collect();
        output.extend(b"thinking\n".repeat(flood));
        let [early, later] = [early, later].map(|index| index.index(output.len() + 1));
        prop_assert_eq!(between_games(&output, early), between_games(&output, later));
        prop_assert_eq!(before_the_first_game(&output, early), before_the_first_game(&output, later));
    }

    #[test]
    fn any_bytes_are_some_line(bytes in vec(any::<u8>(), 0..300)) {
        let is_object = bytes.trim_ascii_start().starts_with(b"{");
        prop_assert_eq!(matches!(decode(&bytes), Line::Message(_) | Line::Malformed(..)) && !is_object, false);
    }

    #[test]
    fn what_is_read_is_written_the_same(line in some_line()) {
        match decode(&line) {
            Line::Message(message) => {
                let written = serde_json::to_vec(&message).expect("to memory");
                let Line::Message(again) = decode(&written) else { panic!("{}", String::from_utf8_lossy(&written)) };
                prop_assert_eq!(format!("{message:?}"), format!("{again:?}"));
                if let FromBot::Move(reply) = message {
                    let value: serde_json::Value = serde_json::from_slice(&line).expect("JSON");
                    prop_assert_eq!(serde_json::to_value(&reply.played).expect("to memory"), value["move"].clone());
                }
            }
            Line::Malformed(_, why) => prop_assert!(!why.is_empty() && why.chars().count() < 400, "{}", why),
            Line::Stray => {}
            Line::Blank => prop_assert!(false, "an object is not blank"),
        }
    }

    #[test]
    fn any_answers_end_in_a_verdict_on_whoever_gave_them(
        game in prop::sample::select(vec!["tictactoe", "connect4", "marbles:heap=30", "mastermind:pegs=3", "mnk:rows=4,cols=4"]),
        seed: u64,
        answers in vec(some_answer(), 0..60),
    ) {
        let variant = variant(game);
        let clock = TimeControl { margin_ms: 10, ..TimeControl::per_move(Duration::from_millis(100)) };
        let setup = Setup { variant: &variant, seed, opening: &[], clock, max_plies: None };
        let mut referee = Referee::new(&setup).expect("no opening");
        let mut answers = answers.into_iter();
        let mut asked = 0;
        let mut last = None;
        while let Next::Ask { seat, request, .. } = referee.next() {
            prop_assert!(asked < 200, "a game that does not end");
            prop_assert_eq!(seat, Seat::after(request.ply));
            asked += 1;
            let answer = match answers.next().flatten() {
                None => Answer::Move(instantly(request.sample_move.clone())),
                Some((0, _, _, status)) => Answer::Fault(Fault::new(Status::ALL[usize::from(status)], Cause::NoMove, "made up")),
                Some((1, ..)) => Answer::Resign,
                Some((2, ..)) => Answer::Void("made up".to_owned()),
                Some((_, played, ms, _)) => Answer::Move(Reply {
                    taken: Duration::from_millis(ms).into(),
                    ..instantly(played.unwrap_or_else(|| request.sample_move.clone()))
                }),
            };
            let legal = request.legal_moves.expect("few moves");
            last = Some((seat, blame(&answer, &legal)));
            referee.answer(answer);
        }
        let verdict = referee.verdict().expect("the game is over").clone();
        let (seat, blamed) = last.expect("somebody was asked");
        prop_assert_eq!(verdict.statuses[seat.other().index()], Status::Ok);
        prop_assert!(verdict.evidence[seat.other().index()].is_none());
        prop_assert_eq!(verdict.statuses[seat.index()], blamed.unwrap_or(Status::Ok));
        if verdict.reason == "made up" {
            prop_assert_eq!(verdict.result, GameResult::Void);
        } else if blamed.is_some() {
            prop_assert_eq!(verdict.result, GameResult::of(Some(seat.other())));
        }
        let over = Seat::BOTH.map(|seat| referee.game_over(seat).outcome);
        let over = over.each_ref().map(String::as_str);
        prop_assert!(matches!(over, ["win", "loss"] | ["loss", "win"] | ["draw", "draw"] | ["void", "void"]));
    }
}

/// The status that an answer must bring upon whoever gave it.
fn blame(answer: &Answer, legal: &[Move]) -> Option<Status> {
    match answer {
        Answer::Move(reply) if reply.taken.wall > Duration::from_millis(110) => Some(Status::Timeout),
        Answer::Move(reply) if !legal.contains(&reply.played) => Some(Status::IllegalMove),
        Answer::Move(_) | Answer::Void(_) | Answer::Disturbed(_) => None,
        Answer::Resign => Some(Status::Resigned),
        Answer::Fault(fault) => Some(fault.status),
    }
}
