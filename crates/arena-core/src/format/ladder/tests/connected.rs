//! A ladder connects its bots before anything else.

use super::*;
use crate::stats::rate;

/// The groups of bots that pairs connect, directly or through others, without these bots.
fn groups<'a>(bots: usize, pairs: impl IntoIterator<Item = &'a Pair>, without: &[usize]) -> usize {
    let mut group: Vec<usize> = (0..bots).collect();
    for [a, b] in pairs.into_iter().map(|pair| pair.bots).filter(|bots| !bots.iter().any(|bot| without.contains(bot))) {
        let (from, to) = (group[a], group[b]);
        group.iter_mut().filter(|of| **of == from).for_each(|of| *of = to);
    }
    let mut left: Vec<usize> = (0..bots).filter(|bot| !without.contains(bot)).map(|bot| group[bot]).collect();
    left.sort_unstable();
    left.dedup();
    left.len()
}

fn batch(ladder: &Ladder) -> Vec<Pair> {
    let Due::Pairs(pairs) = ladder.due() else { panic!("{ladder:?}") };
    pairs
}

/// Loses all games of a pair in which one of these bots plays, without playing.
fn lost(mut settled: Settled, out: &[usize]) -> Settled {
    let withdrawn = settled.pair.bots.map(|bot| out.contains(&bot));
    for (game, withdrawn) in settled.games.iter_mut().zip([withdrawn, [withdrawn[1], withdrawn[0]]]) {
        game.withdrawn = withdrawn;
        game.is_evidence &= withdrawn == [false; 2];
    }
    settled
}

fn any_results(seed: u64) -> impl FnMut(&Pair, [usize; 2]) -> (u8, u64) {
    let mut rng = Rng::new(seed);
    // Some games repeat others.
    move |_, _| (rng.below(3) as u8, rng.below(1_000))
}

proptest! {
    #[test]
    fn the_bots_that_have_played_are_comparable_wherever_it_stops(bots in 2_usize..=40, seed: u64, left in 0_usize..3) {
        let mut ladder = Ladder::new(&Field { seed, ..field(bots, FormatOptions::default()) });
        let out: Vec<usize> = (0..left.min(bots - 2)).collect();
        for bot in &out {
            ladder.withdraw(*bot);
        }
        let (pairs, playing) = (batch(&ladder), bots - out.len());
        for stop in 1..playing {
            // Each pair brings a bot to those that have played.
            prop_assert_eq!(groups(bots, &pairs[..stop], &out), playing - stop, "{} of {:?}", stop, pairs);
            let mut met: Vec<usize> = pairs[..stop].iter().flat_map(|pair| pair.bots).collect();
            met.sort_unstable();
            met.dedup();
            prop_assert_eq!(met.len(), stop + 1);
        }
        if playing > 2 {
            for bot in (0..bots).filter(|bot| !out.contains(bot)) {
                prop_assert_eq!(pairs[..playing].iter().filter(|pair| pair.bots.contains(&bot)).count(), 2);
                // Without any one of them, the others still are one group.
                let without: Vec<usize> = out.iter().copied().chain([bot]).collect();
                prop_assert_eq!(groups(bots, &pairs[..playing], &without), 1);
            }
        }
    }

    #[test]
    fn ratings_compare_all_bots_after_two_pairs_each(bots in 2_usize..=40, seed: u64, more in 0_usize..60) {
        let options = FormatOptions::default().with(&PAIRS_PER_BOT, Setting::Number(6));
        let mut results = any_results(seed);
        let (pairs, ..) = play(&Field { seed, ..field(bots, options) }, &mut |pair| settled(pair, &mut results));
        let mut evidence = LadderEvidence::new(&field(bots, FormatOptions::default()));
        for pair in pairs.iter().take(bots + more) {
            evidence.add(pair);
            evidence.settle(&settled(pair, &mut results));
        }
        let ratings = rate(&evidence.counts(), &goal::RATING);
        prop_assert_eq!(ratings.groups(), 1);
        prop_assert!((0..bots).all(|bot| ratings.of(bot).is_some()));
    }

    /// Bots that fail from the start are withdrawn where the third decision is made, which connects those that are left.
    #[test]
    fn withdrawn_bots_break_no_link_for_long(bots in 2_usize..=40, seed: u64, failing in prop::collection::vec(0_usize..40, 0..12)) {
        let out: Vec<usize> = failing.into_iter().filter(|bot| *bot < bots).collect();
        let mut ladder = Ladder::new(&Field { seed, ..field(bots, FormatOptions::default()) });
        let mut results = any_results(seed);
        let (mut pairs, mut done) = (Vec::new(), 0);
        for _ in 0..3 {
            let waits_for = ladder.waits_for();
            pairs[done..waits_for].iter().for_each(|pair| ladder.settle(&lost(settled(pair, &mut results), &out)));
            done = waits_for;
            match ladder.due() {
                Due::Pairs(more) => {
                    ladder.add(&more);
                    pairs.extend(more);
                }
                Due::Over(_) => break,
            }
        }
        let is_left = |bot: &usize| !out.contains(bot);
        if (0..bots).filter(is_left).count() > 0 {
            prop_assert_eq!(groups(bots, &pairs, &out), 1, "{:?} without {:?}", pairs, out);
        }
    }

    #[test]
    fn those_who_come_later_are_linked_first(
        bots in 2_usize..=20,
        seed: u64,
        known in prop::collection::vec((0_usize..20, 0_usize..20), 0..25),
    ) {
        let known = known.into_iter().filter(|(a, b)| a != b && a.max(b) < &bots);
        let known: Vec<[usize; 2]> = known.map(|(a, b)| [a, b]).collect();
        let field = Field { seed, ..field(bots, FormatOptions::default()) };
        let ladder = knowing(&field, &known, &mut any_results(seed));
        let before: Vec<Pair> = known.iter().map(|bots| Pair { round: 0, opening: 0, bots: *bots }).collect();
        let apart = groups(bots, &before, &[]);
        let all: Vec<Pair> = before.into_iter().chain(batch(&ladder).into_iter().take(apart - 1)).collect();
        prop_assert_eq!(groups(bots, &all, &[]), 1);
    }
}

#[test]
fn a_ladder_does_not_end_while_its_bots_are_apart() {
    // Two halves, each of which has met often, as shards or two leagues that are put together.
    let halves: Vec<[usize; 2]> = [[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5]].repeat(30);
    let options = FormatOptions::default().with(&PAIRS_PER_BOT, Setting::Number(50));
    let known = |field| knowing(&field, &halves, &mut better_wins(70));
    let pairs = batch(&known(field(6, options.clone())));
    assert_eq!(pairs.len(), 1);
    assert_ne!(pairs[0].bots[0] < 3, pairs[0].bots[1] < 3);
    // As before version 4.
    let before = known(Field { unlinked: true, ..field(6, options) });
    assert_eq!(before.due(), Due::Over(Over::Reached));
}

#[test]
fn openings_that_have_run_out_link_nothing() {
    // Every pair of these two was lost without playing, and there is no opening left: it ends without a link.
    let field = Field { rounds: 1, ..field(2, FormatOptions::default()) };
    let mut ladder = Ladder::new(&field);
    let pairs = batch(&ladder);
    ladder.add(&pairs);
    assert_eq!(pairs.len(), 1);
    assert_eq!(ladder.due(), Due::Over(Over::Exhausted));
    let mut failed = settled(&pairs[0], &mut better_wins(50));
    failed.games.iter_mut().for_each(|game| game.is_evidence = false);
    ladder.settle(&failed);
    assert_eq!(ladder.due(), Due::Over(Over::Exhausted));
}
