//! Runs a command and returns its exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(arena_make::main() as u8)
}
