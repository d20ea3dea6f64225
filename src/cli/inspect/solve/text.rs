//! Answers as text, JSON and CSV.

use std::fmt::Write as _;

use arena_core::judge::{Mistake, MoveWorth, Solution};
use arena_core::rules::{Move, Picture, State, Variant, Viewer};
use arena_core::solver::for_variant;
use arena_core::text::{counted, json, shown};
use serde::Serialize;

use super::asked::Asked;

/// How answers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// For people, with the board or without.
    Text {
        /// Whether the board is shown too.
        board: bool,
    },
    Json,
    Csv,
}

/// The first line of CSV.
pub(super) const CSV_HEADER: &str = "position,to_move,result,in,plies,end_ply,score,best,moves,nodes,cause,error\n";

type Answer<'a> = Result<Solution, &'a Mistake>;

impl Form {
    /// The answer, for people in several lines.
    pub(super) fn whole(self, asked: &Asked, answer: &Answer<'_>) -> String {
        match (self, &asked.position, answer) {
            (Self::Text { board }, Ok((game, state)), Ok(solution)) => page(game, state.as_ref(), solution, board),
            _ => self.line(asked, answer),
        }
    }

    /// The answer in one line.
    pub(super) fn line(self, asked: &Asked, answer: &Answer<'_>) -> String {
        match self {
            Self::Text { .. } => sentence(asked, answer),
            Self::Json => json_line(asked, answer),
            Self::Csv => csv_line(asked, answer),
        }
    }
}

#[derive(Serialize)]
struct Line<'a> {
    position: &'a str,
    moves: &'a [Move],
    to_move: Option<usize>,
    #[serde(flatten)]
    solution: Option<&'a Solution>,
    error: Option<&'a Mistake>,
}

fn json_line(asked: &Asked, answer: &Answer<'_>) -> String {
    let line = Line {
        position: &asked.written,
        moves: &asked.moves,
        to_move: asked.position.as_ref().ok().map(|(_, state)| state.to_move().index()),
        solution: answer.as_ref().ok(),
        error: answer.as_ref().err().copied(),
    };
    json(&serde_json::to_string(&line).expect("an answer is plain data")).into_owned()
}

fn csv_line(asked: &Asked, answer: &Answer<'_>) -> String {
    let to_move = asked.position.as_ref().ok().map(|(_, state)| state.to_move().index().to_string());
    let (solution, error) = (answer.as_ref().ok(), answer.as_ref().err());
    let number = |number: Option<u32>| number.map_or_else(String::new, |number| number.to_string());
    let worths = solution.map_or_else(String::new, |solution| {
        let worths =
            solution.moves().map(|worth| format!("{}:{}", worth.played, short(worth.result, worth.moves_left)));
        worths.collect::<Vec<_>>().join(" ")
    });
    let fields = [
        shown(&asked.written),
        to_move.unwrap_or_default(),
        solution.and_then(|solution| solution.result).unwrap_or_default().to_owned(),
        number(solution.and_then(|solution| solution.moves_left)),
        number(solution.and_then(|solution| solution.plies)),
        number(solution.and_then(|solution| solution.end_ply)),
        solution.and_then(|solution| solution.score).map_or_else(String::new, |score| score.to_string()),
        solution.map_or_else(String::new, |solution| listed(&solution.best)),
        worths,
        solution.map_or_else(String::new, |solution| solution.nodes.to_string()),
        solution.and_then(|solution| solution.cause).unwrap_or_default().to_owned(),
        error.map_or_else(String::new, |mistake| mistake.message.clone()),
    ];
    let mut writer = csv::Writer::from_writer(Vec::new());
    let written = writer.write_record(&fields).ok().and_then(|()| writer.into_inner().ok());
    String::from_utf8(written.unwrap_or_default()).unwrap_or_default().trim_end_matches('\n').to_owned()
}

/// A value in a word: `W18`, `D`, `L6`, or `?`.
fn short(result: Option<&str>, moves_left: Option<u32>) -> String {
    let Some(letter) = result.and_then(|result| result.chars().next()) else { return "?".to_owned() };
    let moves = moves_left.map_or_else(String::new, |moves| moves.to_string());
    format!("{}{moves}", letter.to_ascii_uppercase())
}

fn listed(moves: &[Move]) -> String {
    moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// What the side to move has, in words.
fn value(game: &Variant, solution: &Solution) -> String {
    let verb = match (solution.result, solution.cause) {
        (Some("win"), _) => "wins",
        (Some("loss"), _) => "loses",
        (Some(_), _) => return "draw".to_owned(),
        (None, None) => {
            let expected = solution.expected.unwrap_or_default();
            return format!("{expected:.3} more guesses expected; best {}", listed(&solution.best));
        }
        (None, Some("no_solver")) => {
            return for_variant(game).err().map_or_else(|| "too many moves".to_owned(), |error| error.to_string());
        }
        (None, _) => {
            let searched = counted(usize::try_from(solution.nodes).unwrap_or(usize::MAX), "position");
            return format!("unsolved within {searched}; --nodes allows more");
        }
    };
    match solution.moves_left {
        Some(moves) => format!("{verb} in {moves}"),
        None => verb.to_owned(),
    }
}

fn sentence(asked: &Asked, answer: &Answer<'_>) -> String {
    let written = shown(&asked.written);
    let ((game, _), solution) = match (asked.position.as_ref(), answer) {
        (Ok(position), Ok(solution)) => (position, solution),
        (Err(mistake), _) | (_, &Err(mistake)) => return format!("{written}: {}", mistake.message),
    };
    let best = match (&solution.winning_ranges, solution.best.as_slice()) {
        (Some(ranges), _) => takes(ranges),
        (None, []) => String::new(),
        // The value has it already.
        _ if solution.expected.is_some() => String::new(),
        (None, best) => format!("; best {}", listed(best)),
    };
    format!("{written}: {}{best}", value(game, solution))
}

/// The winning takes in words.
fn takes(ranges: &[[i64; 2]]) -> String {
    let ranges = ranges.iter().map(|[from, to]| if from == to { from.to_string() } else { format!("{from} to {to}") });
    let ranges: Vec<String> = ranges.collect();
    if ranges.is_empty() { String::new() } else { format!("; winning takes: {}", ranges.join(", ")) }
}

fn page(game: &Variant, state: &dyn State, solution: &Solution, board: bool) -> String {
    let picture = state.picture(Viewer::All);
    let mut text = String::new();
    if board {
        let _ = writeln!(text, "{picture}\n");
    }
    let plies = match &picture {
        Picture::Board(board) => {
            let marks = board.cells.iter().flatten().count();
            format!(", {}", counted(marks, if board.gravity { "disc" } else { "mark" }))
        }
        Picture::Heap(heap) => format!(", {} left", heap.left),
        Picture::Guesses(guesses) => format!(", {} before", counted(guesses.rows.len(), "move")),
        _ => String::new(),
    };
    let side = match &picture {
        Picture::Board(board) => board.marks[state.to_move().index()].to_string(),
        _ => game.rules.side(state.to_move()).to_owned(),
    };
    let end = match (solution.end_ply, &picture) {
        (Some(ply), Picture::Board(board)) => format!(" ({} {ply})", if board.gravity { "disc" } else { "mark" }),
        _ => String::new(),
    };
    let _ = write!(text, "{game}{plies}, {side} to move: {}{end}", value(game, solution));
    if let Some(ranges) = &solution.winning_ranges {
        text.push_str(&takes(ranges));
    }
    if solution.moves().all(|worth| worth.result.is_none()) {
        return text;
    }
    if let Some(columns) = &solution.columns {
        text.push_str(&table(columns));
    } else if solution.options.is_some()
        && let Picture::Board(board) = &picture
    {
        let cell = |cell: usize| match board.cells[cell] {
            Some(seat) => board.marks[seat.index()].to_string(),
            None => solution
                .moves()
                .find(|worth| worth.played == board.move_at(cell))
                .map_or_else(|| ".".to_owned(), |worth| short(worth.result, worth.moves_left)),
        };
        for row in 0..board.rows {
            text.push('\n');
            for col in 0..board.cols {
                let _ = write!(text, "{:>5}", cell(row * board.cols + col));
            }
        }
    }
    text
}

/// The columns with what each is worth; `–` where there is nothing to say.
fn table(columns: &[Option<MoveWorth>]) -> String {
    let cells = |cell: &dyn Fn(&MoveWorth) -> Option<String>| -> Vec<String> {
        columns.iter().map(|worth| worth.as_ref().and_then(cell).unwrap_or_else(|| "–".to_owned())).collect()
    };
    let mut rows = vec![
        ("column", (0..columns.len()).map(|column| column.to_string()).collect()),
        ("result", cells(&|worth| worth.result.map(str::to_owned))),
    ];
    if columns.iter().flatten().any(|worth| worth.moves_left.is_some()) {
        rows.push(("in", cells(&|worth| worth.moves_left.map(|moves| moves.to_string()))));
    }
    if columns.iter().flatten().any(|worth| worth.score.is_some()) {
        rows.push(("score", cells(&|worth| worth.score.map(|score| score.to_string()))));
    }
    let mut text = String::new();
    for (name, cells) in rows {
        let _ = write!(text, "\n{name:<6}");
        for cell in cells {
            let _ = write!(text, "{cell:>6}");
        }
    }
    text
}
