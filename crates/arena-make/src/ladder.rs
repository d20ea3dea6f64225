//! `arena-make ladder`: a tournament of the rungs, and their ratings as a file.

use std::path::PathBuf;

use anyhow::Context as _;
use arena_core::rules::Variant;
use arena_core::stats::AnalysisOptions;
use arena_play::roster::Roster;
use arena_play::strength::{RUNGS, RungRow, rung_bots};
use arena_run::session::{Session, SessionSettings};
use arena_show::observer::{RunEnding, RunEvent};
use arena_sys::time::{long_duration, now};

use crate::{Exit, refuse_existing, tell, write};

/// The rung whose rating is 0.
const ZERO: usize = 0;
/// The seed of the tournament, so that it is the same when it is made again.
const SEED: u64 = 37;
/// Games between lines of progress.
const LINE_EVERY: usize = 200;

/// The folder of all results, as that of `arena`.
const RESULTS: &str = "results";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// File to make
    file: PathBuf,
    /// Game and parameters
    #[arg(long, value_name = "GAME")]
    game: Variant,
    /// Pairs of games between two of them
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pairs: u32,
}

/// Plays the tournament, or goes on with it, and writes the file once it is complete.
pub(crate) fn run(args: &Args) -> anyhow::Result<Exit> {
    let Args { file, game: variant, pairs } = args;
    refuse_existing(file)?;
    let name = format!("ladder-{}", variant.label);
    let defaults = SessionSettings::new(variant.clone(), &name);
    let settings =
        SessionSettings { rounds: *pairs, seed: Some(SEED), results: RESULTS.into(), check: false, ..defaults };
    let bots = rung_bots(variant)?;
    let (mut played, start) = (0, now());
    let mut watch = |event: &RunEvent| {
        if let RunEvent::GameEnded { .. } = event {
            played += 1;
            if played % LINE_EVERY == 0 {
                tell(&format!("{played} games in {}", long_duration(start.elapsed().as_secs_f64())));
            }
        }
    };
    let Some((mut session, ())) = Session::open(settings, bots, &Roster::default(), || (), &mut watch)? else {
        return Ok(Exit::Killed);
    };
    let names: Vec<String> = session.event().bots.iter().map(|bot| bot.id.name.clone()).collect();
    let games = names.len() * (names.len() - 1) * *pairs as usize;
    tell(&format!("{games} games in {}; stopped, it goes on when it is run again", session.dir().display()));
    let zero = names.iter().position(|name| *name == RUNGS[ZERO].bot_name()).context("no rung is 0")?;
    let options = AnalysisOptions::default();
    let ending = session.play(&mut (), &mut watch, &options)?;
    let results = session.results(&options)?;
    if ending == RunEnding::Killed || !results.progress().is_complete() {
        tell("stopped; run the same command to go on");
        return Ok(Exit::Incomplete);
    }
    let analysis = &results.ranking().analysis;
    // Margins are those against the mean of all: against the weakest, which wins hardly a game, all would be as uncertain as it is.
    let base = analysis.ratings.of(zero).map_or(0.0, |rating| rating.elo.elo);
    let row = |(bot, name): (usize, &String)| {
        let rung = RUNGS.iter().find(|rung| rung.bot_name() == *name).context("a rung")?;
        let rating = analysis.ratings.of(bot).with_context(|| format!("{name} has no rating"))?;
        let (elo, margin) = (rating.elo.elo - base, rating.elo.half_width());
        let games = analysis.standings.iter().find(|row| row.bot == bot).map_or(0, |row| row.games.total().games());
        let round = |number: f64| (number * 10.0).round() / 10.0;
        let (rung, version) = (rung.name.to_owned(), rung.version());
        let misfit = round(analysis.transitivity.misfit);
        Ok(RungRow { rung, version, elo: round(elo), margin: round(margin), games, seed: SEED, misfit })
    };
    let mut rows: Vec<RungRow> = names.iter().enumerate().map(row).collect::<anyhow::Result<_>>()?;
    rows.sort_by(|a, b| a.elo.total_cmp(&b.elo));
    let mut csv = csv::Writer::from_writer(Vec::new());
    rows.iter().try_for_each(|row| csv.serialize(row))?;
    write(file, &csv.into_inner()?)?;
    Ok(Exit::Done)
}
