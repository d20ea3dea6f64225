//! The interface of a protocol: messages to a bot as bytes, and its lines as responses.
//!
//! A dialect serves one process from its start to its end. Pipes and time are left to `player::process`;
//! [`Lines`](super::Lines) splits, limits and counts the lines.

use std::fmt;
use std::time::Duration;

use super::optional::FieldRemark;
use crate::cause::{Cause, Surplus};
use crate::referee::{GameEnd, GameStart, Question, Reply};

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
    /// A remark that the protocol allows: it is logged, and counts as nothing.
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

    /// Classifies a line, given without its newline. `asked` says whether the last message may be answered: all of it has
    /// reached the bot, and it was not answered yet.
    fn read(&mut self, line: &[u8], asked: bool) -> Meaning;

    /// Whether a reply names the question that it answers. If not, unread output is dropped before each
    /// question, which costs a system call.
    fn marks_replies(&self) -> bool;

    /// The line that is most likely a failed attempt to answer the last message, if that was [`Outgoing::Hello`] or
    /// [`Outgoing::NewGame`].
    fn attempt(&self) -> Option<&Attempt> {
        None
    }

    /// The cause of a missing `hello` if the bot speaks another protocol, as far as its lines show.
    fn other_protocol(&self) -> Option<Cause> {
        None
    }
}

/// Options of a protocol from a manifest: names and values.
pub type DialectOptions = [(String, String)];

/// A protocol that bots can use.
#[derive(Debug)]
pub struct Protocol {
    /// Its name in manifests.
    pub name: &'static str,
    /// Whether it has a way to set options.
    pub has_options: bool,
    /// The dialect for a new process. `secret` is drawn for this process and unknown to all bots.
    pub dialect: fn(secret: [u64; 2], options: &DialectOptions) -> Box<dyn Dialect>,
}
