//! Pictures as JSON, for the scripts of a page.

use arena_core::rules::{Board, Guess, Image, Picture};
use serde_json::{Value, json};

/// The picture as the [module's page](super) describes it. Of one with an image, this is the text.
#[must_use]
pub fn picture_json(picture: &Picture) -> Value {
    match picture {
        Picture::Board(Board { rows, cols, cells, marks, last, line, gravity }) => {
            let cells: String = cells.iter().map(|owner| owner.map_or('.', |seat| ['0', '1'][seat.index()])).collect();
            let marks: String = marks.iter().collect();
            json!({
                "kind": "board", "rows": rows, "cols": cols, "cells": cells, "marks": marks, "last": last, "line": line,
                "gravity": gravity,
            })
        }
        Picture::Heap(heap) => json!({ "kind": "heap", "left": heap.left, "take": heap.take, "last": heap.last }),
        Picture::Guesses(guesses) => {
            let rows: Vec<Value> = guesses.rows.iter().map(guess_json).collect();
            json!({
                "kind": "guesses", "pegs": guesses.pegs, "colors": guesses.colors, "rows": rows, "code": guesses.code,
            })
        }
        Picture::Text(text) | Picture::Image(Image { text, .. }) => json!({ "kind": "text", "text": text }),
    }
}

/// A guess of a picture.
fn guess_json(guess: &Guess) -> Value {
    let seat = guess.seat.index();
    guess.shown.as_ref().map_or_else(
        || json!({ "seat": seat }),
        |shown| json!({ "seat": seat, "pegs": shown.pegs, "exact": shown.exact, "color": shown.color }),
    )
}
