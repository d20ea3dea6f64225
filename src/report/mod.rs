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
use crate::record::{BotId, Record};
use crate::rules::{Move, Seat};
use crate::stats::{Analysis, AnalysisOptions, CountsBuilder, Duplicates};
use crate::strikes::Strikes;

/// A tournament and what is known of its games: what every report is made from.
#[derive(Debug)]
pub struct Results<'a> {
    event: &'a Event,
    games: Vec<(&'a ScheduledGame, Option<&'a Record>)>,
    ranking: Ranking,
    strikes: Strikes,
}

/// How far a tournament has come; the last four sum to the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// Games in the schedule.
    pub scheduled: usize,
    /// Games with a result that counts.
    pub played: usize,
    /// Games that we, not a bot, failed to run.
    pub void: usize,
    /// Games between two withdrawn bots, which nobody wins; they are not played any more.
    pub withdrawn: usize,
    /// Games not tried yet.
    pub missing: usize,
}

impl Counts {
    /// Whether no game is left to be played.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.played + self.withdrawn == self.scheduled
    }
}

impl<'a> Results<'a> {
    /// Joins a schedule with the records of its games, in any order. Records of other games are ignored; of several
    /// records of one game the first that need not be played again stands. The order of the records tells who is withdrawn.
    #[must_use]
    pub fn new(
        event: &'a Event,
        schedule: &'a [ScheduledGame],
        records: impl IntoIterator<Item = &'a Record>,
        options: &AnalysisOptions,
    ) -> Self {
        let mut by_id: HashMap<&str, &Record> = HashMap::new();
        let mut strikes = Strikes::default();
        for record in records {
            strikes.note(record);
            let stands = by_id.get(record.id.as_str()).is_some_and(|earlier| earlier.is_settled());
            if !stands {
                by_id.insert(&record.id, record);
            }
        }
        let games: Vec<_> = schedule.iter().map(|game| (game, by_id.get(game.id.as_str()).copied())).collect();

        let mut ranking = rank(event, &games, options);
        let withdrawn = |bot: &usize| strikes.withdrawn(&event.bots[*bot].id.fingerprint).is_some();
        ranking.withdrawn = (0..event.bots.len()).filter(withdrawn).collect();
        Self { event, games, ranking, strikes }
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
        let withdrawn = self.tried().filter(|(_, record)| record.is_settled()).count() - played;
        let scheduled = self.games.len();
        Counts { scheduled, played, void: tried - played - withdrawn, withdrawn, missing: scheduled - tried }
    }

    /// The bots that are withdrawn, in the order of the roster: name and why.
    pub fn withdrawn(&self) -> impl Iterator<Item = (&'a str, &str)> {
        let why = |id: &BotId| self.strikes.withdrawn(&id.fingerprint);
        self.event.bots.iter().filter_map(move |entry| Some((entry.id.name.as_str(), why(&entry.id)?)))
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
    let mut unrated = Vec::new();
    let mut forfeits = vec![0; event.bots.len()];
    let mut duplicates: Duplicates<&[Move]> = Duplicates::default();
    for (game, record) in played(games) {
        let [first, second] = game.bots;
        if record.is_rated() {
            let cluster = duplicates.add(game.bots, &record.moves, game.pair);
            counts.add(first, second, record.result, Some(cluster));
        } else {
            unrated.push((first, second, record.result));
        }
        if let Some(loser) = record.result.winner().map(Seat::other) {
            forfeits[game.bots[loser.index()]] += u64::from(record.statuses[loser.index()].is_fault());
        }
    }
    let names = event.bots.iter().map(|entry| entry.id.name.clone().into_bytes()).collect();
    let (counts, rated) = counts.finish_with(unrated);
    Ranking::new(names, Analysis::with_unrated(counts, rated, &forfeits, options), duplicates.total())
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
