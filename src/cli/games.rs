//! `arena games`: the games and their parameters.

use std::fmt::Write as _;

use super::{Exit, print};
use crate::rules::{self, EXAMPLE, Param, Params};

#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(_: &Args) -> anyhow::Result<Exit> {
    let mut text = String::new();
    for rules in rules::all() {
        let _ = writeln!(text, "{}  {}", rules.label(), rules.summary);
        text.push_str(&parameters(rules.params));
        for alias in rules.aliases {
            let params: Vec<String> = alias.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let _ = writeln!(text, "  {}  {} ({}:{})", alias.name, alias.summary, rules.label(), params.join(","));
        }
        text.push('\n');
    }
    let _ = writeln!(text, "Written as NAME or NAME:param=value,param=value, such as {EXAMPLE}");
    print(&text)?;
    Ok(Exit::Done)
}

/// A line for each parameter, with its default.
pub(super) fn parameters(declared: &'static [Param]) -> String {
    let defaults = Params::defaults(declared);
    let lines = declared.iter().zip(defaults.iter()).map(|(param, (_, default))| {
        format!("    {:<12} {}; {} (default {default})\n", param.name, param.help, param.expected())
    });
    lines.collect()
}
