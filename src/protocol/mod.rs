//! How bots are spoken to: lines, the dialects that give them a meaning, and the arena's own one, JSON, version 1.
//!
//! The referee asks a [`Question`](crate::referee::Question) and gets a [`Reply`](crate::referee::Reply); only a
//! [`Dialect`] knows how either is written, and only [`Json`] knows JSON field names. Another protocol is a file with a
//! [`Dialect`] and a line in [`PROTOCOLS`]. Pure: bytes in, values out; reading and writing is for `player`.

mod decode;
mod dialect;
mod foreign;
mod ids;
mod json;
mod lines;
mod messages;
mod optional;
mod registry;
mod schema;

pub use decode::{Line, decode};
pub use dialect::{Dialect, Introduction, Meaning, Options, Outgoing, Protocol, Response};
pub use json::Json;
pub use lines::{Event, Lines};
pub use messages::{
    BotClock, FromBot, GameOver, Hello, HelloReply, MoveReply, MoveRequest, NewGame, RequestClock, ToBot,
};
pub use registry::{JSON, PROTOCOLS, protocol_named};

pub use schema::schema;

/// The protocol version spoken here.
pub const VERSION: u32 = 1;
/// A bot's line may have this many bytes before its newline.
pub const LINE_BYTES_MAX: usize = 65_536;
/// Stray, stale or malformed lines a bot may write in one game.
pub const UNUSABLE_LINES_MAX: u32 = 1_000;
/// Bytes of such lines a bot may write in one game.
pub const UNUSABLE_BYTES_MAX: usize = 1 << 20;
/// Characters kept of a move's comment.
pub const COMMENT_CHARS_MAX: usize = 280;
/// Bytes of JSON allowed in a move's `debug`.
pub const DEBUG_BYTES_MAX: usize = 8_192;
