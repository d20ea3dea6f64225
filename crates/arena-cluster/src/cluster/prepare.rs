//! Prepares an event for workers.

use anyhow::{Context, bail};
use arena_core::event::Tournament;
use arena_core::text::shown;
use arena_play::program::game_of;
use arena_play::roster::{FoundBot, RosterSettings, builtin};

use super::manifest::{BotSettings, BotSource, EventManifest, PackedBot};
use super::package::{Package, pack, pack_rules};
use super::store::Store;

/// An event that workers can play.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// What is played.
    pub manifest: EventManifest,
    /// The packages of its bots and its rules, each once.
    pub packages: Vec<Package>,
}

/// Packs the bots of an event, which are among `bots`, and its rules, if they are a program of this process. Each package of a
/// bot is loaded again from `store`, so that one that would be refused by workers is refused here.
///
/// # Errors
///
/// Returns an error if a bot or the program of the rules is not there, cannot be packed, or would be another one elsewhere.
pub fn prepare(
    event: &Tournament,
    bots: &[FoundBot],
    settings: &RosterSettings,
    store: &Store,
) -> anyhow::Result<Prepared> {
    let elsewhere = BotSettings::of(settings).with_guard(settings.guard.clone());
    let mut packages: Vec<Package> = Vec::new();
    let mut sources = Vec::new();
    let mut rules = None;
    if event.program.is_some() {
        let game = event.variant().ok().and_then(|variant| game_of(&variant));
        let game = game.with_context(|| format!("the program of {} is not there", shown(&event.game)))?;
        let package = pack_rules(&game.program)?;
        store.put(&package.hash, &package.bytes)?;
        rules = Some(package.hash.clone());
        packages.push(package);
    }
    for entry in &event.bots {
        let name = shown(&entry.id.name);
        let found = bots.iter().find(|found| found.launch.name == entry.id.name);
        let found = found.with_context(|| format!("the bot `{name}` of the event is not there"))?;
        if found.fingerprint != entry.id.fingerprint {
            bail!("the bot `{name}` was changed since the event began; play it as a new bot, under another name");
        }
        let source = if let Some(strategy) = builtin(found) {
            BotSource::Builtin(strategy.name.to_owned())
        } else {
            let package = pack(found)?;
            let hash = package.hash.clone();
            store.put(&hash, &package.bytes)?;
            if packages.iter().all(|known| known.hash != hash) {
                packages.push(package);
            }
            BotSource::Package(hash)
        };
        let bot = PackedBot { name: entry.id.name.clone(), fingerprint: entry.id.fingerprint.clone(), source };
        bot.load(store, &elsewhere).context("trying what a worker would do")?;
        sources.push(bot.source);
    }
    Ok(Prepared { manifest: EventManifest::new(event, sources, rules, settings)?, packages })
}
