//! Flags for ratings and ranks.

use anyhow::bail;
use clap::ArgAction;

use super::shared_args::one_of;
use crate::stats::{AnalysisOptions, Anchor, RankBy, RatingOptions};
use crate::suggest::did_you_mean;
use crate::text::shown;

/// The seed of the Nash average's resampling: arbitrary, but fixed.
const NASH_SEED: u64 = 1;

/// Smallest number of virtual draws. Fewer would bound a rating only by thousands of Elo.
const DRAWS_MIN: f64 = 0.1;

#[derive(Debug, Clone, clap::Args)]
pub(super) struct RatingArgs {
    /// Bot whose rating is fixed [default: the mean of all is 0]
    #[arg(long, value_name = "NAME[:ELO]", allow_hyphen_values = true)]
    anchor: Option<String>,
    /// Rank by points or rating [default: points if all met equally often]
    #[arg(long, value_name = "points|elo", hide_possible_values = true, value_parser = one_of([("points", RankBy::Points), ("elo", RankBy::Elo)]))]
    rank_by: Option<RankBy>,
    /// Virtual draws for each bot, which bound all ratings
    #[arg(long, value_name = "X", default_value_t = 0.0, allow_negative_numbers = true, value_parser = parse_draws)]
    prior_draws: f64,
    /// `davidson` adds ratings by a model with draws
    #[arg(
        long = "draw-model",
        action = ArgAction::Set,
        value_name = "MODEL",
        hide_possible_values = true,
        default_value = "logistic",
        value_parser = one_of([("logistic", false), ("davidson", true)])
    )]
    davidson: bool,
    /// Add the Nash average: the best mixture of up to 50 bots
    #[arg(long)]
    nash: bool,
    /// Also write covariance.csv and los.csv, with all pairs of bots
    #[arg(long)]
    covariance: bool,
}

impl RatingArgs {
    /// The options for bots of these names. `fit_side`: whether to fit the advantage of moving first, because the schedule
    /// does not balance it.
    pub(super) fn options<N: AsRef<[u8]>>(&self, names: &[N], fit_side: bool) -> anyhow::Result<AnalysisOptions> {
        let anchor = self.anchor.as_deref().map(|text| anchor(text, names)).transpose()?;
        Ok(AnalysisOptions {
            davidson: self.davidson,
            rating: RatingOptions { fit_side, anchor, prior_draws: self.prior_draws, fitted_prior: false },
            rank_by: self.rank_by,
            nash_seed: self.nash.then_some(NASH_SEED),
            covariance: self.covariance,
        })
    }

    /// The same flags without an anchor.
    pub(super) fn without_anchor(&self) -> Self {
        Self { anchor: None, ..self.clone() }
    }
}

/// The bot that `text` names, and its rating.
fn anchor<N: AsRef<[u8]>>(text: &str, names: &[N]) -> anyhow::Result<Anchor> {
    let place = |name: &str| names.iter().position(|known| known.as_ref() == name.as_bytes());
    // Names from other tools may contain colons: try the whole text as a name first.
    if let Some(bot) = place(text) {
        return Ok(Anchor { bot, elo: 0.0 });
    }
    let (name, elo) = text.rsplit_once(':').map_or((text, None), |(name, elo)| (name, Some(elo)));
    let Some(bot) = place(name) else {
        let known: Vec<_> = names.iter().map(|name| String::from_utf8_lossy(name.as_ref())).collect();
        let hint = did_you_mean(name, known.iter().map(AsRef::as_ref));
        bail!("--anchor: there is no bot named `{}`{hint}", shown(name));
    };
    match elo.map_or(Ok(0.0), str::parse::<f64>) {
        Ok(elo) if elo.is_finite() => Ok(Anchor { bot, elo }),
        _ => bail!(
            "--anchor: `{}` is not a rating; write NAME or NAME:ELO, such as greedy:1500",
            shown(elo.unwrap_or_default())
        ),
    }
}

fn parse_draws(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(draws) if draws == 0.0 || (DRAWS_MIN..=1e6).contains(&draws) => Ok(draws.abs()),
        _ => Err(format!("`{}` is neither 0 nor a number of draws from {DRAWS_MIN} to 1000000", shown(text))),
    }
}
