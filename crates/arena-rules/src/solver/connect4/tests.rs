use std::collections::HashMap;

use super::board::{Classic, Discs, Geometry, Size};
use super::book::Book;
use super::check_book::BookCheck;
use super::make_book::BookPlan;
use super::retract::before;
use super::search::{Memory, Run};
use super::{Connect4, discs_of, least_score, value_of};
use crate::rng::Rng;
use crate::rules::{Move, Variant, play};
use crate::solver::table::Table;
use crate::solver::testing::{brute_force, check, random};
use crate::solver::{Limits, Solver, Unsolved, Value, for_variant};

/// Rows, columns and length of a line: odd and even heights, one column, keys of 64 bits, and lines of all lengths.
const SIZES: [[usize; 3]; 18] = [
    [4, 4, 4],
    [5, 4, 4],
    [4, 5, 4],
    [3, 6, 4],
    [6, 5, 4],
    [5, 6, 4],
    [6, 7, 4],
    [7, 6, 4],
    [7, 8, 4],
    [6, 9, 4],
    [3, 16, 4],
    [1, 32, 4],
    [31, 2, 4],
    [9, 1, 2],
    [5, 5, 2],
    [5, 5, 3],
    [6, 7, 3],
    [6, 6, 5],
];

fn variant([rows, cols, connect]: [usize; 3]) -> Variant {
    format!("connect4:rows={rows},cols={cols},connect={connect}").parse().unwrap()
}

#[test]
fn every_value_is_that_of_brute_force() {
    /// Raise it for a long run.
    const POSITIONS: usize = 60;
    let mut rng = Rng::new(37);
    for size in SIZES {
        let variant = variant(size);
        let [rows, cols, connect] = size.map(|number| number as u32);
        let geometry = Size::new(rows, cols, connect).unwrap();
        // As small as keys allow, so that entries are replaced all the time.
        let bucket_bits = 9.max(geometry.key_bits().saturating_sub(49));
        let small = Table::new(geometry.key_bits(), bucket_bits);
        let mut solver = for_variant(&variant).unwrap();
        let mut memo = HashMap::new();
        let mut found = 0;
        for _ in 0..100 * POSITIONS {
            if found == POSITIONS {
                break;
            }
            let empty = 1 + rng.below(10) as usize;
            let Some(state) = random(&variant, empty.min(rows as usize * cols as usize), &mut rng) else { continue };
            found += 1;
            let expected = brute_force(state.as_ref(), &mut memo);
            check(solver.as_mut(), state.as_ref(), expected, &mut rng);

            let discs = discs_of(state.as_ref());
            let memory = Memory { table: &small, large: Some(&small), book: None };
            let score = Run::new(geometry, memory, &Limits::NONE).score(discs, None);
            let found = value_of(geometry.cells(), discs.count(), score);
            assert_eq!(found, expected, "{variant} {}", state.view(state.to_move()));
        }
        assert!(found * 4 >= POSITIONS, "{variant}: only {found} positions");
    }
}

#[test]
fn empty_boards_have_their_known_values() {
    let known = [
        ([4, 4, 4], Value::Draw),
        ([4, 5, 4], Value::Draw),
        ([4, 6, 4], Value::Loss(24)),
        ([5, 4, 4], Value::Draw),
        ([5, 5, 4], Value::Draw),
        ([6, 4, 4], Value::Draw),
    ];
    for (size, expected) in known {
        let variant = variant(size);
        let start = variant.start(0).unwrap();
        let value = for_variant(&variant).unwrap().value(start.as_ref(), None, &Limits::NONE).unwrap().value().unwrap();
        assert_eq!(value.outlook(), expected.outlook(), "{variant}");
    }
}

#[test]
fn the_common_board_is_a_size_like_any_other() {
    let size = Size::new(6, 7, 4).unwrap();
    assert_eq!(Classic.central_first(), size.central_first());
    assert_eq!([Classic.bottom(), Classic.board(), Classic.top_rows()], [size.bottom(), size.board(), size.top_rows()]);
    let mut rng = Rng::new(7);
    for _ in 0..20_000 {
        let cells = rng.below(u64::MAX) & rng.below(u64::MAX) & Classic.board();
        assert_eq!(Classic.completing(cells), size.completing(cells), "{cells:x}");
        assert_eq!(Classic.has_line(cells), size.has_line(cells), "{cells:x}");
        let mirrored = Classic.mirrored(cells);
        assert_eq!(Classic.mirrored(mirrored), cells);
        assert_eq!(Classic.has_line(mirrored), Classic.has_line(cells));
        assert_eq!(Classic.completing(mirrored), Classic.mirrored(Classic.completing(cells)));
    }
}

#[test]
fn scores_and_values_are_two_ways_to_say_the_same() {
    for cells in [12, 42, 45] {
        for n in 0..cells {
            for plies in 1..=cells - n {
                for value in [Value::Draw, if plies % 2 == 1 { Value::Win(plies) } else { Value::Loss(plies) }] {
                    let score = value.score(cells, n);
                    assert_eq!(value_of(cells, n, score), value, "{cells} cells, {n} discs");
                    assert_eq!(least_score(cells, n, value), score, "{cells} cells, {n} discs, {value:?}");
                }
            }
        }
    }
    // http://blog.gamesolver.org: the side that wins with its last disc has 1, with its fourth 18.
    assert_eq!([Value::Win(41).score(42, 0), Value::Win(1).score(42, 6), Value::Loss(2).score(42, 5)], [1, 18, -18]);
}

#[test]
fn limits_are_kept_and_answers_do_not_depend_on_earlier_questions() {
    let variant: Variant = "connect4".parse().unwrap();
    let mut solver = Connect4::new(Classic, None);
    let mut state = variant.start(0).unwrap();
    play(state.as_mut(), &[3, 3, 3, 3, 3, 1, 2, 1, 1].map(Move::Int)).unwrap();
    for nodes in [1, 100, 10_000] {
        let before = solver.nodes();
        assert_eq!(solver.value(state.as_ref(), None, &Limits::nodes(nodes)), Err(Unsolved::Nodes));
        assert_eq!(solver.nodes() - before, nodes + 1);
    }
    let stop = || true;
    let stopped = solver.value(state.as_ref(), None, &Limits { nodes: u64::MAX, stop: &stop });
    assert_eq!(stopped, Err(Unsolved::Stopped));

    let mut nodes = || {
        solver.forget();
        let before = solver.nodes();
        (solver.value(state.as_ref(), None, &Limits::NONE), solver.nodes() - before)
    };
    assert_eq!(nodes(), nodes());
}

#[test]
fn a_book_gives_every_score_that_was_put_into_it() {
    let mut rng = Rng::new(5);
    for count in [0, 1, 2, 100, 3_000] {
        let keys: std::collections::BTreeSet<u64> = (0..count).map(|_| rng.below(1 << 49)).collect();
        let scores: Vec<(u64, i32)> = keys.into_iter().map(|key| (key, rng.below(32) as i32 - 16)).collect();
        let file = Book::write(1, [0, 10], &scores);
        let book = Book::read(&file).unwrap();
        for (key, score) in &scores {
            assert_eq!(book.score_of(*key), *score);
        }
        for at in 0..file.len().min(200) {
            let mut changed = file.clone();
            changed[at] ^= 4;
            assert!(Book::read(&changed).is_err(), "byte {at}");
        }
        assert!(Book::read(&file[..file.len() - 1]).is_err());
    }
}

#[test]
fn the_shipped_book_says_what_a_search_says() {
    /// `arena-make check-book` checks more.
    const RANDOM: usize = 50;
    let check = BookCheck::new(4, RANDOM, 2_026).unwrap();
    assert_eq!(check.entries(), 1 + 25 + 568 + RANDOM);
    for entry in 0..check.entries() {
        assert_eq!(check.check(entry), Ok(()));
    }
}

#[test]
fn the_first_move_is_worth_what_is_known() {
    // Allis, A knowledge-based approach of connect-four, 1988; the distances: http://blog.gamesolver.org.
    let variant: Variant = "connect4".parse().unwrap();
    let mut solver = for_variant(&variant).unwrap();
    let scores = [0, 1, 2, 3, 4, 5, 6].map(|column| {
        let mut state = variant.start(0).unwrap();
        state.apply(&Move::Int(column)).unwrap();
        -solver.value(state.as_ref(), None, &Limits::NONE).unwrap().value().unwrap().score(42, 1)
    });
    assert_eq!(scores, [-2, -1, 0, 1, 0, -1, -2]);
}

#[test]
fn a_plan_has_every_open_position_once() {
    let counts = [0, 2, 4, 6].map(|ply| BookPlan::new(ply).positions());
    assert_eq!(counts, [1, 25, 568, 7_603]);
    assert_eq!(BookPlan::new(6).chunks(), 8);
    assert_eq!(BookPlan::new(2).finish(&[0; 24]), None);
}

#[test]
fn moves_are_taken_back_to_all_positions_that_lead_here_and_to_no_others() {
    let geometry = Size::new(3, 4, 3).unwrap();
    let mut level = vec![Discs { me: 0, opp: 0 }];
    for ply in 1..=9 {
        let mut leading: HashMap<u64, (Discs, Vec<Discs>)> = HashMap::new();
        for from in level {
            let mut cells = geometry.playable(from.me | from.opp);
            while cells != 0 {
                let cell = cells & cells.wrapping_neg();
                cells ^= cell;
                let to = Discs { me: from.opp, opp: from.me | cell };
                if !geometry.has_line(to.opp) {
                    leading.entry(geometry.key(to.me, to.opp)).or_insert((to, Vec::new())).1.push(from);
                }
            }
        }
        assert!(leading.len() > 1, "ply {ply}");
        for (to, from) in leading.values() {
            let sorted = |mut list: Vec<Discs>| {
                list.sort_by_key(|discs| geometry.key(discs.me, discs.opp));
                list
            };
            assert_eq!(sorted(before(geometry, *to)), sorted(from.clone()), "ply {ply}: {to:?}");
        }
        level = leading.into_values().map(|(to, _)| to).collect();
    }
}

#[test]
fn no_position_is_worth_less_than_the_positions_before_it_say() {
    let variant: Variant = "connect4".parse().unwrap();
    let mut solver = for_variant(&variant).unwrap();
    let mut rng = Rng::new(8);
    let (mut asked, mut exact) = (0, 0);
    for game in 0..60 {
        let mut state = variant.start(0).unwrap();
        let plies = [7, 9, 11][game % 3];
        for _ in 0..plies {
            if state.outcome().is_none() {
                state.apply(&state.nth_legal(rng.below(state.legal_count()))).unwrap();
            }
        }
        if state.outcome().is_some() {
            continue;
        }
        asked += 1;
        let floor = solver.floor(state.as_ref()).expect("all positions before this one are in the book");
        assert!(
            solver.reaches(state.as_ref(), floor, &Limits::NONE).unwrap(),
            "{floor:?} {:?}",
            state.view(state.to_move())
        );
        exact += usize::from(!solver.reaches(state.as_ref(), floor.above(), &Limits::NONE).unwrap());
    }
    assert!(asked > 40 && exact * 3 > asked, "{exact} of {asked}");
    // No book is for the positions before these, or for another board.
    assert_eq!(solver.floor(variant.start(0).unwrap().as_ref()), None);
    let small: Variant = "connect4:rows=6,cols=6".parse().unwrap();
    assert_eq!(for_variant(&small).unwrap().floor(small.start(0).unwrap().as_ref()), None);
}

#[test]
fn nothing_is_mistaken_for_another_position() {
    // All keys of a small board in the smallest table: what is found is what was put for this key, or nothing.
    let geometry = Size::new(3, 3, 3).unwrap();
    let table = Table::new(geometry.key_bits(), 3);
    let bounds = |key: u64| ((key % 31) as i32 - 30, (key % 29) as i32);
    for key in 0..1 << geometry.key_bits() {
        let (low, high) = bounds(key);
        table.put(key, low, high, key);
        assert_eq!(table.get(key), Some((low, high)));
        let other = key / 2;
        assert!(table.get(other).is_none_or(|found| found == bounds(other)));
    }
}
