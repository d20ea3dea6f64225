//! Parses, runs, prints the error chain once, returns an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Before anything else: a guard starts with every start of a bot, and quickly.
    if std::env::args_os().nth(1).is_some_and(|word| word == arena::guard::COMMAND) {
        return arena::guard::main();
    }
    ExitCode::from(arena::cli::main() as u8)
}
