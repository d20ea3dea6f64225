use std::collections::HashMap;

use crate::rng::Rng;
use crate::rules::{State, Variant};
use crate::solver::testing::{brute_force, check, random};
use crate::solver::{Known, Limits, Outlook, Unsolved, Value, for_variant};

fn variant([rows, cols, k]: [usize; 3]) -> Variant {
    format!("mnk:rows={rows},cols={cols},k={k}").parse().unwrap()
}

#[test]
fn every_value_is_that_of_brute_force() {
    const SIZES: [[usize; 3]; 12] = [
        [3, 3, 3],
        [3, 3, 2],
        [3, 4, 3],
        [4, 3, 3],
        [4, 4, 3],
        [4, 4, 4],
        [3, 5, 4],
        [5, 3, 3],
        [5, 5, 4],
        [5, 5, 5],
        [1, 12, 3],
        [2, 9, 4],
    ];
    let mut rng = Rng::new(37);
    for size in SIZES {
        let variant = variant(size);
        let mut solver = for_variant(&variant).unwrap();
        let mut memo = HashMap::new();
        let mut found = 0;
        for _ in 0..1_000 {
            let empty = (2 + rng.below(7) as usize).min(size[0] * size[1]);
            let Some(state) = random(&variant, empty, &mut rng) else { continue };
            found += 1;
            check(solver.as_mut(), state.as_ref(), brute_force(state.as_ref(), &mut memo), &mut rng);
            if found == 60 {
                break;
            }
        }
        // With two in a row, few games last long.
        assert!(found > 0, "{variant}");
    }
}

#[test]
fn empty_boards_have_their_known_values() {
    let known = [
        ([3, 3, 3], Outlook::Draw),
        ([3, 4, 3], Outlook::Win),
        ([4, 4, 3], Outlook::Win),
        ([3, 5, 4], Outlook::Draw),
        ([4, 4, 4], Outlook::Draw),
        ([5, 5, 5], Outlook::Draw),
    ];
    for (size, expected) in known {
        let variant = variant(size);
        let start = variant.start(0).unwrap();
        let mut solver = for_variant(&variant).unwrap();
        assert_eq!(solver.outlook(start.as_ref(), &Limits::NONE), Ok(expected), "{variant}");
    }
}

#[test]
fn tic_tac_toe_is_known_to_the_last_move() {
    let variant = variant([3, 3, 3]);
    let start = variant.start(0).unwrap();
    let expected = brute_force(start.as_ref(), &mut HashMap::new());
    check(for_variant(&variant).unwrap().as_mut(), start.as_ref(), expected, &mut Rng::new(1));
}

#[test]
fn mirrored_positions_have_the_same_value() {
    let mut rng = Rng::new(3);
    let variant = variant([4, 4, 4]);
    let mut solver = for_variant(&variant).unwrap();
    for _ in 0..30 {
        let Some(state) = random(&variant, 9, &mut rng) else { continue };
        let view: serde_json::Value = serde_json::from_str(state.view(state.to_move()).get()).unwrap();
        let rows: Vec<String> = serde_json::from_value(view["board"].clone()).unwrap();
        let turned: Vec<String> =
            (0..4).map(|col| rows.iter().rev().map(|row| row.chars().nth(col).unwrap()).collect()).collect();
        let mut value = |rows: &[String]| {
            let state: Box<dyn State> =
                variant.rules.start_from_board(&variant.params, Some(rows), crate::rules::Mark::X).unwrap();
            solver.value(state.as_ref(), None, &Limits::NONE)
        };
        assert_eq!(value(&rows), value(&turned));
    }
}

#[test]
fn limits_are_kept_and_large_boards_are_refused() {
    let five = variant([5, 5, 4]);
    let start = five.start(0).unwrap();
    let mut solver = for_variant(&five).unwrap();
    assert_eq!(solver.value(start.as_ref(), None, &Limits::nodes(500)), Err(Unsolved::Nodes));
    assert_eq!(solver.nodes(), 501);
    let stop = || true;
    let limits = Limits { nodes: u64::MAX, stop: &stop };
    assert_eq!(solver.value(start.as_ref(), None, &limits), Err(Unsolved::Stopped));
    let error = for_variant(&variant([5, 6, 4])).err().unwrap().to_string();
    let expected = "no solver for mnk:rows=5,cols=6,k=4; there are some for connect4 (while (rows + 1) × cols is at most 64), \
                    mnk (to 25 cells), marbles";
    assert_eq!(error, expected);
    assert_eq!(Known::Exact(Value::Win(3)).before(), Known::Exact(Value::Loss(4)));
}
