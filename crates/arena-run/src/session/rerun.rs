//! A tournament that is played again elsewhere: the same games, whatever their results.
//!
//! What is played again is a list: the pairs of the journal of which a game was played, in the order of the schedule. So a
//! tournament whose format decides by results, or that a budget of time ended, is the same list of games again, and one other
//! result changes no later pairing. The new tournament is a round-robin without rounds, to which [`RecordedPairs`] adds that list.
//!
//! The journal may come from someone else. It says which games are played, and never what is started: bots and rules are those
//! that the user names, and of recorded permissions only those count that give bots no more than usual.

mod cause;
mod compare;

use std::sync::Arc;

use anyhow::{Context as _, bail};
use arena_core::clock::Charge;
use arena_core::event::{self, Tournament};
use arena_core::format::{Format, FormatOptions, Pair};
use arena_core::openings;
use arena_core::rules::Variant;
use arena_core::schedule::{Addition, Policy, Scheduler};
use arena_core::text::shown;
use arena_guard::TELLS_CPU;
use arena_play::roster::FoundBot;
use arena_store::journal::{self, Reader};
use arena_sys::flags::{BOTS, CLOCK_CPU, GAME, MOVE_TIME, NAME};
use arena_sys::results_folder::Place;

use super::{MatchEvaluation, OpeningSource, SessionSettings};

pub use cause::RerunCause;
pub use compare::{Comparison, GameDifference};

/// Names of bots that a message lists.
const NAMED_MAX: usize = 10;

/// A tournament that was played, to be played again.
#[derive(Debug)]
pub struct Recording {
    scheduler: Scheduler,
    reader: Reader,
}

impl Recording {
    /// Reads the tournament in a results folder.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read, defines no tournament, or has no game.
    pub fn read(place: &Place) -> anyhow::Result<Self> {
        let dir = place.path();
        let folder = place.open().with_context(|| format!("opening folder {}", dir.display()))?;
        let (reader, contents) = journal::read(&folder)?;
        let Some(event) = contents.event else {
            bail!("{}: no line of the journal defines the tournament, so it cannot be played again", dir.display());
        };
        let mut evaluation = MatchEvaluation::new(event.sprt.as_ref().and_then(event::Test::sprt));
        let scheduler = Scheduler::as_left(Arc::new(event), &contents.games, &contents.rounds, &mut evaluation)?;
        let recording = Self { scheduler, reader };
        if recording.pairs().next().is_none() {
            bail!("{} has no game that was played to its end; there is nothing to play again", dir.display());
        }
        Ok(recording)
    }

    /// The definition of the tournament.
    #[must_use]
    pub fn event(&self) -> &Tournament {
        self.scheduler.event()
    }

    /// The game, by rules of this arena or by the `named` program.
    ///
    /// # Errors
    ///
    /// Returns an error if the rules are a program and none is named, or those named are of another game.
    pub fn game(&self, named: Option<&Variant>) -> anyhow::Result<Variant> {
        let event = self.event();
        match named {
            Some(variant) if event.is_of(variant) => Ok(variant.clone()),
            Some(variant) => {
                let params = serde_json::to_string(&event.params).unwrap_or_default();
                bail!("{GAME}: {variant} is another game than {} with {}", shown(&event.game), shown(&params))
            }
            None if event.program.is_some() => {
                bail!("the rules of {} are a program; name it with {GAME} FILE", shown(&event.game))
            }
            None => Ok(event.variant()?),
        }
    }

    /// Makes `settings`, which have a time control, those of the same games: with the openings and the seed of the recorded
    /// tournament, and its limits on moves and strikes.
    ///
    /// # Errors
    ///
    /// Returns an error if a recorded opening is none of the game, the time control is unlimited or needs what this system does
    /// not tell, or the results would get into the folder of another
    /// tournament.
    pub fn set(&self, settings: &mut SessionSettings) -> anyhow::Result<()> {
        let (event, clock) = (self.event(), settings.clock);
        if [clock.move_ms, clock.bank_ms].into_iter().flatten().all(|ms| ms == 0) {
            bail!("the record has no time limit; give one with {MOVE_TIME}");
        }
        if clock.charge == Charge::Cpu && !TELLS_CPU {
            bail!(
                "{CLOCK_CPU}: this system does not report the processor time of a bot; give another time control with {MOVE_TIME}"
            );
        }
        let lines: Vec<String> = event.openings.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
        let openings = openings::parse(&settings.game, &lines.join("\n")).context("the recorded openings")?;
        settings.openings = OpeningSource::Recorded(openings);
        settings.format = Format::usual();
        settings.format_options = FormatOptions::default();
        settings.rounds = 0;
        settings.seed = Some(event.seed);
        settings.max_plies = event.max_plies.map(|plies| u32::try_from(plies).unwrap_or(u32::MAX));
        settings.strikes = Some(event.strikes);
        settings.only_own = true;
        settings.recorded_ids = event.bots.iter().map(|entry| entry.id.clone()).collect();
        if let Some(there) = settings.place().open_if_there()?
            && journal::last_event(&there).is_some_and(|other| other.rounds > 0 || other.seed != event.seed)
        {
            bail!("{} has another tournament; {NAME} NAME gives this one another folder", there.path().display());
        }
        Ok(())
    }

    /// The recorded bots among those found.
    ///
    /// # Errors
    ///
    /// Returns an error if there are no two of them.
    pub fn seat(&self, found: &[FoundBot], bots: &std::path::Path) -> anyhow::Result<Vec<FoundBot>> {
        let is_recorded = |bot: &&FoundBot| self.event().bots.iter().any(|entry| entry.id.name == bot.launch.name);
        let seated: Vec<FoundBot> = found.iter().filter(is_recorded).cloned().collect();
        if seated.len() < 2 {
            let names = self.event().bots.iter().map(|entry| shown(&entry.id.name));
            let mut names: Vec<String> = names.take(NAMED_MAX).collect();
            if self.event().bots.len() > NAMED_MAX {
                names.push("…".to_owned());
            }
            bail!(
                "{} of the {} bots of this tournament are in {} ({}); {BOTS} DIR names the folder that has them: a results folder \
                 has no programs, and none that it names is started",
                if seated.is_empty() { "none" } else { "only one" },
                self.event().bots.len(),
                bots.display(),
                names.join(", ")
            );
        }
        Ok(seated)
    }

    /// The pairs of which a game was played, with their numbers in the schedule.
    fn pairs(&self) -> impl Iterator<Item = (u32, Pair)> {
        let is_played =
            |place: u32| self.scheduler.at(place).is_some_and(|brief| brief.bytes > 0 && brief.is_settled());
        (0..).zip(self.scheduler.pairs()).filter(move |(number, _)| is_played(2 * number) || is_played(2 * number + 1))
    }

    /// Those of them whose bots play in `event`, with its indices of bots.
    fn pairs_in(&self, event: &Tournament) -> impl Iterator<Item = (u32, Pair)> {
        let place = |name: &str| event.bots.iter().position(|entry| entry.id.name == name);
        let seats: Vec<Option<usize>> = self.event().bots.iter().map(|entry| place(&entry.id.name)).collect();
        self.pairs().filter_map(move |(number, pair)| {
            let [a, b] = pair.bots.map(|bot| seats[bot]);
            Some((number, Pair { bots: [a?, b?], ..pair }))
        })
    }
}

/// Plays the pairs of a recorded tournament, and no others.
#[derive(Debug)]
pub struct RecordedPairs<'a>(pub &'a Recording);

impl Policy for RecordedPairs<'_> {
    fn more(&mut self, scheduler: &Scheduler) -> Option<Addition> {
        if scheduler.total() > 0 {
            return None;
        }
        let pairs: Vec<Pair> = self.0.pairs_in(scheduler.event()).map(|(_, pair)| pair).collect();
        (!pairs.is_empty()).then(|| Addition { pairs, ..Addition::default() })
    }
}
