//! Positions and moves against perfect play.

use serde::Serialize;

use crate::rules::{AnsweredGuess, Move, Picture, State, Variant, Viewer};
use crate::solver::{
    Answer, Guesser, Known, Limits, Unsolved, Value, for_variant, seen_guesses, solve, winning_ranges,
};

/// Positions searched for one answer, unless a question says otherwise.
pub const SOLVE_NODES: u64 = 50_000_000;
/// Moves are listed up to this many.
const MOVES_MAX: u64 = 1_024;

/// The value of a position with best play, and of each move.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Solution {
    /// `win`, `draw` or `loss` of the side to move; none if it is not known.
    pub result: Option<&'static str>,
    /// Moves of the winner until it wins, as people count; none for a draw, and where distances are not known.
    #[serde(rename = "in")]
    pub moves_left: Option<u32>,
    /// Plies until the end; none as above.
    pub plies: Option<u32>,
    /// Plies of the whole game by then; none as above, and in games where marks are not counted on a board.
    pub end_ply: Option<u32>,
    /// The score of the field, on boards where discs fall.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<i32>,
    /// The moves that are as good as the position, ascending.
    pub best: Vec<Move>,
    /// Each column, on boards where discs fall; null if it is full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<Option<MoveWorth>>>,
    /// Each legal move, in other games that are searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<MoveWorth>>,
    /// The winning takes, as ranges, in games that have such.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winning_ranges: Option<Vec<[i64; 2]>>,
    /// The mean number of further guesses of the reference strategy, in games of guessing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<f64>,
    /// Positions searched.
    pub nodes: u64,
    /// Whether everything asked for is known.
    pub exact: bool,
    /// Why something is not known: `nodes`, `stopped` or `no_solver`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<&'static str>,
}

/// A move against perfect play, for the side that makes it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MoveWorth {
    /// The move.
    #[serde(rename = "move")]
    pub played: Move,
    /// `win`, `draw` or `loss`; none if it is not known.
    pub result: Option<&'static str>,
    /// As [`Solution::moves_left`].
    #[serde(rename = "in")]
    pub moves_left: Option<u32>,
    /// As [`Solution::score`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<i32>,
}

/// A board, as far as distances and scores need it.
#[derive(Clone, Copy)]
struct Size {
    cells: u32,
    plies: u32,
    cols: usize,
    gravity: bool,
}

impl Solution {
    /// Solves a position of an unfinished game. With `only_result`, distances are not looked for.
    #[must_use]
    pub fn of(variant: &Variant, state: &dyn State, only_result: bool, limits: &Limits<'_>) -> Self {
        if let (Some(mut guesser), Some(guesses)) = (Guesser::for_variant(variant), seen_guesses(state)) {
            return Self::of_guesses(&mut guesser, &guesses, limits);
        }
        let Ok(mut solver) = for_variant(variant) else {
            return Self { cause: Some("no_solver"), ..Self::unknown() };
        };
        if let Some(ranges) = winning_ranges(variant, state) {
            let best = ranges.first().map(|[from, _]| Move::Int(*from)).into_iter().collect();
            let result = if ranges.is_empty() { "loss" } else { "win" };
            return Self { result: Some(result), best, winning_ranges: Some(ranges), exact: true, ..Self::unknown() };
        }
        if state.legal_count() > MOVES_MAX {
            return Self { cause: Some("no_solver"), ..Self::unknown() };
        }
        let found = solve(solver.as_mut(), state, only_result, limits);
        let size = Size::of(state);
        let cause = |answer: &Answer| answer.as_ref().err().copied().map(Unsolved::name);
        let cause = cause(&found.answer).or_else(|| found.moves.iter().find_map(|(_, answer)| cause(answer)));
        let worths: Vec<MoveWorth> = found.moves.iter().map(|(played, answer)| worth(played, *answer, size)).collect();
        let (columns, options) = match size.filter(|size| size.gravity) {
            Some(size) => {
                let column =
                    |column: usize| worths.iter().find(|worth| worth.played == Move::Int(column as i64)).cloned();
                (Some((0..size.cols).map(column).collect()), None)
            }
            None => (None, Some(worths)),
        };
        let value = found.answer.ok().and_then(Known::value);
        let plies = value.and_then(Value::plies);
        Self {
            result: found.answer.ok().map(|known| known.outlook().name()),
            moves_left: value.and_then(Value::moves),
            plies,
            end_ply: size.and_then(|size| plies.map(|plies| plies + size.plies)),
            score: size.filter(|size| size.gravity).and_then(|size| Some(value?.score(size.cells, size.plies))),
            best: found.best(),
            columns,
            options,
            winning_ranges: None,
            expected: None,
            nodes: found.nodes,
            exact: cause.is_none(),
            cause,
        }
    }

    /// The race for a code: what the strategy against the code does, whatever the other side knows.
    fn of_guesses(strategy: &mut Guesser, guesses: &[AnsweredGuess], limits: &Limits<'_>) -> Self {
        let found =
            strategy.expected(guesses, limits).and_then(|expected| Ok((expected, strategy.best(guesses, limits)?)));
        let nodes = strategy.nodes();
        match found {
            Ok((expected, best)) => Self {
                expected: Some(expected.mean()),
                best: best.into_iter().map(|code| Move::List(code.into_iter().map(i64::from).collect())).collect(),
                exact: true,
                nodes,
                ..Self::unknown()
            },
            Err(why) => Self { cause: Some(why.name()), nodes, ..Self::unknown() },
        }
    }

    /// All legal moves, where they are listed.
    pub fn moves(&self) -> impl Iterator<Item = &MoveWorth> {
        self.columns.iter().flatten().flatten().chain(self.options.iter().flatten())
    }

    const fn unknown() -> Self {
        Self {
            result: None,
            moves_left: None,
            plies: None,
            end_ply: None,
            score: None,
            best: Vec::new(),
            columns: None,
            options: None,
            winning_ranges: None,
            expected: None,
            nodes: 0,
            exact: false,
            cause: None,
        }
    }
}

fn worth(played: &Move, answer: Answer, size: Option<Size>) -> MoveWorth {
    let value = answer.ok().and_then(Known::value);
    MoveWorth {
        played: played.clone(),
        result: answer.ok().map(|known| known.outlook().name()),
        moves_left: value.and_then(Value::moves),
        // Scores are of the whole game, so those of a move are those of the position before it.
        score: size.filter(|size| size.gravity).and_then(|size| Some(value?.score(size.cells, size.plies))),
    }
}

impl Size {
    /// `None` in games without a board.
    fn of(state: &dyn State) -> Option<Self> {
        let Picture::Board(board) = state.picture(Viewer::All) else { return None };
        let plies = board.cells.iter().flatten().count() as u32;
        Some(Self { cells: board.cells.len() as u32, plies, cols: board.cols, gravity: board.gravity })
    }
}
