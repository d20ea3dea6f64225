//! `marbles`: take marbles from one heap, within bounds set by the previous take; taking the last one wins.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, json};

use super::json::{to_json, write_json};
use super::winning_takes::winning_takes;
use super::{
    EndReason, Fields, GameSchema, Heap, Move, Outcome, Param, ParamKind, Params, Picture, Refusal, Rules, Seat,
    SetupError, State, Viewer,
};
use crate::text::json_message;

/// The rules.
pub(super) static MARBLES: Rules = Rules {
    one_move: "take",
    sides: ["first", "second"],
    reasons: &[LAST_MARBLE],
    params: &[
        Param {
            name: "heap",
            help: "marbles at the start",
            kind: ParamKind::Int { default: 100, min: 1, max: HEAP_MAX },
        },
        Param {
            name: "rule",
            help: "after a take of q, take q+1 to 2q or all that is left (doubling), or 1 to 2q (fibonacci)",
            kind: ParamKind::Word(&["doubling", "fibonacci"]),
        },
        Param {
            name: "first_max",
            help: "most marbles in the first take, which never takes the whole heap",
            kind: ParamKind::Int { default: 10, min: 1, max: HEAP_MAX },
        },
    ],
    opening_plies: |params| {
        // Small heaps end too soon for openings of two plies.
        match params.int("heap") {
            1..=3 => 0,
            4..=15 => 1,
            _ => 2,
        }
    },
    // Every take is at least one marble.
    plies_max: |params| params.size("heap"),
    game_schema: schema,
    from_fields: Some(Fields {
        example: r#"{"heap":20,"last":3}"#,
        start: |params, fields| Ok(Box::new(MarblesPosition::given(params, fields)?)),
    }),
    ..Rules::new(
        "marbles",
        "take marbles from one heap within bounds set by the previous take; the last marble wins",
        &|params, _| Ok(Box::new(MarblesPosition::new(params, params.int("heap")))),
    )
};

const LAST_MARBLE: EndReason =
    EndReason { name: "last_marble", words: "no marble is left to take", means: "The winner took the last marble." };
const HEAP_MAX: i64 = 1_000_000;

#[derive(Debug, Clone)]
struct MarblesPosition {
    doubling: bool,
    heap: i64,
    /// Smallest legal take; 0 once the heap is empty.
    min_take: i64,
    /// Largest legal take; 0 once the heap is empty.
    max_take: i64,
    taken: Vec<i64>,
}

#[derive(Serialize)]
struct MarblesView<'a> {
    heap: i64,
    min_take: i64,
    max_take: i64,
    moves: &'a [i64],
}

fn schema() -> GameSchema {
    let take = json!({ "description": "Marbles taken.", "type": "integer", "minimum": 1, "maximum": HEAP_MAX });
    let number = json!({ "type": "integer", "minimum": 0, "maximum": HEAP_MAX });
    let takes = json!({ "type": "array", "items": &take });
    GameSchema {
        state: json!({
            "type": "object",
            "properties": {
                "heap": { "description": "Marbles left.", "type": "integer", "minimum": 0, "maximum": HEAP_MAX },
                "min_take": &number,
                "max_take": &number,
                "moves": &takes,
            },
            "required": ["heap", "min_take", "max_take", "moves"],
        }),
        reveal: None,
        given: Some(json!({
            "description": "A heap and the take before, if there was one.",
            "type": "object",
            "properties": {
                "heap": { "type": "integer", "minimum": 0, "maximum": HEAP_MAX },
                "last": { "type": ["integer", "null"], "minimum": 1, "maximum": HEAP_MAX },
            },
            "required": ["heap"],
            "additionalProperties": false,
        })),
        value: json!({
            "type": "object",
            "properties": {
                "won": { "description": "Whether the side to move wins with best play.", "type": "boolean" },
                "winning_count": &number,
                "winning_moves": {
                    "description": format!("All winning takes, ascending; null if over {WINNING_MOVES_MAX}."),
                    "type": ["array", "null"], "items": &take, "maxItems": WINNING_MOVES_MAX,
                },
                "winning_ranges": {
                    "description": "All winning takes as ranges: the first and last of each.",
                    "type": "array",
                    "items": { "type": "array", "items": &take, "minItems": 2, "maxItems": 2 },
                },
            },
            "required": ["won", "winning_count", "winning_moves", "winning_ranges"],
        }),
        played: take,
    }
}

/// A position as an object.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    heap: i64,
    /// The take before, if there was one.
    #[serde(default)]
    last: Option<i64>,
}

/// The takes that win, if any.
#[derive(Serialize)]
struct WinningTakes {
    won: bool,
    winning_count: u64,
    /// None if there are more than [`WINNING_MOVES_MAX`].
    winning_moves: Option<Vec<i64>>,
    /// First and last take of each range.
    winning_ranges: Vec<[i64; 2]>,
}

/// Winning takes are listed up to this many.
const WINNING_MOVES_MAX: u64 = 1_000;

impl MarblesPosition {
    /// The start with `heap` marbles, at least one.
    fn new(params: &Params, heap: i64) -> Self {
        Self {
            doubling: params.word("rule") == "doubling",
            heap,
            min_take: 1,
            // A heap of 1 has to be taken whole.
            max_take: params.int("first_max").min(heap - 1).max(1),
            taken: Vec::new(),
        }
    }

    /// A position given as an object; the side to move is the first seat.
    fn given(params: &Params, fields: &Map<String, serde_json::Value>) -> Result<Self, SetupError> {
        let wrong = |message: String| SetupError::new("bad_position", message);
        let Given { heap, last } = Given::deserialize(fields).map_err(|error| wrong(json_message(&error)))?;
        let heap_min = i64::from(last.is_none());
        if !(heap_min..=HEAP_MAX).contains(&heap) {
            return Err(wrong(format!("`heap` cannot be {heap}; expected an integer from {heap_min} to {HEAP_MAX}")));
        }
        let mut position = Self::new(params, heap);
        if let Some(last) = last {
            if !(1..=HEAP_MAX).contains(&last) {
                return Err(wrong(format!("`last` cannot be {last}; expected an integer from 1 to {HEAP_MAX}")));
            }
            position.bound(last);
        }
        Ok(position)
    }

    /// Sets the bounds of the take after one of `last`.
    fn bound(&mut self, last: i64) {
        self.max_take = self.heap.min(2 * last);
        // If fewer remain than the minimum take, all of them must be taken.
        self.min_take = self.heap.min(if self.doubling { last + 1 } else { 1 });
    }
}

impl State for MarblesPosition {
    fn to_move(&self) -> Seat {
        Seat::after(self.taken.len())
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.heap == 0).then(|| Outcome { winner: Some(self.to_move().other()), reason: LAST_MARBLE.name })
    }

    fn legal_count(&self) -> u64 {
        if self.heap == 0 { 0 } else { (self.max_take - self.min_take + 1) as u64 }
    }

    fn nth_legal(&self, index: u64) -> Move {
        Move::Int(self.min_take + index as i64)
    }

    fn is_legal(&self, candidate: &Move) -> bool {
        matches!(candidate, Move::Int(take) if self.heap > 0 && (self.min_take..=self.max_take).contains(take))
    }

    fn apply(&mut self, played: &Move) -> Result<(), Refusal> {
        let Move::Int(take) = *played else { panic!("a legal move is a number of marbles, not {played}") };
        self.taken.push(take);
        self.heap -= take;
        self.bound(take);
        Ok(())
    }

    fn write_view(&self, _seat: Seat, out: &mut Vec<u8>) {
        let Self { heap, min_take, max_take, ref taken, .. } = *self;
        write_json(&MarblesView { heap, min_take, max_take, moves: taken }, out);
    }

    fn value(&self) -> Option<Box<RawValue>> {
        let ranges = winning_takes(self.doubling, self.heap, self.min_take, self.max_take);
        let count = ranges.iter().map(|[from, to]| (to - from + 1) as u64).sum();
        let listed = count <= WINNING_MOVES_MAX;
        Some(to_json(&WinningTakes {
            won: count > 0,
            winning_count: count,
            winning_moves: listed.then(|| ranges.iter().flat_map(|[from, to]| *from..=*to).collect()),
            winning_ranges: ranges,
        }))
    }

    fn used_up(&self) -> Option<[usize; 2]> {
        let taken: i64 = self.taken.iter().sum();
        Some([taken as usize, (taken + self.heap) as usize])
    }

    fn key(&self) -> Vec<u8> {
        // Once the heap is empty, only the winner matters: the side not to move.
        let numbers = [self.heap, self.min_take, self.max_take];
        let mut key: Vec<u8> = numbers.iter().flat_map(|number| (*number as u32).to_le_bytes()).collect();
        key.push(self.to_move().index() as u8);
        key
    }

    fn picture(&self, _: Viewer) -> Picture {
        let (take, last) = ([self.min_take, self.max_take], self.taken.last().copied());
        Picture::Heap(Heap { things: "marbles", left: self.heap, take, last })
    }

    fn boxed_clone(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}
