//! Playing what is missing, with progress, and with tables that are there whatever happens.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::arrange::Arranged;
use super::event_args::{EventArgs, Pin};
use super::progress::Progress;
use crate::event::{Event, ScheduledGame};
use crate::player::process::Launch;
use crate::record::Record;
use crate::report::{Durability, Machine, Results, write_all};
use crate::stats::AnalysisOptions;
use crate::strikes::Strikes;
use crate::text::{counted, shown};
use crate::tournament::{Ending, Plan, Update};

/// Tables are rewritten while a tournament runs, but never for more than a small part of its time.
const REWRITE_EVERY: Duration = Duration::from_secs(2);
const REWRITE_SHARE: u32 = 20;

/// Plays the missing games of `arranged`; afterwards its records hold them. `enough` looks at each finished game and
/// says whether the rest need not be played.
pub(super) fn play(
    arranged: &mut Arranged,
    args: &EventArgs,
    machine: &Machine,
    options: &AnalysisOptions,
    enough: impl FnMut(&Record, &mut Progress) -> bool,
) -> anyhow::Result<Ending> {
    if arranged.missing.is_empty() {
        return Ok(Ending::Complete);
    }
    let scratch = &arranged.scratch.0;
    let launches = arranged.seated.iter().map(|bot| Launch { scratch: scratch.clone(), ..bot.launch.clone() });
    let plan = Plan {
        event: Arc::new(arranged.event.clone()),
        variant: args.game.clone(),
        games: std::mem::take(&mut arranged.missing),
        launches: launches.collect(),
        strikes: Strikes::of(&arranged.records),
        concurrency: arranged.concurrency,
        pin: args.pin == Pin::Core,
        host: machine.host.clone(),
        dir: arranged.dir.clone(),
    };
    let mut watcher = Watcher {
        progress: Progress::new(plan.games.len() as u64, args.quiet),
        written: arranged.records.len(),
        event: &arranged.event,
        schedule: &arranged.schedule,
        records: &mut arranged.records,
        machine,
        dir: &arranged.dir,
        next_write: now() + REWRITE_EVERY,
        options,
        enough,
    };
    let running =
        crate::tournament::run(plan, &mut arranged.journal, &mut arranged.signals, |update| watcher.note(&update));
    let ending = arranged.runtime.block_on(running);
    watcher.progress.end();
    ending
}

/// Follows a running tournament: progress, and tables that are there whatever happens.
struct Watcher<'a, E> {
    progress: Progress,
    event: &'a Event,
    schedule: &'a [ScheduledGame],
    records: &'a mut Vec<Record>,
    machine: &'a Machine,
    dir: &'a Path,
    next_write: Instant,
    /// Records that are in the tables.
    written: usize,
    options: &'a AnalysisOptions,
    enough: E,
}

impl<E: FnMut(&Record, &mut Progress) -> bool> Watcher<'_, E> {
    fn note(&mut self, update: &Update<'_>) -> anyhow::Result<ControlFlow<()>> {
        match update {
            Update::Finished(record) => {
                self.progress.finished(record);
                self.records.push((*record).clone());
                if (self.enough)(record, &mut self.progress) {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Update::Withdrawn { name, why, games } => {
                self.progress.say(&format!("{} is {why}; not played: {}", shown(name), counted(*games, "game")));
            }
            Update::Tick => self.rewrite()?,
            Update::Stopping => {
                self.progress.say("stopping: running games are finished first; once more to leave at once");
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn rewrite(&mut self) -> anyhow::Result<()> {
        let begun = now();
        if begun < self.next_write || self.records.len() == self.written {
            return Ok(());
        }
        let results = Results::new(self.event, self.schedule, &*self.records, self.options);
        write_all(self.dir, &results, self.machine, Durability::Flushed)?;
        self.written = self.records.len();
        let took = now() - begun;
        self.next_write = now() + REWRITE_EVERY.max(took * REWRITE_SHARE);
        Ok(())
    }
}

#[expect(clippy::disallowed_methods, reason = "the command line is part of the shell")]
fn now() -> Instant {
    Instant::now()
}
