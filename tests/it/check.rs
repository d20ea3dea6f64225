//! The score card of a bot: what is tried, what is told of a failure, and what to do about it.

use std::fs::File;

use arena::rules::RULES;
use rustix::process::Signal;

use crate::support::{ASKED, Dir, LIMIT, until, without_ids};

/// What `arena check` says, but for ids, which mean nothing, and for the slowest reply: in which game that was is a matter
/// of chance.
fn card(dir: &Dir, args: &str) -> String {
    let text = dir.arena(&format!("check {args}")).to_string();
    let lines = text.lines().filter(|line| !line.starts_with("note  slowest"));
    without_ids(&lines.flat_map(|line| [line, "\n"]).collect::<String>(), "\"id\":")
}

#[test]
fn a_score_card() {
    let dir = Dir::with_bots(&["random", "codebreaker"]);
    let said = card(&dir, "random --move-time 30s");
    let lines: Vec<String> = said.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    for game in RULES.iter().map(|rules| rules.name) {
        let game = if game == "mnk" { "tictactoe" } else { game };
        let plays = match game {
            "mastermind" => "6 games without a fault",
            _ => "8 games without a fault, 2 from an opening",
        };
        for line in [format!("ok plays {game} {plays}"), format!("ok repeats {game} same seed, same moves")] {
            assert!(lines.contains(&line), "{line}: {said}");
        }
    }
    assert!(said.starts_with("exit 0\n") && !said.contains("FAIL"), "{said}");
    insta::assert_snapshot!(card(&dir, "codebreaker --game connect4"), @"
    exit 2
    --- stdout
    codebreaker  builtin codebreaker
    ok    starts            answered hello
    ok    hello             protocol 1, name codebreaker, version 1; plays mastermind
    FAIL  plays             hello.games has none of the games to test: mastermind
          → name the file of a game that is not built in with --game; otherwise correct hello.games, or leave that field out to play all
          next: arena explain startup_failed
    ok    leaves            exited after quit
    --- stderr
    ");
    dir.script("bots/dumb", "echo 'Traceback' >&2; echo 'ValueError: x' >&2; exit 7");
    insta::assert_snapshot!(card(&dir, "dumb"), @r#"
    exit 2
    --- stdout
    dumb  [dir]/bots/dumb
    FAIL  starts              ValueError: x; it exited with status 7 before it said hello
          last sent: {"type":"hello","protocol":1,"arena":"0.1.0","max_line_bytes":65536,"startup_ms":10000}
          stderr:
            Traceback
            ValueError: x
          → read the end of its stderr, then run it by hand on the same input; if that works, the sandbox may be blocking a file it needs: try `arena check BOT --sandbox off`
          next: arena explain startup_failed
    --- stderr
    "#);
    dir.script("elsewhere/loner", &format!("echo hello world\nexec {} bot random", crate::support::arena()));
    insta::assert_snapshot!(dir.arena("check elsewhere/loner --game tictactoe --move-time 30s"), @"
    exit 0
    --- stdout
    loner  [dir]/elsewhere/loner
    ok    starts             answered hello
    ok    hello              protocol 1, name random, version 1; plays all games
    ok    plays tictactoe    8 games without a fault, 2 from an opening
    ok    repeats tictactoe  same seed, same moves
    note  slowest reply      [time] ms (tictactoe); limit 30000 ms a move
    note  stray lines        1 line on stdout answered no request
          stray stdout: hello world
          → print debug output to stderr; such lines are dropped, and more than 1,000 in a game lose it
    ok    leaves             exited after quit
    --- stderr
    ");
}

/// A shell script that answers as it says, and stays when it is to leave.
fn stayer(ready: &str, played: &str) -> String {
    format!(
        r#"id() {{ echo "$1" | sed 's/.*"id":\([0-9]*\).*/\1/'; }}
while read -r line; do case "$line" in
*'"hello"'*) echo '{{"type":"hello","protocol":1}}';;
*'"new_game"'*) {ready};;
*'"move_request"'*) echo "{{\"type\":\"move\",\"id\":$(id "$line"),\"move\":{played}}}";;
esac; done
exec sleep 1000"#
    )
}

#[test]
fn a_bot_that_was_killed_for_a_fault_did_not_leave_by_itself() {
    let dir = Dir::new();
    let ready = r#"echo "{\"type\":\"ready\",\"id\":$(id "$line")}""#;
    dir.script("bots/stayer", &stayer(ready, "99"));
    insta::assert_snapshot!(card(&dir, "stayer --game connect4"), @r#"
    exit 2
    --- stdout
    stayer  [dir]/bots/stayer
    ok    starts            answered hello
    ok    hello             protocol 1; plays all games
    FAIL  plays connect4    illegal_move in seat 0: at ply 0: move 99 is not legal; legal: 0, 1, 2, 3, 4, 5, 6
          last sent: {"type":"move_request","id":[id],"ply":0,"seat":0,"state":{"board":[".......",".......",".......",".......",".......","......."],"moves":[]},"legal_moves":[0,1,2,3,4,5,6],"sample_move":5,"…
          last received: {"type":"move","id":[id],"move":99}
          → choose from `legal_moves` of the request, or where that is absent follow its `state`
          next: arena explain illegal_move
    FAIL  leaves            still running 1 s after quit; killed
          → exit on `quit` and at the end of stdin
    --- stderr
    "#);
    dir.script("bots/mute", &stayer("kill -9 $$", "0"));
    insta::assert_snapshot!(card(&dir, "mute --game connect4"), @r#"
    exit 2
    --- stdout
    mute  [dir]/bots/mute
    ok    starts            answered hello
    ok    hello             protocol 1; plays all games
    FAIL  plays connect4    startup_failed in seat 0: it was killed by signal 9 (SIGKILL) before it was ready
          last sent: {"type":"new_game","id":[id],"game_id":"[hash]","game":"connect4","rules_version":1,"params":{"cols":7,"connect":4,"rows":6},"seat":0,"seed":"4960357731106127602","clock":{"move_…
          last received: {"type":"hello","protocol":1}
          → read the end of its stderr, then run it by hand on the same input; if that works, the sandbox may be blocking a file it needs: try `arena check BOT --sandbox off`
          next: arena explain startup_failed
    FAIL  leaves            still running 1 s after quit; killed
          → exit on `quit` and at the end of stdin
    --- stderr
    "#);
    // Outside of its scratch folder, which every process finds empty.
    dir.script("bots/twice", &format!("test -e once && exit 3\n: >once\n{}", stayer("exit 4", "0")));
    insta::assert_snapshot!(card(&dir, "twice --game connect4 --sandbox off"), @r#"
    exit 2
    --- stdout
    twice  [dir]/bots/twice
    ok    starts            answered hello
    ok    hello             protocol 1; plays all games
    FAIL  plays connect4    startup_failed in seat 0: it exited with status 3 before it said hello
          last sent: {"type":"hello","protocol":1,"arena":"0.1.0","max_line_bytes":65536,"startup_ms":10000}
          → read the end of its stderr, then run it by hand on the same input; if that works, the sandbox may be blocking a file it needs: try `arena check BOT --sandbox off`
          next: arena explain startup_failed
    note  leaves            not tested; it did not start again: it exited with status 3 before it said hello
    --- stderr
    "#);
}

#[test]
fn what_a_score_card_tells_to_type_is_answered() {
    let dir = Dir::new();
    dir.file("bots/dumb.toml", "command = [\"sleep\", \"1000\"]\nstartup_ms = 200");
    let told = dir.arena_ends(2, "check dumb").stdout;
    assert!(told.contains("paste the last line sent"), "{told}");
    let (_, told) = told.split_once("last sent: ").expect("a line");
    let line = told.lines().next().expect("a line");
    dir.file("line", format!("{line}\n"));
    for bot in ["minimax", "random"] {
        let stdin = File::open(dir.path("line")).expect("a file");
        let said = dir.command(&format!("bot {bot}")).stdin(stdin).output().expect("a bot");
        assert!(said.status.success() && said.stdout.starts_with(b"{\"type\":\"hello\""), "{bot} {line}: {said:?}");
    }
}

#[test]
fn a_failure_is_reported_with_the_last_line_and_the_end_of_stderr() {
    let dir = Dir::new();
    let trace = "printf 'Traceback\\n  File \"x.py\", line 3\\n\\tat x\\nKeyError: 3\\n' >&2";
    dir.script("bots/prompt", &format!("{ASKED}\necho 'My move: {{\"type\":\"move\"}}'\n{trace}\nexit 1"));
    insta::assert_snapshot!(card(&dir, "prompt --game marbles"), @r#"
    exit 2
    --- stdout
    prompt  [dir]/bots/prompt
    ok    starts           answered hello
    ok    hello            protocol 1; plays all games
    FAIL  plays marbles    crashed in seat 0: KeyError: 3; it exited with status 1 while a move was owed; its last line was dropped as stray
          last sent: {"type":"move_request","id":[id],"ply":0,"seat":0,"state":{"heap":100,"min_take":1,"max_take":10,"moves":[]},"legal_moves":[1,2,3,4,5,6,7,8,9,10],"sample_move":8,"clock":{"deadline_ms":100…
          last received: My move: {"type":"move"}
          stderr:
            Traceback
              File "x.py", line 3
                at x
            KeyError: 3
          → read the end of its stderr, then run it by hand on the same input; if that works, the sandbox may be blocking a file it needs: try `arena check BOT --sandbox off`
          next: arena explain crashed
    note  stray lines      1 line on stdout answered no request
          stray stdout: My move: {"type":"move"}
          → print debug output to stderr; such lines are dropped, and more than 1,000 in a game lose it
    ok    leaves           exited after quit
    --- stderr
    "#);
    dir.script("bots/python", &format!("{ASKED}\necho \"{{'type': 'move'}}\""));
    insta::assert_snapshot!(card(&dir, "python --game marbles"), @r#"
    exit 2
    --- stdout
    python  [dir]/bots/python
    ok    starts           answered hello
    ok    hello            protocol 1; plays all games
    FAIL  plays marbles    protocol_error in seat 0: not JSON: {'type': 'move'}; key must be a string at byte 2; JSON has double quotes, not single quotes
          last sent: {"type":"move_request","id":[id],"ply":0,"seat":0,"state":{"heap":100,"min_take":1,"max_take":10,"moves":[]},"legal_moves":[1,2,3,4,5,6,7,8,9,10],"sample_move":8,"clock":{"deadline_ms":100…
          last received: {'type': 'move'}
          → print(json.dumps(reply), flush=True)
          next: arena explain protocol_error
    ok    leaves           exited after quit
    --- stderr
    "#);
}

#[test]
fn the_sandbox_is_named_where_it_may_be_to_blame() {
    let dir = Dir::new();
    dir.script("bots/weights", "echo 'PermissionError: weights.txt' >&2; exit 1");
    insta::assert_snapshot!(card(&dir, "weights"), @r#"
    exit 2
    --- stdout
    weights  [dir]/bots/weights
    FAIL  starts              PermissionError: weights.txt; it exited with status 1 before it said hello
          last sent: {"type":"hello","protocol":1,"arena":"0.1.0","max_line_bytes":65536,"startup_ms":10000}
          stderr:
            PermissionError: weights.txt
          → in a sandbox a bot can read installed programs and its own files (its file and the `files` of its manifest, or its folder if that has a bot.toml), write only below $TMPDIR, and has no network: list the file in a manifest, log to stderr; `arena check BOT --sandbox off` shows whether that was the only problem
          next: arena explain startup_failed
    --- stderr
    "#);
    let outside = dir.arena_ends(2, "check weights --sandbox off").stdout;
    assert!(!outside.contains("in the sandbox"), "{outside}");
}

/// Plays the sample move of tic-tac-toe, and does `at_the_end` when the game is over.
fn player(answer: &str, at_the_end: &str) -> String {
    format!(
        r#"id() {{ echo "$1" | sed 's/.*"id":\([0-9]*\).*/\1/'; }}
sample() {{ echo "$1" | sed 's/.*"sample_move":\(\[[0-9],[0-9]\]\).*/\1/'; }}
while read -r line; do case "$line" in
*'"hello"'*) echo '{{"type":"hello","protocol":1,"games":["conect4","mnk"]}}';;
*'"new_game"'*) echo "{{\"type\":\"ready\",\"id\":$(id "$line")}}";;
*'"move_request"'*) {answer};;
*'"game_over"'*) {at_the_end};;
*) exit;;
esac; done"#
    )
}

#[test]
fn what_loses_no_game_is_noted() {
    let dir = Dir::new();
    let sample = r#"echo "{\"type\":\"move\",\"id\":$(id "$line"),\"move\":$(sample "$line")}""#;
    dir.script("bots/mortal", &player(sample, "echo 'KeyError: id' >&2; exit 1"));
    insta::assert_snapshot!(card(&dir, "mortal --game tictactoe --move-time 30s"), @"
    exit 0
    --- stdout
    mortal  [dir]/bots/mortal
    ok    starts             answered hello
    ok    hello              protocol 1; plays conect4, mnk
    note  games              hello.games: no game named `conect4` (did you mean `connect4`?); known: [every game]
    ok    plays tictactoe    8 games without a fault, 2 from an opening
    ok    repeats tictactoe  same seed, same moves
    note  ends early         it exited with status 1 after its last game
          stderr:
            KeyError: id
          → keep reading until `quit`, and write nothing about the end of a game: one process plays many games, and a new one takes time to start; or set `fresh = true` in its manifest
    ok    leaves             exited after quit
    --- stderr
    ");
    let resign = r#"echo "{\"type\":\"resign\",\"id\":$(id "$line")}""#;
    dir.script("bots/quitter", &player(resign, ":"));
    insta::assert_snapshot!(card(&dir, "quitter --game tictactoe --move-time 30s"), @"
    exit 0
    --- stdout
    quitter  [dir]/bots/quitter
    ok    starts             answered hello
    ok    hello              protocol 1; plays conect4, mnk
    note  games              hello.games: no game named `conect4` (did you mean `connect4`?); known: [every game]
    ok    plays tictactoe    8 games without a fault, 2 from an opening
    ok    repeats tictactoe  same seed, same moves
    note  resigns            8 of 8 games
          → no fault, but a loss; if it is not meant to resign, find out why it does
    ok    leaves             exited after quit
    --- stderr
    ");
}

#[test]
fn a_bot_that_wins_nothing_is_weaker_than_it_could_be_measured() {
    let dir = Dir::new();
    let resign = r#"echo "{\"type\":\"resign\",\"id\":$(id "$line")}""#;
    dir.script("bots/quitter", &player(resign, ":").replace("conect4", "connect4"));
    let ended = dir.arena_ends(0, "check quitter --strength --json --move-time 30s");
    let found: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
    // Twenty pairs or a few more, since several are played at a time; each game has another opening.
    assert!(found["games"].as_u64() >= Some(40) && found["repeated"] == 0 && found["faults"] == 0, "{found}");
    assert!(found["elo"].is_null() && found["below"].as_f64() < Some(0.0), "{found}");
    assert_eq!(found["rung_above"]["name"], "random");

    dir.script("bots/broken", "exit 7");
    let ended = dir.arena_ends(2, "check broken --strength");
    assert!(ended.stderr.contains("startup_failed: it exited with status 7"), "{ended}");
    let ended = dir.arena_ends(1, "check quitter --strength --game gomoku");
    assert!(ended.stderr.contains("no ladder of known strength for gomoku; there is one for connect4, "), "{ended}");
}

#[test]
fn an_explanation_has_the_causes_and_cures_of_the_score_card() {
    let dir = Dir::new();
    insta::assert_snapshot!(dir.arena("explain timeout"), @r#"
    exit 0
    --- stdout
    timeout

    No valid reply came within the move limit and the margin. The bot lost the game.

    Usual causes, the most likely first, and what to do:
    - it computes all or most of the time (the message says for how long): a loop that does not end, or a search that is too deep
      → search less deep, or look at the clock within the search and stop at 90 % of clock.deadline_ms and 5 ms before it
    - it sleeps or waits for most of the time: for more input than the request, a lock, another process, the network
      → wait for nothing but the next line, and answer each line before you read another
    - the machine is too busy: the bot waited for a CPU for most of the time
      → run fewer games at once (-j), stop other programs, or use --clock cpu; the bot is not at fault
    - it does not flush stdout, so its reply stays in a buffer; or it reads stdin to the end before it replies
      → flush after every line: print(…, flush=True), fflush(stdout), stdout().flush(); read line by line (`for line in sys.stdin`), not with read() or readlines()
    - it thinks longer than `clock.deadline_ms`, or waits for something other than the next line
      → answer every move_request with its `id` within clock.deadline_ms; stop searching early: 10 % and 5 ms before the limit
    - its memory is near the limit (the message says how near), so that it waits for a thread or for memory that it cannot have
      → use less memory: smaller tables, fewer threads, each one joined; or raise the limit, with --limits memory_mb=N or with `limits` in its manifest
    - its threads and processes are near the limit (the message says how near), so that it waits for one that it cannot start
      → start fewer threads and processes, and wait for the end of each; or raise the limit, with --limits processes=N or with `limits` in its manifest
    - its open files, pipes and sockets are near the limit (the message says how near), so that it waits for one that it cannot open
      → close each file after use; or raise the limit, with --limits open_files=N or with `limits` in its manifest
    - its output is not UTF-8
      → write UTF-8 whatever the system default is; in Python: sys.stdout.reconfigure(encoding="utf-8")
    - its reply has an unknown `type` and is dropped
      → answer hello with `hello`, new_game with `ready`, move_request with `move` or `resign`, spelled exactly so
    - its line does not begin with { and is dropped: a prompt, a byte order mark, a bare number
      → write only the message on its line: {"type":"move","id":N,"move":M}; everything else goes to stderr
    - its reply has the `id` of an earlier request and is dropped
      → copy the `id` of the request that you answer, each time
    - it writes a line without a newline
      → end every line with \n and flush it
    - it closes stdin
      → keep stdin open, and do not let a program that it starts read from it
    - it still thinks when it is to be asked for its next move, and does not answer what is asked before that
      → think between a question and its answer only, and read and answer every line at once; a program that thinks on in a thread of its own reads on meanwhile

    What else to do:
    - compare the last line sent with the last line received: `arena check BOT` and the log show both, and stderr
    - allow more time with --move-time; on a busy machine use a smaller -j, or --clock cpu, which charges CPU time only
    --- stderr
    "#);
}

#[test]
fn a_bot_that_counts_ids_itself_fails_in_its_first_game() {
    let dir = Dir::new();
    let ready = r#"n=$((n + 1)); echo "{\"type\":\"ready\",\"id\":$n}""#;
    dir.script("bots/counter", &stayer(ready, "0").replace("exec sleep 1000", ""));
    let card = dir.arena_ends(2, "check counter --game connect4").stdout;
    let told =
        "startup_failed in seat 0: a reply carries id 1, which was never issued to this bot; it was asked with id ";
    assert!(card.contains(told), "{card}");
}

#[test]
fn a_bot_whose_later_processes_fail_does_not_repeat_itself() {
    let dir = Dir::new();
    let script = format!("test -e once && exit 3\n: >once\nexec {} bot random", crate::support::arena());
    dir.script("bots/second", &script);
    let card = dir.arena_ends(2, "check second --game tictactoe --move-time 30s --sandbox off").stdout;
    assert!(card.contains("FAIL  repeats tictactoe  startup_failed in seat 0: it exited with status 3"), "{card}");
}

/// Plays the sample move of connect four; `begun` runs when a game is announced, `asked` when a move is asked for.
fn connect4(begun: &str, asked: &str) -> String {
    format!(
        r#"id() {{ echo "$1" | sed 's/.*"id":\([0-9]*\).*/\1/'; }}
sample() {{ echo "$1" | sed 's/.*"sample_move":\([0-9]*\).*/\1/'; }}
while read -r line; do case "$line" in
*'"hello"'*) echo '{{"type":"hello","protocol":1}}';;
*'"new_game"'*) {begun}; echo "{{\"type\":\"ready\",\"id\":$(id "$line")}}";;
*'"move_request"'*) {asked}; echo "{{\"type\":\"move\",\"id\":$(id "$line"),\"move\":$(sample "$line")}}";;
*'"quit"'*) exit;;
esac; done"#
    )
}

#[test]
fn a_bot_that_fails_only_when_a_game_begins_with_moves_is_found_out() {
    let dir = Dir::new();
    let first =
        r#"[ "$new" = 0 ] || case "$line" in *'"ply":'[01],*) ;; *) echo 'no such position' >&2; exit 1;; esac; new=0"#;
    dir.script("bots/xvier", &connect4("new=1", first));
    insta::assert_snapshot!(card(&dir, "xvier --game connect4 --move-time 30s"), @r#"
    exit 2
    --- stdout
    xvier  [dir]/bots/xvier
    ok    starts            answered hello
    ok    hello             protocol 1; plays all games
    FAIL  plays connect4    crashed in seat 0: no such position; it exited with status 1 while a move was owed; this game began with the opening [3,5,3,5]
          last sent: {"type":"move_request","id":[id],"ply":4,"seat":0,"state":{"board":[".......",".......",".......",".......","...X.O.","...X.O."],"moves":[3,5,3,5]},"legal_moves":[0,1,2,3,4,5,6],"sample_mo…
          last received: {"type":"ready","id":[id]}
          stderr:
            no such position
          → read the end of its stderr, then run it by hand on the same input; if that works, the sandbox may be blocking a file it needs: try `arena check BOT --sandbox off`
          next: arena explain crashed
    ok    leaves            exited after quit
    --- stderr
    "#);
    // That is why it is worth nothing where no game begins with moves.
    assert!(card(&dir, "xvier --game connect4 --opening-plies 0").contains("6 games without a fault\n"));
    let quick = card(&dir, "xvier --game connect4 --move-time 30s --quick");
    assert!(quick.contains("FAIL  plays connect4    crashed in seat 1"), "{quick}");
    dir.file("book", "[3,3,3]\n");
    let book = card(&dir, "xvier --game connect4 --move-time 30s --openings book");
    assert!(book.contains("began with the opening [3,3,3]"), "{book}");
}

#[test]
fn a_bot_that_claims_nothing_and_plays_one_game_is_told_to_declare_it() {
    let dir = Dir::new();
    let other = r#"case "$line" in *'"game":"connect4"'*) ;; *) echo 'no board' >&2; exit 1;; esac"#;
    dir.script("bots/single", &connect4(other, ":"));
    insta::assert_snapshot!(card(&dir, "single --move-time 30s"), @r#"
    exit 2
    --- stdout
    single  [dir]/bots/single
    ok    starts              answered hello
    ok    hello               protocol 1; plays all games
    ok    plays connect4      8 games without a fault, 2 from an opening
    ok    repeats connect4    same seed, same moves
    FAIL  plays tictactoe     startup_failed in seat 0: no board; it exited with status 1 before it was ready
          last sent: {"type":"new_game","id":[id],"game_id":"[hash]","game":"mnk","rules_version":1,"params":{"cols":3,"k":3,"rows":3},"seat":0,"seed":"4960357731106127602","clock":{"move_ms":30000}}
          last received: {"type":"hello","protocol":1}
          stderr:
            no board
          → read the end of its stderr, then run it by hand on the same input; if that works, the sandbox may be blocking a file it needs: try `arena check BOT --sandbox off`
          next: arena explain startup_failed
    FAIL  plays gomoku        startup_failed in seat 0: no board; it exited with status 1 before it was ready
    FAIL  plays marbles       startup_failed in seat 0: no board; it exited with status 1 before it was ready
    FAIL  plays mastermind    startup_failed in seat 0: no board; it exited with status 1 before it was ready
    note  ends early          it exited with status 1 after its last game
          stderr:
            no board
          → keep reading until `quit`, and write nothing about the end of a game: one process plays many games, and a new one takes time to start; or set `fresh = true` in its manifest
    ok    leaves              exited after quit
    note  games               it plays connect4 only
          → if it is not meant to play the others, declare "games": ["connect4"] in its hello; if it is, test one with --game
    --- stderr
    "#);
    dir.script(
        "bots/single",
        &connect4(other, ":").replace("\"protocol\":1", "\"protocol\":1,\"games\":[\"connect4\"]"),
    );
    let declared = card(&dir, "single --move-time 30s");
    assert!(declared.starts_with("exit 0") && !declared.contains("marbles"), "{declared}");
}

#[test]
fn each_row_is_printed_as_soon_as_it_is_known() {
    let dir = Dir::new();
    let stays = r#"case "$line" in *'"game":"connect4"'*) ;; *) sleep 1000;; esac"#;
    dir.script("bots/stuck", &connect4(stays, ":"));
    let mut running = dir.start("check stuck --move-time 30s");
    until(LIMIT, "the row of the first game is there", || {
        dir.read("out/0-stdout").contains("\nok    repeats connect4    same seed, same moves\n") || running.has_ended()
    });
    assert!(!running.has_ended(), "{}", dir.read("out/0-stdout"));
    running.signal(Signal::INT);
    let ended = running.wait(LIMIT);
    assert!(ended.status == Some(130) && !ended.stdout.contains("tictactoe"), "{ended}");
}

#[test]
fn the_quick_check_plays_the_first_moves_of_two_games() {
    let dir = Dir::new();
    dir.script("bots/counter", &connect4("echo game >>../log", "echo move >>../log"));
    insta::assert_snapshot!(card(&dir, "counter --game connect4 --move-time 30s --sandbox off --quick"), @"
    exit 0
    --- stdout
    counter  [dir]/bots/counter
    ok    starts            answered hello
    ok    hello             protocol 1; plays all games
    ok    plays connect4    the first moves of two games without a fault
    ok    leaves            exited after quit
    --- stderr
    ");
    assert_eq!(dir.read("log").lines().filter(|line| *line == "game").count(), 2);
    assert_eq!(dir.read("log").lines().count(), 2 + 3 + 3);
}

#[test]
fn the_score_card_is_one_json_object() {
    let dir = Dir::with_bots(&["random"]);
    let json = |args: &str, code| -> serde_json::Value {
        serde_json::from_str(&dir.arena_ends(code, args).stdout).expect("one object")
    };
    let card = json("check random --game tictactoe --move-time 30s --json", 0);
    assert_eq!((&card["bot"], &card["ok"]), (&"random".into(), &true.into()));
    let rows: Vec<&str> =
        card["rows"].as_array().expect("rows").iter().filter_map(|row| row["test"].as_str()).collect();
    assert_eq!(rows, ["starts", "hello", "plays tictactoe", "repeats tictactoe", "slowest reply", "leaves"]);
    dir.script("bots/dumb", "echo 'ValueError: x' >&2; exit 7");
    let row = json("check dumb --json", 2)["rows"][0].take();
    assert_eq!((&row["ok"], &row["explain"]), (&false.into(), &"startup_failed".into()));
    assert_eq!((&row["details"][1], &row["details"][2]), (&"stderr:".into(), &"  ValueError: x".into()));
}

#[test]
fn the_time_of_the_move_that_was_too_late_counts() {
    let dir = Dir::new();
    dir.script("bots/sleeper", &connect4(":", "sleep 1000"));
    let late = dir.arena_ends(2, "check sleeper --game connect4 --move-time 100ms").to_string();
    assert!(late.contains("note  slowest reply     more than [time] ms (connect4); limit 100 ms a move"), "{late}");
}

#[test]
fn openings_are_of_one_game_that_has_them() {
    let dir = Dir::with_bots(&["random"]);
    dir.file("book", "[9]\n");
    let said = |args: &str| dir.arena_ends(1, &format!("check random {args}")).stderr;
    assert!(said("--openings book").contains("--game <GAME>"));
    assert!(said("--openings book --game connect4").contains("line 1: move 1: move 9 is not legal"));
    assert!(said("--opening-plies 2 --game mastermind").contains("mastermind has hidden information"));
}

#[test]
fn a_long_run_says_how_long_it_takes() {
    let dir = Dir::with_bots(&["random"]);
    dir.script("bots/slow", &connect4(":", "sleep 0.1"));
    let mut running = dir.start("tournament --move-time 30s --rounds 50 -j 1");
    let now = || -> serde_json::Value {
        let text = std::fs::read(dir.path("results/connect4/tournament.json")).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    };
    until(LIMIT, "the tables are written", || now()["seconds_left"].as_u64().is_some() || running.has_ended());
    let (stderr, during) = (running.stderr(), now());
    let told =
        stderr.lines().find_map(|line| line.strip_prefix("estimate for 100 games: about ")).expect("an estimate");
    // On a busy machine it may be minutes.
    assert!((told.contains(" seconds (") || told.contains(" minutes (")) && told.contains(" games a "), "{stderr}");
    let rate = during["games_per_second"].as_f64().expect("a rate");
    let left = during["seconds_left"].as_f64().expect("a time");
    let missing = during["counts"]["missing"].as_f64().expect("a number");
    assert!((rate * left / missing - 1.0).abs() < 0.1, "{rate} {left} {missing}");
    assert!(during["updated"].as_str().is_some_and(|time| time.starts_with("20") && time.ends_with('Z')), "{during}");
    running.signal(Signal::INT);
    assert_eq!(running.wait(LIMIT).status, Some(3));
    let after = now();
    assert!(after["seconds_left"].is_null() && after["games_per_second"].as_f64().is_some(), "{after}");
    assert!(after["updated"].as_str() > during["updated"].as_str());
}
