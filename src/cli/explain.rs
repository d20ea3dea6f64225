//! `arena explain CODE`: a page for every word that says how a game or a bot ended.

use std::fmt::Write as _;

use anyhow::bail;

use super::{Exit, print};
use crate::suggest::did_you_mean;
use crate::text::shown;

/// A word in `games.csv`, and what to know about it.
struct Page {
    code: &'static str,
    means: &'static str,
    causes: &'static [&'static str],
    cures: &'static [&'static str],
}

/// Every page: the statuses of seats, then the reasons of games.
const PAGES: &[Page] = &[
    Page {
        code: "ok",
        means: "The bot did everything that was asked of it. It may have lost all the same.",
        causes: &[],
        cures: &[],
    },
    Page {
        code: "timeout",
        means: "No valid reply came within the move's limit and the margin. The bot lost the game.",
        causes: &[
            "it forgot to flush stdout: the reply waits in a buffer (the log says so when it was seen)",
            "it thinks longer than `clock.deadline_ms`",
            "it waits for something else than the next line on stdin",
            "it wrote a line without a newline",
        ],
        cures: &[
            "flush after every line: print(..., flush=True), fflush(stdout), stdout().flush()",
            "stop searching well before the deadline: leave a tenth of it, and 5 ms",
            "look at the last line sent and received in the log, and at stderr",
            "give all more time with --move-time; on a busy machine use a smaller -j, or --clock cpu, which charges \
             processor time only",
        ],
    },
    Page {
        code: "illegal_move",
        means: "The move does not equal any entry of `legal_moves`. The bot lost the game.",
        causes: &[
            "it keeps a board of its own that differs from the request's",
            "rows and columns exchanged, or counted from 1",
            "a string or a float instead of an integer: \"3\" and 3.0 are not 3",
        ],
        cures: &[
            "choose from `legal_moves` of the request itself",
            "`arena replay ID` shows the position; the log shows the move",
        ],
    },
    Page {
        code: "protocol_error",
        means: "The bot wrote a line that breaks the protocol while a reply was owed. It lost the game.",
        causes: &[
            "a line that begins with { and is no complete JSON object, or one object over several lines",
            "an `id` that was never given to it",
            "a line longer than 65,536 bytes, or more than 1,000 lines that answer nothing",
            "debug output on stdout that looks like a message",
        ],
        cures: &[
            "write exactly one JSON object a line, with the `id` of the request",
            "print debug output to stderr",
            "`arena schema` describes every line",
        ],
    },
    Page {
        code: "crashed",
        means: "The bot exited, or closed its stdout, while a reply was owed. It lost the game.",
        causes: &[
            "an exception or a signal: the evidence names it",
            "it left at the end of its own loop",
            "it was out of memory",
        ],
        cures: &[
            "read the end of its stderr in results/NAME/bots/BOT.log",
            "run it by hand with the last line that was sent to it",
        ],
    },
    Page {
        code: "startup_failed",
        means: "The bot could not be started, gave no hello or no ready in time, or does not play this game. It lost the game.",
        causes: &[
            "not executable, a missing interpreter, or line ends of Windows in its first line",
            "it prints hello only after the first line, or never flushes it",
            "its hello.games does not name this game",
            "it takes longer than 10 s to start",
        ],
        cures: &[
            "`arena check BOT` says which",
            "a manifest may give it more time (startup_ms) or name its games (games)",
        ],
    },
    Page { code: "resigned", means: "The bot gave the game up. That is no fault.", causes: &[], cures: &[] },
    Page {
        code: "withdrawn",
        means: "The bot failed to start three games in a row and is not started any more. Its remaining games are lost without being played: they count as points, but not for ratings. A game of two withdrawn bots is void.",
        causes: &[
            "whatever makes it startup_failed: see `arena explain startup_failed`",
            "something it needs is gone since it was checked: a file, a licence, memory",
            "it starts once, but not again: a lock, a port or a file is left of its last process",
        ],
        cures: &[
            "read the end of its stderr in results/NAME/bots/BOT.log; `arena check BOT` tries it out",
            "mend it and run the same command again: a bot that was changed plays all of its games anew",
            "if it was not the bot (the machine, --limits, --sandbox), run again with --fresh, or under another --name: in this journal it stays withdrawn until it is changed",
        ],
    },
    Page {
        code: "void",
        means: "The arena, not a bot, failed to run the game, or neither bot could start. It counts nowhere and is played again when the same command is run again, unless both are withdrawn.",
        causes: &["no memory, no process or no file descriptor was left", "both bots fail to start, or are withdrawn"],
        cures: &["the warnings name the first cause", "use a smaller -j"],
    },
    Page {
        code: "max_plies",
        means: "The game was a draw because --max-plies moves were made.",
        causes: &[],
        cures: &[],
    },
    Page { code: "line", means: "Somebody completed a line: connect4, mnk.", causes: &[], cures: &[] },
    Page { code: "board_full", means: "The board is full and nobody has a line: a draw.", causes: &[], cures: &[] },
    Page { code: "last_marble", means: "The winner took the last marble.", causes: &[], cures: &[] },
    Page { code: "code_broken", means: "The winner broke the code in fewer guesses.", causes: &[], cures: &[] },
    Page {
        code: "same_number",
        means: "Both broke the code with the same number of guesses: a draw.",
        causes: &[],
        cures: &[],
    },
    Page { code: "not_broken", means: "Neither broke the code within its guesses: a draw.", causes: &[], cures: &[] },
];

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
    for (title, lines) in [("Usual causes", page.causes), ("What to do", page.cures)] {
        if !lines.is_empty() {
            let _ = write!(text, "\n{title}:\n");
            for line in lines {
                let _ = writeln!(text, "- {line}");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Status;

    #[test]
    fn every_status_has_a_page() {
        for status in Status::ALL {
            assert!(PAGES.iter().any(|page| page.code == status.name()), "{status}");
        }
    }
}
