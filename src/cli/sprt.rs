//! `arena sprt`: evaluates a sequential test from given counts.

use serde_json::json;

use super::key_values::key_values;
use super::{Exit, print, print_data};
use crate::report::{BIASED, MatchFigures, expected_json, expected_text, rounded, verdict_words};
use crate::stats::{MatchCounts, Sprt, SprtModel};
use crate::suggest::UnknownName;
use crate::text::shown;

/// Default error rates.
const ERRORS_DEFAULT: f64 = 0.05;
/// Maximum count, so that sums do not overflow.
const COUNT_MAX: u64 = 1_000_000_000_000;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Results of the tested bot: pairs as LL,LD,DD,WD,WW (a pair won and lost counts as DD), or games as L,D,W
    #[arg(value_name = "COUNTS", value_parser = parse_counts)]
    counts: MatchCounts,
    /// Scale of the hypotheses
    #[arg(long, default_value = "normalized", value_parser = parse_model)]
    model: SprtModel,
    /// Hypothesis H0: the bot is stronger by this or less
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    elo0: f64,
    /// Hypothesis H1: the bot is stronger by this or more
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    elo1: f64,
    /// Probability of accepting elo1 if elo0 is true
    #[arg(long, value_name = "P", default_value_t = ERRORS_DEFAULT)]
    alpha: f64,
    /// Probability of accepting elo0 if elo1 is true
    #[arg(long, value_name = "P", default_value_t = ERRORS_DEFAULT)]
    beta: f64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Names for the two sides of given counts.
const BOTS: [&str; 2] = ["the tested bot", "its opponent"];

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let sprt = Sprt::new(args.model, [args.elo0, args.elo1], args.alpha, args.beta)?;
    let figures = MatchFigures { counts: args.counts, split: None, duel: args.counts.duel() };
    if args.json {
        print_data(&json_text(&sprt, &figures)?)?;
    } else {
        print(&report(&sprt, &figures))?;
    }
    Ok(Exit::Done)
}

fn report(sprt: &Sprt, figures: &MatchFigures) -> String {
    let (counts, games) = (figures.counts, figures.counts.games());
    let score = counts.score().map_or_else(|| "-".to_owned(), |score| format!("{score:.3}"));
    let won = match counts {
        MatchCounts::Games([losses, draws, wins]) => format!(" {wins} - {losses} - {draws} "),
        MatchCounts::Pairs(_) => String::new(),
    };
    let mut lines = vec![format!("Score of {} vs {}:{won} [{score}] {games}", BOTS[0], BOTS[1])];
    lines.extend(figures.lines());
    let verdict = verdict_words(sprt, sprt.verdict(&counts), BOTS);
    lines.push(figures.test_line(sprt, verdict.as_deref().unwrap_or("no decision yet")));
    lines.push(expected_text(sprt));
    lines.extend(verdict.map(|_| BIASED.to_owned()));
    lines.join("\n")
}

fn json_text(sprt: &Sprt, figures: &MatchFigures) -> serde_json::Result<String> {
    let counts = figures.counts;
    let ([elo0, elo1], [alpha, beta]) = (sprt.hypotheses(), sprt.error_rates());
    let mut json = json!({
        "games": counts.games(),
        "score": counts.score().map(rounded),
        "test": { "model": sprt.model().name(), "elo0": elo0, "elo1": elo1, "alpha": alpha, "beta": beta },
        "sprt": figures.test_json(sprt, sprt.verdict(&counts).word()),
        "expected_games": expected_json(sprt),
    });
    if let Some(json) = json.as_object_mut() {
        json.extend(figures.json());
        match counts {
            MatchCounts::Pairs(pairs) => drop(json.insert("pairs".to_owned(), json!(pairs))),
            MatchCounts::Games([losses, draws, wins]) => {
                json.extend(
                    [("wins", wins), ("draws", draws), ("losses", losses)].map(|(k, v)| (k.to_owned(), json!(v))),
                );
            }
        }
    }
    serde_json::to_string_pretty(&json)
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
