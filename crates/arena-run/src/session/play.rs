//! Playing an open session.

use std::sync::Arc;

use arena_core::event::{Stop, StopReason};
use arena_core::schedule::Policy;
use arena_core::stats::AnalysisOptions;
use arena_core::text::shown;
use arena_play::executor::{Local, SlotSettings};
use arena_play::program::game_of;
use arena_show::observer::{EventSender, Observer, RunEnding, RunEvent};
use arena_sys::machine::Machine;

use super::estimate::{RunEstimate, estimate, mean_moves};
use super::rules_files::{rules_log, write_fault};
use super::tables::{self, Speed};
use super::{Session, SessionError};
use crate::tournament::{self, BotLogs, Run};

/// Shortest run of which an estimate is shown.
const ESTIMATE_MIN: std::time::Duration = std::time::Duration::from_secs(30);

impl Session {
    /// Plays the missing games and those that `policy` adds. Tables are rewritten during the run, so that they exist even
    /// if it is killed.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal or a table cannot be written; finished games are saved.
    pub fn play(
        &mut self,
        policy: &mut dyn Policy,
        observer: &mut dyn Observer,
        options: &AnalysisOptions,
    ) -> Result<RunEnding, SessionError> {
        self.play_until(u32::MAX, policy, observer, options)
    }

    /// As [`Session::play`], up to a place of the schedule.
    ///
    /// # Errors
    ///
    /// See [`Session::play`].
    pub fn play_until(
        &mut self,
        until: u32,
        policy: &mut dyn Policy,
        observer: &mut dyn Observer,
        options: &AnalysisOptions,
    ) -> Result<RunEnding, SessionError> {
        // How many games a test needs is not known, nor how many workers there are.
        if !policy.may_end_early() && !self.is_elsewhere() {
            self.observe_estimate(observer);
        }
        if !policy.may_end_early() && until == u32::MAX {
            self.observe_newcomers(observer);
        }
        let launches = self.seated.iter().map(|bot| self.resources.scratch.launch(bot));
        let (events, moves) = observer.wants_moves().then(EventSender::new).unzip();
        let games = if self.scheduler.is_open() { u32::MAX } else { self.scheduler.total().max(1) };
        let concurrency = self.resources.capacity.games.min(games as usize);
        let machine = Machine::this();
        let boards = Arc::default();
        let slots = SlotSettings {
            event: Arc::clone(self.scheduler.event()),
            variant: self.settings.game.clone(),
            launches: launches.collect(),
            live_bots: self.resources.capacity.live_bots,
            machine: Some(machine.played_on(concurrency)),
            host: machine.host,
            events,
            boards: observer.watch(&boards).then_some(boards),
            pace: self.settings.pace,
        };
        let program = game_of(&self.settings.game);
        if let Some(program) = program {
            program.log_to(rules_log(self.reader.folder()));
        }
        let speed = Speed::start(&self.scheduler);
        let may_end_early = policy.may_end_early() || self.settings.budget.is_some();
        let has_tables = !self.scheduler.is_part();
        let title = self.settings.tables.title.as_deref();
        let mut rewrite = tables::rewriting(&self.reader, options, title, speed, may_end_early);
        let run = Run {
            scheduler: &mut self.scheduler,
            policy,
            journal: &mut self.journal,
            logs: BotLogs::open(self.reader.folder(), &slots.launches).with_fault_files(slots.event.seed),
            signals: &mut self.resources.runtime.signals,
            observer,
            moves,
            deadline: self.settings.budget.map(|budget| budget.deadline),
            until,
            rules_failed: &mut |record| {
                program.map_or(Ok(None), |game| write_fault(self.reader.folder(), game, record))
            },
            tick: &mut |scheduler, observer| if has_tables { rewrite(scheduler, observer) } else { Ok(()) },
        };
        let ending = self.resources.runtime.tokio.block_on(async {
            if let Some(workers) = &self.settings.workers {
                return workers.play(run, &self.seated).await;
            }
            let mut executor = Local::start(slots, concurrency, self.settings.pin)?;
            tournament::run(run, &mut executor).await
        });
        if let Some(Err(error)) = program.map(|program| program.log().finish()) {
            observer.observe(&RunEvent::Warning { text: format!("the log of the rules cannot be written: {error}") });
        }
        self.scheduler.leave_unsettled();
        self.rate = speed.games_per_second(&self.scheduler);
        // Without a game in this run, the journal still ends with the last stop.
        if matches!(ending, Ok(RunEnding::OutOfTime)) {
            self.stop = Some(Stop { why: StopReason::Budget });
        } else if self.rate.is_some() {
            self.stop = None;
        }
        Ok(ending?)
    }

    /// Whether other machines play the games.
    const fn is_elsewhere(&self) -> bool {
        self.settings.workers.is_some()
    }

    /// Puts the most telling games of bots that have been added first, and says so.
    fn observe_newcomers(&mut self, observer: &mut dyn Observer) {
        let new = self.scheduler.put_telling_games_first();
        let names: Vec<String> = new.iter().map(|bot| shown(&self.scheduler.event().bots[*bot].id.name)).collect();
        let text = match &names[..] {
            [] => return,
            [name] => format!("{name} is new: its most telling games come first"),
            names => format!("{} are new: their most telling games come first", names.join(", ")),
        };
        observer.observe(&RunEvent::Note { text });
    }

    /// Says how long the missing games take, if that is long.
    fn observe_estimate(&self, observer: &mut dyn Observer) {
        let event = self.scheduler.event();
        let times = |bot: usize| self.times.get(&event.bots[bot].id.name).copied();
        let moves = mean_moves(&self.settings.game, &event.openings, event.max_plies);
        let games = self.scheduler.missing().map(|game| game.bots.map(times));
        let RunEstimate { games, seconds, is_limit } =
            estimate(games, moves, event.clock, self.resources.capacity.games);
        if seconds >= ESTIMATE_MIN.as_secs_f64() {
            observer.observe(&RunEvent::Estimate { games, seconds, is_limit });
        }
    }

    /// Records that the budget ended before the missing games.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be written.
    pub fn stop_out_of_time(&mut self) -> Result<(), SessionError> {
        let stop = Stop { why: StopReason::Budget };
        self.journal.append_stop(stop)?;
        self.stop = Some(stop);
        Ok(self.journal.sync()?)
    }
}
