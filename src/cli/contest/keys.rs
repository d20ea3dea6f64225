//! Which flags a contest file can give, which command takes which of them, and what typed flags put in their place.

use std::any::TypeId;
use std::ffi::OsStr;
use std::path::PathBuf;

use arena_core::format::Flag;
use clap::{Arg, Command};

use crate::cli::args::game::GameArg;

/// Flags of `arena night` that are of one run and not of the contest, so they are no keys.
const OF_A_RUN: [&str; 16] = [
    super::FLAG,
    "drop",
    "events",
    "force",
    "fresh",
    "help",
    "json",
    "junit",
    "plan",
    "quiet",
    "round",
    "serve",
    "shard",
    "strict",
    "version",
    "watch-pace",
];

/// Commands that play the contest itself. The others take the conditions, but not what makes a tournament of them.
const PLAYS_CONTEST: [&str; 3] = ["tournament", "coordinate", "night"];
/// Keys that make a tournament, beside the [flags of formats](Flag::all).
const OF_TOURNAMENT: [&str; 11] =
    ["anchor", "by", "for", "format", "keep-last-good", "name", "prior-draws", "rank-by", "seed", "sign-key", "title"];
/// Of these, what `arena standings` takes: what its tables have.
const OF_TABLES: [&str; 4] = ["anchor", "prior-draws", "rank-by", "title"];

/// Flags that mean something else than those of a tournament with the same name, or that have another default for a reason.
const OTHERS: [(&str, &[&str]); 10] = [
    ("analyze", &["bot"]),
    // Bots at a time.
    ("check", &["concurrency"]),
    // With a program of rules it lists nothing else.
    ("games", &["game", "rules-read"]),
    ("plan", &["bots", "margin"]),
    ("replay", &["bot"]),
    // It plays by the clock of the record.
    ("rerun", &["clock", "margin", "move-time", "time"]),
    ("series", &["game", "max-plies", "opening-plies", "openings"]),
    // Positions at a time.
    ("solve", &["concurrency"]),
    // It prints, unless it is asked to write.
    ("standings", &["bot", "feedback"]),
    // A worker plays for any coordinator.
    (
        "worker",
        &["limits", "sandbox", "startup-max", "freeze-idle", "pin", "concurrency", "rules-read", "oversubscribe"],
    ),
];

/// Commands with an argument that names a tournament, by its id: its default is the key `name`. If another one is named, of
/// the file only [`RESULTS`] counts.
const NAMES_TOURNAMENT: [(&str, &str); 5] =
    [("analyze", "name"), ("export", "name"), ("replay", "name"), ("similar", "name"), ("standings", "what")];

/// The key of the folder of all results.
pub(super) const RESULTS: &str = "results";
/// The key of the bots' folder.
pub(super) const BOTS: &str = "bots";
pub(super) const NAME: &str = "name";
const GAME: &str = "game";

/// Typed flags that replace keys, beside those that exclude each other anyway: a clock, a goal and a game are one thing each.
const REPLACED: [(&str, &[&str]); 6] = [
    ("move-time", &["time"]),
    ("time", &["move-time"]),
    ("rounds", GOAL),
    ("until", GOAL),
    ("pairs-per-bot", GOAL),
    (GAME, &["max-plies", "opening-plies", "openings", "rules-read"]),
];
const GOAL: &[&str] = &["max-games", "max-rounds", "only-top", "pairs-per-bot", "rounds", "until"];

/// What a value is, where it is more than text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    /// A path, which counts from the folder of the file.
    Path,
    /// A path unless it is this word.
    PathOr(&'static str),
    /// A game, or the path of a manifest with parameters.
    Game,
    /// `NAME=PATH`.
    NamedPath,
}

impl Form {
    /// That of the values of a flag, by the type that it reads.
    pub(super) fn of(arg: &Arg) -> Self {
        let reads = |kind: TypeId| arg.get_value_parser().type_id() == kind;
        match () {
            () if arg.get_long() == Some("seeding") => Self::PathOr("draw"),
            () if reads(TypeId::of::<PathBuf>()) => Self::Path,
            () if reads(TypeId::of::<(String, PathBuf)>()) => Self::NamedPath,
            () if reads(TypeId::of::<GameArg>()) => Self::Game,
            () => Self::Text,
        }
    }
}

/// The keys of contest files, in the order of the flags of `night`, the command that has all of them.
pub(super) fn keys(night: &Command) -> impl Iterator<Item = (&str, &Arg)> {
    let flags = night.get_arguments().filter_map(|arg| Some((arg.get_long()?, arg)));
    flags.filter(|(long, _)| !OF_A_RUN.contains(long))
}

/// The argument of a command that takes the value of a key, if there is one.
pub(super) fn taken_by<'a>(command: &'a Command, key: &str) -> Option<&'a Arg> {
    let name = command.get_name();
    let find = |id: &str| command.get_arguments().find(|arg| arg.get_id() == id);
    match (name, key) {
        (_, NAME) if tournament_argument(command).is_some() => return tournament_argument(command),
        ("publish", "publish") => return find("dir"),
        _ => {}
    }
    let is_of = |keys: &[&str]| keys.contains(&key);
    let is_refused = OTHERS.iter().any(|(other, keys)| *other == name && is_of(keys))
        || OF_A_RUN.contains(&key)
        || is_of_tournament(key) && !PLAYS_CONTEST.contains(&name) && !(name == "standings" && is_of(&OF_TABLES));
    command.get_arguments().find(|arg| arg.get_long() == Some(key)).filter(|_| !is_refused)
}

/// Whether the key makes a tournament of the conditions.
fn is_of_tournament(key: &str) -> bool {
    OF_TOURNAMENT.contains(&key) || Flag::all().iter().any(|flag| flag.name == key)
}

/// The argument that names the tournament to look at.
pub(super) fn tournament_argument(command: &Command) -> Option<&Arg> {
    let (_, id) = NAMES_TOURNAMENT.iter().find(|(name, _)| *name == command.get_name())?;
    command.get_arguments().find(|arg| arg.get_id() == id)
}

/// Whether a command takes the value of a key only if it is the path of a program of rules.
pub(super) fn is_for_programs(arg: &Arg) -> bool {
    arg.get_long() == Some(GAME) && arg.get_value_names().is_some_and(|names| names.iter().any(|name| name == "FILE"))
}

/// Whether a typed flag stands for the value of a key: it is the same, excludes it, or is part of the same thing.
pub(super) fn replaces(command: &Command, typed: &Arg, key: &str, of_key: &Arg) -> bool {
    let excludes = |one: &Arg, other: &Arg| {
        command.get_arg_conflicts_with(one).into_iter().any(|excluded| excluded.get_id() == other.get_id())
    };
    let flag = typed.get_long().unwrap_or_default();
    typed.get_id() == of_key.get_id()
        || excludes(typed, of_key)
        || excludes(of_key, typed)
        || REPLACED.iter().any(|(of, keys)| *of == flag && keys.contains(&key))
        || flag == "format" && Flag::all().iter().any(|flag| flag.name == key)
}

/// Whether a word is the path of a program of rules, with or without parameters.
pub(super) fn is_program(game: &OsStr) -> bool {
    game.to_str().is_some_and(|text| arena_play::program::named_program(text).is_some())
}
