//! `arena ask`: one request and its reply.

use crate::support::{ASKED, Dir, without_ids};

/// What `arena ask` says, but for ids and CPU time.
fn asked(dir: &Dir, args: &str) -> String {
    // Moves of which the CPU time was measured took long: it depends on the machine.
    without_ids(&dir.arena(&format!("ask {args}")).to_string(), "\"id\":")
        .replace("[hash]", "")
        .replace(", [time] ms of CPU time", "")
}

#[test]
fn a_bot_is_asked_about_a_position() {
    let dir = Dir::with_bots(&["greedy", "codebreaker"]);
    insta::assert_snapshot!(asked(&dir, "greedy --moves 3,3,2 --patient"), @r#"
    exit 0
    --- stdout
    greedy  builtin greedy
    connect4 after 3 moves; seat 1 (second) is to move

       0 1 2 3 4 5 6
       . . . . . . .
       . . . . . . .
       . . . . . . .
       . . . . . . .
       . . . O . . .
       . . x X . . .
      last move: column 2, shown as x

    → {"type":"move_request","id":[id],"ply":3,"seat":1,"state":{"board":[".......",".......",".......",".......","...O...","..XX..."],"moves":[3,3,2]},"legal_moves":[0,1,2,3,4,5,6],"sample_move":2,"clock":{"deadline_ms":86400000}}
    ← {"type":"move","id":[id],"move":2}
    ok    plays connect4  move 2 (after [time] ms)
    --- stderr
    "#);
    insta::assert_snapshot!(asked(&dir, "codebreaker --game mastermind --moves 0,0,1,1 --seed 7 --move-time 30s"), @r#"
    exit 0
    --- stdout
    codebreaker  builtin codebreaker
    mastermind after 1 move; seat 1 (second) is to move

      4 pegs, colours 0 to 5
      guesses made by the other side: 1

    → {"type":"move_request","id":[id],"ply":1,"seat":1,"state":{"guesses":[],"opponent_guesses":1},"sample_move":[4,4,1,3],"clock":{"deadline_ms":30000}}
    ← {"type":"move","id":[id],"move":[2,4,0,2],"comment":"1296 codes left"}
    ok    plays mastermind  move [2,4,0,2] (after [time] ms)
    --- stderr
    "#);
}

#[test]
fn moves_come_from_a_file_too_and_bad_ones_are_refused() {
    let dir = Dir::with_bots(&["greedy"]);
    dir.file("moves.json", "[[0,0], [1,1]]\n");
    let json = dir.arena_ends(0, "ask greedy --game tictactoe --moves @moves.json --json").stdout;
    let asked: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let request: serde_json::Value = serde_json::from_str(asked["request"].as_str().expect("a line")).expect("JSON");
    let reply: serde_json::Value = serde_json::from_str(asked["reply"].as_str().expect("a line")).expect("JSON");
    assert_eq!((&request["ply"], &request["seat"], &asked["ok"]), (&2.into(), &0.into(), &true.into()));
    assert_eq!((&reply["id"], &reply["move"]), (&request["id"], &asked["move"]));
    assert!(asked["ms"].as_f64().is_some_and(|ms| ms > 0.0), "{json}");
    insta::assert_snapshot!(dir.arena("ask greedy --moves 3,9"), @"
    exit 1
    --- stdout
    --- stderr
    error: --moves, move 2: move 9 is not legal; legal: 0, 1, 2, 3, 4, 5, 6
    ");
    insta::assert_snapshot!(dir.arena("ask greedy --moves 0,1,0,1,0,1,0"), @"
    exit 1
    --- stdout
    --- stderr
    error: the game is over after these moves (four in a row); leave out the last ones
    ");
    insta::assert_snapshot!(dir.arena("ask greedy --moves @none"), @"
    exit 1
    --- stdout
    --- stderr
    error: reading moves from `none`
      caused by: No such file or directory (os error 2)
    ");
}

#[test]
fn a_fault_is_shown_whole_with_its_cure() {
    let dir = Dir::new();
    let comment = "x".repeat(250);
    dir.script(
        "bots/wrong",
        &format!(
            "{ASKED}echo junk; echo thinking >&2; echo \"{{\\\"type\\\":\\\"move\\\",\\\"id\\\":$(id \"$line\"),\
             \\\"move\\\":9,\\\"comment\\\":\\\"{comment}\\\"}}\"; read -r line"
        ),
    );
    insta::assert_snapshot!(asked(&dir, "wrong --move-time 30s").replace(&comment, "[comment]"), @r#"
    exit 2
    --- stdout
    wrong  [dir]/bots/wrong
    connect4 after the start; seat 0 (first) is to move

       0 1 2 3 4 5 6
       . . . . . . .
       . . . . . . .
       . . . . . . .
       . . . . . . .
       . . . . . . .
       . . . . . . .

    → {"type":"move_request","id":[id],"ply":0,"seat":0,"state":{"board":[".......",".......",".......",".......",".......","......."],"moves":[]},"legal_moves":[0,1,2,3,4,5,6],"sample_move":2,"clock":{"deadline_ms":30000}}
    ← {"type":"move","id":[id],"move":9,"comment":"[comment]"}
    ! stray stdout: junk
    ! stderr: thinking
    FAIL  plays connect4  illegal_move in seat 0: at ply 0: move 9 is not legal; legal: 0, 1, 2, 3, 4, 5, 6 (after [time] ms)
          → choose from `legal_moves` of the request, or where that is absent follow its `state`
          next: arena explain illegal_move
    --- stderr
    "#);
    dir.script("bots/silent", &format!("{ASKED}echo hm; exit 3"));
    insta::assert_snapshot!(asked(&dir, "silent"), @r#"
    exit 2
    --- stdout
    silent  [dir]/bots/silent
    connect4 after the start; seat 0 (first) is to move

       0 1 2 3 4 5 6
       . . . . . . .
       . . . . . . .
       . . . . . . .
       . . . . . . .
       . . . . . . .
       . . . . . . .

    → {"type":"move_request","id":[id],"ply":0,"seat":0,"state":{"board":[".......",".......",".......",".......",".......","......."],"moves":[]},"legal_moves":[0,1,2,3,4,5,6],"sample_move":2,"clock":{"deadline_ms":1000}}
    ! stray stdout: hm
    FAIL  plays connect4  crashed in seat 0: it exited with status 3 while a move was owed; its last line was dropped as stray
          → read the end of its stderr, then run it by hand on the same input; if that works, the sandbox may be blocking a file it needs: try `arena check BOT --sandbox off`
          next: arena explain crashed
    --- stderr
    "#);
    dir.script("bots/gone", "echo oops >&2; exit 3");
    let said = asked(&dir, "gone");
    assert!(said.starts_with("exit 2\n") && said.contains("        oops\n") && !said.contains("\n→"), "{said}");
}
