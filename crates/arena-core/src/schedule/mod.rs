//! The state of a tournament: its games, which of them were issued, settled or void, and which bots are withdrawn. Pure.
//!
//! [`Scheduler::issue`] gives out the next game, [`Scheduler::settle`] records how one ended. Everything else follows from
//! the games in the order of the schedule, never from the order in which they ended:
//!
//! - The place of a game never changes. Decisions based on results ([`Policy`]) only append pairs, or end the tournament at
//!   a place. They depend on the *prefix* alone: the settled games up to the first gap.
//! - A bot is withdrawn by its strikes ([`StrikeLimits`](crate::event::StrikeLimits)), in the order of places: by the third
//!   consecutive failed start, or when it loses its first ten games by timeout or crash. If one of these ends otherwise,
//!   the bot works, and later ones do not matter. Games that say nothing about the bot are skipped: a failed start, a void
//!   game, a timeout because the machine gave it no processor, an opponent that was withdrawn or failed before the bot was
//!   asked for a move. Its later games count as lost whatever their records say, so results are the same at any concurrency
//!   and on any number of machines. While an earlier game still runs, a bot with enough strikes after it gets no further
//!   games.
//! - A bot is also withdrawn when it has made three games of others void by taking the processor while it waited for its own.
//!   After the first time, that pair is played while no bot waits for another game.
//! - A void game leads to another attempt at the same place, with its own id. If neither bot could start, that is left to
//!   another run. In a stepwise format no decision looks beyond it, so there it is tried until its failed starts withdraw both
//!   bots, and then both lose it. If no other game of its decision counts, the machine may be at fault: another run tries it
//!   as often again before.
//!
//! # Examples
//!
//! ```
//! use arena_core::event::{Entry, Tournament};
//! use arena_core::record::GameResult;
//! use arena_core::referee::Verdict;
//! use arena_core::schedule::{Brief, Scheduler, record};
//!
//! let mut event = Tournament::new("cup", &"tictactoe".parse()?);
//! event.bots = ["a", "b", "c"].map(|name| Entry::new(name, name, "")).into();
//! let mut scheduler = Scheduler::new(event.into(), &[], &[], &mut ())?;
//! let mut games = Vec::new();
//! while let Some(job) = scheduler.issue() {
//!     // Played: a draw.
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
mod known;
mod level;
mod newcomers;
mod part;
mod policy;
mod prefix;
mod results;
mod sheet;
mod strikes;
mod suspects;
#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::num::NonZeroU32;
use std::sync::Arc;

use crate::event::{GameId, Round, ScheduledGame, Shard, Tournament};
use crate::record::Record;
use crate::referee::Verdict;
use crate::rules::{Move, Movers};
use games::PlannedPairs;
use newcomers::Newcomers;
use prefix::SettledPrefix;
use strikes::Strikes;
use suspects::Suspects;

pub use brief::Brief;
pub use games::{Planned, is_first_of_pair};
pub use level::Borders;
pub use policy::{Addition, Policy, TestStatus};
pub use strikes::{Withdrawal, WithdrawalCause};

/// Attempts at a game in one run after the first one that was void because of the arena.
pub const RETRIES_MAX: u8 = 3;

/// Why an event has no schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScheduleError {
    /// The format is not one of [`crate::format::FORMATS`].
    #[error("no format named `{0}`")]
    UnknownFormat(String),
    /// More bots than [`crate::stats::PLAYERS_MAX`].
    #[error(
        "{0} bots are too many for a tournament, at most {max} can be rated together; hold several smaller ones",
        max = crate::stats::PLAYERS_MAX
    )]
    TooManyBots(usize),
    /// More games than [`crate::event::GAMES_MAX`].
    #[error(
        "{games} games of {bots} bots are too many, at most {} can be played; use fewer rounds",
        crate::event::GAMES_MAX
    )]
    TooManyGames {
        /// Number of games.
        games: u64,
        /// Number of bots.
        bots: usize,
    },
    /// The list of openings is empty.
    #[error("the tournament has no opening; it needs at least an empty one")]
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
    /// Void attempts at it in this run.
    pub retries: u8,
    /// Whether one of them was void because the machine gave a bot no processor.
    pub starved: bool,
    /// Whether no bot may wait for another game meanwhile, since such bots disturbed an attempt at this pair.
    pub quiet: bool,
}

/// The consequences of a game that ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct News {
    /// Another attempt at it is due now.
    pub tried_again: bool,
    /// The bots withdrawn from here on.
    pub withdrawn: Vec<usize>,
}

/// State of a place in this run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PlaceState {
    /// To be played.
    Due,
    /// Handed out.
    Issued,
    /// Settled, or left for another run.
    Closed,
    /// Played elsewhere, if at all.
    Elsewhere,
}

/// The state of a tournament. See the [module's page](self).
#[derive(Debug)]
pub struct Scheduler {
    games: PlannedPairs,
    /// Number of games up to a decision that ended the tournament, else all.
    total: u32,
    /// Whether games of the journal that were tried in vain are due.
    retries_unsettled: bool,
    /// State by place.
    stages: Vec<PlaceState>,
    /// By place: 0, or 1 + the index of the latest attempt in `briefs`.
    latest: Vec<u32>,
    briefs: Vec<Brief>,
    /// Void attempts that were followed by others, and their places.
    void: Vec<(u32, Brief)>,
    /// Games that are not in the schedule, by id and number of the attempt.
    others: BTreeMap<(GameId, u32), Brief>,
    /// The first place not considered yet.
    next: u32,
    newcomers: Newcomers,
    /// Maximum distance of issued games from the first open place.
    ahead: u32,
    /// No game at this place or after it is issued.
    limit: u32,
    /// Places before `next` that are due.
    again: BTreeSet<u32>,
    /// Places before `next` that wait until it is known whether their bots are withdrawn.
    held: Vec<u32>,
    issued: usize,
    /// Numbers of the pairs that bots in other games disturbed.
    disturbed: BTreeSet<u32>,
    /// Places of a stepwise format whose own failed starts withdraw both bots.
    unstartable: BTreeSet<u32>,
    /// The bot of each identity, by its hash; made when it is first needed.
    by_identity: OnceCell<HashMap<u64, usize>>,
    /// Void attempts in this run, and whether the last was because of a missing processor.
    retries: HashMap<u32, (u8, bool)>,
    /// All places before this one are closed, with strikes counted.
    scanned: u32,
    strikes: Strikes,
    suspects: Suspects,
    /// Bots that play no further game in this run.
    gone: Vec<bool>,
    /// Whether a game was left out because of them.
    has_left_out: bool,
    prefix: SettledPrefix,
    /// The part that is played here, if it is not all: a shard, and the place after its last one. It allows no
    /// decisions.
    part: Option<(Shard, u32)>,
}

impl Scheduler {
    /// The schedule of `event`, with the games and decisions of its journal that belong to it.
    ///
    /// # Errors
    ///
    /// Returns [`ScheduleError`] if `event` has no schedule.
    pub fn new(
        event: Arc<Tournament>,
        journal: &[Brief],
        rounds: &[Round],
        policy: &mut dyn Policy,
    ) -> Result<Self, ScheduleError> {
        let mut scheduler = Self::empty(event, journal, rounds)?;
        scheduler.read(policy);
        Ok(scheduler)
    }

    /// The schedule as the run that wrote this journal left it: games that it tried in vain are not tried again, so strikes
    /// are counted beyond them. They are still [missing](Scheduler::missing) or void.
    ///
    /// # Errors
    ///
    /// See [`Scheduler::new`].
    pub fn as_left(
        event: Arc<Tournament>,
        journal: &[Brief],
        rounds: &[Round],
        policy: &mut dyn Policy,
    ) -> Result<Self, ScheduleError> {
        let mut scheduler = Self { retries_unsettled: false, ..Self::empty(event, journal, rounds)? };
        scheduler.read(policy);
        Ok(scheduler)
    }

    /// The numbers of those decisions of a journal that would be made otherwise, from the results before them.
    ///
    /// # Errors
    ///
    /// See [`Scheduler::new`].
    pub fn differing_rounds(
        event: Arc<Tournament>,
        journal: &[Brief],
        rounds: &[Round],
    ) -> Result<Vec<u32>, ScheduleError> {
        let mut scheduler = Self::empty(event, journal, rounds)?;
        scheduler.prefix.differing = Some(Vec::new());
        scheduler.read(&mut ());
        Ok(scheduler.prefix.differing.unwrap_or_default())
    }

    /// A schedule that has not been made yet.
    fn empty(event: Arc<Tournament>, journal: &[Brief], rounds: &[Round]) -> Result<Self, ScheduleError> {
        let bots = event.bots.len();
        let games = PlannedPairs::new(event)?;
        Ok(Self {
            total: 0,
            retries_unsettled: true,
            stages: Vec::new(),
            latest: Vec::new(),
            briefs: Vec::new(),
            void: Vec::new(),
            others: journal.iter().map(|brief| ((brief.id, brief.repeat), *brief)).collect(),
            next: 0,
            newcomers: Newcomers::default(),
            ahead: u32::MAX,
            limit: u32::MAX,
            again: BTreeSet::new(),
            held: Vec::new(),
            issued: 0,
            disturbed: BTreeSet::new(),
            unstartable: BTreeSet::new(),
            by_identity: OnceCell::new(),
            retries: HashMap::new(),
            scanned: 0,
            strikes: Strikes::new(games.event.strikes),
            suspects: Suspects::new(games.event.strikes, bots),
            gone: vec![false; bots],
            has_left_out: false,
            prefix: SettledPrefix::new(&games, rounds),
            part: None,
            games,
        })
    }

    /// Makes the schedule from the games and decisions of the journal.
    fn read(&mut self, policy: &mut dyn Policy) {
        policy.begin(&self.games.event);
        self.strikes.drop_bots(&self.games.event.dropped);
        self.grow();
        self.scan();
        self.replay(policy);
    }

    /// Adds the new places of the schedule, and finds their games among the others.
    fn grow(&mut self) {
        let from = self.total;
        self.total = self.games.len();
        self.stages.resize(self.total as usize, PlaceState::Due);
        self.latest.resize(self.total as usize, 0);
        for place in from..self.total {
            let mut repeat = 0;
            while !self.others.is_empty()
                && self.latest(place).is_none_or(|brief| !brief.is_settled())
                && let Some(brief) = self.others.remove(&(self.games.game(place, repeat).id, repeat))
            {
                self.add(place, brief);
                repeat += 1;
            }
            if self.latest(place).is_some_and(|brief| brief.is_settled() || !self.retries_unsettled) {
                self.stages[place as usize] = PlaceState::Closed;
            }
        }
        // Only now is it known which other games count.
        for place in self.unstartable.range(from..).copied().collect::<Vec<u32>>() {
            if self.is_lost_by_both(place) {
                self.stages[place as usize] = PlaceState::Closed;
            }
        }
    }

    /// Adds an attempt at the game at `place`; those before it were void.
    fn add(&mut self, place: u32, brief: Brief) {
        self.void.extend(self.latest(place).map(|void| (place, *void)));
        self.briefs.push(brief);
        self.latest[place as usize] = self.briefs.len() as u32;
        self.suspects.note(place, self.games.planned(place).bots, &brief);
        if self.starts_max().is_some_and(|limit| self.failed_starts(place) >= limit) {
            self.unstartable.insert(place);
        } else {
            self.unstartable.remove(&place);
        }
        if brief.is_disturbed() {
            self.disturbed.insert(place / 2);
            if let Some(bot) = self.culprit(place, &brief) {
                self.suspects.note_disturbance(bot);
            }
        }
    }

    /// The bot that disturbed an attempt at the game at `place`, which it does not play.
    pub fn culprit(&self, place: u32, brief: &Brief) -> Option<usize> {
        let identities = || {
            let bots = self.games.event.bots.iter().enumerate();
            bots.map(|(index, bot)| (brief::identity_hash(&bot.id), index)).collect()
        };
        let bot = *self.by_identity.get_or_init(identities).get(&brief.culprit()?)?;
        (!self.games.planned(place).bots.contains(&bot)).then_some(bot)
    }

    /// The latest attempt at the game at `place`, regardless of strikes.
    fn latest(&self, place: u32) -> Option<&Brief> {
        let index = (*self.latest.get(place as usize)? as usize).checked_sub(1)?;
        self.briefs.get(index)
    }

    /// The attempts at the game at `place`, of which all but the last are void.
    fn attempts_at(&self, place: u32) -> impl Iterator<Item = &Brief> {
        let void = self.void.iter().filter(move |(at, _)| *at == place).map(|(_, brief)| brief);
        void.chain(self.latest(place))
    }

    /// Number of attempts at the game at `place` that neither bot could start, if the latest is one of them.
    fn failed_starts(&self, place: u32) -> u32 {
        if self.latest(place).is_none_or(|latest| !latest.is_unstartable()) {
            return 0;
        }
        self.attempts_at(place).filter(|brief| brief.is_unstartable()).count() as u32
    }

    /// The number of failed starts after which both bots of a game are withdrawn, if decisions wait for it.
    fn starts_max(&self) -> Option<u32> {
        self.games.event.strikes.starts.filter(|_| self.is_stepwise()).map(NonZeroU32::get)
    }

    /// Whether both bots lose the game at `place` because neither can start.
    fn is_lost_by_both(&self, place: u32) -> bool {
        let Some(limit) = self.starts_max().filter(|_| self.unstartable.contains(&place)) else { return false };
        let (begin, end) = self.decision_around(place);
        let mut decided_with = begin.unwrap_or(0)..end;
        self.failed_starts(place) >= 2 * limit
            || decided_with.any(|place| self.latest(place).is_some_and(Brief::counts))
    }

    /// Records what the machine lacks; no game depends on it.
    pub fn set_warnings(&mut self, warnings: &[String]) {
        if self.games.event.warnings != warnings {
            Arc::make_mut(&mut self.games.event).warnings = warnings.to_vec();
        }
    }

    /// Whether each seat's bot loses the game at `place` because it is withdrawn, by then or by the game itself.
    fn lost(&self, place: u32) -> [bool; 2] {
        let lost = self.withdrawn_at(place);
        if lost == [false; 2] && self.is_lost_by_both(place) { [true; 2] } else { lost }
    }

    /// Whether each seat's bot is withdrawn at `place`. One that was taken out keeps the games that it has played.
    fn withdrawn_at(&self, place: u32) -> [bool; 2] {
        if self.strikes.has_none_at(place) {
            return [false; 2];
        }
        let is_played = || self.latest(place).is_some_and(Brief::is_settled);
        let is_lost = |bot| {
            let withdrawal = self.strikes.withdrawal(bot).filter(|it| it.from <= place);
            withdrawal.is_some_and(|it| it.cause != WithdrawalCause::Dropped || !is_played())
        };
        self.games.planned(place).bots.map(is_lost)
    }

    fn is_lost(&self, place: u32) -> bool {
        self.lost(place) != [false; 2]
    }
}

/// A record of a game of `event` without moves after its opening.
#[must_use]
pub fn record(event: &Tournament, game: &ScheduledGame, opening: &[Move], verdict: Verdict) -> Record {
    Record {
        id: game.id.to_string(),
        game: event.game.clone(),
        rules_version: event.rules_version,
        hidden: event.program.as_ref().is_some_and(|program| program.rules.hidden),
        params: event.params.clone(),
        seed: game.seed,
        clock: event.clock,
        max_plies: event.max_plies,
        repeat: game.repeat,
        bots: game.bots.map(|bot| event.bots[bot].id.clone()),
        opening: opening.to_vec(),
        moves: opening.to_vec(),
        movers: Movers::default(),
        scores: None,
        answers: None,
        result: verdict.result,
        reason: verdict.reason,
        statuses: verdict.statuses,
        played: Vec::new(),
        evidence: verdict.evidence,
        disturbance: None,
        rules_fault: verdict.rules,
        surplus_lines: [0, 0],
        denied: Default::default(),
        cpu_us: [None, None],
        off_move_us: [0, 0],
        restart_us: [0, 0],
        taken_back: 0,
        started: String::new(),
        host: String::new(),
        machine: None,
        arena: env!("CARGO_PKG_VERSION").to_owned(),
    }
}
