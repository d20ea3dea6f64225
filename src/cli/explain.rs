//! `arena explain CODE`: a page for every word that says how a game or a bot ended.

use std::fmt::Write as _;

use anyhow::bail;

use super::{Exit, print};
use crate::advice;
use crate::record::Status;
use crate::suggest::did_you_mean;
use crate::text::shown;

/// A word in `games.csv`, and what to know about it. What brings a status about is in [`crate::advice`].
struct Page {
    code: &'static str,
    means: &'static str,
    /// What else to do about it.
    cures: &'static [&'static str],
}

/// Every page: the statuses of seats, then the reasons of games.
const PAGES: &[Page] = &[
    page("ok", "The bot did everything that was asked of it. It may have lost all the same."),
    Page {
        code: "timeout",
        means: "No valid reply came within the move's limit and the margin. The bot lost the game.",
        cures: &[
            "look at the last line sent and received, and at stderr: `arena check BOT` shows them, and so does the log",
            "give all more time with --move-time; on a busy machine use a smaller -j, or --clock cpu, which charges \
             processor time only",
        ],
    },
    Page {
        code: "illegal_move",
        means: "The move does not equal any entry of `legal_moves`. The bot lost the game.",
        cures: &["`arena replay ID` shows the position; the log shows the move"],
    },
    Page {
        code: "protocol_error",
        means: "The bot wrote a line that breaks the protocol while a reply was owed. It lost the game.",
        cures: &["`arena check BOT` shows the line; `arena schema` describes every line"],
    },
    Page {
        code: "crashed",
        means: "The bot exited, or closed its stdout, while a reply was owed. It lost the game.",
        cures: &["`arena check BOT` shows the end of its stderr; all of it is in results/NAME/bots/BOT.log"],
    },
    Page {
        code: "startup_failed",
        means: "The bot could not be started, gave no hello or no ready in time or a wrong one, or does not play this game. It lost the game.",
        cures: &["`arena check BOT` says which"],
    },
    Page {
        code: "interference",
        means: "The bot took so much of the processor while its opponent was on move that the opponent ran out of time, although it had not used its limit. The bot lost the game.",
        cures: &["bots.csv has the processor time that each bot used while another one was on move (off_move_ms)"],
    },
    page("resigned", "The bot gave the game up. That is no fault."),
    Page {
        code: "withdrawn",
        means: "The bot failed to start three games in a row, lost its first ten games by timeout or crash (--strikes sets both numbers), or its starts after its faults took more than 60 s and more than 1 s for each of its games; it is not started any more. Its remaining games are lost without being played: they count as points, but not for ratings. A game of two withdrawn bots is void.",
        cures: &[
            "read the end of its stderr in results/NAME/bots/BOT.log",
            "--strikes games=off lets a bot play on that lost its first games",
            "if it was not the bot (the machine, --limits, --sandbox), run again with --fresh, or under another --name: in this journal it stays withdrawn until it is changed",
        ],
    },
    Page {
        code: "void",
        means: "None of its bots is known to be at fault: the arena failed to run the game, or a bot that did not play it disturbed it; or neither bot could start. It counts nowhere. Unless neither could start, it is tried up to four times in a row; it is played again when the same command is run again, unless both bots are withdrawn.",
        cures: &[
            "the warnings name the first cause: no memory, no process or no file descriptor was left, or both bots failed to start",
            "use a smaller -j",
        ],
    },
    page("max_plies", "The game was a draw because --max-plies moves were made."),
    page("line", "The winner completed a line: connect4, mnk."),
    page("board_full", "The board is full and neither side has a line: a draw."),
    page("last_marble", "The winner took the last marble."),
    page("code_broken", "The winner broke the code in fewer guesses."),
    page("same_number", "Both broke the code with the same number of guesses: a draw."),
    page("not_broken", "Neither broke the code within its guesses: a draw."),
];

const fn page(code: &'static str, means: &'static str) -> Page {
    Page { code, means, cures: &[] }
}

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A status or reason as in games.csv; without one, all are listed
    code: Option<String>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let Some(code) = &args.code else {
        let mut text = String::new();
        for page in PAGES {
            let _ = writeln!(text, "{:<16} {}", page.code, page.means);
        }
        print(&text)?;
        return Ok(Exit::Done);
    };
    let Some(page) = PAGES.iter().find(|page| page.code == code) else {
        let hint = did_you_mean(code, PAGES.iter().map(|page| page.code));
        bail!("nothing is called `{}`{hint}; `arena explain` lists every word", shown(code));
    };
    print(&text(page))?;
    Ok(Exit::Done)
}

fn text(page: &Page) -> String {
    let mut text = format!("{}\n\n{}\n", page.code, page.means);
    let status = Status::ALL.into_iter().find(|status| status.name() == page.code);
    let mut causes = status.into_iter().flat_map(advice::all).peekable();
    if causes.peek().is_some() {
        text.push_str("\nUsual causes, and what to do:\n");
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
