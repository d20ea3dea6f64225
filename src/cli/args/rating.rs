//! Flags for ratings and ranks.

use arena_core::event::Tournament;
use arena_core::stats::{AnalysisOptions, RankBy};
use arena_run::session::{TableOptions, parse_draws};

use super::shared::{on_or_off, one_of};
use crate::cli::Io;

/// The options that all commands with tables have.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct RatingArgs {
    /// Bot whose rating is fixed, or `mean` [default: mean, which makes the mean of all 0]
    #[arg(long, value_name = "NAME[:ELO]", allow_hyphen_values = true)]
    anchor: Option<String>,
    /// Rank by points or rating [default: points if all met equally often]
    #[arg(long, value_name = "points|elo", hide_possible_values = true, value_parser = one_of([("points", RankBy::Points), ("elo", RankBy::Elo)]))]
    rank_by: Option<RankBy>,
}

/// Options that change what is played: `--until` adds games until bots are separated or margins are small enough. Virtual draws
/// bound ratings and narrow margins, so they change which pairings go on, and are needed before the first game.
///
/// The options that only [`TableArgs`] has change no decision. `--family-wise` changes ranges of ranks, and `--until separated`
/// compares neighbours two at a time. `--draw-model` adds a column; the ratings of `--until` are the logistic ones. The test of a
/// match uses counts of pairs and no ratings.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct DecidingArgs {
    #[command(flatten)]
    rating: RatingArgs,
    /// Virtual draws for each bot, which bound all ratings [default: 0]
    #[arg(long, value_name = "X", allow_negative_numbers = true, value_parser = parse_draws)]
    prior_draws: Option<f64>,
}

/// All options of tables. A tournament keeps them, so that only `standings` needs to have them.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct TableArgs {
    #[command(flatten)]
    deciding: DecidingArgs,
    /// `davidson` adds ratings by a model with draws [default: logistic]
    #[arg(
        long = "draw-model",
        value_name = "MODEL",
        hide_possible_values = true,
        value_parser = one_of([("logistic", false), ("davidson", true)])
    )]
    davidson: Option<bool>,
    /// Add the Nash average: the best mixture of up to 50 bots
    #[arg(long, value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on", hide_possible_values = true, value_parser = on_or_off())]
    nash: Option<bool>,
    /// Rank ranges and comparisons at 95 % for all bots together
    #[arg(long, value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on", hide_possible_values = true, value_parser = on_or_off())]
    family_wise: Option<bool>,
    /// Also write covariance.csv and los.csv, with all pairs of bots
    #[arg(long, value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on", hide_possible_values = true, value_parser = on_or_off())]
    covariance: Option<bool>,
}

impl RatingArgs {
    /// What these flags ask for.
    pub(crate) fn asked(&self) -> TableOptions {
        TableOptions { anchor: self.anchor.clone(), rank_by: self.rank_by, ..TableOptions::default() }
    }
}

impl DecidingArgs {
    /// What these flags ask for, and `--no-times`.
    pub(crate) fn asked(&self, no_times: Option<bool>) -> TableOptions {
        TableOptions { prior_draws: self.prior_draws, no_times, ..self.rating.asked() }
    }
}

impl TableArgs {
    /// What these flags ask for, and `--no-times`.
    pub(crate) fn asked(&self, no_times: Option<bool>) -> TableOptions {
        TableOptions {
            davidson: self.davidson,
            nash: self.nash,
            family_wise: self.family_wise,
            covariance: self.covariance,
            ..self.deciding.asked(no_times)
        }
    }
}

/// The analysis of a tournament, with a warning if the anchor is not among its bots. `of` is put before the warning.
pub(crate) fn analysis(tables: &TableOptions, event: &Tournament, of: &str, io: &Io) -> AnalysisOptions {
    let names: Vec<&str> = event.bots.iter().map(|entry| entry.id.name.as_str()).collect();
    let (options, warning) = tables.analysis_of_those_left(&names);
    if let Some(warning) = warning {
        io.warn(&format!("{of}{warning}"));
    }
    options
}
