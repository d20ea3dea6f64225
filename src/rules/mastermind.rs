//! `mastermind`: both sides break the same hidden code, each on its own board; fewer guesses win.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::value::RawValue;

use super::json::{to_json, write_json};
use super::{Kind, Move, Outcome, Param, Params, Rules, Seat, SetupError, State};
use crate::rng::{Rng, derive_seed};

/// The rules.
pub(super) static MASTERMIND: Rules = Rules {
    name: "mastermind",
    summary: "break a hidden code in fewer guesses than the other side",
    version: 1,
    params: &[
        Param { name: "pegs", help: "length of the code", kind: Kind::Int { default: 4, min: 1, max: 8 } },
        Param {
            name: "colors",
            help: "colours to choose from",
            kind: Kind::Int { default: 6, min: 2, max: COLORS_MAX as i64 },
        },
        Param { name: "max_guesses", help: "guesses for each side", kind: Kind::Int { default: 10, min: 1, max: 100 } },
    ],
    aliases: &[],
    open_information: false,
    opening_plies: |_| 0,
    start: |params, seed| {
        let mut rng = Rng::new(derive_seed(seed, "mastermind code", &[]));
        let colors = params.size("colors");
        let code = (0..params.size("pegs")).map(|_| rng.below(colors as u64) as u8).collect();
        Ok(Box::new(Position::new(params, code)))
    },
    from_board: None,
    from_secret: Some(|params, secret| {
        let (pegs, colors) = (params.size("pegs"), params.size("colors"));
        match read_code(secret, pegs, colors) {
            Some(code) => Ok(Box::new(Position::new(params, code))),
            None => Err(SetupError::new(format!(
                "{} is not a possible code; a code is a list of {pegs} integers from 0 to {}",
                crate::text::shown(&secret.to_string()),
                colors - 1
            ))),
        }
    }),
};

#[derive(Debug, Clone)]
struct Position {
    code: Vec<u8>,
    colors: usize,
    max_guesses: usize,
    /// The guesses of each seat, in order.
    boards: [Vec<Row>; 2],
}

/// A guess and its feedback.
#[derive(Debug, Clone, Serialize)]
struct Row {
    guess: Vec<u8>,
    exact: usize,
    color: usize,
}

#[derive(Serialize)]
struct View<'a> {
    guesses: &'a [Row],
    opponent_guesses: usize,
}

impl Position {
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

    fn push_board(&self, out: &mut String, seat: Seat) {
        let is_last = |number: usize| seat == self.to_move().other() && number == self.boards[seat.index()].len();
        for (number, row) in (1..).zip(&self.boards[seat.index()]) {
            let pegs: Vec<String> = row.guess.iter().map(u8::to_string).collect();
            let mark = if is_last(number) { "  <- last move" } else { "" };
            write!(out, "\n{number:>4}  [{}]  exact {}, color {}{mark}", pegs.join(","), row.exact, row.color)
                .expect("writing to a string cannot fail");
        }
    }
}

impl State for Position {
    fn to_move(&self) -> Seat {
        Seat::after(self.plies())
    }

    fn outcome(&self) -> Option<Outcome> {
        if self.plies() % 2 == 1 {
            return None;
        }
        match self.broken() {
            [true, true] => Some(Outcome { winner: None, reason: "same_number" }),
            [true, false] => Some(Outcome { winner: Some(Seat::First), reason: "code_broken" }),
            [false, true] => Some(Outcome { winner: Some(Seat::Second), reason: "code_broken" }),
            [false, false] if self.plies() == 2 * self.max_guesses => {
                Some(Outcome { winner: None, reason: "not_broken" })
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

    fn apply(&mut self, played: &Move) {
        let guess = read_code(played, self.code.len(), self.colors).expect("a legal move is a code");
        let (exact, color) = feedback(&self.code, &guess);
        let mover = self.to_move().index();
        self.boards[mover].push(Row { guess, exact, color });
    }

    fn write_view(&self, seat: Seat, out: &mut Vec<u8>) {
        let opponent_guesses = self.boards[seat.other().index()].len();
        write_json(&View { guesses: &self.boards[seat.index()], opponent_guesses }, out);
    }

    fn reveal(&self) -> Option<Box<RawValue>> {
        Some(to_json(&serde_json::json!({ "code": self.code })))
    }

    // Earlier guesses do not restrict later ones. The future depends on the code, the number of guesses, and who has
    // broken it.
    fn key(&self) -> Vec<u8> {
        let mut key = self.code.clone();
        key.push(self.plies() as u8);
        key.extend(self.broken().map(u8::from));
        key
    }

    fn render(&self) -> String {
        let mut out = "first".to_owned();
        self.push_board(&mut out, Seat::First);
        out.push_str("\nsecond");
        self.push_board(&mut out, Seat::Second);
        if self.outcome().is_some() {
            let pegs: Vec<String> = self.code.iter().map(u8::to_string).collect();
            write!(out, "\ncode  [{}]", pegs.join(",")).expect("writing to a string cannot fail");
        }
        out
    }

    fn render_for(&self, seat: Seat) -> String {
        if self.outcome().is_some() {
            return self.render();
        }
        let mut out = format!("{} pegs, colours 0 to {}", self.code.len(), self.colors - 1);
        self.push_board(&mut out, seat);
        let others = self.boards[seat.other().index()].len();
        write!(out, "\nguesses made by the other side: {others}").expect("writing to a string cannot fail");
        out
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

/// Number of pegs of the right colour in the right place, and of further pegs of the right colour.
pub(crate) fn feedback(code: &[u8], guess: &[u8]) -> (usize, usize) {
    let exact = code.iter().zip(guess).filter(|(hidden, guessed)| hidden == guessed).count();
    let shared: u8 = peg_counts(code).iter().zip(peg_counts(guess)).map(|(hidden, guessed)| guessed.min(*hidden)).sum();
    (exact, usize::from(shared) - exact)
}

/// Number of pegs of each colour.
pub(crate) fn peg_counts(pegs: &[u8]) -> [u8; COLORS_MAX] {
    let mut counts = [0; COLORS_MAX];
    for peg in pegs {
        counts[usize::from(*peg)] += 1;
    }
    counts
}

/// Maximum number of colours.
pub(crate) const COLORS_MAX: usize = 12;
