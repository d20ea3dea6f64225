//! `arena standings`: rebuilds the tables from a journal or from files of games.

mod copies;
mod files;
mod origin;
mod series;

pub(crate) use series::read_games;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use arena_core::event::{self, Stop};
use arena_core::import::{PairMode, Scale};
use arena_core::schedule::Scheduler;
use arena_core::stats::AnalysisOptions;
use arena_core::text::shown;
use arena_run::session::{
    MatchEvaluation, Outputs, Overwriting, is_of_play, remember_rules, remembers_rules, write_tables,
};
use arena_show::views::Ranking;
use arena_store::journal::{self, Lock, Reader};
use arena_store::report::{
    PLOT_FILES, PlotTags, Results, ResultsOptions, TextPage, bot_markdown, check_tag, standings_latex,
    standings_markdown, stopped, write_plots, write_tag_plots,
};
use arena_sys::flags::{FEEDBACK, SVG};
use arena_sys::results_folder::{Place, ResultsFolder};

use crate::cli::args::game::{RulesArgs, recall, warn_of_missing_boards};
use crate::cli::args::rating::{TableArgs, analysis};
use crate::cli::args::shared::{BOTS_DEFAULT, on_or_off, one_of};
use crate::cli::run::feedback::FeedbackArgs;
use crate::cli::run::index::renew_index;
use crate::cli::run::play_games::show_tournament;
use crate::cli::run::remembered::{is_read_only, remember};
use crate::cli::{Exit, Io, ResultsArgs};

#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags are bools")]
pub(crate) struct Args {
    /// Name or folder of a tournament [default: the only one there is], or files of games: PGN, or tables with the
    /// columns white,black,result or first,second,result (1-0, 0-1, 1/2-1/2) and optionally pair
    #[arg(value_name = "TOURNAMENT|FILE")]
    what: Vec<PathBuf>,
    /// How games of a file form pairs with seats swapped [default: by the column `pair` or the PGN tag `Round`, else
    /// consecutive games if all of them are swapped]
    #[arg(
        long,
        value_name = "WHICH",
        value_parser = one_of([("consecutive", PairMode::Consecutive), ("none", PairMode::None)])
    )]
    pairs: Option<PairMode>,
    /// Fit the advantage of moving first in files, or not [default: fit if most games have no partner with seats
    /// swapped]
    #[arg(long, value_name = "WHETHER", value_parser = one_of([("fit", true), ("none", false)]))]
    side: Option<bool>,
    /// What the results in tables mean [default: the one scale that explains all results of a file]: points (1, 0.5, 0 of the
    /// first player, or 1-0, 0-1, 1/2-1/2), rewards (1, 0, -1), doubled (2, 1, 0), seat (of the winner: 1, 2), seat0 (0, 1),
    /// words (white, black, draw), names (of the winner), or the values for a win, a draw and a loss of the first player, such
    /// as 3/1/0
    #[arg(long, value_name = "SCALE", allow_hyphen_values = true)]
    scale: Option<Scale>,
    /// Refuse files with games that cannot be rated, other than void and unfinished ones [default: leave these games out]
    #[arg(long)]
    strict: bool,
    /// Folder for the tables of files [default: beside the first file, named after it]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print JSON in the format of tournament.json, for files of summary.json
    #[arg(long, conflicts_with_all = ["markdown", "latex"])]
    json: bool,
    /// Leave times out of report.html
    #[arg(long, value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on", hide_possible_values = true, value_parser = on_or_off())]
    no_times: Option<bool>,
    /// Write plots of the standings as SVG files into this folder
    #[arg(long, value_name = "DIR")]
    svg: Option<PathBuf>,
    /// Plot the ratings by this tag of the bots too, as by-TAG.svg, with a line for each value of a second one; with
    /// --markdown or --latex these tags are columns; may be repeated
    #[arg(long, value_name = "TAG[,TAG]", value_parser = parse_plot_tags)]
    by: Vec<PlotTags>,
    /// Print the standings as Markdown, for a README
    #[arg(long, conflicts_with = "latex")]
    markdown: bool,
    /// Print what there is to say of one bot, as Markdown to mail to its author
    #[arg(long, value_name = "NAME", requires = "markdown")]
    bot: Option<String>,
    /// Print the standings as LaTeX, for a paper; needs the package booktabs
    #[arg(long)]
    latex: bool,
    #[command(flatten)]
    feedback: FeedbackArgs,
    /// Overwrite files of --svg, --feedback and --out that this command has not written
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    pub(crate) rules: RulesArgs,
    #[command(flatten)]
    rating: TableArgs,
    #[command(flatten)]
    results: ResultsArgs,
}

impl Args {
    /// Whether the standings are only printed, in a format for other programs.
    const fn is_print_only(&self) -> bool {
        self.json || self.markdown || self.latex
    }

    /// What may be overwritten.
    fn overwriting<'a>(&self, home: Option<ResultsFolder>, inputs: Vec<&'a Path>) -> Overwriting<'a> {
        Overwriting {
            inputs,
            bots: BOTS_DEFAULT.into(),
            results: self.results.results.clone(),
            home,
            is_forced: self.force,
        }
    }

    /// Fails if a plot may not be written.
    fn check_plots(&self, overwriting: &Overwriting<'_>) -> anyhow::Result<()> {
        let Some(dir) = &self.svg else { return Ok(()) };
        let by_tag: Vec<String> = self.by.iter().map(PlotTags::file).collect();
        overwriting.check_all(SVG, dir, PLOT_FILES.into_iter().chain(by_tag.iter().map(String::as_str)))
    }

    /// The standings of games of this name, and `played` as this says, in the format asked for, if it is one for publishing.
    fn published(&self, ranking: &Ranking, name: &str, played: &str) -> anyhow::Result<Option<String>> {
        let mut tags: Vec<&str> = Vec::new();
        for tag in self.by.iter().flat_map(PlotTags::names) {
            if !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        tags.iter().try_for_each(|tag| check_tag(ranking, tag))?;
        Ok(match (self.markdown, self.latex) {
            (true, _) => Some(standings_markdown(ranking, &tags)),
            (_, true) => Some(standings_latex(ranking, name, played, &tags)),
            _ => None,
        })
    }

    /// Fails if --by has nothing to do.
    fn check_by(&self) -> anyhow::Result<()> {
        if !self.by.is_empty() && self.svg.is_none() && !self.markdown && !self.latex {
            bail!("--by needs --svg DIR for a plot, or --markdown or --latex for a table with these tags");
        }
        Ok(())
    }
}

/// One tag, or two with a comma between; names of tags have none.
fn parse_plot_tags(text: &str) -> Result<PlotTags, String> {
    let tags: Vec<&str> = text.split(',').map(str::trim).collect();
    match tags[..] {
        [axis] if !axis.is_empty() => Ok(PlotTags { axis: axis.to_owned(), line: None }),
        [axis, line] if !axis.is_empty() && !line.is_empty() && axis != line => {
            Ok(PlotTags { axis: axis.to_owned(), line: Some(line.to_owned()) })
        }
        _ => Err(format!("`{}` is not one tag, or two different ones such as c,n", shown(text))),
    }
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    args.check_by()?;
    args.rules.load(io)?;
    if let [name] = args.what.as_slice()
        && let Some(folder) = args.results.series(name)
    {
        return series::rebuild(args, &folder, io);
    }
    match args.what.as_slice() {
        [] => tournament(args, None, io),
        [_, _, ..] if args.feedback.feedback.is_some() => bail!("{FEEDBACK} is for one tournament"),
        [file] if args.feedback.feedback.is_some() && is_readable(file) && !is_journal(file) => {
            bail!(
                "{FEEDBACK} is for a tournament, whose journal has what it is made of; {} is a file of games",
                file.display()
            )
        }
        [file] if is_journal(file) => tournament(args, Some(file), io),
        files if files.iter().all(|path| is_readable(path)) => files::rate(args, files, io),
        [name] if name.exists() || !is_named_like_a_file(name) => tournament(args, Some(name), io),
        files => {
            let missing = files.iter().find(|path| !is_readable(path)).map(|path| path.display().to_string());
            let all = if files.len() > 1 { "; several arguments must all be files of games" } else { "" };
            bail!("no file `{}`{all}", shown(&missing.unwrap_or_default()))
        }
    }
}

fn is_journal(path: &Path) -> bool {
    path.file_name() == Some(journal::FILE_NAME.as_ref())
}

/// Whether the path looks like a file of games and not like a tournament.
fn is_named_like_a_file(path: &Path) -> bool {
    let is_table = |extension: &OsStr| {
        ["csv", "tsv", "txt", "pgn", "trf", "sgf", "dat", "json"]
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known))
    };
    path.extension().is_some_and(is_table)
}

/// Whether it can be read: a file, or a pipe made by a shell.
fn is_readable(path: &Path) -> bool {
    path.exists() && !path.is_dir()
}

fn tournament(args: &Args, name: Option<&Path>, io: &Io) -> anyhow::Result<Exit> {
    if args.pairs.is_some() || args.side.is_some() || args.scale.is_some() || args.strict || args.out.is_some() {
        bail!("--pairs, --side, --scale, --strict and --out are for files of games only");
    }
    let name = name.map(|name| name.to_string_lossy());
    let place = args.results.tournament(name.as_deref(), io)?;
    let folder = open(&place)?;
    args.check_plots(&args.overwriting(Some(folder.clone()), Vec::new()))?;
    let (scheduler, journal, stop) = read_to_show(&folder, false, io)?;
    let (outputs, analysis) = asked(args, &scheduler, &folder, io)?;
    let options = ResultsOptions {
        stop,
        remembers_rules: remembers(&folder, &scheduler),
        ..outputs.tables.for_results(analysis)
    };
    let results = Results::new(&scheduler, &journal, options)?;
    let written = if args.is_print_only() { Ok(false) } else { rewrite(&folder, &results, &outputs, io) };
    let published = match &args.bot {
        Some(bot) => Some(bot_markdown(&results, bot)?.with_context(|| no_such_bot(&results, bot))?),
        None => args.published(results.ranking(), &results.event().name, &results.played())?,
    };
    match published {
        Some(text) => io.print_data(&text)?,
        None => show_tournament(&results, &place.path(), args.json, TextPage::default(), io)?,
    }
    if written? {
        renew_index(&args.results.results, io);
    }
    if let Some(dir) = &args.svg {
        let mut files = write_tag_plots(dir, &results, &args.by)?;
        files.extend(write_plots(dir, &results)?);
        tell_plots(&files, io);
        remember(&folder, SVG, &files)?;
    }
    args.feedback.write(&folder, &results, args.overwriting(Some(folder.clone()), Vec::new()), io)?;
    // What was asked for is written. The page for people has this sentence.
    if args.is_print_only()
        && let Some(missing) = stopped(&results)
    {
        io.tell(&missing);
    }
    Ok(Exit::Done)
}

/// Whether the folder remembers the program that is the rules of its game. It does from now on, if that is there.
fn remembers(folder: &ResultsFolder, scheduler: &Scheduler) -> bool {
    let event = scheduler.event();
    if let (Some(_), Ok(variant)) = (&event.program, event.variant()) {
        remember_rules(folder, &variant);
    }
    remembers_rules(folder, &event.game)
}

fn no_such_bot(results: &Results<'_>, name: &str) -> String {
    let names: Vec<String> = results.event().bots.iter().map(|entry| shown(&entry.id.name)).collect();
    format!("no bot `{}` in this tournament; there are {}", shown(name), names.join(", "))
}

/// What the tables of a tournament have: what these arguments ask for, and what was asked for before.
fn asked(
    args: &Args,
    scheduler: &Scheduler,
    folder: &ResultsFolder,
    io: &Io,
) -> anyhow::Result<(Outputs, AnalysisOptions)> {
    let names: Vec<&str> = scheduler.event().bots.iter().map(|entry| entry.id.name.as_str()).collect();
    let asked = args.rating.asked(args.no_times);
    asked.analysis(&names, false)?;
    let mut outputs = Outputs::read(folder)?;
    outputs.tables = asked.over(&outputs.tables);
    let options = analysis(&outputs.tables, scheduler.event(), "", io);
    Ok((outputs, options))
}

/// Rewrites the tables of a tournament, unless a running one does so itself, or they cannot be written. Returns whether it did.
fn rewrite(folder: &ResultsFolder, results: &Results<'_>, outputs: &Outputs, io: &Io) -> anyhow::Result<bool> {
    let path = folder.path();
    // Only one process at a time may write them.
    match Lock::take_if_free(folder) {
        Ok(Ok(_lock)) => {
            outputs.write(folder)?;
            write_tables(folder, results)?;
            for warning in results.analysis_warnings() {
                io.warn(&warning);
            }
            Ok(true)
        }
        Ok(Err(holder)) => {
            let place = path.display();
            io.tell(&format!(
                "{place} is in use by another arena (process {holder}), which writes the tables; these are the standings so far"
            ));
            Ok(false)
        }
        Err(error) if is_read_only(&error) => {
            io.tell(&format!("{} is read-only: its tables are not rewritten", path.display()));
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// Opens the folder of a tournament.
pub(crate) fn open(place: &Place) -> anyhow::Result<ResultsFolder> {
    place.open().with_context(|| format!("opening folder {}", place.path().display()))
}

/// The games of the tournament in a results folder, its journal, and why its last run stopped itself; without what is not
/// published, if they are for others.
pub(crate) fn read_tournament(
    folder: &ResultsFolder,
    is_public: bool,
    io: &Io,
) -> anyhow::Result<(Scheduler, Reader, Option<Stop>)> {
    let (journal, contents) = journal::read(folder)?;
    if contents.event.is_none() && is_of_play(folder.path()) {
        bail!(
            "{} holds games of `arena play`, which are never rated: a person may take moves back and ask for hints, and has \
             no clock; `arena replay` shows them",
            folder.path().display()
        );
    }
    let mut event = contents.event.with_context(|| {
        format!("journal {} holds no tournament; `arena tournament` starts one", journal.path().display())
    })?;
    let journal = if is_public { journal.published() } else { journal };
    if is_public {
        event = event.published();
    }
    let mut evaluation = MatchEvaluation::new(event.sprt.as_ref().and_then(event::Test::sprt));
    let scheduler = Scheduler::as_left(Arc::new(event), &contents.games, &contents.rounds, &mut evaluation)?;
    if !contents.twice.is_empty() {
        io.tell(&format!("{}: {}", journal.path().display(), contents.twice));
    }
    Ok((scheduler, journal, contents.stop))
}

/// As [`read_tournament`], with the program that is the rules of its game, if the folder remembers it: to show positions.
pub(crate) fn read_to_show(
    folder: &ResultsFolder,
    is_public: bool,
    io: &Io,
) -> anyhow::Result<(Scheduler, Reader, Option<Stop>)> {
    let read = read_tournament(folder, is_public, io)?;
    if let Err(why) = recall(folder, &read.0.event().game, io) {
        warn_of_missing_boards(&why, io);
    }
    Ok(read)
}

/// Names the files of plots.
fn tell_plots(files: &[PathBuf], io: &Io) {
    for file in files {
        io.tell(&format!("plot: {}", file.display()));
    }
}
