//! `arena bot NAME`: a built-in strategy as an ordinary bot on stdin and stdout.

use std::fmt::Write as _;
use std::io::IsTerminal;

use anyhow::Context;
use arena_bots::strategy::{STRATEGIES, Strategy, serve};

use crate::cli::args::parameters::parameters;
use crate::cli::{Exit, print, tell};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Name of the strategy [default: list all strategies]
    name: Option<String>,
    /// Options of the strategy, such as depth=6
    #[arg(value_name = "OPTION=VALUE")]
    options: Vec<String>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Exit> {
    let Some(name) = &args.name else {
        print(&list())?;
        return Ok(Exit::Done);
    };
    let strategy = Strategy::named(name)?;
    let options = strategy.options_from_text(&args.options)?;
    if std::io::stdin().is_terminal() {
        tell("this is a bot: it waits for JSON lines of the protocol on stdin (docs/protocol.md)");
    }
    serve(strategy, &options, std::io::stdin().lock(), std::io::stdout().lock())
        .with_context(|| format!("playing as `{name}`"))?;
    Ok(Exit::Done)
}

fn list() -> String {
    let mut text = String::new();
    for strategy in STRATEGIES {
        let _ = writeln!(text, "{:<16} {}", strategy.name, strategy.summary);
        text.push_str(&parameters(strategy.options));
    }
    text
}
