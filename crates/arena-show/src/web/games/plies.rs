//! The changes from picture to picture as operations. See the [module's page](super).

use arena_core::rules::{Guess, Move, Picture, Seat};

use super::picture::picture_json;
use super::varint::{push, push_list, push_option, push_signed, push_text};
use crate::views::{Delta, Ply, Story};

const MARKS: u64 = 0;
const CELLS: u64 = 1;
const TAKE: u64 = 2;
const GUESSES: u64 = 3;
const WHOLE: u64 = 4;
const MOVE: u64 = 5;
const TURNS: u64 = 6;

/// All operations of a game.
pub(super) fn encode(story: &Story) -> Vec<u8> {
    let mut bytes = vec![];
    if !story.record.movers.alternate() {
        push(&mut bytes, TURNS);
        push_list(&mut bytes, story.plies().map(|ply| ply.mover.index() as u64));
    }
    // Cells taken one a ply with nothing else changed: most of a game, written as one operation.
    let mut marks: Vec<usize> = vec![];
    for ((ply, delta), after) in story.plies().zip(story.deltas()).zip(&story.pictures[1..]) {
        let is_told = told(&delta, after).is_some_and(|told| told == *ply.played && told.plain() == ply.word);
        if let (true, Some(cell)) = (is_told, plain_mark(&delta, &ply)) {
            marks.push(cell);
            continue;
        }
        flush(&mut bytes, &mut marks);
        if !is_told {
            push(&mut bytes, MOVE);
            push_text(&mut bytes, ply.word);
        }
        push_delta(&mut bytes, &delta);
    }
    flush(&mut bytes, &mut marks);
    bytes
}

fn flush(bytes: &mut Vec<u8>, marks: &mut Vec<usize>) {
    if !marks.is_empty() {
        push(bytes, MARKS);
        push_list(bytes, marks.drain(..).map(|cell| cell as u64));
    }
}

/// The cell, if all that changed is that the mover took it.
fn plain_mark(delta: &Delta, ply: &Ply<'_>) -> Option<usize> {
    match delta {
        Delta::Cells { changed, last: Some(last), line } if line.is_empty() => {
            (changed.as_slice() == [(*last, Some(ply.mover))]).then_some(*last)
        }
        _ => None,
    }
}

/// The move that a reader of the change takes it for.
fn told(delta: &Delta, after: &Picture) -> Option<Move> {
    match (delta, after) {
        (Delta::Cells { last: Some(last), .. }, Picture::Board(board)) => Some(board.move_at(*last)),
        (Delta::Take { last: Some(last), .. }, _) => Some(Move::Int(*last)),
        (Delta::Guesses { added, .. }, _) => match added.as_slice() {
            [Guess { shown: Some(shown), .. }] => Some(Move::List(shown.pegs.iter().copied().map(i64::from).collect())),
            _ => None,
        },
        _ => None,
    }
}

fn push_delta(bytes: &mut Vec<u8>, delta: &Delta) {
    match delta {
        Delta::Cells { changed, last, line } => {
            push(bytes, CELLS);
            push(bytes, changed.len() as u64);
            for (cell, owner) in changed {
                push(bytes, *cell as u64);
                push_option(bytes, owner.map(Seat::index));
            }
            push_option(bytes, *last);
            push_list(bytes, line.iter().map(|cell| *cell as u64));
        }
        Delta::Take { left, take: [min, max], last } => {
            push(bytes, TAKE);
            for value in [left, min, max] {
                push_signed(bytes, *value);
            }
            push(bytes, u64::from(last.is_some()));
            if let Some(last) = last {
                push_signed(bytes, *last);
            }
        }
        Delta::Guesses { added, code } => {
            push(bytes, GUESSES);
            push(bytes, added.len() as u64);
            for guess in added {
                push_guess(bytes, guess);
            }
            push_option(bytes, code.as_ref().map(Vec::len));
            for peg in code.iter().flatten() {
                push(bytes, u64::from(*peg));
            }
        }
        Delta::Whole(picture) => {
            push(bytes, WHOLE);
            push_text(bytes, &picture_json(picture).to_string());
        }
    }
}

fn push_guess(bytes: &mut Vec<u8>, guess: &Guess) {
    push(bytes, guess.seat.index() as u64);
    push(bytes, u64::from(guess.shown.is_some()));
    if let Some(shown) = &guess.shown {
        push_list(bytes, shown.pegs.iter().map(|peg| u64::from(*peg)));
        push(bytes, shown.exact as u64);
        push(bytes, shown.color as u64);
    }
}
