//! The pure half of the wire, fed with anything at all.

use std::time::Duration;

use arena::cause::Cause;
use arena::clock::{Taken, TimeControl};
use arena::protocol::{
    BotLines, Dialect, FromBot, Json, LINE_BYTES_MAX, LineEvent, Outgoing, ReplyLine, UNUSABLE_LINES_MAX, decode,
};
use arena::record::{GameResult, Status};
use arena::referee::{Answer, Fault, Referee, RefereeSetup};
use arena::rules::{Move, Seat};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::playing::variant;

/// What a bot owes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Owed {
    Nothing,
    Hello,
    Ready,
    Move,
}

/// A process that has come so far, and the ids that it was given.
struct Process {
    json: Json,
    ids: Vec<u64>,
}

impl Process {
    /// A new one. All have the same ids.
    fn new() -> Self {
        Self { json: Json::new([1, 2]), ids: Vec::new() }
    }

    fn owing(owed: Owed) -> Self {
        let mut process = Self::new();
        process.write(Outgoing::Hello { startup: Duration::from_secs(1) });
        if owed != Owed::Hello {
            process.new_game();
            if owed != Owed::Ready {
                process.get_ready();
                process.question();
            }
        }
        process
    }

    fn write(&mut self, outgoing: Outgoing<'_>) {
        let mut bytes = Vec::new();
        assert!(self.json.write(outgoing, &mut bytes).is_none());
        let message: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
        self.ids.extend(message["id"].as_u64());
    }

    fn new_game(&mut self) {
        with_setup(|setup| self.write(Outgoing::NewGame(&setup.start([1, 2], Seat::First))));
    }

    fn get_ready(&mut self) {
        let ready = format!("{{\"type\":\"ready\",\"id\":{}}}\n", self.ids.last().expect("an id"));
        assert_eq!(read(&mut BotLines::default(), &mut self.json, ready.as_bytes(), true), Ok(true));
    }

    fn question(&mut self) {
        with_setup(|setup| {
            let mut referee = Referee::new(setup).expect("no opening");
            let Some(question) = referee.next_question() else { panic!("a game begins") };
            self.write(Outgoing::Question(&question));
        });
    }

    fn end_game(&mut self) {
        with_setup(|setup| {
            let referee = Referee::new(setup).expect("no opening");
            self.write(Outgoing::GameEnd(&referee.game_end(Seat::First)));
        });
    }
}

fn with_setup(act: impl FnOnce(&RefereeSetup<'_>)) {
    let (variant, clock) = (variant("tictactoe"), TimeControl::per_move(Duration::from_secs(1)));
    act(&RefereeSetup { variant: &variant, seed: 0, opening: &[], clock, max_plies: None });
}

/// An event as a test compares it.
#[derive(Debug, PartialEq)]
enum Seen {
    Response(String),
    Surplus(String),
    Violation(String),
}

/// Feeds `output` in chunks of these sizes, over and over, until everything is read or a violation ends it.
fn feed(output: &[u8], chunks: &[usize], owed: Owed) -> Vec<Seen> {
    let (mut lines, mut json) = (BotLines::default(), Process::owing(owed).json);
    let mut seen = Vec::new();
    let mut sizes = chunks.iter().copied().cycle();
    let mut rest = output;
    loop {
        while let Some(event) = lines.next(&mut json, owed != Owed::Nothing) {
            seen.push(match event {
                LineEvent::Response(response, _) => Seen::Response(format!("{response:?}")),
                LineEvent::Surplus(kind, line, _) => Seen::Surplus(format!("{kind:?} {line}")),
                LineEvent::Chatter | LineEvent::GoOn => panic!("this protocol has no such lines"),
                LineEvent::Violation(_, how) => {
                    seen.push(Seen::Violation(how));
                    return seen;
                }
            });
        }
        assert!(lines.surplus_lines() <= 2 * UNUSABLE_LINES_MAX);
        if rest.is_empty() {
            return seen;
        }
        let space = lines.space();
        assert!(!space.is_empty() && space.len() <= LINE_BYTES_MAX + 2, "memory is bounded, and there is always room");
        let count = sizes.next().unwrap_or(1).max(1).min(space.len()).min(rest.len());
        space[..count].copy_from_slice(&rest[..count]);
        lines.filled(count);
        rest = &rest[count..];
    }
}

/// With the ids of the `new_game` and the `move_request` in place of 1 and 2.
fn with_ids(text: &str) -> String {
    let ids = Process::owing(Owed::Move).ids;
    text.replace("\"id\":1", &format!("\"id\":{}", ids[0])).replace("\"id\":2", &format!("\"id\":{}", ids[1]))
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
        6 => known.prop_map(|text| with_ids(text).into_bytes()),
        6 => Just(b"\n".to_vec()),
        1 => vec(any::<u8>(), 0..20),
        1 => (any::<u8>(), 0_usize..70_000).prop_map(|(byte, count)| vec![byte; count]),
        1 => prop::sample::select(vec!["\n", "x\n", "{\"type\":\"move\",\"id\":1,\"move\":3}\n"])
            .prop_map(|line| with_ids(line).repeat(1_001).into_bytes()),
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
    prop_oneof![20 => line.prop_map(with_ids), 1 => Just("x".repeat(LINE_BYTES_MAX + 1))]
}

/// What becomes of `output`, written after a game and followed by `ready` for the next, if `early` bytes of it are read
/// before that is asked for: how many lines were dropped until the bot was ready, or why its process was replaced.
fn between_games(output: &[u8], early: usize) -> Result<u32, String> {
    let (mut lines, mut process) = (BotLines::default(), Process::owing(Owed::Ready));
    process.get_ready();
    process.end_game();
    assert!(!read(&mut lines, &mut process.json, &output[..early], false)?, "nothing was asked");
    get_ready(lines, process, &output[early..])
}

/// As [`between_games`], for what a bot writes after its hello, if `early` bytes of it come in one piece with that.
fn before_the_first_game(output: &[u8], early: usize) -> Result<u32, String> {
    let (mut lines, mut process) = (BotLines::default(), Process::owing(Owed::Hello));
    let hello: &[u8] = b"{\"type\":\"hello\",\"protocol\":1}\n";
    let early = early.min(lines.space().len() - hello.len());
    assert!(read(&mut lines, &mut process.json, &[hello, &output[..early]].concat(), true)?, "it said hello");
    get_ready(lines, process, &output[early..])
}

fn get_ready(mut lines: BotLines, mut process: Process, output: &[u8]) -> Result<u32, String> {
    process.new_game();
    let id = process.ids.last().expect("an id");
    let rest = [output, format!("{{\"type\":\"ready\",\"id\":{id}}}\n").as_bytes()].concat();
    assert!(read(&mut lines, &mut process.json, &rest, true)?, "the bot is ready");
    Ok(lines.restart_counts())
}

/// Reads `bytes` up to a response, if there is one, in pieces as large as can be.
fn read(lines: &mut BotLines, json: &mut Json, mut bytes: &[u8], asked: bool) -> Result<bool, String> {
    loop {
        match lines.next(json, asked) {
            Some(LineEvent::Response(..)) => return Ok(true),
            Some(LineEvent::Violation(_, how)) => {
                return Err(how.split("; it was asked").next().expect("text").to_owned());
            }
            Some(LineEvent::Surplus(..) | LineEvent::Chatter | LineEvent::GoOn) => {}
            None if bytes.is_empty() => return Ok(false),
            None => {
                let space = lines.space();
                let count = space.len().min(bytes.len());
                space[..count].copy_from_slice(&bytes[..count]);
                lines.filled(count);
                bytes = &bytes[count..];
            }
        }
    }
}

fn some_owed() -> impl Strategy<Value = Owed> {
    prop::sample::select(vec![Owed::Nothing, Owed::Hello, Owed::Ready, Owed::Move])
}

/// The move of a reply, and nothing else of it.
#[derive(serde::Deserialize)]
struct OnlyMove {
    #[serde(rename = "move")]
    played: serde_json::Value,
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
        owed in some_owed(),
    ) {
        let seen = feed(&output, &chunks, owed);
        prop_assert_eq!(&seen, &feed(&output, &[usize::MAX], owed));
        let dropped = seen.iter().filter(|event| matches!(event, Seen::Surplus(_))).count();
        prop_assert!(dropped <= 2 * UNUSABLE_LINES_MAX as usize);
        let responses = seen.iter().filter(|event| matches!(event, Seen::Response(_))).count();
        prop_assert!(responses <= usize::from(owed != Owed::Nothing), "each question is answered once");
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
    fn an_unsound_line_is_a_violation_in_a_game_and_stray_before_and_after(
        line in prop::sample::select(vec!["{", "{\"type\":\"ready\"}", "{\"type\":\"move\",\"id\":1}", "{\"type\":\"move\",\"id\":7,\"id\":7}"]),
        asked: bool,
    ) {
        let unsound = format!("{line}\n");
        let is_violation = |process: &mut Process| read(&mut BotLines::default(), &mut process.json, unsound.as_bytes(), asked).is_err();
        for owed in [Owed::Hello, Owed::Ready] {
            prop_assert!(!is_violation(&mut Process::owing(owed)), "{:?}", owed);
        }
        let mut playing = Process::owing(Owed::Ready);
        playing.get_ready();
        prop_assert!(is_violation(&mut playing), "ready, and not asked for a move");
        playing.question();
        prop_assert!(is_violation(&mut playing), "asked for a move");
        playing.end_game();
        prop_assert!(!is_violation(&mut playing), "after the game");
        playing.new_game();
        prop_assert!(!is_violation(&mut playing), "before the next one");
    }

    #[test]
    fn any_bytes_are_some_line(bytes in vec(any::<u8>(), 0..300)) {
        let is_object = bytes.trim_ascii_start().starts_with(b"{");
        prop_assert_eq!(matches!(decode(&bytes), ReplyLine::Message(..) | ReplyLine::Malformed(..) | ReplyLine::BadHello(..)) && !is_object, false);
    }

    #[test]
    fn what_is_read_is_written_the_same(line in some_line()) {
        match decode(&line) {
            ReplyLine::Message(message, _) => {
                let written = serde_json::to_vec(&message).expect("to memory");
                let ReplyLine::Message(again, _) = decode(&written) else { panic!("{}", String::from_utf8_lossy(&written)) };
                prop_assert_eq!(format!("{message:?}"), format!("{again:?}"));
                if let FromBot::Move(reply) = message {
                    // Only this field: `1e999` and a lone surrogate in one that the arena ignores are no JSON value.
                    let OnlyMove { played } = serde_json::from_slice(&line).expect("JSON");
                    // The JSON library reads `-0`, which is 0, as a floating-point number.
                    let expected = if played == -0.0 { 0.into() } else { played };
                    prop_assert_eq!(serde_json::to_value(&reply.played).expect("to memory"), expected);
                }
            }
            ReplyLine::Malformed(_, why) | ReplyLine::BadHello(_, why) => prop_assert!(!why.is_empty() && why.chars().count() < 400, "{}", why),
            ReplyLine::Stray => {}
            ReplyLine::Blank => prop_assert!(false, "an object is not blank"),
        }
    }

    #[test]
    fn any_answers_end_in_a_verdict_on_their_author(
        game in prop::sample::select(vec!["tictactoe", "connect4", "marbles:heap=30", "mastermind:pegs=3", "mnk:rows=4,cols=4"]),
        seed: u64,
        answers in vec(some_answer(), 0..60),
    ) {
        let variant = variant(game);
        let clock = TimeControl { margin_ms: 10, ..TimeControl::per_move(Duration::from_millis(100)) };
        let setup = RefereeSetup { variant: &variant, seed, opening: &[], clock, max_plies: None };
        let mut referee = Referee::new(&setup).expect("no opening");
        let mut answers = answers.into_iter();
        let mut asked = 0;
        let mut last = None;
        while let Some(question) = referee.next_question() {
            prop_assert!(asked < 200, "a game that does not end");
            let seat = question.seat;
            let legal = question.legal_moves().expect("few moves");
            asked += 1;
            let answer = match answers.next().flatten() {
                None => Answer::Move(question.sample_move.into(), Taken::default()),
                Some((0, _, _, status)) => Answer::Fault(Fault::new(Status::ALL[usize::from(status)], Cause::NoMove, "made up")),
                Some((1, ..)) => Answer::Resign,
                Some((2, ..)) => Answer::Void("made up".to_owned()),
                Some((_, played, ms, _)) => {
                    Answer::Move(played.unwrap_or(question.sample_move).into(), Duration::from_millis(ms).into())
                }
            };
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
        let over = Seat::BOTH.map(|seat| referee.game_end(seat).outcome());
        prop_assert!(matches!(over, ["win", "loss"] | ["loss", "win"] | ["draw", "draw"] | ["void", "void"]));
    }
}

/// The status that an answer must bring upon whoever gave it.
fn blame(answer: &Answer, legal: &[Move]) -> Option<Status> {
    match answer {
        Answer::Move(_, taken) if taken.wall > Duration::from_millis(110) => Some(Status::Timeout),
        Answer::Move(reply, _) if !legal.contains(&reply.played) => Some(Status::IllegalMove),
        Answer::Move(..) | Answer::Void(_) | Answer::Disturbed(_) => None,
        Answer::Resign => Some(Status::Resigned),
        Answer::Fault(fault) => Some(fault.status),
    }
}
