//! Tests the board against the rules, and its score against an evaluation from scratch, in random games.

use arena_core::rules::State;

use super::*;

const VARIANTS: &[&str] = &[
    "connect4",
    "connect4:rows=6,cols=9",
    "connect4:rows=3,cols=5,connect=2",
    "connect4:rows=1,cols=8,connect=3",
    "mnk",
    "mnk:rows=4,cols=5,k=4",
    "mnk:rows=2,cols=9,k=5",
    "gomoku",
];

/// The evaluation by its definition: counts the stones of every segment.
fn naive_score(state: &dyn State, rows: i64, cols: i64, need: i64) -> i32 {
    let view: serde_json::Value = serde_json::from_str(state.view(Seat::First).get()).unwrap();
    let at = |row: i64, col: i64| view["board"][row as usize].as_str().unwrap().as_bytes()[col as usize];
    let mut score = 0;
    for (row, col) in (0..rows).flat_map(|row| (0..cols).map(move |col| (row, col))) {
        for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
            let cells: Vec<(i64, i64)> = (0..need).map(|step| (row + down * step, col + right * step)).collect();
            if cells.iter().any(|(row, col)| !(0..rows).contains(row) || !(0..cols).contains(col)) {
                continue;
            }
            let count = |stone| cells.iter().filter(|(row, col)| at(*row, *col) == stone).count() as i64;
            let (first, second) = (count(b'X'), count(b'O'));
            let value = |stones: i64| match need - stones {
                _ if stones == 0 => 0,
                0 => 1_000_000,
                1 => 100,
                2 => 1,
                _ => 0,
            };
            if first == 0 || second == 0 {
                score += value(first) - value(second);
            }
        }
    }
    score
}

#[test]
fn a_board_agrees_with_the_rules_and_with_an_evaluation_from_scratch() {
    for text in VARIANTS {
        let variant: Variant = text.parse().unwrap();
        let size = |name: &str| variant.params.int(name);
        let need = if variant.rules.name == "mnk" { size("k") } else { size("connect") };
        for seed in 0..if *text == "gomoku" { 3 } else { 40 } {
            let mut rng = Rng::new(seed);
            let mut state = variant.start(0).unwrap();
            let mut board = SearchBoard::new(&variant);
            while state.outcome().is_none() {
                let mut legal = Vec::new();
                board.legal(&mut legal);
                let mut moves: Vec<Move> = legal.iter().map(|action| board.move_of(action)).collect();
                moves.sort();
                assert_eq!(moves, state.legal_moves(), "{text}");
                let played = state.nth_legal(rng.below(state.legal_count()));
                let action = board.action_of(&played).unwrap();
                let before = board.clone();
                let (wins, expected) = (board.wins(action, board.mover()), board.score() + board.gain(action));
                state.apply(&played).unwrap();
                board.play(&action);
                assert_eq!(board.winner.is_some(), wins);
                assert_eq!(board.score(), -expected);
                assert_eq!(board.score, naive_score(&*state, size("rows"), size("cols"), need), "{text}");
                board.undo();
                assert_eq!(
                    (&board.cells, &board.counts, &board.stones_near, board.score, board.hash, &board.heights),
                    (&before.cells, &before.counts, &before.stones_near, before.score, before.hash, &before.heights)
                );
                board.play(&action);
            }
            assert_eq!(board.winner, state.outcome().unwrap().winner, "{text}");
            assert!(board.winner.is_some() || board.empties() == 0);
        }
    }
}

#[test]
fn the_hash_does_not_depend_on_the_order_of_moves() {
    let mut boards = [SearchBoard::new(&"mnk".parse().unwrap()), SearchBoard::new(&"mnk".parse().unwrap())];
    for cell in 0..3 {
        boards[0].play(&cell);
        boards[1].play(&(2 - cell));
    }
    assert_eq!(boards[0].hash(), boards[1].hash());
    boards[0].undo();
    assert_ne!(boards[0].hash(), boards[1].hash());
}
