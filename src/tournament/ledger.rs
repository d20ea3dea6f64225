//! The ledger: what ends is written down, and what follows from it. The task of the dispatcher alone has it.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

use super::log::BotLogs;
use super::remarks::Remarks;
use super::slot::record;
use super::{Finished, Shared, Update};
use crate::catalogue::Due;
use crate::journal::Journal;
use crate::referee::Verdict;
use crate::strikes::Strikes;

/// So many games in a row that failed because of us end the run: the machine is short of something, and the journal is
/// not to be filled with void games. More than any one bot could bring about that makes all of its games fail.
const FAILURES_MAX: usize = 10;

pub(super) struct Ledger<'a, W> {
    pub(super) journal: &'a mut Journal,
    pub(super) logs: BotLogs,
    pub(super) strikes: Strikes,
    pub(super) remarks: Remarks,
    pub(super) shared: &'a Shared,
    pub(super) watch: W,
    /// Games of the plan that were tried or given up.
    pub(super) entered: usize,
    /// The latest of them that failed because of us, in a row.
    pub(super) failures: usize,
    /// Those that came out void and are to be played again, in another run.
    pub(super) void: Vec<Due>,
}

impl<W: FnMut(Update<'_>) -> anyhow::Result<ControlFlow<()>>> Ledger<'_, W> {
    /// Writes down the game at `place` of the schedule, and with it those that bots lose which are withdrawn because of it.
    /// A log is an aid: if it cannot be written, the games go on.
    pub(super) fn enter(&mut self, place: usize, finished: &mut Finished) -> anyhow::Result<ControlFlow<()>> {
        if finished.changes != [None, None] {
            let _ = self.log(finished, ", thrown away")?;
            return self.note_gone(finished);
        }
        self.remarks.bound(finished);
        let brief = self.journal.append_game(&finished.record)?;
        let _ = self.log(finished, "")?;
        self.entered += 1;
        self.count_failures(finished)?;
        if (self.watch)(Update::Finished(place, &finished.record, brief))?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        if !brief.is_settled() {
            let repeat = finished.record.repeat.saturating_add(1);
            self.void.push(Due { place: place as u32, repeat });
        }
        let withdrawn = self.strikes.note(&finished.record);
        let withdrawn: Vec<usize> = withdrawn.into_iter().map(|seat| finished.bots[seat.index()]).collect();
        self.forfeit(&withdrawn, false)
    }

    /// Writes down a game that failed because of us and is tried again.
    pub(super) fn enter_failed(&mut self, place: usize, finished: &mut Finished) -> anyhow::Result<ControlFlow<()>> {
        self.remarks.bound(finished);
        let brief = self.journal.append_game(&finished.record)?;
        let _ = self.log(finished, ", tried again")?;
        (self.watch)(Update::TriedAgain(place, &finished.record, brief))
    }

    /// Writes down what bots wrote in a game, under a title that ends in `what`.
    pub(super) fn log(&mut self, finished: &Finished, what: &str) -> anyhow::Result<ControlFlow<()>> {
        match self.logs.append(&finished.record, finished.bots, &finished.logs, what) {
            Ok(()) => Ok(ControlFlow::Continue(())),
            Err(error) => (self.watch)(Update::Trouble(&format!("{error:#}; that log is not continued"))),
        }
    }

    /// Writes down what bots wrote when no game was to come for them.
    pub(super) fn log_last_words(&mut self, words: &[(usize, Vec<String>)]) -> anyhow::Result<ControlFlow<()>> {
        for (bot, lines) in words {
            if let Err(error) = self.logs.append_lines(*bot, "after its last game", lines)
                && (self.watch)(Update::Trouble(&format!("{error:#}; that log is not continued")))?.is_break()
            {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Takes bots that are not what they were out of the run; their games are no records of anybody.
    fn note_gone(&mut self, finished: &Finished) -> anyhow::Result<ControlFlow<()>> {
        for (bot, change) in finished.bots.into_iter().zip(&finished.changes) {
            if let Some(change) = change
                && !self.shared.gone[bot].swap(true, Ordering::Relaxed)
                && (self.watch)(Update::Gone(&self.shared.plan.launches[bot].name, change))?.is_break()
            {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Begins no more games once too many in a row have failed because of us.
    fn count_failures(&mut self, finished: &Finished) -> anyhow::Result<()> {
        self.failures = if finished.is_our_failure() { self.failures + 1 } else { 0 };
        if self.failures == FAILURES_MAX.max(2 * self.shared.plan.launches.len()) {
            self.shared.stop.store(true, Ordering::Relaxed);
            let (count, reason) = (self.failures, &finished.record.reason);
            let why = format!("{count} games in a row could not be run: {reason}; no more are begun");
            let _ = (self.watch)(Update::Trouble(&why))?;
        }
        Ok(())
    }

    /// Writes down what bots lose that were withdrawn before this run.
    pub(super) fn forfeit_for_those_before(&mut self) -> anyhow::Result<ControlFlow<()>> {
        let bots = self.shared.plan.event.bots.iter().enumerate();
        let withdrawn = bots.filter(|(_, bot)| self.strikes.withdrawn(&bot.id).is_some());
        let withdrawn: Vec<usize> = withdrawn.map(|(bot, _)| bot).collect();
        self.forfeit(&withdrawn, false)
    }

    /// Writes down what withdrawn bots lose of the games that another run would play again: it would not start them.
    pub(super) fn forfeit_at_the_end(&mut self) -> anyhow::Result<ControlFlow<()>> {
        self.forfeit(&[], true)
    }

    /// Writes down, unplayed, all games that nobody has taken yet of the `new` bots; they are withdrawn. So are void games
    /// of two bots that are, and `at_the_end` of one that is.
    fn forfeit(&mut self, new: &[usize], at_the_end: bool) -> anyhow::Result<ControlFlow<()>> {
        let (plan, taken) = (&self.shared.plan, &self.shared.taken);
        let why = |bot: usize| self.strikes.withdrawn(&plan.event.bots[bot].id);
        let bots = |due: &Due| plan.games[due.place as usize].bots;
        let mut lost: Vec<Due> = Vec::new();
        if !new.is_empty() {
            let concerned = |due: &Due| bots(due).iter().any(|bot| new.contains(bot));
            let free = plan.missing.iter().zip(taken);
            let free = free.filter(|(due, taken)| concerned(due) && !taken.swap(true, Ordering::Relaxed));
            lost.extend(free.map(|(due, _)| *due));
            self.entered += lost.len();
        }
        let is_lost = |due: &mut Due| match bots(due).map(|bot| why(bot).is_some()) {
            [true, true] => true,
            [first, second] => at_the_end && (first || second),
        };
        lost.extend(self.void.extract_if(.., is_lost));
        for bot in new {
            let games = lost.iter().filter(|due| bots(due).contains(bot)).count();
            let name = &plan.event.bots[*bot].id.name;
            let update = Update::Withdrawn { name, why: why(*bot).unwrap_or_default(), games };
            // Who has no game left was told of before, or is in the tables.
            if games > 0 && (self.watch)(update)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        for due in lost {
            let game = &plan.attempt(due);
            let record = record(plan, game, Verdict::withdrawn(game.bots.map(why)), crate::time::timestamp());
            let brief = self.journal.append_game(&record)?;
            if (self.watch)(Update::Finished(due.place as usize, &record, brief))?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
