//! A game that a program adds: all of it is this file, and its program's line with `add`. It has words of each kind, some of
//! which are made at run time.

use arena::rules::{
    Alias, EndReason, Heap, Move, Outcome, Param, ParamKind, Picture, Refusal, Rules, Seat, State, Viewer, intern,
};

/// Take up to `most` sticks from a heap; the last one wins.
pub(crate) fn sticks(most: i64) -> Rules {
    Rules {
        one_move: "draw",
        sides: ["North", "South"],
        reasons: Box::leak(Box::new([EndReason {
            name: intern(&["last", "stick"].join("_")),
            words: "the last stick was drawn",
            means: "The winner took the last stick.",
        }])),
        params: &[Param {
            name: "sticks",
            help: "sticks at the start",
            kind: ParamKind::Int { default: 21, min: 1, max: 99 },
        }],
        aliases: &[Alias { name: "ten_sticks", summary: "a short game", params: &[("sticks", 10)] }],
        opening_plies: |_| 1,
        plies_max: |params| params.size("sticks"),
        ..Rules::new(
            "sticks@0123abcd",
            "draw sticks; the last one wins",
            Box::leak(Box::new(move |params: &_, _| {
                Ok(Box::new(Position { most, left: arena::rules::Params::int(params, "sticks"), drawn: Vec::new() })
                    as _)
            })),
        )
    }
}

#[derive(Debug, Clone)]
struct Position {
    most: i64,
    left: i64,
    drawn: Vec<i64>,
}

impl State for Position {
    fn to_move(&self) -> Seat {
        Seat::BOTH[self.drawn.len() % 2]
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.left == 0).then(|| Outcome { winner: Some(self.to_move().other()), reason: intern("last_stick") })
    }

    fn legal_count(&self) -> u64 {
        self.left.min(self.most) as u64
    }

    fn nth_legal(&self, index: u64) -> Move {
        Move::Int(1 + index as i64)
    }

    fn apply(&mut self, played: &Move) -> Result<(), Refusal> {
        let Move::Int(drawn) = *played else { panic!("a legal move is a number, not {played}") };
        self.left -= drawn;
        self.drawn.push(drawn);
        Ok(())
    }

    fn write_view(&self, _seat: Seat, out: &mut Vec<u8>) {
        let view = serde_json::json!({ "left": self.left, "moves": self.drawn });
        out.extend_from_slice(view.to_string().as_bytes());
    }

    fn key(&self) -> Vec<u8> {
        vec![self.left as u8, self.to_move().index() as u8]
    }

    fn picture(&self, _viewer: Viewer) -> Picture {
        let take = [self.left.min(1), self.left.min(self.most)];
        Picture::Heap(Heap { things: "sticks", left: self.left, take, last: self.drawn.last().copied() })
    }

    fn boxed_clone(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}
