//! What the tests of the rules share: naming positions and playing to them.

use arena::rng::Rng;
use arena::rules::{Move, State, Variant, play};

/// What every registered game must hold for is held for these; each game has its own here.
pub(crate) const VARIANTS: [&str; 29] = [
    "connect4",
    "connect4:cols=9",
    "connect4:rows=1,cols=5,connect=3",
    "connect4:rows=5,cols=1,connect=2",
    "connect4:rows=2,cols=2,connect=2",
    "connect4:rows=4,cols=5,connect=3",
    "connect4:rows=32,cols=32,connect=6",
    "connect4:rows=32,cols=32,connect=5",
    "tictactoe",
    "gomoku",
    "mnk:rows=1,cols=6",
    "mnk:rows=5,cols=4,k=4",
    "mnk:rows=32,cols=32,k=6",
    "mnk:rows=1,cols=2,k=2",
    "mnk:rows=3,cols=4,k=3",
    "marbles",
    "marbles:rule=fibonacci",
    "marbles:heap=1",
    "marbles:heap=2",
    "marbles:heap=3,rule=fibonacci",
    "marbles:heap=5,first_max=100",
    "marbles:heap=300,first_max=1,rule=fibonacci",
    "marbles:heap=1000000,first_max=1000000",
    "marbles:heap=12,rule=fibonacci",
    "mastermind",
    "mastermind:pegs=1,colors=2,max_guesses=1",
    "mastermind:pegs=1,colors=2,max_guesses=3",
    "mastermind:pegs=3,colors=3,max_guesses=4",
    "mastermind:pegs=8,colors=12",
];

/// The variant called `text`.
#[track_caller]
pub(crate) fn variant(text: &str) -> Variant {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// `game` after `moves`, given as JSON.
#[track_caller]
pub(crate) fn after(game: &str, moves: &str) -> Box<dyn State> {
    let mut state = variant(game).start(0).expect("built-in rules");
    let moves: Vec<Move> = serde_json::from_str(moves).expect("a list of moves");
    play(state.as_mut(), &moves).unwrap_or_else(|(ply, message)| panic!("{game}: move {ply}: {message}"));
    state
}

/// Who won and why, as `first line`; nothing before the end.
pub(crate) fn result(state: &dyn State) -> String {
    state.outcome().map_or(String::new(), |outcome| {
        format!("{} {}", outcome.winner.map_or("nobody", arena::rules::Seat::name), outcome.reason)
    })
}

/// Some legal move.
pub(crate) fn random_move(state: &dyn State, rng: &mut Rng) -> Move {
    state.nth_legal(rng.below(state.legal_count()))
}

/// The board as its view shows it.
pub(crate) fn board(state: &dyn State) -> Vec<String> {
    #[derive(serde::Deserialize)]
    struct View {
        board: Vec<String>,
    }
    let view: View = serde_json::from_str(state.view(state.to_move()).get()).expect("a view with a board");
    view.board
}

/// Whether `mark` has `connect` in a row anywhere: by looking everywhere, which is slow and plainly right.
pub(crate) fn has_line(board: &[Vec<u8>], mark: u8, connect: usize) -> bool {
    let at = |row: i32, col: i32| {
        let row = usize::try_from(row).ok().and_then(|row| board.get(row))?;
        usize::try_from(col).ok().and_then(|col| row.get(col)).copied()
    };
    let starts = (0..board.len() as i32).flat_map(|row| (0..board[0].len() as i32).map(move |col| (row, col)));
    starts.into_iter().any(|(row, col)| {
        [(0, 1), (1, 0), (1, 1), (1, -1)].into_iter().any(|(down, right)| {
            (0..connect as i32).all(|step| at(row + step * down, col + step * right) == Some(mark))
        })
    })
}

/// Every `connect` cells in a row on a board of this size, as rows and columns.
pub(crate) fn every_line(rows: usize, cols: usize, connect: usize) -> Vec<Vec<(usize, usize)>> {
    let mut lines = Vec::new();
    for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
        for (row, col) in (0..rows as i32).flat_map(|row| (0..cols as i32).map(move |col| (row, col))) {
            let cells = (0..connect as i32).map(|step| (row + step * down, col + step * right));
            let on_board =
                |&(row, col): &(i32, i32)| (0..rows as i32).contains(&row) && (0..cols as i32).contains(&col);
            if cells.clone().all(|cell| on_board(&cell)) {
                lines.push(cells.map(|(row, col)| (row as usize, col as usize)).collect());
            }
        }
    }
    lines
}
