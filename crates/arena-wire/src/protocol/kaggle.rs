//! Agents of Kaggle's `ConnectX` and tic-tac-toe: Python files that define a function. A shim in the agent's own interpreter
//! calls it and speaks JSON lines, so the dialect is that of the arena.

use arena_core::rules::Variant;

use super::dialect::{Protocol, Words};
use super::json::Json;

/// Kaggle agents.
pub(super) static KAGGLE: Protocol = Protocol {
    name: "kaggle",
    version: 1,
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
    dialect: |secret, _, _| Box::new(Json::new(secret)),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Agents may play differently under another shim, so that is another version.
    #[test]
    fn another_shim_has_another_version() {
        let shim = KAGGLE.shim.expect("a shim");
        let hash = &blake3::hash(shim.as_bytes()).to_hex()[..16];
        assert_eq!(
            (KAGGLE.version, hash),
            (1, "42a30754808961a3"),
            "raise the version, unless no arena with this version was released"
        );
        assert!(shim.lines().count() <= 80, "it is short enough to be read");
    }
}
