//! Tournaments without a terminal: from the bots found to the tables written.
//!
//! A [`Session`] is opened with plain [`SessionSettings`]: it reads the journal, checks the bots and finds the missing games.
//! [`Session::play`] plays these; [`Session::results`] and [`Session::write_tables`] evaluate them. All events are sent to
//! [`Observer`](arena_show::observer::Observer)s. Nothing here parses arguments or prints; commands use it.
//!
//! `examples/two_bots.rs` is a complete program that plays a tournament between two external bots.
//!
//! # Examples
//!
//! A match of two players of this program ([`in_process`](arena_play::player::in_process)) with a sequential test. The results
//! folder is one that goes with `scratch`; any other one stays, and running the program again plays only what is missing there.
//!
//! ```
//! use arena_show::observer::RunEvent;
//! use arena_play::player::Player;
//! use arena_core::referee::{Answer, Question};
//! use arena_play::roster::{FoundBot, Roster};
//! use arena_run::session::{Scratch, Session, SessionSettings, MatchEvaluation};
//! use arena_core::stats::{AnalysisOptions, Sprt, SprtModel, SprtVerdict};
//!
//! /// Plays the first legal move, or the last one.
//! struct Edge {
//!     last: bool,
//! }
//!
//! impl Player for Edge {
//!     fn ask(&mut self, question: Question<'_>) -> Answer {
//!         let moves = question.legal_moves().unwrap_or_default();
//!         let played = if self.last { moves.last() } else { moves.first() };
//!         played.map_or(Answer::Resign, |played| Answer::Move(played.clone().into(), Default::default()))
//!     }
//! }
//!
//! let scratch = Scratch::create()?;
//! let bots = vec![
//!     FoundBot::in_process("first", "1", || Box::new(Edge { last: false }))?,
//!     FoundBot::in_process("last", "1", || Box::new(Edge { last: true }))?,
//! ];
//! let sprt = Some(Sprt::new(SprtModel::Normalized, [0.0, 100.0], 0.05, 0.05)?);
//! let results = scratch.path().to_owned();
//! let defaults = SessionSettings::new("tictactoe".parse()?, "match");
//! let settings = SessionSettings { sprt, rounds: 200, results, seed: Some(1), ..defaults };
//! let (observer, options) = (&mut |_: &RunEvent| {}, AnalysisOptions::default());
//!
//! let opened = Session::open(settings, bots, &Roster::default(), || MatchEvaluation::new(sprt), observer)?;
//! let Some((mut session, mut evaluation)) = opened else { return Ok(()) };
//! session.play(&mut evaluation, observer, &options)?;
//! session.write_tables(&session.results(&options)?)?;
//! assert!(evaluation.pairs > 0 && session.dir().join("report.html").exists());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod archive;
mod budget;
mod contest;
mod define;
mod descriptors;
mod earlier;
mod error;
mod estimate;
mod feedback;
mod feedback_file;
mod field;
mod first_check;
mod game;
mod index;
mod listing;
mod match_evaluation;
mod merge;
mod messages;
mod name;
mod open;
mod opening_source;
mod outputs;
mod overwriting;
mod play;
mod published;
mod recorded_event;
mod remembered_rules;
mod rerun;
mod rules_files;
mod runtime;
mod sandbox;
mod scratch;
mod series;
mod series_file;
mod settings;
mod shard;
mod table_options;
mod tables;
mod until;
mod workers;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use arena_core::event::{Stop, Tournament};
use arena_core::schedule::Scheduler;
use arena_core::stats::AnalysisOptions;
use arena_play::roster::FoundBot;
use arena_store::journal::{Journal, Reader};
use arena_store::report::{Results, ResultsOptions};
use arena_sys::results_folder::ResultsFolder;

use crate::tournament::start_command;
use estimate::BotTimes;
use field::SessionBots;

pub use archive::Archive;
pub use contest::{AskedClock, AskedContest, taken_from};
pub use descriptors::{Capacity, open_files_max, viewers};
pub use error::{SessionError, listed_bots};
pub use feedback::{Feedback, FeedbackPlan};
pub use field::check_two_bots;
pub use game::{leave_games, load_game};
pub use index::{index_entries, tournament_json, write_index};
pub use listing::{Listed, games_of, listed};
pub use match_evaluation::{MatchEvaluation, Repeats};
pub use merge::{Contradiction, Merged, drop_machine, merge};
pub use name::{PLAY_FOLDER, TOURNAMENT_NAME, default_name, is_of_play, is_tournament_name};
pub use opening_source::{OpeningSource, TakenOpenings};
pub use outputs::Outputs;
pub use overwriting::Overwriting;
pub use published::PublishedFolder;
pub use remembered_rules::{has_remembered_rules, recall_rules, remember_rules, remembers_rules};
pub use rerun::{Comparison, GameDifference, RecordedPairs, Recording, RerunCause};
pub use runtime::Runtime;
pub use sandbox::{closed_folders, closed_programs, fence_in, refused, try_out, try_out_knowing};
pub use scratch::Scratch;
pub use series::{SeriesTournament, play_series};
pub use series_file::{SeriesFile, SeriesPart};
pub use settings::{Goal, SessionSettings, TimeBudget};
pub use shard::{SHARDS_FOLDER, ShardPart, ShareCounts, shard_dir};
pub use table_options::{DrawsError, TableOptions, parse_draws, parse_title};
pub use tables::write_tables;
pub use until::{MoreRounds, outcome as until_outcome};
pub use workers::{RemoteRun, SessionWorkers};

/// An open tournament: its folder is locked, its bots are checked, and the missing games are known.
pub struct Session {
    settings: SessionSettings,
    /// The bots of the event, in its order.
    seated: Vec<FoundBot>,
    sitting_out: Vec<String>,
    journal: Journal,
    reader: Reader,
    scheduler: Scheduler,
    resources: SessionResources,
    /// How fast the bots are that were tried, by name.
    times: BTreeMap<String, BotTimes>,
    /// Games per second of the last run.
    rate: Option<f64>,
    /// Why the last run stopped itself, if it did.
    stop: Option<Stop>,
}

/// What the games of a session run on.
struct SessionResources {
    capacity: Capacity,
    runtime: Runtime,
    scratch: Scratch,
}

impl Session {
    /// A session that is ready to play the missing games of `scheduler`. `times` says how fast the bots are that were tried;
    /// `stop` why the run before stopped itself.
    fn ready(
        settings: SessionSettings,
        field: SessionBots,
        journal: Journal,
        scheduler: Scheduler,
        resources: SessionResources,
        times: BTreeMap<String, BotTimes>,
        stop: Option<Stop>,
    ) -> Result<Self, SessionError> {
        let reader = journal.reader()?;
        let SessionBots { seated, sitting_out, .. } = field;
        Ok(Self { settings, seated, sitting_out, journal, reader, scheduler, resources, times, rate: None, stop })
    }

    /// The results so far, with times unless the settings of the tables leave them out.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read.
    pub fn results(&self, analysis: &AnalysisOptions) -> Result<Results<'_>, SessionError> {
        let command = |bot: &FoundBot| start_command(&self.resources.scratch.launch(bot));
        let processes = self.seated.iter().filter(|bot| bot.has_program());
        let options = ResultsOptions {
            stop: self.stop,
            own_commands: Some(processes.map(|bot| (bot.launch.name.clone(), command(bot))).collect()),
            games_per_second: self.rate,
            remembers_rules: remembers_rules(self.folder(), &self.event().game),
            ..self.tables().for_results(*analysis)
        };
        Ok(Results::new(&self.scheduler, &self.reader, options)?)
    }

    /// Writes all tables.
    ///
    /// # Errors
    ///
    /// Returns an error if one cannot be written; all games are still in the journal.
    pub fn write_tables(&self, results: &Results<'_>) -> Result<(), SessionError> {
        Ok(write_tables(self.folder(), results)?)
    }

    /// The definition of the tournament.
    #[must_use]
    pub fn event(&self) -> &Tournament {
        self.scheduler.event()
    }

    /// Its games.
    #[must_use]
    pub const fn scheduler(&self) -> &Scheduler {
        &self.scheduler
    }

    /// What its tables have: what was asked for now, and before.
    #[must_use]
    pub const fn tables(&self) -> &TableOptions {
        &self.settings.tables
    }

    /// What can run at once.
    #[must_use]
    pub const fn capacity(&self) -> Capacity {
        self.resources.capacity
    }

    /// Names of the bots that work but play other games.
    #[must_use]
    pub fn sitting_out(&self) -> &[String] {
        &self.sitting_out
    }

    /// The path of its folder.
    #[must_use]
    pub fn dir(&self) -> PathBuf {
        self.folder().path().to_owned()
    }

    /// The path of the folder of all results.
    #[must_use]
    pub fn results_dir(&self) -> &Path {
        &self.settings.results
    }

    /// Its open folder.
    const fn folder(&self) -> &ResultsFolder {
        self.reader.folder()
    }
}
