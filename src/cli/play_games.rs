//! Playing what is missing, with progress, and with tables that are there whatever happens.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;

use super::arrange::Arranged;
use super::event_args::{EventArgs, Pin};
use super::games_are_safe;
use super::progress::Progress;
use crate::executor::{Local, SlotSettings};
use crate::journal::Reader;
use crate::observer::Ending;
use crate::player::process::Launch;
use crate::report::{Durability, Machine, Results, write_standings};
use crate::schedule::{Policy, Scheduler};
use crate::stats::AnalysisOptions;
use crate::tournament::{self, BotLogs, Run};

/// Standings are rewritten while a tournament runs, but never for more than a small part of its time.
const REWRITE_EVERY: Duration = Duration::from_secs(2);
const REWRITE_SHARE: u32 = 20;

/// Plays the missing games of `arranged`, and what `policy` adds to them; afterwards its schedule has them.
pub(super) fn play(
    arranged: &mut Arranged,
    args: &EventArgs,
    machine: &Machine,
    options: &AnalysisOptions,
    policy: &mut dyn Policy,
) -> anyhow::Result<Ending> {
    let scratch = &arranged.scratch.0;
    let launches = arranged.seated.iter().map(|bot| Launch { scratch: scratch.clone(), ..bot.launch.clone() });
    let settings = SlotSettings {
        event: Arc::clone(arranged.scheduler.event()),
        variant: args.game.clone(),
        launches: launches.collect(),
        live_bots: arranged.live_bots,
        host: machine.host.clone(),
    };
    let logs = BotLogs::open(&arranged.dir.join("bots"), &settings.launches);
    let mut progress = Progress::new(args.quiet);
    let mut tables = Tables { reader: &arranged.reader, machine, dir: &arranged.dir, options, next: now(), written: 0 };
    let run = Run {
        scheduler: &mut arranged.scheduler,
        policy,
        journal: &mut arranged.journal,
        logs,
        signals: &mut arranged.signals,
        observer: &mut progress,
        tick: &mut |scheduler| tables.rewrite(scheduler),
    };
    arranged.runtime.block_on(async {
        let executor = Local::start(settings, arranged.concurrency, args.pin == Pin::Core)?;
        tournament::run(run, executor).await
    })
}

/// The tables of a running tournament.
struct Tables<'a> {
    reader: &'a Reader,
    machine: &'a Machine,
    dir: &'a Path,
    options: &'a AnalysisOptions,
    /// When they may be written next.
    next: Instant,
    /// Games that were settled when they were written last.
    written: u32,
}

impl Tables<'_> {
    fn rewrite(&mut self, scheduler: &Scheduler) -> anyhow::Result<()> {
        let begun = now();
        if begun < self.next || self.written == scheduler.attempts() {
            return Ok(());
        }
        let results = Results::new(scheduler, self.reader, self.options)?;
        write_standings(self.dir, &results, self.machine, Durability::Flushed)
            .with_context(|| games_are_safe(self.dir))?;
        self.written = scheduler.attempts();
        self.next = now() + REWRITE_EVERY.max((now() - begun) * REWRITE_SHARE);
        Ok(())
    }
}

#[expect(clippy::disallowed_methods, reason = "the command line is part of the shell")]
fn now() -> Instant {
    Instant::now()
}
