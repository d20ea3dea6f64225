//! `arena explain CODE`: a page for every status and every reason a game ends.

use std::fmt::Write as _;

use arena_core::record::Status;
use arena_core::rules;
use arena_core::suggest::UnknownName;
use arena_wire::advice;

use crate::cli::{Exit, Io};

/// A status or a reason in `games.csv`, and what it means. Causes of a status are in [`arena_wire::advice`].
#[derive(Clone, Copy)]
struct ExplainPage {
    code: &'static str,
    means: &'static str,
    /// What else to do about it.
    cures: &'static [&'static str],
}

/// The statuses of seats, then the reason that is of no game in particular.
const PAGES: &[ExplainPage] = &[
    page("ok", "The bot answered everything it was asked. It may have lost all the same."),
    ExplainPage {
        code: "timeout",
        means: "No valid reply came within the move limit and the margin. The bot lost the game.",
        cures: &[
            "compare the last line sent with the last line received: `arena check BOT` and the log show both, and stderr",
            "allow more time with --move-time; on a busy machine use a smaller -j, or --clock cpu, which charges CPU \
             time only",
        ],
    },
    ExplainPage {
        code: "illegal_move",
        means: "The move is not in `legal_moves`. The bot lost the game.",
        cures: &[
            "`arena replay ID` shows the position, and `arena replay ID --request PLY` the request; the log shows the \
             move",
        ],
    },
    ExplainPage {
        code: "protocol_error",
        means: "During the game the bot wrote a line that breaks the protocol. It lost the game.",
        cures: &["`arena check BOT` shows the line; `arena schema` describes every line"],
    },
    ExplainPage {
        code: "crashed",
        means: "The bot exited, or closed its stdout, before it answered a request. It lost the game.",
        cures: &[
            "`arena check BOT` shows the end of its stderr; results/NAME/bots/BOT.log has all of it",
            "`arena replay ID --wire SEAT | BOT` gives the bot the same input again",
        ],
    },
    ExplainPage {
        code: "startup_failed",
        means: "The bot did not start. Most likely its file cannot be run, or its program stopped with an error before \
                it answered hello; `arena check BOT` shows which. It lost the game.",
        cures: &[],
    },
    ExplainPage {
        code: "interference",
        means: "The bot used CPU time while its opponent was on move, and the opponent ran out of time because of it. \
                The bot lost the game.",
        cures: &["bots.csv has the CPU time that each bot used while another bot was on move (off_move_ms)"],
    },
    page("resigned", "The bot resigned. That is not a fault."),
    ExplainPage {
        code: "withdrawn",
        means: "The bot is not started any more: it failed to start three games in a row, lost its first ten games by \
                timeout or crash (--strikes sets both numbers), its restarts after faults took more than 60 s in \
                total and more than 1 s per game, or it disturbed three games of others while it waited for its own. It \
                loses its remaining games. They count as points but not for ratings. A game between two withdrawn bots is \
                void.",
        cures: &[
            "read the end of its stderr in results/NAME/bots/BOT.log",
            "--strikes games=off keeps a bot in play that lost its first games",
            "if the bot is not the cause (the machine, --limits, --sandbox), run again with --fresh or under another \
             --name: in this journal it stays withdrawn until its files change",
        ],
    },
    ExplainPage {
        code: "void",
        means: "The game counts nowhere, because no bot is known to be at fault: the arena failed to run it, a bot that \
                did not play it disturbed it, or neither bot could start. A void game is retried up to three times, and \
                again when the same command is run again. If neither bot could start, it is missing and retried only then; \
                in a ladder, knockout or Swiss it is retried until both are withdrawn and lose it.",
        cures: &[
            "the warnings name the first cause, such as too little memory, processes or file descriptors",
            "use a smaller -j",
        ],
    },
    page("max_plies", "The game reached --max-plies moves and is a draw."),
];

const fn page(code: &'static str, means: &'static str) -> ExplainPage {
    ExplainPage { code, means, cures: &[] }
}

/// Every page: the last ones are of the reasons that games declare. One that several games declare has a page for each meaning.
fn pages() -> Vec<ExplainPage> {
    let mut pages = PAGES.to_vec();
    for reason in rules::all().flat_map(|rules| rules.reasons) {
        if !pages.iter().any(|page| (page.code, page.means) == (reason.name, reason.means)) {
            pages.push(page(reason.name, reason.means));
        }
    }
    pages
}

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A status or reason from games.csv; without one, all are listed
    code: Option<String>,
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    let pages = pages();
    let texts: Vec<String> = match &args.code {
        None => pages.iter().map(|page| format!("{:<16} {}\n", page.code, page.means)).collect(),
        Some(code) => pages.iter().filter(|page| page.code == code).map(text).collect(),
    };
    if let (Some(code), []) = (&args.code, texts.as_slice()) {
        return Err(UnknownName::new("status or reason", code, pages.iter().map(|page| page.code)).into());
    }
    io.print(&texts.concat())?;
    Ok(Exit::Done)
}

fn text(page: &ExplainPage) -> String {
    let mut text = format!("{}\n\n{}\n", page.code, page.means);
    let status = Status::ALL.into_iter().find(|status| status.name() == page.code);
    let mut causes = status.into_iter().flat_map(advice::all).peekable();
    if causes.peek().is_some() {
        text.push_str("\nUsual causes, the most likely first, and what to do:\n");
    }
    for cause in causes {
        let _ = writeln!(text, "- {}\n  → {}", cause.what, cause.cure);
    }
    if !page.cures.is_empty() {
        text.push_str("\nWhat else to do:\n");
    }
    for cure in page.cures {
        let _ = writeln!(text, "- {cure}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_a_page() {
        for status in Status::ALL {
            assert!(PAGES.iter().any(|page| page.code == status.name()), "{status}");
        }
    }
}
