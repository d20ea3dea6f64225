//! The table of advice.

use super::Advice;
use crate::record::Status;

const AT_ITS_END: &[Status] = &[Status::Crashed, Status::StartupFailed];
const BY_A_LINE: &[Status] = &[Status::ProtocolError, Status::StartupFailed];
const IN_SILENCE: &[Status] = &[Status::Timeout, Status::StartupFailed];

/// Every entry, in the order of `arena explain`: the specific before the general.
pub(super) static ALL: [&Advice; 34] = [
    &START,
    &GAMES,
    &PROTOCOL,
    &LIMITS,
    &IMPORT,
    &LEAVES,
    &SIGNAL,
    &CRASH,
    &ENCODING,
    &PYTHON_DICT,
    &SPLIT,
    &JOINED,
    &UNKNOWN_ID,
    &MOVE_TYPE,
    &MISSING_FIELD,
    &NOT_A_VALUE,
    &FIELD_TYPE,
    &TOO_MUCH,
    &UNSOUND,
    &FLUSH,
    &NEWLINE,
    &STDIN,
    &OTHER_TYPE,
    &NO_MESSAGE,
    &READY,
    &HELLO,
    &STARVED,
    &TIME,
    &INTERFERENCE,
    &ILLEGAL,
    &WITHDRAWN,
    &NOT_AGAIN,
    &STALE,
    &SANDBOX,
];

pub(super) static SANDBOX: Advice = Advice {
    statuses: AT_ITS_END,
    what: "the sandbox keeps from it what it opens: a file beside it, a log, /tmp, the network",
    cure: "in a sandbox a bot reads installed programs and what is its own (its file and the `files` of its manifest, or \
         its folder with a bot.toml), writes only below $TMPDIR and has no network: name the file in a manifest, log \
         to stderr; `arena check BOT --sandbox off` shows whether that was all",
};

pub(super) static STALE: Advice = Advice {
    statuses: IN_SILENCE,
    what: "its reply has the `id` of an earlier request, and is dropped",
    cure: "copy the `id` of the very request that is answered, each time",
};

pub(super) static START: Advice = Advice {
    statuses: &[Status::StartupFailed],
    what: "the system cannot start it: not executable, no interpreter, Windows line ends, for another machine",
    cure: "fix what the message names; the bot itself has not run yet",
};

pub(super) static GAMES: Advice = Advice {
    statuses: &[Status::StartupFailed],
    what: "its hello.games does not name the game",
    cure: "name the game in its hello.games, or leave that field out to play all",
};

pub(super) static PROTOCOL: Advice = Advice {
    statuses: &[Status::StartupFailed],
    what: "its hello names no protocol, or another one",
    cure: "answer hello with {\"type\":\"hello\",\"protocol\":1}, the 1 an integer",
};

pub(super) static LIMITS: Advice = Advice {
    statuses: AT_ITS_END,
    what: "it uses more memory, processes, threads or disk than it may",
    cure: "use less, or allow more with --limits or `limits` in its manifest",
};

pub(super) static IMPORT: Advice = Advice {
    statuses: AT_ITS_END,
    what: "it imports a file beside it that the sandbox hides, or a package that is not installed",
    cure: "name a file beside it in `files` of a manifest, or make a folder with a bot.toml of it; install a package \
         for the very interpreter that the bot is started with",
};

pub(super) static LEAVES: Advice = Advice {
    statuses: AT_ITS_END,
    what: "it leaves by itself: at the end of its own loop, or since it takes an error for the end",
    cure: "read line after line until `quit` or the end of stdin: one process plays many games",
};

pub(super) static SIGNAL: Advice = Advice {
    statuses: AT_ITS_END,
    what: "it goes wrong in memory or arithmetic (SIGSEGV, SIGABRT, SIGFPE …)",
    cure: "build it for debugging (cc -g -fsanitize=address,undefined) and give it the last line sent by hand; if \
         that is well, it may miss what the sandbox keeps from it: try `arena check BOT --sandbox off`",
};

pub(super) static CRASH: Advice = Advice {
    statuses: AT_ITS_END,
    what: "it breaks down: an exception or a signal",
    cure: "read its stderr, and give it the last line sent by hand; if that is well, it may miss what the \
         sandbox keeps from it: try `arena check BOT --sandbox off`",
};

pub(super) static ENCODING: Advice = Advice {
    statuses: &[Status::Timeout, Status::ProtocolError, Status::StartupFailed],
    what: "it writes another encoding than UTF-8",
    cure: "write UTF-8 whatever the system's default is: in Python sys.stdout.reconfigure(encoding=\"utf-8\")",
};

pub(super) static PYTHON_DICT: Advice = Advice {
    statuses: BY_A_LINE,
    what: "it prints a dict of Python, whose quotes are not those of JSON",
    cure: "print(json.dumps(reply), flush=True)",
};

pub(super) static SPLIT: Advice = Advice {
    statuses: BY_A_LINE,
    what: "it writes one message over several lines",
    cure: "write each message on one line: without `indent`, and with newlines escaped",
};

pub(super) static JOINED: Advice = Advice {
    statuses: BY_A_LINE,
    what: "it writes two messages on one line",
    cure: "end every message with a newline, and answer every request once",
};

pub(super) static UNKNOWN_ID: Advice = Advice {
    statuses: BY_A_LINE,
    what: "it answers with an `id` of its own",
    cure: "copy the `id` of the new_game or move_request that is answered; ids have gaps and become large",
};

pub(super) static MOVE_TYPE: Advice = Advice {
    statuses: BY_A_LINE,
    what: "its move is a text, a float or null",
    cure: "write the move as it stands in `legal_moves`, an integer or a list of integers: 3, not \"3\" or 3.0",
};

pub(super) static MISSING_FIELD: Advice = Advice {
    statuses: BY_A_LINE,
    what: "a field is missing, or has another name",
    cure: "every line has a `type`, every answer to a request its `id`, and a move a `move`; `arena schema` describes \
         them",
};

pub(super) static NOT_A_VALUE: Advice = Advice {
    statuses: BY_A_LINE,
    what: "a value is no JSON: NaN, None, nothing at all",
    cure: "let a library write the line (json.dumps, JSON.stringify), and leave out numbers that are not finite",
};

pub(super) static FIELD_TYPE: Advice = Advice {
    statuses: BY_A_LINE,
    what: "a field is of another type, such as an `id` in quotes",
    cure: "copy the `id` as it came, an integer; `arena schema` describes every field",
};

pub(super) static TOO_MUCH: Advice = Advice {
    statuses: BY_A_LINE,
    what: "it writes a line of more than 65,536 bytes, or more than 1,000 lines that answer nothing",
    cure: "print debug output to stderr",
};

pub(super) static UNSOUND: Advice = Advice {
    statuses: &[Status::ProtocolError],
    what: "a line begins with { and is no sound message: debug output, JSON put together by hand",
    cure: "write exactly one JSON object a line, by a library, and debug output to stderr",
};

pub(super) static FLUSH: Advice = Advice {
    statuses: IN_SILENCE,
    what: "it forgets to flush stdout, so that the reply waits in a buffer, or it reads stdin to its end first",
    cure: "flush after every line: print(…, flush=True), fflush(stdout), stdout().flush(); read line by line, not all \
         of stdin at once: `for line in sys.stdin`, not read() or readlines()",
};

pub(super) static NEWLINE: Advice = Advice {
    statuses: IN_SILENCE,
    what: "it writes a line without a newline",
    cure: "end every line with \\n and flush it",
};

pub(super) static STDIN: Advice = Advice {
    statuses: IN_SILENCE,
    what: "it closes stdin",
    cure: "keep stdin open and read from it alone: a program that it starts must not take it over",
};

pub(super) static OTHER_TYPE: Advice = Advice {
    statuses: IN_SILENCE,
    what: "its line has another `type`, and is dropped",
    cure: "answer hello with `hello`, new_game with `ready`, move_request with `move` or `resign`, spelt just so",
};

pub(super) static NO_MESSAGE: Advice = Advice {
    statuses: IN_SILENCE,
    what: "its line does not begin with {, and is dropped: a prompt, a byte order mark, a bare number",
    cure: "write the message alone on its line: {\"type\":\"move\",\"id\":N,\"move\":M}; all else to stderr",
};

pub(super) static READY: Advice = Advice {
    statuses: &[Status::StartupFailed],
    what: "it does not answer new_game, or its `ready` has another `id`",
    cure: "answer every new_game with the line {\"type\":\"ready\",\"id\":N}, N being the id of that new_game, and \
         flush it",
};

pub(super) static HELLO: Advice = Advice {
    statuses: &[Status::StartupFailed],
    what: "it says hello unasked, or takes longer to start than 10 s",
    cure: "run it by hand and type the last line sent: it must print one line of JSON at once and flush it; \
         `startup_ms` in bots/NAME.toml gives it more time to start",
};

pub(super) static STARVED: Advice = Advice {
    statuses: IN_SILENCE,
    what: "the machine is too busy: it gave the bot no processor, even when four limits had been credited",
    cure: "run fewer games at once (-j), end what else keeps the machine busy, or use --clock cpu; the bot itself need not \
         be changed",
};

pub(super) static TIME: Advice = Advice {
    statuses: &[Status::Timeout],
    what: "it thinks longer than `clock.deadline_ms`, or waits for something else than the next line",
    cure: "answer every move_request within clock.deadline_ms, with its `id`: stop searching well before, by a tenth \
         and 5 ms",
};

pub(super) static INTERFERENCE: Advice = Advice {
    statuses: &[Status::Interference],
    what: "it goes on computing, in processes or threads of its own, while its opponent is on move",
    cure: "let every process and thread wait (for the next line, on a lock) once the move is written; a bot that \
         computes meanwhile is stopped within milliseconds anyway",
};

pub(super) static ILLEGAL: Advice = Advice {
    statuses: &[Status::IllegalMove],
    what: "it keeps a board of its own that differs from the request's, has rows and columns exchanged, or counts \
         from 1",
    cure: "choose from `legal_moves` of the request itself, or where that is left out by its `state`",
};

pub(super) static WITHDRAWN: Advice = Advice {
    statuses: &[Status::Withdrawn],
    what: "whatever makes it startup_failed, timeout or crashed: see `arena explain` of these",
    cure: "`arena check BOT` tests it; fix it and run the same command again: a changed bot plays all of its games \
         again",
};

pub(super) static NOT_AGAIN: Advice = Advice {
    statuses: &[Status::Withdrawn],
    what: "it starts once, but not again: a lock, a port or a file is left of its last process",
    cure: "leave nothing behind but below $TMPDIR",
};
