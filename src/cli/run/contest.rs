//! The contest that a command plays: what its flags ask for, and else what the results folder has.

use anyhow::Error;
use arena_core::clock::TimeControl;
use arena_core::event::Tournament;
use arena_core::format::Format;
use arena_core::rules::{RULES, Variant};
use arena_core::text::shown;
use arena_run::session::{AskedContest, OpeningSource, SessionSettings, TableOptions, default_name, taken_from};
use arena_sys::results_folder::Place;

use super::event_args::{EventArgs, GameArgs, signer};
use crate::cli::Io;
use crate::cli::args::game::recall_with;
use crate::cli::args::shared::MOVE_TIME_DEFAULT;

/// Number of rounds above which preparing them takes seconds.
const MANY_ROUNDS: u32 = 100_000;

/// What a command plays, and where.
pub(crate) struct Contest {
    pub(crate) game: Variant,
    /// The name of the results.
    pub(crate) name: String,
    /// The contest in the folder that goes on.
    pub(crate) recorded: Option<Tournament>,
    pub(crate) clock: TimeControl,
    /// What was taken from the folder and is not the default.
    taken: Option<String>,
}

impl Contest {
    /// Says what was taken from the folder.
    pub(crate) fn tell(&self, io: &Io) {
        if let Some(taken) = &self.taken {
            io.tell(taken);
        }
    }
}

impl EventArgs {
    /// The contest of a command; `bots` are those of a match. Starts the program that is the rules of the game, if they are one.
    ///
    /// # Errors
    ///
    /// Returns an error with the cures if the folder has another contest than is asked for.
    pub(crate) fn contest(
        &self,
        game: &GameArgs,
        bots: Option<[&str; 2]>,
        format: Option<&'static Format>,
        io: &Io,
    ) -> anyhow::Result<Contest> {
        let given = game.game.as_ref().map(|game| self.load_game(game, io)).transpose()?;
        let usual = Variant::named(RULES[0].name)?;
        let name_of = |game: &Variant| default_name(game, bots, format.unwrap_or(Format::usual()));
        let name = self.name.clone().unwrap_or_else(|| name_of(given.as_ref().unwrap_or(&usual)));
        // A name of results that is not given follows from the game.
        let asked = given.or_else(|| self.name.is_none().then(|| usual.clone()));
        self.contest_in(&Place::at(self.results.join(&name)), name, asked, format, io)
    }

    /// The contest in this place, where the results are called `name`.
    ///
    /// # Errors
    ///
    /// See [`contest`](Self::contest).
    pub(crate) fn contest_in(
        &self,
        place: &Place,
        name: String,
        game: Option<Variant>,
        format: Option<&'static Format>,
        io: &Io,
    ) -> anyhow::Result<Contest> {
        let openings = OpeningSource::asked(self.openings.as_deref(), self.opening_plies);
        let asked = AskedContest {
            game,
            clock: self.clock.asked(),
            format,
            seed: self.seed,
            max_plies: self.max_plies,
            openings: Some(openings),
        };
        let recorded = if self.fresh { None } else { asked.recorded(place)? };
        let usual = TimeControl::per_move(MOVE_TIME_DEFAULT);
        let clock = self.clock.control_over(recorded.as_ref().map_or(&usual, |recorded| &recorded.clock))?;
        let taken = recorded.as_ref().map(|recorded| taken_from(recorded, &asked, &usual));
        let taken = taken.filter(|taken| !taken.is_empty()).map(|taken| {
            let place = place.path();
            format!("taken from {}: {}", shown(&place.to_string_lossy()), taken.join(" "))
        });
        let game = match (asked.game, &recorded) {
            (Some(game), _) => game,
            (None, Some(recorded)) => self.recorded_game(recorded, place, io)?,
            (None, None) => Variant::named(RULES[0].name)?,
        };
        Ok(Contest { game, name, recorded, clock, taken })
    }

    /// The settings of a session for this contest with this many rounds.
    pub(crate) fn settings(
        &self,
        contest: &Contest,
        format: &'static Format,
        rounds: u32,
        io: &Io,
    ) -> anyhow::Result<SessionSettings> {
        if rounds >= MANY_ROUNDS && !self.quiet {
            io.tell(&format!("preparing {rounds} rounds; this takes a while"));
        }
        Ok(SessionSettings {
            format,
            rounds,
            seed: self.seed,
            openings: OpeningSource::asked(self.openings.as_deref(), self.opening_plies),
            tables: TableOptions { no_times: self.no_times, ..TableOptions::default() },
            clock: contest.clock,
            max_plies: self.max_plies,
            strikes: self.strikes,
            concurrency: self.processors.concurrency()?,
            pin: self.processors.pin,
            results: self.results.clone(),
            bots: self.bots.bots.clone(),
            fresh: self.fresh,
            bot_options: Some(self.guard.settings(io)?.recorded()),
            check: !self.no_check,
            signer: self.sign_key.as_deref().map(signer).transpose()?,
            ..SessionSettings::new(contest.game.clone(), &contest.name)
        })
    }

    /// The game of the contest in this place.
    fn recorded_game(&self, recorded: &Tournament, place: &Place, io: &Io) -> anyhow::Result<Variant> {
        let hidden = [self.bots.bots.as_path(), &self.results];
        recall_with(&place.open()?, &recorded.game, &self.guard.settings(io)?, &hidden).map_err(Error::msg)?;
        Ok(recorded.variant()?)
    }
}
