//! `mnk`: take any empty cell; a line of `k` or more wins. Includes tic-tac-toe and gomoku.

use serde_json::json;
use serde_json::value::RawValue;

use super::grid::{self, Grid};
use super::json::{write_coordinate, write_list};
use super::{
    Alias, EndReason, Move, Outcome, Param, ParamKind, Params, Picture, Refusal, Rules, Seat, SetupError, State,
    Viewer, WinningLines,
};

/// The rules.
pub(super) static MNK: Rules = Rules {
    one_move: "cell",
    reasons: &[EndReason { words: "{k} in a row", ..grid::LINE }, grid::FULL],
    params: &[
        Param { name: "rows", help: "height of the board", kind: ParamKind::Int { default: 3, min: 1, max: 32 } },
        Param { name: "cols", help: "width of the board", kind: ParamKind::Int { default: 3, min: 1, max: 32 } },
        Param { name: "k", help: "marks in a row to win", kind: ParamKind::Int { default: 3, min: 2, max: 32 } },
    ],
    aliases: &[
        Alias { name: "tictactoe", summary: "three in a row on 3×3", params: &[("rows", 3), ("cols", 3), ("k", 3)] },
        Alias {
            name: "gomoku",
            summary: "five or more in a row on 15×15",
            params: &[("rows", 15), ("cols", 15), ("k", 5)],
        },
    ],
    opening_plies: |params| {
        let plies = match params.size("rows") * params.size("cols") {
            0..=9 => 1,
            10..=36 => 2,
            _ => 3,
        };
        // No side has k marks before ply 2k - 1, so every opening is undecided.
        plies.min(2 * params.size("k") - 2)
    },
    plies_max: |params| params.size("rows") * params.size("cols"),
    game_schema: || {
        grid::schema(json!({
            "description": "Row and column, from 0.",
            "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 31 }, "minItems": 2, "maxItems": 2,
        }))
    },
    from_board: Some(|params, rows, first| {
        let MnkPosition(mut grid) = MnkPosition::new(params)?;
        grid.read(rows, first)?;
        match grid.check_counts().and_then(|()| grid.decide(|_| true)) {
            Ok(_) => Ok(Box::new(MnkPosition(grid))),
            Err(why) => Err(grid.reject(why)),
        }
    }),
    ..Rules::new("mnk", "take any empty cell; k or more in a row win", &|params, _| {
        Ok(Box::new(MnkPosition::new(params)?))
    })
};

#[derive(Debug, Clone)]
struct MnkPosition(Grid);

impl MnkPosition {
    fn new(params: &Params) -> Result<Self, SetupError> {
        Grid::new(params.size("rows"), params.size("cols"), params.size("k")).map(Self)
    }

    fn named(&self, cell: usize) -> Move {
        Move::List(vec![(cell / self.0.cols()) as i64, (cell % self.0.cols()) as i64])
    }

    fn write_cell(&self, out: &mut Vec<u8>, cell: usize) {
        write_list(out, [cell / self.0.cols(), cell % self.0.cols()], write_coordinate);
    }

    /// The cell named by a move, if it is on the board.
    fn cell(&self, played: &Move) -> Option<usize> {
        let Move::List(place) = played else { return None };
        let &[row, col] = place.as_slice() else { return None };
        let (row, col) = (usize::try_from(row).ok()?, usize::try_from(col).ok()?);
        (row < self.0.rows() && col < self.0.cols()).then(|| row * self.0.cols() + col)
    }
}

impl State for MnkPosition {
    fn to_move(&self) -> Seat {
        self.0.to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    fn legal_count(&self) -> u64 {
        if self.0.outcome().is_some() { 0 } else { self.0.empty() as u64 }
    }

    fn nth_legal(&self, index: u64) -> Move {
        let cell = self.0.empty_cells().nth(index as usize);
        self.named(cell.expect("an index below the count of legal moves"))
    }

    fn legal_moves(&self) -> Vec<Move> {
        if self.0.outcome().is_some() {
            return Vec::new();
        }
        self.0.empty_cells().map(|cell| self.named(cell)).collect()
    }

    fn write_legal_moves(&self, out: &mut Vec<u8>) {
        let empty = self.0.outcome().is_none().then(|| self.0.empty_cells());
        write_list(out, empty.into_iter().flatten(), |out, cell| self.write_cell(out, cell));
    }

    fn is_legal(&self, candidate: &Move) -> bool {
        self.0.outcome().is_none() && self.cell(candidate).is_some_and(|cell| self.0.is_empty(cell))
    }

    fn apply(&mut self, played: &Move) -> Result<(), Refusal> {
        let cell = self.cell(played).expect("a legal move is a cell of the board");
        self.0.take(cell);
        Ok(())
    }

    fn write_view(&self, _seat: Seat, out: &mut Vec<u8>) {
        self.0.write_view(|out, cell| self.write_cell(out, cell), out);
    }

    fn lines(&self) -> Option<WinningLines> {
        Some(self.0.lines())
    }

    fn value(&self) -> Option<Box<RawValue>> {
        Some(self.0.value())
    }

    fn used_up(&self) -> Option<[usize; 2]> {
        Some(self.0.used_up())
    }

    fn winner_within(&self, plies: usize) -> Option<Seat> {
        self.0.winner_within(plies, false)
    }

    fn key(&self) -> Vec<u8> {
        self.0.key()
    }

    fn picture(&self, _: Viewer) -> Picture {
        self.0.picture(false)
    }

    fn boxed_clone(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}
