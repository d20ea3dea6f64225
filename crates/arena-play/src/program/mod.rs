//! Rules that are a program, in any language: its manifest, its messages, its processes.
//!
//! A program is a passive state machine. It is asked over its pipes for positions, and answers with one line each
//! ([`Request`], [`Answer`]). A [`Program`] is what its manifest says, a [`Process`] is one that runs, under the guard of
//! bots; what it says in [`Hello`] becomes rules of this process under `NAME@HASH` ([`Hello::declared`], [`hash`]). Whatever
//! is wrong with an answer is a [`Mistake`], and with a process [`Broken`]: that is no bot's fault.
//!
//! This module must not know bots, clocks of games, records, schedules or results folders. What a program says is untrusted:
//! every line, list, text and wait has a limit, and nothing is shown to people unescaped.

mod answer;
mod broken;
mod compact;
mod confines;
mod contract_check;
mod error;
mod fields;
mod game;
mod hello;
mod identity;
mod json;
mod known;
mod line_buffer;
mod log;
mod manifest;
mod messages;
mod mistake;
mod moves;
mod pool;
mod position;
mod process;
mod reasons;
mod wire;

pub use answer::{Answer, LABEL_BYTES_MAX, LEGAL_MAX, Offer, Over, Position, SAMPLES_MAX, Shown, TEXT_BYTES_MAX};
pub use broken::{Broken, Failing};
pub use contract_check::{ContractError, ContractReport, try_out};
pub use error::{GameError, Problem};
pub use game::ProgramGame;
pub use hello::{HELP_BYTES_MAX, Hello, NAME_BYTES_MAX, PARAMS_MAX, WORDS_MAX, is_name};
pub use identity::hash;
pub use json::JsonMistake;
pub use known::{game_of, load, own_files, start};
pub use log::RulesLog;
pub use manifest::{ANSWER_DEFAULT, MEMORY_MB_DEFAULT, Program, STARTUP_DEFAULT, named_program};
pub use messages::{LINE_BYTES_MAX, Request, VERSION, requests};
pub use mistake::Mistake;
pub use moves::MoveList;
pub use pool::leave;
pub use process::Process;
pub use reasons::{REASONS_MAX, Reasons};
