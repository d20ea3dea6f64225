//! The messages themselves. Tests derive their JSON Schema from these types (`schema`).

#[cfg(test)]
use std::collections::BTreeMap;

use arena_core::rng::decimal;
use arena_core::rules::Move;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// What the referee writes to a bot.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "RefereeToBot"))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToBot {
    /// The first message to a new process.
    Hello(Hello),
    /// A game begins; answer `ready`, or in a check `decline`.
    NewGame(NewGame),
    /// It is your move; answer `move` or `resign`.
    MoveRequest(MoveRequest),
    /// The game is over; no answer.
    GameOver(GameOver),
    /// Leave within a second.
    Quit {
        /// Why, for logs.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
}

/// The first message to a new process.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Hello {
    /// Protocol version.
    pub protocol: u32,
    /// Version of the arena.
    pub arena: String,
    /// Longest line the referee reads, in bytes before the newline.
    pub max_line_bytes: usize,
    /// Time from the start of the process to its `hello`.
    pub startup_ms: u64,
}

/// A game begins.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NewGame {
    /// To be repeated in `ready`.
    pub id: u64,
    /// A name of the game for this process alone. It tells nothing: not the game's id in the results, not who plays, no
    /// seed, and the other bot is given another.
    pub game_id: String,
    /// Name of the rules.
    pub game: String,
    /// Version of the rules.
    pub rules_version: u32,
    /// All parameters of the rules.
    #[cfg_attr(test, schemars(with = "BTreeMap<String, serde_json::Value>"))]
    pub params: serde_json::Map<String, serde_json::Value>,
    /// 0 moves first, 1 second.
    #[cfg_attr(test, schemars(range(max = 1)))]
    pub seat: u8,
    /// This bot's own seed for this game: a decimal string. It follows from nothing that the other bot is sent.
    #[serde(with = "decimal")]
    #[cfg_attr(test, schemars(with = "String", regex(pattern = "^[0-9]{1,20}$")))]
    pub seed: u64,
    /// The time control.
    pub clock: BotClock,
}

/// The time control of a game, in whole milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BotClock {
    /// Limit for each move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub move_ms: Option<u64>,
    /// Time for the whole game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bank_ms: Option<u64>,
    /// Added to the bank after each move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub increment_ms: Option<u64>,
}

/// It is your move.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MoveRequest {
    /// To be repeated in `move` or `resign`.
    pub id: u64,
    /// Moves made so far, openings included.
    pub ply: usize,
    /// Your seat: 0 or 1.
    #[cfg_attr(test, schemars(range(max = 1)))]
    pub seat: u8,
    /// All that your seat may see of the position; its fields depend on the game.
    #[cfg_attr(test, schemars(with = "BTreeMap<String, serde_json::Value>"))]
    pub state: Box<RawValue>,
    /// Every legal move, ascending; absent when there are more than 1,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Option<Vec<MoveSchema>>"))]
    pub legal_moves: Option<Vec<Move>>,
    /// One legal move, drawn from the game's seed.
    #[cfg_attr(test, schemars(with = "MoveSchema"))]
    pub sample_move: Move,
    /// Time left.
    pub clock: RequestClock,
}

/// The clock as it stands at a request, in whole milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RequestClock {
    /// Limit for this move.
    pub deadline_ms: u64,
    /// Your bank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bank_ms: Option<u64>,
    /// The opponent's bank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opponent_bank_ms: Option<u64>,
    /// What the referee measured for your previous move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_ms: Option<u64>,
}

/// The game is over.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GameOver {
    /// `win`, `loss`, `draw` or `void`, from this bot's side.
    #[cfg_attr(test, schemars(regex(pattern = "^(win|loss|draw|void)$")))]
    pub outcome: String,
    /// Why the game ended.
    pub reason: String,
    /// Every move made, openings included.
    #[cfg_attr(test, schemars(with = "Vec<MoveSchema>"))]
    pub moves: Vec<Move>,
    /// Hidden information, now shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Option<BTreeMap<String, serde_json::Value>>"))]
    pub reveal: Option<Box<RawValue>>,
}

/// What a bot may write to the referee.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "BotToReferee"))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FromBot {
    /// Answers `hello`.
    Hello(HelloReply),
    /// Answers `new_game`.
    Ready {
        /// The `id` of the `new_game`.
        id: i64,
    },
    /// Answers the first `new_game` of a process that the arena started to check the bot: it does not play this game.
    Decline(DeclineReply),
    /// Answers `move_request`.
    Move(MoveReply),
    /// Answers `move_request` by giving the game up.
    Resign {
        /// The `id` of the `move_request`.
        id: i64,
    },
}

/// Answers `hello`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HelloReply {
    /// Must be 1.
    pub protocol: i64,
    /// For display only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// For display only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// For display only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authors: Option<String>,
    /// Names of the games it plays; absent means all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games: Option<Vec<String>>,
}

/// Answers the first `new_game` of a process that the arena started to check the bot: it does not play this game.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DeclineReply {
    /// The `id` of the `new_game`.
    pub id: i64,
    /// Why, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(length(max = 280)))]
    pub reason: Option<String>,
}

/// Answers `move_request`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MoveReply {
    /// The `id` of the `move_request`.
    pub id: i64,
    /// The move, equal in structure to a legal one.
    #[serde(rename = "move")]
    #[cfg_attr(test, schemars(with = "MoveSchema"))]
    pub played: Move,
    /// How good the position is for the mover, −1 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(range(min = -1.0, max = 1.0)))]
    pub eval: Option<f64>,
    /// Shown in replays.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(length(max = 280)))]
    pub comment: Option<String>,
    /// Any JSON up to 8 KiB; logged only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Option<serde_json::Value>"))]
    pub debug: Option<Box<RawValue>>,
}

impl ToBot {
    /// Appends the message and its newline to `out`.
    ///
    /// # Panics
    ///
    /// Never: these types always serialise.
    pub fn encode(&self, out: &mut Vec<u8>) {
        serde_json::to_writer(&mut *out, self).expect("messages serialise to memory");
        out.push(b'\n');
    }

    /// Reads a message as a bot does; unknown fields are ignored, an unknown `type` gives `None`.
    ///
    /// # Errors
    ///
    /// Returns the JSON error if the line is not such a message.
    pub fn decode(line: &str) -> Result<Option<Self>, serde_json::Error> {
        #[derive(Deserialize)]
        struct Tag<'a> {
            #[serde(borrow, rename = "type")]
            kind: std::borrow::Cow<'a, str>,
        }
        #[derive(Deserialize)]
        struct Quit {
            reason: Option<String>,
        }
        // The tag is read first: `RawValue` does not survive serde's own buffering of tagged enums.
        let tag: Tag<'_> = serde_json::from_str(line)?;
        Ok(Some(match tag.kind.as_ref() {
            "hello" => Self::Hello(serde_json::from_str(line)?),
            "new_game" => Self::NewGame(serde_json::from_str(line)?),
            "move_request" => Self::MoveRequest(serde_json::from_str(line)?),
            "game_over" => Self::GameOver(serde_json::from_str(line)?),
            "quit" => Self::Quit { reason: serde_json::from_str::<Quit>(line)?.reason },
            _ => return Ok(None),
        }))
    }
}

/// A move as JSON: an integer or a list of integers. Equality is structural.
#[cfg(test)]
#[derive(schemars::JsonSchema)]
#[schemars(untagged, rename = "Move")]
#[expect(dead_code, reason = "a schema")]
enum MoveSchema {
    /// A column, a number of marbles, …
    Int(i64),
    /// A cell, a code, …
    List(Vec<i64>),
}
