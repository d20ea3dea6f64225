//! Headlines of whole tournaments, after every game compared with what the games so far say.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arena_core::event::Tournament;
use arena_core::record::GameResult;
use arena_core::rng::derive_seed;
use arena_core::schedule::{Brief, Scheduler};
use arena_core::stats::AnalysisOptions;
use arena_show::views::points;

use crate::fixture;
use crate::report::{first_places, rank, short_headline};

/// No name is in another one.
const NAMES: [&str; 7] = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf"];

/// A finished game: its round, the bots in the order of their seats, and twice their points.
struct Game {
    round: u32,
    bots: [usize; 2],
    halves: [u32; 2],
}

/// What is known after some games of a tournament.
struct Truth<'a> {
    bots: usize,
    games: &'a [Game],
    /// The number of games that are scheduled of each match: by round, and the bots in ascending order.
    matches: BTreeMap<(u32, [usize; 2]), usize>,
    is_over: bool,
    /// The sentences of the headline, and the short one.
    headline: Vec<String>,
    short: Option<String>,
}

impl Truth<'_> {
    /// The games of a match that are over, and twice the points of each of its bots in whole pairs.
    fn score(&self, (round, bots): (u32, [usize; 2])) -> (usize, [u32; 2]) {
        let is_of = |game: &&Game| game.round == round && [bots, [bots[1], bots[0]]].contains(&game.bots);
        let games: Vec<&Game> = self.games.iter().filter(is_of).collect();
        let mut halves = [0; 2];
        // Games end in the order of the schedule, so the two of a pair are neighbours.
        for game in &games[..games.len() / 2 * 2] {
            (0..2).for_each(|seat| halves[usize::from(game.bots[seat] != bots[0])] += game.halves[seat]);
        }
        (games.len(), halves)
    }

    /// The bots that have lost no match of an elimination that is over, and for the last round its matches that are over, and all.
    fn elimination(&self) -> (BTreeSet<usize>, usize, usize, u32) {
        let last = self.matches.keys().map(|(round, _)| *round).max().unwrap_or(0);
        let mut left: BTreeSet<usize> = (0..self.bots).collect();
        let (mut over, mut all) = (0, 0);
        for (key, games) in &self.matches {
            let (played, [x, y]) = self.score(*key);
            all += usize::from(key.0 == last);
            // A level match goes on, and has a winner after its last pair.
            if played == *games && (x != y || *games == 2 * (PAIRS + 4)) {
                over += usize::from(key.0 == last);
                // Bots are seeded in their order.
                left.remove(&key.1[usize::from(x >= y)]);
            }
        }
        (left, over, all, last)
    }

    /// The bots of most points after the rounds that are over, with those points, and for the round after them its number, its
    /// matches that are over, and all.
    fn rounds(&self) -> (Vec<usize>, u32, u32, usize, usize) {
        let rounds: BTreeSet<u32> = self.matches.keys().map(|(round, _)| *round).collect();
        let mut sums = vec![0; self.bots];
        for round in &rounds {
            let of_round = || self.matches.iter().filter(|((of, _), _)| of == round);
            let over = of_round().filter(|(key, games)| self.score(**key).0 == **games).count();
            if over < of_round().count() {
                return (leaders(&sums), sums.iter().copied().max().unwrap_or(0), *round, over, of_round().count());
            }
            let mut has_met = vec![false; self.bots];
            for (key, _) in of_round() {
                let (_, halves) = self.score(*key);
                for (bot, own) in key.1.into_iter().zip(halves) {
                    (sums[bot], has_met[bot]) = (sums[bot] + own, true);
                }
            }
            // Three quarters of the points of a match.
            (0..self.bots).filter(|bot| !has_met[*bot]).for_each(|bot| sums[bot] += 3 * PAIRS as u32);
        }
        (leaders(&sums), sums.iter().copied().max().unwrap_or(0), rounds.len() as u32 + 1, 0, 0)
    }

    /// Whether games connect all bots that have played, and whether the one called so has neither won nor lost all of its
    /// games, unless a prior limits its rating.
    fn is_tied_down(&self, name: &str, has_prior: bool) -> bool {
        let mut part: Vec<usize> = (0..self.bots).collect();
        for game in self.games {
            let [from, to] = game.bots.map(|bot| part[bot]);
            part.iter_mut().filter(|it| **it == from).for_each(|it| *it = to);
        }
        let bot = NAMES.iter().position(|known| *known == name).unwrap();
        let own =
            self.games.iter().flat_map(|game| game.bots.into_iter().zip(game.halves).filter(|(of, _)| *of == bot));
        let (sum, most) = own.fold((0, 0), |(sum, most), (_, halves)| (sum + halves, most + 2));
        let has_played = |bot: &usize| self.games.iter().any(|game| game.bots.contains(bot));
        (0..self.bots).filter(has_played).all(|other| part[other] == part[bot]) && (has_prior || 0 < sum && sum < most)
    }

    fn first(&self) -> &str {
        &self.headline[0]
    }

    fn short(&self) -> Option<&str> {
        self.short.as_deref()
    }
}

fn leaders(sums: &[u32]) -> Vec<usize> {
    (0..sums.len()).filter(|bot| Some(&sums[*bot]) == sums.iter().max()).collect()
}

/// The bots that a text names.
fn named(text: &str) -> BTreeSet<usize> {
    (0..NAMES.len()).filter(|bot| text.contains(NAMES[*bot])).collect()
}

/// Whether a text names these bots, or three of them and the number of the others.
fn names_all(text: &str, bots: &BTreeSet<usize>) -> bool {
    let said = named(text);
    let more = bots.len().saturating_sub(3);
    said.is_subset(bots)
        && said.len() == bots.len() - more
        && (more == 0 || text.contains(&format!(" and {more} more ")))
}

/// Pairs of a match.
const PAIRS: usize = 2;

/// Plays a tournament of a format to its end, with results drawn from `seed`, and lets `check` look after each game. Returns the
/// number of games that it is expected to take at its beginning, and that it takes.
fn watch(
    format: &str,
    bots: usize,
    rounds: u32,
    options: &str,
    seed: u64,
    mut check: impl FnMut(&Truth<'_>),
) -> [usize; 2] {
    let event = Tournament {
        format: format.to_owned(),
        rounds,
        seed,
        format_options: serde_json::from_str(options).unwrap(),
        ..fixture::event(&NAMES[..bots])
    };
    let mut scheduler = Scheduler::new(Arc::new(event.clone()), &[], &[], &mut ()).unwrap();
    let mut games = Vec::new();
    let mut expected = Vec::new();
    let said = |scheduler: &Scheduler| {
        let ranking = rank(scheduler, &AnalysisOptions::default());
        let is_over = scheduler.is_complete();
        (first_places(&ranking, &event, is_over), short_headline(&ranking, &event, is_over))
    };
    assert_eq!(said(&scheduler), (vec![], None), "nothing is said before the first game");
    loop {
        while scheduler.decide(&mut ()).is_some() {}
        if !games.is_empty() {
            let mut matches: BTreeMap<_, usize> = BTreeMap::new();
            for game in scheduler.games() {
                let [a, b] = game.bots;
                *matches.entry((game.round, [a.min(b), a.max(b)])).or_default() += 1;
            }
            let (headline, short) = said(&scheduler);
            check(&Truth { bots, games: &games, matches, is_over: scheduler.is_complete(), headline, short });
        }
        expected.push(scheduler.expected().unwrap());
        assert!(expected.last() >= Some(&scheduler.total()));
        let Some(job) = scheduler.issue() else { break };
        let luck = derive_seed(seed, "luck", &[job.game.id.to_string().as_bytes()]);
        // The better bot wins more often, and many games are drawn.
        let favours = usize::from(job.game.bots[0] > job.game.bots[1]);
        let result = match luck % 8 {
            0..3 => GameResult::Draw,
            3..6 => [GameResult::FirstWins, GameResult::SecondWins][favours],
            _ => [GameResult::SecondWins, GameResult::FirstWins][favours],
        };
        let record = fixture::record(&event, &job.game, result, luck % 1_000);
        let halves = match result {
            GameResult::FirstWins => [2, 0],
            GameResult::SecondWins => [0, 2],
            _ => [1, 1],
        };
        games.push(Game { round: job.game.round, bots: job.game.bots, halves });
        scheduler.settle(job.place, Brief::of(&record, 0, 1), false);
    }
    // Only further pairs of level matches are not expected.
    assert!(expected.is_sorted() && expected.last() == Some(&(games.len() as u32)), "{expected:?}");
    [expected[0] as usize, games.len()]
}

#[test]
fn a_knockout_is_won_when_its_final_is_over() {
    for (bots, options) in [(2, "{}"), (3, "{}"), (5, "{\"third_place\":true}"), (7, "{\"third_place\":true}")] {
        for seed in 0..12 {
            let [expected, _] = watch("knockout", bots, PAIRS as u32, options, seed, |truth| {
                let (left, over, all, last) = truth.elimination();
                let said = truth.first();
                let finals: Vec<_> =
                    truth.matches.keys().filter(|(round, of)| *round == last && is_final(truth, of, last)).collect();
                let is_final_round = 1_usize << last >= bots;
                if let [winner] = left.iter().copied().collect::<Vec<_>>()[..] {
                    assert_eq!(truth.short(), Some(format!("{} won", NAMES[winner]).as_str()));
                    let (_, [x, y]) = truth.score(*finals[0]);
                    let score = if finals[0].1[0] == winner { [x, y] } else { [y, x] }.map(points).join("–");
                    let [a, b] = finals[0].1;
                    let loser = NAMES[if a == winner { b } else { a }];
                    let won = format!("{} won the knockout: {score} against {loser} in the final", NAMES[winner]);
                    assert!(said.starts_with(&won) && said[won.len()..].len() < 30, "{said}");
                    return;
                }
                assert!(!truth.is_over && truth.short().is_none() && !said.contains("ahead"), "{said}");
                if !is_final_round {
                    assert!(said.starts_with(&format!("{over} of {all} match")), "{said}: {over} of {all}");
                    assert!(
                        names_all(said, &left) && said.ends_with(" can still win the knockout."),
                        "{said}: {left:?}"
                    );
                    return;
                }
                let (played, [x, y]) = truth.score(*finals[0]);
                assert_eq!(named(said), left, "{said}");
                let [a, b] = finals[0].1.map(|bot| NAMES[bot]);
                let (leader, score) = if x > y { (a, [x, y]) } else { (b, [y, x]) };
                let score = score.map(points).join("–");
                match played / 2 {
                    0 => assert!(said.ends_with(" play the final of the knockout."), "{said}"),
                    pairs if x == y => {
                        assert!(
                            said.contains(&format!(
                                " are level in the final of the knockout: {score} after {pairs} pair"
                            )),
                            "{said}"
                        );
                    }
                    pairs => {
                        assert!(said.starts_with(&format!("{leader} leads {score} against ")), "{said}");
                        assert!(said.contains(&format!(", after {pairs} pair")), "{said}");
                    }
                }
            });
            assert_eq!(expected, 2 * PAIRS * (bots - 1 + usize::from(options.contains("third"))), "{bots} bots");
        }
    }
}

/// Whether a match of the last round is the final and not the match for third place: its bots have lost none before it.
fn is_final(truth: &Truth<'_>, bots: &[usize; 2], last: u32) -> bool {
    let before = truth.matches.keys().filter(|(round, _)| *round < last);
    let losers = before.map(|key| {
        let (_, [x, y]) = truth.score(*key);
        key.1[usize::from(x >= y)]
    });
    losers.collect::<BTreeSet<_>>().is_disjoint(&BTreeSet::from(*bots))
}

#[test]
fn a_swiss_is_led_by_the_points_of_whole_rounds() {
    for bots in [4, 5, 7] {
        for seed in 0..6 {
            let [expected, games] = watch("swiss", bots, PAIRS as u32, "{}", seed, |truth| {
                let (ahead, halves, round, over, all) = truth.rounds();
                let (said, ahead): (_, BTreeSet<usize>) = (truth.first(), ahead.into_iter().collect());
                let score = format!("{} point", points(halves));
                if truth.is_over {
                    let winners = named(said);
                    assert!(
                        !winners.is_empty() && winners.is_subset(&ahead) && said.contains(&score),
                        "{said}: {ahead:?}"
                    );
                    let is_alone = winners.len() == 1;
                    assert_eq!(said.contains(" won the Swiss: "), is_alone, "{said}");
                    assert_eq!(said.ends_with(", by tie-breaks."), is_alone && ahead.len() > 1, "{said}");
                    assert_eq!(truth.short().is_some_and(|short| short.ends_with(" won")), is_alone);
                    return;
                }
                let now = format!("{over} of {all} match");
                assert!(said.contains(&now) || all == 0, "{said}: {now}");
                if round == 1 {
                    assert!(said.ends_with(" over.") && named(said).is_empty() && truth.short().is_none(), "{said}");
                } else {
                    let led = format!(" the Swiss with {score}");
                    assert!(said.contains(&led) && said.contains(&format!(" after round {}", round - 1)), "{said}");
                    assert!(
                        names_all(said.split(" lead").next().unwrap(), &ahead) || ahead.len() > 3,
                        "{said}: {ahead:?}"
                    );
                    assert_eq!(truth.short().is_some(), ahead.len() == 1);
                    assert!(truth.short().is_none_or(|short| short.ends_with(" leads")), "{:?}", truth.short());
                }
            });
            assert_eq!(expected, games);
        }
    }
}

/// What holds wherever ratings rank: nobody wins, and a rating is told only of bots that games tie down.
fn check_ratings(truth: &Truth<'_>, has_prior: bool) {
    for sentence in &truth.headline {
        assert!(!sentence.contains(" won ") && !sentence.contains("(?)"), "{sentence}");
        for (before, _) in sentence.match_indices(" ± ").map(|(place, _)| sentence.split_at(place)) {
            let name = before.rsplit_once(" (").and_then(|(names, _)| names.rsplit(' ').next()).unwrap();
            assert!(truth.is_tied_down(name, has_prior), "{sentence}");
        }
    }
    let verb = if truth.is_over { " is first" } else { " leads" };
    assert!(truth.short().is_none_or(|short| short.ends_with(verb)), "{:?}", truth.short());
}

#[test]
fn a_round_robin_and_a_ladder_have_leaders_and_no_winner() {
    for seed in 0..4 {
        let [expected, games] = watch("round-robin", 4, 3, "{}", seed, |truth| {
            check_ratings(truth, false);
            let mut sums = vec![0; truth.bots];
            for game in truth.games {
                game.bots.into_iter().zip(game.halves).for_each(|(bot, halves)| sums[bot] += halves);
            }
            if truth.is_over {
                let (ahead, said) = (leaders(&sums).into_iter().collect(), truth.first());
                let first = said.split_once(" is first").or_else(|| said.split_once(" share the first place"));
                // Bots of equal points may be apart by tie-breaks.
                let first = named(first.expect(said).0);
                assert!(!first.is_empty() && first.is_subset(&ahead), "{said}: {ahead:?}");
            }
        });
        assert_eq!(expected, games);
        let [expected, games] = watch("ladder", 4, 50, "{\"pairs_per_bot\":12}", seed, |truth| {
            check_ratings(truth, true);
            let said = truth.first();
            assert!(said.contains(" is first") || said.contains(" share the first place"), "{said}");
        });
        // Each bot has some pairs at least.
        assert!((expected..=expected + 2 * NAMES.len()).contains(&games), "{expected}, {games}");
    }
}

#[test]
fn a_match_and_a_gauntlet_say_the_score_so_far() {
    let of = |games: &[Game], own: usize| {
        let own =
            games.iter().flat_map(|game| (0..2).filter(|seat| game.bots[*seat] == own).map(|seat| game.halves[seat]));
        own.collect::<Vec<u32>>()
    };
    let percent =
        |halves: &[u32]| format!("{:.1}%", 50.0 * f64::from(halves.iter().sum::<u32>()) / halves.len() as f64);
    for seed in 0..4 {
        let [expected, games] = watch("round-robin", 2, 10, "{}", seed, |truth| {
            let (said, halves) = (truth.first(), [0, 1].map(|bot| of(truth.games, bot)));
            let a = usize::from(said.starts_with(NAMES[1]));
            let count = |points: u32| halves[a].iter().filter(|own| **own == points).count();
            let tally = format!("{}-{}-{}", count(2), count(1), count(0));
            assert_eq!(said, format!("{} scored {} against {}: {tally}.", NAMES[a], percent(&halves[a]), NAMES[1 - a]));
        });
        assert_eq!(expected, games);
        let [expected, games] = watch("gauntlet", 4, 4, "{\"challengers\":[\"charlie\"]}", seed, |truth| {
            let (said, own) = (truth.first(), of(truth.games, 2));
            let met = truth.games.iter().flat_map(|game| game.bots).filter(|bot| *bot != 2).collect::<BTreeSet<_>>();
            let games = if own.len() == 1 { "game" } else { "games" };
            let start = format!("charlie scored {} of {} {games} against {} bot", percent(&own), own.len(), met.len());
            assert!(said.starts_with(&start), "{said}: {start}");
        });
        assert_eq!(expected, games);
    }
}
