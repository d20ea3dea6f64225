//! The games of a match in the order of its schedule, and what they decide.

use std::collections::BTreeMap;

use crate::catalogue::Catalogue;
use crate::journal::Brief;
use crate::record::GameResult;
use crate::rules::Seat;
use crate::stats::{Duel, Duplicates, MatchCounts, Sprt, SprtVerdict};

/// A finished game; none of one that is not rated.
type Finished = Option<Rated>;

/// What a test needs to know of a game.
#[derive(Debug, Clone, Copy)]
struct Rated {
    /// Twice the points of A.
    points: u8,
    /// A hash of the moves.
    moves: u64,
}

/// The games of one piece of evidence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Evidence {
    games: u64,
    /// Twice the points of A.
    half_points: u64,
}

/// The pairs finished so far, counted in the order of the schedule: in the order of finishing, short games would come
/// first and the verdict would depend on timing.
pub(super) struct Test {
    pub(super) sprt: Option<Sprt>,
    /// What was finished, by place in the schedule; none again once it was looked at.
    games: Vec<Option<Finished>>,
    /// Whether a bot is withdrawn.
    withdrawn: bool,
    /// Whether a game of the pairs that were looked at was not played, since a bot was withdrawn.
    unrated: bool,
    /// Pairs of which both games repeat earlier ones say nothing new.
    duplicates: Duplicates<u64>,
    pub(super) repeated: usize,
    /// Of the latest pairs, one bit each, those that repeated earlier ones; and whether that was told.
    latest: u64,
    told: bool,
    /// Pairs that were looked at: all before the first unfinished one, up to a decision.
    pub(super) pairs: usize,
    pub(super) counts: [u64; 5],
    /// Of the pairs with one point each, those that were won and lost.
    pub(super) split: u64,
    /// What every pair that was looked at has gathered as a piece of evidence: games that repeat one of another pair are
    /// in that of the other.
    evidence: Vec<Evidence>,
    /// How many pieces there are of each kind, so that the Elo of all games need not be added up anew.
    kinds: BTreeMap<Evidence, u64>,
    decided: SprtVerdict,
}

impl Test {
    /// A test that looks at the games of a catalogue first; `withdrawn`: whether a bot is by now.
    pub(super) fn new(sprt: Option<Sprt>, catalogue: &Catalogue, withdrawn: bool) -> Self {
        let games = catalogue.schedule().len();
        let mut test = Self {
            sprt,
            games: vec![None; games],
            withdrawn,
            unrated: false,
            duplicates: Duplicates::default(),
            repeated: 0,
            latest: 0,
            told: false,
            pairs: 0,
            counts: [0; 5],
            split: 0,
            evidence: Vec::new(),
            kinds: BTreeMap::new(),
            decided: SprtVerdict::Undecided,
        };
        for place in 0..games {
            if let Some(brief) = catalogue.at(place) {
                test.add(place, brief);
            }
        }
        test
    }

    /// Adds the game at `place` of the schedule.
    pub(super) fn add(&mut self, place: usize, brief: &Brief) {
        if !brief.is_settled() {
            return;
        }
        if place < 2 * self.pairs || self.games[place].is_some() {
            // Of several records of a game the first stands, as in the tables.
            return;
        }
        // A sits first in the first game of a pair and second in the other.
        let seat = Seat::after(place);
        let points = match brief.result {
            GameResult::Draw => 1,
            result => 2 * u8::from(result.winner() == Some(seat)),
        };
        self.games[place] = Some(brief.is_rated().then_some(Rated { points, moves: brief.moves }));
        while self.decided == SprtVerdict::Undecided
            && let Some([Some(first), Some(second)]) = self.games.get_mut(2 * self.pairs..2 * self.pairs + 2)
        {
            match (first.take(), second.take()) {
                (Some(first), Some(second)) => self.count([first, second]),
                (first, second) => {
                    for (seat, game) in [first, second].into_iter().enumerate() {
                        game.map(|game| self.is_new(seat, game));
                    }
                    self.pairs += 1;
                    self.unrated = true;
                }
            }
            // Pairs after one that was not played are counted as in the tables, and decide nothing.
            self.decided = match self.sprt {
                Some(sprt) if !self.unrated => sprt.verdict(&self.counts()),
                _ => SprtVerdict::Undecided,
            };
        }
    }

    /// Counts the next pair, unless both of its games were played before, move for move.
    fn count(&mut self, pair: [Rated; 2]) {
        let points = usize::from(pair[0].points + pair[1].points);
        let split = points == 2 && pair[0].points != 1;
        let [first, second] = [0, 1].map(|seat| self.is_new(seat, pair[seat]));
        self.pairs += 1;
        self.latest = self.latest << 1 | u64::from(!first && !second);
        if first || second {
            self.counts[points] += 1;
            self.split += u64::from(split);
        } else {
            self.repeated += 1;
        }
    }

    /// Looks at a game of the next pair; whether it repeats none before it.
    fn is_new(&mut self, seat: usize, game: Rated) -> bool {
        let own = (2 * self.pairs + seat) as u32;
        let same = self.duplicates.add([seat, 1 - seat], game.moves, own);
        self.evidence.resize(self.pairs + 1, Evidence::default());
        let evidence = &mut self.evidence[same as usize / 2];
        if let Some(kind) = self.kinds.get_mut(evidence) {
            *kind -= 1;
        }
        evidence.games += 1;
        evidence.half_points += u64::from(game.points);
        *self.kinds.entry(*evidence).or_default() += 1;
        same == own
    }

    /// What all games that were looked at say, as the tables do in the end: those that repeat others count, but are no
    /// further evidence.
    fn duel(&self) -> Option<Duel> {
        Duel::of(self.kinds.iter().map(|(evidence, count)| (*count, evidence.half_points, evidence.games)))
    }

    pub(super) fn counts(&self) -> MatchCounts {
        MatchCounts::Pairs(self.counts)
    }

    pub(super) fn verdict(&self) -> SprtVerdict {
        self.decided
    }

    pub(super) fn is_decided(&self) -> bool {
        self.decided != SprtVerdict::Undecided
    }

    /// Notes that a bot is withdrawn.
    pub(super) fn withdraw(&mut self) {
        self.withdrawn = true;
    }

    /// Whether a test needs no more games: it is decided, or a bot is withdrawn, so that it has nothing to hope for.
    pub(super) fn is_over(&self) -> bool {
        self.is_decided() || self.sprt.is_some() && self.withdrawn
    }

    /// What should be said, once, when more and more games give no more evidence.
    pub(super) fn warning(&mut self) -> Option<String> {
        if self.told || self.latest.count_ones() <= u64::BITS / 2 {
            return None;
        }
        self.told = true;
        Some(format!(
            "warning: most of the latest {} pairs repeat earlier ones move for move, which is no evidence; more openings \
             (--opening-plies, --openings) give new games",
            u64::BITS
        ))
    }

    /// For the progress line.
    pub(super) fn live(&self) -> String {
        let counts = self.counts();
        let elo = self.duel().map_or_else(String::new, |duel| format!("  {}", super::text::with_margin(&duel.elo)));
        let llr = self.sprt.map_or_else(String::new, |sprt| {
            format!("  {}", crate::report::llr_text(sprt.llr(&counts), sprt.bounds()))
        });
        format!("{elo}{llr}")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::event::ScheduledGame;
    use crate::record::{Record, Status};
    use crate::report::fixture::{self, Stored};
    use crate::rules::Move;
    use crate::stats::{CountsBuilder, SprtModel};

    const RESULTS: [GameResult; 4] =
        [GameResult::FirstWins, GameResult::Draw, GameResult::SecondWins, GameResult::Void];

    /// A schedule, and records of its games with these results and moves.
    fn games(games: &[(usize, u8)]) -> (Vec<ScheduledGame>, Vec<Record>) {
        let mut event = fixture::event(&["a", "b"]);
        event.rounds = games.len().div_ceil(2) as u32;
        let schedule = fixture::schedule(&event);
        let record = |(game, &(result, moves)): (&ScheduledGame, &(usize, u8))| {
            let mut record = fixture::record(&event, game, RESULTS[result], 1);
            record.moves = vec![Move::Int(moves.into())];
            record
        };
        let records = schedule.iter().zip(games).map(record).collect();
        (schedule, records)
    }

    fn test<'a>(schedule: &[ScheduledGame], records: impl IntoIterator<Item = &'a Record>) -> Test {
        let sprt = Sprt::new(SprtModel::Normalized, [0.0, 300.0], 0.05, 0.05).unwrap();
        let mut test =
            Test::new(Some(sprt), &Catalogue::new(&fixture::event(&["a", "b"]), schedule.to_vec(), &[]), false);
        let records: Vec<&Record> = records.into_iter().collect();
        let catalogue = Stored::new(&fixture::event(&["a", "b"]), schedule, records.iter().copied()).catalogue;
        for record in records {
            let place = place(schedule, record);
            test.add(place, catalogue.at(place).unwrap());
        }
        test
    }

    fn add(test: &mut Test, schedule: &[ScheduledGame], record: &Record) {
        let place = place(schedule, record);
        test.add(place, Stored::new(&fixture::event(&["a", "b"]), schedule, [record]).catalogue.at(place).unwrap());
    }

    fn place(schedule: &[ScheduledGame], record: &Record) -> usize {
        schedule.iter().position(|game| game.id.to_string() == record.id).unwrap()
    }

    /// A wins every game: it is first in the first game of each pair.
    fn all_won(pairs: usize) -> Vec<(usize, u8)> {
        (0..2 * pairs).map(|game| (2 * (game % 2), game as u8)).collect()
    }

    #[test]
    fn only_pairs_before_the_first_unfinished_one_are_looked_at() {
        let (schedule, records) = games(&all_won(20));
        // Nineteen pairs won and the first unknown say nothing yet.
        let mut late = test(&schedule, &records[1..]);
        assert_eq!((late.pairs, late.counts, late.verdict()), (0, [0; 5], SprtVerdict::Undecided));
        add(&mut late, &schedule, &records[0]);
        let in_order = test(&schedule, &records);
        assert_eq!(late.verdict(), SprtVerdict::H1);
        assert_eq!((late.pairs, late.counts), (in_order.pairs, in_order.counts));
        assert!(late.pairs < 20, "what lies beyond the decision is not looked at");
    }

    #[test]
    fn a_void_game_is_waited_for() {
        let mut results = all_won(20);
        results[2].0 = 3;
        let (schedule, mut records) = games(&results);
        let mut test = test(&schedule, &records);
        assert_eq!(test.pairs, 1);
        records[2].result = GameResult::FirstWins;
        add(&mut test, &schedule, &records[2]);
        assert_eq!(test.verdict(), SprtVerdict::H1);
        let pairs = test.pairs;
        add(&mut test, &schedule, &records[2]);
        assert_eq!(test.pairs, pairs, "the first record of a game stands");
    }

    #[test]
    fn a_game_that_was_not_played_leaves_no_verdict() {
        let (schedule, mut records) = games(&all_won(20));
        records[0].statuses[1] = Status::Withdrawn;
        let test = test(&schedule, &records);
        assert_eq!((test.pairs, test.counts, test.verdict()), (20, [0, 0, 0, 0, 19], SprtVerdict::Undecided));
        let known = |withdrawn| {
            Test::new(test.sprt, &Catalogue::new(&fixture::event(&["a", "b"]), schedule.clone(), &[]), withdrawn)
                .is_over()
        };
        assert!(known(true) && !known(false), "who is withdrawn is known before the first game");
    }

    #[test]
    fn pairs_that_repeat_earlier_ones_are_no_evidence() {
        let mut results = all_won(6);
        // The third pair repeats the first in both games, the fourth in one.
        (results[4].1, results[5].1, results[6].1) = (results[0].1, results[1].1, results[0].1);
        let (schedule, records) = games(&results);
        let test = test(&schedule, &records);
        assert_eq!((test.pairs, test.repeated, test.counts), (6, 1, [0, 0, 0, 0, 5]));
    }

    /// What the tables say of the same games.
    fn in_the_tables(schedule: &[ScheduledGame], records: &[Record]) -> Option<Duel> {
        let mut counts = CountsBuilder::new(2);
        let mut duplicates = Duplicates::default();
        for (game, record) in schedule.iter().zip(records) {
            let moves = format!("{:?}", record.moves);
            let cluster = duplicates.add(game.bots, moves, game.pair);
            counts.add_of_pair(game.bots[0], game.bots[1], record.result, game.pair, cluster);
        }
        counts.finish().pairings().next()?.duel()
    }

    proptest! {
        #[test]
        fn the_elo_on_the_way_is_that_of_the_tables(
            results in proptest::collection::vec((0..3_usize, 0..6_u8), 0..30),
        ) {
            // The same moves have the same result, and pairs are whole.
            let results: Vec<(usize, u8)> =
                results.iter().map(|(_, moves)| (usize::from(*moves) % 3, *moves)).take(results.len() / 2 * 2).collect();
            let (schedule, records) = games(&results);
            let test = Test::new(None, &Stored::new(&fixture::event(&["a", "b"]), &schedule, &records).catalogue, false);
            let figures = |duel: Duel| [duel.elo.elo, duel.elo.lo, duel.elo.hi, duel.los];
            match (test.duel().map(figures), in_the_tables(&schedule, &records).map(figures)) {
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
    fn it_is_told_once_when_most_pairs_repeat_earlier_ones() {
        let (schedule, records) = games(&[(1, 1), (1, 2)].repeat(60));
        let mut test = Test::new(None, &Catalogue::new(&fixture::event(&["a", "b"]), schedule.clone(), &[]), false);
        let mut told_after = Vec::new();
        let catalogue = Stored::new(&fixture::event(&["a", "b"]), &schedule, &records).catalogue;
        for place in 0..schedule.len() {
            test.add(place, catalogue.at(place).unwrap());
            told_after.extend(test.warning().map(|_| test.pairs));
        }
        assert_eq!(told_after, [34], "the first pair is new, and 33 of 64 are most");
    }

    #[test]
    fn pairs_are_counted_as_the_first_bot_sees_them() {
        // A loses as second and first, loses and draws, wins and loses, draws twice, wins and draws.
        let results = [(2, 0), (0, 1), (2, 2), (1, 3), (0, 4), (0, 5), (1, 6), (1, 7), (0, 8), (1, 9)];
        let (schedule, records) = games(&results);
        let test = Test::new(None, &Stored::new(&fixture::event(&["a", "b"]), &schedule, &records).catalogue, false);
        assert_eq!((test.counts, test.split), ([1, 1, 2, 1, 0], 1));
    }

    proptest! {
        #[test]
        fn the_order_of_finishing_decides_nothing(
            results in proptest::collection::vec((0..4_usize, 0..50_u8), 0..60),
            keys in proptest::collection::vec(any::<u32>(), 60),
        ) {
            let (schedule, records) = games(&results);
            let in_order = test(&schedule, &records);
            let mut order: Vec<usize> = (0..records.len()).collect();
            order.sort_by_key(|index| keys[*index]);
            let scrambled = test(&schedule, order.iter().map(|index| &records[*index]));
            prop_assert_eq!(in_order.verdict(), scrambled.verdict());
            prop_assert_eq!(
                (in_order.pairs, in_order.counts, in_order.repeated, in_order.split),
                (scrambled.pairs, scrambled.counts, scrambled.repeated, scrambled.split)
            );
        }
    }
}
