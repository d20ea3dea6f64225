//! Tests the bits against the rules in random games.

use arena_core::rules::State;

use super::*;

const VARIANTS: &[&str] = &[
    "connect4",
    "connect4:rows=6,cols=9",
    "connect4:rows=3,cols=5,connect=2",
    "connect4:rows=1,cols=8,connect=3",
    "connect4:rows=8,cols=5,connect=6",
    "mnk",
    "mnk:rows=4,cols=5,k=4",
    "mnk:rows=2,cols=9,k=5",
    "mnk:rows=7,cols=3,k=3",
];

/// The value of a position as far as two plies show it, by trying everything.
fn two_plies(state: &dyn State) -> Option<Value> {
    let after = |state: &dyn State, played: &Move| {
        let mut next = state.boxed_clone();
        next.apply(played).unwrap();
        next
    };
    let wins = |state: &dyn State| {
        let wins = |played: &Move| after(state, played).outcome().is_some_and(|outcome| outcome.winner.is_some());
        state.legal_moves().iter().any(wins)
    };
    if state.outcome().is_some() {
        return Some(Value::Draw);
    }
    if wins(state) {
        return Some(Value::Win(1));
    }
    let loses = |played: &Move| wins(&*after(state, played));
    state.legal_moves().iter().all(loses).then_some(Value::Loss(2))
}

#[test]
fn bits_agree_with_the_rules() {
    for text in VARIANTS {
        let variant: Variant = text.parse().unwrap();
        for seed in 0..30 {
            let mut rng = Rng::new(seed);
            let mut state = variant.start(0).unwrap();
            let mut board = BitBoard::new(&variant).unwrap();
            loop {
                let (truth, mut actions) = (two_plies(&*state), Vec::new());
                match board.settled() {
                    // Only threats of now are looked at, not what a move makes possible above it.
                    None => assert!(truth.is_none_or(|value| value == Value::Loss(2)), "{text} seed {seed}: {truth:?}"),
                    settled => assert_eq!(settled, truth, "{text} seed {seed}"),
                }
                if truth == Some(Value::Draw) {
                    break;
                }
                assert!(board.actions(&mut rng, &mut actions) && !actions.is_empty());
                for action in &actions {
                    assert!(state.is_legal(&board.move_of(action)), "{text}");
                }
                let mut played = state.nth_legal(rng.below(state.legal_count()));
                if truth.is_none() {
                    // What is left out loses at once.
                    let kept: Vec<Move> = actions.iter().map(|action| board.move_of(action)).collect();
                    for other in state.legal_moves().iter().filter(|other| !kept.contains(other)) {
                        let mut next = state.boxed_clone();
                        next.apply(other).unwrap();
                        assert_eq!(two_plies(&*next), Some(Value::Win(1)), "{text} seed {seed}: {other}");
                    }
                }
                let mut next = state.boxed_clone();
                next.apply(&played).unwrap();
                if next.outcome().is_some_and(|outcome| outcome.winner.is_some()) {
                    assert_eq!(truth, Some(Value::Win(1)));
                    // Games are not played on from a win.
                    let quiet = state.legal_moves().into_iter().find(|quiet| {
                        let mut next = state.boxed_clone();
                        next.apply(quiet).unwrap();
                        next.outcome().is_none()
                    });
                    let Some(quiet) = quiet else { break };
                    played = quiet;
                }
                let action = board.action_of(&played).unwrap();
                assert_eq!(board.move_of(&action), played);
                state.apply(&played).unwrap();
                board.play(&action);
                assert_eq!(board.mover(), Seat::BOTH[(board.all().count_ones() % 2) as usize]);
            }
        }
    }
}

#[test]
fn boards_of_more_than_64_bits_are_left_to_the_other_board() {
    assert!(BitBoard::new(&"connect4:rows=7,cols=8".parse().unwrap()).is_some());
    assert!(BitBoard::new(&"connect4:rows=8,cols=8".parse().unwrap()).is_none());
    assert!(BitBoard::new(&"mnk:rows=32,cols=32,k=5".parse().unwrap()).is_none());
}

#[test]
fn a_playout_ends_with_a_result() {
    for text in VARIANTS {
        let start = BitBoard::new(&text.parse().unwrap()).unwrap();
        let results: Vec<i32> = (0..50).map(|seed| start.clone().playout(&mut Rng::new(seed))).collect();
        assert!(results.iter().all(|result| [-POINTS, 0, POINTS].contains(result)), "{text}");
    }
}
