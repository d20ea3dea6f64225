//! UCI and UGI: engines for chess and other board games. They differ in a few words only.
//!
//! An engine knows its game and is sent the moves so far, so only games play with it whose rules give their moves in its
//! words and say how the game began. <https://backscattering.de/chess/uci/>, <https://github.com/kz04px/cutegames>

use std::fmt::Write as _;

use arena_core::cause::{Cause, Surplus};
use arena_core::clock::TimeControl;
use arena_core::referee::{Question, Reply};
use arena_core::rules::{Move, Seat, Variant};
use arena_core::speech::{DialectOptions, OptionValue};
use arena_core::suggest::UnknownName;

use super::dialect::{Dialect, Introduction, Meaning, Outgoing, Protocol, Response, Words};
use super::lines::quote;
use super::overhead::{OVERHEAD, Overhead};

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
    version: 1,
    words: WORDS,
    games: &[],
    plays: |_, _| Ok(()),
    check_options,
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

/// Options that are ours as well as [`OVERHEAD`]: limits of a search.
const SEARCH_LIMITS: [&str; 2] = ["depth", "nodes"];
/// Length of an option's name at most, in bytes.
const NAME_MAX: usize = 64;
/// Moves of a line that the engine expects, in a comment.
const EXPECTED_MAX: usize = 8;

fn plays(protocol: &Protocol, variant: &Variant) -> Result<(), String> {
    if variant.rules.protocols.contains(&protocol.name) {
        return Ok(());
    }
    let (bot, name) = (protocol.words.bot, protocol.name);
    Err(format!("{bot} plays games whose rules name {name} in `engines` of their hello"))
}

fn check_options(options: &DialectOptions) -> Result<(), (String, String)> {
    for (name, value) in options {
        let is_printable = name.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        let is_name = (1..=NAME_MAX).contains(&name.len()) && is_printable && name.trim() == name;
        let why = match (name.as_str(), value) {
            (OVERHEAD, value) => match Overhead::check(value) {
                Ok(()) => continue,
                Err(why) => why,
            },
            (limit, OptionValue::Integer(1..)) if SEARCH_LIMITS.contains(&limit) => continue,
            (limit, _) if SEARCH_LIMITS.contains(&limit) => "is an integer from 1",
            _ if !is_name || name.contains(" value ") => {
                "is no name of an option: 1 to 64 characters of printable ASCII"
            }
            _ => continue,
        };
        return Err((name.clone(), format!("`{name}` {why}")));
    }
    Ok(())
}

/// Whether an option is sent, and not ours.
fn is_sent(name: &str) -> bool {
    name != OVERHEAD && !SEARCH_LIMITS.contains(&name)
}

/// The conversation with one engine.
#[derive(Debug)]
struct Engine {
    dictionary: &'static Dictionary,
    /// Options that it is sent, by name.
    options: Vec<(String, String)>,
    /// Options that it has, by name.
    offered: Vec<String>,
    overhead: Overhead,
    /// Limits of a search, as the end of a `go`.
    limits: String,
    clock: Option<TimeControl>,
    owed: Owed,
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
    Move,
}

/// What the engine says of a position before it moves.
#[derive(Debug, Default)]
struct Opinion {
    eval: Option<f64>,
    comment: Option<String>,
}

impl Opinion {
    /// Reads the words after `info`; those without a score of the best line say nothing new.
    fn note(&mut self, info: &[&str]) {
        let after = |word: &str| info.iter().position(|found| *found == word).map(|at| &info[at + 1..]);
        let number = |word: &str| after(word).and_then(|rest| rest.first()?.parse::<i64>().ok());
        let is_other_line = number("multipv").is_some_and(|line| line > 1);
        let Some(&[kind, score, ..]) = after("score").filter(|_| !is_other_line) else { return };
        let Ok(score) = score.parse::<i64>() else { return };
        let (eval, written) = match kind {
            "cp" => (expected(score), format!("{:+.2}", score as f64 / 100.0)),
            "mate" => (if score > 0 { 1.0 } else { -1.0 }, format!("mate in {score}")),
            _ => return,
        };
        let shares = after("wdl").and_then(|shares| {
            let [win, _, loss] =
                shares.get(..3)?.iter().map(|share| share.parse().ok()).collect::<Option<Vec<i64>>>()?[..]
            else {
                return None;
            };
            Some((win - loss) as f64 / 1_000.0)
        });
        self.eval = Some(shares.unwrap_or(eval)).filter(|eval| (-1.0..=1.0).contains(eval));
        let mut comment = number("depth").map_or_else(String::new, |depth| format!("depth {depth}, "));
        comment.push_str(&written);
        if let Some(line) = after("pv") {
            let _ = write!(comment, ": {}", line[..line.len().min(EXPECTED_MAX)].join(" "));
        }
        self.comment = Some(comment);
    }
}

/// What an advantage in hundredths of a pawn is worth, from -1 to 1: four pawns are ten wins to one loss.
/// <https://www.chessprogramming.org/Pawn_Advantage,_Win_Percentage,_and_Elo>
fn expected(centipawns: i64) -> f64 {
    2.0 / (1.0 + 10_f64.powf(-(centipawns as f64) / 400.0)) - 1.0
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
        let sent = options.iter().filter(|(name, _)| is_sent(name));
        Self {
            dictionary,
            options: sent.map(|(name, value)| (name.clone(), value.to_string())).collect(),
            offered: Vec::new(),
            overhead: Overhead::of(options),
            limits,
            clock: None,
            owed: Owed::Hello,
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
        let is_offered = |name: &String| self.offered.iter().any(|offered| offered.eq_ignore_ascii_case(name));
        match self.options.iter().find(|(name, _)| !is_offered(name)) {
            None => Meaning::Part,
            Some((name, _)) => {
                let unknown = UnknownName::new("option", name, self.offered.iter().map(String::as_str));
                Meaning::Violation(Cause::Refused, format!("it has {unknown}; correct `options` of its manifest"))
            }
        }
    }
}

impl Dialect for Engine {
    fn write(&mut self, outgoing: Outgoing<'_>, out: &mut Vec<u8>) -> Option<Response> {
        let Dictionary { hello, new_game, .. } = self.dictionary;
        let mut text = String::new();
        let mut response = None;
        self.owed = match outgoing {
            Outgoing::Hello { .. } => {
                // The options with it, so that what they set off, such as allocating a table, is part of the start.
                let _ = writeln!(text, "{hello}");
                for (name, value) in &self.options {
                    let _ = writeln!(text, "setoption name {name} value {value}");
                }
                text.push_str("isready\n");
                self.offered.clear();
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
            // Never asked: an engine answers isready even while it thinks.
            Outgoing::Sync => {
                response = Some(Response::Synced);
                Owed::Nothing
            }
            Outgoing::GameEnd(_) => Owed::Nothing,
            Outgoing::Quit => {
                text.push_str("quit\n");
                Owed::Nothing
            }
        };
        out.extend_from_slice(text.as_bytes());
        response
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
                let name = rest.split(|word| *word == "type").next().unwrap_or_default();
                self.offered.push(name.join(" "));
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
    use super::*;

    fn opinion(info: &str) -> (Option<f64>, Option<String>) {
        let mut opinion = Opinion::default();
        opinion.note(&info.split_whitespace().collect::<Vec<_>>());
        (opinion.eval, opinion.comment)
    }

    #[test]
    fn a_score_becomes_an_eval_and_a_comment() {
        let (eval, comment) = opinion("depth 12 seldepth 20 multipv 1 score cp -35 nodes 9 nps 1 pv e7e5 g1f3");
        assert_eq!(comment.unwrap(), "depth 12, -0.35: e7e5 g1f3");
        assert!((eval.unwrap() - expected(-35)).abs() < 1e-12 && eval.unwrap() < 0.0);
        assert_eq!(opinion("score mate -3"), (Some(-1.0), Some("mate in -3".to_owned())));
        assert_eq!(opinion("depth 3 score cp 10 wdl 500 300 200").0, Some(0.3));
        assert_eq!(opinion("score cp 10 wdl 5000 0 0").0, None);
        for silent in
            ["", "depth 3", "score", "score cp", "score cp x", "score tb 3", "multipv 2 score cp 3", "string score"]
        {
            assert_eq!(opinion(silent), (None, None), "{silent}");
        }
    }

    /// Four pawns are ten wins to one loss.
    #[test]
    fn the_worth_of_pawns_is_as_published() {
        assert!((expected(400) - 9.0 / 11.0).abs() < 1e-12);
        assert!(expected(0).abs() < 1e-12 && (expected(i64::MAX) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn options_of_ours_are_checked_and_those_of_engines_have_names() {
        let check = |name: &str, value: OptionValue| check_options(&[(name.to_owned(), value)].into()).is_ok();
        for name in ["Hash", "Skill Level", "UCI_Elo"] {
            assert!(check(name, OptionValue::Integer(-5)), "{name}");
        }
        for name in ["", " Hash", "a value b", "a\nquit", &"x".repeat(NAME_MAX + 1)] {
            assert!(!check(name, OptionValue::Bool(true)), "{name}");
        }
        assert!(check("nodes", OptionValue::Integer(1)) && !check("nodes", OptionValue::Integer(0)));
        assert!(check(OVERHEAD, OptionValue::Integer(0)) && !check(OVERHEAD, OptionValue::Integer(-1)));
        assert!(!check("depth", OptionValue::Text("9".to_owned())));
    }

    #[test]
    fn a_move_is_one_word() {
        assert_eq!(written(&Move::Text("e2e4".to_owned())), "e2e4");
        assert_eq!(written(&Move::Text("a\nquit b".to_owned())), "a_quit_b");
        assert_eq!(written(&Move::Int(7)), "7");
    }
}
