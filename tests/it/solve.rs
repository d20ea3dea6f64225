//! `arena solve`: positions against perfect play, from arguments and from lines.

use std::fs::File;

use crate::support::{Dir, LIMIT};

#[test]
fn a_position_is_shown_with_all_its_moves() {
    let dir = Dir::new();
    insta::assert_snapshot!(dir.arena("solve connect4 44444423"), @r"
    exit 0
    --- stdout
    connect4, 8 discs, X to move: draw
    column     0     1     2     3     4     5     6
    result  loss  draw  draw     –  loss  draw  loss
    in        15     –     –     –    16     –    17
    score     -3     0     0     –    -2     0    -1
    --- stderr
    ");
    insta::assert_snapshot!(dir.arena("solve connect4:rows=4,cols=5 --moves 0,0,2,1 --result-only"), @r"
    exit 0
    --- stdout
    connect4:rows=4,cols=5, 4 discs, X to move: draw
    column     0     1     2     3     4
    result  loss  draw  loss  loss  loss
    --- stderr
    ");
    insta::assert_snapshot!(dir.arena("solve tictactoe --moves [[1,1],[0,1]]"), @r"
    exit 0
    --- stdout
    tictactoe, 2 marks, X to move: wins in 3 (mark 7)
       W3    O   W3
       W3    X   W3
       W3    D   W3
    --- stderr
    ");
    insta::assert_snapshot!(dir.arena("solve marbles:heap=20 --moves 3"), @"
    exit 0
    --- stdout
    marbles:heap=20, 17 left, second to move: wins; winning takes: 4 to 5
    --- stderr
    ");
}

#[test]
fn what_cannot_be_solved_is_said() {
    let dir = Dir::new();
    insta::assert_snapshot!(dir.arena("solve connect4:rows=6,cols=9 4 --nodes 1k"), @r"
    exit 0
    --- stdout
    connect4:cols=9, 1 disc, O to move: unsolved within 1,010 positions; --nodes allows more
    --- stderr
    ");
    insta::assert_snapshot!(dir.arena("solve gomoku --moves 7,7"), @r"
    exit 0
    --- stdout
    gomoku, 1 mark, O to move: no solver for gomoku; there are some for connect4 (while (rows + 1) × cols is at most 64), mnk (to 25 cells), marbles
    --- stderr
    ");
    insta::assert_snapshot!(dir.arena("solve 1203 11111111 121212122 x1"), @r"
    exit 0
    --- stdout
    1203: column 0: digits count columns from 1, as in published positions; for columns from 0 write --moves
    11111111: digit 7, which is column 0: move 0 is not legal; legal: 1, 2, 3, 4, 5, 6
    121212122: digit 8, which is column 1: move 1 comes after the end of the game (line)
    x1: `x` is no column; a position is digits from 1, or JSON
    --- stderr
    ");
    insta::assert_snapshot!(dir.arena("solve conect4 1"), @r"
    exit 1
    --- stdout
    --- stderr
    error: no game named `conect4` (did you mean `connect4`?); known: [every game]
    ");
    insta::assert_snapshot!(dir.arena("solve 1 --moves 0"), @r"
    exit 1
    --- stdout
    --- stderr
    error: give --moves or positions such as 1, not both
    ");
    insta::assert_snapshot!(dir.arena("solve tictactoe 12"), @r"
    exit 0
    --- stdout
    12: digits are columns, which tictactoe does not have; write the moves, with --moves or as JSON
    --- stderr
    ");
}

#[test]
fn lines_are_answered_in_their_order_by_any_number_of_workers() {
    let dir = Dir::new();
    let positions =
        ["4444442333", "x", "1212121", "", "{\"game\":\"marbles\",\"moves\":[],\"params\":{\"heap\":7}}", "2", "{}"];
    dir.file("positions", positions.join("\n"));
    let solve = |args: &str| {
        let mut command = dir.command(&format!("solve connect4:rows=4,cols=4 {args}"));
        command.stdin(File::open(dir.path("positions")).expect("the file"));
        dir.run(command).wait(LIMIT).stdout
    };
    insta::assert_snapshot!(solve(""), @r#"
    4444442333: digit 5, which is column 3: move 3 is not legal; legal: 0, 1, 2
    x: `x` is no column; a position is digits from 1, or JSON
    1212121: the game is over: X won (four in a row)
    {"game":"marbles","moves":[],"params":{"heap":7}}: wins; winning takes: 1 to 2
    2: draw; best 0 1 2 3
    {}: `game` is missing
    "#);
    insta::assert_snapshot!(solve("--csv"), @r#"
    position,to_move,result,in,plies,end_ply,score,best,moves,nodes,cause,error
    4444442333,,,,,,,,,,,"digit 5, which is column 3: move 3 is not legal; legal: 0, 1, 2"
    x,,,,,,,,,,,"`x` is no column; a position is digits from 1, or JSON"
    1212121,,,,,,,,,,,the game is over: X won (four in a row)
    "{""game"":""marbles"",""moves"":[],""params"":{""heap"":7}}",0,win,,,,,1,,0,,
    2,1,draw,,,,0,0 1 2 3,0:D 1:D 2:D 3:D,2296,,
    {},,,,,,,,,,,`game` is missing
    "#);
    for form in ["", "--json", "--csv"] {
        assert_eq!(solve(&format!("{form} -j 1")), solve(&format!("{form} -j 3")), "{form}");
    }
}

#[test]
fn a_line_without_an_end_is_refused_and_not_held_against_the_next() {
    let dir = Dir::new();
    dir.file("positions", format!("{}\n1", "1".repeat(3 << 20)));
    let mut command = dir.command("solve connect4:rows=4,cols=4 --json");
    command.stdin(File::open(dir.path("positions")).expect("the file"));
    let said = dir.run(command).wait(LIMIT).stdout;
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines.len() == 2 && lines[0].len() < 1_000, "{} bytes", said.len());
    assert!(lines[0].contains("\"code\":\"line_too_long\"") && lines[1].contains("\"result\":\"draw\""), "{said}");
}
