//! Several games together: `combined.csv`, and the same for people.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use arena_core::event::Tournament;
use arena_core::stats::{Estimate, MeanShares, PLAYERS_MAX, Share, Shares};
use arena_core::text::{counted, shown};
use arena_show::views::{Table, range_of_ranks};

use super::cells::elo_and_margin;
use super::{Results, TextPage, cells};

/// A game of a series.
pub struct SeriesGame<'a> {
    /// Its name in columns.
    pub label: String,
    /// Its folder, in that of the series.
    pub folder: String,
    /// Its weight in the mean.
    pub weight: f64,
    /// What was played.
    pub results: Results<'a>,
}

/// The combined table of a series.
#[derive(Debug)]
pub struct Combined {
    labels: Vec<String>,
    weights: Vec<f64>,
    /// The options of each game's tables that change numbers, in words.
    options: Vec<Option<String>>,
    pub(super) rows: Vec<CombinedRow>,
}

/// The shares of a game: as played, or of a ladder as its ratings predict them, since its bots meet others of similar strength.
fn shares(results: &Results<'_>) -> Shares {
    let analysis = &results.ranking.analysis;
    let bots = results.event().bots.len();
    let predicted = results.schedule.prefers_likes().then(|| Shares::predicted(&analysis.ratings, bots)).flatten();
    predicted.unwrap_or_else(|| Shares::new(&analysis.counts))
}

/// A bot of a series.
#[derive(Debug)]
pub(super) struct CombinedRow {
    pub(super) name: String,
    /// If it has played all games.
    pub(super) place: Option<CombinedPlace>,
    /// What it came to in each game that it played.
    pub(super) games: Vec<Option<GamePlace>>,
    /// The games that it did not play in full, as `did not play connect4`.
    missed: Vec<String>,
}

impl CombinedRow {
    /// A cell on its place; empty without one.
    fn of_place(&self, cell: fn(&CombinedPlace) -> String) -> String {
        self.place.as_ref().map(cell).unwrap_or_default()
    }

    /// The cells on its share, Elo and rank in each game; empty for one that it did not play.
    fn of_games<const N: usize>(&self, cells: fn(&GamePlace) -> [String; N]) -> impl Iterator<Item = String> {
        let none = || std::array::from_fn(|_| String::new());
        self.games.iter().flat_map(move |game| game.as_ref().map_or_else(none, cells))
    }
}

/// What a bot came to in one game.
#[derive(Debug)]
pub(super) struct GamePlace {
    pub(super) share: f64,
    pub(super) elo: Option<Estimate>,
    rank: usize,
    /// The best and the worst rank at 95 %.
    pub(super) ranks: [usize; 2],
}

#[derive(Debug)]
pub(super) struct CombinedPlace {
    pub(super) rank: usize,
    pub(super) share: Share,
    /// The probability of being better than the next one.
    pub(super) los: Option<f64>,
    /// The best and the worst rank at 95 %.
    pub(super) ranks: [usize; 2],
}

/// Why the games of a series cannot be rated together; `None` if they can. The errors of all of them are in memory at a time,
/// and are to take no more of it than those of [`PLAYERS_MAX`] bots.
#[must_use]
pub fn too_large_a_series<'a>(events: impl IntoIterator<Item = &'a Tournament>) -> Option<String> {
    let mut names = BTreeSet::new();
    let mut squares = 0;
    for event in events {
        names.extend(event.bots.iter().map(|entry| entry.id.name.as_str()));
        squares += event.bots.len() * event.bots.len();
    }
    let bots = names.len();
    (bots > PLAYERS_MAX || squares > PLAYERS_MAX * PLAYERS_MAX).then(|| {
        format!(
            "the series has {bots} bots, and too many in its games to rate all of them together: the squares of their numbers \
             add up to {squares}, at most {} fit; rate its games one by one",
            PLAYERS_MAX * PLAYERS_MAX
        )
    })
}

/// What each bot came to in a game.
fn game_places(results: &Results<'_>, shares: &Shares) -> Vec<Option<GamePlace>> {
    let mut places: Vec<Option<GamePlace>> = results.event().bots.iter().map(|_| None).collect();
    for row in results.ranking.bots() {
        let place = |share| GamePlace { share, elo: row.elo(), rank: row.standing.rank, ranks: row.ranks() };
        places[row.bot] = shares.of(row.bot).map(place);
    }
    places
}

impl Combined {
    /// Combines these games by the names of bots. Ranks are for bots that play all of them and were not withdrawn; if
    /// `is_strict`, the others have no points in the games they miss.
    #[must_use]
    pub fn new(games: &[SeriesGame<'_>], is_strict: bool) -> Self {
        let shares: Vec<Shares> = games.iter().map(|game| shares(&game.results)).collect();
        let mut bots: BTreeMap<&str, Vec<Option<usize>>> = BTreeMap::new();
        for (number, game) in games.iter().enumerate() {
            for (bot, entry) in game.results.event().bots.iter().enumerate() {
                bots.entry(&entry.id.name).or_insert_with(|| vec![None; games.len()])[number] = Some(bot);
            }
        }
        let mut found: Vec<Vec<Option<GamePlace>>> =
            games.iter().zip(&shares).map(|(game, shares)| game_places(&game.results, shares)).collect();
        // Why it did not play a game in full.
        let missed = |number: usize, bot: Option<usize>| match bot {
            None => Some("did not play"),
            Some(bot) if games[number].results.ranking.withdrawn.contains(&bot) => Some("was withdrawn in"),
            Some(bot) => shares[number].of(bot).is_none().then_some("has no games that count in"),
        };
        let mut rows: Vec<CombinedRow> = Vec::new();
        let mut places: Vec<Vec<Option<usize>>> = Vec::new();
        for (name, indices) in bots {
            let own = indices.into_iter().enumerate();
            let why = |(number, bot)| Some(format!("{} {}", missed(number, bot)?, games[number].label));
            rows.push(CombinedRow {
                name: name.to_owned(),
                place: None,
                games: own.clone().map(|(number, bot)| found[number][bot?].take()).collect(),
                missed: own.clone().filter_map(why).collect(),
            });
            places.push(own.map(|(number, bot)| bot.filter(|_| missed(number, bot).is_none())).collect());
        }
        let ranked: Vec<usize> = (0..rows.len()).filter(|bot| is_strict || rows[*bot].missed.is_empty()).collect();
        let of_game = |(number, game): (usize, &SeriesGame<'_>)| {
            (game.weight, &shares[number], ranked.iter().map(|bot| places[*bot][number]).collect())
        };
        let mean = MeanShares::new(ranked.len(), &games.iter().enumerate().map(of_game).collect::<Vec<_>>());
        let mut order: Vec<usize> = (0..ranked.len()).collect();
        // Equal shares may differ by rounding.
        let exact = |bot: usize| (mean.of(bot).score * 1e12).round();
        order.sort_by(|x, y| exact(*y).total_cmp(&exact(*x)));
        for (above, bot) in order.iter().enumerate() {
            let equal = order.iter().take_while(|other| exact(**other) > exact(*bot)).count();
            let los = order.get(above + 1).map(|next| mean.los(*bot, *next));
            let place = CombinedPlace { rank: equal + 1, share: mean.of(*bot), los, ranks: mean.ranks(*bot) };
            rows[ranked[*bot]].place = Some(place);
        }
        rows.sort_by(|x, y| {
            let key = |row: &CombinedRow| row.place.as_ref().map_or(usize::MAX, |place| place.rank);
            key(x).cmp(&key(y)).then_with(|| x.name.cmp(&y.name))
        });
        let labels = games.iter().map(|game| game.label.clone()).collect();
        let options = games.iter().map(|game| game.results.ranking.options_in_words()).collect();
        Self { labels, weights: games.iter().map(|game| game.weight).collect(), options, rows }
    }

    /// Writes `combined.csv`: `rank,rank_lo,rank_hi,name,score,score_lo,score_hi,los`, then for each game its score, Elo, rank
    /// and the best and worst rank that its games allow.
    ///
    /// # Errors
    ///
    /// Returns an error if writing fails.
    pub fn write_csv(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let mut table = cells::csv_writer(out);
        let head = ["rank", "rank_lo", "rank_hi", "name", "score", "score_lo", "score_hi", "los"].map(str::to_owned);
        let of_game =
            |label: &String| ["score", "elo", "rank", "rank_lo", "rank_hi"].map(|what| format!("{label}_{what}"));
        table.write_record(head.into_iter().chain(self.labels.iter().flat_map(of_game)))?;
        for row in &self.rows {
            let own = [
                row.of_place(|place| place.rank.to_string()),
                row.of_place(|place| place.ranks[0].to_string()),
                row.of_place(|place| place.ranks[1].to_string()),
                row.name.clone(),
                row.of_place(|place| cells::score(Some(place.share.score))),
                row.of_place(|place| cells::score(Some(place.share.lo))),
                row.of_place(|place| cells::score(Some(place.share.hi))),
                row.of_place(|place| cells::probability(place.los)),
            ];
            let games = row.of_games(|GamePlace { share, elo, rank, ranks: [best, worst] }| {
                let ranks = [rank, best, worst].map(usize::to_string);
                let [rank, best, worst] = ranks;
                [cells::score(Some(*share)), cells::elo(elo.map(|elo| elo.elo)), rank, best, worst]
            });
            table.write_record(own.into_iter().chain(games))?;
        }
        Ok(table.flush()?)
    }

    /// What a reader of the table needs.
    pub(super) fn notes(&self) -> Vec<String> {
        let without = self.rows.iter().filter(|row| row.place.is_none());
        let mut notes: Vec<String> =
            without.map(|row| format!("{} has no rank: it {}.", shown(&row.name), row.missed.join(" and "))).collect();
        let weights = self.weights.iter().zip(&self.labels).filter(|(weight, _)| (**weight - 1.0).abs() > 0.0);
        let weights: Vec<String> =
            weights.map(|(weight, label)| format!("{} counts {weight} times", shown(label))).collect();
        let weights = if weights.is_empty() { String::new() } else { format!(", where {}", weights.join(", ")) };
        notes.push(format!(
            "Score is the mean share of points over {}{weights}. A bot that is best in none of them may be first; Elo and ranks \
             are those within each game.",
            counted(self.labels.len(), "game")
        ));
        let options = self.options.iter().zip(&self.labels);
        notes.extend(options.filter_map(|(options, label)| Some(format!("{}: {}", shown(label), options.as_ref()?))));
        notes
    }

    /// The table for people, with what it means.
    #[must_use]
    pub fn page(&self, footer: &str) -> TextPage {
        let mut page = TextPage::default();
        page.lines(self.notes());
        page.lines([footer.to_owned()]);
        page.gap();
        page.table(self.table(), "all rows: combined.csv");
        page
    }

    fn table(&self) -> Table {
        let mut table = Table::new().column("Rank").names("Name").column("Score").column("±95%").column("LOS");
        for label in &self.labels {
            table = table.column(label.clone()).less_important("Elo", 3).less_important("Rank", 2);
        }
        for row in &self.rows {
            let own = [
                row.of_place(|place| range_of_ranks(place.ranks)),
                shown(&row.name),
                row.of_place(|place| cells::percent(Some(place.share.score))),
                row.of_place(|place| format!("{:.1}%", 100.0 * (place.share.hi - place.share.lo) / 2.0)),
                row.of_place(|place| cells::percent(place.los)),
            ];
            let games = row.of_games(|GamePlace { share, elo, ranks, .. }| {
                let elo = elo.map_or_else(String::new, |elo| elo_and_margin(Some(&elo)).0);
                [cells::percent(Some(*share)), elo, range_of_ranks(*ranks)]
            });
            table.row(own.into_iter().chain(games).collect());
        }
        table
    }
}
