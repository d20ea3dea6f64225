//! The bot protocol, version 1: messages both ways, their limits, and one line encoded or decoded.
//!
//! The only place that knows JSON field names. Pure: bytes in, values out; reading and writing is for `player`.

mod decode;
mod inbox;
mod messages;
mod schema;

pub use decode::{Line, decode};
pub use inbox::{Event, Expected, Inbox, Surplus, first_id};
pub(crate) use messages::decimal;
pub use messages::{
    BotClock, FromBot, GameOver, Hello, HelloReply, MoveReply, MoveRequest, NewGame, RequestClock, ToBot,
};

pub use schema::schema;

/// The protocol version spoken here.
pub const VERSION: u32 = 1;
/// A bot's line may have this many bytes before its newline.
pub const LINE_BYTES_MAX: usize = 65_536;
/// Stray, stale or malformed lines a bot may write in one game.
pub const UNUSABLE_LINES_MAX: u32 = 1_000;
/// Bytes of such lines a bot may write in one game.
pub const UNUSABLE_BYTES_MAX: usize = 1 << 20;
/// A request lists its legal moves up to this many.
pub const LEGAL_MOVES_MAX: u64 = 1_000;
/// Characters kept of a move's comment.
pub const COMMENT_CHARS_MAX: usize = 280;
/// Bytes of JSON allowed in a move's `debug`.
pub const DEBUG_BYTES_MAX: usize = 8_192;
