//! `arena sprt`: evaluates a sequential test from given counts.

mod counts;

use anyhow::anyhow;
use arena_core::stats::{MatchCounts, Sprt, SprtModel, Tally};
use arena_core::text::counted;
use arena_store::report::{
    BIASED, MatchFigures, accepted, expected_json, expected_text, rounded, score_line, verdict_words,
};
use serde_json::{Value, json};

use crate::cli::args::sprt::{ERRORS_DEFAULT, parse_model};
use crate::cli::{Exit, Io};
use counts::{ReadCounts, TripleOrder, parse};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Results of the tested bot, as `arena match` prints them: games as "+77 =14 -85" (wins, draws, losses), or its line of
    /// pairs, or bare pairs LL,LD,DD,WD,WW (a pair won and lost counts as DD)
    #[arg(value_name = "COUNTS", required = true, num_args = 1.., allow_negative_numbers = true)]
    counts: Vec<String>,
    /// What three bare counts are: wdl for wins, draws, losses
    #[arg(long, value_enum)]
    order: Option<TripleOrder>,
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

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    let sprt = Sprt::new(args.model, [args.elo0, args.elo1], args.alpha, args.beta)?;
    let ReadCounts { counts, split } = parse(&args.counts, args.order).map_err(|why| anyhow!("COUNTS: {why}"))?;
    let figures = MatchFigures { counts, split, duel: counts.duel() };
    if args.json {
        io.print_json(&test_json(&sprt, &figures))?;
    } else {
        io.print(&report(&sprt, &figures))?;
    }
    Ok(Exit::Done)
}

fn report(sprt: &Sprt, figures: &MatchFigures) -> String {
    let (counts, games) = (figures.counts, figures.counts.games());
    let tally = match counts {
        MatchCounts::Games([losses, draws, wins]) => Some(Tally { wins, draws, losses }),
        MatchCounts::Pairs(_) => None,
    };
    let mut lines = vec![understood(&counts, figures.split), score_line(BOTS, tally, counts.score(), games)];
    lines.extend(figures.lines());
    let verdict = sprt.verdict(&counts);
    let accepted = accepted(sprt, verdict);
    lines.push(verdict_words(sprt, verdict, BOTS));
    lines.push(figures.test_line(sprt, accepted.as_deref().unwrap_or("no decision yet")));
    lines.push(expected_text(sprt));
    lines.extend(accepted.map(|_| BIASED.to_owned()));
    lines.join("\n")
}

/// How the counts were read.
fn understood(counts: &MatchCounts, split: Option<u64>) -> String {
    match counts {
        MatchCounts::Games([losses, draws, wins]) => {
            let of = |count: &u64, noun| counted(*count as usize, noun);
            let losses = format!("{losses} {}", if *losses == 1 { "loss" } else { "losses" });
            format!("Read as {}, {}, {losses} of {}", of(wins, "win"), of(draws, "draw"), BOTS[0])
        }
        MatchCounts::Pairs([ll, ld, tied, wd, ww]) => {
            let tied = match split {
                Some(wl) => format!("{} with two draws, {wl} won and lost", tied - wl),
                None => format!("{tied} with one point"),
            };
            format!("Read as pairs: {ll} lost twice, {ld} lost and drawn, {tied}, {wd} won and drawn, {ww} won twice")
        }
    }
}

fn test_json(sprt: &Sprt, figures: &MatchFigures) -> Value {
    let counts = figures.counts;
    let verdict = sprt.verdict(&counts);
    let ([elo0, elo1], [alpha, beta]) = (sprt.hypotheses(), sprt.error_rates());
    let mut json = json!({
        "games": counts.games(),
        "score": counts.score().map(rounded),
        "test": { "model": sprt.model().name(), "elo0": elo0, "elo1": elo1, "alpha": alpha, "beta": beta },
        "sprt": figures.test_json(sprt, verdict.word(), Some(&verdict_words(sprt, verdict, BOTS))),
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
    json
}
