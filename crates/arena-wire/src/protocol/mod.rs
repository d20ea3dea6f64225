//! Protocols of bots: lines, the dialects that interpret them, and the arena's own JSON protocol, version 1.
//!
//! The referee asks a [`Question`](arena_core::referee::Question) and gets a [`Reply`](arena_core::referee::Reply); only a
//! [`Dialect`] knows how either is written, and only [`Json`] knows JSON field names. Another protocol is a file with a
//! [`Protocol`] and its [`Dialect`], and a line in [`PROTOCOLS`]; nothing but this module and `roster` names one. Pure: bytes
//! in, values out; reading and writing is for `player`.

mod answers;
mod attempts;
mod decode;
mod dialect;
mod engine;
mod foreign;
mod gomocup;
mod ids;
mod json;
mod kaggle;
#[cfg(test)]
mod laws;
mod lines;
mod messages;
mod optional;
mod overhead;
mod plain;
mod registry;
mod repair;
mod schema;
mod sync;
mod tokens;

pub use answers::Answers;
pub use decode::{ReplyLine, decode};
pub use dialect::{Attempt, Dialect, Introduction, Meaning, Outgoing, Protocol, Response, Terms, Words, evidence_of};
pub use json::{JSON, Json};
pub use lines::{BotLines, LineEvent};
pub use messages::{
    BotClock, DeclineReply, FromBot, GameOver, Hello, HelloReply, MoveReply, MoveRequest, NewGame, RequestClock, ToBot,
};
pub use optional::FieldRemark;
pub use registry::{PROTOCOLS, protocol_named, protocol_of, protocol_of_file};

pub use schema::schema;

/// The protocol version of this arena.
pub const VERSION: u32 = 1;
/// Maximum length of a bot's line, in bytes before its line end.
pub const LINE_BYTES_MAX: usize = 65_536;
/// Maximum number of stray lines, and of stale lines, of a bot in one game.
pub const UNUSABLE_LINES_MAX: u32 = 1_000;
/// Maximum number of bytes in such lines in one game.
pub const UNUSABLE_BYTES_MAX: usize = 1 << 20;
/// Maximum number of bytes of remarks that a protocol allows, in one game.
pub const CHATTER_BYTES_MAX: usize = 16 << 20;
/// Maximum length of a move's comment, in characters; a longer one is cut.
pub const COMMENT_CHARS_MAX: usize = 280;
/// Maximum length of the reason of a `decline`, in characters; a longer one is cut.
pub const REASON_CHARS_MAX: usize = 280;
/// Maximum length of a move's `debug`, in bytes of JSON.
pub const DEBUG_BYTES_MAX: usize = 8_192;
