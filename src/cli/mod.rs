//! The command line: one file per command. With `report`, the only code that writes text for users.
//!
//! stdout carries results, stderr carries progress, warnings and errors.

mod again;
mod ask;
mod bot;
mod bots;
mod budget_args;
mod check;
mod completions;
#[cfg(feature = "nats")]
mod coordinate;
mod doctor;
mod event_args;
mod explain;
mod export;
mod foreign_flags;
mod format_args;
mod games;
mod guard_args;
mod judge;
mod key_values;
mod match_bots;
mod merge;
mod moves;
#[cfg(feature = "nats")]
mod nats_args;
mod new_bot;
mod one_bot;
mod play;
mod play_games;
mod progress;
mod rating_args;
mod replay;
mod roster_args;
mod schema;
mod screen;
mod seeding;
mod series;
#[cfg(feature = "serve")]
mod serve;
mod shard;
mod shard_args;
mod shared_args;
mod sprt;
mod standings;
mod strikes_arg;
mod talk;
mod tournament;
mod verify;
#[cfg(feature = "nats")]
mod worker;
#[cfg(feature = "nats")]
mod workers;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser, Subcommand};

use crate::guard::{clear_up, harden_referee, outlive_file_limit, serve_if_asked};
use screen::{print, print_data, print_json, print_page, tell, tell_command, tell_error, warn};
use shared_args::{BotsArgs, ClockArgs, ResultsArgs, whole};

/// The exit codes of the program; the README documents them, and scripts rely on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Everything was done.
    Done = 0,
    /// Wrong usage, or an error of the arena.
    Error = 1,
    /// Done, but a bot was left out, withdrawn or failed a check, or lost games by faults under `--strict`.
    BotTrouble = 2,
    /// Stopped early, or games are missing; run the same command to resume.
    Incomplete = 3,
    /// A match with a test accepted elo0: the first bot is not that much stronger.
    NotStronger = 4,
    /// A match with a test ended undecided.
    Inconclusive = 5,
    /// Killed by a signal; a tournament or match by the second.
    Killed = 130,
}

/// Play bots against each other and learn which is better.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 100, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Play a tournament between all bots, or resume one.
    Tournament(Box<tournament::Args>),
    /// Play a tournament on many machines: workers play the games.
    #[cfg(feature = "nats")]
    Coordinate(Box<coordinate::Args>),
    /// Play games for coordinators, until stopped.
    #[cfg(feature = "nats")]
    Worker(Box<worker::Args>),
    /// List the workers of a broker, and what they play.
    #[cfg(feature = "nats")]
    Workers(Box<workers::Args>),
    /// Play two bots against each other, or test which is stronger.
    Match(Box<match_bots::Args>),
    /// Play tournaments of several games in turns, with one table of all.
    Series(Box<series::Args>),
    /// Put the parts of a tournament together that several machines played.
    Merge(Box<merge::Args>),
    /// Play against a bot or another person, or watch two bots move by move.
    Play(Box<play::Args>),
    /// List the bots that were found, and what was skipped and why.
    Bots(bots::Args),
    /// Create a bot in bots/ from the starter of a language.
    NewBot(new_bot::Args),
    /// Test a bot and explain what is wrong with it.
    Check(check::Args),
    /// Ask a bot for its move in a position, and show both messages.
    Ask(Box<ask::Args>),
    /// Talk to a bot by hand: both directions live, with shortcuts for messages.
    Talk(Box<talk::Args>),
    /// Explain a status or reason, and what to do about it.
    Explain(explain::Args),
    /// Test how well this machine can contain bots and keep time, or measure its speed.
    Doctor(doctor::Args),
    /// List the games and their parameters.
    Games,
    /// Step through a recorded game.
    Replay(replay::Args),
    /// Rebuild and show the tables of a tournament, or rate games from files.
    Standings(standings::Args),
    /// Export tables for analyses: one row per move.
    Export(export::Args),
    /// Evaluate a sequential test from counts of results.
    Sprt(sprt::Args),
    /// Check every game of a journal against the rules.
    Verify(verify::Args),
    /// Judge positions: JSON lines in, JSON lines out.
    Judge(judge::Args),
    /// Print the JSON Schema of the bot protocol, or of `judge`.
    Schema(schema::Args),
    /// Run a built-in strategy as a bot on stdin and stdout.
    Bot(bot::Args),
    /// Print completions for a shell.
    Completions(completions::Args),
    /// Print the man page, or write one for each command.
    Man(completions::ManArgs),
}

impl Command {
    /// Whether it starts bots. Such a command protects itself first and removes leftover processes at the end.
    fn starts_bots(&self) -> bool {
        // Without a wildcard: a new command that starts bots would do so unprotected, and nothing would say so.
        match self {
            Self::Replay(args) => args.plays(),
            #[cfg(feature = "nats")]
            Self::Coordinate(_) | Self::Worker(_) => true,
            #[cfg(feature = "nats")]
            Self::Workers(_) => false,
            Self::Tournament(_)
            | Self::Match(_)
            | Self::Series(_)
            | Self::Play(_)
            | Self::Check(_)
            | Self::Ask(_)
            | Self::Talk(_)
            | Self::Doctor(_) => true,
            Self::Merge(_)
            | Self::Bots(_)
            | Self::NewBot(_)
            | Self::Explain(_)
            | Self::Games
            | Self::Standings(_)
            | Self::Export(_)
            | Self::Sprt(_)
            | Self::Verify(_)
            | Self::Judge(_)
            | Self::Schema(_)
            | Self::Bot(_)
            | Self::Completions(_)
            | Self::Man(_) => false,
        }
    }
}

/// Reads the command line, runs the command, prints an error chain once, and returns the exit code.
#[must_use]
pub fn main() -> Exit {
    // This comes first: every start of a bot also starts a guard, which must be quick.
    let _not_asked = serve_if_asked();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            if error.kind() == ErrorKind::UnknownArgument
                && let Some(hint) = foreign_flag_hint()
            {
                tell_error(&format!("{hint}\n\nFor more information, try '--help'."));
                return Exit::Error;
            }
            if !error.use_stderr() {
                // Help and version. A failure to print them is ignored.
                let _ = error.print();
                return Exit::Done;
            }
            // Clap quotes the arguments verbatim and breaks words.
            let text = error.to_string();
            match text.trim_end().strip_prefix("error: ") {
                Some(error) => tell_error(error),
                // The help, where there is no command.
                None => tell(text.trim_end()),
            }
            return Exit::Error;
        }
    };
    outlive_file_limit();
    let starts_bots = cli.command.starts_bots();
    if starts_bots {
        harden_referee();
    }
    let outcome = match cli.command {
        Command::Tournament(args) => tournament::run(&args),
        #[cfg(feature = "nats")]
        Command::Coordinate(args) => coordinate::run(&args),
        #[cfg(feature = "nats")]
        Command::Worker(args) => worker::run(&args),
        #[cfg(feature = "nats")]
        Command::Workers(args) => workers::run(&args),
        Command::Match(args) => match_bots::run(&args),
        Command::Series(args) => series::run(&args),
        Command::Merge(args) => merge::run(&args),
        Command::Play(args) => play::run(&args),
        Command::Sprt(args) => sprt::run(&args),
        Command::Bots(args) => bots::run(&args),
        Command::NewBot(args) => new_bot::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Ask(args) => ask::run(&args),
        Command::Talk(args) => talk::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Games => games::run(),
        Command::Replay(args) => replay::run(&args),
        Command::Standings(args) => standings::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Judge(args) => judge::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Bot(args) => bot::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => completions::man(&args),
    };
    if starts_bots {
        clear_up();
    }
    outcome.unwrap_or_else(|error| {
        if is_broken_pipe(&error) {
            // The reader closed the pipe; not an error.
            return Exit::Done;
        }
        tell_error(&crate::text::causes(error.as_ref()).join("\n  caused by: "));
        Exit::Error
    })
}

/// A hint if the command line has a flag of another program.
fn foreign_flag_hint() -> Option<String> {
    let words: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let program = Cli::command();
    let command =
        program.get_subcommands().find(|command| words.first().is_some_and(|word| word == command.get_name()))?;
    let has = |command: &clap::Command, name: &str| command.get_arguments().any(|arg| arg.get_long() == Some(name));
    if words.iter().any(|word| word == "--json") && !has(command, "json") {
        let able: Vec<&str> =
            program.get_subcommands().filter(|other| has(other, "json")).map(clap::Command::get_name).collect();
        return Some(format!("`arena {}` has no --json; these have it: {}", command.get_name(), able.join(", ")));
    }
    let is_ours = |name: &str| has(command, name);
    foreign_flags::hint(words.iter().map(String::as_str), is_ours)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
    })
}
