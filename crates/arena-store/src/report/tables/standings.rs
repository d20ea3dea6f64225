//! `standings.csv`, `crosstable.csv` and `head_to_head.csv`. No column depends on timing, so deterministic bots produce
//! the same bytes on any machine.

use std::io::Write;

use arena_core::stats::{HeadToHead, Tally};
use arena_show::views::{RankedBot, Ranking};
use serde_json::{Map, Value};

use crate::report::cells;
use crate::report::cells::CsvColumn;

/// Writes the standings, best first. `rank_lo` and `rank_hi` are the best and the worst rank that the games allow.
/// `score` is points per game (0 to 1, empty without games). `elo` has its 95 % interval, with `inf` if unbounded. `los`
/// is the probability of being stronger than the next row. `direct` and `sb` are the tie-breaks of
/// [`arena_core::stats::standings`]. `forfeits` counts games lost by a fault. Bots of different `group`s are not connected by
/// games. Columns `p_best` (the p value of the hypothesis that no bot is better), `davidson_elo` (by that draw model, on
/// the scale of `elo`) and `nash` follow if requested, `elo_ml` where `elo` has a prior, the columns of the format, and
/// the tags of the bots.
///
/// # Errors
///
/// Returns an error if `out` fails.
pub fn standings_csv(ranking: &Ranking, out: &mut dyn Write) -> anyhow::Result<()> {
    cells::write_table(out, &standings_columns(ranking), ranking.bots().map(Ok))
}

/// The rows of [`standings_csv`] by column: numbers as numbers, missing values as null, infinities as text.
pub(crate) fn standings_json<'a>(ranking: &'a Ranking) -> Vec<Map<String, Value>> {
    let columns = standings_columns(ranking);
    let tags: Vec<&str> = ranking.tags.iter().map(|tag| tag.name.as_str()).collect();
    let value = |name: &str, text: String, row: &RankedBot<'a>| match (name, text.parse::<f64>()) {
        ("name", _) => String::from_utf8_lossy(ranking.bytes(row.bot)).into(),
        (name, _) if tags.contains(&name) => serde_json::to_value(ranking.tag(name, row.bot)).unwrap_or_default(),
        (_, Ok(number)) if number.is_finite() => serde_json::from_str(&text).unwrap_or(Value::Null),
        _ if text.is_empty() => Value::Null,
        _ => text.into(),
    };
    let fields = |row: RankedBot<'a>| {
        columns.iter().map(|(name, cell)| ((*name).to_owned(), value(name, cell(&row), &row))).collect()
    };
    ranking.bots().map(fields).collect()
}

/// A cell of a row, by the column.
type StandingsCell<'a> = Box<dyn Fn(&RankedBot<'a>) -> String + 'a>;

fn standings_columns<'a>(ranking: &'a Ranking) -> Vec<(&'a str, StandingsCell<'a>)> {
    let analysis = &ranking.analysis;
    let always: [CsvColumn<RankedBot<'a>>; 16] = [
        ("games", |row| row.total.games().to_string()),
        ("points", |row| cells::halves(row.total.half_points())),
        ("wins", |row| row.total.wins.to_string()),
        ("draws", |row| row.total.draws.to_string()),
        ("losses", |row| row.total.losses.to_string()),
        ("score", |row| cells::score(row.total.score())),
        ("elo", |row| cells::elo(row.elo().map(|elo| elo.elo))),
        ("elo_lo", |row| cells::elo(row.elo().map(|elo| elo.lo))),
        ("elo_hi", |row| cells::elo(row.elo().map(|elo| elo.hi))),
        ("los", |row| cells::probability(row.los)),
        ("direct", |row| row.standing.direct_halves.map(cells::halves).unwrap_or_default()),
        ("sb", |row| cells::quarters(row.standing.sb_quarters)),
        ("first_score", |row| cells::score(row.standing.games.as_first.score())),
        ("second_score", |row| cells::score(row.standing.games.as_second.score())),
        ("forfeits", |row| row.standing.forfeits.to_string()),
        ("group", |row| row.group().map(|group| group.to_string()).unwrap_or_default()),
    ];
    let requested: [(bool, CsvColumn<RankedBot<'a>>); 4] = [
        (analysis.holm.is_some(), ("p_best", |row| cells::probability(row.p_best))),
        (analysis.davidson.is_some(), ("davidson_elo", |row| cells::elo(row.davidson_elo))),
        (ranking.nash().is_some(), ("nash", |row| cells::score(row.nash))),
        (analysis.ratings.prior_width.is_some(), ("elo_ml", |row| cells::elo(row.rating.and_then(|rating| rating.ml)))),
    ];
    let requested = requested.into_iter().filter(|(is_wanted, _)| *is_wanted).map(|(_, column)| column);
    let mut columns: Vec<(&'a str, StandingsCell<'a>)> = vec![
        ("rank", Box::new(|row| row.standing.rank.to_string())),
        ("rank_lo", Box::new(|row| row.ranks()[0].to_string())),
        ("rank_hi", Box::new(|row| row.ranks()[1].to_string())),
        ("name", Box::new(|row| ranking.cell(row.bot))),
    ];
    columns.extend(always.into_iter().chain(requested).map(|(name, cell)| (name, Box::new(cell) as StandingsCell<'a>)));
    for (column, cells) in ranking.sheet.iter().flat_map(|sheet| &sheet.columns) {
        columns.push((column.name, Box::new(|row| cells[row.bot].clone())));
    }
    for tag in &ranking.tags {
        columns.push((&tag.name, Box::new(|row| cells::tag(tag.values[row.bot].as_ref()))));
    }
    columns
}

/// Writes the crosstable in the order of the standings. A cell holds the points of the row's bot against the column's
/// and their games, `12.5/20`; it is empty if they did not play.
///
/// # Errors
///
/// Returns an error if `out` fails.
pub fn crosstable_csv(ranking: &Ranking, out: &mut dyn Write) -> anyhow::Result<()> {
    let points = |tally: Tally| format!("{}/{}", cells::halves(tally.half_points()), tally.games());
    square_csv(ranking, out, ranking.crosstable("", points))
}

/// Writes a row and a column for each bot, with their names.
pub(crate) fn square_csv(
    ranking: &Ranking,
    out: &mut dyn Write,
    rows: impl Iterator<Item = (usize, Vec<String>)>,
) -> anyhow::Result<()> {
    let mut table = cells::csv_writer(out);
    let names = ranking.analysis.standings.iter().map(|row| ranking.cell(row.bot));
    table.write_record(std::iter::once("name".to_owned()).chain(names))?;
    for (bot, cells) in rows {
        table.write_record(std::iter::once(ranking.cell(bot)).chain(cells))?;
    }
    Ok(table.flush()?)
}

/// A row of the head-to-head table.
struct Meeting<'a> {
    ranking: &'a Ranking,
    met: HeadToHead,
    total: Tally,
}

impl Meeting<'_> {
    /// The p value of the difference by all games.
    fn p(&self) -> Option<f64> {
        self.ranking.analysis.ratings.p_value(self.met.a, self.met.b)
    }

    /// The same, adjusted for the number of pairs of bots.
    fn p_holm(&self) -> Option<f64> {
        Some(self.ranking.analysis.holm.as_ref()?.adjusted(self.p()?))
    }

    /// The probabilities of a win, draw and loss by Davidson's model.
    fn davidson(&self) -> Option<[f64; 3]> {
        self.ranking.analysis.davidson.as_ref()?.predict(self.met.a, self.met.b)
    }
}

/// Writes one row for each pairing that was played, as seen from the bot that ranks higher. `elo_diff`, its interval
/// and `los` are based on these games alone, `los_overall`, `p` (of no difference) and `expected` (a score) on all games.
/// `p_holm`, if requested, is `p` adjusted for all pairs of bots. `residual_z` is the
/// number of standard deviations by which the score exceeds it. `LL` to `WW` count complete pairs (the two games of one
/// opening) by that bot's results, except pairs in which both games repeat others. Columns `davidson_w`, `davidson_d`
/// and `davidson_l`, the probabilities by that draw model, follow if requested.
///
/// # Errors
///
/// Returns an error if `out` fails.
pub fn head_to_head_csv(ranking: &Ranking, out: &mut dyn Write) -> anyhow::Result<()> {
    let always: [CsvColumn<Meeting<'_>>; 26] = [
        ("a", |row| row.ranking.cell(row.met.a)),
        ("b", |row| row.ranking.cell(row.met.b)),
        ("games", |row| row.total.games().to_string()),
        ("wins", |row| row.total.wins.to_string()),
        ("draws", |row| row.total.draws.to_string()),
        ("losses", |row| row.total.losses.to_string()),
        ("score", |row| cells::score(row.total.score())),
        ("elo_diff", |row| cells::elo(row.met.duel.map(|duel| duel.elo.elo))),
        ("elo_lo", |row| cells::elo(row.met.duel.map(|duel| duel.elo.lo))),
        ("elo_hi", |row| cells::elo(row.met.duel.map(|duel| duel.elo.hi))),
        ("los", |row| cells::probability(row.met.duel.map(|duel| duel.los))),
        ("los_overall", |row| cells::probability(row.met.los_overall)),
        ("p", |row| cells::probability(row.p())),
        ("expected", |row| cells::score(row.met.expected)),
        ("residual_z", |row| cells::elo(row.met.residual_z)),
        ("LL", |row| row.met.pairs[0].to_string()),
        ("LD", |row| row.met.pairs[1].to_string()),
        ("DD_WL", |row| row.met.pairs[2].to_string()),
        ("WD", |row| row.met.pairs[3].to_string()),
        ("WW", |row| row.met.pairs[4].to_string()),
        ("a_first_w", |row| row.met.games.as_first.wins.to_string()),
        ("a_first_d", |row| row.met.games.as_first.draws.to_string()),
        ("a_first_l", |row| row.met.games.as_first.losses.to_string()),
        ("a_second_w", |row| row.met.games.as_second.wins.to_string()),
        ("a_second_d", |row| row.met.games.as_second.draws.to_string()),
        ("a_second_l", |row| row.met.games.as_second.losses.to_string()),
    ];
    let mut columns = always.to_vec();
    if ranking.analysis.holm.is_some() {
        let after = columns.iter().position(|(name, _)| *name == "p").map_or(columns.len(), |place| place + 1);
        columns.insert(after, ("p_holm", |row| cells::probability(row.p_holm())));
    }
    if ranking.analysis.davidson.is_some() {
        columns.push(("davidson_w", |row| cells::score(row.davidson().map(|chances| chances[0]))));
        columns.push(("davidson_d", |row| cells::score(row.davidson().map(|chances| chances[1]))));
        columns.push(("davidson_l", |row| cells::score(row.davidson().map(|chances| chances[2]))));
    }
    cells::write_table(
        out,
        &columns,
        ranking.head_to_head().map(|met| Ok(Meeting { ranking, total: met.games.total(), met })),
    )
}
