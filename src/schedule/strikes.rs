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
    /// Failed starts of `bot` since the last that succeeded.
    pub(super) fn failed(&self, bot: usize) -> u32 {
        self.0.get(bot).map_or(0, |starts| starts.failed)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::GameResult;
    use crate::report::fixture;

    /// A game, `x` for each seat that fails to start, `w` for a withdrawn one, `v` for a void game.
    fn game(statuses: &str) -> Brief {
        let event = fixture::event(&["a", "b"]);
        let mut record = fixture::record(&event, &fixture::schedule(&event)[0], GameResult::Draw, 1);
        for (seat, letter) in statuses.chars().enumerate() {
            record.statuses[seat] = match letter {
                'x' => Status::StartupFailed,
                'w' => Status::Withdrawn,
                _ => Status::Ok,
            };
        }
        if ["vv", "xx", "ww"].contains(&statuses) {
            record.result = GameResult::Void;
        }
        Brief::of(&record, 0, 1)
    }

    /// The bots that are withdrawn by these games, and from which on.
    #[track_caller]
    fn withdrawn(games: &[([usize; 2], &str)]) -> Vec<(usize, u32)> {
        let mut strikes = Strikes::default();
        let mut reported = Vec::new();
        for (place, (bots, statuses)) in (0..).zip(games) {
            reported.extend(strikes.note(place, *bots, &game(statuses)));
        }
        reported.sort_unstable();
        let all = (0..3).filter_map(|bot| Some((bot, strikes.withdrawal(bot)?.from)));
        let all: Vec<(usize, u32)> = all.collect();
        assert_eq!(reported, all.iter().map(|(bot, _)| *bot).collect::<Vec<_>>(), "each is reported once");
        all
    }

    #[test]
    fn three_failed_starts_in_a_row_withdraw_a_bot() {
        let (ab, ac) = ([0, 1], [0, 2]);
        assert_eq!(withdrawn(&[(ab, "x."), (ac, "x.")]), []);
        assert_eq!(withdrawn(&[(ab, "x."), (ac, "x."), (ab, "x.")]), [(0, 3)]);
        assert_eq!(withdrawn(&[(ab, "x."), ([1, 2], ".."), (ac, "x."), ([2, 0], ".x")]), [(0, 4)]);
        assert_eq!(withdrawn(&[(ab, "xx"), (ab, "xx"), (ab, "xx")]), [(0, 3), (1, 3)]);
    }

    #[test]
    fn a_start_in_between_heals_and_what_was_no_start_does_not() {
        let (ab, ba) = ([0, 1], [1, 0]);
        assert_eq!(withdrawn(&[(ab, "x."), (ab, "x."), (ba, ".."), (ab, "x.")]), []);
        assert_eq!(withdrawn(&[(ab, "x."), (ab, "x."), (ba, "x."), (ab, "x.")]), []);
        assert_eq!(withdrawn(&[(ab, "x."), (ab, "x."), (ba, "vv"), (ab, "x.")]), [(0, 4)]);
        assert_eq!(withdrawn(&[(ab, "x."), (ab, "x."), (ba, "w."), (ab, "x.")]), [(0, 4), (1, 2)]);
        assert_eq!(withdrawn(&[(ab, "x."), (ab, "x."), (ab, "x."), (ab, "..")]), [(0, 3)], "once is for good");
    }

    #[test]
    fn a_withdrawn_game_says_so_by_itself() {
        assert_eq!(withdrawn(&[([0, 1], ".w")]), [(1, 0)]);
    }

    /// Why bot 0 is withdrawn after games in which it took this long to start again.
    fn after_restarts(restarts_ms: impl IntoIterator<Item = u16>) -> Option<WithdrawalCause> {
        let mut strikes = Strikes::default();
        for (place, restart_ms) in (0..).zip(restarts_ms) {
            strikes.note(place, [0, 1], &Brief { restart_ms: [restart_ms, 0], ..game("..") });
        }
        assert_eq!(strikes.withdrawal(1), None);
        strikes.withdrawal(0).map(|withdrawal| withdrawal.cause)
    }

    #[test]
    fn a_bot_that_repeatedly_takes_long_to_start_is_withdrawn() {
        let often = |games, restart_ms| (0..games).map(move |game| if game == 0 { 0 } else { restart_ms });
        assert_eq!(after_restarts(often(11, 6_000)), None);
        let slow = WithdrawalCause::SlowRestarts { seconds: 66, games: 12 };
        assert_eq!(after_restarts(often(12, 6_000)), Some(slow));
        // Bots that start quickly may fail as often as they like, slow ones now and then.
        assert_eq!(after_restarts(often(1_000, 1_000)), None);
        assert!(after_restarts(often(1_000, 1_100)).is_some());
        assert_eq!(after_restarts((0..1_000).map(|game| if game % 50 == 49 { 9_000 } else { 0 })), None);
    }
}
