//! Lines of a bot's log.

use std::fmt;

use crate::cause::Surplus;

/// One line of a bot's log; foreign text in it is escaped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogLine {
    /// From its stderr.
    Stderr(String),
    /// From its stderr, written after a game and before it was ready for the next.
    StderrBetweenGames(String),
    /// From its stdout, dropped because it is not a reply.
    Dropped(Surplus, String),
    /// From its stdout, a remark that its protocol allows.
    Chatter(String),
    /// Its process ended between two games; describes the end.
    EndedBetweenGames(String),
    /// A remark of the referee.
    Remark(String),
}

impl fmt::Display for LogLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stderr(line) => write!(f, "stderr: {line}"),
            Self::StderrBetweenGames(line) => write!(f, "stderr, between games: {line}"),
            Self::Dropped(kind, line) => write!(f, "{} stdout: {line}", kind.word()),
            Self::Chatter(line) => write!(f, "stdout: {line}"),
            Self::EndedBetweenGames(how) => {
                write!(f, "referee: between two games: {how}; a new process is started")
            }
            Self::Remark(text) => write!(f, "referee: {text}"),
        }
    }
}
