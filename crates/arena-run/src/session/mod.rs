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
mod define;
mod descriptors;
mod earlier;
mod estimate;
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
mod outputs;
mod overwriting;
mod play;
mod published;
mod recorded_event;
mod rerun;
mod rules_files;
mod runtime;
mod sandbox;
mod scratch;
mod series;
mod series_file;
mod shard;
mod table_options;
mod tables;
mod until;
mod workers;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arena_core::clock::TimeControl;
use arena_core::event::{BotOptions, LeftOut, Stop, StrikeLimits, Tournament};
use arena_core::format::flags::{DROP, either};
use arena_core::format::{Format, FormatOptions, Rejection};
use arena_core::record::BotId;
use arena_core::rules::Variant;
use arena_core::schedule::{ScheduleError, Scheduler};
use arena_core::stats::{AnalysisOptions, Sprt};
use arena_play::roster::{FoundBot, KeptVersions};
use arena_store::journal::{Journal, Reader, Signer};
use arena_store::report::{Results, ResultsOptions};
use arena_sys::flags::RESULTS;
use arena_sys::results_folder::{Place, ResultsFolder};

use crate::tournament::start_command;
use estimate::BotTimes;
use field::SessionBots;

pub use archive::Archive;
pub use budget::TimeBudget;
pub use define::OpeningSource;
pub use descriptors::{Capacity, open_files_max, viewers};
pub use field::check_two_bots;
pub use game::{leave_games, load_game};
pub use index::{index_entries, write_index};
pub use listing::{Listed, games_of, listed};
pub use match_evaluation::{MatchEvaluation, Repeats};
pub use merge::{Contradiction, Merged, drop_machine, merge};
pub use name::{PLAY_FOLDER, TOURNAMENT_NAME, default_name, is_of_play, is_tournament_name};
pub use outputs::Outputs;
pub use overwriting::Overwriting;
pub use published::PublishedFolder;
pub use rerun::{Comparison, GameDifference, RecordedPairs, Recording, RerunCause};
pub use runtime::Runtime;
pub use sandbox::{closed_folders, closed_programs, fence_in, refused, try_out, try_out_knowing};
pub use scratch::Scratch;
pub use series::{SeriesTournament, play_series};
pub use series_file::{SeriesFile, SeriesPart};
pub use shard::{SHARDS_FOLDER, ShardPart, ShareCounts, shard_dir};
pub use table_options::{DrawsError, TableOptions, parse_draws};
pub use tables::write_tables;
pub use until::{Goal, MoreRounds, outcome as until_outcome};
pub use workers::{RemoteRun, SessionWorkers};

/// Settings of a tournament.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "settings are independent of each other")]
pub struct SessionSettings {
    /// The game.
    pub game: Variant,
    /// Name of the tournament: its folder within [`SessionSettings::results`].
    pub name: String,
    /// The format.
    pub format: &'static Format,
    /// Options of the format.
    pub format_options: FormatOptions,
    /// Pairs of games for every pairing, or what the format has instead.
    pub rounds: u32,
    /// The test recorded with a match; [`MatchEvaluation`] evaluates it.
    pub sprt: Option<Sprt>,
    /// The seed; `None` for that of the tournament in the folder, else a random one.
    pub seed: Option<u64>,
    /// Source of the openings.
    pub openings: OpeningSource,
    /// The time control.
    pub clock: TimeControl,
    /// A game is a draw after this many plies.
    pub max_plies: Option<u32>,
    /// When bots are withdrawn; `None` for the limits of the tournament in the folder, else the default.
    pub strikes: Option<StrikeLimits>,
    /// Games at a time.
    pub concurrency: usize,
    /// Whether each slot is pinned to one processor.
    pub pin: bool,
    /// Folder of all results.
    pub results: PathBuf,
    /// Whether that is the folder of a series, which is a results folder itself.
    pub in_series: bool,
    /// Folder of the bots, which bots may not read.
    pub bots: PathBuf,
    /// When it stops itself.
    pub budget: Option<TimeBudget>,
    /// What a fixed format plays more rounds for.
    pub goal: Option<Goal>,
    /// Whether to move an old journal aside.
    pub fresh: bool,
    /// The options for all bots, where they are known: they are recorded.
    pub bot_options: Option<BotOptions>,
    /// What tells copies of a bot from each other in the tournament that is played again.
    pub recorded_ids: Vec<BotId>,
    /// Whether to check every bot before the first game, and leave out those that fail.
    pub check: bool,
    /// Where versions of bots are kept that pass this check, to play instead of later ones that do not.
    pub kept: Option<KeptVersions>,
    /// Open files to leave to others, such as connections of a page.
    pub spare_files: u64,
    /// Bots that are left out in any case.
    pub left_out: Vec<LeftOut>,
    /// Names of bots to take out of a tournament that has begun and keeps its field.
    pub drop: Vec<String>,
    /// What the tables are asked to have; what was asked for before is kept.
    pub tables: TableOptions,
    /// Files elsewhere that are written, by the options that name them; they are remembered.
    pub outputs: Vec<(&'static str, PathBuf)>,
    /// Signs the journal.
    pub signer: Option<Arc<dyn Signer>>,
    /// Workers that play the games, instead of this machine.
    pub workers: Option<Arc<dyn SessionWorkers>>,
}

impl SessionSettings {
    /// Defaults: a round-robin at one second a move in `results/NAME`, on all processors.
    #[must_use]
    pub fn new(game: Variant, name: &str) -> Self {
        Self {
            game,
            name: name.to_owned(),
            format: Format::usual(),
            format_options: FormatOptions::default(),
            rounds: Format::usual().rounds.1,
            sprt: None,
            seed: None,
            openings: OpeningSource::Suitable,
            clock: TimeControl::per_move(std::time::Duration::from_secs(1)),
            max_plies: None,
            strikes: None,
            concurrency: std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get),
            pin: true,
            results: "results".into(),
            in_series: false,
            bots: "bots".into(),
            budget: None,
            goal: None,
            fresh: false,
            bot_options: None,
            recorded_ids: Vec::new(),
            check: true,
            kept: None,
            spare_files: 0,
            left_out: Vec::new(),
            drop: Vec::new(),
            tables: TableOptions::default(),
            outputs: Vec::new(),
            signer: None,
            workers: None,
        }
    }

    /// The path of the tournament's folder.
    #[must_use]
    pub fn dir(&self) -> PathBuf {
        self.results.join(&self.name)
    }

    /// Where the tournament's folder is.
    #[must_use]
    pub fn place(&self) -> Place {
        if self.in_series { Place::within(&self.results, &self.name) } else { Place::at(self.dir()) }
    }

    /// Opens the folder of the tournament, and creates it first if it is not there.
    fn create_folder(&self) -> anyhow::Result<ResultsFolder> {
        self.place().create(RESULTS)
    }
}

/// Why a session cannot be opened or continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// Fewer than two bots play the game.
    #[error(
        "{game} needs two bots; there {}{}",
        only.as_ref().map_or_else(|| "are none".to_owned(), |only| format!("is only `{only}`")),
        for_other_games(others)
    )]
    TooFewBots {
        /// The game.
        game: String,
        /// The only one that plays it.
        only: Option<String>,
        /// Bots that work but play other games.
        others: Vec<String>,
    },
    /// Two bots have the same name.
    #[error("two bots are called `{0}` (names ignore case)")]
    SameName(String),
    /// The format rejects these bots.
    #[error(transparent)]
    Format(#[from] Rejection),
    /// A bot is to be taken out of a tournament that has not begun.
    #[error(
        "{DROP} {0} is for a {formats} that has begun; to play without a bot, take it out of the folder",
        formats = either(DROP.formats().map(|format| format.title))
    )]
    NothingToDrop(String),
    /// The settings have no schedule.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// Any other error, with its causes.
    #[error(transparent)]
    Other(#[from] anyhow::Error),
}

fn for_other_games(others: &[String]) -> String {
    if others.is_empty() { String::new() } else { format!(" (for other games: {})", listed_bots(others)) }
}

/// A list of bots that play other games, separated by semicolons if one has a reason, which may contain commas.
#[must_use]
pub fn listed_bots(others: &[String]) -> String {
    let has_reasons = others.iter().any(|other| other.contains(": "));
    others.join(if has_reasons { "; " } else { ", " })
}

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
        let processes = self.seated.iter().filter(|bot| !bot.is_in_process());
        let options = ResultsOptions {
            analysis: *analysis,
            with_times: self.tables().with_times(),
            stop: self.stop,
            own_commands: Some(processes.map(|bot| (bot.launch.name.clone(), command(bot))).collect()),
            games_per_second: self.rate,
            ..ResultsOptions::default()
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
