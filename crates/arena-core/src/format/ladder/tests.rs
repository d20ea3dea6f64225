//! Tests of the ladder.

mod connected;

use proptest::prelude::*;

use super::*;
use crate::format::{FormatOptions, Setting, SettledGame};
use crate::record::GameResult::{Draw, FirstWins, SecondWins};
use crate::rng::{Rng, derive_seed};

/// How the bots of a test play: the points of the first one, in halves, and what identifies the moves.
type Play<'a> = &'a mut dyn FnMut(&Pair, [usize; 2]) -> (u8, u64);

fn settled(pair: &Pair, play: Play<'_>) -> Settled {
    let [a, b] = pair.bots;
    let games = [[a, b], [b, a]].map(|seats| {
        let (half_points, moves) = play(pair, seats);
        let result = [SecondWins, Draw, FirstWins][usize::from(half_points)];
        SettledGame { result, withdrawn: [false; 2], is_evidence: true, moves }
    });
    Settled { pair: *pair, games }
}

/// Different moves in every game.
fn moves(pair: &Pair, seats: [usize; 2]) -> u64 {
    let parts = [pair.opening as usize, seats[0], seats[1]].map(usize::to_le_bytes);
    derive_seed(0, "moves", &[&parts[0], &parts[1], &parts[2]])
}

/// A bot with a lower index wins with this chance in 100; draws are not played.
fn better_wins(chance: u64) -> impl FnMut(&Pair, [usize; 2]) -> (u8, u64) {
    let mut rng = Rng::new(chance);
    move |pair, seats| {
        let first_wins = (rng.below(100) < chance) == (seats[0] < seats[1]);
        (2 * u8::from(first_wins), moves(pair, seats))
    }
}

fn field(bots: usize, options: FormatOptions) -> Field {
    Field { bots, rounds: 1_000, openings: 1_000, seed: 7, options, ..Field::default() }
}

/// A ladder of which these pairs are known before the first decision.
fn knowing(field: &Field, known: &[[usize; 2]], play: Play<'_>) -> Ladder {
    let mut ladder = Ladder::new(field);
    let mut times = std::collections::HashMap::new();
    let known = known.iter().map(|bots| {
        let opening = times.entry(*bots).or_insert(0);
        *opening += 1;
        Pair { round: 0, opening: *opening - 1, bots: *bots }
    });
    let known: Vec<Pair> = known.collect();
    ladder.add(&known);
    for pair in &known {
        ladder.settle(&settled(pair, play));
    }
    assert_eq!(ladder.waits_for(), known.len());
    ladder
}

/// Plays a ladder to its end.
fn play(field: &Field, settle: &mut dyn FnMut(&Pair) -> Settled) -> (Vec<Pair>, Over, Ladder) {
    let mut ladder = Ladder::new(field);
    let (mut pairs, mut done): (Vec<Pair>, usize) = (Vec::new(), 0);
    loop {
        let waits_for = ladder.waits_for();
        pairs[done..waits_for].iter().for_each(|pair| ladder.settle(&settle(pair)));
        done = waits_for;
        match ladder.due() {
            Due::Pairs(more) => {
                ladder.add(&more);
                pairs.extend(more);
            }
            Due::Over(over) => return (pairs, over, ladder),
        }
        assert!(pairs.len() < 1_000_000);
    }
}

fn chosen(ladder: &Ladder) -> String {
    match ladder.due() {
        Due::Pairs(pairs) => pairs
            .iter()
            .map(|pair| format!("{}-{}.{}", pair.bots[0], pair.bots[1], pair.opening))
            .collect::<Vec<_>>()
            .join(" "),
        Due::Over(over) => format!("{over:?}"),
    }
}

fn round_robin(bots: usize, rounds: usize) -> Vec<[usize; 2]> {
    let all = (0..bots).flat_map(|b| (0..b).map(move |a| [a, b]));
    all.collect::<Vec<_>>().repeat(rounds)
}

fn until(goal: &str) -> FormatOptions {
    FormatOptions::default().with(&UNTIL, Setting::Until(goal.parse().unwrap()))
}

/// Journals and machines must agree on these.
#[test]
fn golden_batches() {
    insta::assert_snapshot!(chosen(&Ladder::new(&field(5, FormatOptions::default()))), @"0-4.0 2-4.0 2-3.0 1-3.0 0-1.0 1-4.0 2-3.1 0-4.1 1-3.1 1-2.0 3-4.0 1-3.2 2-4.1 0-1.1 3-4.1 1-2.1");
    let known = knowing(&field(6, FormatOptions::default()), &round_robin(6, 8), &mut better_wins(80));
    insta::assert_snapshot!(chosen(&known), @"0-1.8 2-3.8 4-5.8 0-1.9 3-4.8 1-2.8 3-4.9 0-1.10 2-3.9 4-5.9 0-1.11 2-3.10 4-5.10 0-1.12 2-3.11 4-5.11");
    let swept = knowing(&field(4, FormatOptions::default()), &round_robin(4, 3), &mut better_wins(100));
    insta::assert_snapshot!(chosen(&swept), @"0-1.3 2-3.3 0-1.4 2-3.4 0-1.5 2-3.5 0-1.6 2-3.6 0-1.7 2-3.7 0-1.8 2-3.8 0-1.9 2-3.9 0-1.10 2-3.10");
    let top = until("top:2").with(&ONLY_TOP, Setting::Switch(true));
    let top = knowing(&field(6, top), &round_robin(6, 4), &mut better_wins(70));
    insta::assert_snapshot!(chosen(&top), @"0-1.4 0-1.5 2-3.4 1-2.4 0-1.6 0-1.7 0-1.8 1-3.4 1-2.5 0-2.4 0-1.9 0-1.10 0-2.5 0-1.11 0-3.4 0-3.5");
    let wide = knowing(&field(5, until("±100")), &[[0, 1]; 60], &mut better_wins(60));
    insta::assert_snapshot!(chosen(&wide), @"2-4.0 0-2.0 0-3.0 0-4.0 1-3.0 0-4.1 1-3.1 0-2.1 1-4.0 0-3.1 1-4.1 0-1.60 3-4.0 0-1.61 2-3.0 0-4.2");
}

#[test]
fn pending_pairs_change_only_the_errors() {
    let mut ladder = knowing(&field(4, FormatOptions::default()), &round_robin(4, 5), &mut better_wins(75));
    let before = Strengths::of(&ladder.evidence);
    let Due::Pairs(batch) = ladder.due() else { panic!("{ladder:?}") };
    ladder.add(&batch);
    let after = Strengths::of(&ladder.evidence);
    assert_eq!(before.nats, after.nats);
    assert!(after.sd_between(batch[0].bots) < before.sd_between(batch[0].bots));
    assert!(after.sd(0) < before.sd(0));
}

#[test]
fn pairings_that_repeat_themselves_are_not_played_again() {
    // Every game of a pairing is the same, whatever the opening.
    let mut same = |pair: &Pair| settled(pair, &mut |_, seats| (2 * u8::from(seats[0] < seats[1]), 1));
    let (pairs, over, ladder) = play(&field(5, FormatOptions::default()), &mut same);
    assert_eq!(over, Over::Exhausted);
    for bots in round_robin(5, 1) {
        let met = ladder.evidence.of(bots);
        // What is pending when the repetition is seen is played; each counts once.
        assert!(met.repeats && met.pairs == 1, "{bots:?} {met:?}");
    }
    assert!(pairs.len() < 80, "{}", pairs.len());
}

#[test]
fn openings_run_out() {
    let field = Field { rounds: 3, ..field(4, FormatOptions::default()) };
    let mut play_on = better_wins(60);
    let (pairs, over, _) = play(&field, &mut |pair| settled(pair, &mut play_on));
    assert_eq!((pairs.len(), over), (3 * 6, Over::Exhausted));
    assert!(pairs.iter().all(|pair| pair.opening < 3));
}

#[test]
fn openings_are_not_played_twice() {
    // Two rounds of a round-robin, and two pairs of a ladder, in which these bots begin with opening 9.
    let field = Field { keys: vec![8, 1], ..field(2, FormatOptions::default()) };
    let mut ladder = Ladder::new(&field);
    let known = [0, 1, 9, 10].map(|opening| Pair { round: 0, opening, bots: [1, 0] });
    ladder.add(&known);
    for pair in &known {
        ladder.settle(&settled(pair, &mut better_wins(50)));
    }
    let Due::Pairs(pairs) = ladder.due() else { panic!("{ladder:?}") };
    assert!(pairs.iter().map(|pair| pair.opening).eq(11..11 + 16));
}

#[test]
fn each_bot_has_the_pairs_asked_for() {
    let mut play_on = better_wins(60);
    for (bots, asked) in [(2, 20), (7, 20), (20, 12), (9, 1)] {
        let options = FormatOptions::default().with(&PAIRS_PER_BOT, Setting::Number(asked.into()));
        let (pairs, over, ladder) = play(&field(bots, options), &mut |pair| settled(pair, &mut play_on));
        assert_eq!(over, Over::Reached);
        let least = (0..bots).map(|bot| ladder.evidence.pairs_of(bot)).min().unwrap();
        assert!(least >= PAIRS_MIN, "{bots} {asked}: {least}");
        if asked > PAIRS_MIN {
            assert_eq!(pairs.len(), (asked as usize * bots).div_ceil(2), "{bots}");
        }
    }
}

#[test]
fn every_goal_ends_a_ladder() {
    for (goal, bots) in [("separated", 4), ("±60", 6), ("top:1", 5), ("top:2,±40", 5), ("top:9", 5), ("±90", 2)] {
        let mut play_on = better_wins(85);
        let (pairs, over, ladder) = play(&field(bots, until(goal)), &mut |pair| settled(pair, &mut play_on));
        assert_eq!(over, Over::Reached, "{goal}");
        assert!((0..bots).all(|bot| ladder.evidence.pairs_of(bot) >= PAIRS_MIN), "{goal}");
        assert!(pairs.len() < 3_000, "{goal}: {}", pairs.len());
    }
}

#[test]
fn a_goal_out_of_reach_ends_with_the_games() {
    let options = until("separated").with(&MAX_GAMES, Setting::Number(501));
    let (pairs, over, _) =
        play(&field(6, options), &mut |pair| settled(pair, &mut |pair, seats| (1, moves(pair, seats))));
    assert_eq!((pairs.len(), over), (250, Over::GamesMax));
}

#[test]
fn one_bot_that_wins_everything_ends_up_at_the_top() {
    let mut best = |pair: &Pair| {
        settled(pair, &mut |pair, seats| {
            (if seats.contains(&3) { 2 * u8::from(seats[0] == 3) } else { 1 }, moves(pair, seats))
        })
    };
    let (_, over, ladder) = play(&field(6, until("top:1")), &mut best);
    assert_eq!(over, Over::Reached);
    let nats = Strengths::of(&ladder.evidence).nats;
    assert!(nats.iter().enumerate().all(|(bot, other)| bot == 3 || *other < nats[3] - 1.0), "{nats:?}");
}

#[test]
fn withdrawn_bots_leave_the_field() {
    let mut play_on = better_wins(60);
    let mut seen = 0;
    let (pairs, over, _) = play(&field(5, FormatOptions::default()), &mut |pair| {
        let mut settled = settled(pair, &mut play_on);
        seen += u32::from(pair.bots.contains(&1));
        if pair.bots.contains(&1) && seen > 3 {
            for (game, seat) in settled.games.iter_mut().zip([0, 1]) {
                let place = usize::from(pair.bots[seat] != 1);
                game.withdrawn[place] = true;
                game.is_evidence = false;
            }
        }
        settled
    });
    assert_eq!(over, Over::Reached);
    let last = pairs.iter().rposition(|pair| pair.bots.contains(&1)).unwrap();
    assert!(last < 5 * BATCH_MIN && pairs.len() > 90, "{last} {}", pairs.len());
    let mut ladder = Ladder::new(&field(1, FormatOptions::default()));
    assert_eq!(ladder.due(), Due::Over(Over::NoBots));
    ladder.add(&[]);
    assert_eq!(ladder.waits_for(), 0);
}

proptest! {
    #[test]
    fn it_ends_whatever_the_results(
        bots in 0_usize..9,
        rounds in 0_u32..6,
        seed: u64,
        goal in prop::sample::select(vec!["separated", "±30", "top:2", "top:1,±50"]),
        known in prop::collection::vec((0_usize..9, 0_usize..9), 0..10),
    ) {
        let options = until(goal).with(&MAX_GAMES, Setting::Number(300));
        let field = Field { rounds, seed, ..field(bots, options) };
        let mut rng = Rng::new(seed);
        let mut any = |_: &Pair, _: [usize; 2]| (rng.below(3) as u8, rng.below(20));
        let known = known.into_iter().filter(|(a, b)| a != b && a.max(b) < &bots);
        let known: Vec<[usize; 2]> = known.map(|(a, b)| [a, b]).collect();
        let mut ladder = knowing(&field, &known, &mut any);
        let mut open = Vec::new();
        let mut done = known.len();
        for _ in 0..300 {
            let waits_for = ladder.waits_for();
            open.drain(..waits_for - done).for_each(|pair| ladder.settle(&settled(&pair, &mut any)));
            done = waits_for;
            match ladder.due() {
                Due::Over(_) => return Ok(()),
                Due::Pairs(pairs) => {
                    for pair in &pairs {
                        prop_assert!(!ladder.evidence.is_exhausted(pair.bots, 0), "{pair:?}");
                        prop_assert!(pair.opening < rounds, "{pair:?}");
                    }
                    ladder.add(&pairs);
                    open.extend(pairs);
                }
            }
        }
        prop_assert!(false, "it never ends");
    }
}
