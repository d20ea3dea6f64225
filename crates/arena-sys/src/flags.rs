//! What commands call the settings that messages of other modules mention, in one place, so that a renamed flag leaves no
//! stale advice: a test compares them with the commands. Formats have flags of their own, [`arena_core::format::flags`].

#![allow(missing_docs, reason = "a flag, by its own name")]

pub const ANCHOR: &str = "--anchor";
pub const BOT: &str = "--bot";
pub const BOTS: &str = "--bots";
pub const BUILTINS: &str = "--builtins";
pub const CLOCK: &str = "--clock";
pub const CLOCK_CPU: &str = "--clock cpu";
pub const FEEDBACK: &str = "--feedback";
pub const FORCE: &str = "--force";
pub const FORMAT: &str = "--format";
pub const FREEZE_IDLE: &str = "--freeze-idle";
pub const FRESH: &str = "--fresh";
pub const FROM: &str = "--from";
pub const GAME: &str = "--game";
pub const HINTS: &str = "--hints";
pub const LIMITS: &str = "--limits";
pub const MARGIN: &str = "--margin";
pub const MAX_GAMES: &str = "--max-games";
pub const MAX_PLIES: &str = "--max-plies";
pub const MISSING: &str = "--missing";
pub const MOVE_TIME: &str = "--move-time";
pub const NAME: &str = "--name";
pub const NASH: &str = "--nash";
pub const NATS: &str = "--nats";
pub const NATS_CA: &str = "--nats-ca";
pub const NATS_CREDS: &str = "--nats-creds";
pub const NATS_NKEY: &str = "--nats-nkey";
pub const OPENINGS: &str = "--openings";
pub const OPENING_PLIES: &str = "--opening-plies";
pub const PLAN: &str = "--plan";
pub const RESULTS: &str = "--results";
pub const ROUND: &str = "--round";
pub const RULES_READ: &str = "--rules-read";
pub const SANDBOX: &str = "--sandbox";
pub const SANDBOX_OFF: &str = "--sandbox off";
pub const SEED: &str = "--seed";
pub const SERVE: &str = "--serve";
pub const SHARD: &str = "--shard";
pub const STARTUP_MAX: &str = "--startup-max";
pub const STRIKES: &str = "--strikes";
pub const SVG: &str = "--svg";
pub const TIME: &str = "--time";
pub const TRUST: &str = "--trust";
pub const WIRE: &str = "--wire";
