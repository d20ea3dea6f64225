//! Playing what is missing, with progress, and with tables that are there whatever happens.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;

use super::arrange::Arranged;
use super::event_args::{EventArgs, Pin};
use super::games_are_safe;
use super::progress::Progress;
use crate::catalogue::Catalogue;
use crate::event::Event;
use crate::journal::Reader;
use crate::player::process::Launch;
use crate::report::{Durability, Machine, Results, write_standings};
use crate::stats::AnalysisOptions;
use crate::strikes::Strikes;
use crate::text::{counted, shown};
use crate::time::now;
use crate::tournament::{Ending, Plan, Update};

/// Standings are rewritten while a tournament runs, but never for more than a small part of its time.
const REWRITE_EVERY: Duration = Duration::from_secs(2);
const REWRITE_SHARE: u32 = 20;

/// Plays the missing games of `arranged`; afterwards its catalogue has them. `enough` looks at each finished game and at
/// each bot that is withdrawn, and says whether the rest need not be played.
pub(super) fn play(
    arranged: &mut Arranged,
    args: &EventArgs,
    machine: &Machine,
    options: &AnalysisOptions,
    enough: impl FnMut(&Update<'_>, &mut Progress) -> bool,
) -> anyhow::Result<Ending> {
    let missing = arranged.catalogue.missing();
    if missing.is_empty() {
        return Ok(Ending::Complete);
    }
    let scratch = &arranged.scratch.0;
    let launches = arranged.seated.iter().map(|bot| Launch { scratch: scratch.clone(), ..bot.launch.clone() });
    let plan = Plan {
        event: Arc::clone(&arranged.event),
        variant: args.game.clone(),
        games: Arc::clone(arranged.catalogue.schedule()),
        missing,
        launches: launches.collect(),
        strikes: arranged.strikes.clone(),
        concurrency: arranged.concurrency,
        pin: args.pin == Pin::Core,
        host: machine.host.clone(),
        dir: arranged.dir.clone(),
    };
    let mut watcher = Watcher {
        progress: Progress::new(plan.missing.len() as u64, args.quiet),
        unwritten: false,
        event: &arranged.event,
        catalogue: &mut arranged.catalogue,
        strikes: &mut arranged.strikes,
        reader: &arranged.reader,
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
    catalogue: &'a mut Catalogue,
    strikes: &'a mut Strikes,
    reader: &'a Reader,
    machine: &'a Machine,
    dir: &'a Path,
    next_write: Instant,
    /// Whether games are missing in the tables.
    unwritten: bool,
    options: &'a AnalysisOptions,
    enough: E,
}

impl<E: FnMut(&Update<'_>, &mut Progress) -> bool> Watcher<'_, E> {
    fn note(&mut self, update: &Update<'_>) -> anyhow::Result<ControlFlow<()>> {
        match update {
            Update::Finished(place, record, brief) => {
                self.progress.finished(record);
                self.catalogue.add(*place, *brief);
                self.strikes.note(record);
                self.unwritten = true;
                if (self.enough)(update, &mut self.progress) {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Update::TriedAgain(place, record, brief) => {
                self.catalogue.add(*place, *brief);
                // Also where one bot spoils the games of others, which no table tells.
                self.progress.say(&format!("a game was void and is played again: {}", shown(&record.reason)));
            }
            Update::Withdrawn { name, why, games } => {
                if (self.enough)(update, &mut self.progress) {
                    return Ok(ControlFlow::Break(()));
                }
                self.progress.say(&format!("{} is {why}; not played: {}", shown(name), counted(*games, "game")));
            }
            Update::Gone(name, change) => self.progress.say(&format!(
                "taken out of this run: {name}: {change}; its finished games stay, run again to play it as it is now"
            )),
            Update::Trouble(what) => self.progress.say(&format!("warning: {what}")),
            Update::Tick => self.rewrite()?,
            Update::Stopping => {
                self.progress.say("stopping: running games are finished first; once more to leave at once");
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn rewrite(&mut self) -> anyhow::Result<()> {
        let begun = now();
        if begun < self.next_write || !self.unwritten {
            return Ok(());
        }
        let results = Results::new(self.event, self.catalogue, self.reader, self.strikes, self.options)?;
        write_standings(self.dir, &results, self.machine, Durability::Flushed)
            .with_context(|| games_are_safe(self.dir))?;
        self.unwritten = false;
        let took = now() - begun;
        self.next_write = now() + REWRITE_EVERY.max(took * REWRITE_SHARE);
        Ok(())
    }
}
