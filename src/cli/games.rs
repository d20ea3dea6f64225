//! `arena games`: the games and their parameters.

use std::fmt::Write as _;

use super::{Exit, print};
use crate::rules::{Kind, RULES};

pub(super) fn run() -> anyhow::Result<Exit> {
    let mut text = String::new();
    for rules in RULES {
        let _ = writeln!(text, "{}  {}", rules.name(), rules.summary());
        for param in rules.params() {
            let default = match &param.kind {
                Kind::Int { default, .. } => default.to_string(),
                Kind::Word(words) => words[0].to_owned(),
            };
            let _ = writeln!(text, "    {:<12} {}; {} (default {default})", param.name, param.help, param.expected());
        }
        for alias in rules.aliases() {
            let params: Vec<String> = alias.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let _ = writeln!(text, "  {}  {} ({}:{})", alias.name, alias.summary, rules.name(), params.join(","));
        }
        text.push('\n');
    }
    text.push_str("Written as NAME or NAME:param=value,param=value, such as connect4:rows=6,cols=9\n");
    print(&text)?;
    Ok(Exit::Done)
}
