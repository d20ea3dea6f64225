//! The ratings of the rungs, by game.

use anyhow::Context as _;
use arena_core::rules::Variant;
use arena_core::stats::{FixedPair, next_opponent};
use serde::{Deserialize, Serialize};

use super::rungs::{RUNGS, Rung};
use crate::player::engine::EnginePlayer;
use crate::roster::FoundBot;

/// The files in the program, by the label of their game. `cargo run --release -p arena-make -- ladder FILE --game GAME`
/// makes them.
static FILES: &[(&str, &str)] = &[
    ("connect4", include_str!("connect4.csv")),
    ("tictactoe", include_str!("tictactoe.csv")),
    ("marbles", include_str!("marbles.csv")),
];

/// A row of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RungRow {
    /// Name of the rung.
    pub rung: String,
    /// What it played as: [`Rung::version`].
    pub version: String,
    /// Its rating.
    pub elo: f64,
    /// Its 95 % margin, against the mean of all rungs.
    pub margin: f64,
    /// Its games.
    pub games: u64,
    /// The seed of the tournament.
    pub seed: u64,
    /// How far results against a single rung deviate from the ratings, in Elo, over all rungs: [`misfit`].
    ///
    /// [`misfit`]: arena_core::stats::Transitivity::misfit
    pub misfit: f64,
}

/// A rung with its rating.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatedRung {
    /// The rung.
    pub rung: &'static Rung,
    /// Its rating; that of `random` is 0.
    pub elo: f64,
}

/// The rated rungs of a game.
#[derive(Debug, Clone, PartialEq)]
pub struct Ladder {
    /// The weakest first.
    rungs: Vec<RatedRung>,
    /// How far results against a single one deviate from the ratings, in Elo.
    pub(super) misfit: f64,
}

impl Ladder {
    /// The ladder of a game.
    ///
    /// # Errors
    ///
    /// Returns an error that names the games that have one.
    pub fn of(variant: &Variant) -> anyhow::Result<Self> {
        let (_, file) = FILES.iter().find(|(label, _)| *label == variant.to_string()).with_context(|| {
            let known: Vec<&str> = FILES.iter().map(|(label, _)| *label).collect();
            format!("no ladder of known strength for {variant}; there is one for {}", known.join(", "))
        })?;
        Self::read(file)
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// Returns an error if it is no such file, or not of these rungs: a rung that plays otherwise by now has another strength.
    fn read(file: &str) -> anyhow::Result<Self> {
        let (mut rungs, mut misfit) = (Vec::new(), 0.0_f64);
        for row in csv::Reader::from_reader(file.as_bytes()).into_deserialize::<RungRow>() {
            let row = row?;
            let rung = RUNGS.iter().find(|rung| rung.name == row.rung && rung.version() == row.version);
            let rung = rung.with_context(|| format!("no rung {} plays as {}", row.rung, row.version))?;
            rungs.push(RatedRung { rung, elo: row.elo });
            misfit = misfit.max(row.misfit);
        }
        rungs.sort_by(|a, b| a.elo.total_cmp(&b.elo));
        anyhow::ensure!(!rungs.is_empty(), "a ladder without rungs");
        Ok(Self { rungs, misfit })
    }

    /// The rungs, the weakest first.
    #[must_use]
    pub fn rungs(&self) -> &[RatedRung] {
        &self.rungs
    }

    /// The rung to play next, after these pairs.
    pub(super) fn next(&self, pairs: &[FixedPair]) -> RatedRung {
        let ratings: Vec<f64> = self.rungs.iter().map(|rung| rung.elo).collect();
        let middle = ratings[ratings.len() / 2];
        self.rungs[next_opponent(pairs, &ratings, middle, self.misfit)]
    }

    /// The rungs just below and above a rating.
    #[must_use]
    pub fn around(&self, elo: f64) -> [Option<RatedRung>; 2] {
        let below = self.rungs.iter().rev().find(|rung| rung.elo <= elo);
        [below.copied(), self.rungs.iter().find(|rung| rung.elo > elo).copied()]
    }
}

/// All rungs that play a game, as bots of a tournament that need no processes.
///
/// # Errors
///
/// Returns an error if a name is none for a bot.
pub fn rung_bots(variant: &Variant) -> anyhow::Result<Vec<FoundBot>> {
    let bot = |rung: &'static Rung| {
        let (strategy, options) = rung.strategy();
        let player = move || Box::new(EnginePlayer::untimed(strategy, options.clone())) as Box<_>;
        Ok(FoundBot::in_process(&rung.bot_name(), &rung.version(), player)?)
    };
    RUNGS.iter().filter(|rung| rung.plays(variant)).map(bot).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ladder_is_of_the_rungs_as_they_play_now() {
        for (label, file) in FILES {
            let variant: Variant = label.parse().unwrap();
            let ladder = Ladder::of(&variant).unwrap_or_else(|error| {
                panic!(
                    "{label}: {error:#}; make it again: cargo run --release -p arena-make -- ladder FILE --game {label}"
                )
            });
            let playing = RUNGS.iter().filter(|rung| rung.plays(&variant)).count();
            assert_eq!((ladder.rungs().len(), file.lines().count()), (playing, playing + 1), "{label}");
            assert!(ladder.rungs().iter().any(|rung| rung.rung.name == "random" && rung.elo == 0.0), "{label}");
        }
    }

    #[test]
    fn rungs_are_found_by_rating() {
        let rated = |index: usize, elo| RatedRung { rung: &RUNGS[index], elo };
        let ladder = Ladder { rungs: vec![rated(0, 0.0), rated(1, 400.0), rated(3, 900.0)], misfit: 0.0 };
        assert_eq!(ladder.around(500.0), [Some(rated(1, 400.0)), Some(rated(3, 900.0))]);
        assert_eq!(ladder.around(-1.0), [None, Some(rated(0, 0.0))]);
        assert_eq!(ladder.around(900.0), [Some(rated(3, 900.0)), None]);
    }
}
