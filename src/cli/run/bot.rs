//! `arena bot NAME`: a built-in strategy as an ordinary bot on stdin and stdout.

use std::fmt::Write as _;

use anyhow::Context;
use arena_bots::strategy::{STRATEGIES, Strategy, serve};

use crate::cli::args::parameters::parameters;
use crate::cli::{Exit, Io};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Name of the strategy [default: list all strategies]
    name: Option<String>,
    /// Options of the strategy, such as depth=6
    #[arg(value_name = "OPTION=VALUE")]
    options: Vec<String>,
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    let Some(name) = &args.name else {
        io.print(&list())?;
        return Ok(Exit::Done);
    };
    let strategy = Strategy::named(name)?;
    let options = strategy.options_from_text(&args.options)?;
    if io.stdin_is_terminal() {
        io.tell("this is a bot: it waits for JSON lines of the protocol on stdin (docs/protocol.md)");
    }
    serve(strategy, &options, io.stdin(), io.stdout()).with_context(|| format!("playing as `{name}`"))?;
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
