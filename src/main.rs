//! Parses, runs, prints the error chain once.
fn main() {}
