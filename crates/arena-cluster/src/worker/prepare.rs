//! Prepares an event on this machine: its manifest and its bots are fetched and checked, and slots are started.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use arena_core::event::Tournament;
use arena_core::text::shown;
use arena_guard::GuardProgram;
use arena_play::executor::{Executor as _, Local, SlotSettings};
use arena_play::program;
use arena_play::roster::{FoundBot, RosterSettings, RulesReach};
use arena_run::session::{Capacity, Scratch, fence_in, open_files_max, refused, try_out};
use arena_sys::machine::Machine;

use super::WorkerSettings;
use crate::cluster::broker::{Broker, Denied};
use crate::cluster::manifest::{BotSource, EventManifest};
use crate::cluster::package::PACKAGE_BYTES_MAX;
use crate::cluster::store::Store;

/// Maximum size of a manifest: it has an entry for each bot.
const MANIFEST_BYTES_MAX: u64 = 64 << 20;
/// Attempts to fetch something, with a pause after each: the broker may be restarting.
const FETCHES: u32 = 3;
const PAUSE: Duration = Duration::from_secs(1);

/// An event that can be played.
pub(super) struct Ready {
    pub(super) id: String,
    pub(super) event: Arc<Tournament>,
    pub(super) local: Local,
    /// What this machine lacks, and what bots asked for and do not get.
    pub(super) warnings: Vec<String>,
}

impl Ready {
    /// Lets the bots leave.
    pub(super) async fn end(mut self) {
        self.local.close();
        while self.local.next().await.is_some() {}
    }
}

/// Prepares the event with this id.
///
/// # Errors
///
/// Returns an error, which names the bot or the key, if this worker does not play it.
pub(super) async fn prepare(
    broker: Broker,
    id: String,
    settings: Arc<WorkerSettings>,
    scratch: Arc<Scratch>,
) -> anyhow::Result<Ready> {
    let bytes = fetch(&broker, &id, MANIFEST_BYTES_MAX).await?;
    let manifest = EventManifest::open(&bytes, &settings.trusted)?;
    ensure!(
        manifest.id() == id,
        "the manifest of event {} is that of {}; it was changed, and is not used",
        shown(&id),
        manifest.id()
    );
    let of_bots = manifest.bots().iter().filter_map(|bot| match &bot.source {
        BotSource::Package(hash) => Some((format!("bot `{}`", shown(&bot.name)), hash.as_str())),
        BotSource::Builtin(_) => None,
    });
    let of_rules = manifest.rules().map(|hash| ("the rules of the game".to_owned(), hash));
    for (of, hash) in of_rules.into_iter().chain(of_bots) {
        if !settings.store.has(hash) {
            let bytes = fetch(&broker, hash, PACKAGE_BYTES_MAX).await.with_context(|| of.clone())?;
            let (store, hash) = (settings.store.clone(), hash.to_owned());
            tokio::task::spawn_blocking(move || store.put(&hash, &bytes)).await?.context(of)?;
        }
    }
    tokio::task::spawn_blocking(move || start(id, &manifest, &settings, &scratch)).await?
}

/// Loads the bots and starts the slots.
fn start(id: String, manifest: &EventManifest, settings: &WorkerSettings, scratch: &Scratch) -> anyhow::Result<Ready> {
    let event = Arc::new(manifest.event().clone());
    let of_bots = manifest.settings().with_guard(GuardProgram::this_arena());
    if let Some(hash) = manifest.rules() {
        load_rules(&event, &settings.store, hash, &of_bots, scratch)?;
    }
    let variant = event.variant().context("the game of the event")?;
    ensure!(
        variant.rules.version == event.rules_version,
        "the event has version {} of the rules of {}, this arena has {}; use one version of arena on all machines",
        event.rules_version,
        variant.rules.name,
        variant.rules.version
    );
    let bots = manifest.bots().iter().map(|bot| bot.load(&settings.store, &of_bots));
    let mut bots = bots.collect::<anyhow::Result<Vec<FoundBot>>>()?;
    fence_in(&mut bots, event.clock.charge, &[settings.store.root()]);
    let mut warnings = refused(&bots);
    warnings.extend(try_out(&bots.iter().collect::<Vec<_>>(), scratch)?);
    let capacity = Capacity::of(open_files_max(), settings.slots, bots.len());
    if capacity.games < settings.slots {
        warnings.push(format!("the limit of open files allows {} games at a time (ulimit -n)", capacity.games));
    }
    let machine = Machine::this();
    let slots = SlotSettings {
        event: Arc::clone(&event),
        variant,
        launches: bots.iter().map(|bot| scratch.launch(bot)).collect(),
        live_bots: capacity.live_bots,
        machine: Some(machine.played_on(capacity.games)),
        host: machine.host,
        events: None,
        boards: None,
        pace: None,
    };
    let local = Local::start(slots, capacity.games, settings.pin)?;
    Ok(Ready { id, event, local, warnings })
}

/// Makes the game of an event known whose rules are in a package.
fn load_rules(
    event: &Tournament,
    store: &Store,
    hash: &str,
    settings: &RosterSettings,
    scratch: &Scratch,
) -> anyhow::Result<()> {
    let path = store.rules(hash).context("the rules of the game")?;
    // The coordinator has read the manifest, and its key is trusted for the bots too.
    let settings = &RosterSettings { rules_reach: RulesReach::AsWritten, ..settings.clone() };
    let loaded = program::load(&path, None, settings, scratch.path(), &[store.root().to_owned()]);
    // Games are played by other threads, which have processes of their own.
    program::leave();
    let rules = loaded?.rules;
    ensure!(
        rules.name == event.game,
        "the rules of {} are {} here: the library that they use has another version, or their package was changed in {}; \
         install the same version on all machines",
        shown(&event.game),
        rules.name,
        path.display()
    );
    Ok(())
}

async fn fetch(broker: &Broker, name: &str, bytes_max: u64) -> anyhow::Result<Vec<u8>> {
    let mut tries = FETCHES;
    loop {
        match broker.fetch(name, bytes_max).await {
            Err(error) if tries > 1 && !error.is::<Denied>() => tries -= 1,
            fetched => return fetched,
        }
        tokio::time::sleep(PAUSE).await;
    }
}
