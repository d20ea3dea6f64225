//! Flags of formats: declared once, for the command line, its help, and the definition of a tournament.

use std::fmt;

use super::{Format, ROUNDS_MAX};

/// A flag of formats, shown as `--name`. Those of several formats are in this file, the others in the file of their format.
#[derive(Debug)]
pub struct Flag {
    /// Its name, without dashes.
    pub name: &'static str,
    /// What it takes.
    pub kind: FlagKind,
    /// Its place in the help; equal ones are in the order of the formats.
    pub place: u8,
    /// A line of help. [`Flag::help`] fills in `{formats}` and `{defaults}`.
    pub help: &'static str,
    /// The name under which the definition of a tournament has its value; `None` if it is not an option of the format.
    pub option: Option<&'static str>,
    /// A flag without which it means nothing.
    pub needs: Option<&'static str>,
    /// A flag that means the opposite.
    pub excludes: Option<&'static str>,
    /// Whether it says when the tournament ends. A new goal takes the place of all recorded options.
    pub is_goal: bool,
    /// Whether it stays as it is once the tournament has begun.
    pub is_fixed: bool,
}

/// What a flag takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlagKind {
    /// Nothing.
    Switch,
    /// A whole number between these.
    Number(u64, u64),
    /// A goal, [`Until`](super::Until).
    Until,
    /// Names of bots of the tournament. The flag may be repeated.
    Bots,
    /// Names of bots, the best first, from a file.
    Seeds,
}

impl fmt::Display for Flag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--{}", self.name)
    }
}

impl PartialEq for Flag {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Flag {
    /// A flag that is no option of the format, with its place in the help.
    #[must_use]
    pub const fn new(name: &'static str, kind: FlagKind, place: u8, help: &'static str) -> Self {
        let (option, needs, excludes) = (None, None, None);
        Self { name, kind, place, help, option, needs, excludes, is_goal: false, is_fixed: false }
    }

    /// All flags of all formats, in the order of the help.
    #[must_use]
    pub fn all() -> Vec<&'static Self> {
        let mut all: Vec<&Self> = Vec::new();
        for flag in super::all().flat_map(|format| format.flags) {
            if !all.contains(flag) {
                all.push(flag);
            }
        }
        all.sort_by_key(|flag| flag.place);
        all
    }

    /// The formats that have it.
    pub fn formats(&self) -> impl Iterator<Item = &'static Format> {
        super::all().filter(|format| format.has(self))
    }

    /// Its line of help.
    #[must_use]
    pub fn help(&self) -> String {
        let titles = either(self.formats().map(|format| format.title));
        let defaults: Vec<String> = self.formats().map(|format| format.rounds.1.to_string()).collect();
        self.help.replace("{formats}", &titles).replace("{defaults}", &either(defaults.iter().map(String::as_str)))
    }
}

/// `a, b or c`.
pub fn either<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.into_iter().collect();
    match words.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => words.concat(),
    }
}

/// Rounds of a tournament in which bots meet again and again.
pub static ROUNDS: Flag = Flag::new(
    "rounds",
    FlagKind::Number(1, ROUNDS_MAX as u64),
    0,
    "Rounds of two games for every pair of bots [default: 50, at most --max-rounds]",
);
/// The flags of a format that has no others.
pub(super) const USUAL: &[&Flag] = &[&ROUNDS];
/// When it is enough: an option of a stepwise format, else a policy of the session.
pub static UNTIL: Flag = Flag {
    option: Some("until"),
    is_goal: true,
    ..Flag::new(
        "until",
        FlagKind::Until,
        1,
        "Play until neighbours are separated, margins are ±N Elo, or the best K bots are known",
    )
};
/// The most rounds of a fixed format with [`UNTIL`].
pub static MAX_ROUNDS: Flag = Flag {
    needs: Some("until"),
    ..Flag::new(
        "max-rounds",
        FlagKind::Number(1, ROUNDS_MAX as u64),
        2,
        "Maximum rounds with --until [default: 20 times --rounds]",
    )
};
/// Pairs of a match.
pub static PAIRS: Flag = Flag::new(
    "pairs",
    FlagKind::Number(1, ROUNDS_MAX as u64),
    8,
    "Pairs of games of a match in a {formats} [default: {defaults}]",
);
/// Names of bots as seeds, the best first; none for a draw.
pub static SEEDING: Flag = Flag {
    option: Some("seeding"),
    is_fixed: true,
    ..Flag::new("seeding", FlagKind::Seeds, 11, "Seeds of a {formats}: `draw`, or a standings.csv [default: draw]")
};
/// Bots to take out of a tournament that has begun.
pub static DROP: Flag = Flag::new(
    "drop",
    FlagKind::Bots,
    12,
    "Go on without this bot in a {formats} that has begun; it loses its further games",
);
