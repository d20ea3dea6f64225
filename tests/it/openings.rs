//! Openings: what holds for those of any game.

use std::collections::HashSet;

use arena::openings::{LOST_PLIES, Lost};
use arena::rules::{Move, Variant, play};
use proptest::prelude::*;

use crate::playing::{VARIANTS, variant};

fn draw(variant: &Variant, plies: usize, seed: u64, count: usize) -> Vec<Vec<Move>> {
    arena::openings::draw(variant, plies, seed, count, Lost::Last).expect("built-in rules").openings
}

fn suitable(variant: &Variant, seed: u64, count: usize) -> Vec<Vec<Move>> {
    arena::openings::suitable(variant, seed, count, Lost::Last).expect("built-in rules").openings
}

/// The positions that openings lead to; each must be legal and undecided.
fn positions(variant: &Variant, openings: &[Vec<Move>]) -> Vec<Vec<u8>> {
    let lead = |opening: &Vec<_>| {
        let mut state = variant.start(0).expect("built-in rules");
        play(state.as_mut(), opening).unwrap_or_else(|(ply, why)| panic!("{variant}: {opening:?}: {ply}: {why}"));
        assert!(state.outcome().is_none(), "{variant}: decided after {opening:?}");
        state.key()
    };
    openings.iter().map(lead).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn openings_are_undecided_as_long_as_asked_and_never_change(
        game in prop::sample::select(&VARIANTS[..]),
        plies in 0_usize..6,
        seed: u64,
        counts in [0_usize..150, 0_usize..150],
    ) {
        let variant = variant(game);
        let [fewer, more] = [counts[0].min(counts[1]), counts[0].max(counts[1])];
        let openings = draw(&variant, plies, seed, more);
        prop_assert_eq!(openings.len(), more);
        prop_assert_eq!(&draw(&variant, plies, seed, fewer)[..], &openings[..fewer]);
        positions(&variant, &openings);
        let lengths: HashSet<usize> = openings.iter().map(Vec::len).collect();
        prop_assert!(lengths.len() <= 1 && lengths.iter().all(|length| *length <= plies), "{:?}", lengths);
    }
}

#[test]
fn no_opening_comes_twice_before_all_were_used() {
    for (game, plies, different) in
        [("tictactoe", 1, 9), ("tictactoe", 2, 72), ("connect4", 1, 7), ("connect4", 4, 1120), ("marbles", 1, 10)]
    {
        let variant = variant(game);
        let keys = positions(&variant, &draw(&variant, plies, 1, different * 2));
        for cycle in keys.chunks(different) {
            assert_eq!(cycle.iter().collect::<HashSet<_>>().len(), different, "{game}");
        }
        assert_ne!(keys[..different], keys[different..], "{game}: every cycle in an order of its own");
    }
}

#[test]
fn the_defaults_suffice_for_a_tournament_of_fifty_rounds() {
    for game in ["connect4", "gomoku", "marbles"] {
        let variant = variant(game);
        let plies = (variant.rules.opening_plies)(&variant.params);
        let keys = positions(&variant, &draw(&variant, plies, 1, 50));
        assert_eq!(keys.iter().collect::<HashSet<_>>().len(), 50, "{game} after {plies} plies");
    }
}

/// Rounds beyond the openings that suit a game best do not repeat games, as long as there is anything to play.
#[test]
fn longer_openings_follow_when_all_were_used() {
    for (game, runs) in [
        ("tictactoe", &[(1, 9), (2, 24), (3, 138), (2, 48), (3, 114)][..]),
        ("connect4", &[(4, 1_042), (5, 3_000)]),
        ("mnk:rows=1,cols=2,k=2", &[(1, 2)]),
        ("marbles:heap=5", &[(1, 4)]),
    ] {
        let variant = variant(game);
        let different: usize = runs.iter().map(|(_, count)| count).sum();
        let drawn = arena::openings::suitable(&variant, 1, different, Lost::Last).expect("built-in rules");
        let lengths: Vec<usize> = drawn.openings.iter().map(Vec::len).collect();
        let found: Vec<(usize, usize)> = lengths.chunk_by(|a, b| a == b).map(|run| (run[0], run.len())).collect();
        assert_eq!(found, runs, "{game}");
        let is_lost = |opening: &Vec<Move>| {
            let mut state = variant.start(0).unwrap();
            play(state.as_mut(), opening).expect("legal");
            state.winner_within(LOST_PLIES).is_some()
        };
        let (others, lost) = drawn.openings.split_at(drawn.lost_from.unwrap_or(different));
        assert!(lost.iter().all(is_lost) && !others.iter().any(is_lost), "{game}");
        let keys = positions(&variant, &drawn.openings);
        assert_eq!(keys.iter().collect::<HashSet<_>>().len(), different, "{game}");
        for opening in &drawn.openings {
            let mut state = variant.start(0).unwrap();
            play(state.as_mut(), opening).expect("legal");
            let ends = |played: &Move| {
                let mut next = state.boxed_clone();
                next.apply(played).unwrap();
                next.outcome().is_some()
            };
            let is_longer = opening.len() > runs[0].0;
            assert!(!is_longer || !state.legal_moves().iter().any(ends), "{game}: {opening:?}");
        }
    }
}

/// Tournaments that began before lost openings were left out go on with the openings that they had.
#[test]
fn openings_of_earlier_schedules_stay() {
    let connect4 = variant("connect4");
    let drawn = |lost| arena::openings::suitable(&connect4, 1, 50, lost).expect("built-in rules");
    let (earlier, now) = (drawn(Lost::in_schedule(2)), drawn(Lost::in_schedule(3)));
    assert_eq!((earlier.lost_from, now.lost_from), (None, None));
    assert_eq!(serde_json::to_string(&earlier.openings[..4]).unwrap(), "[[0,1,4,6],[2,1,2,2],[2,1,6,4],[1,3,5,4]]");
    let lost: Vec<&Vec<Move>> = earlier.openings.iter().filter(|opening| !now.openings.contains(opening)).collect();
    assert!(!lost.is_empty() && lost.len() < 25, "{lost:?}");
    let kept = earlier.openings.iter().filter(|opening| !lost.contains(opening));
    assert!(kept.eq(&now.openings[..50 - lost.len()]), "the others are the same, in the same order");
}

#[test]
fn more_rounds_change_no_earlier_opening() {
    for (game, plies) in [("tictactoe", 1), ("connect4", 4), ("mnk:rows=3,cols=4,k=3", 2), ("marbles:heap=1", 0)] {
        let variant = variant(game);
        let all = suitable(&variant, 7, 1_500);
        for rounds in [0, 5, 9, 10, 80, 1_200] {
            assert_eq!(suitable(&variant, 7, rounds)[..], all[..rounds], "{game} {rounds}");
        }
        // All openings of two moves are lost on 3×4.
        let few: Vec<_> = all.iter().filter(|opening| opening.len() == plies).take(5).cloned().collect();
        let is_first = game != "mnk:rows=3,cols=4,k=3";
        assert_eq!(all[..5] == few, is_first, "{game}");
        assert!(!is_first || draw(&variant, plies, 7, 5) == few, "{game}: what was played with that many moves stays");
    }
}

#[test]
fn another_seed_gives_other_openings() {
    for game in ["connect4", "tictactoe", "gomoku"] {
        let variant = variant(game);
        assert_ne!(draw(&variant, 3, 1, 20), draw(&variant, 3, 2, 20), "{game}");
        assert_eq!(draw(&variant, 3, 1, 20), draw(&variant, 3, 1, 20), "{game}");
    }
}

/// More plies than a game can last, or hardly ever lasts, take what there is, and soon.
#[test]
fn openings_longer_than_any_game_are_shortened() {
    for (game, longest) in [("tictactoe", 8), ("marbles:heap=4", 2), ("connect4:rows=2,cols=2,connect=2", 2)] {
        let variant = variant(game);
        let openings = draw(&variant, 65_535, 1, 20);
        positions(&variant, &openings);
        assert!(openings.iter().all(|opening| opening.len() == longest), "{game}: {openings:?}");
    }
    let connect4 = variant("connect4");
    let openings = draw(&connect4, 65_535, 1, 3);
    positions(&connect4, &openings);
    assert!(openings.iter().all(|opening| opening.len() > 30), "{openings:?}");
}

#[test]
fn only_what_was_seen_of_all_games_is_said_of_all() {
    use arena::openings::none_is_undecided_after;
    for (game, plies, is_certain) in [
        ("tictactoe", 9, true),
        ("tictactoe", 8, false),
        ("tictactoe", 65_535, true),
        ("marbles:heap=4", 3, true),
        ("connect4", 41, false),
        ("gomoku", 200, false),
    ] {
        assert_eq!(none_is_undecided_after(&variant(game), plies).unwrap(), is_certain, "{game} after {plies}");
    }
    let dir = crate::support::Dir::with_bots(&["random", "greedy"]);
    let said = |args: &str| {
        let stderr = dir.arena_ends(0, &format!("tournament --rounds 1 --move-time 30s {args}")).stderr;
        stderr.lines().next().unwrap_or_default().to_owned() + "\n"
    };
    let said = said("--game mnk:rows=6,cols=6,k=3 --opening-plies 30") + &said("--game tictactoe --opening-plies 9");
    insta::assert_snapshot!(said, @"
    openings have 27 plies: none of 10000 random games of mnk:rows=6,cols=6 was undecided after 30; openings are lost for a side within 8 plies: no others of mnk:rows=6,cols=6 were found
    openings have 8 plies: no game of tictactoe is undecided after 9
    ");
}

/// Drawn rather than listed, and more than there are: it must still end soon.
#[test]
fn openings_that_were_drawn_are_used_again_when_no_new_ones_are_met() {
    let connect4 = variant("connect4:rows=4,cols=4");
    let openings = draw(&connect4, 8, 1, 30_000);
    let keys = positions(&connect4, &openings);
    let different = keys.iter().collect::<HashSet<_>>().len();
    assert!((3_000..30_000).contains(&different), "{different}");
    let repeated = keys.iter().enumerate().find(|(index, key)| keys[..*index].contains(key)).map(|(index, _)| index);
    assert_eq!(repeated, Some(different), "none comes twice before all that were found were used");
}
