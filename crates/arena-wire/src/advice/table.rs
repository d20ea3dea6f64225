//! The table of advice.

use arena_core::record::Status;

use super::Advice;

const AT_EXIT: &[Status] = &[Status::Crashed, Status::StartupFailed];
const BY_A_LINE: &[Status] = &[Status::ProtocolError, Status::StartupFailed];
const ON_SILENCE: &[Status] = &[Status::Timeout, Status::StartupFailed];

/// Every entry, in the order of `arena explain`: the most likely first.
pub(super) static ALL: [&Advice; 46] = [
    &START,
    &CRASH,
    &IMPORT,
    &COMPUTES,
    &BLOCKED,
    &STARVED,
    &FLUSH,
    &TIME,
    &NEAR_MEMORY,
    &NEAR_THREADS,
    &NEAR_OPEN_FILES,
    &OTHER_ENGINE,
    &LIMITS,
    &LEAVES,
    &SIGNAL,
    &SANDBOX,
    &TIMERS,
    &PYTHON_DICT,
    &UNSOUND,
    &SPLIT,
    &JOINED,
    &MISSING_FIELD,
    &UNKNOWN_ID,
    &MOVE_TYPE,
    &FIELD_TYPE,
    &NOT_A_VALUE,
    &ENCODING,
    &TOO_MUCH,
    &PROTOCOL,
    &GAMES,
    &DECLINED,
    &HELLO,
    &READY,
    &OTHER_TYPE,
    &NO_MESSAGE,
    &STALE,
    &NEWLINE,
    &STDIN,
    &BUSY,
    &REFUSED,
    &OPTION,
    &INTERFERENCE,
    &ILLEGAL,
    &TWICE,
    &WITHDRAWN,
    &NOT_AGAIN,
];

pub(super) static START: Advice = Advice {
    in_json: false,
    statuses: &[Status::StartupFailed],
    what: "the system cannot run its file: no execute permission, no interpreter, CRLF line ends, a program for \
         another machine",
    cure: "fix what the message names; none of the bot's code has run yet",
};

pub(super) static CRASH: Advice = Advice {
    in_json: false,
    statuses: AT_EXIT,
    what: "it stops with an exception or is killed by a signal",
    cure: "read the end of its stderr, then run it by hand on the same input; if that works, the sandbox may be \
         blocking a file it needs: try `arena check BOT --sandbox off`",
};

pub(super) static IMPORT: Advice = Advice {
    in_json: false,
    statuses: AT_EXIT,
    what: "it imports a package that is not installed, or a file next to it that the sandbox does not let it read",
    cure: "install the package for the interpreter that runs the bot; list files next to it under `files` in a \
         manifest, or move the bot into a folder with a bot.toml",
};

pub(super) static FLUSH: Advice = Advice {
    in_json: false,
    statuses: ON_SILENCE,
    what: "it does not flush stdout, so its reply stays in a buffer; or it reads stdin to the end before it replies",
    cure: "flush after every line: print(…, flush=True), fflush(stdout), stdout().flush(); read line by line (`for \
         line in sys.stdin`), not with read() or readlines()",
};

pub(super) static TIME: Advice = Advice {
    in_json: true,
    statuses: &[Status::Timeout],
    what: "it thinks longer than `clock.deadline_ms`, or waits for something other than the next line",
    cure: "answer every move_request with its `id` within clock.deadline_ms; stop searching early: 10 % and 5 ms \
         before the limit",
};

pub(super) static COMPUTES: Advice = Advice {
    in_json: true,
    statuses: &[Status::Timeout],
    what: "it computes all or most of the time (the message says for how long): a loop that does not end, or a search that \
           is too deep",
    cure: "search less deep, or look at the clock within the search and stop at 90 % of clock.deadline_ms and 5 ms before it",
};

pub(super) static BLOCKED: Advice = Advice {
    in_json: false,
    statuses: &[Status::Timeout],
    what: "it sleeps or waits for most of the time: for more input than the request, a lock, another process, the network",
    cure: "wait for nothing but the next line, and answer each line before you read another",
};

pub(super) static OTHER_ENGINE: Advice = Advice {
    in_json: false,
    statuses: &[Status::StartupFailed],
    what: "it is an engine that speaks UCI, UGI or another protocol",
    cure: "if the arena speaks its protocol, name that in its manifest, as `protocol`; otherwise wrap the engine with an \
         adapter (docs/protocol.md, \"UCI and UGI engines\")",
};

pub(super) static LIMITS: Advice = Advice {
    in_json: false,
    statuses: AT_EXIT,
    what: "it uses more memory, processes, threads or disk space than allowed",
    cure: "use less, or raise the limit with --limits or with `limits` in its manifest",
};

pub(super) static LEAVES: Advice = Advice {
    in_json: true,
    statuses: AT_EXIT,
    what: "it exits by itself: its main loop ends, or it treats an error as the end of the game",
    cure: "read lines until `quit` or the end of stdin; one process plays many games",
};

pub(super) static SIGNAL: Advice = Advice {
    in_json: false,
    statuses: AT_EXIT,
    what: "it has a memory or arithmetic error (SIGSEGV, SIGABRT, SIGFPE, …)",
    cure: "build it with debug checks (cc -g -fsanitize=address,undefined) and run it by hand on the same input; if \
         that works, the sandbox may be blocking a file it needs: try `arena check BOT --sandbox off`",
};

pub(super) static SANDBOX: Advice = Advice {
    in_json: false,
    statuses: AT_EXIT,
    what: "the sandbox blocks something it opens: a file next to it, a log file, /tmp, the network",
    cure: "in a sandbox a bot can read installed programs and its own files (its file and the `files` of its \
         manifest, or its folder if that has a bot.toml), write only below $TMPDIR, and has no network: list the \
         file in a manifest, log to stderr; `arena check BOT --sandbox off` shows whether that was the only problem",
};

pub(super) static TIMERS: Advice = Advice {
    in_json: false,
    statuses: AT_EXIT,
    what: "it needs a timer that the sandbox refuses, as Haskell programs do",
    cure: "link a Haskell program with `ghc -with-rtsopts=-V0`; in other languages use alarm, setitimer or a thread \
         that sleeps",
};

pub(super) static PYTHON_DICT: Advice = Advice {
    in_json: true,
    statuses: BY_A_LINE,
    what: "it prints a Python dict, which has single quotes and is not JSON",
    cure: "print(json.dumps(reply), flush=True)",
};

pub(super) static UNSOUND: Advice = Advice {
    in_json: true,
    statuses: BY_A_LINE,
    what: "a line begins with { and is not a valid message: debug output, or JSON built by hand",
    cure: "write exactly one JSON object per line, with a JSON library; print debug output to stderr",
};

pub(super) static SPLIT: Advice = Advice {
    in_json: true,
    statuses: BY_A_LINE,
    what: "it writes one message over several lines",
    cure: "write each message on one line: no `indent`, newlines in strings escaped",
};

pub(super) static JOINED: Advice = Advice {
    in_json: true,
    statuses: BY_A_LINE,
    what: "it writes two messages on one line",
    cure: "end every message with a newline, and answer every request once",
};

pub(super) static MISSING_FIELD: Advice = Advice {
    in_json: true,
    statuses: BY_A_LINE,
    what: "a field is missing or has the wrong name",
    cure: "every message has a `type`, every reply the `id` of its request, every move a `move`; `arena schema` \
         describes all messages",
};

pub(super) static UNKNOWN_ID: Advice = Advice {
    in_json: true,
    statuses: BY_A_LINE,
    what: "its reply has an `id` that is not from a request",
    cure: "copy the `id` of the new_game or move_request; ids are large (53 bits) and not consecutive",
};

pub(super) static MOVE_TYPE: Advice = Advice {
    in_json: true,
    statuses: BY_A_LINE,
    what: "its move is a string, a floating-point number or null",
    cure: "write the move exactly as in `legal_moves`, an integer or a list of integers: 3, not \"3\" or 3.0",
};

pub(super) static FIELD_TYPE: Advice = Advice {
    in_json: true,
    statuses: BY_A_LINE,
    what: "a field has the wrong type, such as an `id` in quotes or `games` without brackets",
    cure: "copy the `id` unchanged, as an integer; write `games` as a list of names; `arena schema` describes every field",
};

pub(super) static NOT_A_VALUE: Advice = Advice {
    in_json: true,
    statuses: BY_A_LINE,
    what: "a value is not valid JSON: NaN, None, or missing",
    cure: "write the line with a JSON library (json.dumps, JSON.stringify), and omit numbers that are not finite",
};

pub(super) static ENCODING: Advice = Advice {
    in_json: false,
    statuses: &[Status::Timeout, Status::ProtocolError, Status::StartupFailed],
    what: "its output is not UTF-8",
    cure: "write UTF-8 whatever the system default is; in Python: sys.stdout.reconfigure(encoding=\"utf-8\")",
};

pub(super) static TOO_MUCH: Advice = Advice {
    in_json: false,
    statuses: BY_A_LINE,
    what: "it writes a line of more than 65,536 bytes, or more than 1,000 lines that are not replies",
    cure: "print debug output to stderr",
};

pub(super) static PROTOCOL: Advice = Advice {
    in_json: true,
    statuses: &[Status::StartupFailed],
    what: "its hello has no `protocol`, or an unsupported one",
    cure: "answer hello with {\"type\":\"hello\",\"protocol\":1}; the 1 is an integer",
};

pub(super) static GAMES: Advice = Advice {
    in_json: true,
    statuses: &[Status::StartupFailed],
    what: "its hello.games does not name the game",
    cure: "add the game to hello.games, or omit that field to play all games",
};

pub(super) static DECLINED: Advice = Advice {
    in_json: false,
    statuses: &[Status::StartupFailed],
    what: "it answers new_game with `decline`, but not in a check (with --no-check there is none)",
    cure: "decline only the first new_game of a process, and always the same games; run the tournament with its check",
};

pub(super) static HELLO: Advice = Advice {
    in_json: true,
    statuses: &[Status::StartupFailed],
    what: "it does not answer hello within 10 s, or says hello before it is asked",
    cure: "run it by hand and paste the last line sent: it must print one line of JSON at once and flush it; an engine of \
         another protocol (UCI, one of your own) needs an adapter (docs/protocol.md, \"UCI and UGI engines\"); \
         `startup_ms` in bots/NAME.toml gives a slow bot more time to start",
};

pub(super) static READY: Advice = Advice {
    in_json: true,
    statuses: &[Status::StartupFailed],
    what: "it does not answer new_game, or its `ready` has another `id`",
    cure: "answer every new_game with {\"type\":\"ready\",\"id\":N}, where N is the id of that new_game, and flush",
};

pub(super) static OTHER_TYPE: Advice = Advice {
    in_json: true,
    statuses: ON_SILENCE,
    what: "its reply has an unknown `type` and is dropped",
    cure: "answer hello with `hello`, new_game with `ready`, move_request with `move` or `resign`, spelled exactly so",
};

pub(super) static NO_MESSAGE: Advice = Advice {
    in_json: true,
    statuses: ON_SILENCE,
    what: "its line does not begin with { and is dropped: a prompt, a byte order mark, a bare number",
    cure: "write only the message on its line: {\"type\":\"move\",\"id\":N,\"move\":M}; everything else goes to stderr",
};

pub(super) static STALE: Advice = Advice {
    in_json: true,
    statuses: ON_SILENCE,
    what: "its reply has the `id` of an earlier request and is dropped",
    cure: "copy the `id` of the request that you answer, each time",
};

pub(super) static NEWLINE: Advice = Advice {
    in_json: false,
    statuses: ON_SILENCE,
    what: "it writes a line without a newline",
    cure: "end every line with \\n and flush it",
};

pub(super) static STDIN: Advice = Advice {
    in_json: false,
    statuses: ON_SILENCE,
    what: "it closes stdin",
    cure: "keep stdin open, and do not let a program that it starts read from it",
};

pub(super) static STARVED: Advice = Advice {
    in_json: false,
    statuses: ON_SILENCE,
    what: "the machine is too busy: the bot waited for a CPU for most of the time",
    cure: "run fewer games at once (-j), stop other programs, or use --clock cpu; the bot is not at fault",
};

pub(super) static INTERFERENCE: Advice = Advice {
    in_json: false,
    statuses: &[Status::Interference],
    what: "it keeps computing, in threads or processes of its own, while its opponent is on move",
    cure: "make every thread and process wait (for the next line, on a lock) after the move is written; a bot that \
         computes meanwhile is stopped within milliseconds anyway",
};

pub(super) static BUSY: Advice = Advice {
    in_json: false,
    statuses: &[Status::Timeout],
    what: "it still thinks when it is to be asked for its next move, and does not answer what is asked before that",
    cure: "think between a question and its answer only, and read and answer every line at once; a program that thinks on \
           in a thread of its own reads on meanwhile",
};

pub(super) static NEAR_MEMORY: Advice = Advice {
    in_json: false,
    statuses: ON_SILENCE,
    what: "its memory is near the limit (the message says how near), so that it waits for a thread or for memory that it \
           cannot have",
    cure: "use less memory: smaller tables, fewer threads, each one joined; or raise the limit, with --limits memory_mb=N or with \
           `limits` in its manifest",
};

pub(super) static NEAR_THREADS: Advice = Advice {
    in_json: false,
    statuses: ON_SILENCE,
    what: "its threads and processes are near the limit (the message says how near), so that it waits for one that it cannot start",
    cure: "start fewer threads and processes, and wait for the end of each; or raise the limit, with --limits processes=N or with \
           `limits` in its manifest",
};

pub(super) static NEAR_OPEN_FILES: Advice = Advice {
    in_json: false,
    statuses: ON_SILENCE,
    what: "its open files, pipes and sockets are near the limit (the message says how near), so that it waits for one that it cannot \
           open",
    cure: "close each file after use; or raise the limit, with --limits open_files=N or with `limits` in its manifest",
};

pub(super) static REFUSED: Advice = Advice {
    in_json: false,
    statuses: BY_A_LINE,
    what: "it answers a command with the word for an error: a size of the board, a position or a command that it does not know",
    cure: "read what it says, and talk to it (`arena talk BOT`); a bot that plays some boards only is for tournaments that \
           have them",
};

pub(super) static OPTION: Advice = Advice {
    in_json: false,
    statuses: &[Status::StartupFailed],
    what: "an option of its manifest is one that it does not have, or has a value that it does not take",
    cure: "correct `options` of its manifest: the message says what it takes",
};

pub(super) static ILLEGAL: Advice = Advice {
    in_json: true,
    statuses: &[Status::IllegalMove],
    what: "its own copy of the board differs from the request, it swaps rows and columns, or it counts from 1",
    cure: "choose from `legal_moves` of the request, or where that is absent follow its `state`",
};

pub(super) static TWICE: Advice = Advice {
    in_json: false,
    statuses: &[Status::IllegalMove],
    what: "it writes more lines than it is asked for, and one that answers an earlier question comes after the next: a second \
           thread, or an answer that is printed twice",
    cure: "answer every question with exactly one line, written before the next line is read; the message says how many it \
           wrote, and everything else belongs on stderr",
};

pub(super) static WITHDRAWN: Advice = Advice {
    in_json: false,
    statuses: &[Status::Withdrawn],
    what: "it failed repeatedly by startup_failed, timeout or crashed: see `arena explain` for each",
    cure: "run `arena check BOT`, fix it and run the same command again; a changed bot replays all its games",
};

pub(super) static NOT_AGAIN: Advice = Advice {
    in_json: false,
    statuses: &[Status::Withdrawn],
    what: "it starts once but not again: its last process left a lock, a port or a file behind",
    cure: "leave nothing behind except below $TMPDIR",
};
