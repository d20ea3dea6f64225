//! How each bot changed since the last feedback.

use std::collections::HashMap;

use arena_core::event::{Entry, Tournament, day};
use arena_core::rules::Move;
use arena_core::schedule::{Brief, Scheduler};
use arena_core::stats::{
    AnalysisOptions, Anchor, ComparedGame, Duplicates, Estimate, OPENINGS_MIN, RatingOptions, Ratings, Sample,
    rating_changes,
};
use arena_core::text::{counted, shown, signed};

use crate::journal::GamePlace;
use crate::report::cells::{elo_with_margin, first_of};
use crate::report::facts::ranking::{counted_games, rank};
use crate::report::text::history::{RatedVersions, gain_in_words};
use crate::report::{Results, Versions};

/// Most bots whose changes are computed: each of some fifty fits takes time by their cube.
const BOTS_MAX: usize = 300;
/// Most games that are fitted so often.
const GAMES_MAX: usize = 1_000_000;
/// Names of bots that came or left at most.
const NAMES_MAX: usize = 8;

/// The results at the end of the last feedback.
#[derive(Debug, Clone, Copy)]
pub struct Before<'a> {
    /// The games until then, by the definition of the tournament that was then in force.
    pub schedule: &'a Scheduler,
    /// The last of these games in the journal.
    pub last: &'a GamePlace,
    /// When that game began (RFC 3339, UTC).
    pub until: &'a str,
    /// All versions of bots of the journal; needed if a bot was replaced.
    pub versions: Option<&'a Versions>,
}

impl Before<'_> {
    /// Whether the game has been played since.
    pub(super) fn is_new(&self, brief: &Brief) -> bool {
        brief.offset >= self.last.end()
    }

    /// Whether a bot of the tournament plays in another version than it did. Versions are then needed.
    #[must_use]
    pub fn has_replaced(&self, event: &Tournament) -> bool {
        let then = &self.schedule.event().bots;
        event.bots.iter().any(|entry| find(then, entry).is_none() && named(then, entry).is_some())
    }
}

/// The bot that plays the same games.
fn find(bots: &[Entry], wanted: &Entry) -> Option<usize> {
    bots.iter().position(|entry| entry.id.identity() == wanted.id.identity())
}

/// The bot of this name.
fn named<'a>(bots: &'a [Entry], wanted: &Entry) -> Option<&'a Entry> {
    bots.iter().find(|entry| entry.id.name == wanted.id.name)
}

/// Sentences on how each bot changed, by bot, and on what changed for all.
#[derive(Debug)]
pub(super) struct Changes {
    pub(super) by_bot: Vec<String>,
    pub(super) of_all: Vec<String>,
}

impl Changes {
    pub(super) fn of(results: &Results<'_>, before: &Before<'_>) -> Self {
        let (now, then) = (results.event(), before.schedule.event());
        if (&now.game, &now.params, now.clock) != (&then.game, &then.params, then.clock) {
            let other =
                "The game or its time control is another one since then, so ratings are not compared.".to_owned();
            return Self { by_bot: vec![String::new(); now.bots.len()], of_all: vec![other] };
        }
        let two = TwoFields::of(results, before);
        let changes = two.changes();
        let rated = before.versions.and_then(RatedVersions::of);
        let sentence = |(bot, entry): (usize, &Entry)| match (two.then_of[bot], named(&then.bots, entry)) {
            (Some(old), _) => two.sentence(bot, old, changes.get(bot).copied().flatten()),
            (None, Some(old)) => {
                replaced(rated.as_ref().and_then(|rated| rated.gain_of(&entry.id.fingerprint, &old.id.fingerprint)))
            }
            (None, None) => "It did not take part then.".to_owned(),
        };
        let by_bot = now.bots.iter().enumerate().map(sentence).collect();
        Self { by_bot, of_all: two.zero_moved().into_iter().collect() }
    }
}

fn replaced(gain: Option<Estimate>) -> String {
    gain.map_or_else(
        || "It plays in a new version, which no games connect with the one before.".to_owned(),
        |gain| {
            let (gain, verdict) = (elo_with_margin(Some(&gain)), gain_in_words(&gain));
            format!(
                "It plays in a new version: {gain} Elo against the version before ({verdict}), by all games of both."
            )
        },
    )
}

/// The bots then and now. Those of now have their own indices; those that left follow.
struct TwoFields<'a> {
    results: &'a Results<'a>,
    then: &'a Scheduler,
    then_ratings: Ratings,
    /// For each bot of now its index then.
    then_of: Vec<Option<usize>>,
    /// Bots that play in the same version and are rated in both: what the others are measured by.
    reference: Vec<usize>,
}

impl<'a> TwoFields<'a> {
    fn of(results: &'a Results<'_>, before: &Before<'a>) -> Self {
        let then = before.schedule;
        let then_of: Vec<Option<usize>> =
            results.event().bots.iter().map(|entry| find(&then.event().bots, entry)).collect();
        let now_ratings = &results.ranking.analysis.ratings;
        let options = now_ratings.options;
        let anchor = options.anchor.and_then(|Anchor { bot, elo }| Some(Anchor { bot: (*then_of.get(bot)?)?, elo }));
        let rating = RatingOptions { anchor, ..options };
        let then_ratings = rank(then, &AnalysisOptions { rating, ..AnalysisOptions::default() }).analysis.ratings;
        let is_bounded =
            |ratings: &Ratings, bot: usize| ratings.of(bot).is_some_and(|rating| rating.elo.half_width().is_finite());
        let is_known = |bot: &usize| {
            then_of[*bot].is_some_and(|old| is_bounded(&then_ratings, old)) && is_bounded(now_ratings, *bot)
        };
        let common: Vec<usize> = (0..then_of.len()).filter(is_known).collect();
        let fixed = options.anchor.map(|anchor| anchor.bot).filter(|bot| common.contains(bot));
        let reference = fixed.map_or(common, |bot| vec![bot]);
        Self { results, then, then_ratings, then_of, reference }
    }

    /// Whether a fixed bot defines the zero of both.
    fn is_anchored(&self) -> bool {
        self.results.ranking.analysis.ratings.options.anchor.is_some_and(|anchor| self.reference == [anchor.bot])
    }

    /// The changes of all bots; none if there are too many, or no two to compare.
    fn changes(&self) -> Vec<Option<Estimate>> {
        let bots = self.then_of.len();
        let gone = self.then.event().bots.len();
        let games = self.results.schedule.played().count();
        if bots + gone > 2 * BOTS_MAX || games > GAMES_MAX || (self.reference.len() < 2 && !self.is_anchored()) {
            return vec![None; bots];
        }
        let place = |old: usize| self.then_of.iter().position(|then| *then == Some(old)).unwrap_or(bots + old);
        let mut units = Units::default();
        let then = units.games(self.then, place);
        let now = units.games(self.results.schedule, |bot| bot);
        let [then, now] = [then, now].map(|games| units.numbered(games));
        let options = &self.results.ranking.analysis.ratings.options;
        rating_changes(bots + gone, [&then, &now], options, &self.reference)
    }

    fn sentence(&self, bot: usize, old: usize, change: Option<Estimate>) -> String {
        let [then, now] = [&self.then_ratings, &self.results.ranking.analysis.ratings];
        let [from, to] = [(then, old), (now, bot)]
            .map(|(ratings, bot)| elo_with_margin(ratings.of(bot).map(|rating| rating.elo).as_ref()));
        let in_table = format!("The table had it at {from} Elo, and has it at {to} now.");
        let Some(change) = change else {
            return format!("It plays in the same version. {in_table} Too little is known for a margin of the change.");
        };
        let against = match self.reference.as_slice() {
            [fixed] if *fixed == bot => return format!("Its rating is fixed. {in_table}"),
            [fixed] => self.results.ranking.name(*fixed),
            reference => format!("the mean of the {} that are the same then and now", counted(reference.len(), "bot")),
        };
        let verdict = if change.lo > 0.0 || change.hi < 0.0 {
            "more than new games alone explain"
        } else {
            "no more than new games alone may change"
        };
        format!(
            "It plays in the same version: {} Elo against {against}, {verdict}. {in_table}",
            elo_with_margin(Some(&change))
        )
    }

    /// How much the zero of the ratings moved because the field is another one.
    fn zero_moved(&self) -> Option<String> {
        let (now, then) = (self.results.event(), self.then.event());
        let joined = now.bots.iter().filter(|entry| named(&then.bots, entry).is_none());
        let left = then.bots.iter().filter(|entry| named(&now.bots, entry).is_none());
        let replaced = now
            .bots
            .iter()
            .enumerate()
            .filter(|(bot, entry)| self.then_of[*bot].is_none() && named(&then.bots, entry).is_some());
        let names = |label: &str, names: Vec<String>| {
            (!names.is_empty()).then(|| format!("{label}: {}", first_of(names.into_iter(), NAMES_MAX, ", and")))
        };
        let name = |entry: &Entry| shown(&entry.id.name);
        let changed: Vec<String> = [
            names("new", joined.map(name).collect()),
            names("new version", replaced.map(|(_, entry)| name(entry)).collect()),
            names("gone", left.map(name).collect()),
        ]
        .into_iter()
        .flatten()
        .collect();
        if changed.is_empty() {
            return None;
        }
        let changed = format!("The field is another one ({}).", changed.join("; "));
        if self.is_anchored() {
            let anchor = self.results.ranking.name(self.reference[0]);
            return Some(format!("{changed} Ratings are relative to {anchor}, so that moves nobody's."));
        }
        let moved = |bot: &usize| {
            let then = self.then_ratings.of(self.then_of[*bot]?)?;
            Some(self.results.ranking.analysis.ratings.of(*bot)?.elo.elo - then.elo.elo)
        };
        let all: Vec<f64> = self.reference.iter().filter_map(moved).collect();
        if all.is_empty() {
            return Some(format!(
                "{changed} No bot is the same then and now, so the ratings of both cannot be compared."
            ));
        }
        let mean = signed(all.iter().sum::<f64>() / all.len() as f64);
        Some(format!(
            "{changed} The mean of the field is the zero of the ratings, so the bots that are the same then and now moved by \
             {mean} Elo in the table for that reason alone."
        ))
    }
}

/// What ties games of both sets together, whatever their numbers in each.
#[derive(Debug, Default)]
struct Units {
    openings: HashMap<Vec<Move>, u64>,
    pairs: HashMap<([usize; 2], u32), u64>,
    /// Whether a game has no shared opening.
    lacks_opening: bool,
}

/// A game with the numbers of its opening and of its pair.
struct TwoUnits {
    game: ComparedGame,
    opening: Option<u64>,
    pair: u64,
}

impl Units {
    /// The rated games of a schedule; `place` says which bot is which.
    fn games(&mut self, schedule: &Scheduler, place: impl Fn(usize) -> usize) -> Vec<TwoUnits> {
        let mut duplicates = Duplicates::default();
        // Pairs of two bots are known by their order, which is the same in both sets.
        let mut pairs: HashMap<([usize; 2], u32), u32> = HashMap::new();
        let mut count: HashMap<[usize; 2], u32> = HashMap::new();
        let rated = counted_games(schedule, &mut duplicates).filter(|(_, row)| row.rated);
        rated
            .map(|(planned, row)| {
                let bots = [row.first, row.second].map(|bot| place(bot as usize));
                let two = [bots[0].min(bots[1]), bots[0].max(bots[1])];
                let number = *pairs.entry((two, row.cluster)).or_insert_with(|| {
                    let number = count.entry(two).or_default();
                    *number += 1;
                    *number
                });
                let next = self.pairs.len() as u64;
                let pair = *self.pairs.entry((two, number)).or_insert(next);
                let moves = row.opening.and_then(|_| schedule.event().openings.get(planned.opening));
                let next = self.openings.len() as u64;
                let opening = moves.map(|moves| *self.openings.entry(moves.clone()).or_insert(next));
                self.lacks_opening |= opening.is_none();
                let sample = Sample { pair: Some(row.pair), cluster: Some(row.cluster), opening: row.opening };
                TwoUnits { game: ComparedGame { bots, result: row.result, sample, unit: 0 }, opening, pair }
            })
            .collect()
    }

    /// The games with their units: openings where all games have one and there are enough, else pairs.
    fn numbered(&self, games: Vec<TwoUnits>) -> Vec<ComparedGame> {
        let by_opening = !self.lacks_opening && self.openings.len() >= OPENINGS_MIN;
        let unit = |game: &TwoUnits| game.opening.filter(|_| by_opening).unwrap_or(game.pair);
        games.into_iter().map(|two| ComparedGame { unit: unit(&two), ..two.game }).collect()
    }
}

/// A time of a record for people: `28 Nov 2026, 04:10 UTC`.
pub(super) fn minute(time: &str) -> String {
    let [date, clock] = [time.get(..10), time.get(11..16)].map(Option::unwrap_or_default);
    if clock.is_empty() { shown(time) } else { format!("{}, {} UTC", day(date), shown(clock)) }
}
