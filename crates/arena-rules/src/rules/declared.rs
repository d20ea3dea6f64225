//! Rules that a program declares, as data: all that is needed to know its games without starting it.

use serde::{Deserialize, Serialize};

use super::known::all_and_absent;
use super::{MARKS, NameTaken, Param, ParamKind, Params, Rules, RulesFault, RulesHome, StartRule, add, intern};
use crate::text::shown;

/// Maximum number of random moves of an opening.
pub const OPENING_PLIES_MAX: u8 = 16;
/// Maximum number of moves of a game; a longer one is a fault of the rules.
pub const DECLARED_PLIES_MAX: usize = 100_000;

/// Programs at most that are known without being there.
const ABSENT_MAX: usize = 1_000;
/// Parameters, and words of one, at most.
const PARTS_MAX: usize = 64;
/// Length of a text at most, in bytes.
const TEXT_MAX: usize = 1_000;

/// Longest name of a seat, in characters.
pub const SEAT_NAME_MAX: usize = 16;

/// Whether a seat may be called so: letters, digits, spaces, `-` and `_`, with a letter or digit at both ends.
#[must_use]
pub fn is_seat_name(name: &str) -> bool {
    let is_inner = |c: char| c.is_alphanumeric() || " -_".contains(c);
    name.starts_with(char::is_alphanumeric)
        && name.ends_with(char::is_alphanumeric)
        && name.chars().all(is_inner)
        && name.chars().count() <= SEAT_NAME_MAX
}

/// What a program says of its game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclaredRules {
    /// Version of the rules, from 1.
    pub version: u32,
    /// One-line description; empty if there is none. Not escaped.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// What the program rests on, such as `open_spiel 2.0.2`; empty if it does not say. Not escaped.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub build: String,
    /// Whether positions depend on the seed, or hide something from a seat.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// Number of random moves of an opening, at most [`OPENING_PLIES_MAX`].
    pub opening_plies: u8,
    /// Further protocols of bots that its positions are written for, as [`Rules::protocols`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub protocols: Vec<String>,
    /// What the seats are called, in the form of [`is_seat_name`]; X and O if it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seats: Option<[String; 2]>,
    /// The parameters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<DeclaredParam>,
}

/// A parameter of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclaredParam {
    /// Name on the command line and in messages.
    pub name: String,
    /// One-line description; empty if there is none. Not escaped.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub help: String,
    /// Type, default and range.
    #[serde(flatten)]
    pub kind: DeclaredKind,
}

/// Type, default and range of a parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum DeclaredKind {
    /// An integer within `min..=max`.
    Int {
        /// Default value.
        default: i64,
        /// Smallest value allowed.
        min: i64,
        /// Largest value allowed.
        max: i64,
    },
    /// One of several words; the first is the default.
    Word {
        /// The words.
        words: Vec<String>,
    },
}

impl DeclaredRules {
    /// Makes the rules known to this process by `name`, which is `GAME@HASH`, with a `start` that is made only if they were not
    /// known. What is declared lives as long as the process.
    ///
    /// Reasons for the end of a game are not known before it ends, so [`Rules::reasons`] is empty.
    ///
    /// # Errors
    ///
    /// Returns [`NameTaken`] if a built-in game has the name.
    pub fn declare(&self, name: &str, start: impl FnOnce() -> StartRule) -> Result<&'static Rules, NameTaken> {
        let known = super::all().find(|rules| rules.name == name);
        known.map_or_else(|| add(self.rules(name, start())), Ok)
    }

    /// Makes the rules known as those of a program that this process does not have: tables and schedules need no more. No game
    /// can be started; `why` says so. Does nothing if rules of this name are known.
    pub fn declare_absent(&self, name: &str, why: &str) {
        let absent = all_and_absent().filter(|rules| rules.is_absent()).count();
        if !self.is_small(name) || absent >= ABSENT_MAX || all_and_absent().any(|rules| rules.name == name) {
            return;
        }
        let why = why.to_owned();
        let start = Box::leak(Box::new(move |_: &Params, _| Err(Box::new(RulesFault::new(why.as_str())).into())));
        // A built-in game may have the name in a journal that was edited; then its rules are found.
        let _ = add(Rules { home: RulesHome::Missing, ..self.rules(name, start) });
    }

    /// Whether it is within the limits that a program has: a journal may be anyone's, and what is declared stays in memory.
    fn is_small(&self, name: &str) -> bool {
        let is_short = |text: &str| text.len() <= TEXT_MAX;
        let words = |param: &DeclaredParam| match &param.kind {
            DeclaredKind::Int { .. } => true,
            DeclaredKind::Word { words } => {
                (1..=PARTS_MAX).contains(&words.len()) && words.iter().all(|word| is_short(word))
            }
        };
        let param = |param: &DeclaredParam| is_short(&param.name) && is_short(&param.help) && words(param);
        let are_short = self.protocols.len() <= PARTS_MAX && self.protocols.iter().all(|protocol| is_short(protocol));
        is_short(name)
            && is_short(&self.summary)
            && are_short
            && self.params.len() <= PARTS_MAX
            && self.params.iter().all(param)
    }

    fn rules(&self, name: &str, start: StartRule) -> Rules {
        let params: Vec<Param> = self.params.iter().map(DeclaredParam::declare).collect();
        // A journal may be anyone's.
        let seats = self.seats.as_ref().filter(|seats| seats.iter().all(|name| is_seat_name(name)));
        Rules {
            version: self.version,
            params: params.leak(),
            protocols: self.protocols.iter().map(|protocol| intern(protocol)).collect::<Vec<_>>().leak(),
            open_information: !self.hidden,
            opening_plies: OPENING_PLIES[usize::from(self.opening_plies.min(OPENING_PLIES_MAX))],
            plies_max: |_| DECLARED_PLIES_MAX,
            sides: seats.map_or(MARKS, |seats| seats.each_ref().map(|name| intern(name))),
            home: RulesHome::Program,
            text_moves: true,
            ..Rules::new(intern(name), intern(&shown(&self.summary)), start)
        }
    }
}

impl DeclaredParam {
    fn declare(&self) -> Param {
        let kind = match &self.kind {
            DeclaredKind::Int { default, min, max } => ParamKind::Int { default: *default, min: *min, max: *max },
            DeclaredKind::Word { words } => {
                let words: Vec<&'static str> = words.iter().map(|word| intern(word)).collect();
                ParamKind::Word(words.leak())
            }
        };
        Param { name: intern(&self.name), help: intern(&shown(&self.help)), kind }
    }
}

/// Numbers of moves as the functions that [`Rules`] have for them.
const OPENING_PLIES: [fn(&Params) -> usize; OPENING_PLIES_MAX as usize + 1] = [
    |_| 0,
    |_| 1,
    |_| 2,
    |_| 3,
    |_| 4,
    |_| 5,
    |_| 6,
    |_| 7,
    |_| 8,
    |_| 9,
    |_| 10,
    |_| 11,
    |_| 12,
    |_| 13,
    |_| 14,
    |_| 15,
    |_| 16,
];
