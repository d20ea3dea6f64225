//! The built-in strategies, started as bots by `arena bot NAME [option=value …]`.
//!
//! They are bots like any other: [`serve()`] speaks the protocol over ordinary pipes, and an [`Engine`] sees only what
//! a request contains. Nothing here knows the referee, the tournament or other processes.
//!
//! An engine is a function of its options, the game's seed and the requests. By default its work is limited in plies or
//! playouts and not in time, so that tournaments are reproducible. A strategy is one file and one entry in
//! [`STRATEGIES`].

mod bits;
mod board;
mod codebreaker;
mod deadline;
mod greedy;
mod marbles_solver;
#[cfg(test)]
mod matches;
mod mcts;
mod minimax;
mod perfect;
mod playable;
mod random;
mod serve;
mod shape;
mod table;

use arena_core::rules::{Move, Param, ParamError, Params, Seat, Variant};
use arena_core::suggest::UnknownName;
use serde::Deserialize;
use serde_json::value::RawValue;
use thiserror::Error;

pub use deadline::SearchDeadline;
pub use serve::serve;

/// All strategies, the simplest first: the last one that plays a game gives hints.
pub static STRATEGIES: &[Strategy] = &[
    random::STRATEGY,
    greedy::STRATEGY,
    minimax::STRATEGY,
    mcts::STRATEGY,
    perfect::STRATEGY,
    marbles_solver::STRATEGY,
    codebreaker::STRATEGY,
];

/// A built-in strategy for bots.
#[derive(Debug)]
pub struct Strategy {
    /// Name on the command line and in manifests.
    pub name: &'static str,
    /// One-line description.
    pub summary: &'static str,
    /// Version of the strategy, part of a bot's fingerprint. Incremented whenever it may play differently.
    pub version: u32,
    /// The options, with defaults and ranges.
    pub options: &'static [Param],
    /// Whether it can play a variant.
    pub plays: fn(&Variant) -> bool,
    /// Creates an engine for a game that this process does not know, from a seed: that of a program.
    pub build_unknown: Option<fn(u64) -> Box<dyn Engine>>,
    /// Creates an engine for one game of a variant that it [plays](Self::plays). The seed is its only source of
    /// randomness.
    pub build: fn(&Variant, &Params, u64) -> Box<dyn Engine>,
}

/// A strategy playing one game from one seat.
pub trait Engine: Send {
    /// Chooses a legal move, before the deadline if possible.
    ///
    /// # Errors
    ///
    /// Returns the JSON error if the view is not of the game that the engine was built for.
    fn choose(&mut self, query: &Query<'_>, deadline: &SearchDeadline) -> serde_json::Result<Choice>;
}

/// The contents of one request: everything that an engine knows when it has to move.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// The seat to move.
    pub seat: Seat,
    /// Everything that this seat may see.
    pub view: &'a RawValue,
    /// All legal moves, ascending, unless there are too many to list.
    pub legal_moves: Option<&'a [Move]>,
    /// One legal move.
    pub sample_move: &'a Move,
}

/// A move, with the engine's evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The move.
    pub played: Move,
    /// The chances of the mover, from −1 (lost) to 1 (won).
    pub eval: Option<f64>,
    /// Remark for replays.
    pub comment: Option<String>,
}

/// The error for a rejected strategy or option.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StrategyError {
    /// No strategy has this name.
    #[error(transparent)]
    Unknown(UnknownName),
    /// An option was rejected.
    #[error("strategy `{strategy}`: {source}")]
    Option {
        /// The strategy.
        strategy: &'static str,
        /// The cause.
        source: ParamError,
    },
}

impl Strategy {
    /// Returns the strategy called `name`.
    ///
    /// # Errors
    ///
    /// Returns [`StrategyError::Unknown`], with the nearest known name.
    pub fn named(name: &str) -> Result<&'static Self, StrategyError> {
        STRATEGIES.iter().find(|strategy| strategy.name == name).ok_or_else(|| {
            let known = STRATEGIES.iter().map(|strategy| strategy.name);
            StrategyError::Unknown(UnknownName::new("strategy", name, known))
        })
    }

    /// Parses command-line options, each `name=value`; options not given keep their defaults.
    ///
    /// # Errors
    ///
    /// Returns [`StrategyError`] for an option that is unknown, out of range, repeated or malformed.
    pub fn options_from_text<T: AsRef<str>>(&self, given: &[T]) -> Result<Params, StrategyError> {
        let mut options = Params::defaults(self.options);
        let set = options.set_texts(self.options, given.iter().map(AsRef::as_ref), "an option; write name=value");
        set.map_err(|source| StrategyError::Option { strategy: self.name, source })?;
        Ok(options)
    }

    /// Parses the options of a manifest; options not given keep their defaults.
    ///
    /// # Errors
    ///
    /// Returns [`StrategyError`] for an option that is unknown or out of range.
    pub fn options_from_json(
        &self,
        given: &serde_json::Map<String, serde_json::Value>,
    ) -> Result<Params, StrategyError> {
        let mut options = Params::defaults(self.options);
        for (name, value) in given {
            options
                .set_json(self.options, name, value)
                .map_err(|source| StrategyError::Option { strategy: self.name, source })?;
        }
        Ok(options)
    }
}

impl Query<'_> {
    /// The moves so far, which the view of every game with open information contains.
    ///
    /// # Errors
    ///
    /// Returns the JSON error if the view contains none.
    pub fn moves(&self) -> serde_json::Result<Vec<Move>> {
        #[derive(Deserialize)]
        struct View {
            moves: Vec<Move>,
        }
        serde_json::from_str::<View>(self.view.get()).map(|view| view.moves)
    }
}

impl Choice {
    /// A move without an evaluation.
    #[must_use]
    pub const fn plain(played: Move) -> Self {
        Self { played, eval: None, comment: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_and_found() {
        for strategy in STRATEGIES {
            assert_eq!(Strategy::named(strategy.name).unwrap().name, strategy.name);
        }
        let error = Strategy::named("minmax").unwrap_err().to_string();
        assert!(error.starts_with("no strategy named `minmax` (did you mean `minimax`?)"), "{error}");
    }

    #[test]
    fn options_are_parsed_and_rejected_like_game_parameters() {
        let minimax = Strategy::named("minimax").unwrap();
        assert_eq!(minimax.options_from_text(&["depth=3"]).unwrap().int("depth"), 3);
        let given = serde_json::json!({ "depth": 3 });
        assert_eq!(minimax.options_from_json(given.as_object().unwrap()).unwrap().int("depth"), 3);
        for wrong in ["depth", "depth=-1", "depht=3", "depth=deep"] {
            assert!(minimax.options_from_text(&[wrong]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_strategy_ships_as_a_bot() {
        for strategy in STRATEGIES {
            let path = format!("{}/../../bots/{}.toml", env!("CARGO_MANIFEST_DIR"), strategy.name);
            let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
            let manifest: serde_json::Value = toml::from_str(&text).unwrap();
            assert_eq!(manifest["builtin"], strategy.name);
            // All options are explicit, so that changed defaults do not change a shipped bot.
            let options = manifest["options"].as_object().cloned().unwrap_or_default();
            strategy.options_from_json(&options).unwrap();
            assert_eq!(options.len(), strategy.options.len(), "{path}");
        }
    }
}
