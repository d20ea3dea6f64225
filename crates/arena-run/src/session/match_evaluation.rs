//! The games of a match in schedule order, and their evaluation.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;

use arena_core::event::Tournament;
use arena_core::record::{GameResult, Status};
use arena_core::rules::Seat;
use arena_core::schedule::{Brief, Planned, Policy, TestStatus, is_first_of_pair};
use arena_core::stats::{Duel, Duplicates, MatchCounts, Sprt, SprtVerdict};
use arena_core::text::counted;
use arena_sys::flags::{OPENING_PLIES, OPENINGS};

/// Consecutive pairs without a new game after which a test ends once its openings are used up.
const REPEATED_MAX: usize = 200;

/// Why a test ends although more games would be allowed: its bots only repeat earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeats {
    /// The bots play alike: in no pair did the game with swapped seats differ from the other.
    Alike,
    /// All openings are used up, and the latest pairs had no new game.
    NothingNew,
}

impl Repeats {
    /// The word in files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Alike => "alike",
            Self::NothingNew => "repeats",
        }
    }

    /// The reason in words, for a test that ended after this many pairs.
    #[must_use]
    pub fn sentence(self, pairs: usize) -> String {
        match self {
            Self::Alike => format!("no game differed in {}: the two versions play alike", counted(pairs, "pair")),
            Self::NothingNew => format!(
                "the openings are used up, and the last {REPEATED_MAX} pairs had no new game; more openings ({OPENING_PLIES}, \
                 {OPENINGS}) give new games"
            ),
        }
    }
}

/// The parts of a rated game that a test needs.
#[derive(Debug, Clone, Copy)]
struct RatedGame {
    /// Twice the points of A.
    half_points: u8,
    /// A hash of the moves.
    moves: u64,
}

/// The games of one cluster of evidence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Cluster {
    games: u64,
    /// Twice the points of A.
    half_points: u64,
}

/// A match, and its sequential test if it has one. Pairs are counted in schedule order: in the order of finishing, short
/// games would come first and the verdict would depend on timing.
#[derive(Debug, Default)]
pub struct MatchEvaluation {
    /// The test.
    pub sprt: Option<Sprt>,
    /// The first game of the next pair, if it is rated.
    first: Option<RatedGame>,
    /// Whether a bot is withdrawn: then pairs are counted as in the tables, and decide nothing.
    withdrawn: bool,
    duplicates: Duplicates<u64>,
    /// Pairs whose games both repeat earlier ones: no new evidence.
    pub repeated: usize,
    /// The latest pairs, one bit each: set if it repeated earlier games. Whether there was a warning.
    latest: u64,
    warned: bool,
    /// Number of pairs in which every opening is played once.
    cycle: usize,
    /// Pairs since the last one with a new game.
    without_new: usize,
    /// Whether the two games of a pair had different moves.
    has_differed: bool,
    /// Why the test ended, if its bots only repeat earlier games.
    pub repeats: Option<Repeats>,
    /// Pairs considered: all before the first unfinished one, up to a decision.
    pub pairs: usize,
    /// Pairs by twice the points of the first bot: LL, LD, DD or WL, WD, WW.
    pub counts: [u64; 5],
    /// Pairs of a win and a loss, among those with one point each.
    pub split: u64,
    /// By pair, its cluster of evidence: games that repeat one of another pair are counted there.
    clusters: Vec<Cluster>,
    /// Number of clusters of each kind, so that the Elo of all games need not be recomputed.
    kinds: BTreeMap<Cluster, u64>,
    /// The verdict of the test.
    pub verdict: SprtVerdict,
}

impl MatchEvaluation {
    /// A match without games.
    #[must_use]
    pub fn new(sprt: Option<Sprt>) -> Self {
        Self { sprt, ..Self::default() }
    }

    /// Counts the next pair, unless both of its games repeat earlier ones move for move, or one is not rated.
    fn count(&mut self, pair: [Option<RatedGame>; 2]) {
        let is_new = [0, 1].map(|seat| pair[seat].is_some_and(|game| self.is_new(seat, game)));
        if let [Some(first), Some(second)] = pair {
            let points = first.half_points + second.half_points;
            self.latest = self.latest << 1 | u64::from(is_new == [false; 2]);
            self.without_new = if is_new == [false; 2] { self.without_new + 1 } else { 0 };
            self.has_differed |= first.moves != second.moves;
            if is_new == [false; 2] {
                self.repeated += 1;
            } else {
                self.counts[usize::from(points)] += 1;
                self.split += u64::from(points == 2 && first.half_points != 1);
            }
        }
        self.pairs += 1;
    }

    /// Adds a game of the next pair; whether it repeats no earlier one.
    fn is_new(&mut self, seat: usize, game: RatedGame) -> bool {
        let own = (2 * self.pairs + seat) as u32;
        let same = self.duplicates.add([seat, 1 - seat], game.moves, own);
        self.clusters.resize(self.pairs + 1, Cluster::default());
        let cluster = &mut self.clusters[same as usize / 2];
        if let Some(kind) = self.kinds.get_mut(cluster) {
            *kind -= 1;
        }
        cluster.games += 1;
        cluster.half_points += u64::from(game.half_points);
        *self.kinds.entry(*cluster).or_default() += 1;
        same == own
    }

    /// The result of all games considered, as in the final tables: repeated games count, but are no further evidence.
    fn duel(&self) -> Option<Duel> {
        Duel::of(self.kinds.iter().map(|(cluster, count)| (*count, cluster.half_points, cluster.games)))
    }

    /// The pairs counted so far.
    #[must_use]
    pub fn counts(&self) -> MatchCounts {
        MatchCounts::Pairs(self.counts)
    }

    /// Whether the test needs no more games: it is decided, or it cannot be, since a bot is withdrawn or both only repeat
    /// earlier games.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let is_hopeless = self.withdrawn || self.repeats.is_some();
        self.sprt.is_some() && (self.verdict != SprtVerdict::Undecided || is_hopeless)
    }

    /// Why no more games can decide the test, if that is so.
    fn found_repeats(&self) -> Option<Repeats> {
        let has_ended =
            self.verdict == SprtVerdict::Undecided && self.pairs >= self.cycle && self.without_new >= REPEATED_MAX;
        has_ended.then_some(if self.has_differed { Repeats::NothingNew } else { Repeats::Alike })
    }
}

impl Policy for MatchEvaluation {
    fn begin(&mut self, event: &Tournament) {
        // Pairs take the openings in turn.
        let mut seen = HashSet::new();
        let new = (1..).zip(&event.openings).filter(|(_, opening)| seen.insert(opening.as_slice()));
        self.cycle = new.map(|(pairs, _)| pairs).last().unwrap_or(0);
    }

    fn settled(&mut self, game: &Planned, brief: &Brief) -> ControlFlow<u32> {
        // A moves first in the first game of a pair and second in the other.
        let seat = if is_first_of_pair(game.place) { Seat::First } else { Seat::Second };
        let half_points = match brief.result {
            GameResult::Draw => 1,
            result => 2 * u8::from(result.winner() == Some(seat)),
        };
        self.withdrawn |= brief.statuses.contains(&Status::Withdrawn);
        let rated = brief.is_rated().then_some(RatedGame { half_points, moves: brief.moves });
        if seat == Seat::First {
            self.first = rated;
            return ControlFlow::Continue(());
        }
        let first = self.first.take();
        self.count([first, rated]);
        if let Some(sprt) = self.sprt.filter(|_| !self.withdrawn) {
            self.verdict = sprt.verdict(&self.counts());
            self.repeats = self.found_repeats();
        }
        if self.is_over() { ControlFlow::Break(game.place + 1) } else { ControlFlow::Continue(()) }
    }

    fn may_end_early(&self) -> bool {
        self.sprt.is_some()
    }

    fn status(&self) -> Option<TestStatus> {
        let llr = self.sprt.map(|sprt| (sprt.llr(&self.counts()), sprt.bounds()));
        Some(TestStatus { elo: self.duel().map(|duel| duel.elo), llr })
    }

    /// A warning once most pairs add no evidence.
    fn warning(&mut self) -> Option<String> {
        if self.warned || self.latest.count_ones() <= u64::BITS / 2 {
            return None;
        }
        self.warned = true;
        Some(format!(
            "most of the latest {} pairs repeat earlier ones move for move, which is no evidence; more openings \
             ({OPENING_PLIES}, {OPENINGS}) give new games",
            u64::BITS
        ))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::fixture;
    use arena_core::event::Tournament;
    use arena_core::record::Record;
    use arena_core::rules::Move;
    use arena_core::schedule::Scheduler;
    use arena_core::stats::{CountsBuilder, Sample, SprtModel};
    use proptest::prelude::*;

    use super::*;

    const RESULTS: [GameResult; 4] =
        [GameResult::FirstWins, GameResult::Draw, GameResult::SecondWins, GameResult::Void];

    /// Records of the games of a match with these results and moves.
    fn games(games: &[(usize, u8)]) -> (Tournament, Vec<Record>) {
        let mut event = fixture::event(&["a", "b"]);
        event.rounds = games.len().div_ceil(2) as u32;
        let schedule = fixture::schedule(&event);
        let record = |(game, &(result, moves)): (&arena_core::event::ScheduledGame, &(usize, u8))| {
            let mut record = fixture::record(&event, game, RESULTS[result], 1);
            record.moves = vec![Move::Int(moves.into())];
            record
        };
        let records = schedule.iter().zip(games).map(record).collect();
        (event, records)
    }

    /// The match for these records, and the number of games in its schedule.
    fn evaluation<'a>(
        event: &Tournament,
        records: impl IntoIterator<Item = &'a Record>,
        sprt: bool,
    ) -> (MatchEvaluation, u32) {
        let sprt = Sprt::new(SprtModel::Normalized, [0.0, 300.0], 0.05, 0.05).ok().filter(|_| sprt);
        let briefs: Vec<Brief> = records.into_iter().map(|record| Brief::of(record, 0, 1)).collect();
        let mut evaluation = MatchEvaluation::new(sprt);
        let scheduler = Scheduler::new(Arc::new(event.clone()), &briefs, &[], &mut evaluation).unwrap();
        (evaluation, scheduler.total())
    }

    /// A wins every game: it moves first in the first game of each pair.
    fn all_won(pairs: usize) -> Vec<(usize, u8)> {
        (0..2 * pairs).map(|game| (2 * (game % 2), game as u8)).collect()
    }

    #[test]
    fn only_pairs_before_the_first_unfinished_one_are_looked_at() {
        let (event, records) = games(&all_won(20));
        // Nineteen won pairs after an unknown first one do not count yet.
        let (late, _) = evaluation(&event, &records[1..], true);
        assert_eq!((late.pairs, late.counts, late.verdict), (0, [0; 5], SprtVerdict::Undecided));
        let (whole, total) = evaluation(&event, &records, true);
        assert_eq!(whole.verdict, SprtVerdict::H1);
        assert!(whole.pairs < 20 && total as usize == 2 * whole.pairs, "what lies beyond the decision does not count");
    }

    #[test]
    fn a_void_game_is_waited_for() {
        let mut results = all_won(20);
        results[2].0 = 3;
        let (event, mut records) = games(&results);
        assert_eq!(evaluation(&event, &records, true).0.pairs, 1);
        records[2].result = GameResult::FirstWins;
        assert_eq!(evaluation(&event, &records, true).0.verdict, SprtVerdict::H1);
    }

    #[test]
    fn a_game_that_was_not_played_leaves_no_verdict() {
        let (event, mut records) = games(&all_won(20));
        records[3].statuses[0] = Status::Withdrawn;
        let (whole, total) = evaluation(&event, &records, true);
        assert_eq!((whole.pairs, whole.counts, whole.verdict, total), (2, [0, 0, 0, 0, 1], SprtVerdict::Undecided, 4));
        assert!(whole.is_over());
    }

    #[test]
    fn pairs_that_repeat_earlier_ones_are_no_evidence() {
        let mut results = all_won(6);
        // The third pair repeats the first in both games, the fourth in one.
        (results[4].1, results[5].1, results[6].1) = (results[0].1, results[1].1, results[0].1);
        let (event, records) = games(&results);
        let (evaluation, _) = evaluation(&event, &records, true);
        assert_eq!((evaluation.pairs, evaluation.repeated, evaluation.counts), (6, 1, [0, 0, 0, 0, 5]));
    }

    /// The games of a match whose bots repeat `cycle` pairs, and after how many pairs it ended, and why.
    fn repeating(
        cycle: usize,
        pairs: usize,
        openings: usize,
        are_alike: bool,
        sprt: bool,
    ) -> (usize, usize, Option<Repeats>) {
        // Every pair is drawn or won and lost.
        let moves = |game: usize| (if are_alike { game / 2 % cycle } else { game % (2 * cycle) }) as u8;
        let all: Vec<(usize, u8)> = (0..2 * pairs).map(|game| (1, moves(game))).collect();
        let (mut event, _) = games(&all);
        event.openings = (0..openings).map(|number| vec![Move::Int(number as i64)]).collect();
        let schedule = fixture::schedule(&event);
        let record = |(game, (result, moves)): (&arena_core::event::ScheduledGame, &(usize, u8))| {
            let mut record = fixture::record(&event, game, RESULTS[*result], 1);
            record.moves = vec![Move::Int((*moves).into())];
            record
        };
        let records: Vec<Record> = schedule.iter().zip(&all).map(record).collect();
        let briefs: Vec<Brief> = records.iter().map(|record| Brief::of(record, 0, 1)).collect();
        // Few draws do not decide between these.
        let sprt = Sprt::new(SprtModel::Logistic, [-1.0, 1.0], 0.05, 0.05).ok().filter(|_| sprt);
        let end = |briefs: &[Brief]| {
            let mut evaluation = MatchEvaluation::new(sprt);
            let scheduler = Scheduler::new(Arc::new(event.clone()), briefs, &[], &mut evaluation).unwrap();
            (evaluation.pairs, scheduler.total() as usize / 2, evaluation.repeats)
        };
        let whole = end(&briefs);
        // Games that were played beyond the end by several slots change nothing, nor do those that are missing there.
        assert_eq!(end(&briefs[..2 * whole.0]), whole);
        whole
    }

    #[test]
    fn a_test_of_bots_that_only_repeat_ends_once_the_openings_are_used_up() {
        // The new games are in the first three pairs, and 200 without follow.
        assert_eq!(repeating(3, 300, 3, false, true), (203, 203, Some(Repeats::NothingNew)));
        assert_eq!(repeating(3, 300, 3, true, true), (203, 203, Some(Repeats::Alike)));
        // An opening that comes later may give a new one.
        assert_eq!(repeating(3, 300, 250, false, true), (250, 250, Some(Repeats::NothingNew)));
        assert_eq!(repeating(3, 202, 3, false, true), (202, 202, None));
        // A fixed number of rounds is played.
        assert_eq!(repeating(3, 300, 3, true, false), (300, 300, None));
    }

    /// The result of the same games in the tables.
    fn in_the_tables(event: &Tournament, records: &[Record]) -> Option<Duel> {
        let mut counts = CountsBuilder::new(2);
        let mut duplicates = Duplicates::default();
        for (game, record) in fixture::schedule(event).iter().zip(records) {
            let moves = format!("{:?}", record.moves);
            let cluster = duplicates.add(game.bots, moves, game.pair);
            let sample = Sample { pair: Some(game.pair), cluster: Some(cluster), opening: None };
            counts.add_sample(game.bots[0], game.bots[1], record.result, sample);
        }
        counts.finish().pairings().next()?.duel()
    }

    proptest! {
        #[test]
        fn the_elo_on_the_way_is_that_of_the_tables(
            results in proptest::collection::vec((0..3_usize, 0..6_u8), 0..30),
        ) {
            // Equal moves have equal results, and pairs are complete.
            let results: Vec<(usize, u8)> =
                results.iter().map(|(_, moves)| (usize::from(*moves) % 3, *moves)).take(results.len() / 2 * 2).collect();
            let (event, records) = games(&results);
            let (evaluation, _) = evaluation(&event, &records, false);
            let figures = |duel: Duel| [duel.elo.elo, duel.elo.lo, duel.elo.hi, duel.los];
            match (evaluation.duel().map(figures), in_the_tables(&event, &records).map(figures)) {
                (Some(live), Some(last)) => {
                    for (x, y) in live.into_iter().zip(last) {
                        prop_assert!((x - y).abs() < 1e-9 || x.to_bits() == y.to_bits(), "{live:?} {last:?}");
                    }
                }
                (live, last) => prop_assert_eq!(live, last),
            }
        }
    }

    #[test]
    fn mostly_repeated_pairs_are_reported_once() {
        let (event, records) = games(&[(1, 1), (1, 2)].repeat(60));
        let mut evaluation = MatchEvaluation::new(None);
        let mut told_after = Vec::new();
        for (place, (game, record)) in (0..).zip(fixture::schedule(&event).into_iter().zip(&records)) {
            let planned = Planned { place, round: game.round, pair: game.pair, opening: game.opening, bots: game.bots };
            assert!(evaluation.settled(&planned, &Brief::of(record, 0, 1)).is_continue());
            told_after.extend(evaluation.warning().map(|_| evaluation.pairs));
        }
        assert_eq!(told_after, [34], "the first pair is new, and 33 of 64 are most");
    }

    #[test]
    fn pairs_are_counted_as_the_first_bot_sees_them() {
        // A loses as second and first, loses and draws, wins and loses, draws twice, wins and draws.
        let results = [(2, 0), (0, 1), (2, 2), (1, 3), (0, 4), (0, 5), (1, 6), (1, 7), (0, 8), (1, 9)];
        let (event, records) = games(&results);
        let (evaluation, _) = evaluation(&event, &records, false);
        assert_eq!((evaluation.counts, evaluation.split), ([1, 1, 2, 1, 0], 1));
    }
}
