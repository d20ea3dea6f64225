//! Reports: the files of a results folder, and tables for a terminal.
//!
//! Everything is derived from the event, its schedule and the journal, and can be rebuilt at any time. Nothing here
//! prints or makes decisions: functions return text or write to a given writer. All untrusted text passes through
//! [`arena_core::text`] before it reaches a terminal.
//!
//! | folder | files |
//! |---|---|
//! | `facts` | what the games say, computed: counts, rankings, conduct, times |
//! | `words` | the same in sentences and figures, which all outputs share |
//! | `text` | pages for a terminal, and Markdown and LaTeX |
//! | `tables` | CSV files |
//! | `data` | JSON, and XML for CI servers |
//! | `html` | pages for browsers |
//! | `feedback` | what the author of each bot is told, as text and page |
//! | `listing` | the games as rows of a list |

mod analysis;
mod cells;
mod combined;
mod data;
mod facts;
mod feedback;
mod files;
mod html;
mod listing;
mod options;
mod plots;
#[cfg(test)]
mod stored;
mod tables;
#[cfg(test)]
mod tests;
mod text;
mod words;

use std::collections::BTreeMap;
use std::sync::OnceLock;

pub use analysis::{AnalysisReport, analysis_csv};
pub use cells::{rounded, rounded_to};
pub use combined::{Combined, SeriesGame, too_large_a_series};
pub use data::junit::junit_xml;
pub use data::summary::{ImportOrigin, summary_json};
pub use data::tournament::tournament_json;
pub use facts::conduct::Conducts;
pub use facts::counts::GameCounts;
pub use facts::ranking::{counted_games, rank};
pub use facts::upset::{Expectations, Upset};
pub use facts::versions::{NamedVersion, Version, Versions};
pub use feedback::{Before, BotFeedback, FEEDBACK_INPUTS_MAX, FeedbackOptions, feedback, text_names};
pub use files::{
    ANALYSIS_FILE, COMBINED_FILE, INDEX_FILE, PUBLISHED_FILES, PUBLISHED_OF_SERIES, RANKING_FILES, REPORT_FILE,
    SUMMARY_FILE, TOURNAMENT_FILES, write_all, write_ranking, write_series, write_standings,
};
pub use html::index::{IndexEntry, index_html};
pub use listing::{
    FILTER_WORDS, Filter, FilterError, List, ListColumns, ListedGame, NumberedWords, filter_word, read_games_csv,
};
pub use options::ResultsOptions;
pub use plots::{PLOT_FILES, PlotTags, check_tag, write_plots, write_ranking_plots, write_tag_plots};
pub use tables::bots::bots_csv;
pub use tables::covariance::{covariance_csv, los_csv};
pub use tables::games::games_csv;
pub use tables::moves::moves_csv;
pub use tables::rounds::rounds_csv;
pub use tables::standings::{crosstable_csv, head_to_head_csv, standings_csv};
pub use text::bot_page::bot_markdown;
pub use text::headline::{best_sentence, leaders};
pub use text::headline::{first_places, short_headline};
pub use text::history::{History, VERSIONS_MAX};
pub use text::machines::{MachineRow, machines, machines_text};
pub use text::match_markdown::{MatchSummary, match_markdown};
pub use text::page::{TextLayout, TextPage, Tone, message, short_message};
pub use text::published::{standings_latex, standings_markdown};
pub use text::similar::Similarity;
pub use text::table::{add_incidents, ranking_page, summary_page};
pub use words::faults::{fault_commands, fault_lines, fault_sentences, machine_lines};
pub use words::format_text::format_text;
pub use words::match_figures::{MatchFigures, expected_json, expected_text, llr_text, score_line, with_margin};
pub use words::sprt::{TIME_OVER, met_by_first, verdict_word};
pub use words::statements::statements;
pub use words::verdict::{BIASED, accepted, verdict_words};
pub use words::warnings::{copy_warnings, disturbance_warnings, stopped, void_warnings, warnings};
pub use words::withdrawn::withdrawal_reason;

use arena_core::event::{Stop, Tournament};
use arena_core::record::{Record, Status};
use arena_core::rules::Seat;
use arena_core::schedule::{Brief, Planned, Scheduler};
use arena_show::views::Ranking;

use crate::journal::{Analyses, Reader};
use data::tournament::RunPace;
use facts::settling::Settling;
use words::faults::Incidents;

/// A tournament and a summary of its games, from which all reports are made. The games themselves stay in the journal
/// and are read when a report needs them.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent of each other")]
pub struct Results<'a> {
    schedule: &'a Scheduler,
    journal: &'a Reader,
    ranking: Ranking,
    progress: GameCounts,
    pace: RunPace,
    any_fault: bool,
    /// These five as in [`ResultsOptions`].
    stop: Option<Stop>,
    with_times: bool,
    title: Option<String>,
    for_others: bool,
    own_commands: Option<BTreeMap<String, String>>,
    remembers_rules: bool,
    /// The bots that are withdrawn and why, in the order of the roster.
    withdrawn: Vec<(usize, String)>,
    incidents: Incidents,
    /// Computed when a report first needs them, since they take every game.
    conducts: OnceLock<Conducts>,
    analyses: OnceLock<Analyses>,
    settling: OnceLock<Option<Settling>>,
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
            title: options.title,
            for_others: options.for_others,
            own_commands: options.own_commands,
            remembers_rules: options.remembers_rules,
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

    /// What is to be said of lines of `analysis.jsonl` that were looked at for a table and cannot be true.
    #[must_use]
    pub fn analysis_warnings(&self) -> Vec<String> {
        self.analyses.get().map_or_else(Vec::new, |analyses| analyses.warnings(Analyses::SHOWN))
    }

    /// How the ratings settled; `None` if there are too many bots to say.
    fn settling(&self) -> Option<&Settling> {
        self.settling.get_or_init(|| Settling::of(self)).as_ref()
    }

    /// What pages are headed with: the title, or the name of the tournament.
    #[must_use]
    pub fn heading(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.event().name)
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

    /// The games of the tournament.
    #[must_use]
    pub const fn schedule(&self) -> &'a Scheduler {
        self.schedule
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
