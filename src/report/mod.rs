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
mod sprt;
mod standings;
mod statements;
mod summary;
mod table;
#[cfg(test)]
mod tests;
mod times;
mod tournament;

use std::collections::HashMap;
use std::path::Path;

pub use bots::bots_csv;
pub(crate) use cells::rounded;
pub use files::{Durability, replace};
pub use games::games_csv;
pub use ranking::Ranking;
pub use replay::{Frame, ReplayError, frames};
pub use sentences::{copy_warnings, fault_paragraphs, fault_sentences, void_warnings, warnings};
pub(crate) use sprt::{llr_text, met_by_first, verdict_word};
pub use standings::{crosstable_csv, head_to_head_csv, standings_csv};
pub use statements::statements;
pub use summary::{Summary, summary_json};
pub use table::{crosstable_text, ranking_text, standings_text, summary_text};
pub use tournament::{Machine, tournament_json};

use crate::catalogue::Catalogue;
use crate::event::{Event, ScheduledGame};
use crate::journal::{Brief, Reader};
use crate::record::{BotId, Record, Status};
use crate::rules::{Move, Seat};
use crate::stats::{Analysis, AnalysisOptions, CountsBuilder, Duplicates};
use crate::strikes::Strikes;
use sentences::Incidents;

/// A tournament and what is known of its games: what every report is made from. Games themselves stay in the journal
/// and are fetched where a report tells of each.
#[derive(Debug)]
pub struct Results<'a> {
    event: &'a Event,
    catalogue: &'a Catalogue,
    journal: &'a Reader,
    ranking: Ranking,
    strikes: &'a Strikes,
    incidents: Incidents,
}

/// How far a tournament has come; the last four sum to the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Progress {
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

impl Progress {
    /// Whether no game is left to be played.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.played + self.withdrawn == self.scheduled
    }
}

impl<'a> Results<'a> {
    /// Analyses the games of a catalogue, which are in `journal`; `strikes` tells who is withdrawn.
    ///
    /// # Errors
    ///
    /// Returns an error if a game that a sentence tells of cannot be fetched.
    pub fn new(
        event: &'a Event,
        catalogue: &'a Catalogue,
        journal: &'a Reader,
        strikes: &'a Strikes,
        options: &AnalysisOptions,
    ) -> anyhow::Result<Self> {
        let mut ranking = rank(event, catalogue, options);
        let withdrawn = |bot: &usize| strikes.withdrawn(&event.bots[*bot].id).is_some();
        ranking.withdrawn = (0..event.bots.len()).filter(withdrawn).collect();
        Ok(Self { event, catalogue, journal, ranking, strikes, incidents: Incidents::find(catalogue, journal)? })
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

    /// Whether any bot committed a fault or was withdrawn.
    #[must_use]
    pub const fn any_fault(&self) -> bool {
        self.incidents.any_fault
    }

    /// How far the tournament has come.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let tried = self.catalogue.tried().count();
        let played = self.catalogue.played().count();
        let withdrawn = self.catalogue.tried().filter(|(_, brief)| brief.is_settled()).count() - played;
        let scheduled = self.catalogue.schedule().len();
        Progress { scheduled, played, void: tried - played - withdrawn, withdrawn, missing: scheduled - tried }
    }

    /// The rounds that were really played and are rated, by the games among bots that are not withdrawn; `None` if some
    /// pairings were given more than others.
    #[must_use]
    pub fn rounds_played(&self) -> Option<f64> {
        let stays = |game: &ScheduledGame| game.bots.iter().all(|bot| !self.ranking.withdrawn.contains(bot));
        let due = self.catalogue.schedule().iter().filter(|game| stays(game)).count();
        let rated = self.catalogue.played().filter(|(game, brief)| brief.is_rated() && stays(game)).count();
        let alike = self.event.extra.is_empty() && due > 0;
        alike.then(|| f64::from(self.event.rounds) * rated as f64 / due as f64)
    }

    /// Of each bot the attempts at its games that came out void though both bots had started.
    fn void_games(&self) -> Vec<u64> {
        let mut games = vec![0; self.event.bots.len()];
        for (game, _) in self.catalogue.void().filter(|(_, brief)| brief.statuses == [Status::Ok; 2]) {
            for bot in game.bots {
                games[bot] += 1;
            }
        }
        games
    }

    /// The bots that are withdrawn, in the order of the roster: name and why.
    pub fn withdrawn(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let strikes = self.strikes;
        let why = |id: &BotId| strikes.withdrawn(id);
        self.event.bots.iter().filter_map(move |entry| Some((entry.id.name.as_str(), why(&entry.id)?)))
    }

    /// The name of a bot: the event's, not a record's, so that a renamed bot keeps its games.
    fn name(&self, bot: usize) -> &'a str {
        self.event.bots.get(bot).map_or("", |entry| entry.id.name.as_str())
    }

    const fn catalogue(&self) -> &'a Catalogue {
        self.catalogue
    }

    /// All that is known of a game.
    fn record(&self, brief: &Brief) -> anyhow::Result<Record> {
        self.journal.record(brief)
    }

    /// All that is known of every game that counts, in the order of the schedule.
    fn played_records(&self) -> impl Iterator<Item = anyhow::Result<(&'a ScheduledGame, Record)>> {
        self.catalogue.played().map(|(game, brief)| Ok((game, self.record(brief)?)))
    }
}

/// Analyses the games that count. Games that repeat another move for move are one piece of evidence with it.
fn rank(event: &Event, catalogue: &Catalogue, options: &AnalysisOptions) -> Ranking {
    let mut counts = CountsBuilder::new(event.bots.len());
    let mut unrated = Vec::new();
    let mut forfeits = vec![0; event.bots.len()];
    let mut duplicates: Duplicates<u64> = Duplicates::default();
    let openings = shared_openings(event);
    for (game, brief) in catalogue.played() {
        let [first, second] = game.bots;
        if brief.is_rated() {
            let cluster = duplicates.add(game.bots, brief.moves, game.pair);
            counts.add_of_pair(first, second, brief.result, game.pair, cluster);
            if let Some(opening) = openings.get(game.opening) {
                counts.add_opening(*opening, brief.result);
            }
        } else {
            unrated.push((first, second, brief.result));
        }
        if let Some(loser) = brief.result.winner().map(Seat::other) {
            forfeits[game.bots[loser.index()]] += u64::from(brief.statuses[loser.index()].is_fault());
        }
    }
    let names = event.bots.iter().map(|entry| entry.id.name.clone().into_bytes()).collect();
    let (counts, rated) = counts.finish_with(unrated);
    Ranking::new(names, Analysis::with_unrated(counts, rated, &forfeits, options), duplicates.total())
}

/// For each opening the first one that is the same. None at all with hidden information: then every game starts from a
/// secret of its own.
fn shared_openings(event: &Event) -> Vec<u32> {
    let open = event.open_information();
    let mut first: HashMap<&[Move], u32> = HashMap::new();
    let openings = event.openings.iter().filter(|_| open);
    (0..).zip(openings).map(|(place, opening)| *first.entry(opening.as_slice()).or_insert(place)).collect()
}

/// Writes every derived file of a results folder: standings, crosstable, head to head, tournament, bots and games. The
/// last is by far the largest, and where a disk is full there may be room for the others.
///
/// # Errors
///
/// Returns the first file that could not be written, and why; files before it are complete, others as they were.
pub fn write_all(dir: &Path, results: &Results<'_>, machine: &Machine, durability: Durability) -> anyhow::Result<()> {
    write_standings(dir, results, machine, durability)?;
    replace(&dir.join("bots.csv"), durability, |out| bots_csv(results, out))?;
    replace(&dir.join("games.csv"), durability, |out| games_csv(results, out))
}

/// Writes the derived files that say who stands where, and need not look at each game for it: standings, crosstable,
/// head to head and tournament.
///
/// # Errors
///
/// As [`write_all`].
pub fn write_standings(
    dir: &Path,
    results: &Results<'_>,
    machine: &Machine,
    durability: Durability,
) -> anyhow::Result<()> {
    replace(&dir.join("standings.csv"), durability, |out| standings_csv(&results.ranking, out))?;
    replace(&dir.join("crosstable.csv"), durability, |out| crosstable_csv(&results.ranking, out))?;
    replace(&dir.join("head_to_head.csv"), durability, |out| head_to_head_csv(&results.ranking, out))?;
    replace(&dir.join("tournament.json"), durability, |out| tournament_json(results, machine, out))
}
