//! `arena.toml`: a contest in a file, from which commands take the defaults of their flags.
//!
//! A key is the name of a flag of `arena tournament` or `arena night`. The values become words of the command line, before
//! those that were typed, so the flags' own parsers read them and a command need not know of the file. What was typed
//! counts: a typed flag replaces the same key, those that it excludes, and those that are one thing with it.
//!
//! A command takes a key if it has a flag of that name with the same meaning; `keys` says which have another one. A command
//! that takes nothing does not read the file, so the file of a contest cannot stop a bot that runs beside it.

mod file;
mod keys;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use arena_core::text::shown;
use arena_store::journal;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, value_parser};

use file::{ContestFile, Entry, words_of};
use keys::RESULTS;

/// The file that is read where no other is named.
pub(super) const FILE_NAME: &str = "arena.toml";
/// The flag that names another one.
pub(super) const FLAG: &str = "contest";

/// Adds the flag that names a contest file to a command that takes something from it.
pub(super) fn with_flag(command: Command) -> Command {
    // Not all keys are known here, since each command is defined only once it is used. One that takes any takes one of these.
    let takes = ["results", "bots", "game", "sandbox"].iter().any(|key| keys::taken_by(&command, key).is_some());
    if !takes {
        return command;
    }
    let help = format!("File with defaults of these options [default: {FILE_NAME}, if there is one]");
    command.arg(
        Arg::new(FLAG).long(FLAG).value_name("FILE").value_parser(value_parser!(PathBuf)).help(help).help_heading(None),
    )
}

/// A command line with what it takes from a contest file.
pub(super) struct WithDefaults {
    pub(super) words: Vec<OsString>,
    /// What was taken, for people.
    pub(super) told: Option<String>,
}

/// The words of a command line with those of the contest file before what was typed, if there is a file.
///
/// # Errors
///
/// Returns an error that names the file, the line, the key and the value if something in the file is wrong.
pub(super) fn add_defaults(program: impl FnOnce() -> Command, words: Vec<OsString>) -> anyhow::Result<WithDefaults> {
    let unchanged = |words| Ok(WithDefaults { words, told: None });
    let is_here = Path::new(FILE_NAME).symlink_metadata().is_ok();
    let names_one = |word: &OsString| word.to_str().is_some_and(|word| word.starts_with("--contest"));
    // Most starts of the program are of bots, far from any contest.
    if !is_here && !words.iter().any(names_one) {
        return unchanged(words);
    }
    let mut program = program();
    let command = words.get(1).and_then(|name| built(&mut program, name.to_str()?));
    let reads_it = |command: &Command| command.get_arguments().any(|arg| arg.get_id() == FLAG);
    let Some(command) = command.filter(reads_it) else { return unchanged(words) };
    // What is wrong with the words is said later, of all of them.
    let typed = command.clone().ignore_errors(true).try_get_matches_from(&words[1..]);
    let (Ok(typed), Some(night)) = (typed, built(&mut program, "night")) else { return unchanged(words) };
    let path = match typed.get_one::<PathBuf>(FLAG) {
        Some(path) => path.clone(),
        // Results may be a stranger's, and what lies in them starts no program.
        None if is_here && Path::new(journal::FILE_NAME).exists() => {
            let told = Some(format!("{FILE_NAME} is not read, because this is the folder of a tournament"));
            return Ok(WithDefaults { words, told });
        }
        None if is_here => FILE_NAME.into(),
        None => return unchanged(words),
    };
    let file = ContestFile::read(&path, &night)?;
    let taken = taken(&file, &command, &typed);
    let is_quiet = command.get_arguments().any(|arg| arg.get_id() == "quiet" && is_typed(&typed, arg));
    let told: Vec<String> = taken.iter().filter_map(|(arg, entry)| told(arg, entry)).collect();
    let told =
        (!told.is_empty() && !is_quiet).then(|| format!("{}: {}", shown(&path.to_string_lossy()), told.join(", ")));
    let defaults = taken.iter().flat_map(|(arg, entry)| words_of(arg, &entry.values));
    let words = words[..2].iter().cloned().chain(defaults).chain(words[2..].iter().cloned()).collect();
    Ok(WithDefaults { words, told })
}

/// A command with all of its flags.
fn built(program: &mut Command, name: &str) -> Option<Command> {
    let mut command = program.find_subcommand_mut(name)?.clone();
    command.build();
    Some(command)
}

fn is_typed(typed: &ArgMatches, arg: &Arg) -> bool {
    typed.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine)
}

/// What a command takes from the file, and the arguments that it is for.
fn taken<'a>(file: &'a ContestFile, command: &'a Command, typed: &ArgMatches) -> Vec<(&'a Arg, &'a Entry)> {
    let all_typed: Vec<&Arg> = command.get_arguments().filter(|arg| is_typed(typed, arg)).collect();
    let of_another = names_another(file, command, typed);
    let mut taken = Vec::new();
    for entry in &file.entries {
        let Some(arg) = keys::taken_by(command, &entry.key) else { continue };
        let is_replaced = all_typed.iter().any(|typed| keys::replaces(command, typed, &entry.key, arg));
        let is_for_it = !keys::is_for_programs(arg) || entry.values.iter().all(|game| keys::is_program(game));
        if !is_replaced && is_for_it && (!of_another || entry.key == RESULTS) {
            taken.push((arg, entry));
        }
    }
    taken
}

/// Whether the command line names another tournament than that of the contest, to look at it.
fn names_another(file: &ContestFile, command: &Command, typed: &ArgMatches) -> bool {
    let Some(arg) = keys::tournament_argument(command).filter(|arg| is_typed(typed, arg)) else { return false };
    let mut named = typed.get_raw(arg.get_id().as_str()).into_iter().flatten();
    file.name().is_none_or(|name| named.any(|word| word != name))
}

/// An entry for people; `None` if it changes nothing.
fn told(arg: &Arg, entry: &Entry) -> Option<String> {
    let told = entry.told.as_deref()?;
    let is_usual = !entry.values.is_empty() && arg.get_default_values().iter().eq(&entry.values);
    let told = if told.is_empty() { entry.key.clone() } else { format!("{} {told}", entry.key) };
    Some(told).filter(|_| !is_usual)
}

#[cfg(test)]
mod tests;
