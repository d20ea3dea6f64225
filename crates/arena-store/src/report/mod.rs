//! Reports: the files of a results folder, and tables for a terminal.
//!
//! Everything is derived from the event, its schedule and the journal, and can be rebuilt at any time. Nothing here
//! prints or makes decisions: functions return text or write to a given writer. All untrusted text passes through
//! [`arena_core::text`] before it reaches a terminal.

mod analysed;
mod analysis;
mod bot_page;
mod bots;
mod by_ply;
mod cells;
mod combined;
mod conduct;
mod covariance;
mod ending;
mod favourite;
mod format_text;
mod games;
mod headline;
mod history;
mod html;
mod junit;
mod listing;
mod machines;
mod match_figures;
mod match_markdown;
mod moves;
mod options;
mod page;
mod plots;
mod published;
mod reproduce;
mod rounds;
mod sentences;
mod settling;
mod similar;
mod sprt;
mod standings;
mod statements;
#[cfg(test)]
mod stored;
mod summary;
mod table;
#[cfg(test)]
mod tests;
mod times;
mod tournament;
mod upset;
mod verdict;
mod versions;
mod withdrawn;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::OnceLock;

pub use analysis::{AnalysisReport, analysis_csv};
pub use bot_page::bot_markdown;
pub use bots::bots_csv;
pub use cells::{rounded, rounded_to};
pub use combined::{Combined, SeriesGame, too_large_a_series};
pub use conduct::Conducts;
pub use covariance::{covariance_csv, los_csv};
pub use format_text::format_text;
pub use games::games_csv;
pub use headline::first_places;
pub use headline::{best_sentence, leaders};
pub use history::History;
pub use html::index::{IndexEntry, index_html};
pub use junit::junit_xml;
pub use listing::{
    FILTER_WORDS, Filter, FilterError, List, ListColumns, ListedGame, NumberedWords, filter_word, read_games_csv,
};
pub use machines::{MachineRow, machines, machines_text};
pub use match_figures::{MatchFigures, expected_json, expected_text, llr_text, score_line, with_margin};
pub use match_markdown::{MatchSummary, match_markdown};
pub use moves::moves_csv;
pub use options::ResultsOptions;
pub use page::{TextLayout, TextPage, Tone, message, short_message};
pub use plots::{PLOT_FILES, tag_plot_file, write_plots, write_ranking_plots, write_tag_plots};
pub use published::{standings_latex, standings_markdown};
pub use rounds::rounds_csv;
pub use sentences::{
    copy_warnings, disturbance_warnings, fault_commands, fault_lines, fault_sentences, machine_lines, stopped,
    void_warnings, warnings,
};
pub use similar::Similarity;
pub use sprt::{TIME_OVER, met_by_first, verdict_word};
pub use standings::{crosstable_csv, head_to_head_csv, standings_csv};
pub use statements::statements;
pub use summary::{ImportOrigin, summary_json};
pub use table::{add_incidents, ranking_page, summary_page};
pub use tournament::tournament_json;
pub use upset::{Expectations, Upset};
pub use verdict::{BIASED, accepted, verdict_words};
pub use versions::{NamedVersion, Version, Versions};
pub use withdrawn::withdrawal_reason;

use anyhow::Context as _;
use arena_core::event::{Entry, Stop, Tournament};
use arena_core::import::GameRow;
use arena_core::record::{Record, Status};
use arena_core::rules::{Move, Seat};
use arena_core::schedule::{Brief, Planned, Scheduler};
use arena_core::stats::{AnalysisOptions, Duplicates};
use arena_show::views::{Ranking, TagColumn};
use arena_sys::results_folder::{Durability, ResultsFolder};

use crate::journal::{Analyses, Reader};
use sentences::Incidents;
use settling::Settling;
use tournament::RunPace;

/// The file of the matches of a stepwise format.
const ROUNDS_FILE: &str = "rounds.csv";

/// The file of a results folder that people open first.
pub const REPORT_FILE: &str = "report.html";
/// The page of all tournaments, in the folder of their folders.
pub const INDEX_FILE: &str = "index.html";
/// Bots against best play.
pub const ANALYSIS_FILE: &str = "analysis.csv";
/// The table of a series.
pub const COMBINED_FILE: &str = "combined.csv";
/// A ranking of games from files, as JSON.
pub const SUMMARY_FILE: &str = "summary.json";
const COVARIANCE_FILES: [&str; 2] = ["covariance.csv", "los.csv"];

/// The files of a ranking.
pub const RANKING_FILES: [&str; 6] =
    ["standings.csv", "crosstable.csv", "head_to_head.csv", COVARIANCE_FILES[0], COVARIANCE_FILES[1], SUMMARY_FILE];
/// The files of a tournament or series that are no files of a ranking.
pub const TOURNAMENT_FILES: [&str; 7] =
    [ROUNDS_FILE, "bots.csv", "games.csv", REPORT_FILE, "tournament.json", COMBINED_FILE, ANALYSIS_FILE];

/// The files of a tournament that others get, as far as it has them.
pub const PUBLISHED_FILES: [&str; 9] = [
    REPORT_FILE,
    "standings.csv",
    "crosstable.csv",
    "head_to_head.csv",
    COVARIANCE_FILES[0],
    COVARIANCE_FILES[1],
    ROUNDS_FILE,
    "games.csv",
    "bots.csv",
];

/// Those of a series.
pub const PUBLISHED_OF_SERIES: [&str; 2] = [REPORT_FILE, COMBINED_FILE];

/// A tournament and a summary of its games, from which all reports are made. The games themselves stay in the journal
/// and are read when a report needs them.
#[derive(Debug)]
pub struct Results<'a> {
    schedule: &'a Scheduler,
    journal: &'a Reader,
    ranking: Ranking,
    progress: GameCounts,
    pace: RunPace,
    any_fault: bool,
    /// These four as in [`ResultsOptions`].
    stop: Option<Stop>,
    with_times: bool,
    for_others: bool,
    own_commands: Option<BTreeMap<String, String>>,
    /// The bots that are withdrawn and why, in the order of the roster.
    withdrawn: Vec<(usize, String)>,
    incidents: Incidents,
    /// Computed when a report first needs them, since they take every game.
    conducts: OnceLock<Conducts>,
    analyses: OnceLock<Analyses>,
    settling: OnceLock<Option<Settling>>,
}

/// Numbers of games in each state; played, void, withdrawn and missing ones add up to those scheduled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct GameCounts {
    /// Games in the schedule.
    pub scheduled: usize,
    /// Games with a result that counts.
    pub played: usize,
    /// Games that failed because of the arena, not of a bot.
    pub void: usize,
    /// Games without a winner, not played because both bots were withdrawn.
    pub withdrawn: usize,
    /// Games not yet tried, and those that neither bot could start.
    pub missing: usize,
    /// Those of the missing games that neither bot could start.
    #[serde(skip_serializing_if = "is_zero")]
    pub unstartable: usize,
    /// Whether more games follow from the results of these.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference to the field")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl GameCounts {
    fn of(schedule: &Scheduler) -> Self {
        let mut counts = Self { scheduled: schedule.total() as usize, open: schedule.is_open(), ..Self::default() };
        for (_, brief) in schedule.tried() {
            match (brief.counts(), brief.is_settled()) {
                (true, _) => counts.played += 1,
                (false, true) => counts.withdrawn += 1,
                (false, false) if brief.is_unstartable() => counts.unstartable += 1,
                (false, false) => counts.void += 1,
            }
        }
        counts.missing = counts.scheduled - counts.played - counts.withdrawn - counts.void;
        counts
    }

    /// Whether all games have been played.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.played + self.withdrawn == self.scheduled && !self.open
    }
}

impl<'a> Results<'a> {
    /// Analyses the games of a schedule, which are in `journal`.
    ///
    /// # Errors
    ///
    /// Returns an error if a game that a report describes cannot be read.
    pub fn new(schedule: &'a Scheduler, journal: &'a Reader, options: ResultsOptions) -> anyhow::Result<Self> {
        let bots = 0..schedule.event().bots.len();
        let withdrawn = bots.filter_map(|bot| Some((bot, schedule.withdrawal(bot)?)));
        let withdrawn = withdrawn.map(|(bot, why)| Ok((bot, withdrawal_reason(why, journal)?)));
        let progress = GameCounts::of(schedule);
        Ok(Self {
            schedule,
            journal,
            ranking: rank(schedule, &options.analysis),
            progress,
            pace: RunPace::of(&options, progress.missing),
            any_fault: schedule.played().any(|(_, brief)| brief.statuses.iter().any(|status| status.is_fault())),
            stop: options.stop,
            with_times: options.with_times,
            for_others: options.for_others,
            own_commands: options.own_commands,
            withdrawn: withdrawn.collect::<anyhow::Result<_>>()?,
            incidents: Incidents::find(schedule, journal)?,
            conducts: OnceLock::new(),
            analyses: OnceLock::new(),
            settling: OnceLock::new(),
        })
    }

    /// The analysed games.
    #[must_use]
    pub const fn ranking(&self) -> &Ranking {
        &self.ranking
    }

    /// The games by state.
    #[must_use]
    pub const fn progress(&self) -> GameCounts {
        self.progress
    }

    /// Whether any bot committed a fault or was withdrawn.
    #[must_use]
    pub const fn any_fault(&self) -> bool {
        self.any_fault
    }

    /// How each bot behaved.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read.
    pub fn conducts(&self) -> anyhow::Result<&Conducts> {
        once(&self.conducts, || Conducts::of(self))
    }

    /// What was found about the games against best play, by now.
    fn analyses(&self) -> anyhow::Result<&Analyses> {
        once(&self.analyses, || Analyses::read_in(self.journal.folder()))
    }

    /// How the ratings settled; `None` if there are too many bots to say.
    fn settling(&self) -> Option<&Settling> {
        self.settling.get_or_init(|| Settling::of(self)).as_ref()
    }

    /// The definition of the tournament.
    #[must_use]
    pub fn event(&self) -> &'a Tournament {
        self.schedule.event()
    }

    /// The mean seconds of a game, and the most games at a time; 0 if that is not recorded.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read.
    pub fn seconds_and_slots(&self) -> anyhow::Result<(f64, u32)> {
        Ok(self.conducts()?.seconds_and_slots())
    }

    /// What was played: `connect4 round-robin, 20 ms a move, seed 17`.
    #[must_use]
    pub fn played(&self) -> String {
        let Tournament { label, format, clock, seed, .. } = self.event();
        format!("{label} {format}, {clock}, seed {seed}")
    }

    /// Whether games are missing only because the last run stopped itself by its budget.
    #[must_use]
    pub fn is_out_of_time(&self) -> bool {
        self.stop.is_some() && !self.progress.is_complete() && self.progress.unstartable == 0
    }

    /// The number of games of the whole tournament; `None` if results or time decide how many are played.
    #[must_use]
    pub fn planned_games(&self) -> Option<usize> {
        let is_fixed = !self.schedule.is_stepwise() && !self.schedule.is_extended() && self.stop.is_none();
        let has_test = self.event().sprt.is_some() && !self.schedule.is_cut();
        (is_fixed && !has_test).then_some(self.progress.scheduled)
    }

    /// The number of rounds that were played and rated, from the games between bots that are not withdrawn; `None` if
    /// some pairings have more games than others.
    #[must_use]
    pub fn rounds_played(&self) -> Option<f64> {
        let stays = |game: &Planned| game.bots.iter().all(|bot| !self.ranking.withdrawn.contains(bot));
        let due = self.schedule.games().filter(stays).count();
        let rated = self.schedule.played().filter(|(game, brief)| brief.is_rated() && stays(game)).count();
        let alike = !self.schedule.is_extended() && self.ranking.sheet.is_none() && due > 0;
        alike.then(|| f64::from(self.rounds()) * rated as f64 / due as f64)
    }

    /// Rounds of the schedule, up to a decision that ended it.
    fn rounds(&self) -> u32 {
        match self.schedule.total().checked_sub(1) {
            Some(last) if self.schedule.is_cut() => self.schedule.planned(last).round,
            _ => self.event().rounds,
        }
    }

    /// For each bot, the number of its void attempts in which both bots had started.
    fn void_games(&self) -> Vec<u64> {
        let started =
            self.schedule.void().filter(|(_, brief)| brief.statuses == [Status::Ok; 2] && !brief.is_rules_fault());
        self.games_by_bot(started.map(|(game, _)| game))
    }

    /// For each bot, the number of its games that count.
    fn played_games(&self) -> Vec<u64> {
        self.games_by_bot(self.schedule.played().map(|(game, _)| game))
    }

    fn games_by_bot(&self, all: impl Iterator<Item = Planned>) -> Vec<u64> {
        let mut games = vec![0; self.event().bots.len()];
        for bot in all.flat_map(|game| game.bots) {
            games[bot] += 1;
        }
        games
    }

    /// Whether a bot lost a game by a move on which the rules fail.
    #[must_use]
    pub fn has_broken_rules(&self) -> bool {
        self.schedule.tried().any(|(_, brief)| brief.breaks_rules())
    }

    /// The withdrawn bots in roster order: name and reason.
    pub fn withdrawn(&self) -> impl Iterator<Item = (&'a str, &str)> {
        self.withdrawn.iter().map(|(bot, why)| (self.name(*bot), why.as_str()))
    }

    /// The name of a bot in the event, not in a record, so that a renamed bot keeps its games.
    fn name(&self, bot: usize) -> &'a str {
        self.event().bots.get(bot).map_or("", |entry| entry.id.name.as_str())
    }

    /// The record of a game: from the journal, or derived for one that withdrawn bots lost unplayed.
    fn record(&self, game: &Planned, brief: &Brief) -> anyhow::Result<Record> {
        if brief.bytes > 0 {
            return self.journal.record(brief);
        }
        let why = |bot| self.withdrawn.iter().find(|(withdrawn, _)| *withdrawn == bot).map(|(_, why)| why.as_str());
        let lost = Seat::BOTH.map(|seat| brief.statuses[seat.index()] == Status::Withdrawn);
        let why = Seat::BOTH.map(|seat| why(game.bots[seat.index()]).filter(|_| lost[seat.index()]));
        Ok(self.schedule.unplayed(game.place, why))
    }
}

/// What `cell` has, computed if nothing did so before.
fn once<T>(cell: &OnceLock<T>, compute: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<&T> {
    match cell.get() {
        Some(known) => Ok(known),
        None => compute().map(|value| cell.get_or_init(|| value)),
    }
}

/// Analyses the games that count. Games that repeat another move for move form one cluster with it.
#[must_use]
pub fn rank(schedule: &Scheduler, options: &AnalysisOptions) -> Ranking {
    let event = schedule.event();
    let mut duplicates = Duplicates::default();
    let games = counted_games(schedule, &mut duplicates).map(|(_, game)| game);
    let names = event.bots.iter().map(|entry| entry.id.name.clone().into_bytes()).collect();
    let mut options = *options;
    // Bots that look alike meet more often, which stretches a fit without a prior.
    options.rating.fitted_prior |= schedule.prefers_likes();
    let mut ranking = Ranking::of(names, games, &options);
    ranking.tags = tag_columns(&event.bots);
    ranking.repeated = duplicates.total();
    ranking.sheet = schedule.sheet();
    if let Some(sheet) = &ranking.sheet
        && !sheet.ranks.is_empty()
    {
        ranking.analysis.rank_by_format(&sheet.ranks);
    }
    ranking.challengers = schedule.challengers().to_vec();
    ranking.withdrawn = (0..event.bots.len()).filter(|bot| schedule.withdrawal(*bot).is_some()).collect();
    ranking
}

/// All tags of these bots, by name.
fn tag_columns(bots: &[Entry]) -> Vec<TagColumn> {
    let names: BTreeSet<&str> = bots.iter().flat_map(|bot| bot.tags.iter().map(|(name, _)| name)).collect();
    let column = |name: &str| {
        let values = bots.iter().map(|bot| bot.tags.get(name).cloned()).collect();
        TagColumn { name: name.to_owned(), values }
    };
    names.into_iter().map(column).collect()
}

/// The games that count, in the order of the schedule, as ratings take them.
pub fn counted_games<'a>(
    schedule: &'a Scheduler,
    duplicates: &'a mut Duplicates<u64>,
) -> impl Iterator<Item = (Planned, GameRow)> + 'a {
    let openings = shared_openings(schedule.event());
    schedule.played().map(move |(game, brief)| {
        let [first, second] = game.bots.map(|bot| bot as u32);
        let rated = brief.is_rated();
        let cluster = if rated { duplicates.add(game.bots, brief.moves, game.pair) } else { game.pair };
        let opening = openings.get(game.opening).copied();
        let loser = brief.result.winner().map(Seat::other);
        let forfeit = loser.is_some_and(|loser| brief.statuses[loser.index()].is_fault());
        (game, GameRow { first, second, pair: game.pair, cluster, opening, result: brief.result, forfeit, rated })
    })
}

/// For each opening, the index of the first equal one. Empty with hidden information: every game has its own seed there,
/// so single games are the sampling unit.
fn shared_openings(event: &Tournament) -> Vec<u32> {
    let open = event.open_information();
    let mut first: HashMap<&[Move], u32> = HashMap::new();
    let openings = event.openings.iter().filter(|_| open);
    (0..).zip(openings).map(|(place, opening)| *first.entry(opening.as_slice()).or_insert(place)).collect()
}

/// Writes all derived files of a results folder: standings, crosstable, head to head, tournament, bots, games and the
/// report. Games come late, since that file is by far the largest and the disk may be full. Others get [`PUBLISHED_FILES`].
///
/// # Errors
///
/// Returns the first file that could not be written, and why. Files before it are complete, the others unchanged.
pub fn write_all(folder: &ResultsFolder, results: &Results<'_>, durability: Durability) -> anyhow::Result<()> {
    write_standings(folder, results, durability)?;
    folder.replace("bots.csv", durability, |out| bots_csv(results, out))?;
    folder.replace("games.csv", durability, |out| games_csv(results, out))?;
    let page = html::report_html(results)?;
    folder.replace(REPORT_FILE, durability, |out| Ok(out.write_all(page.as_bytes())?))
}

/// Writes the files of a series, in whose folder those of its games are: the table of all, and the report.
///
/// # Errors
///
/// See [`write_all`].
pub fn write_series(
    folder: &ResultsFolder,
    combined: &Combined,
    games: &[SeriesGame<'_>],
    durability: Durability,
) -> anyhow::Result<()> {
    folder.replace(COMBINED_FILE, durability, |out| combined.write_csv(out))?;
    let name = folder.path().file_name().unwrap_or_default().to_string_lossy();
    let page = html::series::series_html(&name, combined, games)?;
    folder.replace(REPORT_FILE, durability, |out| Ok(out.write_all(page.as_bytes())?))
}

/// Writes the derived files that do not need every game: standings, crosstable, head to head and tournament.
///
/// # Errors
///
/// See [`write_all`].
pub fn write_standings(folder: &ResultsFolder, results: &Results<'_>, durability: Durability) -> anyhow::Result<()> {
    write_ranking(folder, &results.ranking, durability)?;
    if !results.ranking.analysis.covariance {
        // Files from an earlier request would be out of date.
        for stale in COVARIANCE_FILES {
            remove(folder, stale)?;
        }
    }
    match &results.ranking.sheet {
        Some(sheet) => folder.replace(ROUNDS_FILE, durability, |out| rounds_csv(results, sheet, out))?,
        // From another format.
        None => remove(folder, ROUNDS_FILE)?,
    }
    if results.for_others {
        return Ok(());
    }
    folder.replace("tournament.json", durability, |out| tournament_json(results, out))
}

/// Writes standings, crosstable and head to head, and the errors of all differences if requested.
///
/// # Errors
///
/// See [`write_all`].
pub fn write_ranking(folder: &ResultsFolder, ranking: &Ranking, durability: Durability) -> anyhow::Result<()> {
    folder.replace("standings.csv", durability, |out| standings_csv(ranking, out))?;
    folder.replace("crosstable.csv", durability, |out| crosstable_csv(ranking, out))?;
    folder.replace("head_to_head.csv", durability, |out| head_to_head_csv(ranking, out))?;
    if ranking.analysis.covariance {
        folder.replace("covariance.csv", durability, |out| covariance_csv(ranking, out))?;
        folder.replace("los.csv", durability, |out| los_csv(ranking, out))?;
    }
    Ok(())
}

/// Removes a derived file if it is there.
fn remove(folder: &ResultsFolder, name: &str) -> anyhow::Result<()> {
    let removed = folder.remove(name);
    removed.with_context(|| format!("could not remove `{}`, which is out of date", folder.path_of(name).display()))
}
