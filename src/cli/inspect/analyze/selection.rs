//! The games to analyse.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context, bail};
use arena_core::analysis::{Line, can_judge, solver_name};
use arena_core::event;
use arena_core::record::Record;
use arena_core::rules::Variant;
use arena_core::schedule::{Brief, Scheduler};
use arena_core::solver::NoSolver;
use arena_core::stats::Duplicates;
use arena_core::suggest::UnknownName;
use arena_run::session::{MatchEvaluation, is_of_play};
use arena_store::journal::{self, JournalContents, Reader};
use arena_store::report::counted_games;
use arena_sys::results_folder::ResultsFolder;

/// A game to analyse.
#[derive(Debug, Clone, Copy)]
pub(super) struct SelectedGame {
    pub(super) brief: Brief,
    /// Indices into the names, by seat.
    pub(super) bots: [usize; 2],
    /// Number of its cluster of evidence.
    pub(super) cluster: u32,
    pub(super) opening: Option<u32>,
}

/// The games of a journal that are asked for, in the order of the schedule.
pub(super) struct Selection {
    reader: Reader,
    /// Names of all bots.
    pub(super) names: Vec<String>,
    /// The bots whose moves are asked for; all if empty.
    wanted: Vec<usize>,
    pub(super) games: Vec<SelectedGame>,
}

/// A game with its positions.
pub(super) struct ReplayedGame {
    pub(super) id: String,
    pub(super) variant: Variant,
    /// The name of its solver.
    pub(super) solver: String,
    pub(super) line: Line,
}

/// What a record has.
pub(super) enum Replayed {
    Line(Box<ReplayedGame>),
    /// No move after the opening.
    NothingToJudge,
    /// It does not follow the rules, for this reason.
    Broken(String),
}

/// The games that can be solved.
pub(super) struct Kinds {
    /// Their names.
    pub(super) game: String,
    /// Number of the others.
    pub(super) left_out: usize,
}

impl Selection {
    /// The games in a folder: those of these `bots`, if any are named, and of them the `last` that ended.
    pub(super) fn read(folder: &ResultsFolder, bots: &[String], last: Option<usize>) -> anyhow::Result<Self> {
        let (reader, contents) = journal::read(folder)?;
        let path = reader.path();
        let mut selection = if contents.event.is_none() && is_of_play(folder.path()) {
            Self::of_play(reader, &contents.games)?
        } else {
            Self::of_tournament(reader, contents)?
        };
        for bot in bots {
            let place = selection.names.iter().position(|name| name == bot);
            let names = selection.names.iter().map(String::as_str);
            selection.wanted.push(place.ok_or_else(|| UnknownName::new("bot", bot, names))?);
        }
        let wanted = selection.wanted.clone();
        selection.games.retain(|game| wanted.is_empty() || game.bots.iter().any(|bot| wanted.contains(bot)));
        if let Some(last) = last {
            let mut offsets: Vec<u64> = selection.games.iter().map(|game| game.brief.offset).collect();
            offsets.sort_unstable();
            let first = offsets.len().checked_sub(last).map_or(0, |first| offsets[first]);
            selection.games.retain(|game| game.brief.offset >= first);
        }
        if selection.games.is_empty() {
            bail!("there are no games to analyse in {}", path.display());
        }
        Ok(selection)
    }

    /// The games that count, by the schedule.
    fn of_tournament(reader: Reader, contents: JournalContents) -> anyhow::Result<Self> {
        let missing =
            || format!("journal {} holds no tournament; `arena tournament` starts one", reader.path().display());
        let event = contents.event.with_context(missing)?;
        let names = event.bots.iter().map(|entry| entry.id.name.clone()).collect();
        let mut evaluation = MatchEvaluation::new(event.sprt.as_ref().and_then(event::Test::sprt));
        let schedule = Scheduler::as_left(Arc::new(event), &contents.games, &contents.rounds, &mut evaluation)?;
        let mut duplicates = Duplicates::default();
        let rows = counted_games(&schedule, &mut duplicates);
        let games = schedule.played().zip(rows).map(|((game, brief), (_, row))| SelectedGame {
            brief,
            bots: game.bots,
            cluster: row.cluster,
            opening: row.opening,
        });
        // A game that a withdrawn bot lost unplayed is not in the journal, and has no moves.
        let games = games.filter(|game| game.brief.bytes > 0).collect();
        Ok(Self { names, wanted: Vec::new(), games, reader })
    }

    /// The finished games of `arena play`, as they came.
    fn of_play(reader: Reader, briefs: &[Brief]) -> anyhow::Result<Self> {
        let mut names: Vec<String> = Vec::new();
        let mut duplicates = Duplicates::default();
        let mut games = Vec::new();
        for (brief, cluster) in briefs.iter().filter(|brief| brief.counts()).zip(0..) {
            let record = reader.record(brief)?;
            let bots = record.bots.map(|bot| {
                names.iter().position(|name| *name == bot.name).unwrap_or_else(|| {
                    names.push(bot.name);
                    names.len() - 1
                })
            });
            let cluster = duplicates.add(bots, brief.moves, cluster);
            games.push(SelectedGame { brief: *brief, bots, cluster, opening: None });
        }
        Ok(Self { reader, names, wanted: Vec::new(), games })
    }

    /// Whether the moves of a bot are asked for.
    pub(super) fn is_wanted(&self, bot: usize) -> bool {
        self.wanted.is_empty() || self.wanted.contains(&bot)
    }

    /// Leaves out the games that cannot be solved; an error if there is no other.
    pub(super) fn keep_solvable(&mut self) -> anyhow::Result<Kinds> {
        let mut by_game: BTreeMap<String, Option<NoSolver>> = BTreeMap::new();
        let mut kept = Vec::new();
        for game in &self.games {
            let record = self.reader.record(&game.brief)?;
            let variant = Variant::from_json(&record.game, &record.params)?;
            let why_not = by_game.entry(variant.to_string()).or_insert_with(|| can_judge(&variant).err());
            if why_not.is_none() {
                kept.push(*game);
            }
        }
        let left_out = self.games.len() - kept.len();
        let games: Vec<String> =
            by_game.iter().filter(|(_, why_not)| why_not.is_none()).map(|(name, _)| name.clone()).collect();
        if let Some(why) = by_game.into_values().flatten().next().filter(|_| games.is_empty()) {
            bail!("{why}, and mastermind (against a reference strategy)");
        }
        self.games = kept;
        Ok(Kinds { game: games.join(" and "), left_out })
    }

    /// Replays a game.
    pub(super) fn replay(&self, place: usize) -> anyhow::Result<Replayed> {
        let record: Record = self.reader.record(&self.games[place].brief)?;
        let variant = match Variant::from_json(&record.game, &record.params) {
            Ok(variant) => variant,
            Err(error) => return Ok(Replayed::Broken(format!("game {}: {error}", record.id))),
        };
        if record.moves.len() <= record.opening.len() {
            return Ok(Replayed::NothingToJudge);
        }
        let solver = solver_name(&variant).unwrap_or_default();
        Ok(match Line::of(&record, &variant) {
            Ok(line) => Replayed::Line(Box::new(ReplayedGame { id: record.id, variant, solver, line })),
            Err(why) => {
                Replayed::Broken(format!("game {} does not follow the rules and is left out: {why}", record.id))
            }
        })
    }
}
