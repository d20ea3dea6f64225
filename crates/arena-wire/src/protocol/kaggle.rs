//! Agents of Kaggle's `ConnectX` and tic-tac-toe: Python files that define a function. A shim in the agent's own interpreter
//! calls it and speaks JSON lines, so the dialect is that of the arena.

use arena_core::cause::Cause;
use arena_core::rules::Variant;
use arena_core::text::shown;
use serde::Deserialize;

use super::dialect::{Attempt, Dialect, Meaning, Outgoing, Protocol, Response, Words};
use super::json::Json;

/// Kaggle agents.
pub(super) static KAGGLE: Protocol = Protocol {
    name: "kaggle",
    version: 2,
    words: Words {
        bot: "a Kaggle agent",
        title: "kaggle",
        declare_games: ["add games = ", " to its manifest"],
        silent_start: "it did not answer; an agent is loaded before it is asked anything, so a slow import counts",
        cure: Some(
            "read the end of its stderr and what an agent is given and returns (docs/protocol.md, \"Kaggle agents\"); `arena ask \
             BOT` asks it for one move",
        ),
        ..super::json::WORDS
    },
    games: &["connect4"],
    plays,
    check_options: |options| KAGGLE.no_options(options),
    check_clock: |_, _| Ok(()),
    prefix: None,
    mistaken: None,
    shim: Some(include_str!("kaggle.py")),
    starter: Some(("agent.py", include_str!("../../../../bots/starters/kaggle/agent.py"))),
    takes_remarks: true,
    is_greeted: true,
    sends_seed: true,
    dialect: |secret, _, _| Box::new(Kaggle { json: Json::new(secret), called: None }),
};

/// An agent plays one of the two games, and nothing in it tells which.
fn plays(variant: &Variant, is_named: bool) -> Result<(), String> {
    let is_tictactoe = variant.is_called("tictactoe") && variant.params.size("k") == 3;
    match variant.rules.name {
        "connect4" => Ok(()),
        "mnk" if is_tictactoe && is_named => Ok(()),
        "mnk" if is_tictactoe => Err("an agent for tictactoe has games = [\"tictactoe\"] in its manifest".to_owned()),
        _ => Err("kaggle agents play connect4, and tictactoe if `games` of the manifest names it".to_owned()),
    }
}

/// The conversation with the shim.
#[derive(Debug)]
struct Kaggle {
    json: Json,
    /// Which function of the file is called, as a sentence.
    called: Option<String>,
}

/// What the shim says of the function, beside its name.
#[derive(Deserialize)]
struct Called {
    name: String,
    /// Another function of the file is called `agent`.
    #[serde(default)]
    x_is_another: bool,
}

/// What the shim says of a move.
#[derive(Deserialize)]
struct Returned {
    /// What the agent returned, where that is not the move itself.
    x_returned: Option<String>,
}

impl Called {
    fn sentence(&self) -> String {
        let name = shown(&self.name);
        let role = if self.name == "agent" { "" } else { " as the agent" };
        let cure = if self.x_is_another { "; move `agent` to its end" } else { "" };
        format!("`{name}` was called{role}, the last function of the file{cure}")
    }
}

impl Dialect for Kaggle {
    fn write(&mut self, outgoing: Outgoing<'_>, out: &mut Vec<u8>) -> Option<Response> {
        self.json.write(outgoing, out)
    }

    fn read(&mut self, line: &[u8], asked: bool) -> Meaning {
        let mut meaning = self.json.read(line, asked);
        match &mut meaning {
            Meaning::Response(Response::Hello(_), _) => {
                self.called = serde_json::from_slice::<Called>(line).ok().map(|called| called.sentence());
            }
            Meaning::Response(Response::Move(reply), _) => {
                reply.words = serde_json::from_slice::<Returned>(line).ok().and_then(|returned| returned.x_returned);
            }
            _ => {}
        }
        meaning
    }

    fn marks_replies(&self) -> bool {
        self.json.marks_replies()
    }

    fn reply(&self, response: &Response) -> String {
        self.json.reply(response)
    }

    fn attempt(&self) -> Option<&Attempt> {
        self.json.attempt()
    }

    fn other_protocol(&self) -> Option<Cause> {
        self.json.other_protocol()
    }

    fn at_fault(&self) -> Option<&str> {
        self.called.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_function_that_is_called_is_told_with_the_cure() {
        for (hello, told) in [
            (r#""name":"agent","x_is_another":false"#, "`agent` was called, the last function of the file"),
            (r#""name":"my_agent""#, "`my_agent` was called as the agent, the last function of the file"),
            (
                r#""name":"free","x_is_another":true"#,
                "`free` was called as the agent, the last function of the file; move `agent` to its end",
            ),
        ] {
            let mut dialect = (KAGGLE.dialect)([1, 2], &[].into(), super::super::Terms::of_memory_mb(0));
            assert_eq!(dialect.at_fault(), None);
            dialect.write(Outgoing::Hello { startup: std::time::Duration::ZERO }, &mut Vec::new());
            let line = format!(r#"{{"type":"hello","protocol":1,{hello}}}"#);
            assert!(matches!(dialect.read(line.as_bytes(), true), Meaning::Response(..)), "{line}");
            assert_eq!(dialect.at_fault(), Some(told));
        }
    }

    /// Agents may play differently under another shim, so that is another version.
    #[test]
    fn another_shim_has_another_version() {
        let shim = KAGGLE.shim.expect("a shim");
        let hash = &blake3::hash(shim.as_bytes()).to_hex()[..16];
        assert_eq!(
            (KAGGLE.version, hash),
            (2, "e43a0a50a62af25e"),
            "raise the version, unless no arena with this version was released"
        );
        assert!(shim.lines().count() <= 95, "it is short enough to be read");
    }
}
