//! `arena sprt`: the sequential test on given counts.

use serde_json::json;

use super::key_values::key_values;
use super::{Exit, print};
use crate::report::{llr_text, rounded};
use crate::stats::{MatchCounts, Sprt, SprtModel};
use crate::suggest::UnknownName;
use crate::text::shown;

/// Default error rates.
const ERRORS_DEFAULT: f64 = 0.05;
/// Maximum count, so that sums do not overflow.
const COUNT_MAX: u64 = 1_000_000_000_000;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Results seen from the bot under test: pairs as LL,LD,DD,WD,WW (a pair won and lost counts as DD), or games as
    /// L,D,W
    #[arg(value_name = "COUNTS", value_parser = parse_counts)]
    counts: MatchCounts,
    /// The scale of the hypotheses
    #[arg(long, default_value = "normalized", value_parser = parse_model)]
    model: SprtModel,
    /// The hypothesis that the bot is no stronger than this
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    elo0: f64,
    /// The hypothesis that it is as strong as this
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    elo1: f64,
    /// Rate of accepting elo1 where elo0 is true
    #[arg(long, value_name = "P", default_value_t = ERRORS_DEFAULT)]
    alpha: f64,
    /// Rate of accepting elo0 where elo1 is true
    #[arg(long, value_name = "P", default_value_t = ERRORS_DEFAULT)]
    beta: f64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let sprt = Sprt::new(args.model, [args.elo0, args.elo1], args.alpha, args.beta)?;
    let llr = sprt.llr(&args.counts);
    let [lower, upper] = sprt.bounds();
    let verdict = sprt.verdict(&args.counts).word();
    if args.json {
        let json = json!({
            "llr": rounded(llr),
            "lower": rounded(lower),
            "upper": rounded(upper),
            "verdict": verdict,
            "model": args.model.name(),
            "games": args.counts.games(),
        });
        print(&json.to_string())?;
    } else {
        print(&format!("{}  {verdict}", llr_text(llr, [lower, upper])))?;
    }
    Ok(Exit::Done)
}

/// Reads `elo0=0,elo1=20,alpha=0.05,beta=0.05,model=normalized`; these are the defaults.
pub(super) fn parse_sprt(text: &str) -> Result<Sprt, String> {
    let [elo0, elo1, alpha, beta, model] = key_values(text, ["elo0", "elo1", "alpha", "beta", "model"])?;
    let number = |key: &str, value: Option<&str>, default: f64| match value {
        Some(value) => value.parse().map_err(|_| format!("{key}: `{}` is not a number", shown(value))),
        None => Ok(default),
    };
    let elo = [number("elo0", elo0, 0.0)?, number("elo1", elo1, 20.0)?];
    let (alpha, beta) = (number("alpha", alpha, ERRORS_DEFAULT)?, number("beta", beta, ERRORS_DEFAULT)?);
    let model = model.map_or(Ok(SprtModel::default()), parse_model)?;
    Sprt::new(model, elo, alpha, beta).map_err(|error| error.to_string())
}

fn parse_model(name: &str) -> Result<SprtModel, String> {
    SprtModel::named(name)
        .ok_or_else(|| UnknownName::new("model", name, SprtModel::ALL.map(SprtModel::name)).to_string())
}

fn parse_counts(text: &str) -> Result<MatchCounts, String> {
    let count = |count: &str| count.trim().parse().ok().filter(|count| *count <= COUNT_MAX);
    let numbers: Option<Vec<u64>> = text.split(',').map(count).collect();
    match numbers.as_deref() {
        Some(&[ll, ld, dd, wd, ww]) => Ok(MatchCounts::Pairs([ll, ld, dd, wd, ww])),
        Some(&[l, d, w]) => Ok(MatchCounts::Games([l, d, w])),
        _ => Err(format!(
            "`{}` is neither five counts LL,LD,DD,WD,WW nor three L,D,W, each at most {COUNT_MAX}",
            shown(text)
        )),
    }
}
