//! A tournament's definition, and the games that follow from it. Pure: the schedule is a function of the definition
//! alone, so that stopping, adding a bot, asking for more rounds and rebuilding a bot are all the same thing: the
//! games that are in the schedule and not yet in the journal are played.

mod identity;

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::clock::TimeControl;
use crate::format::{Format, Pair};
use crate::record::BotId;
use crate::rng::derive_seed;
use crate::rules::{Move, Seat, Variant, VariantError};
use identity::GameIdentity;

pub use identity::{GameId, recorded_id};

/// The most rounds of any pairing.
pub const ROUNDS_MAX: u32 = 1_000_000;
/// The most games of a tournament, since a few words of each are held in memory.
pub const GAMES_MAX: u64 = 10_000_000;

/// Everything that defines a tournament. Stored in the journal, so that all other files can be rebuilt from it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Event {
    /// Name of the tournament: its folder under `results/`.
    pub name: String,
    /// Name of the rules.
    pub game: String,
    /// The name the game was asked for by: that of the rules, or an alias such as `tictactoe`.
    pub label: String,
    /// All parameters of the rules.
    pub params: serde_json::Map<String, serde_json::Value>,
    /// Version of the rules.
    pub rules_version: u32,
    /// Name of the format.
    pub format: String,
    /// Pairs of games for every pairing.
    pub rounds: u32,
    /// The seed that openings and games are derived from.
    #[serde(with = "crate::protocol::decimal")]
    pub seed: u64,
    /// The time control.
    pub clock: TimeControl,
    /// A game is a draw after this many plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_plies: Option<usize>,
    /// The test that ends a match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<Test>,
    /// Rounds beyond those, for some pairings only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra: Vec<Extra>,
    /// Round k (from 1) starts from opening `(k - 1) % openings.len()`; never empty.
    pub openings: Vec<Vec<Move>>,
    /// The bots that play, in roster order.
    pub bots: Vec<Entry>,
    /// The bots that were found but do not play.
    pub left_out: Vec<LeftOut>,
    /// What the machine could not do that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A sequential test: what its games have to decide between. No game depends on it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Test {
    /// Name of the scale of the hypotheses.
    pub model: String,
    /// The hypothesis that the first bot is no stronger than this.
    pub elo0: f64,
    /// The hypothesis that it is as strong as this.
    pub elo1: f64,
    /// Rate of accepting `elo1` where `elo0` is true.
    pub alpha: f64,
    /// Rate of accepting `elo0` where `elo1` is true.
    pub beta: f64,
}

/// A pairing that plays more rounds than the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extra {
    /// Indices of the bots, the lower first.
    pub bots: [usize; 2],
    /// All rounds of this pairing.
    pub rounds: u32,
}

/// A bot that plays in the tournament.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Name and fingerprint.
    #[serde(flatten)]
    pub id: BotId,
    /// What is started, for people.
    pub command: String,
}

/// A bot that was found but does not play.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Its name.
    pub name: String,
    /// Why, in one sentence.
    pub cause: String,
}

/// One game of the schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduledGame {
    /// Identity: a hash of everything the result may depend on.
    pub id: GameId,
    /// Round, from 1.
    pub round: u32,
    /// Number of the pair within the tournament, from 1: its two games share it.
    pub pair: u32,
    /// Index of the opening in [`Event::openings`].
    pub opening: usize,
    /// Indices into [`Event::bots`], by seat.
    pub bots: [usize; 2],
    /// Seed of the game.
    pub seed: u64,
    /// Distinguishes games that agree in everything else.
    pub repeat: u32,
}

impl Event {
    /// The variant that is played.
    ///
    /// # Errors
    ///
    /// Returns [`VariantError`] if this arena does not know the game or refuses a parameter.
    pub fn variant(&self) -> Result<Variant, VariantError> {
        Variant::from_json(&self.label, &self.params)
    }

    /// As many games as it can have in any format: those of everybody against everybody.
    #[must_use]
    pub fn games_max(&self) -> u64 {
        let bots = self.bots.len() as u64;
        let extra = self.extra.iter().map(|extra| 2 * u64::from(extra.rounds.saturating_sub(self.rounds)));
        let all = bots.saturating_mul(bots.saturating_sub(1)).saturating_mul(self.rounds.into());
        extra.fold(all, u64::saturating_add)
    }

    /// Every game of the tournament, in order of play.
    #[must_use]
    pub fn schedule(&self, format: &Format, open_information: bool) -> Vec<ScheduledGame> {
        let mut pairs = (format.due)(self.bots.len(), self.rounds);
        for round in self.rounds + 1..=self.extra.iter().map(|extra| extra.rounds).max().unwrap_or(0) {
            let due = self.extra.iter().filter(|extra| extra.rounds >= round);
            pairs.extend(due.map(|extra| Pair { round, bots: extra.bots }));
        }
        let mut repeats: HashMap<GameId, u32> = HashMap::new();
        let mut hidden: HashMap<(u32, [&str; 2]), u32> = HashMap::new();
        let mut games = Vec::with_capacity(pairs.len() * 2);
        for (index, pair) in pairs.iter().enumerate() {
            let [a, b] = pair.bots;
            for bots in [[a, b], [b, a]] {
                let opening = (pair.round as usize - 1) % self.openings.len();
                let ids = bots.map(|bot| self.bots[bot].id.fingerprint.as_str());
                let seed = if open_information {
                    shared_seed(self.seed, pair.round)
                } else {
                    let earlier = hidden.entry((pair.round, ids)).and_modify(|count| *count += 1).or_insert(0);
                    secret_seed(self.seed, pair.round, ids, *earlier)
                };
                let mut identity = GameIdentity::of(self, &self.openings[opening], seed, ids);
                let first_id = identity.id();
                let repeat = *repeats.entry(first_id).and_modify(|count| *count += 1).or_insert(0);
                identity.repeat = repeat;
                games.push(ScheduledGame {
                    id: if repeat == 0 { first_id } else { identity.id() },
                    round: pair.round,
                    pair: index as u32 + 1,
                    opening,
                    bots,
                    seed,
                    repeat,
                });
            }
        }
        games
    }
}

/// With open information all games of a round share their seed.
fn shared_seed(event_seed: u64, round: u32) -> u64 {
    derive_seed(event_seed, "game", &[&round.to_le_bytes()])
}

/// With hidden information every game has a seed of its own: a bot that remembers what an earlier game revealed must
/// not know the next one's secret. `earlier` counts the games of the round between bots that are alike, as those of
/// one bot under two names are.
fn secret_seed(event_seed: u64, round: u32, [first, second]: [&str; 2], earlier: u32) -> u64 {
    let (round, earlier) = (round.to_le_bytes(), earlier.to_le_bytes());
    derive_seed(event_seed, "game", &[&round, first.as_bytes(), second.as_bytes(), &earlier])
}

/// A bot's own seed in a game.
#[must_use]
pub fn bot_seed(game_id: &str, seat: Seat) -> u64 {
    derive_seed(0, "bot", &[game_id.as_bytes(), &[seat.index() as u8]])
}
