//! Time that the machine took and not the bot: how long it was ready to run and got no processor, and how long we
//! ourselves stood still.

use std::time::{Duration, Instant};

use super::account::{Account, Opening};
use super::doing::is_running;
use super::shared::Place;
use super::wire::{End, now};
use super::{Deadline, pulse};
use crate::clock::Taken;
use crate::player::LogLine;

/// So many times its limit a bot is credited at most, where the machine gave it no processor.
const LIMITS_MAX: u32 = 4;

/// Counting begins only when a move turns out to be slow: what came before is not known. If it begins later than this, it
/// counts from when the bot was last at rest.
const UNSEEN_MAX: Duration = Duration::from_millis(12);

/// Up to this limit it is looked at what the kernel has counted before a question is asked.
const TIGHT: Duration = Duration::from_millis(50);

/// Less than this is not granted. The bot shares its processor with us: while we look it waits, and so would earn one
/// sliver after the other, each too short to be of use.
const GRANT_MIN: Duration = Duration::from_millis(1);

/// What a bot is allowed beyond the limit of one reply.
///
/// - The time in which others had the processor is granted when the limit is exceeded, up to the limit once more; the
///   move is then charged the limit. If no bot took it, which would lose by that, up to [`LIMITS_MAX`] times the limit.
/// - The time in which we stood still, or waited ourselves for a processor that the bot did not have, before we could read,
///   is no time at all.
///
/// Both are differences, from when it was first looked. That costs about as much as a fast move, so it is done when a move
/// turns out to be slow, or beforehand where limits are so tight that what happens until then matters.
#[derive(Debug)]
pub(super) struct Credit {
    /// Waiting for a processor may be granted.
    is_fair: bool,
    start: Instant,
    limit: Duration,
    /// So many times the limit may be granted.
    limits: u32,
    since: Option<Opening>,
    granted: Duration,
    stood_still: Duration,
    /// Processor time of all of the bot when it was last waited for.
    ran: Option<Duration>,
    /// The most processes of the bot that the watcher saw at a time, where only those that live are counted.
    processes: usize,
}

impl Credit {
    /// Nothing yet, for a reply that may take `limit` from now; `is_fair` says that waiting for a processor may be granted. To
    /// be called before the question is asked.
    pub(super) fn new(place: &Place, is_fair: bool, limit: Duration) -> Self {
        let mut credit = Self { is_fair, ..Self::none(limit) };
        if is_fair && limit <= TIGHT {
            credit.open(place);
            credit.start = now();
        }
        credit
    }

    /// Nothing, whatever the bot may wait for, within `limit` from now.
    pub(super) fn none(limit: Duration) -> Self {
        Self {
            is_fair: false,
            start: now(),
            limit,
            limits: 1,
            since: None,
            granted: Duration::ZERO,
            stood_still: Duration::ZERO,
            ran: None,
            processes: 0,
        }
    }

    /// The clock started later than the limit: the question took its time to be written.
    pub(super) fn asked_at(&mut self, start: Instant) {
        let late = start.saturating_duration_since(self.start);
        self.start = start;
        self.limit = self.limit.saturating_sub(late);
    }

    /// When the clock started.
    pub(super) fn start(&self) -> Instant {
        self.start
    }

    /// When the reply is due, with all that was granted.
    pub(super) fn deadline(&self) -> Deadline {
        self.start + self.limit + self.granted + self.stood_still
    }

    /// Whether waiting for a processor may be granted, as it is for moves.
    pub(super) fn is_fair(&self) -> bool {
        self.is_fair
    }

    /// Whether counting has begun.
    pub(super) fn is_open(&self) -> bool {
        self.since.is_some()
    }

    /// From now on the bot is waited for once more, since what came was no reply: what we waited for a processor before is
    /// not the time of the reply.
    pub(super) fn wait_again(&mut self) {
        if let Some((since, own)) = self.since.as_mut().zip(pulse::own_wait()) {
            since.own = own;
        }
    }

    /// Begins to count.
    pub(super) fn open(&mut self, place: &Place) {
        let (bot, own) = (self.account(place), pulse::own_wait());
        self.since = bot.zip(own).map(|(bot, own)| Opening { bot, own });
    }

    /// Where counting began late, nobody may have got to a processor: it is counted from when the bot was last at rest. What
    /// it used since then, in this move or before, earns it nothing.
    fn begin_at_rest(&mut self, at_rest: impl FnOnce() -> Option<Opening>) {
        let is_late = |since: &Opening| since.bot.at.saturating_duration_since(self.start) > UNSEEN_MAX;
        if self.is_fair
            && self.since.as_ref().is_none_or(is_late)
            && let Some(rest) = at_rest()
        {
            let bot = Account { at: self.start, ..rest.bot };
            // Our own thread has been woken since, if it has begun to count.
            let own = self.since.take().map_or(rest.own, |since| since.own);
            self.since = Some(Opening { bot, own });
        }
    }

    /// Grants what has come together; false if that is nothing worth it. `came` says that the reply is there: only then
    /// does it matter how late we are ourselves, for who looks late and finds nothing has missed nothing.
    pub(super) fn grant(&mut self, place: &Place, came: bool) -> bool {
        self.begin_sooner(place);
        let account = self.account(place);
        let mut stood_still = pulse::stood_still(self.start, now());
        if let Some((since, own)) = self.since.as_mut().zip(pulse::own_wait()) {
            if came {
                let waited = own.saturating_sub(since.own);
                // While the bot itself had the processor, it was the bot that kept us from it.
                let unused = account.as_ref().map_or(waited, |account| account.unused_since(&since.bot));
                stood_still = stood_still.max(waited.min(unused));
            }
            since.own = own;
        }
        let stood_longer = stood_still >= self.stood_still + GRANT_MIN;
        if stood_longer {
            self.stood_still = stood_still;
        }
        let Some((since, now)) = self.since.as_ref().zip(account) else { return stood_longer };
        let is_known = now.is_complete_since(&since.bot) && (now.is_whole || self.processes <= 1);
        let waited = if is_known { now.waited_since(&since.bot) } else { Duration::ZERO };
        self.raise(waited) || stood_longer || (!came && is_known && self.wait_on(place, now.ran))
    }

    /// Begins to count from when the watcher began, if that was sooner: this thread may have waited for the very processor
    /// that the bot did not get.
    fn begin_sooner(&mut self, place: &Place) {
        if let Some((opening, processes)) = place.opening().filter(|_| self.is_fair) {
            self.processes = self.processes.max(processes);
            match (&mut self.since, opening) {
                (Some(since), Some(opening)) if opening.bot.at < since.bot.at => since.bot = opening.bot,
                (since @ None, Some(opening)) => *since = Some(opening),
                _ => {}
            }
        }
        self.begin_at_rest(|| place.at_rest());
    }

    /// The kernel counts a time of waiting when it is over. Until then it shows in a bot that is ready to run and whose
    /// processor time stands still: it is waited for, piece by piece, until it has run or there is no more to grant. One
    /// piece is needed to see that.
    fn wait_on(&mut self, place: &Place, ran: Duration) -> bool {
        let stands_still = self.ran.is_none_or(|before| before == ran);
        self.ran = Some(ran);
        stands_still && is_running(place.family().bot()) && self.raise(self.granted + GRANT_MIN)
    }

    /// What to make of a bot that is late, as far as was looked: grants what has come together, or says whose doing it is.
    /// `came` as for [`Credit::grant`].
    pub(super) fn judge_lateness(&mut self, place: &Place, came: bool) -> Option<End> {
        if self.grant(place, came) {
            return None;
        }
        match self.blame(place) {
            Some(End::Starved(_)) if self.limits < LIMITS_MAX => {
                self.limits = LIMITS_MAX;
                self.judge_lateness(place, came)
            }
            Some(end) => Some(end),
            None => Some(End::TimedOut),
        }
    }

    /// Who had the processor that a late bot would have needed; nothing if it had enough of it.
    fn blame(&self, place: &Place) -> Option<End> {
        let (since, now) = (self.since.as_ref()?, self.account(place)?);
        let missing = self.missing(now.ran_since(&since.bot))?;
        let is_used_up = self.granted + GRANT_MIN > self.limit * self.limits;
        if (is_used_up || now.waited_since(&since.bot) >= missing)
            && let Some(interference) = place.interference(missing)
        {
            return Some(End::Disturbed(interference, missing));
        }
        is_used_up.then_some(End::Starved(self.granted))
    }

    /// What a bot that ran so long lacks of its limit; nothing if that may be what it used before counting began.
    fn missing(&self, ran: Duration) -> Option<Duration> {
        let missing = self.limit.saturating_sub(ran);
        (missing > UNSEEN_MAX.min(self.limit / 2)).then_some(missing)
    }

    fn account(&self, place: &Place) -> Option<Account> {
        Account::of(place.family()).filter(|_| self.is_fair)
    }

    fn raise(&mut self, earned: Duration) -> bool {
        let earned = earned.min(self.limit * self.limits);
        let more = earned >= self.granted + GRANT_MIN;
        if more {
            self.granted = earned;
        }
        more
    }

    /// What a reply that was read at `read_at` has taken.
    pub(super) fn charge(&mut self, read_at: Instant) -> Taken {
        let elapsed = read_at.saturating_duration_since(self.start);
        if elapsed >= pulse::LATE {
            self.stood_still = self.stood_still.max(pulse::stood_still(self.start, read_at));
        }
        let wall = self.cost(elapsed);
        Taken { wall, cpu: None, credit: elapsed.saturating_sub(wall) }
    }

    fn cost(&self, elapsed: Duration) -> Duration {
        let elapsed = elapsed.saturating_sub(self.stood_still);
        elapsed.saturating_sub(self.granted).max(elapsed.min(self.limit))
    }

    /// Says in the log what was granted.
    pub(super) fn note(&self, log: &mut Vec<LogLine>) {
        let mut say = |time: Duration, why: &str| {
            if !time.is_zero() {
                log.push(LogLine::Remark(format!("{} ms credited, in which {why}", time.as_millis())));
            }
        };
        say(self.granted, "the machine gave it no processor");
        say(self.stood_still, "the arena or the whole machine stood still");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn who_was_looked_at_late_is_counted_from_when_it_was_at_rest() {
        let mut credit = Credit { is_fair: true, ..Credit::none(500 * MS) };
        let start = credit.start();
        let account = |at: u32, waited: u32, ran: u32| Account {
            at: start + at * MS,
            ran: ran * MS,
            processes: 1,
            is_whole: true,
            waits: vec![(0, waited * MS)],
        };
        let opening = |bot| Some(Opening { bot, own: Duration::ZERO });
        let at_rest = || opening(account(0, 5, 7));
        let mut earned = |since, now: Account| {
            credit.since = since;
            credit.begin_at_rest(at_rest);
            now.waited_since(&credit.since.as_ref().unwrap().bot)
        };
        assert_eq!(earned(opening(account(12, 20, 8)), account(500, 450, 28)), 430 * MS, "soon enough");
        assert_eq!(earned(opening(account(300, 20, 8)), account(500, 450, 28)), 445 * MS);
        assert_eq!(earned(None, account(500, 450, 28)), 445 * MS);
        assert_eq!(earned(None, account(500, 450, 407)), 100 * MS, "what it used before counting began earns nothing");
    }

    #[test]
    fn credit_comes_in_useful_pieces_up_to_the_limit() {
        let mut credit = Credit::none(100 * MS);
        let start = credit.start();
        assert!(!credit.raise(Duration::from_micros(999)));
        assert!(credit.raise(60 * MS));
        assert!(!credit.raise(60 * MS + Duration::from_micros(100)));
        assert!(credit.raise(500 * MS) && credit.granted == 100 * MS);
        assert!(!credit.raise(900 * MS));
        assert!(Credit { limits: LIMITS_MAX, ..Credit::none(100 * MS) }.raise(900 * MS));
        assert_eq!(credit.cost(150 * MS), 100 * MS);
        assert_eq!(credit.cost(230 * MS), 130 * MS);
        assert_eq!(credit.deadline(), start + 200 * MS);
        credit.stood_still = 1_000 * MS;
        assert_eq!(credit.cost(1_050 * MS), 50 * MS, "standing still costs nothing, also within the limit");
        assert_eq!(credit.cost(1_150 * MS), 100 * MS);
        assert_eq!(credit.deadline(), start + 1_200 * MS);
        credit.asked_at(start + 30 * MS);
        assert_eq!(credit.deadline(), start + 1_200 * MS, "a question that is slow to be taken extends nothing");
    }

    #[test]
    fn who_had_nearly_all_of_its_time_lacks_nothing() {
        let credit = Credit::none(100 * MS);
        let missing = [0, 50, 87, 88, 99, 150].map(|ran| credit.missing(ran * MS));
        assert_eq!(missing, [Some(100 * MS), Some(50 * MS), Some(13 * MS), None, None, None]);
        let tight = Credit::none(10 * MS);
        assert_eq!([4, 5].map(|ran| tight.missing(ran * MS)), [Some(6 * MS), None]);
    }
}
