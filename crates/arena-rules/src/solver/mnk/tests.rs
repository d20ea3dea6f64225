//! Values against a plain search that knows the rules alone.

use std::collections::{HashMap, HashSet};

use super::super::testing::brute_force;
use super::super::{Known, Limits, Solver, Unsolved, Value, for_variant, solve};
use super::board::{Board, Marks};
use super::pairing;
use super::scan::cells;
use crate::rng::Rng;
use crate::rules::{Move, State, Variant, Viewer, play};

/// Positions with at most this many empty cells are left to the plain search.
const EMPTY_MAX: u64 = 7;

fn variant([rows, cols, k]: [usize; 3]) -> Variant {
    format!("mnk:rows={rows},cols={cols},k={k}").parse().unwrap()
}

fn exact(solver: &mut dyn Solver, state: &dyn State, floor: Option<Value>) -> Value {
    solver.value(state, floor, &Limits::NONE).unwrap().value().unwrap()
}

/// Checks what a solver says of a position with a known value.
fn check(solver: &mut dyn Solver, state: &dyn State, value: Value) {
    let better = match value {
        Value::Win(plies) => Value::Win(plies - 1),
        Value::Draw => Value::Win(u32::MAX),
        Value::Loss(plies) => Value::Loss(plies + 1),
    };
    let shown = state.picture(Viewer::All);
    assert_eq!(solver.reaches(state, value, &Limits::NONE), Ok(true), "{value:?}\n{shown}");
    assert_eq!(solver.reaches(state, better, &Limits::NONE), Ok(false), "{value:?}\n{shown}");
    for floor in [None, Some(Value::Loss(2)), Some(value.min(Value::Draw)), Some(value)] {
        if floor.is_none_or(|floor| floor <= value) {
            assert_eq!(exact(solver, state, floor), value, "{floor:?}\n{shown}");
        }
    }
}

/// Checks a position and all after it.
fn check_all(solver: &mut dyn Solver, state: &dyn State, known: &HashMap<Vec<u8>, Value>, seen: &mut HashSet<Vec<u8>>) {
    if state.outcome().is_some() || !seen.insert(state.key()) {
        return;
    }
    check(solver, state, known[&state.key()]);
    for played in state.legal_moves() {
        let mut next = state.boxed_clone();
        next.apply(&played).unwrap();
        check_all(solver, next.as_ref(), known, seen);
    }
}

#[test]
fn all_positions_of_small_boards() {
    for shape in [[3, 3, 3], [2, 4, 3], [1, 7, 3], [2, 3, 2]] {
        let variant = variant(shape);
        let start = variant.start(0).unwrap();
        let (mut known, mut seen) = (HashMap::new(), HashSet::new());
        brute_force(start.as_ref(), &mut known);
        check_all(for_variant(&variant).unwrap().as_mut(), start.as_ref(), &known, &mut seen);
        assert_eq!(seen.len(), known.len(), "{shape:?}");
    }
}

/// A random game, up to the first position that is small enough.
fn random_moves(variant: &Variant, rng: &mut Rng) -> Option<Vec<Move>> {
    let mut state = variant.start(0).unwrap();
    let mut moves = Vec::new();
    while state.legal_count() > EMPTY_MAX {
        let played = state.nth_legal(rng.below(state.legal_count()));
        state.apply(&played).unwrap();
        moves.push(played);
        state.outcome().is_none().then_some(())?;
    }
    Some(moves)
}

fn after(variant: &Variant, moves: &[Move]) -> Box<dyn State> {
    let mut state = variant.start(0).unwrap();
    play(state.as_mut(), moves).map_err(|(_, error)| error).unwrap();
    state
}

/// Moves on the board turned upside down, and with rows and columns exchanged.
fn images(rows: usize, moves: &[Move]) -> [Vec<Move>; 2] {
    let image = |image: fn(i64, i64, i64) -> [i64; 2]| {
        let moves = moves.iter().map(|played| match played {
            Move::List(cell) => Move::List(image(rows as i64, cell[0], cell[1]).to_vec()),
            _ => unreachable!("a move is a cell"),
        });
        moves.collect()
    };
    [image(|rows, row, col| [rows - 1 - row, col]), image(|_, row, col| [col, row])]
}

#[test]
fn values_are_those_of_a_plain_search() {
    let shapes = [
        ([1, 8, 3], 3),
        ([2, 5, 2], 3),
        ([3, 3, 3], 12),
        ([3, 4, 3], 12),
        ([4, 3, 4], 6),
        ([3, 5, 4], 12),
        ([4, 4, 4], 12),
        ([5, 4, 3], 8),
        ([4, 5, 4], 12),
        ([3, 8, 3], 8),
        ([5, 5, 4], 24),
        ([5, 5, 5], 12),
        ([1, 4, 4], 1),
    ];
    let mut rng = Rng::new(1);
    let mut results = HashMap::new();
    for (shape, games) in shapes {
        let (variant, turned) = (variant(shape), variant([shape[1], shape[0], shape[2]]));
        let mut solver = for_variant(&variant).unwrap();
        let mut other = for_variant(&turned).unwrap();
        for _ in 0..games {
            let Some(moves) = random_moves(&variant, &mut rng) else { continue };
            let state = after(&variant, &moves);
            let value = brute_force(state.as_ref(), &mut HashMap::new());
            *results.entry(value).or_insert(0) += 1;
            solver.forget();
            check(solver.as_mut(), state.as_ref(), value);
            let [flipped, transposed] = images(shape[0], &moves);
            solver.forget();
            other.forget();
            assert_eq!(exact(solver.as_mut(), after(&variant, &flipped).as_ref(), None), value, "{shape:?} {moves:?}");
            assert_eq!(exact(other.as_mut(), after(&turned, &transposed).as_ref(), None), value, "{shape:?} {moves:?}");
        }
    }
    // Wins and losses of several lengths, and draws.
    assert!(results.len() > 6, "{results:?}");
}

#[test]
fn a_position_is_worth_its_best_move() {
    let mut rng = Rng::new(2);
    for (shape, first) in [([3, 4, 3], 0), ([4, 4, 3], 0), ([4, 4, 4], 2), ([4, 5, 4], 3), ([5, 5, 4], 6)] {
        let variant = variant(shape);
        let mut state = variant.start(0).unwrap();
        for ply in 0.. {
            if state.outcome().is_some() {
                break;
            }
            if ply >= first {
                let mut solver = for_variant(&variant).unwrap();
                let value = exact(solver.as_mut(), state.as_ref(), None);
                let moves = solve(solver.as_mut(), state.as_ref(), false, &Limits::NONE).moves;
                let best = moves.iter().map(|(_, answer)| answer.unwrap().value().unwrap()).max();
                assert_eq!(best, Some(value), "{shape:?}\n{}", state.picture(Viewer::All));
            }
            let played = state.nth_legal(rng.below(state.legal_count()));
            state.apply(&played).unwrap();
        }
    }
}

#[test]
fn known_values_of_empty_boards() {
    // Those to 16 cells were also found by a plain search of every position; 5×5 with 4 in a row is known to be a draw.
    let known = [
        ([3, 3, 3], Value::Draw),
        ([3, 4, 3], Value::Win(7)),
        ([4, 4, 3], Value::Win(5)),
        ([3, 5, 4], Value::Draw),
        ([4, 4, 4], Value::Draw),
        ([4, 4, 2], Value::Win(3)),
        ([2, 8, 3], Value::Draw),
        ([1, 25, 2], Value::Win(3)),
        ([5, 5, 4], Value::Draw),
        ([1, 2, 2], Value::Draw),
        ([4, 6, 4], Value::Draw),
    ];
    for (shape, value) in known {
        let variant = variant(shape);
        let start = variant.start(0).unwrap();
        let mut solver = for_variant(&variant).unwrap();
        let found = solver.value(start.as_ref(), None, &Limits::nodes(10_000));
        assert_eq!(found, Ok(Known::Exact(value)), "{shape:?}");
        assert_eq!(solver.outlook(start.as_ref(), &Limits::nodes(10_000)), Ok(value.outlook()), "{shape:?}");
    }
    assert_eq!(
        for_variant(&variant([2, 13, 3])).err().map(|error| error.to_string().contains("to 25 cells")),
        Some(true)
    );
}

#[test]
fn limits_hold_and_what_is_forgotten_does_not_matter() {
    let variant = variant([4, 6, 4]);
    let start = variant.start(0).unwrap();
    let mut solver = for_variant(&variant).unwrap();
    let mut ask = |limits: Limits<'_>, forget: bool| {
        if forget {
            solver.forget();
        }
        let before = solver.nodes();
        (solver.value(start.as_ref(), None, &limits), solver.nodes() - before)
    };
    let (answer, nodes) = ask(Limits::NONE, true);
    assert_eq!(answer, Ok(Known::Exact(Value::Draw)));
    assert!(ask(Limits::NONE, false).1 < nodes / 10, "the table is kept");
    assert_eq!(ask(Limits::nodes(100), true), (Err(Unsolved::Nodes), 101));
    assert_eq!(ask(Limits { nodes: u64::MAX, stop: &|| true }, true), (Err(Unsolved::Stopped), 4_096));
    assert_eq!(ask(Limits::nodes(nodes), true), (answer, nodes));
}

#[test]
fn images_and_they_alone_share_a_key() {
    // Positions that differ by more than a symmetry, as counted by Burnside's lemma.
    for ([rows, cols], different) in [([3, 3], 2_862), ([2, 3], 216), ([1, 4], 45)] {
        let board = Board::new(rows, cols, 3).unwrap();
        let cells = (rows * cols) as u32;
        let keys = (0..3_u32.pow(cells)).map(|number| {
            let owner = |cell: u32| number / 3_u32.pow(cell) % 3;
            let [me, opp] =
                [1, 2].map(|side| (0..cells).filter(|cell| owner(*cell) == side).fold(0, |set, cell| set | 1 << cell));
            board.canonical_key(Marks { me, opp })
        });
        assert_eq!(keys.collect::<HashSet<u64>>().len(), different, "{rows}×{cols}");
    }
}

/// Whether a side that moves first and has only these lines to complete does so, against every defence.
fn completes(lines: &[u32], free: u32) -> bool {
    cells(free).any(|cell| {
        let left = lines.iter().map(|line| line & !(1 << cell)).collect::<Vec<u32>>();
        let free = free & !(1 << cell);
        left.contains(&0)
            || cells(free).all(|answer| {
                let open = left.iter().copied().filter(|line| line & 1 << answer == 0).collect::<Vec<u32>>();
                completes(&open, free & !(1 << answer))
            }) && free != 0
    })
}

#[test]
fn pairs_are_only_found_where_lines_cannot_be_completed() {
    let mut rng = Rng::new(3);
    let (mut held, mut open) = (0, 0);
    for _ in 0..300 {
        let lines: Vec<u32> = (0..=rng.below(5)).map(|_| (rng.below(127) + 1) as u32).collect();
        let holds = pairing::holds(&lines);
        let completes = completes(&lines, 127);
        assert!(!(holds && completes), "{lines:?}");
        held += u32::from(holds);
        open += u32::from(!completes && !holds);
    }
    // It finds most of what there is.
    assert!(held > 3 * open, "{held} {open}");
}
