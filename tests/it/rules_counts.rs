//! Published counts, and slow but plain oracles.

use std::collections::HashMap;

use arena::rng::Rng;
use arena::rules::{Move, Seat, State, Viewer};
use proptest::prelude::*;

use crate::playing::{has_line, random_move, variant};

#[test]
fn tictactoe_has_255168_games() {
    fn games(state: &dyn State) -> u32 {
        if state.outcome().is_some() {
            return 1;
        }
        state.legal_moves().iter().map(|played| games(after(state, played).as_ref())).sum()
    }
    assert_eq!(games(variant("tictactoe").start(0).unwrap().as_ref()), 255_168);
}

#[test]
fn tictactoe_has_5478_positions() {
    assert_eq!(positions_by_ply("tictactoe", 9).iter().sum::<usize>(), 5_478);
}

#[test]
fn connect4_has_the_published_numbers_of_positions() {
    // John Tromp's counts, https://oeis.org/A212693.
    assert_eq!(positions_by_ply("connect4", 8), [1, 7, 49, 238, 1_120, 4_263, 16_422, 54_859, 184_275]);
}

#[test]
fn fibonacci_nim_is_lost_for_the_first_player_exactly_on_fibonacci_numbers() {
    let fibonacci = [2, 3, 5, 8, 13, 21, 34, 55, 89];
    let mut known = HashMap::new();
    for heap in 2..=100 {
        let start = variant(&format!("marbles:heap={heap},rule=fibonacci,first_max={heap}")).start(0).unwrap();
        assert_eq!(mover_wins(start.as_ref(), &mut known), !fibonacci.contains(&heap), "heap {heap}");
    }
}

#[test]
fn doubling_marbles_are_won_as_the_recursion_of_the_problem_says() {
    // The player to move after a take of `last` with `left` marbles left.
    fn wins(last: usize, left: usize, known: &mut HashMap<(usize, usize), bool>) -> bool {
        if left == 0 || left <= 2 * last {
            return left > 0;
        }
        if let Some(known) = known.get(&(last, left)) {
            return *known;
        }
        let won = (last + 1..=2 * last).any(|take| !wins(take, left - take, known));
        known.insert((last, left), won);
        won
    }
    let (mut by_states, mut by_recursion) = (HashMap::new(), HashMap::new());
    for heap in 2..=120 {
        for first_max in [1, 2, 10, 200] {
            let start = variant(&format!("marbles:heap={heap},first_max={first_max}")).start(0).unwrap();
            let expected = (1..=first_max.min(heap - 1)).any(|take| !wins(take, heap - take, &mut by_recursion));
            assert_eq!(mover_wins(start.as_ref(), &mut by_states), expected, "heap {heap}, first_max {first_max}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn looking_through_the_last_mark_finds_what_looking_everywhere_finds(
        rows in 1_usize..8, cols in 1_usize..9, connect in 2_usize..6, gravity: bool, seed: u64
    ) {
        prop_assume!(connect <= rows.max(cols));
        let game = if gravity {
            format!("connect4:rows={rows},cols={cols},connect={connect}")
        } else {
            format!("mnk:rows={rows},cols={cols},k={connect}")
        };
        let (mut state, mut rng) = (variant(&game).start(0).unwrap(), Rng::new(seed));
        let mut board = vec![vec![b'.'; cols]; rows];
        while state.outcome().is_none() {
            let mark = if state.to_move() == Seat::First { b'X' } else { b'O' };
            let played = random_move(state.as_ref(), &mut rng);
            state.apply(&played).unwrap();
            match &played {
                Move::Int(col) => {
                    let row = (0..rows).rev().find(|row| board[*row][*col as usize] == b'.').expect("room");
                    board[row][*col as usize] = mark;
                }
                Move::List(cell) => board[cell[0] as usize][cell[1] as usize] = mark,
                Move::Text(_) | Move::Parts(_) => panic!("a built-in game has no words: {played}"),
            }
            let full = board.iter().flatten().all(|cell| *cell != b'.');
            let reason = state.outcome().map(|outcome| outcome.reason);
            let expected = if has_line(&board, mark, connect) { Some("line") } else { full.then_some("board_full") };
            assert_eq!(reason, expected, "{game}: {}", state.picture(Viewer::All));
        }
    }
}

fn after(state: &dyn State, played: &Move) -> Box<dyn State> {
    let mut next = state.boxed_clone();
    next.apply(played).expect("built-in rules");
    next
}

fn positions_by_ply(game: &str, plies: usize) -> Vec<usize> {
    let start = variant(game).start(0).expect("built-in rules");
    let mut layer = HashMap::from([(start.key(), start)]);
    let mut counts = vec![1];
    for _ in 0..plies {
        let nexts = layer.values().flat_map(|state| {
            state.legal_moves().into_iter().map(|played| after(state.as_ref(), &played)).collect::<Vec<_>>()
        });
        layer = nexts.map(|next| (next.key(), next)).collect();
        counts.push(layer.len());
    }
    counts
}

fn mover_wins(state: &dyn State, known: &mut HashMap<Vec<u8>, bool>) -> bool {
    if let Some(outcome) = state.outcome() {
        return outcome.winner == Some(state.to_move());
    }
    if let Some(known) = known.get(&state.key()) {
        return *known;
    }
    let won = state.legal_moves().iter().any(|played| !mover_wins(after(state, played).as_ref(), known));
    known.insert(state.key(), won);
    won
}
