//! Parses, runs, prints the error chain once, returns an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(arena::cli::main() as u8)
}
