//! A session whose games are played by workers of the broker.

use std::sync::Arc;

use arena_core::event::Tournament;
use arena_play::roster::{self, FoundBot};
use arena_run::session::{RemoteRun, SessionWorkers};
use arena_run::tournament::{self, Run};
use arena_show::observer::RunEnding;
use arena_sys::machine::Machine;

use super::coordinator::{Coordinator, PackedEvent, WorkerTerms};
use super::{SecretKey, Store, prepare};

/// Workers that play the games of a session.
#[derive(Debug, Clone)]
pub struct NatsWorkers {
    /// The broker and its times.
    pub terms: WorkerTerms,
    /// The settings of the bots.
    pub bots: roster::RosterSettings,
    /// The key that signs the event.
    pub key: Option<Arc<SecretKey>>,
    /// Where packages of bots are tried.
    pub store: Store,
}

impl SessionWorkers for NatsWorkers {
    fn play<'a>(&'a self, run: Run<'a>, bots: &'a [FoundBot]) -> RemoteRun<'a> {
        Box::pin(self.run(run, bots))
    }
}

impl NatsWorkers {
    async fn run(&self, run: Run<'_>, bots: &[FoundBot]) -> anyhow::Result<RunEnding> {
        let scheduler = &*run.scheduler;
        let event = Arc::clone(scheduler.event());
        let packed = self.packed(&event, bots)?;
        let is_settled = |place: &u32| scheduler.at(*place).is_some_and(|brief| brief.is_settled());
        let settled: Vec<u32> = (0..scheduler.total()).filter(is_settled).collect();
        let (host, may_end_early) = (Machine::this().host, run.policy.may_end_early());
        let mut executor = Coordinator::start(event, host, packed, &self.terms, settled, may_end_early).await?;
        let ending = tournament::run(run, &mut executor).await;
        executor.finish(matches!(ending, Ok(RunEnding::Complete | RunEnding::Enough))).await;
        ending
    }

    /// What workers need to play the event.
    fn packed(&self, event: &Tournament, bots: &[FoundBot]) -> anyhow::Result<PackedEvent> {
        if let Some(bot) = bots.iter().find(|bot| bot.is_in_process()) {
            anyhow::bail!(
                "`{}` is a player of this program, which no worker has; give workers programs",
                bot.launch.name
            );
        }
        // Jobs have their openings. Without what may differ from run to run the event has the same id after a restart, so that
        // results which wait at the broker are found.
        let event = Tournament {
            openings: vec![Vec::new()],
            book: None,
            dropped: Vec::new(),
            left_out: Vec::new(),
            earlier: Vec::new(),
            warnings: Vec::new(),
            ..event.clone()
        };
        let prepared = prepare(&event, bots, &self.bots, &self.store)?;
        let manifest = match &self.key {
            Some(key) => prepared.manifest.sign(key)?,
            None => prepared.manifest.bytes().to_vec(),
        };
        let id = prepared.manifest.id();
        let packages = prepared.packages.into_iter().map(|package| (package.hash, package.bytes));
        let objects = packages.chain([(id.clone(), manifest)]).collect();
        Ok(PackedEvent { id, objects })
    }
}
