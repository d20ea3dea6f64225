//! Strikes: a bot is withdrawn after three failed starts in a row, or when starting it again after its faults takes too
//! long. Pure: a function of the games in the order of the schedule, so that it is the same wherever and in whatever
//! order they were played.

use super::Brief;
use crate::record::Status;
use crate::rules::Seat;

/// Consecutive failed starts after which a bot is withdrawn.
pub(crate) const STRIKES_MAX: u32 = 3;
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
    /// It failed to start too often in a row; the last of these games, and its seat.
    FailedStarts(Brief, Seat),
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

/// What the games of a schedule say about the starts of each bot.
#[derive(Debug, Clone, Default)]
pub(crate) struct Strikes(Vec<Starts>);

#[derive(Debug, Clone, Copy, Default)]
struct Starts {
    /// Failed ones since the last that succeeded.
    failed: u32,
    /// Games that it was started for or had a process for.
    games: u64,
    /// Time that it took to start again after its faults.
    restarts_ms: u64,
    withdrawal: Option<Withdrawal>,
}

impl Strikes {
    pub(crate) fn new(bots: usize) -> Self {
        Self(vec![Starts::default(); bots])
    }

    /// Failed starts of `bot` since the last that succeeded.
    pub(super) fn failed(&self, bot: usize) -> u32 {
        self.0[bot].failed
    }

    pub(crate) fn withdrawal(&self, bot: usize) -> Option<&Withdrawal> {
        self.0.get(bot)?.withdrawal.as_ref()
    }

    /// Notes the game that is next in the schedule; returns the bots that are withdrawn because of it.
    pub(crate) fn note(&mut self, place: u32, bots: [usize; 2], brief: &Brief) -> Vec<usize> {
        let withdrawn = Seat::BOTH.into_iter().filter(|seat| self.note_seat(place, bots, brief, *seat));
        withdrawn.map(|seat| bots[seat.index()]).collect()
    }

    fn note_seat(&mut self, place: u32, bots: [usize; 2], brief: &Brief, seat: Seat) -> bool {
        let bot = bots[seat.index()];
        if self.0.len() <= bot {
            self.0.resize(bot + 1, Starts::default());
        }
        let starts = &mut self.0[bot];
        let start = Start::of(brief, seat);
        if starts.withdrawal.is_some() || start == Start::None {
            return false;
        }
        starts.games += 1;
        starts.restarts_ms += u64::from(brief.restart_ms[seat.index()]);
        starts.failed = if start == Start::Failed { starts.failed + 1 } else { 0 };
        let cause = if start == Start::NotTried {
            Some(WithdrawalCause::Recorded(*brief, seat))
        } else if starts.restarts_ms > RESTARTS_MS_MAX.max(RESTART_MS_PER_GAME * starts.games) {
            Some(WithdrawalCause::SlowRestarts { seconds: starts.restarts_ms / 1_000, games: starts.games })
        } else {
            (starts.failed >= STRIKES_MAX).then_some(WithdrawalCause::FailedStarts(*brief, seat))
        };
        let from = if start == Start::NotTried { place } else { place + 1 };
        starts.withdrawal = cause.map(|cause| Withdrawal { from, cause });
        cause.is_some()
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
