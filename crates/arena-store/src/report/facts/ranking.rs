//! The games that count, and the ranking that follows from them.

use std::collections::{BTreeSet, HashMap};

use arena_core::event::{Entry, Tournament};
use arena_core::import::GameRow;
use arena_core::rules::{Move, Seat};
use arena_core::schedule::{Planned, Scheduler};
use arena_core::stats::{AnalysisOptions, Duplicates};
use arena_show::views::{Ranking, TagColumn};

/// Analyses the games that count. Games that repeat another move for move form one cluster with it.
#[must_use]
pub fn rank(schedule: &Scheduler, options: &AnalysisOptions) -> Ranking {
    let event = schedule.event();
    let mut duplicates = Duplicates::default();
    let games = counted_games(schedule, &mut duplicates).map(|(_, game)| game);
    let names = event.bots.iter().map(|entry| entry.id.name.clone().into_bytes()).collect();
    let mut options = *options;
    // Bots that look alike meet more often, which stretches a fit without a prior.
    options.rating.fitted_prior |= schedule.prefers_likes();
    let mut ranking = Ranking::of(names, games, &options);
    ranking.tags = tag_columns(&event.bots);
    ranking.repeated = duplicates.total();
    ranking.sheet = schedule.sheet();
    if let Some(sheet) = &ranking.sheet
        && !sheet.ranks.is_empty()
    {
        ranking.analysis.rank_by_format(&sheet.ranks);
    }
    ranking.seat_names = event.variant().ok().and_then(|variant| variant.rules.seat_names());
    ranking.challengers = schedule.challengers().to_vec();
    ranking.withdrawn = (0..event.bots.len()).filter(|bot| schedule.withdrawal(*bot).is_some()).collect();
    ranking
}

/// All tags of these bots, by name.
fn tag_columns(bots: &[Entry]) -> Vec<TagColumn> {
    let names: BTreeSet<&str> = bots.iter().flat_map(|bot| bot.tags.iter().map(|(name, _)| name)).collect();
    let column = |name: &str| {
        let values = bots.iter().map(|bot| bot.tags.get(name).cloned()).collect();
        TagColumn { name: name.to_owned(), values }
    };
    names.into_iter().map(column).collect()
}

/// The games that count, in the order of the schedule, as ratings take them.
pub fn counted_games<'a>(
    schedule: &'a Scheduler,
    duplicates: &'a mut Duplicates<u64>,
) -> impl Iterator<Item = (Planned, GameRow)> + 'a {
    let openings = shared_openings(schedule.event());
    schedule.played().map(move |(game, brief)| {
        let [first, second] = game.bots.map(|bot| bot as u32);
        let rated = brief.is_rated();
        let cluster = if rated { duplicates.add(game.bots, brief.moves, game.pair) } else { game.pair };
        let opening = openings.get(game.opening).copied();
        let loser = brief.result.winner().map(Seat::other);
        let forfeit = loser.is_some_and(|loser| brief.statuses[loser.index()].is_fault());
        (game, GameRow { first, second, pair: game.pair, cluster, opening, result: brief.result, forfeit, rated })
    })
}

/// For each opening, the index of the first equal one. Empty with hidden information: every game has its own seed there,
/// so single games are the sampling unit.
fn shared_openings(event: &Tournament) -> Vec<u32> {
    let open = event.open_information();
    let mut first: HashMap<&[Move], u32> = HashMap::new();
    let openings = event.openings.iter().filter(|_| open);
    (0..).zip(openings).map(|(place, opening)| *first.entry(opening.as_slice()).or_insert(place)).collect()
}
