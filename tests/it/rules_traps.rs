//! Mistakes that others have made, each kept out by a test that names it.

use arena::rng::Rng;
use arena::rules::{Move, Viewer, illegal_move};
use arena::text::shown;

use crate::playing::{after, every_line, has_line, random_move, result, variant};

#[test]
fn five_or_more_in_a_row_made_by_one_disc_win() {
    assert_eq!(result(after("connect4", "[0,0,1,1,3,3,4,4,2]").as_ref()), "first line");
    assert_eq!(result(after("connect4", "[0,0,1,1,2,2,4,4,5,5,6,6,3]").as_ref()), "first line");
    assert_eq!(
        result(after("mnk:rows=1,cols=9,k=3", "[[0,0],[0,2],[0,1],[0,6],[0,4],[0,8],[0,5],[0,7]]").as_ref()),
        "second line"
    );
    let gomoku = "[[7,0],[0,0],[7,1],[0,2],[7,2],[0,4],[7,4],[0,6],[7,5],[0,8],[7,3]]";
    assert_eq!(result(after("gomoku", gomoku).as_ref()), "first line");
}

#[test]
fn three_in_a_row_do_not_win_where_four_are_asked() {
    assert_eq!(result(after("connect4", "[0,0,1,1,2,2]").as_ref()), "");
    assert_eq!(result(after("connect4", "[0,1,0,1,0,1]").as_ref()), "");
}

#[test]
fn both_diagonals_win() {
    assert_eq!(result(after("connect4", "[0,1,1,2,2,3,2,3,3,6,3]").as_ref()), "first line");
    assert_eq!(result(after("connect4", "[6,5,5,4,4,3,4,3,3,0,3]").as_ref()), "first line");
}

#[test]
fn every_line_of_connect4_wins_wherever_it_lies() {
    for (rows, cols) in [(6, 7), (6, 9)] {
        for (seed, line) in (0..).zip(every_line(rows, cols, 4)) {
            let moves = game_won_by(&line, rows, cols, seed);
            let mut state = variant(&format!("connect4:rows={rows},cols={cols}")).start(0).unwrap();
            for col in moves {
                assert_eq!(result(state.as_ref()), "", "{line:?}\n{}", state.picture(Viewer::All));
                state.apply(&Move::Int(col as i64)).unwrap();
            }
            assert_eq!(result(state.as_ref()), "first line", "{line:?}\n{}", state.picture(Viewer::All));
        }
    }
}

#[test]
fn every_line_of_mnk_wins_wherever_it_lies_and_whichever_cell_comes_last() {
    for (rows, cols, k) in [(3, 3, 3), (5, 4, 3), (5, 4, 4), (6, 9, 5)] {
        for line in every_line(rows, cols, k) {
            for last in 0..k {
                let mut own = line.clone();
                own.swap(last, k - 1);
                // The other side has too few marks for a line of its own.
                let others = (0..rows).flat_map(|row| (0..cols).map(move |col| (row, col)));
                let mut others = others.filter(|cell| !line.contains(cell));
                let mut state = variant(&format!("mnk:rows={rows},cols={cols},k={k}")).start(0).unwrap();
                for (index, cell) in own.iter().enumerate() {
                    if index > 0 {
                        state.apply(&cell_move(others.next().expect("room"))).unwrap();
                    }
                    assert_eq!(result(state.as_ref()), "");
                    state.apply(&cell_move(*cell)).unwrap();
                }
                assert_eq!(result(state.as_ref()), "first line", "{line:?}\n{}", state.picture(Viewer::All));
            }
        }
    }
}

#[test]
fn nothing_wraps_round_a_border() {
    // Cells that follow each other at equal steps in memory, by rows or by columns, without being a line.
    const ROWS: usize = 5;
    const COLS: usize = 4;
    const K: usize = 3;
    let by_rows = |index: usize| (index / COLS, index % COLS);
    let by_cols = |index: usize| (index % ROWS, index / ROWS);
    let lines = every_line(ROWS, COLS, K);
    let mut tried = 0;
    for start in 0..ROWS * COLS {
        for step in [1, COLS - 1, COLS, COLS + 1, ROWS, ROWS + 1] {
            let indices: Vec<usize> = (0..K).map(|count| start + count * step).collect();
            if indices[K - 1] >= ROWS * COLS {
                continue;
            }
            for cells in
                [indices.iter().map(|i| by_rows(*i)).collect::<Vec<_>>(), indices.iter().map(|i| by_cols(*i)).collect()]
            {
                let is_line = lines.iter().any(|line| line.iter().all(|cell| cells.contains(cell)));
                let all = (0..ROWS * COLS).map(by_rows);
                let mut others = all.filter(|cell| !cells.contains(cell));
                let mut state = variant(&format!("mnk:rows={ROWS},cols={COLS},k={K}")).start(0).unwrap();
                for (index, cell) in cells.iter().enumerate() {
                    if index > 0 {
                        state.apply(&cell_move(others.next().expect("room"))).unwrap();
                    }
                    state.apply(&cell_move(*cell)).unwrap();
                }
                assert_eq!(result(state.as_ref()) == "first line", is_line, "{}", state.picture(Viewer::All));
                tried += usize::from(!is_line);
            }
        }
    }
    assert!(tried > 50, "{tried}");
}

#[test]
fn nothing_wraps_from_one_column_of_connect4_to_the_next() {
    // Three on top of column 0 and one at the bottom of column 1; three at the right end of a row and one further up.
    assert_eq!(result(after("connect4", "[1,0,6,0,6,0,0,6,0,1,0]").as_ref()), "");
    assert_eq!(result(after("connect4", "[4,0,5,1,6,0]").as_ref()), "");
}

#[test]
fn a_line_made_by_the_very_last_mark_wins() {
    let full = "[[0,0],[1,0],[0,1],[1,1],[1,2],[2,1],[2,0],[2,2],[0,2]]";
    assert_eq!(result(after("tictactoe", full).as_ref()), "first line");
    let mut rng = Rng::new(1);
    let (mut won, mut drawn) = (0, 0);
    for _ in 0..3_000 {
        let mut state = variant("connect4:rows=4,cols=5").start(0).unwrap();
        let mut plies = 0;
        while state.outcome().is_none() {
            state.apply(&random_move(state.as_ref(), &mut rng)).unwrap();
            plies += 1;
        }
        if plies == 20 {
            let board: Vec<Vec<u8>> =
                crate::playing::board(state.as_ref()).into_iter().map(String::into_bytes).collect();
            let line = has_line(&board, b'O', 4);
            assert_eq!(result(state.as_ref()), if line { "second line" } else { "nobody board_full" });
            *(if line { &mut won } else { &mut drawn }) += 1;
        }
    }
    assert!(won > 0 && drawn > 0, "{won} won and {drawn} drawn");
}

#[test]
fn a_huge_column_is_not_cut_down_to_a_small_one() {
    let state = after("connect4", "[]");
    for col in [(1_i64 << 32) + 3, (1 << 40) + 3, (1 << 8) + 3, -1, 7, i64::MIN, i64::MAX] {
        assert!(!state.is_legal(&Move::Int(col)), "{col}");
    }
    assert!(state.is_legal(&Move::Int(3)));
}

#[test]
fn a_full_column_is_illegal_and_the_rest_are_not() {
    let state = after("connect4", "[3,3,3,3,3,3]");
    assert!(!state.is_legal(&Move::Int(3)));
    assert_eq!(state.legal_moves(), [0, 1, 2, 4, 5, 6].map(Move::Int));
}

#[test]
fn what_would_have_been_legal_is_never_cut_in_the_middle() {
    let refused = |name: &str| illegal_move(after(name, "[]").as_ref(), &Move::Int(-1)).to_string();
    assert_eq!(refused("connect4"), "move -1 is not legal; legal: 0, 1, 2, 3, 4, 5, 6");
    for (name, count) in [("gomoku", 225), ("connect4:cols=32", 32), ("mastermind:pegs=8,colors=12", 429_981_696)] {
        let told = refused(name);
        assert_eq!(shown(&told), told, "{name}");
        assert!(told.ends_with(&format!(", … ({count} in all)")), "{name}: {told}");
    }
}

#[test]
fn nothing_is_legal_after_the_end() {
    let state = after("connect4", "[0,1,0,1,0,1,0]");
    assert!((state.legal_count(), state.is_legal(&Move::Int(2)), state.legal_moves()) == (0, false, Vec::new()));
}

#[test]
fn marbles_are_taken_within_the_bounds_of_the_rules() {
    check_takes("marbles", "[]", "1..10");
    check_takes("marbles", "[10]", "11..20");
    check_takes("marbles", "[1]", "2..2");
    check_takes("marbles:heap=30", "[10]", "11..20");
    check_takes("marbles:heap=29", "[10]", "11..19");
    check_takes("marbles:heap=21", "[10]", "11..11");
    check_takes("marbles:heap=20", "[10]", "10..10");
    check_takes("marbles:heap=15", "[10]", "5..5");
    check_takes("marbles:rule=fibonacci", "[10]", "1..20");
    check_takes("marbles:rule=fibonacci,heap=15", "[10]", "1..5");
    check_takes("marbles:heap=1", "[]", "1..1");
    check_takes("marbles:heap=2", "[]", "1..1");
    check_takes("marbles:heap=2", "[1]", "1..1");
    check_takes("marbles:heap=7,first_max=100", "[]", "1..6");
    check_takes("marbles:heap=7,first_max=7,rule=fibonacci", "[]", "1..6");
}

#[test]
fn the_player_who_takes_the_last_marble_wins() {
    assert_eq!(result(after("marbles:heap=1", "[1]").as_ref()), "first last_marble");
    assert_eq!(result(after("marbles:heap=2", "[1,1]").as_ref()), "second last_marble");
    assert_eq!(result(after("marbles:heap=4", "[1,2,1]").as_ref()), "first last_marble");
}

#[test]
fn parameters_that_do_not_fit_together_are_refused_with_the_reason() {
    for (game, reason) in [
        ("connect4:connect=8", "8 in a row does not fit on 6 rows and 7 columns; at most 7 fit"),
        ("mnk:k=4", "4 in a row does not fit on 3 rows and 3 columns; at most 3 fit"),
        ("connect4:rows=1,cols=1,connect=2", "at most 1 fit"),
        ("connect4:rows=33", "an integer from 1 to 32"),
        ("mastermind:colors=13", "an integer from 2 to 12"),
        ("marbles:heap=0", "an integer from 1 to 1000000"),
    ] {
        let error = game.parse::<arena::rules::Variant>().expect_err(game).to_string();
        assert!(error.contains(reason), "{game}: {error}");
    }
}

#[track_caller]
fn check_takes(game: &str, moves: &str, expected: &str) {
    let legal = after(game, moves).legal_moves();
    let [Some(Move::Int(min)), Some(Move::Int(max))] = [legal.first(), legal.last()] else { panic!("no takes") };
    assert_eq!(format!("{min}..{max}"), expected);
    assert_eq!(legal.len() as i64, max - min + 1);
}

fn cell_move((row, col): (usize, usize)) -> Move {
    Move::List(vec![row as i64, col as i64])
}

/// Columns of a game on `rows` × `cols` that the first side wins by `line` and nothing else, found by trial.
fn game_won_by(line: &[(usize, usize)], rows: usize, cols: usize, seed: u64) -> Vec<usize> {
    let mut rng = Rng::new(seed);
    (0..100_000)
        .find_map(|_| try_to_win_by(line, rows, cols, &mut rng))
        .unwrap_or_else(|| panic!("no game for {line:?}"))
}

fn try_to_win_by(line: &[(usize, usize)], rows: usize, cols: usize, rng: &mut Rng) -> Option<Vec<usize>> {
    let mut board = vec![vec![b'.'; cols]; rows];
    let mut moves = Vec::new();
    loop {
        let (mark, own) = if moves.len() % 2 == 0 { (b'X', true) } else { (b'O', false) };
        let mut drops = Vec::new();
        for col in 0..cols {
            let Some(row) = (0..rows).rev().find(|row| board[*row][col] == b'.') else { continue };
            board[row][col] = mark;
            let wins = has_line(&board, mark, 4);
            if wins && line.iter().all(|(row, col)| board[*row][*col] == b'X') {
                moves.push(col);
                return Some(moves);
            }
            board[row][col] = b'.';
            if !wins && (own || !line.contains(&(row, col))) {
                drops.push((row, col));
            }
        }
        if drops.is_empty() {
            return None;
        }
        let (row, col) = drops[rng.below(drops.len() as u64) as usize];
        board[row][col] = mark;
        moves.push(col);
    }
}
