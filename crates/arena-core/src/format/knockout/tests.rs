//! Tests of knockouts.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::{Bracket, KNOCKOUT, MatchKind, Reason, THIRD_PLACE};
use crate::format::results::{settled, withdraw};
use crate::format::{Field, FormatOptions, Over, Pair, Setting, Settled, simulate};

fn field(bots: usize, rounds: u32, third_place: bool) -> Field {
    let options = FormatOptions::default().with(&THIRD_PLACE, Setting::Switch(third_place));
    Field { bots, rounds, openings: 7, options, ..Field::default() }
}

fn play(field: &Field, play: impl FnMut(Pair) -> Settled) -> (Bracket, Vec<Settled>) {
    let (played, over) = simulate(&KNOCKOUT, field, play);
    assert_eq!(over, if field.bots < 2 { Over::NoBots } else { Over::Complete });
    let pairs: Vec<_> = played.iter().map(|settled| (settled.pair, Some(*settled))).collect();
    (Bracket::of(field, &pairs), played)
}

/// The matches as people read them, with seeds from 1.
fn shown(bracket: &Bracket) -> String {
    let mut text = String::new();
    for found in bracket.matches() {
        let points = found.half_points.map(|half| f64::from(half) / 2.0);
        let b = found.b.map_or("-".to_owned(), |b| (b + 1).to_string());
        let won = found.won.map_or("open".to_owned(), |(winner, how)| format!("{} {how:?}", winner + 1));
        let name = bracket.stage_name(found.stage);
        let _ = writeln!(text, "{name} {:?}: {} {b} {points:?} {}: {won}", found.kind, found.a + 1, found.pairs);
    }
    text
}

fn ranks(bracket: &Bracket) -> String {
    let rank = |[best, worst]: [usize; 2]| if best == worst { best.to_string() } else { format!("{best}–{worst}") };
    let placings = bracket.placings();
    let of = |placing: &super::Placing| format!("{} {}", rank(placing.ranks), bracket.stage_name(placing.reached));
    placings.iter().map(of).collect::<Vec<_>>().join(", ")
}

/// The better seed wins.
fn by_seed(pair: Pair) -> Settled {
    settled(pair, if pair.bots[0] < pair.bots[1] { 4 } else { 0 })
}

#[test]
fn a_bracket_of_six_is_played_by_seed() {
    let (bracket, played) = play(&field(6, 2, false), by_seed);
    insta::assert_snapshot!(shown(&bracket), @r"
    quarterfinal Main: 1 - [0.0, 0.0] 0: 1 Bye
    quarterfinal Main: 5 4 [0.0, 4.0] 2: 4 Points
    quarterfinal Main: 3 6 [4.0, 0.0] 2: 3 Points
    quarterfinal Main: 2 - [0.0, 0.0] 0: 2 Bye
    semifinal Main: 1 4 [4.0, 0.0] 2: 1 Points
    semifinal Main: 3 2 [0.0, 4.0] 2: 2 Points
    final Final: 1 2 [4.0, 0.0] 2: 1 Points
    ");
    insta::assert_snapshot!(ranks(&bracket), @"1 final, 2 final, 3–4 semifinal, 3–4 semifinal, 5–6 quarterfinal, 5–6 quarterfinal");
    let pairs = played.iter().map(|Settled { pair: Pair { round, opening, bots: [a, b] }, .. }| {
        format!("{round}/{opening}: {}-{}", a + 1, b + 1)
    });
    insta::assert_snapshot!(pairs.collect::<Vec<_>>().join(", "), @"1/0: 5-4, 1/0: 3-6, 1/1: 5-4, 1/1: 3-6, 2/6: 1-4, 2/6: 3-2, 2/7: 1-4, 2/7: 3-2, 3/12: 1-2, 3/13: 1-2");
}

#[test]
fn third_place_is_played_after_two_semifinals() {
    insta::assert_snapshot!(shown(&play(&field(5, 1, true), by_seed).0), @r"
    quarterfinal Main: 1 - [0.0, 0.0] 0: 1 Bye
    quarterfinal Main: 5 4 [0.0, 2.0] 1: 4 Points
    quarterfinal Main: 3 - [0.0, 0.0] 0: 3 Bye
    quarterfinal Main: 2 - [0.0, 0.0] 0: 2 Bye
    semifinal Main: 1 4 [2.0, 0.0] 1: 1 Points
    semifinal Main: 3 2 [0.0, 2.0] 1: 2 Points
    final Final: 1 2 [2.0, 0.0] 1: 1 Points
    final Third: 4 3 [0.0, 2.0] 1: 3 Points
    ");
    insta::assert_snapshot!(ranks(&play(&field(5, 1, true), by_seed).0), @"1 final, 2 final, 3 semifinal, 4 semifinal, 5 quarterfinal");
    insta::assert_snapshot!(ranks(&play(&field(3, 1, true), by_seed).0), @"1 final, 2 final, 3 semifinal");
}

#[test]
fn a_level_match_has_further_pairs_and_then_goes_to_the_better_seed() {
    // 1–4 stays level; 3 wins the second further pair.
    let level = |pair: Pair| match (pair.bots, pair.opening) {
        ([2, 1] | [1, 2], 3) => settled(pair, if pair.bots[0] == 2 { 3 } else { 1 }),
        _ => settled(pair, 2),
    };
    let (bracket, played) = play(&field(4, 2, false), level);
    insta::assert_snapshot!(shown(&bracket), @r"
    semifinal Main: 1 4 [6.0, 6.0] 6: 1 Seed
    semifinal Main: 3 2 [4.5, 3.5] 4: 3 Tiebreak
    final Final: 1 3 [6.0, 6.0] 6: 1 Seed
    ");
    let openings = played.iter().map(|settled| settled.pair.opening.to_string()).collect::<Vec<_>>();
    insta::assert_snapshot!(openings.join(" "), @"0 0 1 1 2 2 3 3 4 5 6 7 8 9 10 11");
}

#[test]
fn a_withdrawn_bot_loses_its_match_and_plays_no_more() {
    // 1 is withdrawn in its first match although it leads, 2 and 3 both in theirs.
    let play_pair = |pair: Pair| match (pair.round, pair.bots, pair.opening) {
        (1, [a, b], 1) => withdraw(by_seed(pair), [[0, 1, 2].contains(&a), [0, 1, 2].contains(&b)]),
        _ => by_seed(pair),
    };
    let (bracket, _) = play(&field(4, 2, true), play_pair);
    insta::assert_snapshot!(shown(&bracket), @r"
    semifinal Main: 1 4 [2.0, 2.0] 2: 4 Withdrawn
    semifinal Main: 3 2 [0.0, 2.0] 2: 2 Withdrawn
    final Final: 4 2 [0.0, 0.0] 0: 4 Withdrawn
    final Third: 1 3 [0.0, 0.0] 0: 1 Withdrawn
    ");
    insta::assert_snapshot!(ranks(&bracket), @"3 semifinal, 2 final, 4 semifinal, 1 final");
}

#[test]
fn a_bot_that_is_withdrawn_between_stages_plays_no_more() {
    let field = field(4, 1, true);
    let mut bracket = Bracket::new(&field);
    let mut pairs = Vec::new();
    let play = |bracket: &mut Bracket, pairs: &mut Vec<(Pair, Option<Settled>)>| {
        let due = bracket.due();
        for pair in &due {
            bracket.add(pair);
        }
        for pair in due {
            bracket.settle(&by_seed(pair));
            pairs.push((pair, Some(by_seed(pair))));
        }
    };
    play(&mut bracket, &mut pairs);
    bracket.withdraw(0);
    play(&mut bracket, &mut pairs);
    assert!(bracket.due().is_empty());
    insta::assert_snapshot!(shown(&bracket), @r"
    semifinal Main: 1 4 [2.0, 0.0] 1: 1 Points
    semifinal Main: 3 2 [0.0, 2.0] 1: 2 Points
    final Final: 1 2 [0.0, 0.0] 0: 2 Withdrawn
    final Third: 4 3 [0.0, 2.0] 1: 3 Points
    ");
    // Reports see the same.
    let again = Bracket::of(&Field { withdrawn: vec![(2, 0)], ..field }, &pairs);
    assert_eq!(shown(&again), shown(&bracket));
}

#[test]
fn a_bracket_of_withdrawn_bots_ends() {
    let (bracket, played) = play(&field(8, 1, true), |pair| withdraw(by_seed(pair), [true; 2]));
    assert_eq!(played.len(), 4);
    insta::assert_snapshot!(shown(&bracket), @r"
    quarterfinal Main: 1 8 [0.0, 0.0] 1: 1 Withdrawn
    quarterfinal Main: 5 4 [0.0, 0.0] 1: 4 Withdrawn
    quarterfinal Main: 3 6 [0.0, 0.0] 1: 3 Withdrawn
    quarterfinal Main: 7 2 [0.0, 0.0] 1: 2 Withdrawn
    semifinal Main: 1 4 [0.0, 0.0] 0: 1 Withdrawn
    semifinal Main: 3 2 [0.0, 0.0] 0: 2 Withdrawn
    final Final: 1 2 [0.0, 0.0] 0: 1 Withdrawn
    final Third: 4 3 [0.0, 0.0] 0: 3 Withdrawn
    ");
}

#[test]
fn an_interrupted_bracket_shows_what_is_open() {
    let field = field(6, 1, true);
    let (_, played) = play(&field, by_seed);
    // Of the first four pairs, the first semifinal is not settled.
    let pairs = [0, 1, 2, 3].map(|number: usize| (played[number].pair, Some(played[number]).filter(|_| number != 2)));
    let bracket = Bracket::of(&field, &pairs);
    insta::assert_snapshot!(shown(&bracket), @r"
    quarterfinal Main: 1 - [0.0, 0.0] 0: 1 Bye
    quarterfinal Main: 5 4 [0.0, 2.0] 1: 4 Points
    quarterfinal Main: 3 6 [2.0, 0.0] 1: 3 Points
    quarterfinal Main: 2 - [0.0, 0.0] 0: 2 Bye
    semifinal Main: 1 4 [0.0, 0.0] 1: open
    semifinal Main: 3 2 [0.0, 2.0] 1: 2 Points
    ");
    insta::assert_snapshot!(ranks(&bracket), @"1–4 semifinal, 1–2 final, 3–4 semifinal, 1–4 semifinal, 5–6 quarterfinal, 5–6 quarterfinal");
}

#[test]
fn one_bot_plays_nobody() {
    for bots in 0..2 {
        let (bracket, played) = play(&field(bots, 3, true), by_seed);
        assert!(played.is_empty() && bracket.matches().count() == 0);
        assert_eq!(bracket.placings().len(), bots);
    }
}

#[test]
fn the_best_two_seeds_meet_only_in_the_final() {
    for bots in 2..=33 {
        let (bracket, _) = play(&field(bots, 1, false), by_seed);
        let meeting = bracket.matches().find(|found| found.a.max(found.b.unwrap_or(usize::MAX)) == 1).unwrap();
        assert_eq!(meeting.kind, MatchKind::Final, "{bots}");
        for (seed, placing) in bracket.placings().iter().enumerate() {
            assert!((placing.ranks[0]..=placing.ranks[1]).contains(&(seed + 1)), "{bots}: {seed} {placing:?}");
        }
    }
}

proptest! {
    #[test]
    fn every_bot_but_one_loses_one_match(
        bots in 2..=33_usize,
        rounds in 1..=4_u32,
        third_place: bool,
        withdrawn in 0..4_u64,
        seed: u64,
    ) {
        let mut number = 0;
        let mut out = std::collections::HashSet::new();
        let mut draw = |bound: u64| {
            number += 1_u64;
            crate::rng::derive_seed(seed, "test", &[&number.to_le_bytes()]) % bound
        };
        let (bracket, played) = play(&field(bots, rounds, third_place), |pair| {
            for bot in pair.bots {
                if draw(100) < withdrawn {
                    out.insert(bot);
                }
            }
            withdraw(settled(pair, draw(5) as u8), pair.bots.map(|bot| out.contains(&bot)))
        });
        let main: Vec<_> = bracket.matches().filter(|found| found.kind != MatchKind::Third && found.b.is_some()).collect();
        prop_assert_eq!(main.len(), bots - 1);
        let mut losers: Vec<_> = main.iter().filter_map(|found| found.loser()).collect();
        losers.sort_unstable();
        losers.dedup();
        prop_assert_eq!(losers.len(), bots - 1);
        for found in bracket.matches() {
            let (winner, how) = found.won.unwrap();
            prop_assert_eq!(how == Reason::Bye, found.b.is_none());
            let Some(b) = found.b else { continue };
            prop_assert!(how == Reason::Withdrawn || found.pairs >= rounds && found.pairs <= rounds + 4);
            // Nobody plays after a lost match, but for third place.
            let later = bracket.matches().filter(|later| later.stage > found.stage && later.kind != MatchKind::Third);
            let loser = found.loser().unwrap();
            prop_assert!([found.a, b].contains(&winner));
            prop_assert!(later.into_iter().all(|later| later.a != loser && later.b != Some(loser)));
        }
        let pairs: u32 = bracket.matches().map(|found| found.pairs).sum();
        prop_assert_eq!(pairs as usize, played.len());
        // The ranks of all bots fill 1 to n.
        let mut ranks: Vec<_> = bracket.placings().iter().map(|placing| placing.ranks).collect();
        ranks.sort_unstable();
        for (place, [best, worst]) in ranks.into_iter().enumerate() {
            prop_assert!((best..=worst).contains(&(place + 1)));
        }
    }
}
