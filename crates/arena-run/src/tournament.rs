//! The dispatcher: it passes the games of a schedule to an executor, and one task owns all state.

mod budget;
mod fault_files;
mod log;
mod remarks;
mod signals;

use std::sync::Arc;
use std::time::{Duration, Instant};

use arena_core::event::{Stop, StopReason};
use arena_core::format::Format;
use arena_core::record::Record;
use arena_core::schedule::{Brief, Job, Policy, Scheduler};
use arena_core::text::shown;
use arena_play::executor::{Executor, Finished, JobOutcome};
use arena_show::observer::{Observer, Queued, RunEnding, RunEvent};
use arena_show::views::match_line;
use arena_store::journal::{Journal, Reader};
use arena_store::report::withdrawal_reason;
use arena_sys::time::{now, wait_until};
use tokio::sync::mpsc::UnboundedReceiver;

use budget::IssueBudget;
pub use fault_files::start_command;
pub use log::{BOTS_FOLDER, BotLogs, log_name};
use remarks::Remarks;
pub use signals::Signals;

/// Interval for syncing the journal and writing tables.
const TICK: Duration = Duration::from_secs(1);

/// Consecutive games that failed because of the arena, or because neither bot could start, after which a run is stopped:
/// the machine is short of something, and the journal should not fill with void games. More than one bot that fails all of
/// its games can cause.
const FAILURES_MAX: usize = 10;

/// Faults of the rules after which a run is stopped, if new rules could play each of those games.
const RULES_FAULTS_MAX: usize = 3;

/// Where a test may end the run, games are begun at most this multiple of the executor's capacity beyond the first open
/// one. This is enough to keep all slots busy unless a game takes many times as long as others.
const AHEAD: u32 = 8;

/// A run of the missing games of a schedule.
pub struct Run<'a> {
    /// The schedule, updated with the games played.
    pub scheduler: &'a mut Scheduler,
    /// Decides about more games, or fewer.
    pub policy: &'a mut dyn Policy,
    /// Every game is appended before observers receive it.
    pub journal: &'a mut Journal,
    /// The logs of the bots.
    pub logs: BotLogs,
    /// The first signal lets running games finish, the second does not.
    pub signals: &'a mut Signals,
    /// Receives the events of the run.
    pub observer: &'a mut dyn Observer,
    /// Events of running games, if the observer wants them.
    pub moves: Option<UnboundedReceiver<Queued>>,
    /// When no more games begin.
    pub deadline: Option<Instant>,
    /// No game at this place or after it begins.
    pub until: u32,
    /// Called with each game whose rules failed, to write down what they were asked; returns how to ask them again.
    pub rules_failed: &'a mut dyn FnMut(&Record) -> anyhow::Result<Option<String>>,
    /// Called about every second, to write tables. An error ends the run.
    pub tick: &'a mut dyn FnMut(&Scheduler, &mut dyn Observer) -> anyhow::Result<()>,
}

/// Plays the missing games of the schedule.
///
/// # Errors
///
/// Returns an error if the journal cannot be written or `tick` fails; finished games are saved.
pub async fn run(run: Run<'_>, executor: &mut impl Executor) -> anyhow::Result<RunEnding> {
    run.scheduler.hold_at(run.until);
    let budget = run.deadline.map(|deadline| IssueBudget::new(deadline, run.scheduler, now()));
    let mut dispatcher = Dispatcher {
        reader: run.journal.reader()?,
        run,
        remarks: Remarks::default(),
        submitted: 0,
        failures: 0,
        rules_faults: 0,
        have_rules_failed: false,
        stopping: false,
        budget,
        is_late: false,
        wanted: (0, Vec::new()),
        told: None,
    };
    let outcome = dispatcher.play(executor).await;
    if is_finished(&outcome) {
        executor.close();
        while let Some(outcome) = executor.next().await {
            dispatcher.take(outcome, executor)?;
        }
    } else {
        executor.abandon().await;
    }
    // The first error is the one reported.
    let ending = outcome?;
    if ending == RunEnding::OutOfTime {
        dispatcher.run.journal.append_stop(Stop { why: StopReason::Budget })?;
    }
    dispatcher.run.journal.sync()?;
    executor.synced();
    dispatcher.observe(&RunEvent::Over { ending });
    Ok(ending)
}

/// Whether running games are finished.
const fn is_finished(outcome: &anyhow::Result<RunEnding>) -> bool {
    use RunEnding::{Complete, OutOfTime, Paused, RulesFailed, Stopped};
    matches!(outcome, Ok(Complete | Stopped | OutOfTime | RulesFailed | Paused))
}

struct Dispatcher<'a> {
    run: Run<'a>,
    reader: Reader,
    remarks: Remarks,
    /// Number of jobs that the executor has.
    submitted: usize,
    /// Number of consecutive games that could not be run.
    failures: usize,
    /// Number of games whose rules failed.
    rules_faults: usize,
    /// Whether that ends the run.
    have_rules_failed: bool,
    /// Whether no more games begin.
    stopping: bool,
    budget: Option<IssueBudget>,
    /// Whether the deadline has passed.
    is_late: bool,
    /// Number of games, and bots that begin none, when games were last taken back.
    wanted: (u32, Vec<usize>),
    /// For each match of a competition, whether it is known to be over; `None` for other formats.
    told: Option<Vec<bool>>,
}

impl Dispatcher<'_> {
    async fn play(&mut self, executor: &mut impl Executor) -> anyhow::Result<RunEnding> {
        let scheduler = &*self.run.scheduler;
        self.run.observer.observe(&RunEvent::Begun {
            event: Arc::clone(scheduler.event()),
            games: scheduler.total(),
            missing: scheduler.missing().count() as u32,
            may_end_early: self.run.policy.may_end_early() || self.run.deadline.is_some(),
            expected: scheduler.expected(),
        });
        let mut tick = tokio::time::interval_at((now() + TICK).into(), TICK);
        let mut signalled = false;
        let deadline = self.run.deadline;
        self.decide()?;
        let scheduler = &*self.run.scheduler;
        let is_competition = Format::named(&scheduler.event().format).is_some_and(Format::keeps_field);
        let sheet = is_competition.then(|| scheduler.sheet()).flatten();
        self.told = sheet.map(|sheet| sheet.matches.iter().map(|found| found.is_over).collect());
        loop {
            if self.run.scheduler.is_cut() {
                return Ok(RunEnding::Enough);
            }
            self.look_ahead(executor);
            while !self.stopping
                && !self.is_late
                && self.submitted < executor.capacity()
                && let Some(job) = self.next_job()
            {
                executor.submit(job);
                self.submitted += 1;
            }
            if self.submitted == 0 {
                return Ok(self.ending());
            }
            tokio::select! {
                // Moves come before the end of their game, and finished games before signals, so that none is lost.
                biased;
                Some((event, _place)) = async { self.run.moves.as_mut()?.recv().await } => self.observe(&event),
                outcome = executor.next() => match outcome {
                    Some(outcome) => self.take(outcome, executor)?,
                    None => return Ok(RunEnding::Stopped),
                },
                () = self.run.signals.next() => {
                    if std::mem::replace(&mut signalled, true) {
                        return Ok(RunEnding::Killed);
                    }
                    self.stop(executor);
                    self.observe(&RunEvent::Stopping);
                }
                () = wait_until(deadline), if !self.is_late => self.stop_at_deadline(executor),
                _ = tick.tick() => {
                    self.run.journal.sync()?;
                    executor.synced();
                    (self.run.tick)(self.run.scheduler, self.run.observer)?;
                }
            }
        }
    }

    /// Tells the executor how many games may still be due, and the scheduler how far ahead it may go.
    fn look_ahead(&mut self, executor: &mut impl Executor) {
        let scheduler = &mut *self.run.scheduler;
        executor.expect(scheduler.total().min(self.run.until).saturating_sub(scheduler.attempts()));
        if self.run.policy.may_end_early() {
            let capacity = u32::try_from(executor.capacity()).unwrap_or(u32::MAX);
            scheduler.keep_within(AHEAD.saturating_mul(capacity));
        }
    }

    /// The next game, as far as the budget allows.
    fn next_job(&mut self) -> Option<Job> {
        let scheduler = &mut *self.run.scheduler;
        let Some(budget) = &mut self.budget else { return scheduler.issue() };
        loop {
            budget.update(scheduler, self.submitted, now());
            let limit = budget.limit;
            if budget.is_spent {
                scheduler.put_schedule_first();
            }
            scheduler.hold_at(limit.min(self.run.until));
            let job = scheduler.issue();
            // The games up to the limit may all be lost unplayed.
            let next = scheduler.next_place();
            let is_held = !budget.is_spent && limit <= next && next < self.run.until.min(scheduler.total());
            if job.is_some() || !is_held {
                return job;
            }
        }
    }

    /// How the run ended, once no game is running.
    fn ending(&mut self) -> RunEnding {
        let next = self.run.scheduler.next_place();
        if self.have_rules_failed {
            RunEnding::RulesFailed
        } else if self.run.scheduler.is_complete() {
            RunEnding::Complete
        } else if !self.stopping && next >= self.run.until && next < self.run.scheduler.total() {
            RunEnding::Paused
        } else if !self.stopping && self.budget.as_ref().is_some_and(|budget| budget.is_spent) {
            RunEnding::OutOfTime
        } else {
            RunEnding::Stopped
        }
    }

    /// Records the decisions that are due after the games so far.
    fn decide(&mut self) -> anyhow::Result<()> {
        while let Some(round) = self.run.scheduler.decide(self.run.policy) {
            self.run.journal.append_round(&round)?;
            let added = 2 * round.pairs.len() as u32;
            let games = self.run.scheduler.due_between(self.run.scheduler.total() - added, u32::MAX);
            if round.over.is_none() {
                let expected = self.run.scheduler.expected();
                self.observe(&RunEvent::RoundAdded { number: round.n, games, expected });
            }
        }
        if let Some(warning) = self.run.policy.warning() {
            self.observe(&RunEvent::Warning { text: warning });
        }
        if let Some(status) = self.run.policy.status() {
            self.observe(&RunEvent::TestChanged { status });
        }
        Ok(())
    }

    fn observe(&mut self, event: &RunEvent) {
        self.run.observer.observe(event);
    }

    /// Stops beginning games.
    fn stop(&mut self, executor: &mut impl Executor) {
        self.stopping = true;
        self.submitted -= executor.stop().len();
    }

    /// Stops beginning games at the deadline; running ones are finished.
    fn stop_at_deadline(&mut self, executor: &mut impl Executor) {
        self.is_late = true;
        if let Some(budget) = &mut self.budget {
            budget.is_spent = true;
        }
        self.submitted -= executor.take_back(&|_| true).len();
    }

    fn take(&mut self, outcome: JobOutcome, executor: &mut impl Executor) -> anyhow::Result<()> {
        match outcome {
            // An executor that waits until the game is recorded continues when `_waits` is dropped.
            JobOutcome::Played(finished, _waits) => self.settle(*finished, executor)?,
            JobOutcome::Again(finished) => self.compare(&finished)?,
            JobOutcome::Returned(places) => {
                self.submitted = self.submitted.saturating_sub(places.len());
                for place in places {
                    self.run.scheduler.take_back(place);
                }
            }
            JobOutcome::LastWords(words) => {
                for (bot, lines) in words {
                    let written = self.run.logs.append_lines(bot, "after its last game", &lines);
                    self.warn_of_log(written);
                }
            }
            JobOutcome::Workers { count, slots, workers } => self.observe(&RunEvent::Workers { count, slots, workers }),
            JobOutcome::Warning(text) => self.observe(&RunEvent::Warning { text }),
        }
        Ok(())
    }

    /// Records a game, unless a bot has changed, and does what follows from it.
    fn settle(&mut self, finished: Finished, executor: &mut impl Executor) -> anyhow::Result<()> {
        self.submitted = self.submitted.saturating_sub(1);
        let place = finished.place;
        let withdrawn = if finished.changes == [None, None] {
            self.enter(finished, executor)?
        } else {
            self.leave_out(&finished);
            Vec::new()
        };
        self.decide()?;
        self.tell_matches(place);
        self.report_withdrawn(withdrawn)?;
        self.take_back(executor);
        Ok(())
    }

    /// Records a game; returns the bots withdrawn by it. If a log cannot be written, the games continue.
    fn enter(&mut self, mut finished: Finished, executor: &mut impl Executor) -> anyhow::Result<Vec<usize>> {
        self.remarks.bound(&mut finished);
        let brief = self.run.journal.append_game(&finished.record)?;
        let news = self.run.scheduler.settle(finished.place, brief, finished.starved);
        self.log(&finished, if news.tried_again { ", retried" } else { "" });
        if finished.record.disturbance.is_some() {
            self.take_back_loud(executor);
        }
        self.note_rules_fault(&finished.record, executor);
        if brief.breaks_rules() {
            let why = finished.record.evidence.iter().flatten().map(|evidence| evidence.message.as_str()).next();
            let text =
                format!("game {}: a bot lost by a move that breaks the rules, {}", brief.id, why.unwrap_or_default());
            self.observe(&RunEvent::Warning { text });
        }
        if !news.tried_again {
            self.count_failures(&brief, &finished.record.reason, executor);
        }
        let game = self.run.scheduler.planned(finished.place);
        let record = Arc::new(finished.record);
        self.observe(&RunEvent::GameEnded { game, brief, record, tried_again: news.tried_again });
        Ok(news.withdrawn)
    }

    /// Compares a game that was played once more with the one that counts. Nothing is averaged: the first counts.
    fn compare(&mut self, again: &Finished) -> anyhow::Result<()> {
        let brief = Brief::of(&again.record, 0, 1);
        let Some(known) = self.run.scheduler.attempt(again.place, brief.id) else { return Ok(()) };
        let what = if (known.result, known.statuses) != (brief.result, brief.statuses) {
            format!("{} instead of {}", brief.result, known.result)
        } else if known.moves != brief.moves {
            "the same result with other moves".to_owned()
        } else {
            return Ok(());
        };
        let hosts = [&self.reader.record(&known)?.host, &again.record.host].map(|host| shown(host));
        let text = format!(
            "game {} was played on {} and once more on {}, which gave {what}; the first counts (bots that use the time or \
             own randomness do that)",
            brief.id, hosts[0], hosts[1]
        );
        self.observe(&RunEvent::Warning { text });
        Ok(())
    }

    /// Reports matches that are over by now, if the other game of the pair with the game at this place is settled.
    fn tell_matches(&mut self, place: u32) {
        let scheduler = &*self.run.scheduler;
        let is_settled = |place| scheduler.at(place).is_some_and(|brief| brief.is_settled());
        let Some(told) = self.told.as_mut().filter(|_| is_settled(place) && is_settled(place ^ 1)) else { return };
        let Some(sheet) = scheduler.sheet() else { return };
        told.resize(sheet.matches.len(), false);
        let name = |bot: usize| scheduler.event().bots[bot].id.name.clone();
        let mut events = Vec::new();
        for (number, found) in sheet.matches.iter().enumerate().filter(|(_, found)| found.is_over) {
            let [Some(a), Some(b)] = found.bots else { continue };
            if std::mem::replace(&mut told[number], true) {
                continue;
            }
            let alike =
                || sheet.matches.iter().zip(&*told).filter(|(other, _)| other.stage == found.stage && other.pairs > 0);
            events.push(RunEvent::MatchEnded {
                stage: found.stage.clone(),
                bots: [name(a), name(b)],
                points: found.half_points.map(|halves| f64::from(halves) / 2.0),
                winner: found.winner.map(name),
                how: found.how,
                of: alike().count(),
                open: alike().filter(|(_, told)| !**told).count(),
                line: match_line(found, |bot| shown(&name(bot))),
            });
        }
        for event in events {
            self.observe(&event);
        }
    }

    /// Reports withdrawn bots; after decisions, which may leave fewer games to lose.
    fn report_withdrawn(&mut self, bots: Vec<usize>) -> anyhow::Result<()> {
        for bot in bots {
            let Some(withdrawal) = self.run.scheduler.withdrawal(bot) else { continue };
            let why = withdrawal_reason(withdrawal, &self.reader)?;
            let name = self.run.scheduler.event().bots[bot].id.name.clone();
            let games = self.run.scheduler.lost_unplayed(bot);
            self.observe(&RunEvent::Withdrawn { name, why, games });
        }
        Ok(())
    }

    /// Discards a game whose bots have changed, since it would be evidence of neither version, and takes them out of the
    /// run.
    fn leave_out(&mut self, finished: &Finished) {
        self.log(finished, ", discarded");
        let changes = finished.bots.into_iter().zip(&finished.changes);
        let changes: Vec<_> = changes.filter_map(|(bot, change)| Some((bot, change.clone()?))).collect();
        for (bot, change) in &changes {
            if !self.run.scheduler.is_gone(*bot) {
                let name = self.run.scheduler.event().bots[*bot].id.name.clone();
                self.observe(&RunEvent::Gone { name, change: change.clone() });
            }
        }
        self.run.scheduler.leave_out(finished.place, changes.iter().map(|(bot, _)| *bot));
    }

    /// Takes back games that should no longer begin after what was just recorded. An executor may have very many, so they are
    /// looked at only if something has changed.
    fn take_back(&mut self, executor: &mut impl Executor) {
        let scheduler = &*self.run.scheduler;
        let wanted = (scheduler.total(), scheduler.stopped_bots());
        if self.wanted == wanted {
            return;
        }
        self.wanted = wanted;
        let unwanted = executor.take_back(&|job| scheduler.is_unwanted(job.place));
        self.submitted -= unwanted.len();
        for job in unwanted {
            self.run.scheduler.take_back(job.place);
        }
    }

    /// Takes back games that were issued before it was known that they must be quiet; they are issued again.
    fn take_back_loud(&mut self, executor: &mut impl Executor) {
        let scheduler = &*self.run.scheduler;
        let loud = executor.take_back(&|job| !job.quiet && scheduler.is_quiet(job.place));
        self.submitted -= loud.len();
        for job in loud {
            self.run.scheduler.take_back(job.place);
        }
    }

    /// Reports a fault of the rules, and stops beginning games if it comes again, or after too many.
    fn note_rules_fault(&mut self, record: &Record, executor: &mut impl Executor) {
        let Some(fault) = &record.rules_fault else { return };
        self.rules_faults += 1;
        let reproduce = match (self.run.rules_failed)(record) {
            Ok(Some(command)) => format!("; to reproduce: {command}"),
            Ok(None) => String::new(),
            Err(error) => format!("; {error:#}"),
        };
        let text = format!("game {}: {}; no bot is at fault{reproduce}", record.id, fault.message);
        self.observe(&RunEvent::Warning { text });
        if (fault.again || self.rules_faults >= RULES_FAULTS_MAX) && !self.have_rules_failed {
            self.have_rules_failed = true;
            if !self.stopping {
                self.stop(executor);
            }
            let why = if fault.again {
                "they failed again when they were started anew and given the same game".to_owned()
            } else {
                format!("that was fault {} of the rules in this run", self.rules_faults)
            };
            self.observe(&RunEvent::Warning { text: format!("{why}; no more games begin") });
        }
    }

    /// Stops beginning games after too many consecutive ones that could not be run.
    fn count_failures(&mut self, brief: &Brief, reason: &str, executor: &mut impl Executor) {
        self.failures = if brief.is_our_failure() || brief.is_unstartable() { self.failures + 1 } else { 0 };
        if self.failures == FAILURES_MAX.max(2 * self.run.scheduler.event().bots.len()) && !self.stopping {
            let why = format!("{} consecutive games could not be run: {reason}; no more games begin", self.failures);
            self.stop(executor);
            self.observe(&RunEvent::Warning { text: why });
        }
    }

    /// Writes a game's lines to the bots' logs, under a title that ends in `what`.
    fn log(&mut self, finished: &Finished, what: &str) {
        let written = self.run.logs.append(&finished.record, finished.bots, &finished.logs, what);
        self.warn_of_log(written);
    }

    fn warn_of_log(&mut self, written: anyhow::Result<()>) {
        if let Err(error) = written {
            self.observe(&RunEvent::Warning { text: format!("{error:#}; nothing more is written to this log") });
        }
    }
}
