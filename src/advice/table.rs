//! The causes, the cures, and how each cause shows.

use super::Cause;
use crate::protocol::{Line, decode};
use crate::record::{Evidence, Status};

/// Whether what we say of the fault has one of these words in it, before we quote the bot.
fn says(evidence: &Evidence, words: &[&str]) -> bool {
    let quotes = ["; its last line was dropped as", "; its stderr ends: "];
    let ours = quotes.iter().filter_map(|quote| evidence.message.find(quote)).min();
    let message = &evidence.message[..ours.unwrap_or(evidence.message.len())];
    words.iter().any(|word| message.contains(word))
}

/// Whether the bot wrote one of these words to stderr at its end.
fn wrote(evidence: &Evidence, words: &[&str]) -> bool {
    evidence.stderr_tail.as_deref().is_some_and(|tail| words.iter().any(|word| tail.contains(word)))
}

/// The last line that came from the bot, if it is dropped whatever is asked, but looks like an answer.
fn stray(evidence: &Evidence) -> Option<&str> {
    let is_stray = |line: &&str| matches!(decode(line.as_bytes()), Line::Stray);
    let is_answer = |line: &&str| line.contains("{\"") || line.trim().parse::<f64>().is_ok();
    evidence.last_received.as_deref().filter(is_stray).filter(is_answer)
}

const AT_ITS_END: &[Status] = &[Status::Crashed, Status::StartupFailed];
const BY_A_LINE: &[Status] = &[Status::ProtocolError, Status::StartupFailed];
const IN_SILENCE: &[Status] = &[Status::Timeout, Status::StartupFailed];

/// Seen only of a bot that is in one.
pub(super) const SANDBOX: Cause = Cause {
    statuses: AT_ITS_END,
    what: "the sandbox keeps from it what it opens: a file beside it, a log, /tmp, the network",
    cure: "in a sandbox a bot reads installed programs and what is its own (its file and the `files` of its manifest, or \
           its folder with a bot.toml), writes only below $TMPDIR and has no network: name the file in a manifest, log \
           to stderr; `arena check BOT --sandbox off` shows whether that was all",
    seen: |evidence| {
        const REFUSED: [&str; 7] = [
            "Permission denied",
            "PermissionError",
            "Operation not permitted",
            "Read-only file system",
            "EACCES",
            "EPERM",
            "AccessDenied",
        ];
        wrote(evidence, &REFUSED)
    },
};

/// Seen of what was dropped, which a bot's log has and a fault's evidence has not.
pub const STALE: Cause = Cause {
    statuses: IN_SILENCE,
    what: "its reply has the `id` of an earlier request, and is dropped",
    cure: "copy the `id` of the very request that is answered, each time",
    seen: |_| false,
};

/// The more particular before the more general.
pub(super) const CAUSES: &[Cause] = &[
    Cause {
        statuses: &[Status::StartupFailed],
        what: "the system cannot start it: not executable, no interpreter, Windows line ends, for another machine",
        cure: "mend what is named there; nothing of the bot itself has run yet",
        seen: |evidence| evidence.message.starts_with("cannot start "),
    },
    Cause {
        statuses: &[Status::StartupFailed],
        what: "its hello.games does not name the game",
        cure: "name the game in its hello.games, or leave that field out to play all",
        seen: |evidence| says(evidence, &["it does not play "]),
    },
    Cause {
        statuses: &[Status::StartupFailed],
        what: "its hello names no protocol, or another one",
        cure: "answer hello with {\"type\":\"hello\",\"protocol\":1}, the 1 an integer",
        seen: |evidence| {
            says(evidence, &["its hello says protocol", "`protocol`", "\"protocol\":\"", "\"protocol\": \""])
        },
    },
    Cause {
        statuses: AT_ITS_END,
        what: "it uses more memory, processes, threads or disk than it may",
        cure: "use less, or allow more with --limits or `limits` in its manifest",
        seen: |evidence| says(evidence, &["it was ended: ", "out of memory"]),
    },
    Cause {
        statuses: AT_ITS_END,
        what: "it imports a file beside it that the sandbox hides, or a package that is not installed",
        cure: "name a file beside it in `files` of a manifest, or make a folder with a bot.toml of it; install a package \
               for the very interpreter that the bot is started with",
        seen: |evidence| {
            const MISSING: [&str; 5] =
                ["No module named", "ImportError", "Cannot find module", "Cannot find package", "load main class"];
            wrote(evidence, &MISSING)
        },
    },
    Cause {
        statuses: AT_ITS_END,
        what: "it leaves by itself: at the end of its own loop, or since it takes an error for the end",
        cure: "read line after line until `quit` or the end of stdin: one process plays many games",
        seen: |evidence| says(evidence, &["it exited with status 0 "]),
    },
    Cause {
        statuses: AT_ITS_END,
        what: "it goes wrong in memory or arithmetic (SIGSEGV, SIGABRT, SIGFPE …)",
        cure: "build it for debugging (cc -g -fsanitize=address,undefined) and give it the last line sent by hand; if \
               that is well, it may miss what the sandbox keeps from it: try `arena check BOT --sandbox off`",
        seen: |evidence| says(evidence, &["(SIGSEGV)", "(SIGBUS)", "(SIGABRT)", "(SIGFPE)", "(SIGILL)", "(SIGTRAP)"]),
    },
    Cause { statuses: &[Status::Crashed], what: "an exception or a signal", cure: CRASH_CURE, seen: |_| true },
    Cause {
        statuses: &[Status::StartupFailed],
        what: "it breaks down before it has said hello or is ready",
        cure: CRASH_CURE,
        seen: |evidence| says(evidence, &["it exited with status", "it was killed by", "it closed its output"]),
    },
    Cause {
        statuses: &[Status::Timeout, Status::ProtocolError, Status::StartupFailed],
        what: "it writes another encoding than UTF-8",
        cure: "write UTF-8 whatever the system's default is: in Python sys.stdout.reconfigure(encoding=\"utf-8\")",
        seen: |evidence| says(evidence, &["UTF-16", "invalid UTF-8"]),
    },
    Cause {
        statuses: BY_A_LINE,
        what: "it prints a dict of Python, whose quotes are not those of JSON",
        cure: "print(json.dumps(reply), flush=True)",
        seen: |evidence| says(evidence, &["key must be a string"]),
    },
    Cause {
        statuses: BY_A_LINE,
        what: "it writes one message over several lines",
        cure: "write each message on one line: without `indent`, and with newlines escaped",
        seen: |evidence| says(evidence, &["must stand on one line"]),
    },
    Cause {
        statuses: BY_A_LINE,
        what: "it writes two messages on one line",
        cure: "end every message with a newline, and answer every request once",
        seen: |evidence| says(evidence, &["trailing characters"]),
    },
    Cause {
        statuses: BY_A_LINE,
        what: "it answers with an `id` of its own",
        cure: "copy the `id` of the new_game or move_request that is answered; ids have gaps and become large",
        seen: |evidence| says(evidence, &["was never issued"]),
    },
    Cause {
        statuses: BY_A_LINE,
        what: "its move is a text, a float or null",
        cure: "write the move as it stands in `legal_moves`, an integer or a list of integers: 3, not \"3\" or 3.0",
        seen: |evidence| says(evidence, &["expected a move"]),
    },
    Cause {
        statuses: BY_A_LINE,
        what: "a field is missing, or has another name",
        cure: "every line has a `type`, every answer to a request its `id`, and a move a `move`; `arena schema` describes \
               them",
        seen: |evidence| says(evidence, &["missing field"]),
    },
    Cause {
        statuses: BY_A_LINE,
        what: "a value is no JSON: NaN, None, nothing at all",
        cure: "let a library write the line (json.dumps, JSON.stringify), and leave out numbers that are not finite",
        seen: |evidence| says(evidence, &["expected value", "expected ident"]),
    },
    Cause {
        statuses: BY_A_LINE,
        what: "a field is of another type, such as an `id` in quotes",
        cure: "copy the `id` as it came, an integer; `arena schema` describes every field",
        seen: |evidence| says(evidence, &["invalid type", "invalid value"]),
    },
    Cause {
        statuses: BY_A_LINE,
        what: "it writes a line of more than 65,536 bytes, or more than 1,000 lines that answer nothing",
        cure: "print debug output to stderr",
        seen: |evidence| says(evidence, &["is longer than", "more than"]),
    },
    Cause {
        statuses: &[Status::ProtocolError],
        what: "a line begins with { and is no sound message: debug output, JSON put together by hand",
        cure: "write exactly one JSON object a line, by a library, and debug output to stderr",
        seen: |_| true,
    },
    Cause {
        statuses: IN_SILENCE,
        what: "it forgets to flush stdout, so that the reply waits in a buffer, or it reads stdin to its end first",
        cure: "flush after every line: print(…, flush=True), fflush(stdout), stdout().flush(); read line by line, not all \
               of stdin at once: `for line in sys.stdin`, not read() or readlines()",
        seen: |evidence| says(evidence, &["flush"]),
    },
    Cause {
        statuses: IN_SILENCE,
        what: "it writes a line without a newline",
        cure: "end every line with \\n and flush it",
        seen: |evidence| says(evidence, &["without a newline"]),
    },
    Cause {
        statuses: IN_SILENCE,
        what: "it closes stdin",
        cure: "keep stdin open and read from it alone: a program that it starts must not take it over",
        seen: |evidence| says(evidence, &["it closed its input"]),
    },
    Cause {
        statuses: IN_SILENCE,
        what: "its line has another `type`, and is dropped",
        cure: "answer hello with `hello`, new_game with `ready`, move_request with `move` or `resign`, spelt just so",
        seen: |evidence| stray(evidence).is_some_and(|line| line.trim_start().starts_with('{')),
    },
    Cause {
        statuses: IN_SILENCE,
        what: "its line does not begin with {, and is dropped: a prompt, a byte order mark, a bare number",
        cure: "write the message alone on its line: {\"type\":\"move\",\"id\":N,\"move\":M}; all else to stderr",
        seen: |evidence| stray(evidence).is_some(),
    },
    Cause {
        statuses: &[Status::StartupFailed],
        what: "it does not answer new_game, or its `ready` has another `id`",
        cure: "answer every new_game with the line {\"type\":\"ready\",\"id\":N}, N being the id of that new_game, and \
               flush it",
        seen: |evidence| says(evidence, &["no ready within"]),
    },
    Cause {
        statuses: &[Status::StartupFailed],
        what: "it says hello unasked, or takes longer to start than 10 s",
        cure: "run it by hand and type the last line sent: it must print one line of JSON at once and flush it; \
               `startup_ms` in bots/NAME.toml gives it more time to start",
        seen: |_| true,
    },
    Cause {
        statuses: &[Status::Timeout],
        what: "it thinks longer than `clock.deadline_ms`, or waits for something else than the next line",
        cure: "answer every move_request within clock.deadline_ms, with its `id`: stop searching well before, by a tenth \
               and 5 ms",
        seen: |_| true,
    },
    Cause {
        statuses: &[Status::Interference],
        what: "it goes on computing, in processes or threads of its own, while its opponent is on move",
        cure: "let every process and thread wait (for the next line, on a lock) once the move is written; a bot that \
               computes meanwhile is stopped within milliseconds anyway",
        seen: |_| true,
    },
    Cause {
        statuses: &[Status::IllegalMove],
        what: "it keeps a board of its own that differs from the request's, has rows and columns exchanged, or counts \
               from 1",
        cure: "choose from `legal_moves` of the request itself, or where that is left out by its `state`",
        seen: |_| true,
    },
    Cause {
        statuses: &[Status::Withdrawn],
        what: "whatever makes it startup_failed: see `arena explain startup_failed`",
        cure: "`arena check BOT` tries it out; mend it and run the same command again: a bot that was changed plays all \
               of its games anew",
        seen: |_| true,
    },
    Cause {
        statuses: &[Status::Withdrawn],
        what: "it starts once, but not again: a lock, a port or a file is left of its last process",
        cure: "leave nothing behind but below $TMPDIR",
        seen: |_| false,
    },
];

const CRASH_CURE: &str = "read its stderr, and give it the last line sent by hand; if that is well, it may miss what the \
                          sandbox keeps from it: try `arena check BOT --sandbox off`";
