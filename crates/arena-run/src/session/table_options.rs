//! What the tables of a tournament were asked to have. It is part of the tournament: later commands keep it.

use anyhow::bail;
use arena_core::stats::{AnalysisOptions, Anchor, RankBy, RatingOptions};
use arena_core::suggest::did_you_mean;
use arena_core::text::shown;
use arena_store::report::ResultsOptions;
use arena_sys::flags::ANCHOR;
use serde::{Deserialize, Serialize};

/// The seed of the Nash average's resampling: arbitrary, but fixed.
const NASH_SEED: u64 = 1;
/// The name of no anchor: the mean of all ratings is 0. A bot of that name takes precedence.
const MEAN: &str = "mean";
/// Smallest number of virtual draws. Fewer would bound a rating only by thousands of Elo.
const DRAWS_MIN: f64 = 0.1;
const DRAWS_MAX: f64 = 1e6;
/// Ratings of anchors are from its negative to this, in Elo: larger ones would leave no digits to the differences.
const ANCHOR_MAX: f64 = 100_000.0;
/// The longest title, in characters.
const TITLE_MAX: usize = 120;

/// Options for tables, as a person gives them. `None` where nothing was asked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableOptions {
    /// The bot whose rating is fixed, as `NAME` or `NAME:ELO`, or `mean`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
    /// What determines the ranks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank_by: Option<RankBy>,
    /// Virtual draws for each bot: 0, or from 0.1 to 1,000,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prior_draws: Option<f64>,
    /// Whether ratings by Davidson's model are added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub davidson: Option<bool>,
    /// Whether the Nash average is added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nash: Option<bool>,
    /// Whether ranks and comparisons hold for all bots together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family_wise: Option<bool>,
    /// Whether `covariance.csv` and `los.csv` are written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covariance: Option<bool>,
    /// Whether the report leaves times out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_times: Option<bool>,
    /// What pages are headed with, instead of the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

impl TableOptions {
    /// These options, and those of `before` where these ask for nothing.
    #[must_use]
    pub fn over(self, before: &Self) -> Self {
        Self {
            anchor: self.anchor.or_else(|| before.anchor.clone()),
            rank_by: self.rank_by.or(before.rank_by),
            prior_draws: self.prior_draws.or(before.prior_draws),
            davidson: self.davidson.or(before.davidson),
            nash: self.nash.or(before.nash),
            family_wise: self.family_wise.or(before.family_wise),
            covariance: self.covariance.or(before.covariance),
            no_times: self.no_times.or(before.no_times),
            title: self.title.or_else(|| before.title.clone()),
        }
    }

    /// Whether the report has times.
    #[must_use]
    pub fn with_times(&self) -> bool {
        !self.no_times.unwrap_or_default()
    }

    /// The analysis of bots of these names. `fit_side`: whether to fit the advantage of moving first, because the schedule
    /// does not balance it.
    ///
    /// # Errors
    ///
    /// Returns an error if the anchor is none of the bots or not a rating.
    pub fn analysis<N: AsRef<[u8]>>(&self, names: &[N], fit_side: bool) -> anyhow::Result<AnalysisOptions> {
        let anchor = self.anchor.as_deref().map_or(Ok(None), |text| anchor(text, names))?;
        Ok(AnalysisOptions {
            davidson: self.davidson.unwrap_or_default(),
            rating: RatingOptions {
                fit_side,
                anchor,
                prior_draws: self.prior_draws.unwrap_or_default(),
                fitted_prior: false,
            },
            rank_by: self.rank_by,
            nash_seed: self.nash.unwrap_or_default().then_some(NASH_SEED),
            family_wise: self.family_wise.unwrap_or_default(),
            covariance: self.covariance.unwrap_or_default(),
        })
    }

    /// As [`analysis`](Self::analysis) for a tournament, whose anchor may not play any more; the mean of all ratings is then
    /// 0, and a warning says so.
    #[must_use]
    pub fn analysis_of_those_left<N: AsRef<[u8]>>(&self, names: &[N]) -> (AnalysisOptions, Option<String>) {
        match self.analysis(names, false) {
            Ok(options) => (options, None),
            Err(error) => {
                let without = Self { anchor: None, ..self.clone() }.analysis(names, false).unwrap_or_default();
                (without, Some(format!("{error} among those that play; the mean of all ratings is 0 instead")))
            }
        }
    }

    /// What results need of these options, with this analysis.
    #[must_use]
    pub fn for_results(&self, analysis: AnalysisOptions) -> ResultsOptions {
        ResultsOptions {
            analysis,
            with_times: self.with_times(),
            title: self.title.clone(),
            ..ResultsOptions::default()
        }
    }

    /// Itself, if a person could have given it.
    pub(super) fn checked(self) -> anyhow::Result<Self> {
        if let Some(draws) = self.prior_draws
            && !is_number_of_draws(draws)
        {
            bail!("prior_draws {draws}: {}", draws_wanted());
        }
        if let Some((_, elo)) = self.anchor.as_deref().and_then(|anchor| anchor.rsplit_once(':'))
            && elo.parse().is_ok_and(|elo| !is_anchor(elo))
        {
            bail!("anchor {}: {}", shown(elo), anchor_wanted());
        }
        if let Some(title) = &self.title {
            parse_title(title).map_err(|why| anyhow::anyhow!("title {}: {why}", shown(title)))?;
        }
        if self.rank_by == Some(RankBy::Format) {
            bail!("rank_by: only a format ranks by its own rule; `points` and `elo` are what can be asked for");
        }
        Ok(self)
    }
}

/// A text that is no number of virtual draws.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is {}", shown(.0), draws_wanted())]
pub struct DrawsError(String);

/// Reads a title: what pages are headed with.
///
/// # Errors
///
/// Returns what is expected if the text is empty, has more than one line, or more than 120 characters.
pub fn parse_title(text: &str) -> Result<String, &'static str> {
    let is_title = !text.trim().is_empty() && text.chars().count() <= TITLE_MAX && !text.contains(char::is_control);
    if is_title { Ok(text.trim().to_owned()) } else { Err("expected a line of 1 to 120 characters") }
}

/// Reads a number of virtual draws.
///
/// # Errors
///
/// Returns [`DrawsError`] for any other text.
pub fn parse_draws(text: &str) -> Result<f64, DrawsError> {
    match text.parse::<f64>() {
        Ok(draws) if is_number_of_draws(draws) => Ok(draws.abs()),
        _ => Err(DrawsError(text.to_owned())),
    }
}

fn is_number_of_draws(draws: f64) -> bool {
    draws == 0.0 || (DRAWS_MIN..=DRAWS_MAX).contains(&draws)
}

fn draws_wanted() -> String {
    format!("neither 0 nor a number of draws from {DRAWS_MIN} to {DRAWS_MAX}")
}

/// NaN is none.
fn is_anchor(elo: f64) -> bool {
    (-ANCHOR_MAX..=ANCHOR_MAX).contains(&elo)
}

fn anchor_wanted() -> String {
    format!("not a rating from -{ANCHOR_MAX} to {ANCHOR_MAX}")
}

/// The bot that `text` names, and its rating; `None` for the mean of all.
fn anchor<N: AsRef<[u8]>>(text: &str, names: &[N]) -> anyhow::Result<Option<Anchor>> {
    let place = |name: &str| names.iter().position(|known| known.as_ref() == name.as_bytes());
    // Names from other tools may contain colons: try the whole text as a name first.
    if let Some(bot) = place(text) {
        return Ok(Some(Anchor { bot, elo: 0.0 }));
    }
    if text == MEAN {
        return Ok(None);
    }
    let (name, elo) = text.rsplit_once(':').map_or((text, None), |(name, elo)| (name, Some(elo)));
    let Some(bot) = place(name) else {
        let known: Vec<_> = names.iter().map(|name| String::from_utf8_lossy(name.as_ref())).collect();
        let hint = did_you_mean(name, known.iter().map(AsRef::as_ref));
        bail!("{ANCHOR}: there is no bot named `{}`{hint}", shown(name));
    };
    match elo.map_or(Ok(0.0), str::parse::<f64>) {
        Ok(elo) if is_anchor(elo) => Ok(Some(Anchor { bot, elo })),
        Ok(_) => bail!("{ANCHOR}: {} is {}", shown(elo.unwrap_or_default()), anchor_wanted()),
        _ => bail!(
            "{ANCHOR}: `{}` is not a rating; write NAME or NAME:ELO, such as greedy:1500",
            shown(elo.unwrap_or_default())
        ),
    }
}
