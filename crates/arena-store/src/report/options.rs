//! Options of a report.

use std::collections::BTreeMap;

use arena_core::event::Stop;
use arena_core::stats::AnalysisOptions;

/// What a report needs besides the schedule and the journal: how to analyse them, and facts that neither has.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "options are independent of each other")]
pub struct ResultsOptions {
    /// How the games are analysed.
    pub analysis: AnalysisOptions,
    /// Whether the report has times, which differ from run to run. By default it has.
    pub with_times: bool,
    /// What pages are headed with, instead of the name of the tournament.
    pub title: Option<String>,
    /// Whether the report is made for readers who do not get the journal and `tournament.json`.
    pub for_others: bool,
    /// Why the last run stopped itself, if it did.
    pub stop: Option<Stop>,
    /// The commands that start the bots of this run, by name; `None` if these are results of other runs. A command that is
    /// not in the map comes from the results folder, which may be someone else's.
    pub own_commands: Option<BTreeMap<String, String>>,
    /// Whether commands find the program that is the rules of the game, since the results folder remembers it.
    pub remembers_rules: bool,
    /// Games per second of the run; `None` outside of a run, and before its first game.
    pub games_per_second: Option<f64>,
    /// Whether the time until the end of the run is estimated, from `games_per_second` and the missing games.
    pub estimates_end: bool,
    /// Time of the results, in UTC as RFC 3339; `None` for the time at which they are analysed.
    pub updated: Option<String>,
}

impl Default for ResultsOptions {
    /// The usual analysis of a tournament that is not running, with times, for its owner.
    fn default() -> Self {
        Self {
            analysis: AnalysisOptions::default(),
            with_times: true,
            title: None,
            for_others: false,
            stop: None,
            own_commands: None,
            remembers_rules: false,
            games_per_second: None,
            estimates_end: false,
            updated: None,
        }
    }
}
