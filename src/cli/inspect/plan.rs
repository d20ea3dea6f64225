//! `arena plan`: what tournaments and matches will take and tell, before they are played.

mod part;
mod test;

use anyhow::{Context, bail};
use arena_core::plan::{BOTS_MAX, Forecast, World, size_flag};
use arena_core::stats::Observed;
use arena_core::text::{counted, grouped, percent};
use arena_show::views::Table;
use arena_store::report::{Results, ResultsOptions, rounded_to};
use arena_sys::time::long_duration;
use serde_json::{Value, json};

use super::standings::{open, read_tournament};
use crate::cli::args::sprt::parse_sprt;
use crate::cli::run::event_args::processors;
use crate::cli::{Exit, Io, ResultsArgs, whole};
use part::Part;

/// What is assumed of bots and games that are not known.
const SPREAD: f64 = 150.0;
const DRAWS: f64 = 0.2;
const GAME_SECONDS: f64 = 1.0;
/// The least difference of two hypotheses, in Elo: it takes more than 10¹¹ games.
const WIDTH_MIN: f64 = 0.001;

/// The largest number that can be given, and the smallest is its inverse.
const NUMBER_MAX: f64 = 1e9;

/// How the tables are read.
const NOTE: &str = "±95% is the median margin of the bots, of a gauntlet that of its challenger, and of two bots that of their difference. A \
                    knockout finds a winner and no ratings; a ladder the order of its bots, where margins against the mean shrink slowly.";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Number of bots [default: that of --from, with --sprt 2]
    #[arg(long, value_name = "N", value_parser = whole(2..=BOTS_MAX), allow_negative_numbers = true)]
    bots: Option<usize>,
    /// Wanted 95 % margin of a rating, in Elo
    #[arg(long, value_name = "ELO", value_parser = positive, allow_negative_numbers = true)]
    margin: Option<f64>,
    /// Minutes that there are
    #[arg(long, value_name = "N", value_parser = positive, allow_negative_numbers = true)]
    minutes: Option<f64>,
    /// Tournament from which strengths, draws, noise, time of a game and games at a time are taken
    #[arg(long, value_name = "TOURNAMENT")]
    from: Option<String>,
    /// Standard deviation of the bots' strengths, in Elo [default: that of --from, or 150]
    #[arg(long, value_name = "ELO", value_parser = positive, conflicts_with = "from", allow_negative_numbers = true)]
    spread: Option<f64>,
    /// Share of draws between equal bots, from 0 to 0.95 [default: that of --from, or 0.2]
    #[arg(long, value_name = "SHARE", value_parser = share, conflicts_with = "from", allow_negative_numbers = true)]
    draws: Option<f64>,
    /// Seconds that a game takes [default: those of --from, or 1]
    #[arg(long, value_name = "S", value_parser = positive, allow_negative_numbers = true)]
    game_seconds: Option<f64>,
    /// Games at a time [default: those of --from, or the number of processors, as in a tournament]
    #[arg(short = 'j', long, value_name = "N", value_parser = whole(1..=10_000_u32), allow_negative_numbers = true)]
    concurrency: Option<u32>,
    /// Plan a test of two bots, such as elo0=0,elo1=20 (as in `arena match`)
    #[arg(long, value_name = "elo0=X,elo1=Y[,alpha=,beta=,model=]")]
    sprt: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    results: ResultsArgs,
}

/// A number above 0 that can be computed with.
fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (1.0 / NUMBER_MAX..=NUMBER_MAX).contains(number));
    number.ok_or_else(|| "expected a number from 0.000000001 to 1000000000".to_owned())
}

fn share(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|share| (0.0..=0.95).contains(share));
    number.ok_or_else(|| "expected a share from 0 to 0.95".to_owned())
}

/// What is planned for, and where each figure is from.
struct Premises {
    world: World,
    seconds: f64,
    concurrency: u32,
    /// Sentences.
    told: Vec<String>,
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    let test = args
        .sprt
        .as_deref()
        .map(|text| parse_sprt(text, None))
        .transpose()
        .map_err(|why| anyhow::anyhow!("--sprt: {why}"))?;
    if test.is_none() && args.margin.is_none() && args.minutes.is_none() {
        bail!("nothing to plan for: give --margin, --minutes or both, or --sprt for a test of two bots");
    }
    let is_of_tournaments = args.margin.is_some() || args.minutes.is_some() || args.spread.is_some();
    if test.is_some() && (is_of_tournaments || args.bots.is_some_and(|bots| bots != 2)) {
        bail!(
            "--sprt is for two bots of any difference, and ends when it has decided: it takes neither --margin nor \
             --minutes nor --spread nor --bots"
        );
    }
    let premises = premises(args, io)?;
    if let Some(sprt) = test {
        let [elo0, elo1] = sprt.hypotheses();
        if elo1 - elo0 < WIDTH_MIN {
            bail!(
                "--sprt: elo0 and elo1 are less than {WIDTH_MIN} Elo apart, which no number of games decides; spread them"
            );
        }
        return test::show(&sprt, &premises, args.json, io);
    }
    let per_minute = 60.0 * f64::from(premises.concurrency) / premises.seconds;
    let wanted = args.margin.map(|margin| Part::to_reach(&premises.world, margin, args.from.is_none()));
    let fitting = args.minutes.map(|minutes| Part::in_time(&premises.world, minutes, per_minute, args.from.is_none()));
    if args.json {
        let rows = |part: &Option<Part>| part.as_ref().map_or(Value::Null, |part| rows_json(&part.rows, &premises));
        let mut json = premises_json(&premises);
        json["to_reach"] = rows(&wanted);
        json["in_time"] = rows(&fitting);
        json["notes"] = [&wanted, &fitting].into_iter().flatten().flat_map(|part| part.notes.clone()).collect();
        io.print_json(&json)?;
        return Ok(Exit::Done);
    }
    let mut blocks = vec![premises.told.join("\n")];
    for Part { title, rows, notes } in [wanted, fitting].into_iter().flatten() {
        let mut lines = vec![if rows.is_empty() { title } else { format!("{title}:") }];
        if !rows.is_empty() {
            lines.push(table(&rows, &premises).text(None, "").trim_end().to_owned());
        }
        lines.extend(notes);
        blocks.push(lines.join("\n"));
    }
    blocks.push(NOTE.to_owned());
    io.print(&blocks.join("\n\n"))?;
    Ok(Exit::Done)
}

/// A time in words, also of less than a second or of many years.
fn duration(seconds: f64) -> String {
    const YEAR: f64 = 365.25 * 86_400.0;
    if seconds < 1.0 {
        format!("{}s", digits(seconds, 1))
    } else if seconds < 100.0 * YEAR {
        long_duration(seconds)
    } else {
        counted((seconds / YEAR) as usize, "year")
    }
}

/// A number with this many decimals, or with two digits if it is less than they show.
fn digits(value: f64, decimals: i32) -> f64 {
    let own = if value > 0.0 { 1 - value.abs().log10().floor() as i32 } else { 0 };
    rounded_to(value, decimals.max(own))
}

fn premises(args: &Args, io: &Io) -> anyhow::Result<Premises> {
    let bots = args.bots.or(args.sprt.is_some().then_some(2));
    let from = match &args.from {
        Some(name) => Some(observed(args, name, io)?),
        None => None,
    };
    let world = match (&from, bots) {
        (Some(found), bots) => World::like(&found.observed, bots.unwrap_or(found.observed.elo.len()).min(BOTS_MAX)),
        (None, Some(bots)) => World::normal(bots, args.spread.unwrap_or(SPREAD), args.draws.unwrap_or(DRAWS)),
        (None, None) => bail!("how many bots? Give --bots N, or --from TOURNAMENT"),
    };
    let of_games = from.as_ref().map(|found| found.seconds);
    // A clock may show nothing for the shortest games.
    let seconds = args.game_seconds.or(of_games.map(|seconds| seconds.max(1e-4))).unwrap_or(GAME_SECONDS);
    let slots = from.as_ref().map(|found| found.slots).filter(|slots| *slots > 0);
    let concurrency = args.concurrency.or(slots).unwrap_or(processors() as u32);
    let source = |given: bool, flag: &str| match (given, &args.from) {
        (true, _) => String::new(),
        (false, Some(name)) => format!(" (as in {})", arena_core::text::shown(name)),
        (false, None) => format!(" (assumed; {flag})"),
    };
    let mut told = vec![
        format!(
            "{}, spread by {:.0} Elo{}; {} % of games between equals are drawn{}.",
            counted(world.bots(), "bot"),
            world.spread(),
            source(args.spread.is_some(), "--spread"),
            percent(world.draws()),
            source(args.draws.is_some(), "--draws"),
        ),
        format!(
            "A game takes {} s{}, {concurrency} at a time{}.",
            digits(seconds, 3),
            source(args.game_seconds.is_some(), "--game-seconds"),
            if args.concurrency.or(slots).is_none() {
                " (one for each processor, as in a tournament; -j)".to_owned()
            } else {
                source(args.concurrency.is_some(), "-j")
            },
        ),
    ];
    told.push(if args.from.is_some() {
        "Assumed: other games are as noisy as those, and openings as different.".to_owned()
    } else {
        "Assumed: openings favour neither seat nor bot, and the games of a pair are independent (--from TOURNAMENT has what they do)."
            .to_owned()
    });
    told.push("Assumed: all games take equally long, and nothing waits; starts of bots come on top.".to_owned());
    Ok(Premises { world, seconds, concurrency, told })
}

/// What a tournament says of others.
struct Found {
    observed: Observed,
    seconds: f64,
    slots: u32,
}

fn observed(args: &Args, name: &str, io: &Io) -> anyhow::Result<Found> {
    let place = args.results.tournament(Some(name), io)?;
    let (scheduler, journal, _) = read_tournament(&open(&place)?, false, io)?;
    let results = Results::new(&scheduler, &journal, ResultsOptions::default())?;
    let analysis = &results.ranking().analysis;
    let observed = Observed::of(analysis.rated(), &analysis.ratings);
    let observed =
        observed.with_context(|| format!("--from {}: no two bots have played", arena_core::text::shown(name)))?;
    let (seconds, slots) = results.seconds_and_slots()?;
    Ok(Found { observed, seconds, slots })
}

fn table(rows: &[Forecast], premises: &Premises) -> Table {
    let mut table = Table::new().names("Format").names("Size").column("Games").column("Time").column("±95%");
    for row in rows {
        table.row(vec![
            row.name(premises.world.bots()).to_owned(),
            row.flag(),
            grouped(row.games.round() as u64),
            duration(premises.time(row.games)),
            row.margin
                .map_or_else(|| "-".to_owned(), |margin| format!("{:.*}", if margin < 1.0 { 2 } else { 1 }, margin)),
        ]);
    }
    table
}

impl Premises {
    /// The seconds that this many games take.
    fn time(&self, games: f64) -> f64 {
        let seconds = games.round() * self.seconds / f64::from(self.concurrency);
        if seconds < 1.0 { seconds } else { seconds.ceil() }
    }
}

fn premises_json(premises: &Premises) -> Value {
    json!({
        "bots": premises.world.bots(),
        "spread": rounded_to(premises.world.spread(), 2),
        "draws": rounded_to(premises.world.draws(), 4),
        "game_seconds": digits(premises.seconds, 6),
        "concurrency": premises.concurrency,
        "premises": premises.told,
    })
}

fn rows_json(rows: &[Forecast], premises: &Premises) -> Value {
    let row = |row: &Forecast| {
        json!({
            "format": row.format.name,
            "flag": size_flag(row.format).to_string(),
            "size": row.size,
            "games": row.games.round() as u64,
            "seconds": digits(premises.time(row.games), 1),
            "margin": row.margin.map(|margin| rounded_to(margin, 2)),
        })
    };
    rows.iter().map(row).collect()
}
