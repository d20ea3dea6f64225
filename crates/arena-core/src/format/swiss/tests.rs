//! Tests of Swiss tournaments.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::pairing::tests::check;
use super::{SWISS, SWISS_ROUNDS, SwissMatch, SwissRounds, planned};
use crate::format::results::{settled, withdraw};
use crate::format::{Field, FormatOptions, Over, Pair, Setting, Settled, simulate};
use crate::rng::derive_seed;

fn field(bots: usize, rounds: u32, swiss_rounds: Option<u32>) -> Field {
    let asked = swiss_rounds.map(|rounds| Setting::Number(rounds.into()));
    let options =
        asked.map_or_else(FormatOptions::default, |rounds| FormatOptions::default().with(&SWISS_ROUNDS, rounds));
    Field { bots, rounds, openings: 7, options, ..Field::default() }
}

fn rounds(field: &Field, played: &[Settled]) -> SwissRounds {
    let pairs: Vec<_> = played.iter().map(|settled| (settled.pair, Some(*settled))).collect();
    SwissRounds::of(field, &pairs)
}

/// A tournament with random results. In each pair each bot is withdrawn with this probability, in percent.
fn random(field: &Field, seed: u64, withdrawn: u64) -> (Vec<Settled>, Over) {
    let mut number = 0_u64;
    let mut draw = |bound: u64| {
        number += 1;
        derive_seed(seed, "test", &[&number.to_le_bytes()]) % bound
    };
    let mut out = HashSet::new();
    simulate(&SWISS, field, |pair| {
        for bot in pair.bots {
            if draw(100) < withdrawn {
                out.insert(bot);
            }
        }
        withdraw(settled(pair, draw(5) as u8), pair.bots.map(|bot| out.contains(&bot)))
    })
}

/// Rounds and standings as people read them, with seeds from 1.
fn shown(rounds: &SwissRounds) -> String {
    let half = |half: u32| f64::from(half) / 2.0;
    let mut text = String::new();
    let matches: Vec<&SwissMatch> = rounds.matches().collect();
    for round in matches.chunk_by(|one, other| one.round == other.round) {
        let shown = |found: &&SwissMatch| match (found.b, found.half_points.map(half)) {
            (Some(b), [points, other]) => format!("{}-{} {points}:{other}", found.a + 1, b + 1),
            (None, [points, _]) => format!("{} {points}", found.a + 1),
        };
        let _ = writeln!(text, "round {}: {}", round[0].round, round.iter().map(shown).collect::<Vec<_>>().join(", "));
    }
    let standings = rounds.standings();
    let mut order: Vec<usize> = (0..standings.len()).collect();
    order.sort_by_key(|bot| standings[*bot].rank);
    for bot in order {
        let standing = &standings[bot];
        let [points, cut, buchholz, direct] =
            [standing.half_points, standing.buchholz_cut_1, standing.buchholz, standing.direct_encounter].map(half);
        let sonneborn = standing.sonneborn_berger as f64 / 4.0;
        let (rank, wins) = (standing.rank, standing.wins);
        let _ = writeln!(text, "{rank}. {}: {points} {cut} {buchholz} {direct} {sonneborn} {wins}", bot + 1);
    }
    text
}

#[test]
fn the_first_round_folds_the_field() {
    let (played, _) = simulate(&SWISS, &field(7, 2, Some(1)), |pair| settled(pair, 2));
    let pairs = played.iter().map(|Settled { pair: Pair { round, opening, bots: [a, b] }, .. }| {
        format!("{round}/{opening}: {}-{}", a + 1, b + 1)
    });
    insta::assert_snapshot!(pairs.collect::<Vec<_>>().join(", "), @"1/0: 1-4, 1/0: 2-5, 1/0: 3-6, 1/1: 1-4, 1/1: 2-5, 1/1: 3-6");
}

#[test]
fn a_level_field_is_paired_by_seed() {
    let field = field(8, 1, Some(5));
    let (played, over) = simulate(&SWISS, &field, |pair| settled(pair, 2));
    assert_eq!(over, Over::Complete);
    insta::assert_snapshot!(shown(&rounds(&field, &played)), @r"
    round 1: 1-5 1:1, 2-6 1:1, 3-7 1:1, 4-8 1:1
    round 2: 1-4 1:1, 2-7 1:1, 3-6 1:1, 5-8 1:1
    round 3: 1-6 1:1, 2-5 1:1, 3-8 1:1, 4-7 1:1
    round 4: 1-3 1:1, 2-4 1:1, 5-7 1:1, 6-8 1:1
    round 5: 1-7 1:1, 2-8 1:1, 3-5 1:1, 4-6 1:1
    1. 1: 5 20 25 0 25 5
    1. 2: 5 20 25 0 25 5
    1. 3: 5 20 25 0 25 5
    1. 4: 5 20 25 0 25 5
    1. 5: 5 20 25 0 25 5
    1. 6: 5 20 25 0 25 5
    1. 7: 5 20 25 0 25 5
    1. 8: 5 20 25 0 25 5
    ");
}

#[test]
fn the_better_seed_wins_and_byes_go_to_the_last() {
    let field = field(7, 2, Some(5));
    let (played, _) = simulate(&SWISS, &field, |pair| settled(pair, if pair.bots[0] < pair.bots[1] { 4 } else { 0 }));
    insta::assert_snapshot!(shown(&rounds(&field, &played)), @r"
    round 1: 1-4 4:0, 2-5 4:0, 3-6 4:0, 7 3
    round 2: 1-2 4:0, 3-7 4:0, 4-5 4:0, 6 3
    round 3: 1-3 4:0, 2-4 4:0, 6-7 4:0, 5 3
    round 4: 1-6 4:0, 2-3 4:0, 5-7 4:0, 4 3
    round 5: 1-5 4:0, 2-6 4:0, 4-7 4:0, 3 3
    1. 1: 20 45 52 0 208 20
    2. 2: 16 49 56 0 144 16
    3. 3: 11 54 57 0 73 8
    3. 4: 11 54 57 0 73 8
    5. 5: 7 54 57 0 33 4
    5. 6: 7 54 57 0 33 4
    7. 7: 3 36 39 0 9 0
    ");
}

#[test]
fn a_withdrawn_bot_is_not_paired_again() {
    let field = field(6, 1, Some(3));
    let (played, over) =
        simulate(&SWISS, &field, |pair| withdraw(settled(pair, 4), pair.bots.map(|bot| bot == 1 && pair.round == 1)));
    assert_eq!(over, Over::Complete);
    insta::assert_snapshot!(shown(&rounds(&field, &played)), @r"
    round 1: 1-4 2:0, 2-5 0:2, 3-6 2:0
    round 2: 1-3 2:0, 5-4 2:0, 6 1.5
    round 3: 1-6 2:0, 5-3 2:0, 4 1.5
    1. 1: 6 3.5 5 0 10 6
    2. 5: 6 3.5 3.5 0 7 6
    3. 3: 2 12 13.5 0 3 2
    4. 4: 1.5 12 13.5 0 2.25 0
    5. 6: 1.5 8 9.5 0 2.25 0
    6. 2: 0 0 6 0 0 0
    ");
}

#[test]
fn equal_bots_are_ranked_by_their_match() {
    let field = field(4, 1, Some(3));
    // 1 and 2 have equal points after meeting the same opponents; 2 won their match.
    let (played, _) = simulate(&SWISS, &field, |pair| {
        let first = match pair.bots {
            [0, 1] | [2, 3] => 0,
            [1, 0] | [3, 2] | [0, _] => 4,
            [_, 0] => 0,
            _ => 2,
        };
        settled(pair, first)
    });
    insta::assert_snapshot!(shown(&rounds(&field, &played)), @r"
    round 1: 1-3 2:0, 2-4 1:1
    round 2: 1-2 0:2, 4-3 2:0
    round 3: 2-3 1:1, 4-1 0:2
    1. 2: 4 7 8 2 12 4
    2. 1: 4 7 8 0 8 4
    3. 4: 3 8 9 0 6 3
    4. 3: 1 8 11 0 4 1
    ");
}

#[test]
fn it_ends_when_too_few_are_left() {
    for bots in 0..2 {
        assert_eq!(random(&field(bots, 1, None), 1, 0), (Vec::new(), Over::NoBots));
    }
    let (played, over) = simulate(&SWISS, &field(6, 1, None), |pair| withdraw(settled(pair, 2), [true; 2]));
    assert_eq!((played.len(), over), (3, Over::NoBots));
}

#[test]
fn it_ends_when_there_is_no_pairing_without_a_rematch() {
    // After 1-2, 3-4, 5-6; 1-3, 2-5, 4-6; 1-5 or the like, two triangles may be left over.
    let ended = (0..100).map(|seed| random(&field(6, 1, Some(5)), seed, 0)).find(|(_, over)| *over == Over::NoPairing);
    let (played, _) = ended.unwrap();
    assert_eq!(played.len(), 9, "two triangles are left over after three rounds");
}

#[test]
fn the_number_of_rounds_is_bounded() {
    let rounds = [0, 1, 2, 3, 4, 5, 8, 9, 100, 512].map(|bots| planned(&field(bots, 1, None)));
    assert_eq!(rounds, [0, 1, 1, 2, 2, 3, 4, 5, 9, 11]);
    assert_eq!(planned(&field(8, 1, Some(7))), 7);
}

/// Thirty events, whose pairings must never change.
#[test]
fn golden_events_stay_as_they_are() {
    let mut text = String::new();
    for number in 0..30_u64 {
        let (bots, pairs) = (2 + number as usize % 13, 1 + number as u32 % 3);
        let withdrawn = if number % 5 == 4 { 8 } else { 0 };
        // As many as there can be, or nearly.
        let rounds_max = bots.next_power_of_two().ilog2() + 2;
        let field = field(bots, pairs, Some(rounds_max.min(bots as u32 - 1)));
        let (played, over) = random(&field, number, withdrawn);
        let _ = writeln!(text, "{bots} bots, {pairs} pairs a match: {over:?}\n{}", shown(&rounds(&field, &played)));
    }
    insta::assert_snapshot!("golden", text);
}

/// Up to twelve bots: every round against all other pairings.
#[test]
fn every_round_is_paired_best() {
    for seed in 0..60 {
        let bots = 2 + seed as usize % 11;
        let field = field(bots, 1 + seed as u32 % 2, Some(bots as u32 - 1));
        let (played, over) = random(&field, seed, if seed % 3 == 0 { 10 } else { 0 });
        let mut known = 0;
        let later = u32::from(over == Over::NoPairing);
        let count = played.last().map_or(0, |settled| settled.pair.round);
        for round in 0..count + later {
            known += played.iter().filter(|settled| settled.pair.round == round).count();
            let before = rounds(&field, &played[..known]);
            let Some(players) = before.paired() else { continue };
            let met = before.met();
            check(&players, |a, b| met.contains(&[a, b]));
        }
    }
}

#[test]
fn nobody_meets_a_bot_twice_or_has_two_byes() {
    for seed in 0..EVENTS {
        let field = field(4 + seed as usize % 57, 1, None);
        let (played, over) = random(&field, seed, seed % 4);
        let rounds = rounds(&field, &played);
        let mut met = HashSet::new();
        let mut byes = HashSet::new();
        for found in rounds.matches() {
            match found.b {
                Some(b) => assert!(met.insert((found.a.min(b), found.a.max(b))), "{found:?}"),
                None => assert!(byes.insert(found.a), "{found:?}"),
            }
        }
        let matches: Vec<&SwissMatch> = rounds.matches().collect();
        for round in matches.chunk_by(|one, other| one.round == other.round) {
            let bots: Vec<usize> = round.iter().flat_map(|found| [found.a].into_iter().chain(found.b)).collect();
            assert_eq!(bots.iter().collect::<HashSet<_>>().len(), bots.len(), "{seed}: once a round");
        }
        let standings = rounds.standings();
        for (bot, standing) in standings.iter().enumerate() {
            let side = |settled: &Settled| settled.pair.bots.iter().position(|other| *other == bot);
            let own = played.iter().filter_map(|settled| Some(u32::from(settled.half_points()[side(settled)?])));
            assert_eq!(standing.half_points, own.sum::<u32>() + 3 * standing.byes);
        }
        assert!(matches!(over, Over::Complete | Over::NoBots) || seed % 4 > 0, "{seed}: {over:?}");
    }
}

/// Number of random events: each of 57 sizes with each of four kinds.
const EVENTS: u64 = 4 * 57;
