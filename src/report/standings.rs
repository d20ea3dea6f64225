//! `standings.csv`, `crosstable.csv` and `head_to_head.csv`. No column depends on timing, so deterministic bots produce
//! the same bytes on any machine.

use std::io::Write;

use super::{Ranking, cells};

const STANDINGS: [&str; 18] = [
    "rank",
    "name",
    "games",
    "points",
    "wins",
    "draws",
    "losses",
    "score",
    "elo",
    "elo_lo",
    "elo_hi",
    "los",
    "direct",
    "sb",
    "first_score",
    "second_score",
    "forfeits",
    "group",
];

const HEAD_TO_HEAD: [&str; 25] = [
    "a",
    "b",
    "games",
    "wins",
    "draws",
    "losses",
    "score",
    "elo_diff",
    "elo_lo",
    "elo_hi",
    "los",
    "los_overall",
    "expected",
    "residual_z",
    "LL",
    "LD",
    "DD_WL",
    "WD",
    "WW",
    "a_first_w",
    "a_first_d",
    "a_first_l",
    "a_second_w",
    "a_second_d",
    "a_second_l",
];

/// Writes the standings, best first. `score` is points per game (0 to 1, empty without games). `elo` has its 95 %
/// interval, with `inf` if unbounded. `los` is the probability of being stronger than the next row. `direct` and `sb`
/// are the tie-breaks of [`crate::stats::standings`]. `forfeits` counts games lost by a fault. Bots of different
/// `group`s are not connected by games. Columns `davidson_elo` (by that draw model, on the scale of `elo`) and `nash`
/// follow if requested.
///
/// # Errors
///
/// Returns an error if `out` fails.
pub fn standings_csv(ranking: &Ranking, out: &mut dyn Write) -> anyhow::Result<()> {
    let analysis = &ranking.analysis;
    let nash = analysis.nash.as_ref().and_then(|nash| nash.as_deref().ok());
    let davidson = analysis.davidson.as_ref();
    let asked = davidson.map(|_| "davidson_elo").into_iter().chain(nash.map(|_| "nash"));
    let mut table = cells::csv_table(out, STANDINGS.into_iter().chain(asked))?;
    for (place, row) in analysis.standings.iter().enumerate() {
        let total = row.games.total();
        let rating = analysis.ratings.of(row.bot);
        let mut record = vec![row.rank.to_string(), ranking.cell(row.bot)];
        record.extend([
            total.games().to_string(),
            cells::halves(total.half_points()),
            total.wins.to_string(),
            total.draws.to_string(),
            total.losses.to_string(),
            cells::score(total.score()),
            cells::elo(rating.map(|rating| rating.elo.elo)),
            cells::elo(rating.map(|rating| rating.elo.lo)),
            cells::elo(rating.map(|rating| rating.elo.hi)),
            cells::score(analysis.los_against_next(place)),
            row.direct_halves.map(cells::halves).unwrap_or_default(),
            cells::quarters(row.sb_quarters),
            cells::score(row.games.as_first.score()),
            cells::score(row.games.as_second.score()),
            row.forfeits.to_string(),
            rating.map(|rating| (rating.group + 1).to_string()).unwrap_or_default(),
        ]);
        record.extend(davidson.map(|fit| cells::elo(fit.of(row.bot).map(|of| of.scaled_elo))));
        record.extend(nash.map(|shares| cells::score(shares.get(row.bot).map(|share| share.weight))));
        table.write_record(record)?;
    }
    Ok(table.flush()?)
}

/// Writes the crosstable in the order of the standings. A cell holds the points of the row's bot against the column's
/// and their games, `12.5/20`; it is empty if they did not play.
///
/// # Errors
///
/// Returns an error if `out` fails.
pub fn crosstable_csv(ranking: &Ranking, out: &mut dyn Write) -> anyhow::Result<()> {
    let bots: Vec<usize> = ranking.analysis.standings.iter().map(|row| row.bot).collect();
    let header = std::iter::once("name".to_owned()).chain(bots.iter().map(|&bot| ranking.cell(bot)));
    let mut table = cells::csv_table(out, header)?;
    for (&bot, met) in bots.iter().zip(ranking.crosstable()) {
        let mut record = vec![String::new(); bots.len() + 1];
        record[0] = ranking.cell(bot);
        for (place, tally) in met {
            record[place + 1] = format!("{}/{}", cells::halves(tally.half_points()), tally.games());
        }
        table.write_record(record)?;
    }
    Ok(table.flush()?)
}

/// Writes one row for each pairing that was played, as seen from the bot that ranks higher. `elo_diff`, its interval
/// and `los` are based on these games alone, `los_overall` and `expected` (a score) on all games. `residual_z` is the
/// number of standard deviations by which the score exceeds it. `LL` to `WW` count complete pairs (the two games of one
/// opening) by that bot's results, except pairs in which both games repeat others. Columns `davidson_w`, `davidson_d`
/// and `davidson_l`, the probabilities by that draw model, follow if requested.
///
/// # Errors
///
/// Returns an error if `out` fails.
pub fn head_to_head_csv(ranking: &Ranking, out: &mut dyn Write) -> anyhow::Result<()> {
    let davidson = ranking.analysis.davidson.as_ref();
    let asked = davidson.map(|_| ["davidson_w", "davidson_d", "davidson_l"]);
    let mut table = cells::csv_table(out, HEAD_TO_HEAD.into_iter().chain(asked.into_iter().flatten()))?;
    for row in ranking.head_to_head() {
        let total = row.games.total();
        let mut record = vec![ranking.cell(row.a), ranking.cell(row.b)];
        let mut add = |cell: String| record.push(cell);
        for count in [total.games(), total.wins, total.draws, total.losses] {
            add(count.to_string());
        }
        add(cells::score(total.score()));
        add(cells::elo(row.duel.map(|duel| duel.elo.elo)));
        add(cells::elo(row.duel.map(|duel| duel.elo.lo)));
        add(cells::elo(row.duel.map(|duel| duel.elo.hi)));
        add(cells::score(row.duel.map(|duel| duel.los)));
        add(cells::score(row.los_overall));
        add(cells::score(row.expected));
        add(cells::elo(row.residual_z));
        let by_seat = [row.games.as_first, row.games.as_second]
            .into_iter()
            .flat_map(|tally| [tally.wins, tally.draws, tally.losses]);
        for count in row.pairs.into_iter().chain(by_seat) {
            add(count.to_string());
        }
        if let Some(fit) = davidson {
            let chances = fit.predict(row.a, row.b);
            (0..3).for_each(|result| add(cells::score(chances.map(|chances| chances[result]))));
        }
        table.write_record(record)?;
    }
    Ok(table.flush()?)
}
