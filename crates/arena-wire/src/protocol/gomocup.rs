//! The Gomocup (Piskvork) protocol: brains for five in a row. <https://plastovicka.github.io/protocl2en.htm>
//!
//! Replies name no question. So before each question the brain is asked for its name until it answers ([`Outgoing::Sync`]):
//! what comes before that answers nothing, and a brain that ignores words while it thinks does not miss its question.

use std::fmt::Write as _;
use std::time::Duration;

use arena_core::cause::{Cause, Surplus};
use arena_core::clock::TimeControl;
use arena_core::referee::{GameStart, Question, Reply};
use arena_core::rules::{Move, Variant};
use arena_core::speech::{DialectOptions, OptionValue};

use super::dialect::{Dialect, Introduction, Meaning, Outgoing, Protocol, Response, Terms, Words};
use super::lines::quote;
use super::overhead::{OVERHEAD, Overhead};
use super::sync::Repeats;

/// Gomocup brains.
pub(super) static GOMOCUP: Protocol = Protocol {
    name: "gomocup",
    version: 1,
    words: Words {
        bot: "a Gomocup brain",
        title: "gomocup",
        hello: "ABOUT",
        new_game: "START",
        new_game_begins: "START ",
        line_end: "\r\n",
        quit: "END",
        sync: "ABOUT",
        before_question: "to answer the ABOUT before",
        no_hello: "no answer to ABOUT",
        before_hello: "before it answered ABOUT",
        no_ready: "no OK",
        silent_start: "it wrote nothing to stdout: a Gomocup brain answers ABOUT with a line about itself",
        declare_games: ["add games = ", " to its manifest"],
        cure: Some(
            "read what a brain answers to each command (docs/protocol.md, \"Gomocup brains\"), and talk to it: `arena talk \
             BOT`, then .hello, .game gomoku, .move",
        ),
    },
    games: &["gomoku"],
    plays,
    check_options,
    check_clock: Overhead::check_clock,
    prefix: Some("pbrain-"),
    mistaken: Some((
        Cause::SpeaksGomocup,
        "add protocol = \"gomocup\" to bots/NAME.toml (and command = [\"./NAME\"] if it has no manifest yet), or name its file \
         pbrain-NAME: the arena speaks its protocol",
    )),
    shim: None,
    starter: Some(("brain.py", include_str!("../../../../bots/starters/gomocup/brain.py"))),
    takes_remarks: false,
    is_greeted: true,
    sends_seed: false,
    dialect: |_, options, terms| Box::new(Gomocup::new(options, terms)),
};

/// Sizes of boards. The protocol has no limit; brains refuse what they cannot play.
const SIZES: std::ops::RangeInclusive<usize> = 5..=32;
/// Keys of INFO that follow from the game.
const OURS: [&str; 8] =
    ["timeout_turn", "timeout_match", "time_left", "max_memory", "rule", "game_type", "folder", "evaluate"];
const KEY_MAX: usize = 32;
/// Brains read numbers into 32 bits.
const NUMBER_MAX: u64 = i32::MAX as u64;

fn plays(variant: &Variant, _: bool) -> Result<(), String> {
    let is_played = variant.rules.name == "mnk"
        && variant.params.size("k") == 5
        && variant.params.size("rows") == variant.params.size("cols")
        && SIZES.contains(&variant.params.size("rows"));
    let why = "gomocup brains play five in a row on square boards: gomoku, gomoku:rows=20,cols=20";
    if is_played { Ok(()) } else { Err(why.to_owned()) }
}

fn check_options(options: &DialectOptions) -> Result<(), (String, String)> {
    for (name, value) in options {
        let is_key = (1..=KEY_MAX).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        let why = if OURS.contains(&name.as_str()) {
            match name.as_str() {
                "timeout_turn" | "timeout_match" | "time_left" => "follows from the time control; remove it",
                "max_memory" => "follows from `memory_mb` of its limits; remove it",
                "rule" | "game_type" => "follows from the game; remove it",
                _ => "is never sent, since nothing outlives a process; remove it",
            }
        } else if name == OVERHEAD
            && let Err(why) = Overhead::check(value)
        {
            why
        } else if !is_key {
            "is no key of INFO; keys have lower-case letters, digits and _, at most 32"
        } else {
            continue;
        };
        return Err((name.clone(), format!("`{name}` {why}")));
    }
    Ok(())
}

/// The conversation with one brain.
#[derive(Debug)]
struct Gomocup {
    /// What is sent of the options, as INFO lines.
    settings: String,
    overhead: Overhead,
    /// What the brain may use, in bytes; 0 for no limit.
    memory: u64,
    owed: Owed,
    /// The command that is to be answered, for messages.
    asked: String,
    introduction: Introduction,
    /// How it answers ABOUT, from its first answer on.
    about: Option<AboutKind>,
    repeats: Repeats,
    /// Moves of this game that the brain knows, once it has answered.
    known: usize,
    /// Its last MESSAGE since the question.
    comment: Option<String>,
}

/// What the brain owes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owed {
    Nothing,
    /// The answer to the first ABOUT.
    Hello,
    /// The OK to START.
    Start,
    /// The answer to the ABOUT after START and INFO.
    Ready,
    /// The answer to the ABOUT before a question.
    Idle,
    Move,
}

/// The forms of an answer to ABOUT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AboutKind {
    /// `name="…", version="…"`, as the protocol demands.
    Fields,
    FreeText,
    /// The brain does not know the command.
    Unknown,
}

/// What a line is, whatever is owed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Message,
    Debug,
    Okay,
    Error,
    Suggest,
    /// Column and row.
    Pair(i64, i64),
    /// It begins with a number and is no pair.
    Number,
    About(AboutKind),
}

impl Kind {
    fn of(line: &str) -> Self {
        let word = line.split_whitespace().next().unwrap_or_default().to_ascii_uppercase();
        match word.as_str() {
            "MESSAGE" => Self::Message,
            "DEBUG" => Self::Debug,
            "OK" => Self::Okay,
            "ERROR" => Self::Error,
            "SUGGEST" => Self::Suggest,
            "UNKNOWN" => Self::About(AboutKind::Unknown),
            _ => match pair(line) {
                Some((x, y)) => Self::Pair(x, y),
                None if word.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit()) => Self::Number,
                None if field(line, "name").is_some() => Self::About(AboutKind::Fields),
                None => Self::About(AboutKind::FreeText),
            },
        }
    }
}

fn pair(line: &str) -> Option<(i64, i64)> {
    let (x, y) = line.split_once(',')?;
    Some((x.trim().parse().ok()?, y.trim().parse().ok()?))
}

/// The value of `name="value"` in an answer to ABOUT.
fn field(line: &str, name: &str) -> Option<String> {
    let mut rest = line;
    while let Some((key, after)) = rest.split_once('=') {
        let key = key.rsplit([',', ' ']).find(|word| !word.is_empty()).unwrap_or_default();
        let (value, next) = match after.trim_start().strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once(',').unwrap_or((after, "")),
        };
        if key.eq_ignore_ascii_case(name) {
            return Some(value.trim().to_owned());
        }
        rest = next;
    }
    None
}

/// A move as brains write it: column and row, from the top left.
fn written(played: &Move) -> String {
    match played {
        Move::List(cell) if cell.len() == 2 => format!("{},{}", cell[1], cell[0]),
        other => other.to_string(),
    }
}

impl Gomocup {
    fn new(options: &DialectOptions, Terms { memory_bytes }: Terms) -> Self {
        let mut settings = String::new();
        for (name, value) in options.iter().filter(|(name, _)| *name != OVERHEAD) {
            let value = match value {
                OptionValue::Bool(is_on) => u8::from(*is_on).to_string(),
                other => other.to_string(),
            };
            let _ = write!(settings, "INFO {name} {value}\r\n");
        }
        Self {
            settings,
            overhead: Overhead::of(options),
            // The rest is for the program itself: some make a table of all the memory that they may use.
            memory: memory_bytes / 4 * 3,
            owed: Owed::Nothing,
            asked: String::new(),
            introduction: Introduction::default(),
            about: None,
            repeats: Repeats::default(),
            known: 0,
            comment: None,
        }
    }

    fn start(&mut self, game: &GameStart<'_>, out: &mut String) {
        self.known = 0;
        self.asked = format!("START {}", game.variant.params.size("rows"));
        let TimeControl { move_ms, bank_ms, .. } = game.clock;
        let time = |ms: Option<u64>| ms.map_or(0, |ms| self.kept(Duration::from_millis(ms)));
        let _ = write!(
            out,
            "{}\r\nINFO timeout_turn {}\r\nINFO timeout_match {}\r\nINFO max_memory {}\r\nINFO game_type 1\r\nINFO rule 0\r\n\
             {}ABOUT\r\n",
            self.asked,
            time(move_ms.or(bank_ms)),
            time(bank_ms),
            self.memory.min(NUMBER_MAX),
            self.settings,
        );
    }

    /// Milliseconds of a limit, as a brain is sent them.
    fn kept(&self, limit: Duration) -> u64 {
        self.overhead.less(limit).min(NUMBER_MAX)
    }

    fn ask(&mut self, question: &Question<'_>, out: &mut String) {
        self.comment = None;
        if let Some(bank) = question.time.bank {
            let _ = write!(out, "INFO time_left {}\r\n", self.kept(bank));
        }
        let moves = question.moves().unwrap_or_default();
        self.asked = match moves.last() {
            None => "BEGIN".to_owned(),
            Some(last) if self.known + 1 == moves.len() => format!("TURN {}", written(last)),
            Some(_) => "BOARD".to_owned(),
        };
        let _ = write!(out, "{}\r\n", self.asked);
        if self.asked == "BOARD" {
            for (ply, played) in moves.iter().enumerate() {
                let owner = if ply % 2 == moves.len() % 2 { 1 } else { 2 };
                let _ = write!(out, "{},{owner}\r\n", written(played));
            }
            out.push_str("DONE\r\n");
        }
        self.known = moves.len() + 1;
    }

    fn answered(&mut self, response: Response) -> Meaning {
        self.owed = Owed::Nothing;
        Meaning::Response(response, Vec::new())
    }

    /// It has answered ABOUT.
    fn introduced(&mut self, owed: Owed, kind: AboutKind, line: &str) -> Meaning {
        match owed {
            Owed::Hello => {
                self.about = Some(kind);
                if kind == AboutKind::Fields {
                    let [name, version] = ["name", "version"].map(|name| field(line, name));
                    self.introduction = Introduction { name, version, games: None };
                }
                self.answered(Response::Hello(self.introduction.clone()))
            }
            Owed::Ready => self.answered(Response::Ready),
            _ => self.answered(Response::Synced),
        }
    }

    /// The brain has broken the protocol by its answer to the last command.
    fn wrong(&self, cause: Cause, line: &str) -> Meaning {
        Meaning::Violation(cause, format!("it answers {} with {}", self.asked, quote(line.as_bytes())))
    }
}

impl Dialect for Gomocup {
    fn write(&mut self, outgoing: Outgoing<'_>, out: &mut Vec<u8>) -> Option<Response> {
        let mut text = String::new();
        let owed = match outgoing {
            Outgoing::Hello { .. } => {
                text.push_str("ABOUT\r\n");
                Owed::Hello
            }
            Outgoing::NewGame(game) => {
                self.start(game, &mut text);
                Owed::Start
            }
            Outgoing::Sync => {
                text.push_str("ABOUT\r\n");
                if self.owed == Owed::Idle {
                    self.repeats.note();
                }
                Owed::Idle
            }
            Outgoing::Question(question) => {
                self.ask(question, &mut text);
                Owed::Move
            }
            Outgoing::GameEnd(_) => Owed::Nothing,
            Outgoing::Quit => {
                text.push_str("END\r\n");
                Owed::Nothing
            }
        };
        self.owed = owed;
        out.extend_from_slice(text.as_bytes());
        None
    }

    fn read(&mut self, line: &[u8], asked: bool) -> Meaning {
        let text = String::from_utf8_lossy(line);
        let line = text.trim();
        if line.is_empty() {
            return Meaning::Blank;
        }
        let owed = if asked { self.owed } else { Owed::Nothing };
        let kind = Kind::of(line);
        match (owed, kind) {
            (Owed::Nothing | Owed::Start | Owed::Move, Kind::About(about))
                if self.about == Some(about) && self.repeats.take() =>
            {
                Meaning::Part
            }
            (Owed::Move, Kind::Message) => {
                self.comment = line.split_once(char::is_whitespace).map(|(_, text)| text.trim().to_owned());
                Meaning::Chatter
            }
            (Owed::Start, Kind::Okay) => {
                self.owed = Owed::Ready;
                Meaning::Part
            }
            (Owed::Start | Owed::Move, Kind::Error | Kind::About(AboutKind::Unknown)) => {
                self.wrong(Cause::Refused, line)
            }
            (Owed::Move, Kind::Suggest) => {
                Meaning::Violation(Cause::MoveType, "SUGGEST asks a person; answer with x,y".to_owned())
            }
            (Owed::Move, Kind::Number) => self.wrong(Cause::MoveType, line),
            (Owed::Move, Kind::Pair(x, y)) => {
                let comment = self.comment.take();
                let reply = Reply { words: Some(line.to_owned()), comment, ..Move::List(vec![y, x]).into() };
                self.answered(Response::Move(reply))
            }
            (Owed::Hello, Kind::About(about)) => self.introduced(owed, about, line),
            (Owed::Ready | Owed::Idle, Kind::About(about)) if self.about == Some(about) => {
                self.introduced(owed, about, line)
            }
            // In the last two cases it complains of what INFO has said.
            (_, Kind::Message | Kind::Debug)
            | (Owed::Hello | Owed::Ready | Owed::Idle, Kind::Error)
            | (Owed::Ready, Kind::About(AboutKind::Unknown)) => Meaning::Chatter,
            (_, Kind::Pair(..) | Kind::Okay | Kind::Suggest) => Meaning::Surplus(Surplus::Stale, None),
            _ => Meaning::Surplus(Surplus::Stray, None),
        }
    }

    fn marks_replies(&self) -> bool {
        false
    }

    fn sync_again(&self) -> Option<Duration> {
        Some(self.repeats.interval())
    }

    fn missing_part(&self) -> Option<&'static str> {
        (self.owed == Owed::Ready).then_some("no answer to the ABOUT after START")
    }

    fn reply(&self, response: &Response) -> String {
        match response {
            Response::Move(reply) => reply.words.clone().unwrap_or_else(|| written(&reply.played)),
            _ => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_to_about_is_read_however_it_is_written() {
        for (line, name, version) in [
            (r#"name="Rapfi", version="0.43.02", author="Haobin, D.", country="China""#, "Rapfi", Some("0.43.02")),
            (r#"NAME="a, b",version="1""#, "a, b", Some("1")),
            ("name=plain, version=2", "plain", Some("2")),
            (r#"name="unclosed"#, "unclosed", None),
            (r#"version="3" name="last""#, "last", Some("3")),
        ] {
            assert_eq!(field(line, "name").as_deref(), Some(name), "{line}");
            assert_eq!(field(line, "version").as_deref(), version, "{line}");
        }
        assert_eq!(field("a brain by name", "name"), None);
        assert_eq!(field(r#"surname="x""#, "name"), None);
    }

    #[test]
    fn lines_are_told_apart_in_any_case() {
        assert_eq!(Kind::of("7, 8"), Kind::Pair(7, 8));
        assert_eq!(Kind::of("-1,3"), Kind::Pair(-1, 3));
        for line in ["7;8", "7", "7,8,1", "7,8x", "-3", "99999999999999999999,1", "0x7,8"] {
            assert_eq!(Kind::of(line), Kind::Number, "{line}");
        }
        for (line, kind) in
            [("ok", Kind::Okay), ("Message x", Kind::Message), ("OKAY", Kind::About(AboutKind::FreeText))]
        {
            assert_eq!(Kind::of(line), kind, "{line}");
        }
    }

    #[test]
    fn options_that_follow_from_the_game_are_refused() {
        let check = |name: &str, value: OptionValue| check_options(&[(name.to_owned(), value)].into()).err();
        let refused = |name: &str| check(name, OptionValue::Integer(1)).map(|(_, why)| why);
        assert_eq!(refused("timeout_turn").as_deref(), Some("`timeout_turn` follows from the time control; remove it"));
        for name in OURS.into_iter().chain(["Threads", "a b", "", "a\r\nEND"]) {
            assert!(refused(name).is_some(), "{name}");
        }
        assert_eq!(refused("thread_num"), None);
        for value in [OptionValue::Integer(-1), OptionValue::Integer(10_001), OptionValue::Bool(true)] {
            assert!(check(OVERHEAD, value).is_some());
        }
        assert_eq!(check(OVERHEAD, OptionValue::Integer(10_000)), None);
    }

    #[test]
    fn boards_are_square_and_five_wins() {
        for (game, is_played) in [
            ("gomoku", true),
            ("mnk:rows=5,cols=5,k=5", true),
            ("gomoku:rows=32,cols=32", true),
            ("gomoku:rows=20", false),
            ("gomoku:k=4", false),
            ("tictactoe", false),
            ("connect4", false),
        ] {
            assert_eq!(plays(&game.parse().unwrap(), true).is_ok(), is_played, "{game}");
        }
    }
}
