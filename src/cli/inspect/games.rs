//! `arena games`: the games and their parameters.

use std::fmt::Write as _;

use arena_core::rules::{self, EXAMPLE};
use arena_core::text::shown;
use arena_play::program::game_of;

use crate::cli::args::game::RulesArgs;
use crate::cli::args::parameters::parameters;
use crate::cli::{Exit, Io};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) rules: RulesArgs,
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    let game = args.rules.load(io)?;
    let named = game.as_ref().map(|variant| variant.rules);
    let mut text = String::new();
    for rules in named.map_or_else(|| rules::all().collect(), |rules| vec![rules]) {
        let _ = writeln!(text, "{}  {}", rules.label(), rules.summary);
        text.push_str(&parameters(rules.params));
        for alias in rules.aliases {
            let params: Vec<String> = alias.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let _ = writeln!(text, "  {}  {} ({}:{})", alias.name, alias.summary, rules.label(), params.join(","));
        }
        text.push('\n');
    }
    if let Some(rules) = named {
        let _ = writeln!(text, "Recorded as {}, version {}", rules.name, rules.version);
        let build = game.as_ref().and_then(game_of).map_or("", |program| program.hello.build.as_str());
        if !build.is_empty() {
            let _ = writeln!(text, "Rests on {}", shown(build));
        }
        if !rules.open_information {
            text.push_str("Hides something from each seat, or draws lots: no openings\n");
        }
        io.print(&text)?;
        return Ok(Exit::Done);
    }
    let _ = writeln!(text, "Written as NAME or NAME:param=value,param=value, such as {EXAMPLE}");
    io.print(&text)?;
    Ok(Exit::Done)
}
