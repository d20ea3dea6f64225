//! JSON Schemas of games on a board.

use serde_json::{Value, json};

use crate::rules::GameSchema;
use crate::rules::segments::SEGMENT_WIN;

/// The schemas of a game on a board whose moves are described by `played`.
pub(in crate::rules) fn schema(played: Value) -> GameSchema {
    let row = json!({ "type": "string", "pattern": "^[.XO]{1,32}$" });
    let cell = json!({
        "description": "Row from the top and column from the left, from 0.",
        "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 31 }, "minItems": 2, "maxItems": 2,
    });
    GameSchema {
        state: json!({
            "type": "object",
            "properties": {
                "board": {
                    "description": "One string per row, from the top: `.` empty, `X` seat 0, `O` seat 1.",
                    "type": "array", "items": row, "minItems": 1, "maxItems": 32,
                },
                "moves": { "description": "All moves so far.", "type": "array", "items": &played },
            },
            "required": ["board", "moves"],
        }),
        reveal: None,
        given: None,
        value: json!({
            "type": "object",
            "properties": {
                "score": {
                    "description": "Sum of the segments' values; positive is good for seat 0.", "type": "integer",
                },
                "segments": {
                    "description": "Those worth anything.",
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "cells": { "type": "array", "items": cell },
                            "seat": { "description": "Owner of the stones.", "enum": [0, 1] },
                            "stones": { "type": "integer", "minimum": 1 },
                            "value": { "enum": [1, 100, SEGMENT_WIN, -1, -100, -SEGMENT_WIN] },
                        },
                        "required": ["cells", "seat", "stones", "value"],
                    },
                },
                "segment_count": { "type": "integer", "minimum": 0 },
                "mixed_count": { "description": "Segments with stones of both seats.", "type": "integer", "minimum": 0 },
            },
            "required": ["score", "segments", "segment_count", "mixed_count"],
        }),
        played,
    }
}
