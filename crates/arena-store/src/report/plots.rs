//! The plots of a tournament: what is drawn in them. How is in [`arena_show::views::svg`].

use std::path::{Path, PathBuf};

use anyhow::bail;
use arena_core::clock::TimeControl;
use arena_core::suggest::UnknownName;
use arena_core::tags::TagValue;
use arena_core::text::{counted, shown};
use arena_show::views::svg::{
    ByTag, Interval, Intervals, LinesPlot, Plot, ScaleKind, Series, Span, Spans, TaggedValue, competition,
};
use arena_show::views::{RankedBot, Ranking};
use arena_sys::flags::SVG;
use arena_sys::results_folder::{Durability, Place};

use super::cells;
use super::{Conducts, Results};
use crate::report::facts::settling::Settling;

/// Bots in a plot; the others are in the CSV files.
const BOTS_MAX: usize = 60;

/// The files of plots.
pub const PLOT_FILES: [&str; 8] = [
    "bracket.svg",
    "swiss.svg",
    "elo.svg",
    "scores.svg",
    "los.svg",
    "elo_over_rounds.svg",
    "times.svg",
    "times_by_ply.svg",
];

/// Writes all plots of a tournament into a folder, and returns their paths.
///
/// # Errors
///
/// Returns an error if the folder cannot be created, a game not read or a file not written.
pub fn write_plots(dir: &Path, results: &Results<'_>) -> anyhow::Result<Vec<PathBuf>> {
    let mut plots = of_ranking(&results.ranking, &format!("{}, ", shown(&results.event().name)));
    let settling = results.settling().filter(|settling| settling.is_of_several());
    plots.extend(settling.map(|settling| ("elo_over_rounds.svg", settled(&results.ranking, settling))));
    if results.with_times {
        let conducts = results.conducts()?;
        plots.push(("times.svg", times(results, conducts, BOTS_MAX)));
        plots.extend(times_by_ply(results, conducts).map(|plot| ("times_by_ply.svg", plot)));
    }
    write(dir, &plots)
}

/// The tags of a plot: the one of the axis, and the one of its lines, if any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlotTags {
    /// The horizontal axis.
    pub axis: String,
    /// A line for each of its values.
    pub line: Option<String>,
}

impl PlotTags {
    /// The file of the plot.
    #[must_use]
    pub fn file(&self) -> String {
        let Self { axis, line } = self;
        line.as_ref().map_or_else(|| format!("by-{axis}.svg"), |line| format!("by-{axis},{line}.svg"))
    }

    /// The names, the one of the axis first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        [Some(self.axis.as_str()), self.line.as_deref()].into_iter().flatten()
    }
}

/// Writes plots of ratings by these tags into a folder, and returns their paths.
///
/// # Errors
///
/// Returns an error if no bot has such a tag, or a file cannot be written.
pub fn write_tag_plots(dir: &Path, results: &Results<'_>, tags: &[PlotTags]) -> anyhow::Result<Vec<PathBuf>> {
    let plots = tags.iter().map(|tags| Ok((tags.file(), by_tag(results, tags)?)));
    let plots: Vec<(String, Plot)> = plots.collect::<anyhow::Result<_>>()?;
    write(dir, &plots.iter().map(|(name, plot)| (name.as_str(), plot.clone())).collect::<Vec<_>>())
}

/// Finds a tag by its name.
///
/// # Errors
///
/// Returns an error if no bot has it.
pub fn check_tag(ranking: &Ranking, tag: &str) -> anyhow::Result<()> {
    if ranking.tags.iter().any(|known| known.name == tag) {
        return Ok(());
    }
    let names: Vec<String> = ranking.tags.iter().map(|tag| tag.name.clone()).collect();
    if names.is_empty() {
        bail!("no bot has a tag; write one into a manifest, such as [tags] {} = 1", shown(tag));
    }
    Err(UnknownName::new("tag", tag, names.iter().map(String::as_str)).into())
}

/// Ratings by a tag, or by two.
fn by_tag(results: &Results<'_>, tags: &PlotTags) -> anyhow::Result<Plot> {
    let ranking = &results.ranking;
    tags.names().try_for_each(|tag| check_tag(ranking, tag))?;
    let value = |tag: &str, bot: usize| {
        let tag = ranking.tag(tag, bot)?.clone();
        Some(if let TagValue::Text(text) = tag { TagValue::Text(shown(&text)) } else { tag })
    };
    let point = |row: RankedBot<'_>| {
        let (elo, tag) = (row.elo()?, value(&tags.axis, row.bot)?);
        let line = match &tags.line {
            Some(line) => Some(value(line, row.bot)?),
            None => None,
        };
        let text = format!("{} Elo", cells::elo_with_margin(Some(&elo)));
        Some(TaggedValue { name: row.name, tag, line, value: [elo.elo, elo.lo, elo.hi], text })
    };
    let bots = ranking.bots().count();
    let points: Vec<TaggedValue> = ranking.bots().filter_map(point).collect();
    let groups =
        if ranking.analysis.ratings.groups() > 1 { " Ratings of different groups cannot be compared." } else { "" };
    let [these, lines] = match &tags.line {
        Some(line) => [
            "these tags",
            &format!(" Each line has one value of {line}, and goes through the mean of the ratings at each place."),
        ],
        None => ["this tag", ""],
    };
    let description = format!(
        "{}, {} of {} with a rating and {these}, {}. Points are ratings, bars 95 % intervals; {}.{lines}{groups}{}",
        shown(&results.event().name),
        points.len(),
        counted(bots, "bot"),
        counted(ranking.games() as usize, "game"),
        ranking.zero(),
        options(ranking),
    );
    let anchor = ranking.analysis.ratings.options.anchor.map_or(0.0, |anchor| anchor.elo);
    let title = format!("Elo by {}", tags.names().collect::<Vec<_>>().join(" and "));
    let line_tag = tags.line.as_deref();
    Ok(ByTag { title: &title, description: &description, tag: &tags.axis, line_tag, unit: "Elo", points, anchor }
        .plot())
}

/// Writes the plots of a ranking into a folder, and returns their paths.
///
/// # Errors
///
/// Returns an error if the folder cannot be created or a file not written.
pub fn write_ranking_plots(dir: &Path, ranking: &Ranking) -> anyhow::Result<Vec<PathBuf>> {
    write(dir, &of_ranking(ranking, ""))
}

fn write(dir: &Path, plots: &[(&str, Plot)]) -> anyhow::Result<Vec<PathBuf>> {
    let folder = Place::at(dir).create(SVG)?;
    let write = |(name, plot): &(&str, Plot)| {
        folder.replace(name, Durability::Flushed, |out| Ok(out.write_all(plot.file().as_bytes())?))?;
        Ok(folder.path_of(name))
    };
    plots.iter().map(write).collect()
}

/// The plots that need ratings only; `of` is put before what their descriptions say of the games.
fn of_ranking(ranking: &Ranking, of: &str) -> Vec<(&'static str, Plot)> {
    let bots = ranking.analysis.standings.len();
    let shown = if bots > BOTS_MAX { format!("the first {BOTS_MAX} of {bots} bots") } else { counted(bots, "bot") };
    let options = options(ranking);
    let of = format!("{of}{shown}, {}.{options}", counted(ranking.games() as usize, "game"));
    let mut plots =
        vec![("elo.svg", elo(ranking, &of)), ("scores.svg", scores(ranking, &of)), ("los.svg", chances(ranking, &of))];
    let is_bracket = ranking.sheet.as_ref().is_some_and(|sheet| sheet.first_round.is_some());
    let name = if is_bracket { "bracket.svg" } else { "swiss.svg" };
    plots.extend(competition(ranking, false).map(|plot| (name, plot)));
    plots
}

/// The options that change numbers, as the end of a description.
fn options(ranking: &Ranking) -> String {
    ranking.options_in_words().map_or_else(String::new, |options| format!(" {options}"))
}

/// Ratings with their intervals, best first, by group.
fn elo(ranking: &Ranking, of: &str) -> Plot {
    let ratings = &ranking.analysis.ratings;
    let rows: Vec<RankedBot<'_>> = ranking.bots().take(BOTS_MAX).collect();
    let in_group = |group: Option<usize>| -> Vec<Interval> {
        rows.iter().filter(|row| row.rating.map(|rating| rating.group) == group).map(interval).collect()
    };
    let several = ratings.groups() > 1;
    let heading = |group: usize| if several { format!("Group {}", group + 1) } else { String::new() };
    let groups = (0..ratings.groups()).map(|group| (heading(group), in_group(Some(group))));
    let unrated = (if ratings.groups() > 0 { "Without games" } else { "" }.to_owned(), in_group(None));
    let anchor = (ratings.options.anchor.map_or(0.0, |anchor| anchor.elo), ranking.zero());
    let description = format!(
        "{of} Points are ratings, bars 95 % intervals{}; an arrow means that the interval has no end there.{}",
        if ranking.analysis.holm.is_some() {
            " of each bot alone, and ranks hold at 95 % for all bots together"
        } else {
            ""
        },
        if several { " Ratings of different groups cannot be compared." } else { "" }
    );
    let groups = groups.chain([unrated]).filter(|(_, rows)| !rows.is_empty()).collect();
    let plot =
        Intervals { title: "Elo", description: &description, unit: "Elo", groups, anchor: (anchor.0, &anchor.1) };
    plot.plot()
}

fn interval(row: &RankedBot<'_>) -> Interval {
    let text = row.elo().map_or_else(|| "no games".to_owned(), |elo| cells::elo_with_margin(Some(&elo)));
    let value = row.elo().map(|elo| [elo.elo, elo.lo, elo.hi]);
    Interval { rank: row.rank(), name: row.name.clone(), value, text }
}

/// Scores of the row against the column.
fn scores(ranking: &Ranking, of: &str) -> Plot {
    let description = format!("{of} Score of the row against the column in %; hatched: they did not meet.");
    let scores = ranking.scores(BOTS_MAX);
    scores.plot("Score", &description, &names(ranking, &scores.bots))
}

/// Probabilities that the row is stronger than the column.
fn chances(ranking: &Ranking, of: &str) -> Plot {
    let description = format!("{of} Probability that the row is stronger than the column, in %.");
    let chances = ranking.chances(BOTS_MAX);
    chances.plot("Likelihood of superiority", &description, &names(ranking, &chances.bots))
}

fn names(ranking: &Ranking, bots: &[usize]) -> Vec<String> {
    bots.iter().map(|bot| ranking.name(*bot)).collect()
}

/// Ratings after rounds.
pub(super) fn settled(ranking: &Ranking, settling: &Settling) -> Plot {
    let rounds = settling.steps.iter().map(|step| f64::from(step.rounds)).collect();
    let series = names(ranking, &settling.bots).into_iter().enumerate().map(|(place, name)| {
        let points = settling.steps.iter().map(|step| step.elo[place].map(|elo| [elo.elo, elo.lo, elo.hi]));
        Series { name, points: points.collect() }
    });
    let description = format!(
        "After each number of rounds, a rating of all games up to then. Bands are 95 % intervals; of more than three bots, that \
         of the one pointed at.{}",
        options(ranking)
    );
    LinesPlot {
        title: "Elo over rounds",
        description: &description,
        x: (rounds, "Rounds"),
        x_from: Some(0.0),
        y: (ScaleKind::Linear, "Elo"),
        limit: None,
        series: series.collect(),
    }
    .plot()
}

/// Percentiles of times per move, of the first bots of the standings.
pub(super) fn times(results: &Results<'_>, conducts: &Conducts, most: usize) -> Plot {
    let span = |bot: usize| Span {
        name: results.ranking.name(bot),
        times: conducts.bots[bot].times.summary().map(|[_, p50, p90, p99, max]| [p50, p90, p99, max]),
        stopped: conducts.bots[bot].stopped_us,
    };
    Spans {
        title: "Time per move",
        description: "Half of the moves took no longer than p50, 90 of 100 no longer than p90, 99 of 100 no longer than p99. \
                      ✗ is the longest wait for a move that did not come in time. The scale is logarithmic.",
        rows: results.ranking.first(BOTS_MAX).into_iter().take(most).map(span).collect(),
        limit: limit(&results.event().clock),
    }
    .plot()
}

/// Times per move by ply; none without moves.
pub(super) fn times_by_ply(results: &Results<'_>, conducts: &Conducts) -> Option<Plot> {
    let by_ply = &conducts.by_ply;
    let ranges = by_ply.ranges();
    let middle = |[first, last]: [usize; 2]| (first + last) as f64 / 2.0;
    let series = by_ply.bots.iter().enumerate().map(|(place, bot)| {
        let points = ranges.iter().map(|range| by_ply.times(place, *range));
        let points = points.map(|times| times.map(|[p50, p90]| [p50, p50, p90].map(|us| us as f64)));
        Series { name: results.ranking.name(*bot), points: points.collect() }
    });
    let series: Vec<Series> = series.filter(|series| series.points.iter().any(Option::is_some)).collect();
    let plot = LinesPlot {
        title: "Time per move by ply",
        description: "Lines are medians. Bands reach to the 90th percentile; of more than three bots, that of the one pointed \
                      at. The scale is logarithmic.",
        x: (ranges.iter().map(|range| middle(*range)).collect(), "Ply"),
        x_from: None,
        y: (ScaleKind::Log, "Time"),
        limit: limit(&results.event().clock).map(|(us, name)| (us as f64, name)),
        series,
    };
    (!ranges.is_empty()).then(|| plot.plot())
}

/// The longest time a move may take: its limit, or else the bank.
fn limit(clock: &TimeControl) -> Option<(u64, String)> {
    let named = |ms: u64, name: &str| (ms.saturating_mul(1_000), name.to_owned());
    clock.move_ms.map(|ms| named(ms, "limit")).or_else(|| clock.bank_ms.map(|ms| named(ms, "bank")))
}
