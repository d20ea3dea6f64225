//! The rungs: built-in bots with a fixed amount of work.

use arena_bots::strategy::{STRATEGIES, Strategy};
use arena_core::rules::{Params, Variant};

/// A rung of the ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rung {
    /// What it is called: `minimax depth 4`.
    pub name: &'static str,
    /// The strategy.
    strategy: &'static str,
    /// Its options.
    options: &'static [&'static str],
}

const fn rung(name: &'static str, strategy: &'static str, options: &'static [&'static str]) -> Rung {
    Rung { name, strategy, options }
}

/// All rungs, about from the weakest to the strongest; which is stronger depends on the game.
pub static RUNGS: &[Rung] = &[
    rung("random", "random", &[]),
    rung("greedy", "greedy", &[]),
    rung("perfect but for 30 %", "perfect", &["nodes=200000", "style=first", "slip=30"]),
    rung("minimax depth 2", "minimax", &["depth=2", "nodes=1000000"]),
    rung("mcts 300", "mcts", &["playouts=300"]),
    rung("minimax depth 4", "minimax", &["depth=4", "nodes=1000000"]),
    rung("perfect but for 10 %", "perfect", &["nodes=200000", "style=first", "slip=10"]),
    rung("minimax depth 6", "minimax", &["depth=6", "nodes=1000000"]),
    rung("mcts 3,000", "mcts", &["playouts=3000"]),
    rung("minimax depth 8", "minimax", &["depth=8", "nodes=1000000"]),
    rung("minimax 300k", "minimax", &["depth=14", "nodes=300000"]),
    rung("mcts 30,000", "mcts", &["playouts=30000"]),
    rung("perfect but for 3 %", "perfect", &["nodes=200000", "style=first", "slip=3"]),
    rung("perfect", "perfect", &["nodes=200000", "style=first", "slip=0"]),
];

impl Rung {
    /// Its strategy with its options.
    ///
    /// # Panics
    ///
    /// Panics if there is no such strategy or option: a test builds all of them.
    #[must_use]
    pub fn strategy(&self) -> (&'static Strategy, Params) {
        let strategy = STRATEGIES.iter().find(|it| it.name == self.strategy).expect("a built-in strategy");
        (strategy, strategy.options_from_text(self.options).expect("its options"))
    }

    /// The version of its strategy and the options: another one may be of another strength.
    #[must_use]
    pub fn version(&self) -> String {
        let version = format!("{} {}", self.strategy, self.strategy().0.version);
        self.options.iter().fold(version, |text, option| format!("{text} {option}"))
    }

    /// Its name as a bot of a tournament.
    #[must_use]
    pub fn bot_name(&self) -> String {
        self.name.replace(' ', "-").replace([',', '%'], "").trim_end_matches('-').to_owned()
    }

    /// Whether it plays a game.
    #[must_use]
    pub fn plays(&self, variant: &Variant) -> bool {
        (self.strategy().0.plays)(variant)
    }
}
