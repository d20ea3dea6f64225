//! Golden files of the wire: what a bot in the first seat reads (`> `) and writes (`< `) in one whole game of each kind,
//! and the JSON Schema of it all. No process is involved: both players take the sample moves.
//!
//! A change to these files is a change of the protocol, for every bot there is. If it is meant:
//! `ARENA_BLESS=1 cargo test --test it transcripts`, and read the diff.

use std::time::Duration;

use arena::clock::TimeControl;
use arena::game;
use arena::player::sample::SampleMover;
use arena::player::{Aftermath, Failure, Player};
use arena::protocol::{
    Dialect, FromBot, HelloReply, Json, Meaning, MoveReply, Outgoing, ReplyLine, ToBot, VERSION, decode, schema,
};
use arena::referee::{Answer, GameEnd, GameStart, Question, RefereeSetup};
use arena::rng::Rng;
use arena::rules::{Move, RULES, Seat, Variant};
use serde_json::Value;

use crate::playing::{VARIANTS, random_move, variant};
use crate::schema_check::fits;
use crate::support::check_golden;

/// File name and game: boards, bounds, and hidden information.
const GAMES: [(&str, &str); 6] = [
    ("connect4", "connect4"),
    ("tictactoe", "tictactoe"),
    ("marbles", "marbles"),
    ("marbles-fibonacci", "marbles:heap=30,rule=fibonacci"),
    ("mastermind", "mastermind:max_guesses=3"),
    ("mastermind-small", "mastermind:pegs=2,colors=2"),
];

/// Plays the sample move and writes down what would cross the pipes, with the ids of one secret.
struct Recorder {
    text: String,
    json: Json,
}

impl Recorder {
    /// Returns the id of what was told, if it has one.
    fn told(&mut self, outgoing: Outgoing<'_>) -> i64 {
        let mut line = Vec::new();
        assert!(self.json.write(outgoing, &mut line).is_none());
        let line = String::from_utf8(line).expect("UTF-8");
        // The version of the arena changes without the protocol.
        let line = line.replace(concat!("\"arena\":\"", env!("CARGO_PKG_VERSION"), "\""), "\"arena\":\"0.1.0\"");
        self.text.push_str("> ");
        self.text.push_str(&line);
        serde_json::from_str::<Value>(&line).expect("JSON")["id"].as_i64().unwrap_or_default()
    }

    fn said(&mut self, message: &FromBot) {
        let line = serde_json::to_string(message).expect("to memory");
        assert!(matches!(self.json.read(line.as_bytes(), true), Meaning::Response(..)), "{line}");
        self.text.push_str("< ");
        self.text.push_str(&line);
        self.text.push('\n');
    }
}

impl Player for Recorder {
    fn new_game(&mut self, game: &GameStart<'_>) -> Result<(), Failure> {
        self.told(Outgoing::Hello { startup: Duration::from_secs(10) });
        self.said(&FromBot::Hello(HelloReply { protocol: VERSION.into(), ..HelloReply::default() }));
        let id = self.told(Outgoing::NewGame(game));
        self.said(&FromBot::Ready { id });
        Ok(())
    }

    fn ask(&mut self, question: Question<'_>) -> Answer {
        let played = question.sample_move.clone();
        let id = self.told(Outgoing::Question(&question));
        self.said(&FromBot::Move(MoveReply { id, played: played.clone(), eval: None, comment: None, debug: None }));
        Answer::Move(played.into(), Duration::from_micros(7_300).into())
    }

    fn game_over(&mut self, end: &GameEnd<'_>) -> Aftermath {
        self.told(Outgoing::GameEnd(end));
        self.told(Outgoing::Quit);
        Aftermath::default()
    }
}

fn transcript(game: &str) -> String {
    let variant: Variant = game.parse().expect("a game");
    let clock =
        TimeControl { bank_ms: Some(10_000), increment_ms: Some(100), ..TimeControl::per_move(Duration::from_secs(1)) };
    let opening: &[Move] = if game == "connect4" { &[Move::Int(3), Move::Int(2)] } else { &[] };
    let setup = RefereeSetup { variant: &variant, seed: 20_240_229, opening, clock, max_plies: None };
    let mut recorder = Recorder { text: String::new(), json: Json::new([1, 2]) };
    game::play(&setup, [996_646_744_473_676_555, 2], [&mut recorder, &mut SampleMover], None).expect("a legal opening");
    recorder.text
}

#[test]
fn transcripts_of_whole_games_are_unchanged() {
    for (file, game) in GAMES {
        check_golden(&format!("tests/transcripts/{file}.jsonl"), &transcript(game));
    }
}

#[test]
fn transcripts_read_and_write_the_same_and_fit_the_schema() {
    for game in GAMES.into_iter().map(|(_, game)| game).chain(RULES.iter().map(|rules| rules.name)) {
        check(game);
    }
}

/// All lines of a game fit the schema, and are read as what they are.
pub(crate) fn check(game: &str) {
    let schema = schema();
    let is_program = variant(game).rules.is_external();
    for line in transcript(game).lines() {
        let (direction, line) = line.split_at(2);
        let (again, definition) = if direction == "> " {
            let message = ToBot::decode(line).expect("JSON").expect("a known type");
            let mut again = Vec::new();
            message.encode(&mut again);
            (String::from_utf8(again).expect("UTF-8").trim_end().to_owned(), "RefereeToBot")
        } else {
            let ReplyLine::Message(message, _) = decode(line.as_bytes()) else { panic!("{game}: {line}") };
            (serde_json::to_string(&message).expect("to memory"), "BotToReferee")
        };
        let value: Value = serde_json::from_str(line).expect("JSON");
        if is_program {
            // It may write spaces.
            assert_eq!(serde_json::from_str::<Value>(&again).expect("JSON"), value, "{game}");
        } else {
            assert_eq!(again, line, "{game}");
        }
        fits(&schema, &schema["$defs"][definition], &value).unwrap_or_else(|why| panic!("{game}: {why}: {line}"));
    }
}

#[test]
fn transcripts_are_of_what_the_schema_describes() {
    let found = serde_json::to_string_pretty(&schema()).expect("to memory");
    check_golden("docs/protocol.schema.json", &format!("{found}\n"));
}

#[test]
fn transcripts_that_are_wrong_do_not_fit_the_schema() {
    let schema = schema();
    for wrong in [
        r#"{"type":"move","id":1}"#,
        r#"{"type":"move","id":1,"move":"3"}"#,
        r#"{"type":"move","id":1,"move":3,"eval":2}"#,
        r#"{"type":"ready"}"#,
        r#"{"type":"info"}"#,
        r#"{"id":1,"move":3}"#,
        "[]",
    ] {
        let value = serde_json::from_str(wrong).expect("JSON");
        assert!(fits(&schema, &schema["$defs"]["BotToReferee"], &value).is_err(), "{wrong}");
    }
}

#[test]
fn transcripts_show_each_game_as_its_schema_says() {
    let schema = schema();
    let part = |game: &str, part: &str| &schema["$defs"][game]["properties"][part];
    for name in VARIANTS {
        let variant = variant(name);
        let rules = variant.rules;
        let mut state = variant.start(7).unwrap();
        let mut rng = Rng::new(7);
        let check = |wanted: &str, value: &Value| {
            fits(&schema, part(rules.name, wanted), value).unwrap_or_else(|why| panic!("{name}, {wanted}: {why}"));
        };
        check("params", &variant.params.to_json().into());
        loop {
            for seat in Seat::BOTH {
                check("state", &serde_json::from_str(state.view(seat).get()).expect("JSON"));
            }
            if state.outcome().is_some() {
                break;
            }
            let played = random_move(state.as_ref(), &mut rng);
            check("move", &serde_json::to_value(&played).expect("JSON"));
            state.apply(&played).unwrap();
        }
        let reveal = state.reveal().map(|reveal| serde_json::from_str(reveal.get()).expect("JSON"));
        assert_eq!(reveal.is_some(), !part(rules.name, "reveal").is_null(), "{name}");
        if let Some(reveal) = &reveal {
            check("reveal", reveal);
        }
    }
}

#[test]
fn transcripts_of_other_games_do_not_fit_the_schema() {
    let schema = schema();
    let refused = |path: &str, wrong: &str| {
        let value = serde_json::from_str(wrong).expect("JSON");
        assert!(fits(&schema, schema.pointer(path).expect("a definition"), &value).is_err(), "{path}: {wrong}");
    };
    refused("/$defs/connect4/properties/move", "[1,2]");
    refused("/$defs/connect4/properties/move", "-1");
    refused("/$defs/mnk/properties/move", "3");
    refused("/$defs/mnk/properties/move", "[1,2,3]");
    refused("/$defs/mnk/properties/state", r#"{"board":["X?"],"moves":[]}"#);
    refused("/$defs/mnk/properties/state", r#"{"board":[".X"]}"#);
    refused("/$defs/marbles/properties/params", r#"{"heap":0,"rule":"doubling","first_max":1}"#);
    refused("/$defs/marbles/properties/params", r#"{"heap":1,"rule":"tripling","first_max":1}"#);
    refused("/$defs/mastermind/properties/move", "[12]");
    refused("/$defs/mastermind/properties/reveal", "{}");
    for line in transcript("marbles").lines().filter(|line| line.contains("\"new_game\"")) {
        let message = line[2..].replace("\"heap\":100", "\"heap\":\"100\"");
        refused("/$defs/RefereeToBot", &message);
    }
    for line in transcript("tictactoe").lines().filter(|line| line.contains("\"move_request\"")) {
        refused("/$defs/RefereeToBot", &line[2..].replace("\"board\"", "\"bored\""));
    }
}
