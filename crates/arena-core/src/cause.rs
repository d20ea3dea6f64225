//! Causes of faults, and reasons for dropped lines, as data. Code matches on these and never on a message; the texts for
//! people are elsewhere.
//!
//! # Examples
//!
//! ```
//! use arena_core::cause::Cause;
//!
//! assert_eq!(Cause::SpeaksUci.engine(), Some("a UCI engine"));
//! assert!(Cause::Exited { code: 3 }.is_exit());
//! ```

use serde::{Deserialize, Serialize};

/// The cause of a fault. Exhaustive, so that the compiler sees that each has its advice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// Its folder is missing or cannot be entered.
    BadFolder,
    /// Its program does not exist.
    NoProgram,
    /// The interpreter that its first line names does not exist.
    NoInterpreter,
    /// The sandbox hides its interpreter or loader.
    HiddenInterpreter,
    /// Its first line ends in CR LF.
    WindowsLineEnds,
    /// Its file is not executable.
    NotExecutable,
    /// Its file is not a program for this machine, or is a script without `#!`.
    NotAProgram,
    /// Another program is writing to its file.
    FileBusy,
    /// The system refused to start it for another reason.
    CannotStart,

    /// It exited.
    Exited {
        /// The exit status.
        code: i32,
    },
    /// A signal that its own code raised ended it: SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP.
    Crashed {
        /// The number of the signal.
        signal: i32,
    },
    /// Another signal ended it.
    Killed {
        /// The number of the signal.
        signal: i32,
    },
    /// It closed its output.
    ClosedOutput,
    /// It ran out of memory.
    MemoryLimit,
    /// It had too many processes.
    ProcessLimit,
    /// It had too many threads.
    ThreadLimit,
    /// Its scratch folder was full.
    DiskLimit,
    /// It had too many files in its scratch folder.
    FileLimit,
    /// One of its processes cannot be inspected, so its resource use is unknown.
    Uncountable,

    /// It did not answer `hello` in time.
    NoHello,
    /// It did not answer `new_game` in time.
    NoReady,
    /// It did not answer `move_request` in time.
    NoMove,
    /// Its move came too late.
    LateMove,
    /// It got too little CPU time.
    Starved,
    /// It was stopped by a signal.
    Stopped,
    /// Its reply stayed in a buffer of its own.
    NotFlushed,
    /// It wrote a line without a newline.
    NoNewline,
    /// It closed its input.
    ClosedInput,
    /// It was still busy when it was to be asked for a move.
    NotIdle,
    /// It did not answer in time, and its memory was near the limit.
    NearMemoryLimit,
    /// The same, with its threads and processes near the limit.
    NearThreadLimit,
    /// The same, with the open files of one of its processes near the limit.
    NearOpenFileLimit,

    /// It is a UCI engine.
    SpeaksUci,
    /// It is a UGI or UAI engine.
    SpeaksUgi,
    /// It is a Gomocup (Piskvork) engine.
    SpeaksGomocup,
    /// Its `hello` names another version of the protocol, or none.
    WrongProtocol,
    /// Its `hello` does not name the game.
    GameNotPlayed,
    /// It declined the game.
    Declined,
    /// It answers a command with the word for an error.
    Refused,
    /// An option of its manifest is one that it does not have, or has a value that it does not take.
    BadOption,
    /// It writes another encoding than UTF-8.
    NotUtf8,
    /// It writes strings in single quotes, as Python shows a dict.
    SingleQuotes,
    /// It writes one message over several lines.
    SplitMessage,
    /// Its message stands on a line that does not begin with `{`.
    NotAnObject,
    /// It writes two messages on one line.
    JoinedMessages,
    /// A value is not JSON: `NaN`, `None`, or missing.
    NotAValue,
    /// A line begins with `{` and is not valid JSON for another reason.
    InvalidJson,
    /// A field is missing.
    MissingField,
    /// A field has a value of another type.
    FieldType,
    /// The move is neither an integer nor a list of integers.
    MoveType,
    /// A reply has an `id` that was never issued.
    UnknownId,
    /// A line is too long.
    LineTooLong,
    /// Too many lines are not replies.
    TooManyLines,
    /// Too many bytes are not replies.
    TooManyBytes,

    /// Its move is not legal.
    IllegalMove,
    /// Its move is not legal, and it has written more answers than it was asked for, so that it may be one of those.
    AnsweredTwice,
    /// Its move was not listed, and the rules fail on it.
    BreaksRules,
    /// It used CPU time that its opponent needed while that was on move.
    TookProcessor,
}

impl Cause {
    /// The kind of engine, for a bot that speaks the protocol of one.
    #[must_use]
    pub const fn engine(self) -> Option<&'static str> {
        match self {
            Self::SpeaksUci => Some("a UCI engine"),
            Self::SpeaksUgi => Some("a UGI engine"),
            Self::SpeaksGomocup => Some("a Gomocup engine"),
            _ => None,
        }
    }

    /// Whether nothing came in time, for a reason that is not known.
    #[must_use]
    pub const fn is_silence(self) -> bool {
        matches!(self, Self::NoHello | Self::NoReady | Self::NoMove | Self::LateMove | Self::NotIdle)
    }

    /// Whether nothing came in time, and it may have been refused what it was near the limit of.
    #[must_use]
    pub const fn is_near_limit(self) -> bool {
        matches!(self, Self::NearMemoryLimit | Self::NearThreadLimit | Self::NearOpenFileLimit)
    }

    /// Whether the bot may know more of it than the arena, which saw only that the process ended or that nothing came.
    #[must_use]
    pub const fn is_told_by_stderr(self) -> bool {
        let is_limit = matches!(
            self,
            Self::MemoryLimit
                | Self::ProcessLimit
                | Self::ThreadLimit
                | Self::DiskLimit
                | Self::FileLimit
                | Self::Uncountable
        );
        is_limit || self.is_near_limit() || self.is_exit() || self.is_silence()
    }

    /// Whether the process ended or closed its output, and not because of a limit.
    #[must_use]
    pub const fn is_exit(self) -> bool {
        matches!(self, Self::Exited { .. } | Self::Crashed { .. } | Self::Killed { .. } | Self::ClosedOutput)
    }
}

/// Why a line from a bot is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Surplus {
    /// Not a message, for instance a forgotten `print`.
    Stray,
    /// A message that answers nothing that is open.
    Stale,
}

impl Surplus {
    /// The word for it in logs and documents.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Stray => "stray",
            Self::Stale => "stale",
        }
    }
}
