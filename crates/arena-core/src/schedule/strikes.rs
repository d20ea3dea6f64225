//! Strikes: a bot is withdrawn after several consecutive failed starts, if its restarts after faults take too long, if it
//! loses its first games by timeout or crash, or if it keeps disturbing games of others. Pure: a function of the games in the
//! order of the schedule, so it does not depend on where or in which order they were played.
//!
//! Each of a bot's first games is one of three things ([`Start`] does the same for starts):
//!
//! - *lost* by its own timeout or crash;
//! - *nothing*, which is skipped: a void game; one whose opponent was withdrawn; a failed start, which proves neither; a
//!   timeout because the machine gave it no processor; and one in which it was not asked for a move, as when its opponent
//!   failed before. Otherwise two bots that crash at their first move would save each other;
//! - *works*, anything else: then this rule no longer applies, whatever it loses later.
//!
//! A *disturbance* is a void attempt at a game that the bot did not play: waiting for another game, it used at least half of
//! the processor time that a bot on move lacked. They are counted in total, not in a row: a bot that waits uses nothing.

use super::Brief;
use crate::event::{Dropped, StrikeLimits};
use crate::record::Status;
use crate::rules::Seat;

/// Limit on the time of a bot's restarts after faults: this in total, or the limit per game if that is more.
const RESTARTS_MS_MAX: u64 = 60_000;
const RESTART_MS_PER_GAME: u64 = 1_000;
/// Number of disturbances that withdraw a bot.
const DISTURBANCES_MAX: u32 = 3;

/// Withdrawal of a bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Withdrawal {
    /// The first place of the schedule that it does not play.
    pub from: u32,
    /// The cause.
    pub cause: WithdrawalCause,
}

/// Cause of a withdrawal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WithdrawalCause {
    /// Too many consecutive failed starts.
    FailedStarts {
        /// Their number.
        starts: u32,
        /// The last of these games.
        last: Brief,
        /// Its seat there.
        seat: Seat,
    },
    /// Too many first games lost by timeout or crash.
    LostFirstGames {
        /// Number lost by timeout.
        timeouts: u32,
        /// Number lost by a crash.
        crashes: u32,
        /// The last of these games.
        last: Brief,
        /// Its seat there.
        seat: Seat,
    },
    /// Restarts after faults took too long.
    SlowRestarts {
        /// Total seconds.
        seconds: u64,
        /// Games up to then.
        games: u64,
    },
    /// Too many games of others that it made void while it waited for its own.
    Disturbances {
        /// Their number.
        games: u32,
    },
    /// The organiser took it out.
    Dropped,
}

/// The strikes of each bot.
#[derive(Debug, Clone)]
pub(crate) struct Strikes {
    limits: StrikeLimits,
    bots: Vec<StrikeCount>,
    /// The first place from which a bot is withdrawn; `u32::MAX` while none is.
    from: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct StrikeCount {
    /// Consecutive failed starts.
    failed: u32,
    /// Games that it was started for or had a process for.
    games: u64,
    /// Total time of restarts after faults.
    restarts_ms: u64,
    /// First games lost, by timeout and by crash.
    timeouts: u32,
    crashes: u32,
    /// Whether one of its games ended otherwise.
    works: bool,
    /// Attempts at games of others that it disturbed.
    disturbances: u32,
    withdrawal: Option<Withdrawal>,
}

impl Strikes {
    /// No games yet; `limits` decide about withdrawals.
    pub(crate) const fn new(limits: StrikeLimits) -> Self {
        Self { limits, bots: Vec::new(), from: u32::MAX }
    }

    /// Adds the bots that the organiser took out.
    pub(super) fn drop_bots(&mut self, dropped: &[Dropped]) {
        for Dropped { bot, from, .. } in dropped {
            self.withdraw(*bot, Withdrawal { from: *from, cause: WithdrawalCause::Dropped });
        }
    }

    fn withdraw(&mut self, bot: usize, withdrawal: Withdrawal) {
        self.from = self.from.min(withdrawal.from);
        self.tally(bot).withdrawal = Some(withdrawal);
    }

    /// Whether no bot is withdrawn at `place`, which most schedules can tell of every place without a look at its bots.
    pub(super) fn has_none_at(&self, place: u32) -> bool {
        place < self.from
    }

    fn tally(&mut self, bot: usize) -> &mut StrikeCount {
        if self.bots.len() <= bot {
            self.bots.resize(bot + 1, StrikeCount::default());
        }
        &mut self.bots[bot]
    }

    /// Consecutive failed starts of `bot` so far.
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

    /// Adds the next game of the schedule; returns the bots withdrawn because of it.
    pub(crate) fn note(&mut self, place: u32, bots: [usize; 2], brief: &Brief) -> Vec<usize> {
        let withdrawn = Seat::BOTH.into_iter().filter(|seat| self.note_seat(place, bots, brief, *seat));
        withdrawn.map(|seat| bots[seat.index()]).collect()
    }

    /// Adds a disturbance of the game at `place`; returns whether the bot is withdrawn because of it.
    pub(super) fn note_disturbance(&mut self, place: u32, bot: usize) -> bool {
        let limits = self.limits;
        let tally = self.tally(bot);
        tally.disturbances += 1;
        if tally.withdrawal.is_some() || !is_too_disturbing(limits, tally.disturbances) {
            return false;
        }
        let cause = WithdrawalCause::Disturbances { games: tally.disturbances };
        self.withdraw(bot, Withdrawal { from: place + 1, cause });
        true
    }

    fn note_seat(&mut self, place: u32, bots: [usize; 2], brief: &Brief, seat: Seat) -> bool {
        let (limits, bot) = (self.limits, bots[seat.index()]);
        let tally = self.tally(bot);
        let start = BotStart::of(brief, seat);
        if tally.withdrawal.is_some() || start == BotStart::None {
            return false;
        }
        tally.note(start, brief, seat);
        let Some(cause) = tally.cause(limits, brief, seat) else { return false };
        self.withdraw(bot, Withdrawal { from: place + 1, cause });
        true
    }
}

/// Whether this number of disturbances withdraws a bot.
pub(super) fn is_too_disturbing(limits: StrikeLimits, disturbances: u32) -> bool {
    limits.starts.is_some() && disturbances >= DISTURBANCES_MAX
}

impl StrikeCount {
    fn note(&mut self, start: BotStart, brief: &Brief, seat: Seat) {
        self.games += 1;
        self.restarts_ms += u64::from(brief.restart_ms[seat.index()]);
        self.failed = if start == BotStart::Failed { self.failed + 1 } else { 0 };
        match FirstGame::of(brief, seat) {
            _ if self.works => {}
            FirstGame::Nothing => {}
            FirstGame::Lost if brief.statuses[seat.index()] == Status::Timeout => self.timeouts += 1,
            FirstGame::Lost => self.crashes += 1,
            FirstGame::Works => self.works = true,
        }
    }

    /// The cause of a withdrawal after this game, if there is one.
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

/// The start of a bot for a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BotStart {
    /// Unknown: the arena failed, or one of the bots was withdrawn.
    None,
    /// It started.
    Done,
    /// It failed to start.
    Failed,
}

impl BotStart {
    pub(super) fn of(brief: &Brief, seat: Seat) -> Self {
        match brief.statuses[seat.index()] {
            Status::StartupFailed => Self::Failed,
            _ if !brief.is_rated() => Self::None,
            _ => Self::Done,
        }
    }
}

/// A game as evidence that a bot works. See the [module's page](self).
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
