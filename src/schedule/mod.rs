//! The one bookkeeper of a tournament: which games it has, which were handed out, settled or void, and who is
//! withdrawn. Pure.
//!
//! [`Scheduler::issue`] hands out the next game, [`Scheduler::settle`] takes in how one ended. Everything else follows from
//! the games in the order of the schedule, never from the order in which they ended:
//!
//! - The place of a game never changes. What is decided in view of results ([`Policy`]) only appends pairs, or ends the
//!   tournament at a place, and looks at the *prefix* alone: the settled games from the first one on, without a gap.
//! - A bot is withdrawn by its strikes ([`StrikeLimits`](crate::event::StrikeLimits)), in the order of places: by the third
//!   failed start in a row, or when it loses its first ten games by timeout or crash. One of these that ends otherwise shows that
//!   it works, and later ones do not matter; what says nothing of the bot neither counts nor ends the row (a failed start, a void
//!   game, a timeout for want of a processor, an opponent that was withdrawn or failed before the bot was asked for a move). Its
//!   later games count as lost whatever their records say, so results are the same at any concurrency and on any number of
//!   machines. While an earlier game still runs, a bot that has as many strikes beyond it is given no further games.
//! - A void game leads to another attempt at the same place, with an id of its own.
//!
//! ```
//! use arena::event::{Entry, Event};
//! use arena::record::GameResult;
//! use arena::referee::Verdict;
//! use arena::schedule::{Brief, Scheduler, record};
//!
//! let mut event = Event::new("cup", &"tictactoe".parse()?);
//! event.bots = ["a", "b", "c"].map(|name| Entry::new(name, name, "")).into();
//! let mut scheduler = Scheduler::new(event.into(), &[], &[], &mut ())?;
//! let mut games = Vec::new();
//! while let Some(job) = scheduler.issue() {
//!     // It is played: a draw.
//!     let verdict = Verdict::new(GameResult::Draw, "full board".to_owned());
//!     let record = record(scheduler.event(), &job.game, &job.opening, verdict);
//!     scheduler.settle(job.place, Brief::of(&record, 0, 1), false);
//!     games.push(job.game.bots);
//! }
//! assert_eq!(games, [[1, 2], [2, 1], [0, 2], [2, 0], [0, 1], [1, 0]]);
//! assert!(scheduler.is_complete());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod brief;
mod games;
mod issue;
mod policy;
mod prefix;
mod results;
mod strikes;
mod suspects;
#[cfg(test)]
mod tests;
mod version_1;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::event::{Event, GameId, Round, ScheduledGame};
use crate::record::Record;
use crate::referee::Verdict;
use crate::rules::Move;
use games::Games;
use prefix::Prefix;
pub(crate) use strikes::Strikes;
use suspects::Suspects;

pub use brief::Brief;
pub use games::Planned;
pub use policy::{Addition, Policy, TestStatus};
pub use strikes::{Withdrawal, WithdrawalCause};

/// Attempts at a game in one run after the first that was void because of us.
pub const RETRIES_MAX: u8 = 3;

/// Why an event has no schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScheduleError {
    /// The format is not one of [`crate::format::FORMATS`].
    #[error("no format named `{0}`")]
    UnknownFormat(String),
    /// More games than [`crate::event::GAMES_MAX`].
    #[error(
        "{games} games of {bots} bots are too many, at most {} can be played; ask for fewer --rounds",
        crate::event::GAMES_MAX
    )]
    TooManyGames {
        /// Number of games.
        games: u64,
        /// Number of bots.
        bots: usize,
    },
    /// The list of openings is empty.
    #[error("the tournament needs an opening, if only an empty one")]
    NoOpening,
}

/// A game to be played now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its place in the schedule.
    pub place: u32,
    /// The game.
    pub game: ScheduledGame,
    /// The moves it starts from.
    pub opening: Vec<Move>,
    /// Attempts at it in this run that were void because of us.
    pub retries: u8,
    /// Whether one of them was void because the machine gave a bot no processor.
    pub starved: bool,
}

/// What followed from a game that ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct News {
    /// Another attempt at it is due now.
    pub tried_again: bool,
    /// The bots that are withdrawn from here on.
    pub withdrawn: Vec<usize>,
}

/// Where a place stands in this run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// To be played.
    Due,
    /// Handed out.
    Issued,
    /// Settled, or left for another run.
    Closed,
}

/// The state of a tournament. See the [module's page](self).
#[derive(Debug)]
pub struct Scheduler {
    games: Games,
    /// Games up to a decision that ended the tournament, else all.
    total: u32,
    /// By place.
    stages: Vec<Stage>,
    /// By place: 0, or 1 + the index of the latest attempt in `briefs`.
    latest: Vec<u32>,
    briefs: Vec<Brief>,
    /// Void attempts that others followed, and their places.
    void: Vec<(u32, Brief)>,
    /// Games that are not in the schedule, by id and number of the attempt.
    others: BTreeMap<(GameId, u32), Brief>,
    /// The first place that was never looked at.
    next: u32,
    /// How far beyond the first open place games are handed out.
    ahead: u32,
    /// Places before it that are due.
    again: BTreeSet<u32>,
    /// Places before it that wait until it is known whether their bots are withdrawn.
    held: Vec<u32>,
    issued: usize,
    /// Attempts in this run that were void because of us, and whether the last was for want of a processor.
    retries: HashMap<u32, (u8, bool)>,
    /// All places before this one are closed, and their strikes counted.
    scanned: u32,
    strikes: Strikes,
    suspects: Suspects,
    /// Bots that play no further game in this run, so that games were left out.
    gone: Vec<bool>,
    prefix: Prefix,
}

impl Scheduler {
    /// The schedule of `event`, with the games and decisions of its journal, as far as they are part of it.
    ///
    /// # Errors
    ///
    /// Returns [`ScheduleError`] if no schedule follows from `event`.
    pub fn new(
        event: Arc<Event>,
        journal: &[Brief],
        rounds: &[Round],
        policy: &mut dyn Policy,
    ) -> Result<Self, ScheduleError> {
        let bots = event.bots.len();
        let games = Games::new(event)?;
        let mut scheduler = Self {
            total: 0,
            stages: Vec::new(),
            latest: Vec::new(),
            briefs: Vec::new(),
            void: Vec::new(),
            others: journal.iter().map(|brief| ((brief.id, brief.repeat), *brief)).collect(),
            next: 0,
            ahead: u32::MAX,
            again: BTreeSet::new(),
            held: Vec::new(),
            issued: 0,
            retries: HashMap::new(),
            scanned: 0,
            strikes: Strikes::new(games.event.strikes),
            suspects: Suspects::new(games.event.strikes, bots),
            gone: vec![false; bots],
            prefix: Prefix::new(&games, rounds),
            games,
        };
        scheduler.grow();
        if scheduler.is_recorded() {
            scheduler.count_recorded_strikes();
        }
        scheduler.scan();
        scheduler.replay(policy);
        Ok(scheduler)
    }

    /// Takes in the places that the schedule has beyond those known, and finds their games among the others.
    fn grow(&mut self) {
        let from = self.total;
        self.total = self.games.len();
        self.stages.resize(self.total as usize, Stage::Due);
        self.latest.resize(self.total as usize, 0);
        for place in from..self.total {
            let mut repeat = 0;
            while !self.others.is_empty()
                && self.latest(place).is_none_or(|brief| !brief.is_final())
                && let Some(brief) = self.others.remove(&(self.games.game(place, repeat).id, repeat))
            {
                self.add(place, brief);
                repeat += 1;
            }
            if self.latest(place).is_some_and(Brief::is_settled) {
                self.stages[place as usize] = Stage::Closed;
            }
        }
    }

    /// Adds an attempt at the game at `place`; those before it were void.
    fn add(&mut self, place: u32, brief: Brief) {
        self.void.extend(self.latest(place).map(|void| (place, *void)));
        self.briefs.push(brief);
        self.latest[place as usize] = self.briefs.len() as u32;
        self.suspects.note(place, self.games.planned(place).bots, &brief);
    }

    /// The record-holding attempt at the game at `place`, whatever follows from strikes.
    fn latest(&self, place: u32) -> Option<&Brief> {
        let index = (*self.latest.get(place as usize)? as usize).checked_sub(1)?;
        self.briefs.get(index)
    }

    /// Notes what the machine lacks, on which no game depends.
    pub(crate) fn set_warnings(&mut self, warnings: &[String]) {
        if self.games.event.warnings != warnings {
            Arc::make_mut(&mut self.games.event).warnings = warnings.to_vec();
        }
    }

    /// Which bots lose the game at `place` since they are withdrawn, by seat.
    fn lost(&self, place: u32) -> [bool; 2] {
        let is_lost = |bot| !self.is_recorded() && self.strikes.withdrawal(bot).is_some_and(|it| it.from <= place);
        self.games.planned(place).bots.map(is_lost)
    }

    fn is_lost(&self, place: u32) -> bool {
        self.lost(place) != [false; 2]
    }
}

/// The record of a game of `event` in which nothing was played after its opening.
#[must_use]
pub fn record(event: &Event, game: &ScheduledGame, opening: &[Move], verdict: Verdict) -> Record {
    Record {
        id: game.id.to_string(),
        game: event.game.clone(),
        rules_version: event.rules_version,
        params: event.params.clone(),
        seed: game.seed,
        clock: event.clock,
        max_plies: event.max_plies,
        repeat: game.repeat,
        bots: game.bots.map(|bot| event.bots[bot].id.clone()),
        opening: opening.to_vec(),
        moves: opening.to_vec(),
        result: verdict.result,
        reason: verdict.reason,
        statuses: verdict.statuses,
        played: Vec::new(),
        evidence: verdict.evidence,
        surplus_lines: [0, 0],
        cpu_us: [None, None],
        off_move_us: [0, 0],
        restart_us: [0, 0],
        started: String::new(),
        host: String::new(),
        arena: env!("CARGO_PKG_VERSION").to_owned(),
    }
}
