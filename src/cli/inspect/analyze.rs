//! `arena analyze`: the moves of bots against best play.

mod bar;
mod selection;
mod solving;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arena_core::analysis::{AnalysedGame, AnalysisTable, Asked, GuessedGame, RegretTable, SharedPositions, is_guessed};
use arena_core::text::{counted, shown};
use arena_run::session::Runtime;
use arena_store::journal::{ANALYSES_NAME, Analyses, AnalysisFile};
use arena_store::report::{ANALYSIS_FILE, AnalysisReport, analysis_csv};
use arena_sys::results_folder::{Durability, ResultsFolder};
use arena_sys::time::{now, parse_long_duration};

use super::standings::open;
use crate::cli::args::shared::parse_nodes;
use crate::cli::{Exit, Io, ResultsArgs, whole};
use selection::{Replayed, Selection};
use solving::{Solving, SolvingEnd};

/// Positions that may be searched for one position of a game, unless another limit is given.
const NODES_DEFAULT: &str = "20M";
/// Threads at most.
const THREADS_MAX: usize = 1024;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Name or folder of a tournament [default: the only one there is]
    #[arg(value_name = "TOURNAMENT")]
    name: Option<String>,
    /// Only games of this bot, and only its moves; may be given several times
    #[arg(long = "bot", value_name = "NAME")]
    bots: Vec<String>,
    /// Only the last N of these games
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(1..=usize::MAX))]
    last: Option<usize>,
    /// Compare results and not distances, which is faster
    #[arg(long)]
    only_result: bool,
    /// Positions that may be searched to solve one; what takes more is unsolved
    #[arg(long, value_name = "N", default_value = NODES_DEFAULT, value_parser = parse_nodes)]
    nodes: u64,
    /// Stop after this time, such as 10m; run again to go on
    #[arg(long, value_name = "TIME", value_parser = parse_budget)]
    budget: Option<Duration>,
    /// Games analysed at a time [default: the number of processors]
    #[arg(short = 'j', long, value_name = "N", allow_negative_numbers = true, value_parser = whole(1..=THREADS_MAX))]
    threads: Option<usize>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    results: ResultsArgs,
}

fn parse_budget(text: &str) -> Result<Duration, String> {
    let duration = parse_long_duration(text).filter(|duration| !duration.is_zero());
    duration.ok_or_else(|| format!("`{}` is not a time such as 10m or 1h30m", shown(text)))
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    let start = now();
    let place = args.results.tournament(args.name.as_deref(), io)?;
    let folder = open(&place)?;
    let mut selection = Selection::read(&folder, &args.bots, args.last)?;
    // Nothing is written where no game can be solved.
    let kinds = selection.keep_solvable()?;
    if kinds.left_out > 0 {
        io.warn(&format!("left out: {}, which no solver solves", counted(kinds.left_out, "game")));
    }
    // From here on, a signal ends the analysis and not the process.
    let Runtime { tokio, mut signals } = Runtime::start()?;
    let stop = Arc::new(AtomicBool::new(false));
    let stopping = Arc::clone(&stop);
    tokio.spawn(async move {
        signals.next().await;
        stopping.store(true, Ordering::Relaxed);
    });
    let (mut file, mut entries) = AnalysisFile::open(&folder)?;
    if entries.damaged > 0 {
        let lines = counted(entries.damaged, "damaged line");
        io.warn(&format!("{}: {lines}; their games are analysed again", folder.path_of(ANALYSES_NAME).display()));
    }
    let asked = Asked { only_result: args.only_result, nodes: args.nodes };
    let due = due(&selection, &entries, asked)?;
    let threads = args.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, Into::into));
    let deadline = args.budget.map(|budget| start + budget);
    let solving = Solving { selection: &selection, asked, threads, deadline, stop: &stop };
    let end = solving.run(&due.places, io, |entry| file.append(entry, &mut entries))?;
    let report = report(&folder, &selection, &entries, args.only_result, kinds.game)?;
    folder.replace(ANALYSIS_FILE, Durability::Flushed, |out| analysis_csv(&report, out))?;
    for why in due.broken.iter().take(BROKEN_SHOWN).chain(&due.refused) {
        io.warn(why);
    }
    if args.json {
        io.print_json(&report.json())?;
    } else {
        let csv = folder.path_of(ANALYSIS_FILE);
        let time = format!("{:.1} s", start.elapsed().as_secs_f64());
        io.print_page(&report.page(&time, folder.path(), &shown(&csv.to_string_lossy())))?;
    }
    if due.broken.len() > BROKEN_SHOWN {
        io.warn(&format!(
            "and {} more; `arena verify` lists them",
            counted(due.broken.len() - BROKEN_SHOWN, "such game")
        ));
    }
    if end == SolvingEnd::Stopped {
        io.tell("stopped; finished games are saved; run again to go on");
        return Ok(Exit::Incomplete);
    }
    Ok(Exit::Done)
}

/// Games that do not follow the rules, of which the reason is said.
const BROKEN_SHOWN: usize = 3;

/// What there is to do.
struct Due {
    /// Places of the games to be solved.
    places: Vec<usize>,
    /// The games that cannot be replayed, and why.
    broken: Vec<String>,
    /// What is said of entries that cannot be true; their games are solved again.
    refused: Vec<String>,
}

/// The games without an entry that serves.
fn due(selection: &Selection, entries: &Analyses, asked: Asked) -> anyhow::Result<Due> {
    let (mut places, mut broken) = (Vec::new(), Vec::new());
    let mut shared = SharedPositions::default();
    for place in 0..selection.games.len() {
        match selection.replay(place)? {
            Replayed::Line(game) => {
                let id = selection.games[place].brief.id;
                let entry = entries.checked(id, &game.line, &game.variant);
                if let Some(entry) = &entry
                    && let Some(other) = shared.add(&game.variant, &game.line, entry, place)
                {
                    entries.refuse([selection.games[other].brief.id, id]);
                }
                let serves = entry.is_some_and(|entry| entry.serves(&game.solver, &game.line, asked));
                places.push((place, serves));
            }
            Replayed::NothingToJudge => {}
            Replayed::Broken(why) => broken.push(why),
        }
    }
    let is_due = |(place, serves): &(usize, bool)| !serves || entries.is_refused(selection.games[*place].brief.id);
    let places = places.into_iter().filter(is_due).map(|(place, _)| place).collect();
    Ok(Due { places, broken, refused: entries.warnings(Analyses::SHOWN) })
}

/// The table of all games that are analysed by now.
fn report(
    folder: &ResultsFolder,
    selection: &Selection,
    entries: &Analyses,
    only_result: bool,
    game: String,
) -> anyhow::Result<AnalysisReport> {
    // Where the run was stopped, entries with a lower limit are better than nothing.
    let asked = Asked { only_result, nodes: 0 };
    let mut table = AnalysisTable::new(selection.names.len());
    let mut regrets = RegretTable::new(selection.names.len());
    let (mut games, mut done) = (0, 0);
    for place in 0..selection.games.len() {
        let Replayed::Line(replayed) = selection.replay(place)? else { continue };
        games += 1;
        let game = &selection.games[place];
        let Some(entry) = entries.checked(game.brief.id, &replayed.line, &replayed.variant) else { continue };
        if !entry.serves(&replayed.solver, &replayed.line, asked) {
            continue;
        }
        done += 1;
        let (bots, cluster, line) = (game.bots, game.cluster, &replayed.line);
        if is_guessed(&replayed.variant) {
            regrets.add(&GuessedGame { bots, cluster, line, costs: &entry.guesses() });
        } else {
            let found = &entry.values();
            let id = &replayed.id;
            table.add(&AnalysedGame { id, bots, cluster, opening: game.opening, line, found });
        }
    }
    let rows = table.rows().into_iter().filter(|row| selection.is_wanted(row.bot));
    let rows = rows.map(|row| (selection.names[row.bot].clone(), row)).collect();
    let regrets = regrets.rows().into_iter().filter(|row| selection.is_wanted(row.bot));
    let regrets = regrets.map(|row| (selection.names[row.bot].clone(), row)).collect();
    let name = folder.path().file_name().unwrap_or(folder.path().as_os_str());
    Ok(AnalysisReport { tournament: name.to_string_lossy().into_owned(), game, games, analysed: done, rows, regrets })
}
