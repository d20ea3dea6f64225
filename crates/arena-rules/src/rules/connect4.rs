//! `connect4`: discs fall to the lowest empty cell of a column; a line of `connect` or more wins.

use std::collections::HashSet;

use serde_json::json;
use serde_json::value::RawValue;

use super::grid::{self, Grid};
use super::json::{write_coordinate, write_list};
use super::{
    EndReason, Move, Outcome, Param, ParamKind, Params, Picture, Refusal, Rules, Seat, SetupError, State, Viewer,
    WinningLines,
};

/// Number of positions from which discs can be removed on a full 6×7 board. Boards with at most this many are searched
/// completely for a possible order of drops.
const POSITIONS_OF_6_BY_7: usize = 7_usize.pow(7);
/// Position limit for larger boards. Boards reached in play need a few thousand.
const DROP_POSITIONS_MAX: usize = 50_000;

/// The rules.
pub(super) static CONNECT4: Rules = Rules {
    one_move: "column",
    reasons: &[EndReason { words: "{connect} in a row", ..grid::LINE }, grid::FULL],
    params: &[
        Param { name: "rows", help: "height of the board", kind: ParamKind::Int { default: 6, min: 1, max: 32 } },
        Param { name: "cols", help: "width of the board", kind: ParamKind::Int { default: 7, min: 1, max: 32 } },
        Param { name: "connect", help: "discs in a row to win", kind: ParamKind::Int { default: 4, min: 2, max: 32 } },
    ],
    opening_plies: |params| {
        let cells = params.size("rows") * params.size("cols");
        // No side has `connect` discs before ply 2 * connect - 1, so every opening is undecided.
        4.min(cells / 4).min(2 * params.size("connect") - 2)
    },
    plies_max: |params| params.size("rows") * params.size("cols"),
    game_schema: || {
        grid::schema(json!({ "description": "A column, from 0.", "type": "integer", "minimum": 0, "maximum": 31 }))
    },
    from_board: Some(|params, rows, first| {
        let mut position = Connect4Position::new(params)?;
        position.grid.read(rows, first)?;
        match position.settle() {
            Ok(()) => Ok(Box::new(position)),
            Err(why) => Err(position.grid.reject(why)),
        }
    }),
    ..Rules::new("connect4", "drop discs into columns; four or more in a row win", &|params, _| {
        Ok(Box::new(Connect4Position::new(params)?))
    })
};

#[derive(Debug, Clone)]
struct Connect4Position {
    grid: Grid,
    /// Number of discs in each column.
    heights: Vec<u8>,
}

impl Connect4Position {
    fn new(params: &Params) -> Result<Self, SetupError> {
        let (rows, cols) = (params.size("rows"), params.size("cols"));
        let grid = Grid::new(rows, cols, params.size("connect"))?;
        Ok(Self { grid, heights: vec![0; cols] })
    }

    /// Works out heights and result of a board that was read from rows, or why no game can lead to it.
    fn settle(&mut self) -> Result<(), SetupError> {
        self.grid.check_counts()?;
        for col in 0..self.grid.cols() {
            let discs = (0..self.grid.rows()).filter(|row| !self.grid.is_empty(row * self.grid.cols() + col)).count();
            self.heights[col] = discs as u8;
            if let Some(height) = (0..discs).find(|height| self.grid.is_empty(self.cell(col, *height))) {
                let row = self.grid.rows() - 1 - height;
                return Err(SetupError::new(
                    "floating_disc",
                    format!("a disc floats in column {col}: the cell at row {row} below it is empty"),
                ));
            }
        }
        let heights = &self.heights;
        let (height, cols) = (self.grid.rows(), self.grid.cols());
        let last = self.grid.decide(|cell| usize::from(heights[cell % cols]) == height - cell / cols)?;
        let last: Vec<usize> = last.into_iter().map(|cell| cell % cols).collect();
        match self.can_be_dropped_in_turns(&last) {
            Some(true) => Ok(()),
            Some(false) => Err(SetupError::new(
                "bad_order",
                format!(
                    "the discs cannot have been dropped in turns, {} first: they lie in an impossible order",
                    self.grid.name(Seat::First)
                ),
            )),
            None => Err(SetupError::new(
                "undecided",
                format!(
                    "whether the discs can have been dropped in turns could not be decided within \
                     {DROP_POSITIONS_MAX} positions; give the moves instead"
                ),
            )),
        }
    }

    /// Whether the discs can be removed in alternating turns, starting with one of the columns in `last` unless it is
    /// empty. Returns `None` if the search exceeds its position limit.
    ///
    /// Only the order of colours matters. A board without a line had no line earlier. Neither had a board whose line
    /// ends with the last disc.
    fn can_be_dropped_in_turns(&self, last: &[usize]) -> Option<bool> {
        let owner = |col: usize, height: u8| self.grid.owner(self.cell(col, usize::from(height)));
        let columns = || (0..self.heights.len()).filter(|col| self.heights[*col] > 0);
        // The first disc lies at the bottom. The search starts from the last disc and would take long to notice.
        if columns().next().is_some() && columns().all(|col| owner(col, 0) == Some(Seat::Second)) {
            return Some(false);
        }
        let positions = columns().try_fold(1_usize, |all, col| all.checked_mul(usize::from(self.heights[col]) + 1));
        let positions_max = positions.filter(|all| *all <= POSITIONS_OF_6_BY_7).unwrap_or(DROP_POSITIONS_MAX);
        let mut seen = HashSet::new();
        let mut waiting = vec![self.heights.clone()];
        while let Some(mut heights) = waiting.pop() {
            let discs: usize = heights.iter().map(|height| usize::from(*height)).sum();
            if discs == 0 {
                return Some(true);
            }
            if seen.len() > positions_max {
                return None;
            }
            let dropped_by = Seat::after(discs - 1);
            let is_last = heights == self.heights;
            let allowed = |col: &usize| !is_last || last.is_empty() || last.contains(col);
            let is_next = |col: &usize| heights[*col] > 0 && owner(*col, heights[*col] - 1) == Some(dropped_by);
            let mut next: Vec<usize> = (0..heights.len()).filter(|col| allowed(col) && is_next(col)).collect();
            // Push the highest column last, so that it is tried first: its remaining discs are the hardest to place.
            // Positions from real games are then found with almost no backtracking.
            next.sort_by_key(|col| heights[*col]);
            for col in next {
                heights[col] -= 1;
                if !seen.contains(&heights) {
                    seen.insert(heights.clone());
                    waiting.push(heights.clone());
                }
                heights[col] += 1;
            }
        }
        Some(false)
    }

    /// The cell of `col` that has `height` cells below it.
    fn cell(&self, col: usize, height: usize) -> usize {
        (self.grid.rows() - 1 - height) * self.grid.cols() + col
    }

    /// The columns with room for a disc, ascending.
    fn open_columns(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.heights.len()).filter(|col| self.has_room(*col))
    }

    fn has_room(&self, col: usize) -> bool {
        usize::from(self.heights[col]) < self.grid.rows()
    }
}

impl State for Connect4Position {
    fn to_move(&self) -> Seat {
        self.grid.to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.grid.outcome()
    }

    fn legal_count(&self) -> u64 {
        if self.grid.outcome().is_some() { 0 } else { self.open_columns().count() as u64 }
    }

    fn nth_legal(&self, index: u64) -> Move {
        let col = self.open_columns().nth(index as usize);
        Move::Int(col.expect("an index below the count of legal moves") as i64)
    }

    fn legal_moves(&self) -> Vec<Move> {
        if self.grid.outcome().is_some() {
            return Vec::new();
        }
        self.open_columns().map(|col| Move::Int(col as i64)).collect()
    }

    fn write_legal_moves(&self, out: &mut Vec<u8>) {
        let open = self.grid.outcome().is_none().then(|| self.open_columns());
        write_list(out, open.into_iter().flatten(), write_coordinate);
    }

    fn is_legal(&self, candidate: &Move) -> bool {
        let Move::Int(col) = candidate else { return false };
        self.grid.outcome().is_none()
            && usize::try_from(*col).is_ok_and(|col| col < self.heights.len() && self.has_room(col))
    }

    fn apply(&mut self, played: &Move) -> Result<(), Refusal> {
        let Move::Int(col) = played else { panic!("a legal move is a column, not {played}") };
        let col = *col as usize;
        let cell = self.cell(col, usize::from(self.heights[col]));
        self.heights[col] += 1;
        self.grid.take(cell);
        Ok(())
    }

    fn write_view(&self, _seat: Seat, out: &mut Vec<u8>) {
        self.grid.write_view(|out, cell| write_coordinate(out, cell % self.grid.cols()), out);
    }

    fn lines(&self) -> Option<WinningLines> {
        Some(self.grid.lines())
    }

    fn value(&self) -> Option<Box<RawValue>> {
        Some(self.grid.value())
    }

    fn used_up(&self) -> Option<[usize; 2]> {
        Some(self.grid.used_up())
    }

    fn winner_within(&self, plies: usize) -> Option<Seat> {
        self.grid.winner_within(plies, true)
    }

    fn key(&self) -> Vec<u8> {
        self.grid.key()
    }

    fn picture(&self, _: Viewer) -> Picture {
        self.grid.picture(true)
    }

    fn boxed_clone(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}
