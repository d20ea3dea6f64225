//! Strikes: a bot is withdrawn after several failed starts in a row, when starting it again after its faults takes too
//! long, or when it loses its first games by timeout or crash, one after the other. Pure: a function of the games in the
//! order of the schedule, so that it is the same wherever and in whatever order they were played.
//!
//! Of its first games, each is one of three things ([`Start`] says the same of starts):
//!
//! - *lost* by its own timeout or crash;
//! - *nothing*, which neither counts nor ends the row: a void game; one whose opponent was withdrawn; a failed start, which is
//!   no game played and no proof that it works; a timeout that is the machine's, which gave it no processor; and one in which
//!   it was not asked for a move, as when its opponent failed before. Otherwise two bots that crash at their first move would
//!   save each other;
//! - *works*, anything else: then the row is over for good, whatever it loses later.

use super::Brief;
use crate::event::StrikeLimits;
use crate::record::Status;
use crate::rules::Seat;

/// The most time that a bot may take to start again after its faults: this in all, or this much a game if that is more.
const RESTARTS_MS_MAX: u64 = 60_000;
const RESTART_MS_PER_GAME: u64 = 1_000;

/// Why a bot is withdrawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Withdrawal {
    /// The first place of the schedule that it does not play any more.
    pub from: u32,
    /// What it did.
    pub cause: WithdrawalCause,
}

/// What a bot is withdrawn for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WithdrawalCause {
    /// It failed to start too often in a row.
    FailedStarts {
        /// How often.
        starts: u32,
        /// The last of these games.
        last: Brief,
        /// Its seat there.
        seat: Seat,
    },
    /// It lost too many games by timeout or crash, from its first one on.
    LostFirstGames {
        /// Those lost by timeout.
        timeouts: u32,
        /// Those lost by a crash.
        crashes: u32,
        /// The last of these games.
        last: Brief,
        /// Its seat there.
        seat: Seat,
    },
    /// Starting it again after its faults took too long.
    SlowRestarts {
        /// Seconds in all.
        seconds: u64,
        /// Games until then.
        games: u64,
    },
    /// A record says so: earlier versions stored the games that withdrawn bots lost. The game, and its seat.
    Recorded(Brief, Seat),
}

/// What the games of a schedule say of each bot.
#[derive(Debug, Clone)]
pub(crate) struct Strikes {
    limits: StrikeLimits,
    bots: Vec<Tally>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    /// Failed starts since the last that succeeded.
    failed: u32,
    /// Games that it was started for or had a process for.
    games: u64,
    /// Time that it took to start again after its faults.
    restarts_ms: u64,
    /// Its first games, as far as it lost them by timeout and by crash.
    timeouts: u32,
    crashes: u32,
    /// One of its games ended otherwise.
    works: bool,
    withdrawal: Option<Withdrawal>,
}

impl Strikes {
    /// No games yet; bots are withdrawn by `limits`.
    pub(crate) const fn new(limits: StrikeLimits) -> Self {
        Self { limits, bots: Vec::new() }
    }

    /// Failed starts of `bot` since the last that succeeded.
    pub(super) fn failed(&self, bot: usize) -> u32 {
        self.bots.get(bot).map_or(0, |tally| tally.failed)
    }

    /// First games that `bot` lost by timeout or crash; `None` once one ended otherwise.
    pub(super) fn lost(&self, bot: usize) -> Option<u32> {
        let tally = self.bots.get(bot).copied().unwrap_or_default();
        (!tally.works).then_some(tally.timeouts + tally.crashes)
    }

    pub(crate) fn withdrawal(&self, bot: usize) -> Option<&Withdrawal> {
        self.bots.get(bot)?.withdrawal.as_ref()
    }

    /// Notes the game that is next in the schedule; returns the bots that are withdrawn because of it.
    pub(crate) fn note(&mut self, place: u32, bots: [usize; 2], brief: &Brief) -> Vec<usize> {
        let withdrawn = Seat::BOTH.into_iter().filter(|seat| self.note_seat(place, bots, brief, *seat));
        withdrawn.map(|seat| bots[seat.index()]).collect()
    }

    fn note_seat(&mut self, place: u32, bots: [usize; 2], brief: &Brief, seat: Seat) -> bool {
        let bot = bots[seat.index()];
        if self.bots.len() <= bot {
            self.bots.resize(bot + 1, Tally::default());
        }
        let tally = &mut self.bots[bot];
        let start = Start::of(brief, seat);
        if tally.withdrawal.is_some() || start == Start::None {
            return false;
        }
        tally.note(start, brief, seat);
        let (from, cause) = if start == Start::NotTried {
            (place, Some(WithdrawalCause::Recorded(*brief, seat)))
        } else {
            (place + 1, tally.cause(self.limits, brief, seat))
        };
        tally.withdrawal = cause.map(|cause| Withdrawal { from, cause });
        cause.is_some()
    }
}

impl Tally {
    fn note(&mut self, start: Start, brief: &Brief, seat: Seat) {
        self.games += 1;
        self.restarts_ms += u64::from(brief.restart_ms[seat.index()]);
        self.failed = if start == Start::Failed { self.failed + 1 } else { 0 };
        match FirstGame::of(brief, seat) {
            _ if self.works => {}
            FirstGame::Nothing => {}
            FirstGame::Lost if brief.statuses[seat.index()] == Status::Timeout => self.timeouts += 1,
            FirstGame::Lost => self.crashes += 1,
            FirstGame::Works => self.works = true,
        }
    }

    /// What it is withdrawn for after this game, if it is.
    fn cause(&self, limits: StrikeLimits, last: &Brief, seat: Seat) -> Option<WithdrawalCause> {
        let Self { failed, games, restarts_ms, timeouts, crashes, works, .. } = *self;
        let is_reached = |limit: Option<std::num::NonZeroU32>, count: u32| limit.is_some_and(|it| count >= it.get());
        if limits.starts.is_some() && restarts_ms > RESTARTS_MS_MAX.max(RESTART_MS_PER_GAME * games) {
            Some(WithdrawalCause::SlowRestarts { seconds: restarts_ms / 1_000, games })
        } else if is_reached(limits.starts, failed) {
            Some(WithdrawalCause::FailedStarts { starts: failed, last: *last, seat })
        } else if !works && is_reached(limits.games, timeouts + crashes) {
            Some(WithdrawalCause::LostFirstGames { timeouts, crashes, last: *last, seat })
        } else {
            None
        }
    }
}

/// What a game says of a bot's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// Nothing: we failed, or its opponent was withdrawn.
    None,
    /// It started.
    Done,
    /// It did not.
    Failed,
    /// It was withdrawn before.
    NotTried,
}

impl Start {
    pub(super) fn of(brief: &Brief, seat: Seat) -> Self {
        match brief.statuses[seat.index()] {
            Status::StartupFailed => Self::Failed,
            Status::Withdrawn => Self::NotTried,
            _ if !brief.is_rated() => Self::None,
            _ => Self::Done,
        }
    }
}

/// What a game says of a bot that has not yet shown that it works. See the [module's page](self).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FirstGame {
    Nothing,
    Lost,
    Works,
}

impl FirstGame {
    pub(super) fn of(brief: &Brief, seat: Seat) -> Self {
        match brief.statuses[seat.index()] {
            Status::StartupFailed | Status::Withdrawn => Self::Nothing,
            _ if !brief.is_rated() => Self::Nothing,
            _ if brief.is_starved_timeout(seat) => Self::Nothing,
            Status::Timeout | Status::Crashed => Self::Lost,
            Status::Ok if !brief.has_moved(seat) => Self::Nothing,
            _ => Self::Works,
        }
    }
}

#[cfg(test)]
mod tests;
