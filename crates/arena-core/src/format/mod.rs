//! Tournament formats: which pairs are played. Pure functions of the field and of settled results, so resuming and playing
//! on several machines need no code per format. Another program [adds](add) its own at run time.
//!
//! A fixed format gives all of its pairs at once; a stepwise one decides again as results come in. Both keep the following
//! laws, which property tests check for every format in [`FORMATS`]:
//!
//! - *Monotone*: decisions only add pairs at the end. The place of a pair never changes.
//! - *Blind*: the pairs due depend on the field and on [`Settled`] pairs, in the order of the schedule; never on names, times
//!   or the order of finishing.
//! - *Progress*: once everything due is settled, more is due or the tournament is over; the number of pairs is bounded.
//! - *Sound*: no bot plays itself.
//!
//! # Examples
//!
//! ```
//! use arena_core::format::{Field, Format, FormatKind};
//!
//! let FormatKind::Fixed { pairings, pairing, .. } = Format::usual().kind else { panic!("a round-robin is fixed") };
//! let field = Field { bots: 3, rounds: 1, ..Field::default() };
//! let mut round: Vec<[usize; 2]> = (0..pairings(&field)).map(|number| pairing(&field, number)).collect();
//! round.iter_mut().for_each(|bots| bots.sort());
//! round.sort();
//! assert_eq!(round, [[0, 1], [0, 2], [1, 2]]);
//! ```

pub mod flags;
mod gauntlet;
pub mod knockout;
mod ladder;
#[cfg(test)]
pub(crate) mod laws;
mod options;
#[cfg(test)]
mod results;
mod round_robin;
mod sheet;
mod simulation;
pub mod swiss;
#[cfg(test)]
pub(crate) mod toy;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::record::GameResult;
use crate::stats::Ratings;
pub use arena_rules::registry::NameTaken;
use arena_rules::registry::Registry;
pub use flags::Flag;
pub use options::{FormatOptions, Setting, Until, UntilError};
pub use sheet::{FirstRound, FormatColumn, KnownPair, MatchTable, Sheet, ShownMatch, TableLayout};
pub use simulation::simulate;

/// The most rounds of any pairing, and the most openings.
pub const ROUNDS_MAX: u32 = 1_000_000;

/// The most games of a tournament, since each takes some memory.
pub const GAMES_MAX: u64 = 10_000_000;

/// The built-in formats, in the order listed; the first one is played unless another is asked for.
pub static FORMATS: &[Format] = &[
    round_robin::ROUND_ROBIN,
    gauntlet::GAUNTLET,
    ladder::LADDER,
    knockout::KNOCKOUT,
    swiss::SWISS,
    #[cfg(test)]
    toy::KING_OF_THE_HILL,
];

static ADDED: Registry<Format> = Registry::new();

/// All formats: the built-in ones, then those that were [added](add).
pub fn all() -> impl Iterator<Item = &'static Format> {
    FORMATS.iter().chain(ADDED.all())
}

/// Makes a format known to this process: from now on it is found by name, and whatever lists formats lists it. A format of a
/// name that was added before is not added again; that one is returned.
///
/// # Errors
///
/// Returns [`NameTaken`] if a built-in format has the name.
pub fn add(format: Format) -> Result<&'static Format, NameTaken> {
    let name = format.name;
    if FORMATS.iter().any(|known| known.name == name) {
        return Err(NameTaken { kind: "format", name });
    }
    Ok(ADDED.find_or_add(|known| known.name == name, || Box::new(format)))
}

/// A tournament format, with all words that are said of it.
///
/// A program's own is `Format { title: …, ..Format::new(…) }`, made known with [`add`]. Fields may be added, with defaults in
/// [`Format::new`].
#[derive(Debug)]
pub struct Format {
    /// Name on the command line and in files.
    pub name: &'static str,
    /// What it is called in a sentence.
    pub title: &'static str,
    /// Its flags, the one for its rounds first.
    pub flags: &'static [&'static Flag],
    /// The flag for its rounds, and their default number.
    pub rounds: (&'static Flag, u32),
    /// The option for its length, if it may become longer once it has begun: nothing before its end depends on it.
    pub length: Option<&'static Flag>,
    /// The option, and its value, with which it goes on for as long as there is time.
    pub endless: Option<(&'static Flag, u64)>,
    /// Whether its results tell what share of points each bot deserves, so that a series can combine them.
    pub has_shares: bool,
    /// Whether it is there to rate bots, and not to find a winner.
    pub rates: bool,
    /// Whether bots that are named meet all others.
    pub has_challengers: bool,
    /// Computes the pairs that are due.
    pub kind: FormatKind,
    /// The amount of play for display, such as `5 rounds of 1 pair`; empty if unlimited.
    pub size: fn(&Field) -> String,
    /// How far its goal is, in words, if its options give it one: for the ratings so far, the bots that are left in the order
    /// of these, and the number of games.
    pub distance: fn(&FormatOptions, &Ratings, &[usize], u64) -> Option<String>,
    /// A part that ends before the next one begins, and its games, such as `("the final", 6)`.
    pub bottleneck: Option<Bottleneck>,
    /// Rejects options for a tournament of bots of these names, before anything is written: all of them, and those that were
    /// given, which are not recorded yet.
    pub accepts: fn(&FormatOptions, &FormatOptions, &[&str]) -> Result<(), Rejection>,
    /// Rejects a tournament of the bots that can play, by name.
    pub seats: fn(&FormatOptions, &[&str]) -> Result<(), Rejection>,
    /// The columns that it adds to the standings.
    pub columns: &'static [FormatColumn],
    /// The results of a stepwise format, from its pairs in the order of the schedule.
    pub sheet: Option<fn(&Field, &[KnownPair]) -> Sheet>,
}

/// Why a format rejects options or bots, in the words of the format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Rejection(String);

impl Format {
    /// A format with flag `--rounds`, no options and no sheet.
    #[must_use]
    pub const fn new(name: &'static str, kind: FormatKind, size: fn(&Field) -> String) -> Self {
        Self {
            name,
            title: name,
            flags: flags::USUAL,
            rounds: (&flags::ROUNDS, 50),
            length: None,
            endless: None,
            has_shares: false,
            rates: true,
            has_challengers: false,
            kind,
            size,
            distance: |_, _, _, _| None,
            bottleneck: None,
            accepts: |_, _, _| Ok(()),
            seats: |_, _| Ok(()),
            columns: &[],
            sheet: None,
        }
    }

    /// The format that is played unless another is asked for.
    #[must_use]
    pub fn usual() -> &'static Self {
        &FORMATS[0]
    }

    /// Whether it is [`Format::usual`].
    #[must_use]
    pub fn is_usual(&self) -> bool {
        self.name == Self::usual().name
    }

    /// Whether it has this flag.
    #[must_use]
    pub fn has(&self, flag: &Flag) -> bool {
        self.flags.contains(&flag)
    }

    /// Whether the next pairs follow from earlier results.
    #[must_use]
    pub const fn is_stepwise(&self) -> bool {
        matches!(self.kind, FormatKind::Stepwise { .. })
    }

    /// Whether bots meet more often that look about equally strong.
    #[must_use]
    pub const fn prefers_likes(&self) -> bool {
        matches!(self.kind, FormatKind::Stepwise { known: Some(_), .. })
    }

    /// The flag that adds games once all are played.
    #[must_use]
    pub fn more(&self) -> Option<&'static Flag> {
        let endless = || self.endless.map(|(flag, _)| flag);
        if self.is_stepwise() { self.length.or_else(endless) } else { Some(self.rounds.0) }
    }

    /// Whether bots that come after the first decision are not seated: a bracket cannot take them.
    #[must_use]
    pub const fn keeps_field(&self) -> bool {
        matches!(self.kind, FormatKind::Stepwise { known: None, .. })
    }

    /// Number of games that follow from the field alone: those of a fixed format. Callers reject more than [`GAMES_MAX`].
    #[must_use]
    pub fn fixed_games(&self, field: &Field) -> u64 {
        match self.kind {
            FormatKind::Fixed { pairings, .. } => 2 * pairings(field) as u64 * u64::from(field.rounds),
            FormatKind::Stepwise { .. } => 0,
        }
    }

    /// [`Format::openings`], if so many can be used.
    ///
    /// # Errors
    ///
    /// Returns [`Rejection`] if it may need more than [`ROUNDS_MAX`].
    pub fn usable_openings(&self, rounds: u32, options: &FormatOptions) -> Result<u32, Rejection> {
        let needed = self.openings(rounds, options);
        if needed > ROUNDS_MAX {
            return Err(Rejection(format!(
                "{} {rounds}: a {} of such matches may need {needed} openings, at most {ROUNDS_MAX} can be used",
                self.rounds.0, self.name
            )));
        }
        Ok(needed)
    }

    /// Number of openings that a tournament of `rounds` rounds may need.
    #[must_use]
    pub fn openings(&self, rounds: u32, options: &FormatOptions) -> u32 {
        match self.kind {
            FormatKind::Fixed { .. } => rounds,
            FormatKind::Stepwise { openings, .. } => openings(rounds, options),
        }
    }

    /// The format called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        all().find(|format| format.name == name)
    }
}

/// Names a part of a tournament, with the number of its games.
pub type Bottleneck = fn(&Field) -> (&'static str, usize);

/// The running number of the opening of two bots with these [`Field::keys`] after so many others, of so many openings, the first
/// ones of which they have played; `None` once all are played. The arguments are the keys, all openings, those played and those
/// others.
pub type OpeningOrder = fn([u64; 2], u32, u32, u32) -> Option<u32>;

/// How a format computes its pairs.
#[derive(Debug, Clone, Copy)]
pub enum FormatKind {
    /// All pairs follow from the field alone: every round has the same pairings, in the same order.
    Fixed {
        /// Number of pairings in a round.
        pairings: fn(&Field) -> usize,
        /// The bots of the pairing with this number, below [`FormatKind::Fixed::pairings`].
        pairing: fn(&Field, usize) -> [usize; 2],
        /// The part of a round after which it is best cut.
        turn: fn(&Field) -> RoundPart,
    },
    /// The next pairs follow from earlier results. The bots of its field are in order of seed, the best first, so that a
    /// lower index breaks ties; names and the order of the roster change nothing.
    Stepwise {
        /// The state before the first decision.
        start: fn(&Field) -> Box<dyn Stepwise>,
        /// The number of openings it may need, for so many rounds; they are used again if there are fewer.
        openings: fn(u32, &FormatOptions) -> u32,
        /// If it begins with all pairs of its bots that the journal has, however they came about: the order of openings in
        /// which it looks for them after those of rounds.
        known: Option<OpeningOrder>,
    },
}

/// The smallest part of a round with all bots, or those of a gauntlet that are alike, within one pair of each other after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundPart {
    /// Its length, at least 1.
    pub pairs: usize,
    /// Whether all have played equally many pairs after it, and not only after a whole round.
    pub is_level: bool,
}

/// The state of a stepwise format: what was decided, and the settled results.
///
/// It is a state, and not a function of all results, so that a tournament of a million pairs is read in one pass. A decision
/// may be read from a journal instead of being made, so it changes nothing until it is added.
pub trait Stepwise: fmt::Debug + Send {
    /// Adds the pairs of the next decision.
    fn add(&mut self, pairs: &[Pair]);

    /// Adds the result of the next pair, in the order of the schedule.
    fn settle(&mut self, settled: &Settled);

    /// A bot plays no more. Called where a decision is due, once for each bot.
    fn withdraw(&mut self, bot: usize);

    /// Number of pairs that must be settled before the next decision, from the first one of the schedule on; at most the
    /// number of those added.
    fn waits_for(&self) -> usize;

    /// The next decision. Called when exactly [`Stepwise::waits_for`] pairs are settled.
    fn due(&self) -> Due;

    /// The number of pairs that are still to be added, as far as it does not depend on results: further pairs of level matches
    /// are not among them. `None` if only results determine it.
    fn to_come(&self) -> Option<usize> {
        None
    }
}

/// A decision of a stepwise format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Due {
    /// These pairs are added; there is at least one.
    Pairs(Vec<Pair>),
    /// No more pairs are added.
    Over(Over),
}

/// Why a stepwise format adds no more pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Over {
    /// All of its rounds were played.
    Complete,
    /// The goal was reached: [`Until`], or the pairs of each bot.
    Reached,
    /// More games would repeat earlier ones, or there are no more openings.
    Exhausted,
    /// The maximum number of games was played.
    GamesMax,
    /// Too few bots are left.
    NoBots,
    /// Every pairing of the next round would repeat an earlier one.
    NoPairing,
}

/// The inputs of a format.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Field {
    /// Number of bots; formats use indices below it.
    pub bots: usize,
    /// Requested rounds: pairs of every pairing, or of a match.
    pub rounds: u32,
    /// Number of openings.
    pub openings: usize,
    /// Seed for random formats.
    pub seed: u64,
    /// A number for each bot, which it has in every field.
    pub keys: Vec<u64>,
    /// The challengers, in ascending order: the bots that options name.
    pub challengers: Vec<usize>,
    /// For [`Format::sheet`]: the bots that were withdrawn at a decision, with the number of pairs before the first such decision,
    /// in ascending order.
    pub withdrawn: Vec<(usize, usize)>,
    /// Whether a ladder does not connect its bots first, as before version 4 of the
    /// [schedule](crate::event::SCHEDULE_VERSION).
    pub unlinked: bool,
    /// Further options. The bots they name are above.
    pub options: FormatOptions,
}

/// A pair of games: two bots, one opening, once from each seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pair {
    /// Round, from 1, for people; 0 for pairs that were played before the first decision of a ladder.
    pub round: u32,
    /// Running number of the opening, from 0; openings are used again from the first one when they run out.
    pub opening: u32,
    /// Indices of the bots; the first one moves first in the first game.
    pub bots: [usize; 2],
}

/// A pair of which both games are settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settled {
    /// The pair.
    pub pair: Pair,
    /// Its games: the first bot of the pair moves first in the first one.
    pub games: [SettledGame; 2],
}

impl Settled {
    /// Twice the points of each bot, 0 to 4, in the order of the pair.
    #[must_use]
    pub fn half_points(&self) -> [u8; 2] {
        let [first, second] = self.games.map(|game| match game.result {
            GameResult::FirstWins => [2, 0],
            GameResult::SecondWins => [0, 2],
            GameResult::Draw => [1, 1],
            GameResult::Void => [0, 0],
        });
        [first[0] + second[1], first[1] + second[0]]
    }

    /// Whether each bot was withdrawn in one of the games, in the order of the pair.
    #[must_use]
    pub fn withdrawn(&self) -> [bool; 2] {
        let [first, second] = self.games.map(|game| game.withdrawn);
        [first[0] || second[1], first[1] || second[0]]
    }
}

/// A settled game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettledGame {
    /// How it counts. Void if neither bot could play.
    pub result: GameResult,
    /// Whether the bot on each seat was withdrawn.
    pub withdrawn: [bool; 2],
    /// Whether both bots played, so that the result says something about their strengths.
    pub is_evidence: bool,
    /// A hash of its moves.
    pub moves: u64,
}
