//! Time credited to a bot: time in which the machine gave it no processor, and time in which we were suspended or delayed
//! ourselves.

use std::time::{Duration, Instant};

use arena_core::clock::{Taken, TimeUse};
use arena_sys::time::now;

use super::cpu_usage::{Baseline, CpuUsage, own_wait};
use super::end::ExchangeEnd;
use super::looks::{LateLook, Looks};
use super::process_state::is_running;
use super::shared::SharedPlace;
use super::{Deadline, heartbeat, interrupts};
use crate::player::LogLine;

/// Most credit where the machine gave a bot no processor, as a multiple of its limit.
const LIMITS_MAX: u32 = 4;

/// Counting begins only when a move turns out to be slow, so what came before is unknown. If it begins later than this,
/// the bot's last rest is taken as its beginning.
const UNSEEN_MAX: Duration = Duration::from_millis(12);

/// Up to this limit, counting begins before the question is asked.
const TIGHT: Duration = Duration::from_millis(50);

/// Smallest credit that is granted. The bot shares its processor with us, so it waits while we read statistics, and would
/// earn many small credits, each too short to be of use.
const GRANT_MIN: Duration = Duration::from_millis(1);

/// Credit of a bot for one reply, beyond its limit.
///
/// - The time in which other processes had the processor is granted when the limit is exceeded, up to the limit once more;
///   the move is then charged the limit. If no bot was to blame, which would lose by that, up to [`LIMITS_MAX`] times the
///   limit is granted. A bot that starts is [looked](Looks) at meanwhile, since it may do so through many processes.
/// - Interrupts on the processor of a slow move are granted likewise: timers that the opponent has set may cause them.
/// - The time in which we were suspended, or waited for a processor that the bot did not have before we could read, is
///   not counted at all.
///
/// All are differences from a baseline. Reading that costs about as much as a fast move. So it is read when a move turns
/// out to be slow, or in advance if the limit is so tight that the time until then matters.
#[derive(Debug)]
pub(super) struct Credit {
    /// Waiting for a processor may be credited.
    is_fair: bool,
    start: Instant,
    limit: Duration,
    /// The most that may be granted, as a multiple of the limit.
    limits: u32,
    since: Option<Baseline>,
    /// Time that interrupts had taken on our processor when counting began.
    interrupts: Option<Duration>,
    granted: Duration,
    suspended: Duration,
    /// What was known when the bot was last found late, with no credit since but what was granted to see more.
    late: Option<LateLook>,
    /// The most processes of the bot that the watcher saw at a time, where only live ones are counted.
    processes: usize,
    /// What looks at the bot have found, if it was looked at.
    looks: Looks,
}

impl Credit {
    /// No credit yet, for a reply that may take `limit` from now. To be called before the question is asked.
    pub(super) fn new(place: &SharedPlace, limit: Duration) -> Self {
        let mut credit = Self { is_fair: true, ..Self::none(limit) };
        if limit <= TIGHT {
            credit.open(place, now());
            credit.start = now();
        }
        credit
    }

    /// No credit for waiting, whatever happens, within `limit` from now.
    pub(super) fn none(limit: Duration) -> Self {
        Self {
            is_fair: false,
            start: now(),
            limit,
            limits: 1,
            since: None,
            interrupts: None,
            granted: Duration::ZERO,
            suspended: Duration::ZERO,
            late: None,
            processes: 0,
            looks: Looks::default(),
        }
    }

    /// Starts the clock later than the limit, since writing the question took time.
    pub(super) fn asked_at(&mut self, start: Instant) {
        let late = start.saturating_duration_since(self.start);
        self.start = start;
        self.limit = self.limit.saturating_sub(late);
    }

    /// Shortens the limit so that the reply is due by `end`, with all credit so far.
    pub(super) fn end_by(&mut self, end: Instant) {
        let until_end = end.saturating_duration_since(self.start + self.granted + self.suspended);
        self.limit = self.limit.min(until_end);
    }

    /// When the clock started.
    pub(super) fn start(&self) -> Instant {
        self.start
    }

    /// When the reply is due, with all credit.
    pub(super) fn deadline(&self) -> Deadline {
        self.start + self.limit + self.granted + self.suspended
    }

    /// Whether waiting for a processor may be credited, as it is for every reply in time.
    pub(super) fn is_fair(&self) -> bool {
        self.is_fair
    }

    /// Whether counting has begun.
    pub(super) fn is_open(&self) -> bool {
        self.since.is_some()
    }

    /// How long our thread has waited for a processor. To be read before the pipe is looked into, and given to
    /// [`Credit::found_nothing`] if there is no reply: our thread may have to wait again right after that look.
    pub(super) fn own_wait(&self) -> Option<Duration> {
        own_wait().filter(|_| self.is_open())
    }

    /// There was no reply yet when our own thread had waited for `own`: what it waited before has delayed none.
    pub(super) fn found_nothing(&mut self, own: Option<Duration>) {
        if let Some((since, own)) = self.since.as_mut().zip(own) {
            since.own = own;
        }
    }

    /// Looks at what the bot is doing.
    pub(super) fn look(&mut self, place: &SharedPlace) {
        let begun = now();
        if let Some(usage) = self.usage(place) {
            self.looks.add(usage.at, usage.ran, is_running(place.family()));
        }
        self.looks.note_time(begun.elapsed());
    }

    /// The time until the bot is to be looked at again.
    pub(super) fn pause(&self) -> Duration {
        self.looks.pause()
    }

    /// Begins to count. Our thread should have been running at `due`: it was kept from it since then.
    pub(super) fn open(&mut self, place: &SharedPlace, due: Instant) {
        let own = own_wait().map(|own| own.saturating_sub(now().saturating_duration_since(due)));
        self.since = self.usage(place).zip(own).map(|(bot, own)| Baseline { bot, own });
        if self.limit > TIGHT {
            self.interrupts = interrupts::taken();
        }
    }

    /// Counts from when the bot was last at rest if counting began late, since the bot may have got no processor until then.
    /// What it has used since that rest, in this move or before, earns no credit.
    fn begin_at_rest(&mut self, at_rest: impl FnOnce() -> Option<Baseline>) {
        let is_late = |since: &Baseline| since.bot.at.saturating_duration_since(self.start) > UNSEEN_MAX;
        if self.is_fair
            && self.since.as_ref().is_none_or(is_late)
            && let Some(rest) = at_rest()
        {
            let bot = CpuUsage { at: self.start, ..rest.bot };
            // If our own thread has begun to count, it has looked for a reply since.
            let own = self.since.take().map_or(rest.own, |since| since.own);
            self.since = Some(Baseline { bot, own });
        }
    }

    /// Grants the credit that has accumulated; false if there is none worth granting. `came` says that the reply is there.
    /// Only then our own delay matters: a late look that finds nothing has missed nothing.
    fn grant(&mut self, place: &SharedPlace, came: bool) -> bool {
        self.begin_sooner(place);
        let usage = self.usage(place);
        let mut suspended = heartbeat::suspended(self.start, now());
        let own = own_wait();
        if came && let Some((since, own)) = self.since.as_mut().zip(own) {
            let waited = own.saturating_sub(since.own);
            // While the bot had the processor, the bot itself delayed us.
            let unused = usage.as_ref().map_or(waited, |usage| usage.unused_since(&since.bot));
            suspended = suspended.max(waited.min(unused));
            since.own = own;
        }
        let was_longer = suspended >= self.suspended + GRANT_MIN;
        if was_longer {
            self.suspended = suspended;
        }
        let Some((since, now)) = self.since.as_ref().zip(usage) else { return was_longer };
        let is_known = self.is_whole(since, &now);
        let waited = now.waited_since(&since.bot).max(self.looks.waited().min(now.unused_since(&since.bot)));
        let waited = if is_known { waited } else { Duration::ZERO };
        let taken = self.interrupts.zip(interrupts::taken()).map(|(before, now)| now.saturating_sub(before));
        if self.raise(waited + taken.unwrap_or_default()) {
            // We wait without a look until that is over.
            self.late = None;
            return true;
        }
        was_longer || (!came && is_known && self.wait_on(place, &now, own))
    }

    /// Counts from when the watcher began, if that was sooner: this thread may have waited for the very processor that the
    /// bot did not get.
    fn begin_sooner(&mut self, place: &SharedPlace) {
        if let Some((baseline, processes)) = place.watched_since().filter(|_| self.is_fair) {
            self.processes = self.processes.max(processes);
            match (&mut self.since, baseline) {
                (Some(since), Some(baseline)) if baseline.bot.at < since.bot.at => since.bot = baseline.bot,
                (since @ None, Some(baseline)) => *since = Some(baseline),
                _ => {}
            }
        }
        self.begin_at_rest(|| place.at_rest());
    }

    /// Grants a little more to a bot that is ready to run while others have the processor: the kernel counts a wait only
    /// when it is over. One such grant is needed to see who has it.
    fn wait_on(&mut self, place: &SharedPlace, now: &CpuUsage, own: Option<Duration>) -> bool {
        let look = LateLook { at: now.at, ran: now.ran, own };
        let is_kept_waiting = self.late.as_ref().is_none_or(|before| look.others_ran_since(before));
        self.late = Some(look);
        let step = if self.looks.are_taken() { self.pause() } else { GRANT_MIN };
        is_kept_waiting && is_running(place.family()) && self.raise(self.granted + step)
    }

    /// Judges a late bot: grants the credit that has accumulated, or says why the exchange is over. `came` as for
    /// [`Credit::grant`].
    pub(super) fn judge_lateness(&mut self, place: &SharedPlace, came: bool) -> Option<ExchangeEnd> {
        if self.grant(place, came) {
            return None;
        }
        match self.blame(place) {
            Some(ExchangeEnd::Starved) if self.limits < LIMITS_MAX => {
                self.limits = LIMITS_MAX;
                self.judge_lateness(place, came)
            }
            end => end.or(Some(ExchangeEnd::TimedOut)),
        }
    }

    /// Finds what used the processor that a late bot needed; `None` if the bot had enough of it.
    fn blame(&self, place: &SharedPlace) -> Option<ExchangeEnd> {
        let (since, now) = (self.since.as_ref()?, self.usage(place)?);
        let missing = self.missing(now.ran_since(&since.bot))?;
        let is_used_up = self.granted + GRANT_MIN > self.limit * self.limits;
        if (is_used_up || now.waited_since(&since.bot) >= missing)
            && let Some(interference) = place.interference(missing)
        {
            return Some(interference);
        }
        is_used_up.then_some(ExchangeEnd::Starved)
    }

    /// The part of its limit that a bot did not get if it ran for this long; `None` if it may have used that before counting
    /// began.
    fn missing(&self, ran: Duration) -> Option<Duration> {
        let missing = self.limit.saturating_sub(ran);
        (missing > UNSEEN_MAX.min(self.limit / 2)).then_some(missing)
    }

    /// How the bot has spent its time so far.
    pub(super) fn time_use(&self, place: &SharedPlace) -> TimeUse {
        let elapsed = self.start.elapsed().saturating_sub(self.suspended);
        let used = self.since.as_ref().zip(self.usage(place));
        let cpu = used.as_ref().map(|(since, now)| now.ran_since(&since.bot));
        // A wait is counted by the kernel only when it is over, so what was granted may be more.
        let waited = used.filter(|(since, now)| self.is_whole(since, now)).map(|(since, now)| {
            now.waited_since(&since.bot).max(self.looks.waited().min(now.unused_since(&since.bot))).max(self.granted)
        });
        TimeUse { elapsed, cpu, waited }
    }

    /// Without the time of ended processes, usage is known only of a bot that never had more than one process.
    fn is_whole(&self, since: &Baseline, now: &CpuUsage) -> bool {
        now.is_whole || now.processes.max(since.bot.processes).max(self.processes) <= 1
    }

    fn usage(&self, place: &SharedPlace) -> Option<CpuUsage> {
        CpuUsage::of(place.family()).filter(|_| self.is_fair)
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
        if elapsed >= heartbeat::LATE {
            self.suspended = self.suspended.max(heartbeat::suspended(self.start, read_at));
        }
        // Records have whole microseconds, and the clock in a request is rebuilt from them.
        let wall = whole_us(self.cost(elapsed));
        Taken { wall, cpu: None, credit: elapsed.saturating_sub(wall) }
    }

    fn cost(&self, elapsed: Duration) -> Duration {
        let elapsed = elapsed.saturating_sub(self.suspended);
        elapsed.saturating_sub(self.granted).max(elapsed.min(self.limit))
    }

    /// Logs the credit.
    pub(super) fn note(&self, log: &mut Vec<LogLine>) {
        let reasons = [
            (self.granted, "it was waiting for a CPU, or interrupted"),
            (self.suspended, "the arena or the whole machine was suspended"),
        ];
        let credited = reasons.into_iter().filter(|(time, _)| !time.is_zero());
        log.extend(credited.map(|(time, why)| LogLine::Remark(format!("{} ms credited: {why}", time.as_millis()))));
    }
}

/// A time without its fraction of a microsecond.
pub(super) fn whole_us(time: Duration) -> Duration {
    Duration::new(time.as_secs(), time.subsec_micros() * 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn late_counting_begins_at_the_last_rest() {
        let mut credit = Credit { is_fair: true, ..Credit::none(500 * MS) };
        let start = credit.start();
        let usage = |at: u32, waited: u32, ran: u32| CpuUsage {
            at: start + at * MS,
            ran: ran * MS,
            processes: 1,
            is_whole: true,
            waits: vec![(0, waited * MS)],
        };
        let baseline = |bot| Some(Baseline { bot, own: Duration::ZERO });
        let at_rest = || baseline(usage(0, 5, 7));
        let mut earned = |since, now: CpuUsage| {
            credit.since = since;
            credit.begin_at_rest(at_rest);
            now.waited_since(&credit.since.as_ref().unwrap().bot)
        };
        assert_eq!(earned(baseline(usage(12, 20, 8)), usage(500, 450, 28)), 430 * MS, "soon enough");
        assert_eq!(earned(baseline(usage(300, 20, 8)), usage(500, 450, 28)), 445 * MS);
        assert_eq!(earned(None, usage(500, 450, 28)), 445 * MS);
        assert_eq!(earned(None, usage(500, 450, 407)), 100 * MS, "what it used before counting began earns nothing");
    }

    #[test]
    fn credit_is_granted_in_useful_amounts_up_to_the_limit() {
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
        credit.suspended = 1_000 * MS;
        assert_eq!(credit.cost(1_050 * MS), 50 * MS, "suspension costs nothing, also within the limit");
        assert_eq!(credit.cost(1_150 * MS), 100 * MS);
        assert_eq!(credit.deadline(), start + 1_200 * MS);
        credit.asked_at(start + 30 * MS);
        assert_eq!(credit.deadline(), start + 1_200 * MS, "a question that is slow to write extends nothing");
    }

    #[test]
    fn a_bot_that_had_nearly_all_of_its_time_lacks_nothing() {
        let credit = Credit::none(100 * MS);
        let missing = [0, 50, 87, 88, 99, 150].map(|ran| credit.missing(ran * MS));
        assert_eq!(missing, [Some(100 * MS), Some(50 * MS), Some(13 * MS), None, None, None]);
        let tight = Credit::none(10 * MS);
        assert_eq!([4, 5].map(|ran| tight.missing(ran * MS)), [Some(6 * MS), None]);
    }
}
