//! Results made readable: the files of a results folder, the tables for a terminal, and the replay of a game.
//!
//! Everything is derived from the event, its schedule and the journal, and can be rebuilt from them at any time.
//! Nothing here prints or decides anything: functions return text or write to a given writer. All foreign text goes
//! through [`crate::text`] before it reaches a terminal.

mod bots;
mod cells;
mod files;
#[cfg(test)]
pub(crate) mod fixture;
mod games;
mod ranking;
mod replay;
mod sentences;
mod standings;
mod statements;
mod summary;
mod table;
#[cfg(test)]
mod tests;
mod tournament;

use std::collections::HashMap;
use std::path::Path;

pub use bots::bots_csv;
pub use files::{Durability, replace};
pub use games::games_csv;
pub use ranking::Ranking;
pub use replay::{Frame, ReplayError, frames};
pub use sentences::{fault_sentences, warnings};
pub use standings::{crosstable_csv, head_to_head_csv, standings_csv};
pub use statements::statements;
pub use summary::{Summary, summary_json};
pub use table::{crosstable_text, ranking_text, standings_text, summary_text};
pub use tournament::{Machine, tournament_json};

use crate::event::{Event, ScheduledGame};
use crate::record::Record;
use crate::rules::{Move, Seat};
use crate::stats::{Analysis, AnalysisOptions, CountsBuilder, Duplicates};

/// A tournament and what is known of its games: what every report is made from.
#[derive(Debug)]
pub struct Results<'a> {
    event: &'a Event,
    games: Vec<(&'a ScheduledGame, Option<&'a Record>)>,
    ranking: Ranking,
}

/// How far a tournament has come; the last three sum to the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// Games in the schedule.
    pub scheduled: usize,
    /// Games with a result that counts.
    pub played: usize,
    /// Games that we, not a bot, failed to run.
    pub void: usize,
    /// Games not tried yet.
    pub missing: usize,
}

impl<'a> Results<'a> {
    /// Joins a schedule with the records of its games, in any order. Records of other games are ignored; of several
    /// records of one game the first that is not void stands.
    #[must_use]
    pub fn new(
        event: &'a Event,
        schedule: &'a [ScheduledGame],
        records: impl IntoIterator<Item = &'a Record>,
        options: &AnalysisOptions,
    ) -> Self {
        let mut by_id: HashMap<&str, &Record> = HashMap::new();
        for record in records {
            let stands = by_id.get(record.id.as_str()).is_some_and(|earlier| earlier.counts());
            if !stands {
                by_id.insert(&record.id, record);
            }
        }
        let games: Vec<_> = schedule.iter().map(|game| (game, by_id.get(game.id.as_str()).copied())).collect();

        let ranking = rank(event, &games, options);
        Self { event, games, ranking }
    }

    /// The tournament's definition.
    #[must_use]
    pub const fn event(&self) -> &'a Event {
        self.event
    }

    /// What the games say.
    #[must_use]
    pub const fn ranking(&self) -> &Ranking {
        &self.ranking
    }

    /// The first game in the schedule that a bot lost by a fault: the one to look at.
    #[must_use]
    pub fn first_lost_by_fault(&self) -> Option<(&'a ScheduledGame, &'a Record)> {
        self.played().find(|(_, record)| record.statuses.iter().any(|status| status.is_fault()))
    }

    /// How far the tournament has come.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let tried = self.tried().count();
        let played = self.played().count();
        let scheduled = self.games.len();
        Counts { scheduled, played, void: tried - played, missing: scheduled - tried }
    }

    /// The name of a bot: the event's, not a record's, so that a renamed bot keeps its games.
    fn name(&self, bot: usize) -> &'a str {
        self.event.bots.get(bot).map_or("", |entry| entry.id.name.as_str())
    }

    /// Every game with a record, void ones included, in the order of the schedule.
    fn tried(&self) -> impl Iterator<Item = (&'a ScheduledGame, &'a Record)> {
        self.games.iter().filter_map(|(game, record)| record.map(|record| (*game, record)))
    }

    /// Every game that counts, in the order of the schedule.
    fn played(&self) -> impl Iterator<Item = (&'a ScheduledGame, &'a Record)> {
        played(&self.games)
    }
}

fn played<'a>(
    games: &[(&'a ScheduledGame, Option<&'a Record>)],
) -> impl Iterator<Item = (&'a ScheduledGame, &'a Record)> {
    games.iter().filter_map(|(game, record)| record.filter(|record| record.counts()).map(|record| (*game, record)))
}

/// Analyses the games that count. Games that repeat another move for move are one piece of evidence with it.
fn rank(event: &Event, games: &[(&ScheduledGame, Option<&Record>)], options: &AnalysisOptions) -> Ranking {
    let mut counts = CountsBuilder::new(event.bots.len());
    let mut forfeits = vec![0; event.bots.len()];
    let mut duplicates: Duplicates<&[Move]> = Duplicates::default();
    for (game, record) in played(games) {
        let cluster = duplicates.add(game.bots, &record.moves, game.pair);
        let [first, second] = game.bots;
        counts.add(first, second, record.result, Some(cluster));
        if let Some(loser) = record.result.winner().map(Seat::other) {
            forfeits[game.bots[loser.index()]] += u64::from(record.statuses[loser.index()].is_fault());
        }
    }
    let names = event.bots.iter().map(|entry| entry.id.name.clone().into_bytes()).collect();
    Ranking::new(names, Analysis::new(counts.finish(), &forfeits, options), duplicates.total())
}

/// Writes every derived file of a results folder: games, standings, crosstable, head to head, bots and tournament.
///
/// # Errors
///
/// Returns the first file that could not be written, and why; files before it are complete, others as they were.
pub fn write_all(dir: &Path, results: &Results<'_>, machine: &Machine, durability: Durability) -> anyhow::Result<()> {
    replace(&dir.join("games.csv"), durability, |out| games_csv(results, out))?;
    replace(&dir.join("standings.csv"), durability, |out| standings_csv(&results.ranking, out))?;
    replace(&dir.join("crosstable.csv"), durability, |out| crosstable_csv(&results.ranking, out))?;
    replace(&dir.join("head_to_head.csv"), durability, |out| head_to_head_csv(&results.ranking, out))?;
    replace(&dir.join("bots.csv"), durability, |out| bots_csv(results, out))?;
    replace(&dir.join("tournament.json"), durability, |out| tournament_json(results, machine, out))
}
