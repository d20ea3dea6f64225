//! A second protocol, which the arena does not ship: what it takes to add one, and that all else stays as it is.

use std::fmt::Write as _;
use std::time::Duration;

use arena::cause::{Cause, Surplus};
use arena::protocol::{Dialect, Introduction, JSON, Meaning, Outgoing, Protocol, Response, Words};
use arena::record::Status;
use arena::referee::Reply;
use arena::rules::{Move, Seat};
use arena::speech::{DialectOptions, OptionValue};

use super::{AMPLE_MS, Seated, beside, compiled, play};

/// All that the arena must know to speak it: this file, and in the arena two lines, `mod ugi;` and its place in `PROTOCOLS`.
static UGI: Protocol = Protocol {
    name: "ugi",
    version: 1,
    words: Words {
        bot: "a UGI engine",
        title: "ugi",
        hello: "ugi",
        new_game: "uginewgame",
        new_game_begins: "uginewgame",
        line_end: "\n",
        quit: "quit",
        sync: "isready",
        before_question: "to answer isready",
        no_hello: "no readyok",
        before_hello: "before it was ready",
        no_ready: "no readyok",
        silent_start: "it wrote nothing to stdout: a UGI engine answers ugi with ugiok",
        declare_games: ["add games = ", " to its manifest"],
        cure: Some("read what its protocol demands"),
    },
    games: &[],
    plays: |variant, _| if variant.rules.open_information { Ok(()) } else { Err("it hides moves".to_owned()) },
    check_options: |_| Ok(()),
    check_clock: |_, _| Ok(()),
    prefix: None,
    mistaken: Some((Cause::SpeaksUgi, "add protocol = \"ugi\" to its manifest")),
    shim: None,
    starter: None,
    takes_remarks: false,
    is_greeted: true,
    sends_seed: false,
    dialect: |_, options, _| Box::new(Ugi::new(options)),
};

/// Like UGI: text lines, replies without ids, a sync before each game, options, and remarks while the bot thinks.
#[derive(Debug, Default)]
struct Ugi {
    options: String,
    owed: Owed,
    introduction: Introduction,
    /// Every legal move, as the game writes it.
    legal: Vec<(String, Move)>,
    eval: Option<f64>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq)]
enum Owed {
    #[default]
    Nothing,
    Hello,
    Ready,
    Idle,
    Move,
}

impl Ugi {
    fn new(options: &DialectOptions) -> Self {
        let options = options.iter().map(|(name, value)| format!("setoption name {name} value {value}\n"));
        Self { options: options.collect(), ..Self::default() }
    }

    fn answered(&mut self, response: Response) -> Meaning {
        self.owed = Owed::Nothing;
        Meaning::Response(response, Vec::new())
    }
}

impl Dialect for Ugi {
    fn write(&mut self, outgoing: Outgoing<'_>, out: &mut Vec<u8>) -> Option<Response> {
        let mut text = String::new();
        match outgoing {
            Outgoing::Hello { .. } => {
                self.owed = Owed::Hello;
                text = format!("ugi\n{}isready\n", self.options);
            }
            Outgoing::NewGame(_) => {
                self.owed = Owed::Ready;
                text.push_str("uginewgame\nisready\n");
            }
            Outgoing::Question(question) => {
                self.owed = Owed::Move;
                self.eval = None;
                let written = |played: Move| (question.notation(&played), played);
                self.legal = question.legal_moves().into_iter().flatten().map(written).collect();
                text.push_str("position startpos moves");
                for played in question.moves().unwrap_or_default() {
                    let _ = write!(text, " {}", question.notation(played));
                }
                let limit_ms = question.time.limit.as_millis();
                let _ = write!(text, "\ngo movetime {}\n", limit_ms - limit_ms / 10);
            }
            Outgoing::Sync => {
                self.owed = Owed::Idle;
                text.push_str("isready\n");
            }
            Outgoing::GameEnd(_) => {}
            Outgoing::Quit => text.push_str("quit\n"),
        }
        out.extend(text.bytes());
        None
    }

    fn read(&mut self, line: &[u8], asked: bool) -> Meaning {
        let line = String::from_utf8_lossy(line);
        let words: Vec<&str> = line.split_whitespace().collect();
        match (words.as_slice(), if asked { self.owed } else { Owed::Nothing }) {
            ([], _) => Meaning::Blank,
            (["readyok"], Owed::Hello) => self.answered(Response::Hello(self.introduction.clone())),
            (["readyok"], Owed::Ready) => self.answered(Response::Ready),
            (["readyok"], Owed::Idle) => self.answered(Response::Synced),
            (["bestmove", played, ..], Owed::Move) => {
                let Some((_, played)) = self.legal.iter().find(|(text, _)| text == played) else {
                    return Meaning::Violation(Cause::IllegalMove, format!("bestmove {played} is no legal move"));
                };
                let reply = Reply { eval: self.eval, ..played.clone().into() };
                self.answered(Response::Move(reply))
            }
            (["bestmove" | "readyok", ..], _) => Meaning::Surplus(Surplus::Stale, None),
            (["id", "name", name @ ..], _) => {
                self.introduction.name = Some(name.join(" "));
                Meaning::Chatter
            }
            (["info", info @ ..], _) => {
                let score = info.iter().skip_while(|word| **word != "cp").nth(1);
                self.eval = score.and_then(|score| score.parse::<f64>().ok()).map(|cp| (cp / 100.0).tanh());
                Meaning::Chatter
            }
            (["id" | "option" | "ugiok", ..], _) => Meaning::Chatter,
            _ => Meaning::Surplus(Surplus::Stray, None),
        }
    }

    fn marks_replies(&self) -> bool {
        false
    }

    /// An engine answers even while it thinks, but only once.
    fn sync_again(&self) -> Option<Duration> {
        Some(Duration::from_secs(60))
    }

    fn reply(&self, response: &Response) -> String {
        match response {
            Response::Move(reply) => format!("bestmove {}", reply.played),
            _ => String::new(),
        }
    }
}

fn ugi(args: &str, options: &[(&str, &str)]) -> Seated {
    let options =
        options.iter().map(|(name, value)| ((*name).to_owned(), OptionValue::Text((*value).to_owned()))).collect();
    Seated::speaking(&UGI, options, &compiled("bots/ugi.rs", &[]), args, AMPLE_MS)
}

#[test]
fn a_bot_of_another_protocol_plays_like_any_other() {
    let _beside = beside();
    let (mut first, mut last) = (ugi("", &[]), ugi("", &[("Take", "last")]));
    for _ in 0..2 {
        let played = play("tictactoe", Seat::First, &mut first, &mut last, AMPLE_MS);
        assert_eq!(played.verdict.statuses, [Status::Ok; 2], "{:?}", played.verdict);
        let cells: Vec<String> = played.moves.iter().map(Move::to_string).collect();
        assert_eq!(cells, ["[0,0]", "[2,2]", "[0,1]", "[2,1]", "[0,2]"]);
        assert!(played.details.iter().all(|details| details.eval == Some((-0.5_f64).tanh())));
        // Two of three that it writes unasked before its next question; remarks count as nothing.
        assert!(played.aftermath[0].surplus_lines >= 2, "{}", played.log(Seat::First));
        let log = played.log(Seat::First);
        assert!(log.contains("stdout: info depth 0") && log.contains("stale stdout: bestmove [0,0]"), "{log}");
        assert!(log.lines().count() < 50, "{log}");
    }
    assert_eq!(first.name().as_deref(), Some("tiny"));
    first.leave();
    last.leave();
}

#[test]
fn a_bot_of_another_protocol_is_judged_like_any_other() {
    let _beside = beside();
    let mut honest = Seated::faulty("none");
    let mut bot = ugi("[9,9]", &[]);
    let played = play("tictactoe", Seat::Second, &mut bot, &mut honest, AMPLE_MS);
    assert_eq!(played.verdict.statuses, [Status::Ok, Status::ProtocolError], "{:?}", played.verdict);
    assert_eq!(played.message(Seat::Second), "bestmove [9,9] is no legal move");
    let evidence = played.verdict.evidence[1].as_ref().expect("a fault");
    assert_eq!(evidence.cause, Some(Cause::IllegalMove));
    bot.leave();
    // Whoever is spoken to in words it does not know.
    let mut stranger = Seated::speaking(&JSON, DialectOptions::new(), &compiled("bots/ugi.rs", &[]), "", AMPLE_MS);
    let played = play("tictactoe", Seat::Second, &mut stranger, &mut honest, AMPLE_MS);
    assert_eq!(played.verdict.statuses, [Status::Ok, Status::StartupFailed]);
    stranger.leave();
    honest.leave();
}
