//! `mnk`, on boards of up to 25 cells.

mod lines;
mod pairing;
mod search;
#[cfg(test)]
mod tests;

use super::{Answer, Known, Limits, Solver, SolverKind, Unsolved, Value};
use crate::rules::{Picture, Seat, State, Viewer};
use lines::{CELLS_MAX, Lines};
use search::{Marks, Run, Table};

pub(super) const KIND: SolverKind = SolverKind {
    game: "mnk",
    version: 1,
    reach: "to 25 cells",
    digits: false,
    build: |variant| {
        let [rows, cols, k] = ["rows", "cols", "k"].map(|name| variant.params.size(name));
        (rows * cols <= CELLS_MAX).then(|| {
            Box::new(Mnk { lines: Lines::new(rows, cols, k), table: Table::new(), nodes: 0 }) as Box<dyn Solver>
        })
    },
};

struct Mnk {
    lines: Lines,
    table: Table,
    nodes: u64,
}

impl Mnk {
    /// Runs a search of a position.
    fn run<T>(
        &mut self,
        marks: Marks,
        limits: &Limits<'_>,
        search: impl FnOnce(&mut Run<'_>, Marks) -> Option<T>,
    ) -> Result<T, Unsolved> {
        let mut run = Run::new(&self.lines, &mut self.table, limits);
        let found = search(&mut run, marks);
        self.nodes += run.nodes;
        found.ok_or(run.stopped.unwrap_or(Unsolved::Stopped))
    }
}

impl Solver for Mnk {
    fn value(&mut self, state: &dyn State, floor: Option<Value>, limits: &Limits<'_>) -> Answer {
        let (marks, cells) = (marks_of(state), self.lines.cells);
        let floor = floor.map(|value| least_score(cells, marks.count(), value));
        let score = self.run(marks, limits, |run, marks| run.score(marks, floor))?;
        Ok(Known::Exact(value_of(cells, marks.count(), score)))
    }

    fn reaches(&mut self, state: &dyn State, least: Value, limits: &Limits<'_>) -> Result<bool, Unsolved> {
        let marks = marks_of(state);
        let least = least_score(self.lines.cells, marks.count(), least);
        self.run(marks, limits, |run, marks| run.reaches(marks, least))
    }

    fn nodes(&self) -> u64 {
        self.nodes
    }

    fn forget(&mut self) {
        self.table.clear();
    }
}

fn marks_of(state: &dyn State) -> Marks {
    let Picture::Board(board) = state.picture(Viewer::All) else { unreachable!("mnk is played on a board") };
    let of = |seat: Seat| {
        let cells = board.cells.iter().enumerate().filter(|(_, owner)| **owner == Some(seat));
        cells.fold(0, |marks, (cell, _)| marks | 1 << cell)
    };
    let mover = state.to_move();
    Marks { me: of(mover), opp: of(mover.other()) }
}

/// The value of a position with n marks and this score: the number of cells that are left once the game is won, and one more; negative if the
/// other side wins.
fn value_of(cells: u32, n: u32, score: i32) -> Value {
    let plies = (cells + 1).saturating_sub(n + score.unsigned_abs());
    match score {
        0 => Value::Draw,
        1.. => Value::Win(plies),
        ..0 => Value::Loss(plies),
    }
}

/// The least score of values that are at least `least`.
fn least_score(cells: u32, n: u32, least: Value) -> i32 {
    let left = |plies: u32| (cells + 1).saturating_sub(n.saturating_add(plies)) as i32;
    match least {
        Value::Win(plies) => left(plies).max(1),
        Value::Draw => 0,
        Value::Loss(plies) => -left(plies),
    }
}
