//! UCI and UGI: engines for chess and other board games. They differ in a few words only.
//!
//! An engine knows its game and is sent the moves so far, so only games play with it whose rules give their moves in its
//! words and say how the game began. <https://backscattering.de/chess/uci/>, <https://github.com/kz04px/cutegames>

mod opinion;
mod options;

use std::fmt::Write as _;
use std::time::Duration;

use arena_core::cause::{Cause, Surplus};
use arena_core::clock::TimeControl;
use arena_core::referee::{Question, Reply};
use arena_core::rules::{Move, Seat, Variant};
use arena_core::speech::DialectOptions;

use super::dialect::{Dialect, Introduction, Meaning, Outgoing, Protocol, Response, Words};
use super::lines::quote;
use super::overhead::Overhead;
use super::sync::Repeats;
use opinion::Opinion;
use options::{Offer, SEARCH_LIMITS};

/// What to do about an engine that was taken for a JSON bot.
macro_rules! how_to_name {
    ($protocol:literal) => {
        concat!(
            "for a game whose rules name ",
            $protocol,
            " (docs/games.md), add protocol = \"",
            $protocol,
            "\" to bots/NAME.toml (and command = [\"./NAME\"] if it has no manifest yet); other games need an adapter \
             (docs/protocol.md, \"UCI and UGI engines\")"
        )
    };
}

/// UCI engines.
pub(super) static UCI: Protocol = Protocol {
    name: "uci",
    words: Words {
        bot: "a UCI engine",
        title: "uci",
        hello: "uci",
        new_game: "ucinewgame",
        new_game_begins: "ucinewgame",
        no_hello: "no uciok and readyok",
        silent_start: "it wrote nothing to stdout: a UCI engine answers uci with uciok",
        ..WORDS
    },
    plays: |variant, _| plays(&UCI, variant),
    mistaken: Some((Cause::SpeaksUci, how_to_name!("uci"))),
    dialect: |_, options, _| Box::new(Engine::new(&UCI_WORDS, options)),
    ..ENGINES
};

/// UGI engines: UCI for any game.
pub(super) static UGI: Protocol = Protocol {
    name: "ugi",
    words: Words {
        bot: "a UGI engine",
        title: "ugi",
        hello: "ugi",
        new_game: "uginewgame",
        new_game_begins: "uginewgame",
        no_hello: "no ugiok and readyok",
        silent_start: "it wrote nothing to stdout: a UGI engine answers ugi with ugiok",
        ..WORDS
    },
    plays: |variant, _| plays(&UGI, variant),
    mistaken: Some((Cause::SpeaksUgi, how_to_name!("ugi"))),
    dialect: |_, options, _| Box::new(Engine::new(&UGI_WORDS, options)),
    ..ENGINES
};

/// What both have in common.
const ENGINES: Protocol = Protocol {
    name: "",
    version: 3,
    words: WORDS,
    games: &[],
    plays: |_, _| Ok(()),
    check_options: options::check,
    check_clock: Overhead::check_clock,
    prefix: None,
    mistaken: None,
    shim: None,
    starter: None,
    takes_remarks: false,
    sends_seed: false,
    is_greeted: true,
    dialect: |_, options, _| Box::new(Engine::new(&UCI_WORDS, options)),
};

const WORDS: Words = Words {
    bot: "",
    title: "",
    hello: "",
    new_game: "",
    new_game_begins: "",
    line_end: "\n",
    quit: "quit",
    sync: "isready",
    before_question: "to answer the isready before",
    no_hello: "",
    before_hello: "before it answered isready",
    no_ready: "no readyok",
    silent_start: "",
    declare_games: ["add games = ", " to its manifest"],
    cure: Some(
        "read what an engine answers to each command (docs/protocol.md, \"UCI and UGI engines\"), and talk to it with `arena \
         talk`: .hello, .game, .move",
    ),
};

/// The words in which the two protocols differ.
#[derive(Debug)]
struct Dictionary {
    hello: &'static str,
    okay: &'static str,
    new_game: &'static str,
    /// The time of the seats, and what is added to it after each move.
    clocks: [[&'static str; 2]; 2],
}

static UCI_WORDS: Dictionary =
    Dictionary { hello: "uci", okay: "uciok", new_game: "ucinewgame", clocks: [["wtime", "winc"], ["btime", "binc"]] };

static UGI_WORDS: Dictionary = Dictionary {
    hello: "ugi",
    okay: "ugiok",
    new_game: "uginewgame",
    clocks: [["p1time", "p1inc"], ["p2time", "p2inc"]],
};

/// The question whether it is done.
const READY: &str = "isready\n";

fn plays(protocol: &Protocol, variant: &Variant) -> Result<(), String> {
    if variant.rules.protocols.contains(&protocol.name) {
        return Ok(());
    }
    let (bot, name) = (protocol.words.bot, protocol.name);
    Err(format!("{bot} plays games whose rules name {name} in `engines` of their hello"))
}

/// The conversation with one engine.
#[derive(Debug)]
struct Engine {
    dictionary: &'static Dictionary,
    /// Options that it is sent, by name, as its manifest has them.
    options: Vec<(String, String)>,
    /// Options that it has.
    offers: Vec<Offer>,
    /// What follows the greeting, as long as it is not sent.
    rest: String,
    overhead: Overhead,
    /// Limits of a search, as the end of a `go`.
    limits: String,
    clock: Option<TimeControl>,
    owed: Owed,
    repeats: Repeats,
    introduction: Introduction,
    opinion: Opinion,
}

/// What the engine owes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owed {
    Nothing,
    /// `uciok`, and then `readyok`. So it is before anything is asked.
    Hello,
    /// `readyok` after `uciok`.
    HelloReady,
    /// `readyok` after `ucinewgame`.
    Ready,
    /// `readyok` before a question.
    Idle,
    Move,
}

/// A move as engines write it: one word.
fn written(played: &Move) -> String {
    let text = if let Move::Text(text) = played { text.clone() } else { played.to_string() };
    text.replace(|c: char| c.is_whitespace() || c.is_control(), "_")
}

impl Engine {
    fn new(dictionary: &'static Dictionary, options: &DialectOptions) -> Self {
        let limit = |name: &&str| options.get(*name).map(|number| format!(" {name} {number}"));
        let limits = SEARCH_LIMITS.iter().filter_map(limit).collect();
        let sent = options.iter().filter(|(name, _)| options::is_sent(name));
        Self {
            dictionary,
            options: sent.map(|(name, value)| (name.clone(), value.to_string())).collect(),
            offers: Vec::new(),
            rest: String::new(),
            overhead: Overhead::of(options),
            limits,
            clock: None,
            owed: Owed::Hello,
            repeats: Repeats::default(),
            introduction: Introduction::default(),
            opinion: Opinion::default(),
        }
    }

    fn ask(&self, question: &Question<'_>, out: &mut String) {
        let _ = write!(out, "position {}", question.engine_start().unwrap_or("startpos"));
        let moves = question.moves().unwrap_or_default();
        if !moves.is_empty() {
            out.push_str(" moves");
        }
        for played in moves {
            let _ = write!(out, " {}", written(played));
        }
        out.push_str("\ngo");
        if let Some(bank) = question.time.bank {
            let increment = self.clock.and_then(|clock| clock.increment_ms);
            for seat in Seat::BOTH {
                let time = if seat == question.seat { Some(bank) } else { question.time.opponent_bank };
                let [name, increment_name] = self.dictionary.clocks[seat.index()];
                let _ = write!(out, " {name} {}", self.overhead.less(time.unwrap_or(bank)));
                if let Some(increment) = increment {
                    let _ = write!(out, " {increment_name} {increment}");
                }
            }
        }
        if question.time.bank.is_none() || self.clock.is_some_and(|clock| clock.move_ms.is_some()) {
            let _ = write!(out, " movetime {}", self.overhead.less(question.time.limit));
        }
        out.push_str(&self.limits);
        out.push('\n');
    }

    fn answered(&mut self, response: Response) -> Meaning {
        self.owed = Owed::Nothing;
        Meaning::Response(response, Vec::new())
    }

    /// It has told all of its options.
    fn has_introduced_itself(&mut self) -> Meaning {
        self.owed = Owed::HelloReady;
        match options::commands(&self.options, &self.offers) {
            Ok(commands) => {
                self.rest = commands + READY;
                Meaning::GoOn
            }
            Err(why) => Meaning::Violation(Cause::BadOption, format!("{why}; correct `options` of its manifest")),
        }
    }
}

impl Dialect for Engine {
    fn write(&mut self, outgoing: Outgoing<'_>, out: &mut Vec<u8>) -> Option<Response> {
        let Dictionary { hello, new_game, .. } = self.dictionary;
        let mut text = String::new();
        self.rest.clear();
        self.owed = match outgoing {
            Outgoing::Hello { .. } => {
                let _ = writeln!(text, "{hello}");
                // Where nothing is heard of it, its own spelling is not known.
                self.rest = self.options.iter().map(|(name, value)| options::set(name, value)).collect();
                self.rest.push_str(READY);
                self.offers.clear();
                self.introduction = Introduction::default();
                Owed::Hello
            }
            Outgoing::NewGame(game) => {
                let _ = writeln!(text, "{new_game}\nisready");
                self.clock = Some(game.clock);
                Owed::Ready
            }
            Outgoing::Question(question) => {
                self.opinion = Opinion::default();
                self.ask(question, &mut text);
                Owed::Move
            }
            Outgoing::Sync => {
                text.push_str(READY);
                if self.owed == Owed::Idle {
                    self.repeats.note();
                }
                Owed::Idle
            }
            // What was asked ahead of a question that does not come is still answered.
            Outgoing::GameEnd(_) if self.owed == Owed::Idle => Owed::Idle,
            Outgoing::GameEnd(_) => Owed::Nothing,
            Outgoing::Quit => {
                text.push_str("quit\n");
                Owed::Nothing
            }
        };
        out.extend_from_slice(text.as_bytes());
        None
    }

    /// The options are part of the start, so that what they set off is too, such as allocating a table.
    fn go_on(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(std::mem::take(&mut self.rest).as_bytes());
    }

    fn read(&mut self, line: &[u8], asked: bool) -> Meaning {
        let line = String::from_utf8_lossy(line);
        let words: Vec<&str> = line.split_whitespace().collect();
        let owed = if asked { self.owed } else { Owed::Nothing };
        match (words.as_slice(), owed) {
            ([], _) => Meaning::Blank,
            ([okay], Owed::Hello) if *okay == self.dictionary.okay => self.has_introduced_itself(),
            (["readyok"], Owed::HelloReady) => self.answered(Response::Hello(self.introduction.clone())),
            (["readyok"], Owed::Ready) => self.answered(Response::Ready),
            (["readyok"], Owed::Idle) => self.answered(Response::Synced),
            (["readyok"], Owed::Nothing | Owed::Move) if self.repeats.take() => Meaning::Part,
            // To what was asked ahead of a question that does not come, since its move was refused.
            (["readyok"], Owed::Nothing) if self.owed == Owed::Idle => Meaning::Part,
            (["bestmove"], Owed::Move) => {
                Meaning::Violation(Cause::MoveType, format!("it names no move: {}", quote(line.as_bytes())))
            }
            (["bestmove", played, ..], Owed::Move) => {
                let Opinion { eval, comment } = std::mem::take(&mut self.opinion);
                let reply = Reply { eval, comment, ..Move::Text((*played).to_owned()).into() };
                self.answered(Response::Move(reply))
            }
            (["id", "name", name @ ..], Owed::Hello) => {
                self.introduction.name = Some(name.join(" "));
                Meaning::Chatter
            }
            (["option", "name", rest @ ..], Owed::Hello) => {
                self.offers.push(Offer::of(rest));
                Meaning::Chatter
            }
            (["info", info @ ..], Owed::Move) => {
                self.opinion.note(info);
                Meaning::Chatter
            }
            // Engines greet as soon as they are started, and tell of themselves whenever they like.
            (["info" | "id" | "option", ..], _) => Meaning::Chatter,
            _ if self.owed == Owed::Hello => Meaning::Chatter,
            (["readyok" | "bestmove", ..], _) => Meaning::Surplus(Surplus::Stale, None),
            ([okay], _) if *okay == self.dictionary.okay => Meaning::Chatter,
            _ => Meaning::Surplus(Surplus::Stray, None),
        }
    }

    fn marks_replies(&self) -> bool {
        false
    }

    fn sync_again(&self) -> Option<Duration> {
        Some(self.repeats.interval())
    }

    fn syncs_ahead(&self) -> bool {
        true
    }

    fn missing_part(&self) -> Option<&'static str> {
        (self.owed == Owed::HelloReady).then_some("no readyok after its options")
    }

    fn reply(&self, response: &Response) -> String {
        match response {
            Response::Move(reply) => format!("bestmove {}", written(&reply.played)),
            _ => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use arena_core::speech::OptionValue;

    use super::*;

    #[test]
    fn options_follow_the_greeting_in_the_spelling_of_the_engine() {
        let options = [("hash".to_owned(), OptionValue::Integer(64))].into();
        let mut engine = Engine::new(&UCI_WORDS, &options);
        let mut sent = Vec::new();
        let mut hello = |engine: &mut Engine, lines: &[&str]| {
            sent.clear();
            engine.write(Outgoing::Hello { startup: Duration::from_secs(1) }, &mut sent);
            assert_eq!(sent, b"uci\n");
            let meanings: Vec<_> = lines.iter().map(|line| engine.read(line.as_bytes(), true)).collect();
            engine.go_on(&mut sent);
            engine.go_on(&mut sent);
            (String::from_utf8_lossy(&sent).into_owned(), matches!(meanings.last(), Some(Meaning::GoOn)))
        };
        let heard = hello(&mut engine, &["option name Hash type spin min 1 max 99", "uciok"]);
        assert_eq!(heard, ("uci\nsetoption name Hash value 64\nisready\n".to_owned(), true));
        let unheard = hello(&mut engine, &[]);
        assert_eq!(unheard, ("uci\nsetoption name hash value 64\nisready\n".to_owned(), false));
    }

    #[test]
    fn an_answer_to_what_was_asked_ahead_is_no_line_too_many() {
        let mut engine = Engine::new(&UCI_WORDS, &DialectOptions::new());
        engine.write(Outgoing::Sync, &mut Vec::new());
        assert!(matches!(engine.read(b"readyok", false), Meaning::Part));
        assert!(matches!(engine.read(b"bestmove a", false), Meaning::Surplus(Surplus::Stale, _)));
    }

    #[test]
    fn a_move_is_one_word() {
        assert_eq!(written(&Move::Text("e2e4".to_owned())), "e2e4");
        assert_eq!(written(&Move::Text("a\nquit b".to_owned())), "a_quit_b");
        assert_eq!(written(&Move::Int(7)), "7");
    }
}
