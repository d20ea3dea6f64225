//! The command line: one file per command. With `report`, the only code that writes text for users.
//!
//! stdout carries results, stderr carries progress, warnings and errors.
//!
//! | folder | files |
//! |---|---|
//! | `args` | flags and values that several commands read from the command line |
//! | `run` | commands that start bots, and what these share |
//! | `inspect` | commands that read: bots, games, positions and results |
//! | `make` | commands that write files: tables for others, starters, pages, schemas |
//! | `organise` | commands for those who hold a contest, made of the other commands |
//!
//! A file uses files of its own folder and of those above it in this table. `io` is below all: a command has its words
//! and streams from there and not from its process, so that a process can [run](run()) several. `contest` reads
//! `arena.toml`, which gives flags their defaults before a command sees them.

mod args;
mod contest;
mod inspect;
mod io;
mod make;
mod organise;
mod run;

use arena_guard::{clear_up, harden_referee, outlive_file_limit, serve_if_asked};
use arena_run::session::leave_games;
use clap::error::ErrorKind;
use clap::{ArgMatches, CommandFactory as _, FromArgMatches, Parser};

use args::foreign_flags;
use args::shared::{BotsArgs, ClockArgs, ResultsArgs, whole};
use inspect::{
    analyze, bots, explain, games, history, judge, open, plan, replay, similar, solve, sprt, standings, verify,
};
use make::{completions, export, man, merge, new_bot, new_game, publish, schema};
use organise::{new_contest, night};
use run::{ask, bot, check, doctor, match_bots, play, rerun, series, talk, tournament};
#[cfg(feature = "nats")]
use run::{coordinate, worker, workers};

pub use io::Io;

/// The exit codes of the program; `docs/exit-codes.md` documents them, and scripts rely on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Everything was done.
    Done = 0,
    /// Wrong usage, or an error of the arena.
    Error = 1,
    /// Done, but a bot was left out, withdrawn or failed a check, or lost games by faults under `--strict`; or games
    /// went otherwise in a rerun.
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

/// All commands: for each its help, its name, its variant, the file with its `Args` and its `run`, and whether it starts bots. A
/// command that does protects itself first and removes leftover processes at the end.
///
/// This is what clap's derive does, but the flags of a command are defined only once it is used: those of all commands take longer than
/// the rest of a start, and every built-in bot is one.
macro_rules! commands {
    ($(#[doc = $help:literal] $(#[cfg($cfg:meta)])? $name:literal => $variant:ident($file:ident, $starts:expr);)*) => {
        #[derive(Debug)]
        enum Command {
            $($(#[cfg($cfg)])? $variant(Box<$file::Args>),)*
        }

        impl Command {
            fn starts_bots(&self) -> bool {
                match self {
                    $($(#[cfg($cfg)])? Self::$variant(args) => {
                        let starts: fn(&$file::Args) -> bool = $starts;
                        starts(args)
                    })*
                }
            }

            fn run(&self, io: &Io) -> anyhow::Result<Exit> {
                match self {
                    $($(#[cfg($cfg)])? Self::$variant(args) => $file::run(args, io),)*
                }
            }
        }

        impl clap::Subcommand for Command {
            fn augment_subcommands(program: clap::Command) -> clap::Command {
                $($(#[cfg($cfg)])?
                let program = program.subcommand(
                    clap::Command::new($name)
                        .about(about($help))
                        // Flags that are flattened into others bring the documentation of their type along.
                        .defer(|command| {
                            let command = <$file::Args as clap::Args>::augment_args(command);
                            contest::with_flag(command.about(about($help)).long_about(None))
                        }),
                );)*
                program
            }

            fn augment_subcommands_for_update(program: clap::Command) -> clap::Command {
                Self::augment_subcommands(program)
            }

            fn has_subcommand(name: &str) -> bool {
                [$($(#[cfg($cfg)])? $name,)*].contains(&name)
            }
        }

        impl FromArgMatches for Command {
            fn from_arg_matches(typed: &ArgMatches) -> Result<Self, clap::Error> {
                Self::from_arg_matches_mut(&mut typed.clone())
            }

            fn from_arg_matches_mut(typed: &mut ArgMatches) -> Result<Self, clap::Error> {
                let (name, mut typed) =
                    typed.remove_subcommand().ok_or_else(|| clap::Error::new(ErrorKind::MissingSubcommand))?;
                match name.as_str() {
                    $($(#[cfg($cfg)])? $name => Ok(Self::$variant(Box::new(<_>::from_arg_matches_mut(&mut typed)?))),)*
                    _ => Err(clap::Error::new(ErrorKind::InvalidSubcommand)),
                }
            }

            fn update_from_arg_matches(&mut self, typed: &ArgMatches) -> Result<(), clap::Error> {
                *self = Self::from_arg_matches(typed)?;
                Ok(())
            }
        }
    };
}

/// A help of one sentence, from its line of documentation.
fn about(line: &'static str) -> &'static str {
    line.trim().trim_end_matches('.')
}

/// The whole command line, with the flags of all commands.
fn whole_program() -> clap::Command {
    let mut program = Cli::command();
    program.build();
    program
}

commands! {
    /// Play a tournament between all bots, or resume one.
    "tournament" => Tournament(tournament, |_| true);
    /// Play a tournament on many machines: workers play the games.
    #[cfg(feature = "nats")] "coordinate" => Coordinate(coordinate, |_| true);
    /// Play games for coordinators, until stopped.
    #[cfg(feature = "nats")] "worker" => Worker(worker, |_| true);
    /// List the workers of a broker, and what they play.
    #[cfg(feature = "nats")] "workers" => Workers(workers, |_| false);
    /// Check all bots, play the contest as long as there is time, and publish the results.
    "night" => Night(night, |_| true);
    /// Play two bots against each other, or test which is stronger.
    "match" => Match(match_bots, |_| true);
    /// Play tournaments of several games in turns, with one table of all.
    "series" => Series(series, |_| true);
    /// Put the parts of a tournament together that several machines played.
    "merge" => Merge(merge, |_| false);
    /// Play a recorded tournament again, and compare the games.
    "rerun" => Rerun(rerun, |_| true);
    /// Play against a bot or another person, or watch two bots move by move.
    "play" => Play(play, |_| true);
    /// List the bots that were found, and what was skipped and why.
    "bots" => Bots(bots, |_| false);
    /// Create a bot in bots/ from the starter of a language.
    "new-bot" => NewBot(new_bot, |_| false);
    /// Create the smallest rules of a game as a program, to make your own of.
    "new-game" => NewGame(new_game, |_| false);
    /// Begin a contest: a commented arena.toml, and a folder for bots.
    "new-contest" => NewContest(new_contest, |_| false);
    /// Test a bot and explain what is wrong with it.
    "check" => Check(check, |_| true);
    /// Ask a bot for its move in a position, and show both messages.
    "ask" => Ask(ask, |_| true);
    /// Talk to a bot by hand: both directions live, with shortcuts for messages.
    "talk" => Talk(talk, |_| true);
    /// Explain a status or reason, and what to do about it.
    "explain" => Explain(explain, |_| false);
    /// Test how well this machine can contain bots and keep time, or measure its speed.
    "doctor" => Doctor(doctor, |_| true);
    /// List the games and their parameters.
    "games" => Games(games, |args| args.rules.is_given());
    /// Step through a recorded game.
    "replay" => Replay(replay, |_| true);
    /// Write a page of all tournaments and print its path, or that of a report.
    "open" => Open(open, |_| false);
    /// Make a folder of all results for a web server, without what is private.
    "publish" => Publish(publish, |_| true);
    /// Rebuild and show the tables of a tournament, or rate games from files.
    "standings" => Standings(standings, |_| true);
    /// Compare the moves of bots with best play.
    "analyze" => Analyze(analyze, |_| false);
    /// List the versions of a bot, and what each was worth against the one before.
    "history" => History(history, |_| false);
    /// List bots of a tournament that move alike, or whose files another one had.
    "similar" => Similar(similar, |_| true);
    /// Export tables for analyses: one row per move.
    "export" => Export(export, |_| false);
    /// Tell what a tournament or a test will take, before it is played.
    "plan" => Plan(plan, |_| false);
    /// Evaluate a sequential test from counts of results.
    "sprt" => Sprt(sprt, |_| false);
    /// Check every game of a journal against the rules.
    "verify" => Verify(verify, |_| true);
    /// Judge positions: JSON lines in, JSON lines out.
    "judge" => Judge(judge, |args| args.rules.is_given());
    /// Tell who wins positions with best play, and what each move is worth.
    "solve" => Solve(solve, |_| false);
    /// Print the JSON Schema of the bot protocol, or of `judge`.
    "schema" => Schema(schema, |_| false);
    /// Run a built-in strategy as a bot on stdin and stdout.
    "bot" => Bot(bot, |_| false);
    /// Print completions for a shell.
    "completions" => Completions(completions, |_| false);
    /// Print the man page, or write one for each command.
    "man" => Man(man, |_| false);
}

/// Runs the command of this process, prints an error chain once, and returns the exit code.
#[must_use]
pub fn main() -> Exit {
    // This comes first: every start of a bot also starts a guard, which must be quick.
    let _not_asked = serve_if_asked();
    let io = Io::of_process();
    let cli = match parse(&io) {
        Ok(cli) => cli,
        Err(exit) => return exit,
    };
    // This process has no other command, so it may be changed for this one.
    outlive_file_limit();
    let starts_bots = cli.command.starts_bots();
    if starts_bots {
        harden_referee();
    }
    let outcome = execute(&cli, &io);
    if starts_bots {
        clear_up();
    }
    exit(outcome, &io)
}

/// As [`main`], for a command of a process that does something else too: the process stays as it is, but for handlers of the
/// signals that stop a tournament, once one was played. Paths count from the current folder of the thread.
///
/// ```
/// use arena::cli::{Exit, Io, run};
/// use arena::guard::GuardProgram;
///
/// // Nothing is started, so there need be no program of guards.
/// let io = Io::captured(["arena", "games"], GuardProgram::default());
/// assert_eq!(run(&io), Exit::Done);
/// let [stdout, stderr] = io.into_output();
/// assert!(stdout.contains("connect4") && stderr.is_empty(), "{stdout}{stderr}");
/// ```
#[must_use]
pub fn run(io: &Io) -> Exit {
    match parse(io) {
        Ok(cli) => exit(execute(&cli, io), io),
        Err(exit) => exit,
    }
}

/// Reads the command line. If there is nothing to run, it says why, or prints what was asked for.
fn parse(io: &Io) -> Result<Cli, Exit> {
    let contest::WithDefaults { words, told } =
        contest::add_defaults(Cli::command, io.words().collect()).map_err(|error| exit(Err(error), io))?;
    let typed = io.lay_out(Cli::command()).try_get_matches_from(words);
    let cli = typed.and_then(|typed| Cli::from_arg_matches(&typed).map_err(|error| error.format(&mut Cli::command())));
    if let (Ok(_), Some(told)) = (&cli, told) {
        io.tell(&told);
    }
    cli.map_err(|error| {
        if error.kind() == ErrorKind::UnknownArgument
            && let Some(hint) = foreign_flag_hint(io)
        {
            io.tell_error(&format!("{hint}\n\nFor more information, try '--help'."));
            return Exit::Error;
        }
        if !error.use_stderr() {
            io.print_help(&error);
            return Exit::Done;
        }
        // Clap quotes the arguments verbatim and breaks words.
        let text = error.to_string();
        match text.trim_end().strip_prefix("error: ") {
            Some(error) => io.tell_error(error),
            // The help, where there is no command.
            None => io.tell(text.trim_end()),
        }
        Exit::Error
    })
}

fn execute(cli: &Cli, io: &Io) -> anyhow::Result<Exit> {
    let outcome = cli.command.run(io);
    leave_games();
    outcome
}

/// The exit code of a command. An error is printed.
fn exit(outcome: anyhow::Result<Exit>, io: &Io) -> Exit {
    outcome.unwrap_or_else(|error| {
        if is_broken_pipe(&error) {
            // The reader closed the pipe; not an error.
            return Exit::Done;
        }
        io.tell_error(&arena_core::text::causes(error.as_ref()).join("\n  caused by: "));
        Exit::Error
    })
}

/// A hint if the command line has a flag of another program or another command.
fn foreign_flag_hint(io: &Io) -> Option<String> {
    let words: Vec<String> = io.words().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let program = whole_program();
    let command =
        program.get_subcommands().find(|command| words.first().is_some_and(|word| word == command.get_name()))?;
    let has = |command: &clap::Command, name: &str| command.get_arguments().any(|arg| arg.get_long() == Some(name));
    if words.iter().any(|word| word == "--json") && !has(command, "json") {
        let able: Vec<&str> =
            program.get_subcommands().filter(|other| has(other, "json")).map(clap::Command::get_name).collect();
        return Some(format!("`arena {}` has no --json; these have it: {}", command.get_name(), able.join(", ")));
    }
    let is_ours = |name: &str| has(command, name);
    let words = || words.iter().map(String::as_str);
    foreign_flags::table_hint(command.get_name(), words(), is_ours).or_else(|| foreign_flags::hint(words(), is_ours))
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
    })
}
