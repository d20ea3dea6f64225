//! Analysed games with the names of their players: the input of all standings tables, for played and imported games.

use std::ops::RangeInclusive;
use std::sync::OnceLock;

use arena_core::format::Sheet;
use arena_core::import::GameRow;
use arena_core::stats::{
    Analysis, AnalysisOptions, CountsBuilder, FAMILY_ALPHA, HeadToHead, NashShare, Neighbours, RankBy, RatingOptions,
    Sample, Tally, head_to_head,
};
use arena_core::tags::TagValue;
use arena_core::text::{cell, shown, signed};

/// Analysed games with the names of their players.
#[derive(Debug)]
pub struct Ranking {
    names: Vec<Vec<u8>>,
    /// Found when first asked for: they take a look at every pair of bots.
    rank_ranges: OnceLock<Vec<Option<RangeInclusive<usize>>>>,
    p_best: OnceLock<Vec<Option<f64>>>,
    /// The analysis.
    pub analysis: Analysis,
    /// Number of games that repeat another move for move.
    pub repeated: u64,
    /// Withdrawn bots, if known.
    pub withdrawn: Vec<usize>,
    /// The challengers, if the format has any.
    pub challengers: Vec<usize>,
    /// The results of a stepwise format.
    pub sheet: Option<Sheet>,
    /// The tags of the bots, by name.
    pub tags: Vec<TagColumn>,
    /// Whether the player called first moved first.
    pub has_seats: bool,
    /// What the seats are called, if the rules are a program that has named them.
    pub seat_names: Option<[&'static str; 2]>,
}

/// A tag that some bots have.
#[derive(Debug, Clone)]
pub struct TagColumn {
    /// Its name.
    pub name: String,
    /// Its value by bot.
    pub values: Vec<Option<TagValue>>,
}

impl Ranking {
    /// Creates a ranking; `names` are indexed by bot and kept byte for byte.
    #[must_use]
    pub fn new(names: Vec<Vec<u8>>, analysis: Analysis, repeated: u64) -> Self {
        Self {
            names,
            rank_ranges: OnceLock::new(),
            p_best: OnceLock::new(),
            analysis,
            repeated,
            withdrawn: Vec::new(),
            challengers: Vec::new(),
            sheet: None,
            tags: Vec::new(),
            has_seats: true,
            seat_names: None,
        }
    }

    /// Analyses games between the bots of these names.
    #[must_use]
    pub fn of(names: Vec<Vec<u8>>, games: impl IntoIterator<Item = GameRow>, options: &AnalysisOptions) -> Self {
        let mut counts = CountsBuilder::new(names.len());
        let mut unrated = Vec::new();
        let mut forfeits = vec![0; names.len()];
        for GameRow { first, second, pair, cluster, opening, result, forfeit, rated } in games {
            let bots = [first as usize, second as usize];
            if rated {
                let sample = Sample { pair: Some(pair), cluster: Some(cluster), opening };
                counts.add_sample(bots[0], bots[1], result, sample);
            } else {
                unrated.push((bots[0], bots[1], result));
            }
            if let (true, Some(winner)) = (forfeit, result.winner()) {
                forfeits[bots[winner.other().index()]] += 1;
            }
        }
        let (counts, rated) = counts.finish_with(unrated);
        Self::new(names, Analysis::new(counts, rated, &forfeits, options), 0)
    }

    /// The number of games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.analysis.counts.first_seat().games()
    }

    /// The number of rated games: all except those that withdrawn bots lost without playing.
    #[must_use]
    pub fn rated_games(&self) -> u64 {
        self.analysis.rated().first_seat().games()
    }

    /// The bots in the order of the standings, except withdrawn bots, which play no further games.
    #[must_use]
    pub fn compared(&self) -> Vec<usize> {
        let order = self.analysis.standings.iter().map(|row| row.bot);
        order.filter(|bot| !self.withdrawn.contains(bot)).collect()
    }

    /// The first bots of the standings, with those that were withdrawn.
    #[must_use]
    pub fn first(&self, most: usize) -> Vec<usize> {
        self.analysis.standings.iter().take(most).map(|row| row.bot).collect()
    }

    /// What the ratings are relative to.
    #[must_use]
    pub fn zero(&self) -> String {
        match self.analysis.ratings.options.anchor {
            Some(anchor) => format!("{} is fixed at {}", self.name(anchor.bot), signed(anchor.elo)),
            None => "the mean is 0".to_owned(),
        }
    }

    /// The options of the tables that change numbers, as a sentence; `None` if all is as usual. They may have come with a results
    /// folder, so whatever shows the numbers says this too.
    #[must_use]
    pub fn options_in_words(&self) -> Option<String> {
        let RatingOptions { anchor, prior_draws, fitted_prior, .. } = self.analysis.ratings.options;
        let draws = (prior_draws > 0.0 && !fitted_prior)
            .then(|| format!("{prior_draws} virtual draws for each bot, which shrink ratings and margins"));
        let anchor = anchor.map(|_| self.zero());
        let usual = if self.analysis.counts.is_equal_schedule() { RankBy::Points } else { RankBy::Elo };
        let ranks = match self.analysis.rank_by {
            RankBy::Points if usual == RankBy::Elo => Some("ranks by points, not by Elo"),
            RankBy::Elo if usual == RankBy::Points => Some("ranks by Elo, not by points"),
            _ => None,
        };
        let all: Vec<String> = draws.into_iter().chain(anchor).chain(ranks.map(str::to_owned)).collect();
        (!all.is_empty()).then(|| format!("Options of the tables: {}.", all.join("; ")))
    }

    /// Half the width of the interval of a bot's rating; infinite if it is unbounded.
    #[must_use]
    pub fn half_width(&self, bot: usize) -> Option<f64> {
        self.analysis.ratings.of(bot).map(|rating| rating.elo.half_width())
    }

    /// The ranks that the ratings allow each bot, at 95 % for each pair of bots, or for all together if that was requested.
    pub fn rank_ranges(&self) -> &[Option<RangeInclusive<usize>>] {
        let Analysis { ratings, holm, .. } = &self.analysis;
        let ranges = || holm.as_ref().map_or_else(|| ratings.rank_ranges(), |holm| ratings.rank_ranges_together(holm));
        self.rank_ranges.get_or_init(ranges)
    }

    /// By bot, the adjusted p value of the hypothesis that none is better; `None` for withdrawn ones, and for all unless this was
    /// requested and games connect them.
    pub(crate) fn p_best(&self) -> &[Option<f64>] {
        self.p_best.get_or_init(|| {
            let mut by_bot = vec![None; self.analysis.standings.len()];
            let bots = self.compared();
            let p = self.analysis.holm.as_ref().and_then(|holm| self.analysis.ratings.p_best(&bots, holm));
            bots.into_iter().zip(p.into_iter().flatten()).for_each(|(bot, p)| by_bot[bot] = Some(p));
            by_bot
        })
    }

    /// The bots that may be the best at 95 % for all together, in the order of the standings; `None` if that was not
    /// requested or games do not connect all bots.
    #[must_use]
    pub fn best(&self) -> Option<Vec<usize>> {
        let may_be = |bot: &usize| self.p_best()[*bot].is_some_and(|p| p >= FAMILY_ALPHA);
        let bots: Vec<usize> = self.compared().into_iter().filter(may_be).collect();
        (!bots.is_empty()).then_some(bots)
    }

    /// Whether the difference of two neighbours is significant, at 95 % for both alone or for all bots together.
    #[must_use]
    pub fn separates(&self, two: &Neighbours) -> bool {
        let Analysis { ratings, holm, .. } = &self.analysis;
        let p = holm.as_ref().zip(ratings.p_value(two.upper, two.lower));
        p.map_or_else(|| two.are_separated(), |(holm, p)| holm.is_significant(p))
    }

    /// Whether two bots differ significantly, at 95 % for both alone or for all bots together, as ranges of ranks have it. `false`
    /// if they are not comparable.
    #[must_use]
    pub fn differ(&self, a: usize, b: usize) -> bool {
        let Analysis { ratings, holm, .. } = &self.analysis;
        let p = ratings.p_value(a, b);
        p.is_some_and(|p| holm.as_ref().map_or(p < FAMILY_ALPHA, |holm| holm.is_significant(p)))
    }

    /// What holds for all bots together, and what for each alone, where that was requested; as a sentence.
    #[must_use]
    pub fn scope(&self) -> Option<&'static str> {
        let by_format = self.analysis.rank_by == RankBy::Format;
        self.analysis.holm.as_ref().map(|_| if by_format {
            "Comparisons hold at 95 % for all bots together; margins for each bot alone, and LOS for each pair alone."
        } else {
            "Ranks and comparisons hold at 95 % for all bots together; margins for each bot alone, and LOS for each pair alone."
        })
    }

    /// That openings are the cause of wide ranges of ranks of all bots together, where they are; as a sentence.
    #[must_use]
    pub fn few_openings(&self) -> Option<String> {
        let holm = self.analysis.holm.as_ref().filter(|holm| holm.lost_to_openings() > 0)?;
        let openings = self.analysis.ratings.independent_openings()?;
        Some(format!(
            "Few openings are why the ranges of ranks are wide: they count as {openings:.0} independent samples. In these openings \
             alone, {} more of {} pairs of bots would differ. More openings narrow the ranges; more games from the same ones do not.",
            holm.lost_to_openings(),
            holm.pairs(),
        ))
    }

    /// What follows `at 95 %` where that holds for all bots together.
    pub fn together(&self) -> &'static str {
        if self.analysis.holm.is_some() { " for all bots together" } else { "" }
    }

    /// The title of the column that the format shows beside the ranks, and its cells by bot.
    pub fn shown_column(&self) -> Option<(&'static str, &[String])> {
        let mut columns = self.sheet.as_ref()?.columns.iter();
        columns.find_map(|(column, cells)| Some((column.title?, cells.as_slice())))
    }

    /// The value of a tag of a bot.
    pub fn tag(&self, name: &str, bot: usize) -> Option<&TagValue> {
        self.tags.iter().find(|tag| tag.name == name)?.values.get(bot)?.as_ref()
    }

    /// The Nash average, if it was requested and exists.
    pub fn nash(&self) -> Option<&[NashShare]> {
        self.analysis.nash.as_ref()?.as_deref().ok()
    }

    /// A bot's name for tables. That of an imported player may be the head of a column, `name`; its first letter is then
    /// escaped, so that no table has two columns of that name.
    pub fn cell(&self, bot: usize) -> String {
        match self.bytes(bot) {
            b"name" => "\\u{6e}ame".to_owned(),
            name => cell(name),
        }
    }

    /// A bot's name for messages.
    #[must_use]
    pub fn name(&self, bot: usize) -> String {
        shown(&String::from_utf8_lossy(self.bytes(bot)))
    }

    /// The name of a bot as the table has it, which need not be UTF-8; empty if there is no such bot.
    pub fn bytes(&self, bot: usize) -> &[u8] {
        self.names.get(bot).map_or(&[], Vec::as_slice)
    }

    /// Every pairing that was played, in the order of the standings.
    pub fn head_to_head(&self) -> impl Iterator<Item = HeadToHead> + '_ {
        head_to_head(&self.analysis)
    }

    /// For each bot in the order of the standings, its results against every bot in this order; `blank` if they did not
    /// play.
    pub fn crosstable(&self, blank: &str, cell: fn(Tally) -> String) -> impl Iterator<Item = (usize, Vec<String>)> {
        let text = move |met: Option<Tally>| met.map_or_else(|| blank.to_owned(), cell);
        self.meetings(usize::MAX).map(move |(bot, met)| (bot, met.into_iter().map(text).collect()))
    }

    /// For each of the first `top` bots in the order of the standings, its results against each of them in this order;
    /// `None` if they did not play.
    pub fn meetings(&self, top: usize) -> impl Iterator<Item = (usize, Vec<Option<Tally>>)> {
        let standings = &self.analysis.standings;
        let top = top.min(standings.len());
        let mut place = vec![0; standings.len()];
        for (index, row) in standings.iter().enumerate() {
            place[row.bot] = index;
        }
        let mut met = vec![Vec::new(); standings.len()];
        for pairing in self.analysis.counts.pairings() {
            let total = pairing.total();
            met[pairing.a].push((place[pairing.b], total));
            met[pairing.b].push((place[pairing.a], total.reversed()));
        }
        standings[..top].iter().map(move |row| {
            let mut cells = vec![None; top];
            for (place, tally) in met[row.bot].iter().filter(|(place, _)| *place < top) {
                cells[*place] = Some(*tally);
            }
            (row.bot, cells)
        })
    }
}
