//! A tournament's definition, and the games that follow from it. Pure: the schedule is a function of the definition alone.
//! So resuming, adding a bot, adding rounds and rebuilding a bot are the same operation: games that are in the schedule and
//! not in the journal are played. A void game is replaced by a game with its own id and seeds, since its bots have seen the
//! old one.
//!
//! # Examples
//!
//! ```
//! use arena_core::event::{Entry, Tournament};
//!
//! let mut event = Tournament { seed: 7, ..Tournament::new("cup", &"connect4".parse()?) };
//! event.bots = vec![Entry::new("ann", "version 1", "./ann"), Entry::new("bob", "version 1", "./bob")];
//! let (first, _) = event.identify(0, [0, 1], 0, true);
//! assert_eq!(first, event.clone().identify(0, [0, 1], 0, true).0, "the definition determines the game");
//!
//! // Another version of a bot plays other games.
//! event.bots[1] = Entry::new("bob", "version 2", "./bob");
//! assert_ne!(first, event.identify(0, [0, 1], 0, true).0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod dropped;
mod earlier;
mod identity;
mod made_of;
mod program;
mod round;
mod seating;
mod shard;
mod stop;
mod strikes;
mod twins;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::TimeControl;
use crate::format::{Format, FormatOptions};
use crate::openings::Book;
use crate::record::{BotId, UNPUBLISHED};
use crate::rules::{Move, Variant, VariantError};
use crate::speech::Speech;
use crate::stats::{Sprt, SprtModel};
use crate::tags::Tags;

pub use crate::format::{GAMES_MAX, ROUNDS_MAX};
pub use dropped::Dropped;
pub use earlier::{EarlierVersion, day, is_day, new_version_fails};
pub use identity::{GameId, bot_seeds, recorded_id};
pub use made_of::{BotOptions, MadeOf};
pub use program::GameProgram;
pub use round::Round;
pub(crate) use seating::Seating;
pub use shard::{SHARDS_MAX, Shard, ShardError};
pub use stop::{Stop, StopReason};
pub use strikes::StrikeLimits;
pub use twins::KnownNames;

/// Version of the rules by which tournaments are scheduled ([`crate::schedule`]): the order within a round, and which bots
/// given [`StrikeLimits`] withdraw; of the [draw of openings](crate::openings); and of the pairs of a ladder.
pub const SCHEDULE_VERSION: u32 = 4;

/// The versions of a journal that can be read and continued; others are refused. In tournaments of version 2,
/// [lost openings](crate::openings::Lost) are drawn like others; ladders of versions 2 and 3 do not
/// [connect](crate::format::Field::unlinked) their bots first.
pub const SCHEDULE_VERSIONS_READ: std::ops::RangeInclusive<u32> = 2..=SCHEDULE_VERSION;

/// Everything that defines a tournament. Stored in the journal, so that all other files can be rebuilt from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tournament {
    /// Name of the tournament: its folder under `results/`.
    pub name: String,
    /// Name of the rules.
    pub game: String,
    /// The name by which the game was requested: that of the rules, or an alias such as `tictactoe`.
    pub label: String,
    /// All parameters of the rules.
    pub params: serde_json::Map<String, serde_json::Value>,
    /// Version of the rules.
    pub rules_version: u32,
    /// The program that is the rules, unless they are built in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<GameProgram>,
    /// Name of the format.
    pub format: String,
    /// Options of the format.
    #[serde(default, skip_serializing_if = "FormatOptions::are_default")]
    pub format_options: FormatOptions,
    /// Pairs of games for every pairing; see [`crate::format::Field::rounds`].
    pub rounds: u32,
    /// The seed that openings, games and the seeds of bots are derived from.
    #[serde(with = "crate::rng::decimal")]
    pub seed: u64,
    /// The time control.
    pub clock: TimeControl,
    /// A game is a draw after this many plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_plies: Option<usize>,
    /// The test that ends a match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<Test>,
    /// Version of the scheduling rules: see [`SCHEDULE_VERSION`].
    pub schedule_version: u32,
    /// When bots are withdrawn. Affects how games count, not the games themselves.
    pub strikes: StrikeLimits,
    /// The openings, by number modulo their length; never empty. Round k of a round-robin starts from number k - 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub openings: Vec<Vec<Move>>,
    /// The book whose first openings they are, if they are from a file: as many as the format may need.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub book: Option<Book>,
    /// The options for all bots that were given, where they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bot_options: Option<BotOptions>,
    /// The bots that play, in roster order.
    pub bots: Vec<Entry>,
    /// The bots that were taken out after the first decision.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<Dropped>,
    /// The bots that were found but do not play.
    pub left_out: Vec<LeftOut>,
    /// Those of its bots that play in an earlier version.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<EarlierVersion>,
    /// Warnings about requested features that the machine lacks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A sequential test: the hypotheses that a match decides between. No game depends on it.
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

impl Test {
    /// The definition of a test.
    #[must_use]
    pub fn of(sprt: &Sprt) -> Self {
        let ([elo0, elo1], [alpha, beta]) = (sprt.hypotheses(), sprt.error_rates());
        Self { model: sprt.model().name().to_owned(), elo0, elo1, alpha, beta }
    }

    /// The test; `None` if this arena has no such model.
    #[must_use]
    pub fn sprt(&self) -> Option<Sprt> {
        Sprt::new(SprtModel::named(&self.model)?, [self.elo0, self.elo1], self.alpha, self.beta).ok()
    }
}

/// A bot that plays in the tournament.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its identity.
    #[serde(flatten)]
    pub id: BotId,
    /// What is started, for people.
    pub command: String,
    /// How it is spoken to, if it does not speak the arena's own protocol.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaks: Option<Speech>,
    /// What is said about it. No game depends on that.
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
    /// What its fingerprint was computed from, where that is recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_of: Option<Box<MadeOf>>,
}

impl Entry {
    /// A bot identified by its fingerprint.
    #[must_use]
    pub fn new(name: &str, fingerprint: &str, command: &str) -> Self {
        let id = BotId { name: name.to_owned(), fingerprint: fingerprint.to_owned(), twin: false };
        Self { id, command: command.to_owned(), speaks: None, tags: Tags::default(), made_of: None }
    }
}

/// A bot that was found but does not play.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Its name.
    pub name: String,
    /// The cause, in one sentence.
    pub cause: String,
    /// It has declined this game, which is not a fault.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub declined: bool,
}

impl LeftOut {
    /// A bot that cannot play.
    #[must_use]
    pub fn unable(name: impl Into<String>, cause: impl Into<String>) -> Self {
        Self { name: name.into(), cause: cause.into(), declined: false }
    }
}

/// One game of the schedule, with its id and its seed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduledGame {
    /// Identity: a hash of everything the result may depend on.
    pub id: GameId,
    /// Round, from 1; 0 for games that were known before the first decision of a ladder.
    pub round: u32,
    /// Number of the pair within the tournament, from 1: its two games share it.
    pub pair: u32,
    /// Running number of the opening, which counts on where [`Tournament::openings`] begins again.
    pub number: u32,
    /// Index of the opening in [`Tournament::openings`].
    pub opening: usize,
    /// Indices into [`Tournament::bots`], by seat.
    pub bots: [usize; 2],
    /// Seed of the game.
    pub seed: u64,
    /// Number of void attempts at this game before.
    pub repeat: u32,
}

impl Tournament {
    /// A definition of one round of `variant` without bots: a second a move, no openings, seed 0.
    #[must_use]
    pub fn new(name: &str, variant: &Variant) -> Self {
        Self {
            name: name.to_owned(),
            game: variant.rules.name.to_owned(),
            label: variant.label.to_owned(),
            params: variant.params.to_json(),
            rules_version: variant.rules.version,
            program: None,
            format: Format::usual().name.to_owned(),
            format_options: FormatOptions::default(),
            schedule_version: SCHEDULE_VERSION,
            rounds: 1,
            seed: 0,
            clock: TimeControl::per_move(Duration::from_secs(1)),
            max_plies: None,
            sprt: None,
            strikes: StrikeLimits::default(),
            openings: vec![Vec::new()],
            book: None,
            bot_options: None,
            bots: Vec::new(),
            dropped: Vec::new(),
            left_out: Vec::new(),
            earlier: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Whether a bot was found that cannot play as it is. One that declined the game is not counted.
    #[must_use]
    pub fn has_failed_bots(&self) -> bool {
        self.left_out.iter().any(|bot| !bot.declined) || !self.earlier.is_empty()
    }

    /// The variant that is played.
    ///
    /// # Errors
    ///
    /// Returns [`VariantError`] if this arena does not know the game or refuses a parameter.
    pub fn variant(&self) -> Result<Variant, VariantError> {
        self.declare_game("it is not there");
        // Only its name tells which of several games of one label it is.
        let name = if self.game.contains('@') { &self.game } else { &self.label };
        Variant::from_json(name, &self.params)
    }

    /// Whether this game is played with these parameters, by these rules or by an earlier or later version of their program.
    #[must_use]
    pub fn is_of(&self, variant: &Variant) -> bool {
        let label = self.game.split_once('@').map_or(self.game.as_str(), |(label, _)| label);
        label == variant.rules.label() && self.params == variant.params.to_json()
    }

    /// Whether both are of one contest, whose games count together: with the same game, seed, format, time control, limit of
    /// moves and openings, as far as both have these.
    #[must_use]
    pub fn is_same_contest(&self, other: &Self) -> bool {
        let names = |event: &Self| event.game.split('@').next().map(str::to_owned);
        names(self) == names(other)
            && self.params == other.params
            && (self.seed, &self.format, self.clock, self.max_plies)
                == (other.seed, &other.format, other.clock, other.max_plies)
            && self.book == other.book
            && self.openings.iter().zip(&other.openings).all(|(own, other)| own == other)
    }

    /// Number of games that follow from the definition alone: those of a fixed format.
    #[must_use]
    pub fn fixed_games(&self) -> u64 {
        Format::named(&self.format).map_or(0, |format| format.fixed_games(&self.seating(format).field))
    }

    /// Number of openings that its format may need; `None` if this arena does not know the format.
    #[must_use]
    pub fn openings_needed(&self) -> Option<usize> {
        Format::named(&self.format).map(|format| format.openings(self.rounds, &self.format_options).max(1) as usize)
    }

    /// Whether the game has open information; false if this arena does not know it.
    #[must_use]
    pub fn open_information(&self) -> bool {
        self.variant().is_ok_and(|variant| variant.rules.open_information)
    }

    /// Whether both define the same games between the same bots, wherever these lie and whatever a machine lacks. Results of
    /// such events can be merged.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let written = |event: &Self| {
            let (left_out, earlier, warnings) = (Vec::new(), Vec::new(), Vec::new());
            let mut event = Self { left_out, earlier, warnings, bot_options: None, ..event.clone() };
            for bot in &mut event.bots {
                bot.command.clear();
                bot.made_of = None;
            }
            event.program.iter_mut().for_each(|program| program.path.clear());
            serde_json::to_vec(&event).ok()
        };
        written(self) == written(other)
    }

    /// Itself without what concerns only those who own the machine and the bots: commands, paths, and texts on what went wrong.
    #[must_use]
    pub fn published(mut self) -> Self {
        for bot in &mut self.bots {
            bot.command.clear();
            bot.made_of.iter_mut().for_each(|made_of| made_of.files.clear());
        }
        self.program.iter_mut().for_each(|program| program.path.clear());
        for bot in &mut self.left_out {
            // What is no bot is called by its path.
            bot.name = bot.name.rsplit('/').next().unwrap_or_default().to_owned();
        }
        let causes = self.left_out.iter_mut().map(|bot| &mut bot.cause);
        causes.chain(self.earlier.iter_mut().map(|bot| &mut bot.cause)).for_each(|cause| UNPUBLISHED.clone_into(cause));
        self.warnings.clear();
        self
    }

    /// Names of bots that have one fingerprint: they are copies of each other.
    #[must_use]
    pub fn copies(&self) -> Vec<Vec<&str>> {
        let mut alike: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for BotId { name, fingerprint, .. } in self.bots.iter().map(|bot| &bot.id) {
            alike.entry(fingerprint).or_default().push(name);
        }
        let mut copies: Vec<_> = alike.into_values().filter(|names| names.len() > 1).collect();
        copies.sort_unstable();
        copies
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::fixture;
    use crate::record::GameResult;

    /// Bots `name=fingerprint`, twins marked by a star; two rounds.
    fn event(bots: &[&str], game: &str) -> Tournament {
        let mut event = fixture::event(&vec![""; bots.len()]);
        let variant = Variant::named(game).unwrap();
        game.clone_into(&mut event.game);
        game.clone_into(&mut event.label);
        event.params = variant.params.to_json();
        event.openings = vec![Vec::new()];
        for (entry, bot) in event.bots.iter_mut().zip(bots) {
            let (name, print) = bot.split_once('=').unwrap();
            let name = name.strip_suffix('*').unwrap_or(name).to_owned();
            entry.id = BotId { twin: bot.contains('*'), name, fingerprint: print.to_owned() };
        }
        event
    }

    fn ids(event: &Tournament) -> Vec<GameId> {
        fixture::schedule(event).iter().map(|game| game.id).collect()
    }

    #[test]
    fn names_change_the_games_of_twins_alone() {
        for game in ["connect4", "mastermind"] {
            let one = ids(&event(&["a=x", "b=y", "c=z"], game));
            assert_eq!(ids(&event(&["d=x", "e=y", "f=z"], game)), one);
            let twins = ids(&event(&["a=x", "b=y", "c*=x"], game));
            assert_eq!(twins.iter().collect::<HashSet<_>>().len(), twins.len());
            let both = |other: Vec<GameId>| twins.iter().filter(|id| other.contains(id)).count();
            // Renaming the twin changes its games and none of its original's.
            assert_eq!(both(ids(&event(&["a=x", "b=y", "d*=x"], game))), 4, "those of a with b");
            assert_eq!(both(ids(&event(&["d=x", "b=y", "c*=x"], game))), twins.len());
        }
    }

    #[test]
    fn limits_of_strikes_are_whole_numbers_from_1_or_none() {
        let mut json = serde_json::to_value(Tournament::new("cup", &Variant::named("connect4").unwrap())).unwrap();
        assert_eq!(json["strikes"], serde_json::json!({ "starts": 3, "games": 10 }));
        let mut read = |strikes: &str| {
            json["strikes"] = serde_json::from_str(strikes).unwrap();
            serde_json::from_value(json.clone())
                .map(|event: Tournament| event.strikes)
                .map_err(|error| error.to_string())
        };
        assert_eq!(read("{}"), Ok(StrikeLimits::OFF));
        assert_eq!(read(r#"{"starts":null,"games":10}"#), Ok(StrikeLimits { starts: None, ..StrikeLimits::default() }));
        assert!(read(r#"{"starts":0}"#).unwrap_err().contains("nonzero"));
    }

    #[test]
    fn copies_are_named() {
        let event = event(&["c=x", "b=y", "a*=x", "d=z", "e*=y"], "connect4");
        assert_eq!(event.copies(), [["b", "e"], ["c", "a"]]);
    }

    #[test]
    fn the_seed_of_a_bot_is_its_own_and_follows_from_the_events() {
        let [first, second] = bot_seeds(1, "00000000000000ff");
        assert_eq!([first, second], bot_seeds(1, "00000000000000ff"));
        let others = [bot_seeds(2, "00000000000000ff"), bot_seeds(1, "00000000000000fe")].concat();
        let all: HashSet<u64> = others.into_iter().chain([first, second]).collect();
        assert_eq!(all.len(), 6);
    }

    proptest! {
        #[test]
        fn an_attempt_is_a_game_of_its_own(place in 0..12_u32, repeat in 1..5_u32, hidden: bool) {
            let event = event(&["a=x", "b=y", "c*=x"], if hidden { "mastermind" } else { "connect4" });
            let schedule = fixture::schedule(&event);
            let (game, again) = (&schedule[place as usize], fixture::attempt(&event, place, repeat));
            prop_assert!(schedule.iter().all(|game| game.id != again.id));
            prop_assert_ne!(fixture::attempt(&event, place, repeat + 1).id, again.id);
            prop_assert_eq!(hidden, again.seed != game.seed, "what is hidden is drawn anew");
            prop_assert_eq!((again.round, again.pair, again.bots, again.repeat), (game.round, game.pair, game.bots, repeat));
            // The id follows from the record alone.
            for game in [game, &again] {
                let mut record = fixture::record(&event, game, GameResult::Draw, 1);
                record.bots = game.bots.map(|bot| event.bots[bot].id.clone());
                prop_assert_eq!(recorded_id(&record), game.id.to_string());
            }
        }
    }
}
