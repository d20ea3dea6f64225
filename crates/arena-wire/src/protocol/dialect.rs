//! The interface of a protocol: messages to a bot as bytes, and its lines as responses.
//!
//! A dialect serves one process from its start to its end. Pipes and time are left to `player::process`;
//! [`Lines`](super::Lines) splits, limits and counts the lines.

use std::fmt;
use std::time::Duration;

use arena_core::cause::{Cause, Surplus};
use arena_core::clock::TimeControl;
use arena_core::referee::{GameEnd, GameStart, Question, Reply};
use arena_core::rules::Variant;
use arena_core::speech::DialectOptions;
use arena_core::text::shown;

use super::optional::FieldRemark;

/// A message to a bot.
#[derive(Debug)]
pub enum Outgoing<'a> {
    /// A process has started.
    Hello {
        /// Time from its start to its answer.
        startup: Duration,
    },
    /// A game begins.
    NewGame(&'a GameStart<'a>),
    /// A move is asked for.
    Question(&'a Question<'a>),
    /// Is it done with all that it was asked? Only where [`Dialect::sync_again`] gives an interval.
    Sync,
    /// The game is over; nothing is answered.
    GameEnd(&'a GameEnd<'a>),
    /// The process is to leave; nothing is answered.
    Quit,
}

/// An answer of a bot.
#[derive(Debug)]
pub enum Response {
    /// To [`Outgoing::Hello`].
    Hello(Introduction),
    /// To [`Outgoing::NewGame`].
    Ready,
    /// To [`Outgoing::NewGame`]: it does not play this game; the reason, if it gave one.
    Decline(Option<String>),
    /// To [`Outgoing::Question`].
    Move(Reply),
    /// To [`Outgoing::Question`]: it gives the game up.
    Resign,
    /// To [`Outgoing::Sync`].
    Synced,
}

/// How a bot describes itself, for display only.
#[derive(Debug, Clone, Default)]
pub struct Introduction {
    /// Its name.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// Names of the games it plays; `None` means all.
    pub games: Option<Vec<String>>,
}

/// An answer to [`Outgoing::Hello`] or [`Outgoing::NewGame`] that is not valid, as far as a line shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// What is wrong with it.
    pub cause: Cause,
    /// What is wrong with it, and the line.
    pub why: String,
    /// It names the type of the message that was asked for, so it is hardly anything else.
    pub is_clear: bool,
}

/// What one line from a bot means.
#[derive(Debug)]
pub enum Meaning {
    /// What was asked for, and a remark for each optional field that was dropped or changed.
    Response(Response, Vec<FieldRemark>),
    /// A line that is dropped and counted. If it looked like a message, says why it is not one.
    Surplus(Surplus, Option<String>),
    /// Part of an answer, of which more is to come, or one more answer to a message that was written several times.
    Part,
    /// Part of an answer, on which the rest of the message depends: [`Dialect::go_on`] has that now.
    GoOn,
    /// A remark that the protocol allows: it is logged, and only its bytes are counted.
    Chatter,
    /// Nothing but white space.
    Blank,
    /// The bot broke the protocol; says how.
    Violation(Cause, String),
}

/// The conversation with one process.
pub trait Dialect: fmt::Debug + Send {
    /// Appends the message to `out`. If this protocol has no answer to wait for, returns the response itself.
    fn write(&mut self, outgoing: Outgoing<'_>, out: &mut Vec<u8>) -> Option<Response>;

    /// Appends the rest of a message that is sent in two parts: after [`Meaning::GoOn`], or at once by whoever does not hear the
    /// bot.
    fn go_on(&mut self, _: &mut Vec<u8>) {}

    /// Classifies a line, given without its newline. `asked` says whether the last message may be answered: all of it has
    /// reached the bot, and it was not answered yet.
    fn read(&mut self, line: &[u8], asked: bool) -> Meaning;

    /// Whether a reply names the question that it answers. If not, unread output is dropped before each question, once the bot
    /// is done with what it was asked before: it has answered an [`Outgoing::Sync`], or where there is no such message, it
    /// waits for its input.
    fn marks_replies(&self) -> bool;

    /// How long after an [`Outgoing::Sync`] another one is written if no answer has come, twice as long each further time.
    /// `None` if the protocol has no such message; otherwise each question waits for its answer.
    fn sync_again(&self) -> Option<Duration> {
        None
    }

    /// Whether [`Outgoing::Sync`] may be written as soon as the bot has answered a question, while its opponent thinks: a bot that
    /// reads while it does something else answers it at once, so that the next question need not wait. Not for bots that
    /// ignore what comes before they are done.
    fn syncs_ahead(&self) -> bool {
        false
    }

    /// The line by which a bot gives this answer to the last message, without its newline.
    fn reply(&self, response: &Response) -> String;

    /// The line that is most likely a failed attempt to answer the last message, if that was [`Outgoing::Hello`] or
    /// [`Outgoing::NewGame`].
    fn attempt(&self) -> Option<&Attempt> {
        None
    }

    /// That a part of the answer to the last message is missing, if it has parts and others have come.
    fn missing_part(&self) -> Option<&'static str> {
        None
    }

    /// What is to be known about the bot whatever its fault is, as a sentence.
    fn at_fault(&self) -> Option<&str> {
        None
    }

    /// The cause of a missing `hello` if the bot speaks another protocol, as far as its lines show.
    fn other_protocol(&self) -> Option<Cause> {
        None
    }
}

/// What a dialect may tell a bot about the terms on which it plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// Its memory limit, 0 for none.
    pub memory_bytes: u64,
}

impl Terms {
    /// The terms of a bot with this memory limit, 0 for none.
    #[must_use]
    pub fn of_memory_mb(memory_mb: u64) -> Self {
        Self { memory_bytes: memory_mb.saturating_mul(1 << 20) }
    }
}

/// The words of a protocol in texts about its bots.
#[derive(Debug)]
pub struct Words {
    /// A bot that speaks it: `a Kaggle agent`.
    pub bot: &'static str,
    /// The protocol and its version in a score card.
    pub title: &'static str,
    /// [`Outgoing::Hello`].
    pub hello: &'static str,
    /// [`Outgoing::NewGame`].
    pub new_game: &'static str,
    /// How the bytes of [`Outgoing::NewGame`] begin.
    pub new_game_begins: &'static str,
    /// What ends a line that is written to a bot.
    pub line_end: &'static str,
    /// [`Outgoing::Quit`].
    pub quit: &'static str,
    /// [`Outgoing::Sync`], if there is one.
    pub sync: &'static str,
    /// What a bot does before a question while its time runs: the end of a sentence about that time.
    pub before_question: &'static str,
    /// That the answer to [`Outgoing::Hello`] is missing; empty where none is awaited.
    pub no_hello: &'static str,
    /// When a bot ended that had not given that answer.
    pub before_hello: &'static str,
    /// That the answer to [`Outgoing::NewGame`] is missing; empty where none is awaited.
    pub no_ready: &'static str,
    /// What a program that wrote nothing at its start may lack.
    pub silent_start: &'static str,
    /// How a bot is made known to play some games only: what comes before the list of them, and after it.
    pub declare_games: [&'static str; 2],
    /// What to do about a fault whose cure is in words of the arena's own protocol; `None` for bots that speak that.
    pub cure: Option<&'static str>,
}

/// A protocol that bots can use.
#[derive(Debug)]
pub struct Protocol {
    /// Its name in manifests.
    pub name: &'static str,
    /// Changes whenever a bot may play differently because other bytes are written to it.
    pub version: u32,
    /// Its words in texts about its bots.
    pub words: Words,
    /// The games that its bots play unless their manifests name others; none means all.
    pub games: &'static [&'static str],
    /// Whether its bots play a game, and why not; `is_named` says that the bot's manifest names the game.
    pub plays: fn(variant: &Variant, is_named: bool) -> Result<(), String>,
    /// Checks the options of a manifest; returns the name of an invalid one, and what is wrong with it.
    pub check_options: fn(&DialectOptions) -> Result<(), (String, String)>,
    /// Checks the options against the time that a bot has; says what is wrong, as a sentence.
    pub check_clock: fn(&DialectOptions, TimeControl) -> Result<(), String>,
    /// How the name of an executable begins that speaks it and needs no manifest.
    pub prefix: Option<&'static str>,
    /// What bots are found to be that speak it and are taken for JSON bots, and the cure.
    pub mistaken: Option<(Cause, &'static str)>,
    /// A program that is started in place of the bot's file, by the interpreter of that file: `INTERPRETER -c SHIM FILE`.
    pub shim: Option<&'static str>,
    /// The file and the text of a first bot to begin with, which Python runs.
    pub starter: Option<(&'static str, &'static str)>,
    /// Whether bots ignore JSON lines of unknown types, so that remarks can stand in their input.
    pub takes_remarks: bool,
    /// Whether a bot learns the seed of a game.
    pub sends_seed: bool,
    /// Whether its bots answer when they are started. If not, they are started for every game unless their manifests say
    /// otherwise, and the first move of a process has the time for its start as well.
    pub is_greeted: bool,
    /// The dialect for a new process. `secret` is drawn for this process and unknown to all bots.
    pub dialect: fn(secret: [u64; 2], options: &DialectOptions, terms: Terms) -> Box<dyn Dialect>,
}

/// A message that was sent as evidence has it: cut, with `; ` between its lines.
#[must_use]
pub fn evidence_of(sent: &[u8]) -> String {
    shown(&String::from_utf8_lossy(sent).lines().collect::<Vec<_>>().join("; "))
}

impl Protocol {
    /// The extension of files with what a bot was sent, and with remarks where it takes them.
    #[must_use]
    pub fn input_extension(&self) -> &'static str {
        if self.takes_remarks { "jsonl" } else { "txt" }
    }

    /// That it has no options.
    ///
    /// # Errors
    ///
    /// Returns the first option, and what to do instead.
    pub fn no_options(&self, options: &DialectOptions) -> Result<(), (String, String)> {
        let why = || format!("the {} protocol has no options; give arguments in `command`", self.name);
        options.keys().next().map_or(Ok(()), |first| Err((first.clone(), why())))
    }
}
