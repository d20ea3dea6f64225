//! The settings of a tournament, as plain data.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arena_core::clock::TimeControl;
use arena_core::event::{BotOptions, LeftOut, StrikeLimits};
use arena_core::format::{Format, FormatOptions, Until};
use arena_core::record::BotId;
use arena_core::rules::Variant;
use arena_core::stats::Sprt;
use arena_play::roster::KeptVersions;
use arena_store::journal::Signer;
use arena_sys::flags::RESULTS;
use arena_sys::results_folder::{Place, ResultsFolder};

use super::{OpeningSource, SessionWorkers, TableOptions};

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
    /// The test recorded with a match; [`MatchEvaluation`](super::MatchEvaluation) evaluates it.
    pub sprt: Option<Sprt>,
    /// The seed; `None` for that of the contest in the folder, else a random one.
    pub seed: Option<u64>,
    /// Source of the openings.
    pub openings: OpeningSource,
    /// The time control.
    pub clock: TimeControl,
    /// A game is a draw after this many plies; `None` for the limit of the contest in the folder, else none.
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
    /// Whether only what this arena has written on this machine counts: a journal with anything else is refused.
    pub only_own: bool,
    /// Whether to check every bot before the first game, and leave out those that fail.
    pub check: bool,
    /// Where versions of bots are kept that pass this check, to play instead of later ones that do not.
    pub kept: Option<KeptVersions>,
    /// How long each position of the first slot stays at least, if the boards are watched: for an audience.
    pub pace: Option<Duration>,
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
            only_own: false,
            check: true,
            kept: None,
            pace: None,
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
    pub(super) fn create_folder(&self) -> anyhow::Result<ResultsFolder> {
        self.place().create(RESULTS)
    }
}

/// A budget of time.
#[derive(Debug, Clone, Copy)]
pub struct TimeBudget {
    /// When no more games begin.
    pub deadline: Instant,
    /// Whether a new tournament may become a ladder: nothing was said about who plays whom.
    pub may_change_format: bool,
}

/// What a round-robin or gauntlet plays further rounds for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    /// A state of the ratings, and the maximum number of rounds of a pairing.
    Ratings(Until, u32),
    /// The end of its budget of time.
    Time,
}
