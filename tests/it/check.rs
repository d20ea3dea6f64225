//! The score card of a bot: what is tried, what is told of a failure, and what to do about it.

use std::fs::File;

use arena::rules::RULES;

use crate::support::{ASKED, Dir};

/// What `arena check` says, but for ids, which mean nothing, and for the slowest reply: in which game that was is a matter
/// of chance.
fn card(dir: &Dir, args: &str) -> String {
    let mut text = String::new();
    for line in
        dir.arena(&format!("check {args}")).to_string().lines().filter(|line| !line.starts_with("note  slowest"))
    {
        let mut parts = line.split("\"id\":");
        text.push_str(parts.next().unwrap_or_default());
        for part in parts {
            text.push_str("\"id\":[id]");
            text.push_str(part.trim_start_matches("[hash]"));
        }
        text.push('\n');
    }
    text
}

#[test]
fn a_score_card() {
    let dir = Dir::with_bots(&["random", "codebreaker"]);
    let said = card(&dir, "random --move-time 30s");
    let lines: Vec<String> = said.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    for game in RULES.iter().map(|rules| rules.name) {
        for line in [
            format!("ok plays {game} 6 games from both seats without a fault"),
            format!("ok repeats itself in {game} the same moves from the same seed"),
        ] {
            assert!(lines.contains(&line), "{line}: {said}");
        }
    }
    assert!(said.starts_with("exit 0\n") && !said.contains("FAIL"), "{said}");
    insta::assert_snapshot!(card(&dir, "codebreaker --game connect4"), @"
    exit 2
    --- stdout
    codebreaker  builtin codebreaker
    ok    starts  it answered hello
    ok    speaks  protocol 1; calls itself codebreaker 1; plays mastermind
    FAIL  plays   none of the games asked for is in its hello.games
                  → name the games it plays in hello.games, or leave that field out to play all
                  next: arena explain startup_failed
    ok    leaves  it left by itself after quit
    --- stderr
    ");
    dir.script("bots/dumb", "echo 'Traceback' >&2; echo 'ValueError: x' >&2; exit 7");
    insta::assert_snapshot!(card(&dir, "dumb"), @r#"
    exit 2
    --- stdout
    dumb  [dir]/bots/dumb
    FAIL  starts  ValueError: x; it exited with status 7 before it said hello
                  last sent: {"type":"hello","protocol":1,"arena":"0.1.0","max_line_bytes":65536,"startup_ms":10000}
                  stderr:
                    Traceback
                    ValueError: x
                  → read the end of its stderr, then run it by hand on the same input; if that works, the sandbox may be blocking a file it needs: try `arena check BOT --sandbox off`
                  next: arena explain startup_failed
    --- stderr
    "#);
    dir.script("elsewhere/loner", &format!("echo hello world\nexec {} bot random", env!("CARGO_BIN_EXE_arena")));
    insta::assert_snapshot!(dir.arena("check elsewhere/loner --game tictactoe --move-time 30s"), @"
    exit 0
    --- stdout
    loner  [dir]/elsewhere/loner
    ok    starts                       it answered hello
    ok    speaks                       protocol 1; calls itself random 1; plays [all rules]
    ok    plays tictactoe              6 games from both seats without a fault
    ok    repeats itself in tictactoe  the same moves from the same seed
    note  slowest reply                [time] ms (tictactoe), allowed 30000 ms a move
    note  stray and stale lines        1
                                       stray stdout: hello world
                                       → print to stderr what is not a reply: stray lines on stdout are dropped, and too many lose the game
    ok    leaves                       it left by itself after quit
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
    ok    starts          it answered hello
    ok    speaks          protocol 1; calls itself (no name); plays all games
    FAIL  plays connect4  illegal_move in seat 0: at ply 0: move 99 is not legal; legal: 0, 1, 2, 3, 4, 5, 6
                          last sent: {"type":"move_request","id":[id],"ply":0,"seat":0,"state":{"board":[".......",".......",".......",".......",".......","......."],"moves":[]},"legal_moves":[0,1,2,3,4,5,6],"sample_move":5,"…
                          last received: {"type":"move","id":[id],"move":99}
                          → choose from `legal_moves` of the request, or where that is absent follow its `state`
                          next: arena explain illegal_move
    FAIL  leaves          it was still there 1 s after quit and was killed
                          → exit on `quit` and at the end of stdin
    --- stderr
    "#);
    dir.script("bots/mute", &stayer("kill -9 $$", "0"));
    insta::assert_snapshot!(card(&dir, "mute --game connect4"), @r#"
    exit 2
    --- stdout
    mute  [dir]/bots/mute
    ok    starts          it answered hello
    ok    speaks          protocol 1; calls itself (no name); plays all games
    FAIL  plays connect4  startup_failed in seat 0: it was killed by signal 9 (SIGKILL) before it was ready
                          last sent: {"type":"new_game","id":[id],"game_id":"[hash]","game":"connect4","rules_version":1,"params":{"cols":7,"connect":4,"rows":6},"seat":0,"seed":"4960357731106127602","clock":{"move_…
                          last received: {"type":"hello","protocol":1}
                          → read the end of its stderr, then run it by hand on the same input; if that works, the sandbox may be blocking a file it needs: try `arena check BOT --sandbox off`
                          next: arena explain startup_failed
    FAIL  leaves          it was still there 1 s after quit and was killed
                          → exit on `quit` and at the end of stdin
    --- stderr
    "#);
    // Outside of its scratch folder, which every process finds empty.
    dir.script("bots/twice", &format!("test -e once && exit 3\n: >once\n{}", stayer("exit 4", "0")));
    insta::assert_snapshot!(card(&dir, "twice --game connect4 --sandbox off"), @r#"
    exit 2
    --- stdout
    twice  [dir]/bots/twice
    ok    starts          it answered hello
    ok    speaks          protocol 1; calls itself (no name); plays all games
    FAIL  plays connect4  startup_failed in seat 0: it exited with status 3 before it said hello
                          last sent: {"type":"hello","protocol":1,"arena":"0.1.0","max_line_bytes":65536,"startup_ms":10000}
                          → read the end of its stderr, then run it by hand on the same input; if that works, the sandbox may be blocking a file it needs: try `arena check BOT --sandbox off`
                          next: arena explain startup_failed
    note  leaves          not tried, since it did not start again: it exited with status 3 before it said hello
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
    ok    starts                 it answered hello
    ok    speaks                 protocol 1; calls itself (no name); plays all games
    FAIL  plays marbles          crashed in seat 0: KeyError: 3; it exited with status 1 while a move was owed; its last line was dropped as stray
                                 last sent: {"type":"move_request","id":[id],"ply":0,"seat":0,"state":{"heap":100,"min_take":1,"max_take":10,"moves":[]},"legal_moves":[1,2,3,4,5,6,7,8,9,10],"sample_move":8,"clock":{"deadline_ms":100…
                                 last received: My move: {"type":"move"}
                                 stderr:
                                   Traceback
                                     File "x.py", line 3
                                       at x
                                   KeyError: 3
                                 → read the end of its stderr, then run it by hand on the same input; if that works, the sandbox may be blocking a file it needs: try `arena check BOT --sandbox off`
                                 next: arena explain crashed
    note  stray and stale lines  1
                                 stray stdout: My move: {"type":"move"}
                                 → print to stderr what is not a reply: stray lines on stdout are dropped, and too many lose the game
    ok    leaves                 it left by itself after quit
    --- stderr
    "#);
    dir.script("bots/python", &format!("{ASKED}\necho \"{{'type': 'move'}}\""));
    insta::assert_snapshot!(card(&dir, "python --game marbles"), @r#"
    exit 2
    --- stdout
    python  [dir]/bots/python
    ok    starts         it answered hello
    ok    speaks         protocol 1; calls itself (no name); plays all games
    FAIL  plays marbles  protocol_error in seat 0: key must be a string at byte 2: {'type': 'move'}
                         last sent: {"type":"move_request","id":[id],"ply":0,"seat":0,"state":{"heap":100,"min_take":1,"max_take":10,"moves":[]},"legal_moves":[1,2,3,4,5,6,7,8,9,10],"sample_move":8,"clock":{"deadline_ms":100…
                         last received: {'type': 'move'}
                         → print(json.dumps(reply), flush=True)
                         next: arena explain protocol_error
    ok    leaves         it left by itself after quit
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
    FAIL  starts  PermissionError: weights.txt; it exited with status 1 before it said hello
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
    ok    starts                       it answered hello
    ok    speaks                       protocol 1; calls itself (no name); plays conect4, mnk
    note  names games                  in its hello.games: no game named `conect4` (did you mean `connect4`?); known: [every game]
    ok    plays tictactoe              6 games from both seats without a fault
    ok    repeats itself in tictactoe  the same moves from the same seed
    note  ends after a game            it exited with status 1 after its last game
                                       stderr:
                                         KeyError: id
                                       → stay until `quit`, and read game_over without an answer: one process plays many games, and each new one takes time to start
    ok    leaves                       it left by itself after quit
    --- stderr
    ");
    let resign = r#"echo "{\"type\":\"resign\",\"id\":$(id "$line")}""#;
    dir.script("bots/quitter", &player(resign, ":"));
    insta::assert_snapshot!(card(&dir, "quitter --game tictactoe --move-time 30s"), @"
    exit 0
    --- stdout
    quitter  [dir]/bots/quitter
    ok    starts                       it answered hello
    ok    speaks                       protocol 1; calls itself (no name); plays conect4, mnk
    note  names games                  in its hello.games: no game named `conect4` (did you mean `connect4`?); known: [every game]
    ok    plays tictactoe              6 games from both seats without a fault
    ok    repeats itself in tictactoe  the same moves from the same seed
    note  resigns                      6 of 6 games
                                       → no fault, but lost; if it is not meant to give up, look for what makes it
    ok    leaves                       it left by itself after quit
    --- stderr
    ");
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
    - it does not flush stdout, so its reply stays in a buffer; or it reads stdin to the end before it replies
      → flush after every line: print(…, flush=True), fflush(stdout), stdout().flush(); read line by line (`for line in sys.stdin`), not with read() or readlines()
    - it thinks longer than `clock.deadline_ms`, or waits for something other than the next line
      → answer every move_request with its `id` within clock.deadline_ms; stop searching early: 10 % and 5 ms before the limit
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
    - the machine is too busy: the bot got no CPU time, even after a credit of four limits
      → run fewer games at once (-j), stop other programs, or use --clock cpu; the bot is not at fault

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
    let script = format!("test -e once && exit 3\n: >once\nexec {} bot random", env!("CARGO_BIN_EXE_arena"));
    dir.script("bots/second", &script);
    let card = dir.arena_ends(2, "check second --game tictactoe --move-time 30s --sandbox off").stdout;
    assert!(
        card.contains("FAIL  repeats itself in tictactoe  startup_failed in seat 0: it exited with status 3"),
        "{card}"
    );
}

#[test]
fn an_unknown_word_is_refused_with_the_known_ones() {
    let dir = Dir::new();
    insta::assert_snapshot!(dir.arena_ends(1, "explain timeot"), @r"
    exit 1
    --- stdout
    --- stderr
    error: no status or reason named `timeot` (did you mean `timeout`?); known: ok, timeout, illegal_move, protocol_error, crashed, startup_failed, interference, resigned, withdrawn, void, max_plies, line, board_full, last_marble, code_broken, same_number, not_broken
    ");
    let page = dir.arena("explain startup_failed").stdout;
    let [title, means, ..] = page.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>()[..] else {
        panic!("{page}")
    };
    assert_eq!(title, "startup_failed");
    assert!(
        means.starts_with("The bot did not start. Most likely its file cannot be run, or its program stopped"),
        "{page}"
    );
}
