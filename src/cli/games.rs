//! `arena games`: the games and their parameters.

use std::fmt::Write as _;

use super::{Exit, print};
use crate::rules::{Param, Params, RULES};

pub(super) fn run() -> anyhow::Result<Exit> {
    let mut text = String::new();
    for rules in RULES {
        let _ = writeln!(text, "{}  {}", rules.name, rules.summary);
        text.push_str(&parameters(rules.params));
        for alias in rules.aliases {
            let params: Vec<String> = alias.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let _ = writeln!(text, "  {}  {} ({}:{})", alias.name, alias.summary, rules.name, params.join(","));
        }
        text.push('\n');
    }
    text.push_str("Written as NAME or NAME:param=value,param=value, such as connect4:rows=6,cols=9\n");
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
