//! Tests alpha-beta against plain minimax and the solvers, and tic-tac-toe against every opponent.

use arena_core::rng::Rng;
use arena_core::rules::{Move, Seat, State, Variant};
use arena_core::solver::{Known, Limits, Value, for_variant};

use super::*;
use crate::strategy::matches::TestPosition;

/// Textbook minimax: no pruning, no table, no move ordering, no incremental updates.
fn plain(board: &mut SearchBoard, depth: usize, ply: i32) -> i32 {
    if board.winner.is_some() {
        return ply - CERTAIN;
    }
    if board.empties() == 0 {
        return 0;
    }
    if depth == 0 {
        return board.score();
    }
    let mut actions = Vec::new();
    board.legal(&mut actions);
    let value = |action| {
        board.play(&action);
        let value = -plain(board, depth - 1, ply + 1);
        board.undo();
        value
    };
    actions.into_iter().map(value).max().unwrap()
}

fn patient() -> SearchDeadline {
    SearchDeadline::within(std::time::Duration::from_secs(3_600))
}

#[test]
fn values_equal_those_of_plain_minimax() {
    for (game, depth) in [("connect4", 5), ("connect4:rows=4,cols=5", 6), ("mnk:rows=4,cols=4,k=3", 4), ("mnk", 9)] {
        let variant: Variant = game.parse().unwrap();
        for seed in 0..12 {
            let mut rng = Rng::new(seed);
            let mut board = SearchBoard::new(&variant);
            for _ in 0..rng.below(8) {
                let mut actions = Vec::new();
                board.legal(&mut actions);
                let action = actions[rng.below(actions.len() as u64) as usize];
                if !board.wins(action, board.mover()) {
                    board.play(&action);
                }
            }
            let depth = depth.min(board.empties());
            if depth > 6 && board.empties() > 7 {
                continue;
            }
            // Deepening stops at the first depth that decides the game, so plain minimax has to stop there too.
            let mut expected = (1..=depth).map(|depth| plain(&mut board.clone(), depth, 0));
            let settled = expected.clone().find(|value| value.abs() > UNCERTAIN_MAX).or_else(|| expected.next_back());
            let (mut table, deadline) = (TranspositionTable::new(1 << 16), patient());
            let mut search = Lines::new(board, &mut table, Work::new(u64::MAX, &deadline));
            if search.moves().len() > 1 {
                assert_eq!(deepen(&mut search, depth).map(|(_, value, _)| value), settled, "{game} seed {seed}");
            }
        }
    }
}

/// A position of `game` after up to `plies` random moves, while the game goes on.
fn random_position(game: &str, plies: [u64; 2], rng: &mut Rng) -> Option<TestPosition> {
    let mut position = TestPosition::after(game, "");
    for _ in 0..plies[0] + rng.below(plies[1] - plies[0]) {
        position.state.apply(&position.state.nth_legal(rng.below(position.state.legal_count()))).unwrap();
        if position.state.outcome().is_some() {
            return None;
        }
    }
    Some(position)
}

/// Searches random positions until they are decided, and compares result and distance with those of the solver.
fn check_ends(game: &str, plies: [u64; 2]) {
    let (mut solver, mut rng, mut decided) = (for_variant(&game.parse().unwrap()).unwrap(), Rng::new(9), 0);
    while decided < 12 {
        let Some(position) = random_position(game, plies, &mut rng) else { continue };
        if position.state.legal_count() == 1 {
            continue;
        }
        let Known::Exact(value) = solver.value(&*position.state, None, &Limits::NONE).unwrap() else { continue };
        // A win is found with as much depth as it takes.
        let depth = value.plies().map_or("depth=64".to_owned(), |plies| format!("depth={plies}"));
        let choice = position.choice("minimax", &[&depth, "nodes=0"], 0);
        let expected = match value {
            Value::Win(_) => (1.0, Some(format!("wins in {}", value.moves().unwrap()))),
            Value::Loss(_) => (-1.0, Some(format!("loses in {}", value.moves().unwrap()))),
            Value::Draw => (0.0, choice.comment.clone()),
        };
        assert_eq!((choice.eval, &choice.comment), (Some(expected.0), &expected.1), "{game}");
        let mut after = position.state.boxed_clone();
        after.apply(&choice.played).unwrap();
        if after.outcome().is_none() {
            let kept = solver.value(&*after, None, &Limits::NONE).unwrap();
            assert_eq!(kept, Known::Exact(value.after()), "{game}: {choice:?}");
        }
        decided += u32::from(value.moves().is_some_and(|moves| moves > 2));
    }
}

#[test]
fn what_is_searched_until_it_is_decided_is_played_perfectly() {
    check_ends("connect4", [22, 30]);
    check_ends("connect4:rows=4,cols=5", [2, 12]);
    check_ends("connect4:rows=5,cols=5", [8, 16]);
    check_ends("connect4:rows=5,cols=6", [12, 20]);
    check_ends("connect4:rows=7,cols=5", [16, 24]);
    check_ends("connect4:rows=4,cols=4,connect=3", [0, 6]);
}

#[test]
fn the_same_position_has_the_same_answer_whatever_came_before() {
    let variant: Variant = "connect4".parse().unwrap();
    let options = STRATEGY.options_from_text(&["nodes=3000"]).unwrap();
    let mut used = (STRATEGY.build)(&variant, &options, 0);
    let mut rng = Rng::new(4);
    for seed in 0..20 {
        let Some(position) = random_position("connect4", [0, 16], &mut rng) else { continue };
        assert_eq!(position.ask(&mut *used), position.choice("minimax", &["nodes=3000"], seed));
    }
}

/// Plays `minimax` in one seat against every reply; returns the number of games, and checks that none is lost.
fn against_everyone(state: &dyn State, moves: &mut Vec<Move>, seat: Seat) -> u32 {
    if let Some(outcome) = state.outcome() {
        assert_ne!(outcome.winner, Some(seat.other()), "lost: {moves:?}");
        return 1;
    }
    let replies = if state.to_move() == seat {
        vec![TestPosition::of(state, "mnk").choice("minimax", &[], 0).played]
    } else {
        state.legal_moves()
    };
    let mut games = 0;
    for reply in replies {
        let mut next = state.boxed_clone();
        next.apply(&reply).unwrap();
        moves.push(reply);
        games += against_everyone(&*next, moves, seat);
        moves.pop();
    }
    games
}

#[test]
fn tic_tac_toe_is_never_lost() {
    let start = Variant::named("mnk").unwrap().start(0).unwrap();
    let mut openings = vec![(start.boxed_clone(), Vec::new())];
    openings.extend(start.legal_moves().into_iter().map(|opening| {
        let mut state = start.boxed_clone();
        state.apply(&opening).unwrap();
        (state, vec![opening])
    }));
    for (state, mut moves) in openings {
        for seat in Seat::BOTH {
            assert!(against_everyone(&*state, &mut moves, seat) > 10);
        }
    }
}

#[test]
fn a_win_comes_as_soon_and_a_loss_as_late_as_possible() {
    // Three in a row, open at both ends: wins in two moves.
    let choice = TestPosition::after("connect4", "3 3 2 2").choice("minimax", &[], 0);
    assert!(["1", "4"].contains(&choice.played.to_string().as_str()), "{choice:?}");
    assert_eq!((choice.eval, choice.comment.as_deref()), (Some(1.0), Some("wins in 2")));
    // The same from the losing side.
    let choice = TestPosition::after("connect4", "3 3 2 2 4").choice("minimax", &[], 0);
    assert_eq!((choice.eval, choice.comment.as_deref()), (Some(-1.0), Some("loses in 1")));
}

#[test]
fn on_wide_boards_the_work_is_bounded_and_threats_are_met() {
    let choice = TestPosition::after("gomoku", "[7,7] [0,0] [7,8] [0,14] [7,9]").choice("minimax", &["nodes=20000"], 0);
    assert!(["[7,6]", "[7,10]", "[7,5]", "[7,11]"].contains(&choice.played.to_string().as_str()), "{choice:?}");
}
