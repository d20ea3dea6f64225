//! Plain lines, as on `CodinGame`: the rules write what a bot reads on its turn, and its answer is one line.
//!
//! There is no greeting and nothing else that is not part of the game, so a bot of such a contest plays unchanged. The time
//! of its start is part of its first move, which has that much more.

use arena_core::cause::Surplus;
use arena_core::rules::Move;

use super::dialect::{Dialect, Introduction, Meaning, Outgoing, Protocol, Response, Words};

/// Bots that speak no protocol.
pub(super) static LINES: Protocol = Protocol {
    name: "lines",
    version: 1,
    words: Words {
        bot: "a bot that reads lines",
        title: "lines",
        hello: "no greeting",
        new_game: "its first lines",
        new_game_begins: "",
        line_end: "\n",
        quit: "the end of its input",
        sync: "nothing",
        before_question: "to read on after its last move",
        no_hello: "",
        before_hello: "before it was asked",
        no_ready: "",
        silent_start: "it wrote nothing to stdout",
        declare_games: ["add games = ", " to its manifest"],
        cure: Some(
            "answer the lines of each turn with one line (docs/protocol.md, \"Plain lines\"), flush it, and write everything else \
             to stderr",
        ),
    },
    games: &[],
    plays: |variant, _| {
        if variant.rules.protocols.contains(&LINES.name) {
            return Ok(());
        }
        Err("a bot that reads lines plays games whose rules have `lines` in their hello".to_owned())
    },
    check_options: |options| LINES.no_options(options),
    check_clock: |_, _| Ok(()),
    prefix: None,
    mistaken: None,
    shim: None,
    starter: None,
    takes_remarks: false,
    sends_seed: false,
    is_greeted: false,
    dialect: |_, _, _| Box::new(PlainLines::default()),
};

/// The conversation with one bot.
#[derive(Debug, Default)]
struct PlainLines {
    /// A move is owed.
    is_asked: bool,
}

impl Dialect for PlainLines {
    fn write(&mut self, outgoing: Outgoing<'_>, out: &mut Vec<u8>) -> Option<Response> {
        self.is_asked = false;
        match outgoing {
            Outgoing::Hello { .. } => Some(Response::Hello(Introduction::default())),
            Outgoing::NewGame(_) => Some(Response::Ready),
            Outgoing::Question(question) => {
                self.is_asked = true;
                for line in question.turn_lines() {
                    out.extend_from_slice(line.as_bytes());
                    out.push(b'\n');
                }
                None
            }
            Outgoing::Sync => Some(Response::Synced),
            Outgoing::GameEnd(_) | Outgoing::Quit => None,
        }
    }

    fn read(&mut self, line: &[u8], asked: bool) -> Meaning {
        let line = String::from_utf8_lossy(line);
        match line.trim() {
            "" => Meaning::Blank,
            answer if asked && self.is_asked => {
                self.is_asked = false;
                Meaning::Response(Response::Move(Move::Text(answer.to_owned()).into()), Vec::new())
            }
            _ => Meaning::Surplus(Surplus::Stale, None),
        }
    }

    fn marks_replies(&self) -> bool {
        false
    }

    fn reply(&self, response: &Response) -> String {
        match response {
            Response::Move(reply) => match &reply.played {
                Move::Text(text) => text.clone(),
                other => other.to_string(),
            },
            _ => String::new(),
        }
    }
}
