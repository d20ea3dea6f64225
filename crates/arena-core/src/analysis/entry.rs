//! A line of `analysis.jsonl`: what was found about one game.
//!
//! A value is a number of plies until the game is over with best play: positive if the side to move wins, negative if it
//! loses, 0 for a draw. Where only the result is known it is `"W"`, `"D"` or `"L"`; unsolved it is `null`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::line::{Line, digest};
use super::verdict::GuessCost;
use super::walk::{Asked, GameValues};
use crate::rules::{Move, Variant};
use crate::solver::{Guesser, Known, NoSolver, Outlook, SOLVERS, SolverKind, Value, for_variant, kind_of};

/// What was found about one game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The game.
    pub id: String,
    /// The solver and its version: `connect4-1`.
    pub solver: String,
    /// The digest of its moves; older entries have none, and are not used.
    #[serde(default)]
    moves: String,
    /// Moves of the opening.
    pub from: usize,
    /// Whether distances were not looked for.
    #[serde(default, skip_serializing_if = "is_default")]
    only_result: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    values: Vec<Option<Written>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    could: Vec<Option<Flag>>,
    /// Instead of these, what each guess of `mastermind` costs: the fields of [`GuessCost`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    guesses: Vec<Option<[u32; 3]>>,
    /// Moves that keep the value, where one was made that gave the result away, as far as they were found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    best: Vec<KeepingMove>,
    /// Unsolved positions, by cause.
    #[serde(default, skip_serializing_if = "is_default")]
    unsolved: Causes,
    /// The limit that was reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    limit: Option<u64>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Causes {
    /// The limit of nodes was reached, for it or for three later ones in a row.
    nodes: usize,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A value as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Written(Known);

/// The ply of a move that gave the result away, and the move that keeps the value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct KeepingMove(usize, #[serde(deserialize_with = "Move::of_integers")] Move);

/// 0 or 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Flag(bool);

/// The name of the solver of a variant in entries, or of the reference strategy; `None` if there is neither.
#[must_use]
pub fn solver_name(variant: &Variant) -> Option<String> {
    if is_guessed(variant) { Some(name_of_reference()) } else { kind_of(variant).map(name_of) }
}

/// Whether moves of a variant are guesses, which are compared with those of a reference strategy.
#[must_use]
pub fn is_guessed(variant: &Variant) -> bool {
    variant.rules.name == Guesser::GAME
}

/// Whether games of a variant can be analysed.
///
/// # Errors
///
/// Returns [`NoSolver`] if not.
pub fn can_judge(variant: &Variant) -> Result<(), NoSolver> {
    if is_guessed(variant) { Ok(()) } else { for_variant(variant).map(|_| ()) }
}

fn name_of_reference() -> String {
    format!("{}-{}", Guesser::GAME, Guesser::VERSION)
}

fn name_of(kind: &SolverKind) -> String {
    format!("{}-{}", kind.game, kind.version)
}

impl Entry {
    /// The entry of a game with this id.
    #[must_use]
    pub fn new(id: &str, solver: &str, line: &Line, found: &GameValues, asked: Asked) -> Self {
        let nodes = found.values.iter().filter(|value| value.is_none()).count();
        let is_complete = found.is_complete(line.last_worth().map(Known::Exact));
        let best = found.best.iter().enumerate();
        Self {
            id: id.to_owned(),
            solver: solver.to_owned(),
            moves: line.digest.clone(),
            from: line.from,
            only_result: asked.only_result,
            values: found.values.iter().map(|value| value.map(Written)).collect(),
            could: found.could.iter().map(|could| could.map(Flag)).collect(),
            guesses: Vec::new(),
            best: best.filter_map(|(place, best)| Some(KeepingMove(line.from + place, best.clone()?))).collect(),
            unsolved: Causes { nodes },
            limit: (!is_complete).then_some(asked.nodes),
        }
    }

    /// The entry of a game of `mastermind` with this id.
    #[must_use]
    pub fn of_guesses(id: &str, solver: &str, line: &Line, costs: &[Option<GuessCost>], asked: Asked) -> Self {
        let nodes = costs.iter().filter(|cost| cost.is_none()).count();
        Self {
            id: id.to_owned(),
            solver: solver.to_owned(),
            moves: line.digest.clone(),
            from: line.from,
            // There are no results without distances.
            only_result: false,
            values: Vec::new(),
            could: Vec::new(),
            guesses: costs.iter().map(|cost| cost.map(|cost| [cost.codes, cost.reference, cost.played])).collect(),
            best: Vec::new(),
            unsolved: Causes { nodes },
            limit: (nodes > 0).then_some(asked.nodes),
        }
    }

    /// What each guess of a game of `mastermind` costs.
    #[must_use]
    pub fn guesses(&self) -> Vec<Option<GuessCost>> {
        let cost = |[codes, reference, played]: [u32; 3]| GuessCost { codes, reference, played };
        self.guesses.iter().map(|found| found.map(cost)).collect()
    }

    /// The values and what could have been given away.
    #[must_use]
    pub fn values(&self) -> GameValues {
        let mut best = vec![None; self.could.len()];
        for KeepingMove(ply, kept) in &self.best {
            if let Some(place) = ply.checked_sub(self.from).and_then(|place| best.get_mut(place)) {
                *place = Some(kept.clone());
            }
        }
        GameValues {
            values: self.values.iter().map(|value| value.map(|written| written.0)).collect(),
            could: self.could.iter().map(|could| could.map(|flag| flag.0)).collect(),
            best,
        }
    }

    /// Whether it is an entry of this game by this solver, with what is asked for: nothing would be found beyond it.
    #[must_use]
    pub fn serves(&self, solver: &str, line: &Line, asked: Asked) -> bool {
        let is_whole = if solver == name_of_reference() {
            self.guesses.len() == line.movers.len()
        } else {
            self.values.len() == line.positions.len() && self.could.len() == line.movers.len()
        };
        self.claims(solver, line)
            && is_whole
            && (asked.only_result || !self.only_result)
            && self.limit.is_none_or(|limit| limit >= asked.nodes)
    }

    /// Whether distances were not looked for.
    pub(super) const fn is_only_result(&self) -> bool {
        self.only_result
    }

    /// The limit that was reached, if it has not all.
    pub(super) const fn limit(&self) -> Option<u64> {
        self.limit
    }

    /// Whether this solver wrote it for a game with these positions.
    #[must_use]
    pub fn claims(&self, solver: &str, line: &Line) -> bool {
        self.solver == solver && self.moves == line.digest && self.from == line.from
    }

    /// Whether it is of a game with these moves.
    #[must_use]
    pub fn is_of(&self, moves: &[Move]) -> bool {
        self.moves == digest(moves)
    }

    /// Whether a solver of this version wrote it.
    #[must_use]
    pub fn is_current(&self) -> bool {
        SOLVERS.iter().any(|kind| name_of(kind) == self.solver)
    }

    /// Unsolved positions.
    #[must_use]
    pub const fn unsolved(&self) -> usize {
        self.unsolved.nodes
    }
}

impl Serialize for Written {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Known::Exact(Value::Win(plies)) => serializer.serialize_i64(plies.into()),
            Known::Exact(Value::Draw) => serializer.serialize_i64(0),
            Known::Exact(Value::Loss(plies)) => serializer.serialize_i64(-i64::from(plies)),
            Known::Result(Outlook::Win) => serializer.serialize_str("W"),
            Known::Result(Outlook::Draw) => serializer.serialize_str("D"),
            Known::Result(Outlook::Loss) => serializer.serialize_str("L"),
        }
    }
}

impl<'de> Deserialize<'de> for Written {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Plies(i32),
            Result(Letter),
        }
        #[derive(Deserialize)]
        enum Letter {
            W,
            D,
            L,
        }
        Ok(Self(match Either::deserialize(deserializer)? {
            Either::Plies(0) => Known::Exact(Value::Draw),
            Either::Plies(plies @ 1..) => Known::Exact(Value::Win(plies.unsigned_abs())),
            Either::Plies(plies) => Known::Exact(Value::Loss(plies.unsigned_abs())),
            Either::Result(Letter::W) => Known::Result(Outlook::Win),
            Either::Result(Letter::D) => Known::Result(Outlook::Draw),
            Either::Result(Letter::L) => Known::Result(Outlook::Loss),
        }))
    }
}

impl Serialize for Flag {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(self.0.into())
    }
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u8::deserialize(deserializer)? {
            0 => Ok(Self(false)),
            1 => Ok(Self(true)),
            _ => Err(serde::de::Error::custom("expected 0 or 1")),
        }
    }
}
