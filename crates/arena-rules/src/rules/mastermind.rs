//! `mastermind`: both sides break the same hidden code, each on its own board; fewer guesses win.

use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::json::{to_json, write_json};
use super::possible_codes::{AnsweredGuess, COLORS_MAX, PossibleCodes, feedback};
use super::{
    EndReason, Feedback, GameSchema, Guess, Guesses, Move, Outcome, Param, ParamKind, Params, Picture, Refusal, Rules,
    Seat, SetupError, State, Viewer,
};
use crate::rng::{Rng, derive_seed};

/// The rules.
pub(super) static MASTERMIND: Rules = Rules {
    one_move: "guess",
    sides: ["first", "second"],
    reasons: &[CODE_BROKEN, SAME_NUMBER, NOT_BROKEN],
    params: &[
        Param { name: "pegs", help: "length of the code", kind: ParamKind::Int { default: 4, min: 1, max: 8 } },
        Param {
            name: "colors",
            help: "colours to choose from",
            kind: ParamKind::Int { default: 6, min: 2, max: COLORS_MAX as i64 },
        },
        Param {
            name: "max_guesses",
            help: "guesses for each side",
            kind: ParamKind::Int { default: 10, min: 1, max: 100 },
        },
    ],
    open_information: false,
    plies_max: |params| 2 * params.size("max_guesses"),
    game_schema: schema,
    from_secret: Some(|params, secret| {
        let (pegs, colors) = (params.size("pegs"), params.size("colors"));
        match read_code(secret, pegs, colors) {
            Some(code) => Ok(Box::new(MastermindPosition::new(params, code))),
            None => Err(SetupError::new(
                "bad_secret",
                format!(
                    "{} is not a possible code; a code is a list of {pegs} integers from 0 to {}",
                    crate::text::shown(&secret.to_string()),
                    colors - 1
                ),
            )),
        }
    }),
    ..Rules::new("mastermind", "break a hidden code in fewer guesses than the other side", &|params, seed| {
        let mut rng = Rng::new(derive_seed(seed, "mastermind code", &[]));
        let colors = params.size("colors");
        let code = (0..params.size("pegs")).map(|_| rng.below(colors as u64) as u8).collect();
        Ok(Box::new(MastermindPosition::new(params, code)))
    })
};

const CODE_BROKEN: EndReason = EndReason {
    name: "code_broken",
    words: "the code was broken in fewer guesses",
    means: "The winner broke the code in fewer guesses.",
};
const SAME_NUMBER: EndReason = EndReason {
    name: "same_number",
    words: "the same number of guesses",
    means: "Both bots broke the code in the same number of guesses: a draw.",
};
const NOT_BROKEN: EndReason = EndReason {
    name: "not_broken",
    words: "the code was not broken",
    means: "Neither bot broke the code within its guesses: a draw.",
};

fn schema() -> GameSchema {
    let code = json!({
        "description": "One colour per peg, from 0.",
        "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": COLORS_MAX - 1 }, "minItems": 1, "maxItems": 8,
    });
    let pegs = |what: &str| json!({ "description": what, "type": "integer", "minimum": 0, "maximum": 8 });
    GameSchema {
        state: json!({
            "type": "object",
            "properties": {
                "guesses": {
                    "description": "Your own guesses with their feedback.",
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "guess": &code,
                            "exact": pegs("Pegs of the right colour in the right place."),
                            "color": pegs("Further pegs of the right colour."),
                        },
                        "required": ["guess", "exact", "color"],
                    },
                },
                "opponent_guesses": {
                    "description": "Number of guesses of the other seat.", "type": "integer", "minimum": 0, "maximum": 100,
                },
            },
            "required": ["guesses", "opponent_guesses"],
        }),
        reveal: Some(json!({ "type": "object", "properties": { "code": &code }, "required": ["code"] })),
        given: None,
        value: json!({
            "type": "object",
            "properties": {
                "possible": {
                    "description": "By seat: the codes that agree with all feedback that the seat has had.",
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "count": { "type": "integer", "minimum": 0 },
                            "codes": {
                                "description": format!("Ascending; null if over {LISTED_CODES_MAX}."),
                                "type": ["array", "null"], "items": &code, "maxItems": LISTED_CODES_MAX,
                            },
                        },
                        "required": ["count", "codes"],
                    },
                    "minItems": 2, "maxItems": 2,
                },
            },
            "required": ["possible"],
        }),
        played: code,
    }
}

#[derive(Debug, Clone)]
struct MastermindPosition {
    code: Vec<u8>,
    colors: usize,
    max_guesses: usize,
    /// The guesses of each seat, in order.
    boards: [Vec<AnsweredGuess>; 2],
}

#[derive(Serialize)]
struct MastermindView<'a> {
    guesses: &'a [AnsweredGuess],
    opponent_guesses: usize,
}

/// What each seat can know of the code.
#[derive(Serialize)]
struct Knowledge {
    possible: [Possible; 2],
}

/// The codes that agree with all feedback a seat has had.
#[derive(Serialize)]
struct Possible {
    count: u64,
    /// None if there are more than [`LISTED_CODES_MAX`].
    codes: Option<Vec<Vec<u8>>>,
}

/// Possible codes are listed up to this many.
const LISTED_CODES_MAX: u64 = 1_000;

impl MastermindPosition {
    fn new(params: &Params, code: Vec<u8>) -> Self {
        let (colors, max_guesses) = (params.size("colors"), params.size("max_guesses"));
        Self { code, colors, max_guesses, boards: [Vec::new(), Vec::new()] }
    }

    fn plies(&self) -> usize {
        self.boards.iter().map(Vec::len).sum()
    }

    /// Whether each seat has broken the code. Once one has, the game ends with the current round.
    fn broken(&self) -> [bool; 2] {
        [0, 1].map(|seat| self.boards[seat].last().is_some_and(|row| row.exact == self.code.len()))
    }

    fn possible(&self, seat: Seat) -> Possible {
        let mut answers: Vec<AnsweredGuess> = Vec::new();
        for answer in &self.boards[seat.index()] {
            if !answers.contains(answer) {
                answers.push(answer.clone());
            }
        }
        let mut possible = PossibleCodes::new(self.code.len(), self.colors, &answers);
        let count = possible.count();
        Possible { count, codes: (count <= LISTED_CODES_MAX).then(|| possible.list()) }
    }
}

impl State for MastermindPosition {
    fn to_move(&self) -> Seat {
        Seat::after(self.plies())
    }

    fn outcome(&self) -> Option<Outcome> {
        if self.plies() % 2 == 1 {
            return None;
        }
        match self.broken() {
            [true, true] => Some(Outcome { winner: None, reason: SAME_NUMBER.name }),
            [true, false] => Some(Outcome { winner: Some(Seat::First), reason: CODE_BROKEN.name }),
            [false, true] => Some(Outcome { winner: Some(Seat::Second), reason: CODE_BROKEN.name }),
            [false, false] if self.plies() == 2 * self.max_guesses => {
                Some(Outcome { winner: None, reason: NOT_BROKEN.name })
            }
            [false, false] => None,
        }
    }

    fn legal_count(&self) -> u64 {
        if self.outcome().is_some() { 0 } else { (self.colors as u64).pow(self.code.len() as u32) }
    }

    // Codes in ascending order are numbers in base `colors`, with the last peg as the least significant digit.
    fn nth_legal(&self, index: u64) -> Move {
        let mut rest = index;
        let mut pegs = vec![0; self.code.len()];
        for peg in pegs.iter_mut().rev() {
            *peg = (rest % self.colors as u64) as i64;
            rest /= self.colors as u64;
        }
        Move::List(pegs)
    }

    fn is_legal(&self, candidate: &Move) -> bool {
        self.outcome().is_none() && read_code(candidate, self.code.len(), self.colors).is_some()
    }

    fn apply(&mut self, played: &Move) -> Result<(), Refusal> {
        let guess = read_code(played, self.code.len(), self.colors).expect("a legal move is a code");
        let (exact, color) = feedback(&self.code, &guess);
        let mover = self.to_move().index();
        self.boards[mover].push(AnsweredGuess { guess, exact, color });
        Ok(())
    }

    fn write_view(&self, seat: Seat, out: &mut Vec<u8>) {
        let opponent_guesses = self.boards[seat.other().index()].len();
        write_json(&MastermindView { guesses: &self.boards[seat.index()], opponent_guesses }, out);
    }

    fn reveal(&self) -> Option<Box<RawValue>> {
        Some(to_json(&json!({ "code": self.code })))
    }

    fn value(&self) -> Option<Box<RawValue>> {
        Some(to_json(&Knowledge { possible: Seat::BOTH.map(|seat| self.possible(seat)) }))
    }

    // Earlier guesses do not restrict later ones. The future depends on the code, the number of guesses, and who has
    // broken it.
    fn key(&self) -> Vec<u8> {
        let mut key = self.code.clone();
        key.push(self.plies() as u8);
        key.extend(self.broken().map(u8::from));
        key
    }

    fn picture(&self, viewer: Viewer) -> Picture {
        let viewer = if self.outcome().is_some() { Viewer::All } else { viewer };
        let row = |ply: usize| {
            let seat = Seat::after(ply);
            let AnsweredGuess { guess, exact, color } = self.boards[seat.index()][ply / 2].clone();
            let is_seen = viewer == Viewer::All || viewer == Viewer::Seat(seat);
            Guess { seat, shown: is_seen.then_some(Feedback { pegs: guess, exact, color }) }
        };
        Picture::Guesses(Guesses {
            pegs: self.code.len(),
            colors: self.colors,
            viewer,
            rows: (0..self.plies()).map(row).collect(),
            code: self.outcome().map(|_| self.code.clone()),
        })
    }

    fn boxed_clone(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

/// The code given by `value`, if it is valid.
fn read_code(value: &Move, pegs: usize, colors: usize) -> Option<Vec<u8>> {
    let Move::List(values) = value else { return None };
    if values.len() != pegs {
        return None;
    }
    values.iter().map(|peg| u8::try_from(*peg).ok().filter(|peg| usize::from(*peg) < colors)).collect()
}
