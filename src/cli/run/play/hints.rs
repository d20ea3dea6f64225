//! Which bot gives hints.

use std::path::Path;

use anyhow::bail;
use arena_bots::strategy::{STRATEGIES, Strategy};
use arena_core::rules::Variant;
use arena_play::player::human::HUMAN;
use arena_play::program::game_of;
use arena_play::roster::{FoundBot, Roster, RosterSettings};
use arena_run::session::{listed, tournament_json};
use arena_sys::results_folder::Place;
use serde::Deserialize;

use super::{Args, check_plays, plays};

/// The bot that gives hints: the one named, or the strongest for the game. Built-in bots that are strong do not know games of
/// programs; in those it is the best bot of the folder.
pub(super) fn hints(args: &Args, game: &Variant, settings: &RosterSettings) -> anyhow::Result<Option<FoundBot>> {
    if let Some(name) = args.hints.as_deref() {
        if name == HUMAN {
            bail!("--hints names a bot, not a person");
        }
        let found = args.bots.find(name, settings)?;
        check_plays(&found, game)?;
        return Ok(Some(found));
    }
    if game_of(game).is_some()
        && let Some(best) = best_of_folder(args, game, settings)?
    {
        return Ok(Some(best));
    }
    // A bot in the folder may have the name of a built-in one.
    let strongest = STRATEGIES.iter().rev().find(|strategy| (strategy.plays)(game));
    strongest.map(|strategy| Roster::builtin(strategy, settings)).transpose()
}

/// The best bot of the folder by the last tournament of this game; without one, the first that does not play at random.
fn best_of_folder(args: &Args, game: &Variant, settings: &RosterSettings) -> anyhow::Result<Option<FoundBot>> {
    let ranked = ranked(&args.results.results, game)?;
    let place = |bot: &FoundBot| ranked.iter().position(|name| *name == bot.launch.name).unwrap_or(ranked.len());
    let roster = args.bots.roster_with_builtins(settings, |_| false)?;
    let able = roster.bots.into_iter().filter(|bot| {
        let is_able = |strategy: &Strategy| strategy.name != "random" && (strategy.plays)(game);
        plays(bot, game) && bot.refused.is_empty() && strategy_of(bot).is_none_or(is_able)
    });
    Ok(able.min_by_key(place))
}

/// The built-in strategy that a bot is, if it is one.
fn strategy_of(bot: &FoundBot) -> Option<&'static Strategy> {
    let name = bot.command.strip_prefix("builtin ")?.split(' ').next()?;
    Strategy::named(name).ok()
}

/// What is read of a `tournament.json`.
#[derive(Deserialize)]
struct Played {
    game: String,
    updated: String,
    summary: Summary,
}

#[derive(Deserialize)]
struct Summary {
    standings: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    name: String,
}

/// The names of the bots in the latest tournament of this game, also by earlier rules, the best first. Folders that cannot be
/// read are passed over: there may be anything, and only a hint depends on it.
fn ranked(results: &Path, game: &Variant) -> anyhow::Result<Vec<String>> {
    let name = |rules: &str| rules.split('@').next().unwrap_or_default().to_owned();
    let read = |place: &Place| serde_json::from_slice::<Played>(&tournament_json(&place.open().ok()?).ok()?).ok();
    let tournaments = listed(results, true, &mut |_, _| ())?.into_iter();
    let places = tournaments.flat_map(|found| found.games.unwrap_or_else(|| vec![found.place]));
    let of_game = places.filter_map(|place| read(&place)).filter(|played| name(&played.game) == name(game.rules.name));
    // Times are written so that they sort.
    let latest = of_game.max_by(|a, b| a.updated.cmp(&b.updated));
    Ok(latest.map_or_else(Vec::new, |played| played.summary.standings.into_iter().map(|row| row.name).collect()))
}
