//! The parameters of a sequential test.

use arena_core::stats::{Sprt, SprtModel};
use arena_core::suggest::UnknownName;
use arena_core::text::shown;

use super::key_values::key_values;

/// Default error rates.
pub(crate) const ERRORS_DEFAULT: f64 = 0.05;

/// Reads `elo0=0,elo1=20,alpha=0.05,beta=0.05,model=normalized`; these are the defaults. With a `margin` the test is whether
/// a bot is not weaker by that many Elo, so the text has no hypotheses, and Elo is what everyone calls so.
pub(crate) fn parse_sprt(text: &str, margin: Option<f64>) -> Result<Sprt, String> {
    let [elo0, elo1, alpha, beta, model] = key_values(text, ["elo0", "elo1", "alpha", "beta", "model"])?;
    let number = |key: &str, value: Option<&str>, default: f64| match value {
        Some(value) => value.parse().map_err(|_| format!("{key}: `{}` is not a number", shown(value))),
        None => Ok(default),
    };
    let given = [("elo0", elo0), ("elo1", elo1)].into_iter().find(|(_, value)| value.is_some());
    if let (Some(margin), Some((key, _))) = (margin, given) {
        return Err(format!("{key}: --not-weaker-than {margin} means elo0=-{margin},elo1=0; leave one of the two out"));
    }
    let [elo0_usual, elo1_usual] = margin.map_or([0.0, 20.0], |margin| [-margin, 0.0]);
    let elo = [number("elo0", elo0, elo0_usual)?, number("elo1", elo1, elo1_usual)?];
    let (alpha, beta) = (number("alpha", alpha, ERRORS_DEFAULT)?, number("beta", beta, ERRORS_DEFAULT)?);
    let model_usual = if margin.is_some() { SprtModel::Logistic } else { SprtModel::default() };
    let model = model.map_or(Ok(model_usual), parse_model)?;
    Sprt::new(model, elo, alpha, beta).map_err(|error| error.to_string())
}

pub(crate) fn parse_model(name: &str) -> Result<SprtModel, String> {
    SprtModel::named(name)
        .ok_or_else(|| UnknownName::new("model", name, SprtModel::ALL.map(SprtModel::name)).to_string())
}
