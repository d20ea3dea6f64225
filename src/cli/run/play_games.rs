//! The common part of the commands that play games, after the session is open.

use std::path::Path;

use arena_core::schedule::Policy;
use arena_core::stats::AnalysisOptions;
use arena_run::session::Session;
use arena_show::observer::{Observer as _, Observers, RunEnding};
use arena_store::report::{Results, TextPage, disturbance_warnings, summary_page, tournament_json, void_warnings};

use super::again::this_command;
use super::index::renew_index;
use crate::cli::{Exit, Io};

/// A running command: an open session, and how its results are shown.
pub(crate) struct GamesCommand<'a, P> {
    pub(crate) session: Session,
    pub(crate) policy: P,
    pub(crate) options: AnalysisOptions,
    /// Prints the results.
    pub(crate) show: &'a dyn Fn(&SessionResults<'_, P>) -> anyhow::Result<()>,
    pub(crate) io: &'a Io,
    /// Whether a game lost by a fault is [`Exit::BotTrouble`].
    pub(crate) strict: bool,
}

/// The results of a session to show.
pub(crate) struct SessionResults<'a, P> {
    pub(crate) session: &'a Session,
    pub(crate) policy: &'a P,
    pub(crate) results: &'a Results<'a>,
    /// Whether all tables are written.
    pub(crate) written: bool,
}

impl<P: Policy> GamesCommand<'_, P> {
    /// Plays the missing games. Shows the results even if files can no longer be written.
    pub(crate) fn play(&mut self, observers: &mut Observers<'_>) -> anyhow::Result<RunEnding> {
        let ending = self.session.play(&mut self.policy, observers, &self.options);
        for warning in observers.finish() {
            self.io.warn(&warning);
        }
        if ending.is_err()
            && let Ok(results) = self.session.results(&self.options)
        {
            let _ = self.show(&results, false);
        }
        Ok(ending?)
    }

    /// Writes the tables, shows the results, and prints how to resume if games are missing.
    pub(crate) fn finish(&self, observers: &mut Observers<'_>) -> anyhow::Result<Results<'_>> {
        let results = self.session.results(&self.options)?;
        let written = self.session.write_tables(&results);
        for warning in void_warnings(&results).into_iter().chain(disturbance_warnings(&results)) {
            self.io.warn(&warning);
        }
        for warning in results.analysis_warnings() {
            self.io.warn(&warning);
        }
        self.show(&results, written.is_ok())?;
        written?;
        renew_index(self.session.results_dir(), self.io);
        observers.tables_written(results.ranking());
        if !results.progress().is_complete() && !results.is_out_of_time() {
            self.io.tell_command("resume with: ", &this_command(self.io));
        }
        Ok(results)
    }

    /// The exit code: `otherwise`, unless there was `trouble` with a bot or games are missing.
    pub(crate) fn exit(&self, ending: RunEnding, results: &Results<'_>, trouble: bool, otherwise: Exit) -> Exit {
        if ending == RunEnding::Killed {
            Exit::Killed
        } else if ending == RunEnding::RulesFailed {
            Exit::Error
        } else if !results.progress().is_complete() && !results.is_out_of_time() {
            Exit::Incomplete
        } else if trouble || results.has_broken_rules() || self.strict && results.any_fault() {
            Exit::BotTrouble
        } else {
            otherwise
        }
    }

    fn show(&self, results: &Results<'_>, written: bool) -> anyhow::Result<()> {
        (self.show)(&SessionResults { session: &self.session, policy: &self.policy, results, written })
    }
}

/// Prints the results of a tournament in `dir`, as JSON or for people with `footer` before the standings.
pub(crate) fn show_tournament(
    results: &Results<'_>,
    dir: &Path,
    as_json: bool,
    footer: TextPage,
    io: &Io,
) -> anyhow::Result<()> {
    if !as_json {
        return io.print_page(&summary_page(results, dir, footer)?);
    }
    let mut json = Vec::new();
    tournament_json(results, &mut json)?;
    io.print_data(&String::from_utf8(json)?)
}
