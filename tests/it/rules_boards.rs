//! Positions given as boards: exactly those that a game can lead to are accepted.

use std::collections::HashSet;

use arena::rng::Rng;
use arena::rules::{Mark, State, Viewer};

use crate::playing::{board, result, variant};

#[test]
fn exactly_the_reachable_boards_are_accepted() {
    for game in [
        "tictactoe",
        "mnk:rows=2,cols=4,k=3",
        "mnk:rows=3,cols=3,k=2",
        "connect4:rows=3,cols=3,connect=3",
        "connect4:rows=3,cols=3,connect=2",
        "connect4:rows=2,cols=5,connect=3",
        "connect4:rows=5,cols=2,connect=3",
        "connect4:rows=4,cols=3,connect=4",
    ] {
        let variant = variant(game);
        let (rows, cols) = (variant.params.size("rows"), variant.params.size("cols"));
        let reachable = reachable(variant.start(0).unwrap());
        let mut accepted = 0;
        for index in 0..3_usize.pow((rows * cols) as u32) {
            let cells: String =
                (0..rows * cols).map(|cell| ['.', 'X', 'O'][index / 3_usize.pow(cell as u32) % 3]).collect();
            // Of the largest, only boards on which no disc floats, a twentieth; small ones show the others.
            let below = cells.chars().skip(cols);
            if rows * cols > 10 && cells.chars().zip(below).any(|(above, below)| above != '.' && below == '.') {
                continue;
            }
            let rows: Vec<String> = (0..rows).map(|row| cells[row * cols..(row + 1) * cols].to_owned()).collect();
            let judged = variant.rules.start_from_board(&variant.params, Some(&rows), Mark::X);
            assert_eq!(judged.is_ok(), reachable.contains(&rows), "{game}: {rows:?} {judged:?}");
            accepted += usize::from(judged.is_ok());
        }
        assert_eq!(accepted, reachable.len());
    }
}

#[test]
fn an_impossible_board_is_refused_with_the_reason() {
    let check = |game: &str, rows: &[&str], reason: &str| {
        let variant = variant(game);
        let rows: Vec<String> = rows.iter().map(|row| (*row).to_owned()).collect();
        let error =
            variant.rules.start_from_board(&variant.params, Some(&rows), Mark::X).expect_err(reason).to_string();
        assert_eq!(error, reason);
    };
    check("tictactoe", &["...", "..."], "the board has 2 rows, not 3");
    check("tictactoe", &["...", "....", "..."], "row 1 has 4 cells, not 3");
    check("tictactoe", &["...", ".☃.", "..."], "`☃` at row 1, column 1 is none of `.`, `X` and `O`");
    check("tictactoe", &["...", "..x", "..."], "`x` at row 1, column 2 is none of `.`, `X` and `O`");
    let counts = "are impossible: X moves first, so there are as many X as O, or one more";
    check("tictactoe", &["XX.", "...", "..."], &format!("2 X and 0 O {counts}"));
    check("tictactoe", &["O..", "...", "..."], &format!("0 X and 1 O {counts}"));
    check("tictactoe", &["XXX", "OOO", "..."], "both X and O have a line; the game ended with the first");
    check("tictactoe", &["XXX", "OO.", "O.."], "X has a line, but O moved after it");
    check("tictactoe", &["OOO", "XX.", "XX."], "O has a line, but X moved after it");
    let two = "X has lines that no single last move can have completed; the game ended with the first";
    check("mnk:rows=2,cols=7,k=3", &["XXX.XXX", "OO.OO.O"], two);
    let small = "connect4:rows=3,cols=3,connect=3";
    check(small, &["...", "X..", ".O."], "a disc floats in column 0: the cell at row 2 below it is empty");
    let order = "the discs cannot have been dropped in turns, X first: they lie in an impossible order";
    check(small, &["...", "X..", "O.."], order);
    // X's line is buried: its last disc would have had to fall first.
    check("connect4:rows=3,cols=4,connect=3", &["....", "OOX.", "XXXO"], two);
    // All columns begin with O, so no first move is possible; detecting it must not take a search.
    let (x, o) = (format!("{}.", "X".repeat(31)), format!("{}.", "O".repeat(31)));
    let (top, bottom) = ([x.as_str(); 16], [o.as_str(); 16]);
    check("connect4:rows=32,cols=32,connect=32", &[top, bottom].concat(), order);
    // The second X cannot have been dropped, but there are very many ways to search.
    let low = [".XXXXXXX"; 3].into_iter().chain([".OOOOOOO", "OOOOOOOO", "XOOOOOOO"]);
    let deep: Vec<&str> = [".OOOOOOO", ".XXXXXXX"].into_iter().cycle().take(26).chain(low).collect();
    let undecided = "whether the discs can have been dropped in turns could not be decided within 50000 positions; give the \
                     moves instead";
    check("connect4:rows=32,cols=8,connect=32", &deep, undecided);
    let none = "a game of marbles cannot be judged from a board; give its moves, or an object such as \
                {\"heap\":20,\"last\":3}";
    check("marbles", &["."], none);
}

/// Boards with so many possible orders of moves that a search could try only some.
#[test]
fn large_boards_that_games_lead_to_are_accepted() {
    for (seed, game) in (0..40).flat_map(|seed| LARGE.iter().map(move |game| (seed, *game))) {
        let variant = variant(game);
        let mut rng = Rng::new(seed);
        let (mut state, mut before) = (variant.start(0).unwrap(), None);
        // Near one side at first, so that some columns are much higher than others.
        let spread = 1 + rng.below(12);
        while state.outcome().is_none() {
            before = Some(state.boxed_clone());
            let index = rng.below(state.legal_count().min(spread)).min(rng.below(state.legal_count()));
            state.apply(&state.nth_legal(index)).unwrap();
        }
        for state in before.iter().chain([&state]) {
            let judged = variant.rules.start_from_board(&variant.params, Some(&board(state.as_ref())), Mark::X);
            assert!(judged.is_ok(), "{game}, {seed}: {:?}", judged.err());
        }
    }
}

const LARGE: &[&str] =
    &["connect4:rows=32,cols=32,connect=32", "connect4:rows=32,cols=8,connect=20", "connect4:rows=9,cols=9,connect=8"];

#[test]
fn a_line_through_which_one_disc_completed_two_is_accepted() {
    let variant = variant("tictactoe");
    let rows = ["XXX", "XOO", "XOO"].map(str::to_owned);
    let state = variant.rules.start_from_board(&variant.params, Some(&rows), Mark::X).expect("a double line");
    assert_eq!(result(state.as_ref()), "first line");
}

#[test]
fn a_played_on_board_goes_on_like_a_game() {
    let variant = variant("connect4");
    let rows = [".......", ".......", ".......", "X......", "X......", "XOOO..."].map(str::to_owned);
    let mut state = variant.rules.start_from_board(&variant.params, Some(&rows), Mark::X).expect("possible");
    state.apply(&arena::rules::Move::Int(4)).unwrap();
    assert_eq!(
        state.view(arena::rules::Seat::First).get(),
        r#"{"board":[".......",".......",".......","X......","X......","XOOOX.."],"moves":[4]}"#
    );
}

#[test]
fn boards_for_people_are_aligned_and_show_the_last_move() {
    let shown = crate::playing::after("connect4", "[3,3,4]").picture(Viewer::All).to_string();
    let expected = [
        " 0 1 2 3 4 5 6",
        " . . . . . . .",
        " . . . . . . .",
        " . . . . . . .",
        " . . . . . . .",
        " . . . O . . .",
        " . . . X x . .",
        "last move: column 4, shown as x",
    ];
    assert_eq!(shown.lines().collect::<Vec<_>>(), expected);
    let shown = crate::playing::after("mnk:rows=11,cols=2,k=3", "[[0,0],[10,1]]").picture(Viewer::All).to_string();
    assert!(shown.starts_with("   0 1\n 0 X .\n 1 . .\n"), "{shown}");
    assert!(shown.ends_with("\n 9 . .\n10 . o\nlast move: [10,1], shown as o"), "{shown}");
    let wide = variant("connect4:rows=32,cols=32").start(0).unwrap().picture(Viewer::All).to_string();
    assert!(wide.lines().all(|line| line.len() == 32 * 3), "{wide}");
}

fn reachable(start: Box<dyn State>) -> HashSet<Vec<String>> {
    let mut seen = HashSet::from([board(start.as_ref())]);
    let mut waiting = vec![start];
    while let Some(state) = waiting.pop() {
        for played in state.legal_moves() {
            let mut next = state.boxed_clone();
            next.apply(&played).expect("built-in rules");
            if seen.insert(board(next.as_ref())) {
                waiting.push(next);
            }
        }
    }
    seen
}
