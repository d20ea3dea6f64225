//! JSON Schema 2020-12 of questions and answers.

use serde_json::{Value, json};

use super::{LINE_MAX, SOLVE_NODES};
use crate::referee::LEGAL_MOVES_MAX;
use crate::rules::{self, Variant};

/// One document for both directions: `#/$defs/Question` and `#/$defs/Answer` each describe one line. Each game has a
/// definition by its name, with `params`, `move`, `state`, `value`, `reveal` and `position` as properties.
#[must_use]
pub fn schema() -> Value {
    let mut definitions = json!({ "Question": question(), "Answer": answer() });
    for rules in rules::all() {
        definitions[rules.label()] = rules.schema();
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "arena judge",
        "description": "One JSON object a line: a Question on stdin or in a file, its Answer on stdout. Each game has a \
                        definition by its name.",
        "anyOf": [{ "$ref": "#/$defs/Question" }, { "$ref": "#/$defs/Answer" }],
        "$defs": definitions,
    })
}

fn question() -> Value {
    let cell = json!({
        "description": "A mark, the number of an empty tile, or null for an empty cell.",
        "anyOf": [
            { "type": "string", "minLength": 1, "maxLength": 1 },
            { "type": "integer", "minimum": 1, "maximum": 9 },
            { "type": "null" },
        ],
    });
    let line = json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": cell }] });
    let mut boards = parts("position");
    boards.push(json!({ "description": "Rows or columns.", "type": "array", "items": line }));
    json!({
        "description": format!("A position to be judged; at most {LINE_MAX} bytes."),
        "type": "object",
        "properties": {
            "game": { "description": "Name of the game.", "enum": Variant::names().collect::<Vec<_>>() },
            "params": {
                "description": "Parameters that differ from the defaults.",
                "anyOf": parts("params"),
            },
            "moves": { "description": "Moves from the start, or from the board.", "type": "array", "items": one_move() },
            "board": {
                "description": "The position before `moves`.",
                "anyOf": boards,
            },
            "position": { "description": "Another name for `board`." },
            "layout": {
                "description": "How the board is written: rows from the top, columns from the left (each from the top \
                                down), or rows with the numbers of empty tiles.",
                "enum": ["rows", "columns", "tiles"],
                "default": "rows",
            },
            "first": {
                "description": "The mark of seat 0, which moves first.",
                "enum": ["X", "O", "R", "Y", "x", "o", "r", "y"],
                "default": "X",
            },
            "code": { "description": "The hidden code.", "type": "array", "items": { "type": "integer" } },
            "seed": {
                "description": "The game's seed, as an integer or a decimal string.",
                "anyOf": [{ "type": "integer", "minimum": 0 }, { "type": "string", "pattern": "^[0-9]{1,20}$" }],
            },
            "legal": { "description": "Whether to list legal moves.", "type": "boolean", "default": true },
            "value": { "description": "Whether to evaluate the position.", "type": "boolean", "default": false },
            "solve": {
                "description": "Whether to tell who wins with best play, and what each move is worth.",
                "type": "boolean", "default": false,
            },
            "nodes": {
                "description": "With `solve`: how many positions may be searched.",
                "type": "integer", "minimum": 0, "default": SOLVE_NODES,
            },
        },
        "required": ["game"],
        "anyOf": [{ "required": ["moves"] }, { "required": ["board"] }, { "required": ["position"] }],
        "additionalProperties": false,
    })
}

fn answer() -> Value {
    let cell = json!({ "type": "array", "items": { "type": "integer", "minimum": 0 }, "minItems": 2, "maxItems": 2 });
    let properties = json!({
        "to_move": { "description": "Seat to move; null once the game is over.", "enum": [0, 1, null] },
        "outcome": { "description": "Once the game is over.", "enum": ["first", "second", "draw", null] },
        "reason": { "description": "Why the game is over.", "type": ["string", "null"] },
        "legal_moves": {
            "description": format!("Ascending; null if over {LEGAL_MOVES_MAX}, or not asked for."),
            "type": ["array", "null"], "items": one_move(), "maxItems": LEGAL_MOVES_MAX,
        },
        "legal_count": { "description": "Number of legal moves.", "type": ["integer", "null"], "minimum": 0 },
        "lines": {
            "description": "By seat: the cells [row, col] of winning lines, ascending. Also on impossible boards.",
            "type": ["array", "null"], "items": { "type": "array", "items": cell }, "minItems": 2, "maxItems": 2,
        },
        "views": {
            "description": "By seat: what the protocol's `state` would show.",
            "type": ["array", "null"], "items": { "anyOf": parts("state") }, "minItems": 2, "maxItems": 2,
        },
        "reveal": or_null("Hidden information.", parts("reveal")),
        "value": or_null("The evaluation, if asked for.", parts("value")),
        "solution": or_null("Best play, if asked for and while the game goes on.", vec![solution()]),
        "error": {
            "type": ["object", "null"],
            "properties": {
                "ply": {
                    "description": "Index of the move that cannot be played. All else describes the position before it.",
                    "type": ["integer", "null"], "minimum": 0,
                },
                "message": { "description": "For people; may change.", "type": "string" },
                "code": { "description": "For programs; stable.", "type": "string", "pattern": "^[a-z0-9_]{3,32}$" },
            },
            "required": ["ply", "message", "code"],
        },
    });
    let names: Vec<_> = properties.as_object().into_iter().flat_map(|all| all.keys().cloned()).collect();
    json!({
        "description": "What holds for the position. All fields are always there; later versions may add some.",
        "type": "object",
        "properties": properties,
        "required": names,
    })
}

fn solution() -> Value {
    let result = json!({
        "description": "Of the side to move; null if it is not known.", "enum": ["win", "draw", "loss", null],
    });
    let number = |description: &str| json!({ "description": description, "type": ["integer", "null"], "minimum": 0 });
    let moves_left = number("Moves of the winner until it wins; null for a draw, and where distances are not known.");
    let score = json!({
        "description": "Where discs fall: the cells that are left when a side wins, halved and rounded up; negative if it is \
                        the other side.",
        "type": ["integer", "null"],
    });
    let worth = json!({
        "type": "object",
        "properties": { "move": one_move(), "result": &result, "in": &moves_left, "score": &score },
        "required": ["move", "result", "in"],
    });
    let range = json!({ "type": "array", "items": { "type": "integer" }, "minItems": 2, "maxItems": 2 });
    json!({
        "type": "object",
        "properties": {
            "result": result,
            "in": moves_left,
            "plies": number("Plies until the end."),
            "end_ply": number("Plies of the whole game by then, on boards."),
            "score": score,
            "best": {
                "description": "The moves that are as good as the position.", "type": "array", "items": one_move(),
            },
            "columns": {
                "description": "Where discs fall: each column; null if it is full.",
                "type": "array", "items": { "anyOf": [&worth, { "type": "null" }] },
            },
            "options": { "description": "In other games: each legal move.", "type": "array", "items": worth },
            "winning_ranges": {
                "description": "In marbles: the winning takes, as ranges.", "type": "array", "items": range,
            },
            "expected": {
                "description": "In Mastermind: the mean number of further guesses of the reference strategy.",
                "type": "number", "minimum": 0,
            },
            "nodes": number("Positions searched."),
            "exact": { "description": "Whether all of it is known.", "type": "boolean" },
            "cause": { "description": "Why something is not.", "enum": ["nodes", "stopped", "no_solver"] },
        },
        "required": ["result", "in", "plies", "end_ply", "best", "nodes", "exact"],
    })
}

/// References to the property `part` of each game that has it.
fn parts(part: &str) -> Vec<Value> {
    let with_part = rules::all().filter(|rules| rules.schema()["properties"].get(part).is_some());
    with_part.map(|rules| json!({ "$ref": format!("#/$defs/{}/properties/{part}", rules.label()) })).collect()
}

fn one_move() -> Value {
    json!({ "anyOf": parts("move") })
}

fn or_null(description: &str, mut choices: Vec<Value>) -> Value {
    choices.push(json!({ "type": "null" }));
    json!({ "description": description, "anyOf": choices })
}
