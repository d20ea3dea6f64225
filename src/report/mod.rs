//! Results made readable: the files of a results folder, the tables for a terminal, and the replay of a game.
//!
//! Everything is derived from the event, its schedule and the journal, and can be rebuilt from them at any time.
//! Nothing here prints or decides anything: functions return text or write to a given writer. All foreign text goes
//! through [`crate::text`] before it reaches a terminal.

mod bots;
mod cells;
mod files;
#[cfg(test)]
mod fixture;
mod games;
mod replay;
mod sentences;
mod standings;
mod table;
#[cfg(test)]
mod tests;
mod tournament;

use std::collections::HashMap;
use std::path::Path;

pub use bots::bots_csv;
pub use files::{Durability, replace};
pub use games::games_csv;
pub use replay::{Frame, ReplayError, frames};
pub use sentences::{fault_sentences, first_seat_sentence, warnings};
pub use standings::{crosstable_csv, head_to_head_csv, standings_csv};
pub use table::{crosstable_text, standings_text, summary_text};
pub use tournament::{Machine, tournament_json};

use crate::event::{Event, ScheduledGame};
use crate::record::Record;
use crate::stats::{self, Duplicates, GameScore, HeadToHead, Standing, Tally};

/// A tournament and what is known of its games: what every report is made from.
#[derive(Debug)]
pub struct Results<'a> {
    event: &'a Event,
    games: Vec<(&'a ScheduledGame, Option<&'a Record>)>,
    scores: Vec<GameScore>,
    standings: Vec<Standing>,
    head_to_head: Vec<HeadToHead>,
    duplicates: Duplicates,
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
    pub fn new(event: &'a Event, schedule: &'a [ScheduledGame], records: impl IntoIterator<Item = &'a Record>) -> Self {
        let mut by_id: HashMap<&str, &Record> = HashMap::new();
        for record in records {
            let stands = by_id.get(record.id.as_str()).is_some_and(|earlier| earlier.counts());
            if !stands {
                by_id.insert(&record.id, record);
            }
        }
        let games: Vec<_> = schedule.iter().map(|game| (game, by_id.get(game.id.as_str()).copied())).collect();

        let scores: Vec<GameScore> = played(&games).map(|(game, record)| score(game, record)).collect();
        let standings = stats::standings(event.bots.len(), &scores);
        let head_to_head = stats::head_to_head(&standings, &scores);
        let duplicates = stats::duplicates(played(&games).map(|(game, record)| (game.bots, record.moves.as_slice())));
        Self { event, games, scores, standings, head_to_head, duplicates }
    }

    /// The tournament's definition.
    #[must_use]
    pub const fn event(&self) -> &'a Event {
        self.event
    }

    /// The standings, best first.
    #[must_use]
    pub fn standings(&self) -> &[Standing] {
        &self.standings
    }

    /// Every pairing that was played, in the order of the standings.
    #[must_use]
    pub fn head_to_head(&self) -> &[HeadToHead] {
        &self.head_to_head
    }

    /// Games that repeat an earlier one.
    #[must_use]
    pub const fn duplicates(&self) -> &Duplicates {
        &self.duplicates
    }

    /// What the first seat won, drew and lost.
    #[must_use]
    pub fn first_seat(&self) -> Tally {
        stats::first_seat(self.event.bots.len(), &self.scores)
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

    /// What the first bot of each key did against the second; both ways round.
    fn met(&self) -> HashMap<[usize; 2], Tally> {
        let both = |row: &HeadToHead| [([row.a, row.b], row.total()), ([row.b, row.a], row.total().reversed())];
        self.head_to_head.iter().flat_map(both).collect()
    }
}

fn played<'a>(
    games: &[(&'a ScheduledGame, Option<&'a Record>)],
) -> impl Iterator<Item = (&'a ScheduledGame, &'a Record)> {
    games.iter().filter_map(|(game, record)| record.filter(|record| record.counts()).map(|record| (*game, record)))
}

fn score(game: &ScheduledGame, record: &Record) -> GameScore {
    let [first, second] = game.bots;
    GameScore { first, second, result: record.result, statuses: record.statuses, pair: game.pair }
}

/// Writes every derived file of a results folder: games, standings, crosstable, head to head, bots and tournament.
/// `extra` are warnings that only the caller knows of.
///
/// # Errors
///
/// Returns the first file that could not be written, and why; files before it are complete, others as they were.
pub fn write_all(
    dir: &Path,
    results: &Results<'_>,
    machine: &Machine,
    extra: &[String],
    durability: Durability,
) -> anyhow::Result<()> {
    replace(&dir.join("games.csv"), durability, |out| games_csv(results, out))?;
    replace(&dir.join("standings.csv"), durability, |out| standings_csv(results, out))?;
    replace(&dir.join("crosstable.csv"), durability, |out| crosstable_csv(results, out))?;
    replace(&dir.join("head_to_head.csv"), durability, |out| head_to_head_csv(results, out))?;
    replace(&dir.join("bots.csv"), durability, |out| bots_csv(results, out))?;
    replace(&dir.join("tournament.json"), durability, |out| tournament_json(results, machine, extra, out))
}
