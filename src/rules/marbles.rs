//! `marbles`: take marbles from one heap, within bounds set by the previous take; taking the last one wins.

use serde::Serialize;

use super::json::write_json;
use super::{Kind, Move, Outcome, Param, Rules, Seat, State};

/// The rules.
pub(super) static MARBLES: Rules = Rules {
    name: "marbles",
    summary: "take marbles from one heap within bounds set by the previous take; the last marble wins",
    version: 1,
    params: &[
        Param { name: "heap", help: "marbles at the start", kind: Kind::Int { default: 100, min: 1, max: HEAP_MAX } },
        Param {
            name: "rule",
            help: "after a take of q, take q+1 to 2q or all that is left (doubling), or 1 to 2q (fibonacci)",
            kind: Kind::Word(&["doubling", "fibonacci"]),
        },
        Param {
            name: "first_max",
            help: "most marbles in the first take, which never takes the whole heap",
            kind: Kind::Int { default: 10, min: 1, max: HEAP_MAX },
        },
    ],
    aliases: &[],
    open_information: true,
    opening_plies: |params| {
        // Small heaps end too soon for openings of two plies.
        match params.int("heap") {
            1..=3 => 0,
            4..=15 => 1,
            _ => 2,
        }
    },
    start: |params, _| {
        let heap = params.int("heap");
        Ok(Box::new(Position {
            doubling: params.word("rule") == "doubling",
            heap,
            min_take: 1,
            // A heap of 1 has to be taken whole.
            max_take: params.int("first_max").min(heap - 1).max(1),
            taken: Vec::new(),
        }))
    },
    from_board: None,
    from_secret: None,
};

const HEAP_MAX: i64 = 1_000_000;

#[derive(Debug, Clone)]
struct Position {
    doubling: bool,
    heap: i64,
    /// Smallest legal take; 0 once the heap is empty.
    min_take: i64,
    /// Largest legal take; 0 once the heap is empty.
    max_take: i64,
    taken: Vec<i64>,
}

#[derive(Serialize)]
struct View<'a> {
    heap: i64,
    min_take: i64,
    max_take: i64,
    moves: &'a [i64],
}

impl State for Position {
    fn to_move(&self) -> Seat {
        Seat::after(self.taken.len())
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.heap == 0).then(|| Outcome { winner: Some(self.to_move().other()), reason: "last_marble" })
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

    fn apply(&mut self, played: &Move) {
        let Move::Int(take) = *played else { panic!("a legal move is a number of marbles, not {played}") };
        self.taken.push(take);
        self.heap -= take;
        self.max_take = self.heap.min(2 * take);
        // If fewer remain than the minimum take, all of them must be taken.
        self.min_take = self.heap.min(if self.doubling { take + 1 } else { 1 });
    }

    fn write_view(&self, _seat: Seat, out: &mut Vec<u8>) {
        let Self { heap, min_take, max_take, ref taken, .. } = *self;
        write_json(&View { heap, min_take, max_take, moves: taken }, out);
    }

    fn key(&self) -> Vec<u8> {
        // Once the heap is empty, only the winner matters: the side not to move.
        let numbers = [self.heap, self.min_take, self.max_take];
        let mut key: Vec<u8> = numbers.iter().flat_map(|number| (*number as u32).to_le_bytes()).collect();
        key.push(self.to_move().index() as u8);
        key
    }

    fn render(&self) -> String {
        let last = self.taken.last().map_or(String::new(), |take| format!("\nlast move: {take} taken"));
        let next = match (self.min_take, self.max_take) {
            (_, 0) => "nothing left to take".to_owned(),
            (min, max) if min == max => format!("take {min}"),
            (min, max) => format!("take {min} to {max}"),
        };
        format!("heap: {} ({next}){last}", self.heap)
    }

    fn boxed_clone(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}
