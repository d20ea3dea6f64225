//! `mnk`, on every board of at most 25 cells.

mod board;
mod pairing;
mod scan;
mod search;
#[cfg(test)]
mod tests;

use super::table::{BUCKET_BITS, Table};
use super::{Answer, Known, Limits, Solver, SolverKind, Unsolved, Value};
use crate::rules::{Picture, Seat, State, Viewer};
use board::{Board, Marks};
use search::Run;

pub(super) const KIND: SolverKind = SolverKind {
    game: "mnk",
    version: 1,
    reach: "to 25 cells",
    digits: false,
    build: |variant| {
        let [rows, cols, k] = ["rows", "cols", "k"].map(|name| variant.params.size(name));
        Some(Box::new(Mnk::new(Board::new(rows, cols, k)?)))
    },
};

struct Mnk {
    board: Board,
    table: Table,
    nodes: u64,
}

impl Mnk {
    fn new(board: Board) -> Self {
        let table = Table::new(2 * board.cells(), BUCKET_BITS);
        Self { board, table, nodes: 0 }
    }

    /// Runs a search of a position.
    fn run<T>(
        &mut self,
        state: &dyn State,
        limits: &Limits<'_>,
        search: impl FnOnce(&mut Run<'_>, Marks) -> T,
    ) -> Result<T, Unsolved> {
        let marks = marks(state);
        let mut run = Run::new(&self.board, &self.table, limits);
        let found = search(&mut run, marks);
        let (nodes, stopped) = (run.nodes, run.stopped);
        self.nodes += nodes;
        stopped.map_or(Ok(found), Err)
    }
}

/// The marks of a position.
fn marks(state: &dyn State) -> Marks {
    let Picture::Board(board) = state.picture(Viewer::All) else { unreachable!("mnk is played on a board") };
    let owned = |seat: Seat| {
        let cells = board.cells.iter().enumerate().filter(|(_, owner)| **owner == Some(seat));
        cells.fold(0, |cells, (cell, _)| cells | 1 << cell)
    };
    let mover = state.to_move();
    Marks { me: owned(mover), opp: owned(mover.other()) }
}

impl Solver for Mnk {
    fn value(&mut self, state: &dyn State, floor: Option<Value>, limits: &Limits<'_>) -> Answer {
        let cells = self.board.cells();
        let value = self.run(state, limits, |run, marks| {
            let floor = floor.map(|value| least_score(cells, marks.count(), value));
            value_of(cells, marks.count(), run.score(marks, floor))
        })?;
        Ok(Known::Exact(value))
    }

    fn reaches(&mut self, state: &dyn State, least: Value, limits: &Limits<'_>) -> Result<bool, Unsolved> {
        let cells = self.board.cells();
        self.run(state, limits, |run, marks| run.reaches(marks, least_score(cells, marks.count(), least)))
    }

    fn nodes(&self) -> u64 {
        self.nodes
    }

    fn forget(&mut self) {
        self.table.clear();
    }
}

/// The value of a position with n marks and this score.
fn value_of(cells: u32, n: u32, score: i32) -> Value {
    // The marks on the board when the winner has won, less those of now.
    let plies = (cells + 1).saturating_sub(n + score.unsigned_abs());
    match score {
        0 => Value::Draw,
        1.. => Value::Win(plies),
        ..0 => Value::Loss(plies),
    }
}

/// The least score of values that are at least `least`.
fn least_score(cells: u32, n: u32, least: Value) -> i32 {
    let left = cells - n;
    match least {
        // Of the mover, which wins after an odd number of plies.
        Value::Win(plies) => (left + 1) as i32 - plies.min(left) as i32,
        Value::Draw => 0,
        Value::Loss(plies) => plies.min(left + 1) as i32 - (left + 1) as i32,
    }
}
