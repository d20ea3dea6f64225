//! `arena judge`: one answer a question, whatever the question.

use std::io::{self, BufReader, ErrorKind, Write};

use arena::judge::{LINE_MAX, judge_line, run};
use arena::rules::Variant;
use serde_json::Value;

use crate::support::Dir;

#[track_caller]
fn check(question: &str, answer: &str) {
    assert_eq!(judge_line(question), answer, "{question}");
}

/// The answer to a question that is refused as a whole.
#[track_caller]
fn check_refused(question: &str, message: &str) {
    let answer: Value = serde_json::from_str(&judge_line(question)).expect("JSON");
    let said = answer["error"]["message"].as_str().expect("a message");
    // The column is of use to people only.
    assert_eq!(said.split(" (column ").next(), Some(message), "{question}");
    let expected = r#"{"to_move":null,"outcome":null,"reason":null,"legal_moves":null,"legal_count":null,"lines":null,"views":null,"#;
    assert!(judge_line(question).starts_with(expected), "{}", judge_line(question));
    assert!(answer["error"]["ply"].is_null() && answer["error"]["code"].is_string(), "{answer}");
}

/// All answers to `input`.
pub(crate) fn run_on(input: &[u8]) -> String {
    let mut output = Vec::new();
    run(input, &mut output).expect("reading from memory");
    String::from_utf8(output).expect("UTF-8")
}

fn field(answer: &str, name: &str) -> String {
    serde_json::from_str::<Value>(answer).expect("JSON")[name].to_string()
}

#[test]
fn a_running_game_is_described() {
    check(
        r#"{"game":"connect4","params":{"rows":2,"cols":4},"moves":[3,3,0]}"#,
        concat!(
            r#"{"to_move":1,"outcome":null,"reason":null,"legal_moves":[0,1,2],"legal_count":3,"lines":[[],[]],"#,
            r#""views":[{"board":["...O","X..X"],"moves":[3,3,0]},"#,
            r#"{"board":["...O","X..X"],"moves":[3,3,0]}],"reveal":null,"value":null,"solution":null,"error":null}"#
        ),
    );
}

#[test]
fn a_finished_game_names_winner_and_reason() {
    let won = r#"{"game":"tictactoe","moves":[[0,0],[1,0],[0,1],[1,1],[0,2]]}"#;
    let view = r#"{"board":["XXX","OO.","..."],"moves":[[0,0],[1,0],[0,1],[1,1],[0,2]]}"#;
    let position = r#""to_move":null,"outcome":"first","reason":"line","legal_moves":[],"legal_count":0"#;
    let lines = r#""lines":[[[0,0],[0,1],[0,2]],[]]"#;
    check(
        won,
        &format!(
            r#"{{{position},{lines},"views":[{view},{view}],"reveal":null,"value":null,"solution":null,"error":null}}"#
        ),
    );
    let drawn = judge_line(r#"{"game":"connect4","params":{"rows":2,"cols":2,"connect":2},"board":["..",".."]}"#);
    assert_eq!(field(&drawn, "outcome"), "null");
    let drawn = judge_line(r#"{"game":"mnk","board":["XOX","XOO","OXX"]}"#);
    assert_eq!((field(&drawn, "outcome"), field(&drawn, "reason")), (r#""draw""#.into(), r#""board_full""#.into()));
}

#[test]
fn an_illegal_move_is_named_and_the_position_before_it_described() {
    let answer = judge_line(r#"{"game":"marbles","params":{"heap":5},"moves":[1,4,2]}"#);
    assert_eq!(
        answer,
        concat!(
            r#"{"to_move":1,"outcome":null,"reason":null,"legal_moves":[2],"legal_count":1,"lines":null,"#,
            r#""views":[{"heap":4,"min_take":2,"max_take":2,"moves":[1]},"#,
            r#"{"heap":4,"min_take":2,"max_take":2,"moves":[1]}],"reveal":null,"value":null,"solution":null,"#,
            r#""error":{"ply":1,"message":"move 4 is not legal; legal: 2","code":"illegal_move"}}"#
        )
    );
}

#[test]
fn a_move_after_the_end_is_named_and_the_end_described() {
    let answer = judge_line(r#"{"game":"marbles","params":{"heap":2},"moves":[1,1,1]}"#);
    assert_eq!(field(&answer, "outcome"), r#""second""#);
    let error = r#"{"ply":2,"message":"move 1 comes after the end of the game (last_marble)","code":"game_over"}"#;
    let view = r#"{"heap":0,"min_take":0,"max_take":0,"moves":[1,1]}"#;
    let end =
        format!(r#""lines":null,"views":[{view},{view}],"reveal":null,"value":null,"solution":null,"error":{error}}}"#);
    assert!(answer.ends_with(&end), "{answer}");
}

#[test]
fn too_many_moves_are_counted_but_not_listed() {
    let ask = |first_max, legal| {
        let params = format!(r#"{{"heap":2002,"first_max":{first_max}}}"#);
        judge_line(&format!(r#"{{"game":"marbles","params":{params},"moves":[],"legal":{legal}}}"#))
    };
    let found = |answer: &str| (field(answer, "legal_moves") == "null", field(answer, "legal_count"));
    assert_eq!(found(&ask(1_001, true)), (true, "1001".to_owned()));
    assert_eq!(found(&ask(1_000, true)), (false, "1000".to_owned()));
    assert!(field(&ask(1_000, true), "legal_moves").ends_with(",999,1000]"));
    assert_eq!(found(&ask(5, false)), (true, "5".to_owned()));
    assert_eq!(field(&ask(1_001, true), "to_move"), "0");
}

#[test]
fn a_board_for_which_the_other_colour_began_is_refused_with_the_cure() {
    let check = |board: &str, cure: &str| {
        let answer = judge_line(&format!(r#"{{"game":"tictactoe","board":{board}}}"#));
        let message = field(&answer, "error");
        let end = format!("as many X as O, or one more{cure}\",\"ply\":null}}");
        assert!(message.replace('\\', "").ends_with(&end), "{message}");
    };
    check(r#"["O..","...","..."]"#, r#"; if O moved first, give "first":"O""#);
    check(r#"["OO.","...","..."]"#, "");
    let answer = judge_line(r#"{"game":"tictactoe","board":["O..","...","..."],"first":"O"}"#);
    assert_eq!((field(&answer, "error"), field(&answer, "to_move")), ("null".to_owned(), "1".to_owned()));
}

#[test]
fn impossible_boards_have_lines_and_a_value_all_the_same() {
    let floating = r#"["XX.....",".......",".......",".......",".......","O......"]"#;
    for (board, code, lines) in [
        (r#"[".......",".......",".......",".......","XXXX...","OOOO..."]"#, "two_winners", [4, 4]),
        (r#"[".......",".......",".......",".......",".......","XXXX..."]"#, "bad_count", [4, 0]),
        (floating, "floating_disc", [0, 0]),
    ] {
        let answer = judge_line(&format!(r#"{{"game":"connect4","board":{board},"value":true}}"#));
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        assert_eq!(answer["error"]["code"], code, "{board}");
        let found = [0, 1].map(|seat| answer["lines"][seat].as_array().expect("a list").len());
        assert_eq!(found, lines, "{board}");
        assert!(answer["value"]["score"].is_i64(), "{board}");
        assert!(answer["views"].is_null() && answer["legal_count"].is_null() && answer["to_move"].is_null());
    }
    let unread = judge_line(r#"{"game":"tictactoe","board":["XXX"],"value":true}"#);
    assert_eq!((field(&unread, "lines"), field(&unread, "value")), ("null".to_owned(), "null".to_owned()));
}

#[test]
fn the_code_drawn_from_a_seed_is_revealed() {
    let answer = judge_line(r#"{"game":"mastermind","seed":5,"moves":[[0,0,1,1]]}"#);
    let reveal = field(&answer, "reveal");
    let code: Value = serde_json::from_str::<Value>(&reveal).expect("JSON")["code"].clone();
    let broken = judge_line(&format!(r#"{{"game":"mastermind","seed":"5","moves":[{code},[0,0,0,0]]}}"#));
    assert_eq!(field(&broken, "reason"), r#""code_broken""#);
    assert_eq!(field(&broken, "reveal"), reveal);
    assert_eq!(field(&judge_line(r#"{"game":"mnk","moves":[]}"#), "reveal"), "null");
}

#[test]
fn questions_are_read_from_a_file() {
    let dir = Dir::new();
    dir.file("questions.jsonl", "{\"game\":\"mnk\",\"moves\":[]}\n\n{}\n");
    let answers = dir.arena_ends(0, "judge questions.jsonl").stdout;
    assert_eq!(answers, run_on(dir.read("questions.jsonl").as_bytes()));
    assert_eq!(answers.lines().count(), 2);
    let missing = dir.arena_ends(1, "judge nosuch.jsonl");
    assert!(missing.stderr.starts_with("error: could not open `nosuch.jsonl`"), "{}", missing.stderr);
    let folder = dir.arena_ends(1, "judge bots");
    assert!(folder.stderr.starts_with("error: could not judge `bots`"), "{}", folder.stderr);
    // Nothing comes from the test's stdin.
    assert_eq!(dir.arena_ends(0, "judge -").stdout, dir.arena_ends(0, "judge").stdout);
}

#[test]
fn a_board_is_judged() {
    let rows = r#"[".......",".......","...X...","...X...","...XOO.","O..XOO."]"#;
    let answer = judge_line(&format!(r#"{{"game":"connect4","board":{rows}}}"#));
    let message = "4 X and 5 O are impossible: X moves first, so there are as many X as O, or one more";
    let message = format!(r#"game `connect4`: {message}; if O moved first, give \"first\":\"O\""#);
    assert_eq!(field(&answer, "error"), format!(r#"{{"code":"bad_count","message":"{message}","ply":null}}"#));
    let rows = r#"[".......",".......","...X...","...X...","...XO..","...XOO."]"#;
    let answer = judge_line(&format!(r#"{{"game":"connect4","board":{rows}}}"#));
    assert_eq!(field(&answer, "outcome"), r#""first""#);
    assert_eq!(field(&answer, "error"), "null");
}

#[test]
fn hidden_information_needs_a_code_or_a_seed() {
    let need = "game `mastermind` has hidden information: give its `code`, or the game's `seed`";
    check_refused(r#"{"game":"mastermind","moves":[]}"#, need);
    let by_code = judge_line(r#"{"game":"mastermind","code":[0,0,1,1],"moves":[[0,1,1,1]]}"#);
    assert!(by_code.contains(r#"{"guess":[0,1,1,1],"exact":3,"color":0}"#), "{by_code}");
    let ask = |seed: &str| judge_line(&format!(r#"{{"game":"mastermind","seed":{seed},"moves":[[0,1,2,3]]}}"#));
    assert_eq!(ask("17"), ask(r#""17""#));
    assert_eq!(field(&ask(r#""18446744073709551615""#), "error"), "null");
    check_refused(r#"{"game":"mastermind","code":[1],"seed":1,"moves":[]}"#, "give `code` or `seed`, not both");
    check_refused(
        r#"{"game":"mastermind","code":[1],"moves":[]}"#,
        "game `mastermind`: [1] is not a possible code; a code is a list of 4 integers from 0 to 5",
    );
    check_refused(r#"{"game":"connect4","code":[1],"moves":[]}"#, "game `connect4`: connect4 has no hidden code");
}

#[test]
fn what_cannot_be_understood_is_refused_with_the_cure() {
    let games: Vec<&str> = Variant::names().collect();
    check_refused(
        r#"{"game":"conect4","moves":[]}"#,
        &format!("no game named `conect4` (did you mean `connect4`?); known: {}", games.join(", ")),
    );
    check_refused(r#"{"game":"mnk"}"#, "give `moves` (`[]` at the start) or `board`");
    check_refused(r#"{"game":"mnk","moves":[],"layout":"rows"}"#, "`layout` needs a `board`");
    check_refused(
        r#"{"game":"mnk","board":["..."],"layout":"column"}"#,
        "no layout named `column` (did you mean `columns`?); known: rows, columns, tiles",
    );
    check_refused(
        r#"{"game":"mnk","board":["XR.","...","..."]}"#,
        "game `mnk`: the board has both `X` and `R`; write X and O, or R and Y",
    );
    check_refused(
        r#"{"game":"mnk","board":["X..",".5.","..."]}"#,
        r#"game `mnk`: `5` at row 1, column 1 is the number of a tile; use "layout":"tiles""#,
    );
    check_refused(
        r#"{"game":"mnk","board":["XX","..."],"layout":"columns"}"#,
        "game `mnk`: column 1 has 3 cells, and column 0 has 2",
    );
    check_refused(r#"{"game":"mnk","board":["..."],"first":"Z"}"#, "`Z` is not a mark; `first` is X or O (or R or Y)");
    check_refused(
        r#"{"game":"marbles","board":{"heap":5,"lost":1}}"#,
        "game `marbles`: unknown field `lost`, expected `heap` or `last`",
    );
    check_refused(
        r#"{"game":"marbles","board":{"heap":0}}"#,
        "game `marbles`: `heap` cannot be 0; expected an integer from 1 to 1000000",
    );
    check_refused(r#"{"game":"marbles","board":{"heap":5,"heap":6}}"#, "field `heap` is given twice");
    check_refused(r#"{"moves":[]}"#, "`game` is missing");
    check_refused(
        r#"{"game":"mnk","params":{"row":3},"moves":[]}"#,
        "game `mnk`: no parameter named `row` (did you mean `rows`?); known: rows, cols, k",
    );
    check_refused(
        r#"{"game":"mnk","params":{"rows":3.0},"moves":[]}"#,
        "game `mnk`: `rows` cannot be 3.0; expected an integer from 1 to 32",
    );
    check_refused(
        r#"{"game":"mnk","params":{"k":9},"moves":[]}"#,
        "game `mnk`: 9 in a row does not fit on 3 rows and 3 columns; at most 3 fit",
    );
    check_refused(
        r#"{"game":"mnk","move":[]}"#,
        "no field named `move` (did you mean `moves`?); known: game, params, moves, board, layout, first, code, seed, legal, value, solve, nodes",
    );
    check_refused(r#"{"game":"mnk","game":"mnk"}"#, "duplicate field `game`");
    check_refused(r#"{"game":"mnk","params":{"k":3,"k":4},"moves":[]}"#, "parameter `k` is given twice");
    check_refused(
        r#"{"game":"connect4","moves":[3.0]}"#,
        "invalid type: floating point `3.0`, expected a move: an integer, a string, or a list of such",
    );
    check_refused(
        r#"{"game":"mastermind","seed":"1e3","moves":[]}"#,
        "`1e3` is not a seed: a whole number from 0 to 18446744073709551615, as a decimal string or an integer",
    );
    check_refused(
        "[]",
        "invalid type: a list, expected an object with the fields game, params, moves, board, layout, first, code, \
         seed, legal, value, solve, nodes",
    );
    check_refused("{", "EOF while parsing an object");
}

#[test]
fn one_bad_line_never_stops_the_rest() {
    let good = r#"{"game":"mnk","moves":[]}"#;
    let mut input = b"\xef\xbb\xbf".to_vec();
    let long = "x".repeat(3 * LINE_MAX);
    for line in [good, "", "nonsense", "  \r", &long, &format!("{good}\r")] {
        input.extend([line.as_bytes(), b"\n"].concat());
    }
    input.extend(b"\xff\xfe\n");
    input.extend(good.as_bytes());
    let output = run_on(&input);
    let errors: Vec<String> = output.lines().map(|line| field(line, "error")).collect();
    let refused = |code: &str, message: &str| format!(r#"{{"code":"{code}","message":"{message}","ply":null}}"#);
    assert_eq!(
        errors,
        [
            "null".to_owned(),
            refused("bad_json", "expected ident (column 2)"),
            refused("line_too_long", "the line is longer than 1048576 bytes"),
            "null".to_owned(),
            refused("not_utf8", "the line is not UTF-8: invalid utf-8 sequence of 1 bytes from index 0"),
            "null".to_owned(),
        ]
    );
}

#[test]
fn the_longest_line_is_read_and_a_byte_more_is_refused() {
    let good = r#"{"game":"mnk","moves":[]}"#;
    for (length, too_long) in [(LINE_MAX, false), (LINE_MAX + 1, true), (LINE_MAX + 5, true), (LINE_MAX + 6, true)] {
        let line = format!("{good}{}", " ".repeat(length - good.len()));
        for input in [format!("{line}\n{good}\n"), format!("\u{feff}{line}\n{good}"), format!("{line}\n{good}")] {
            let output = run_on(input.as_bytes());
            let lines: Vec<&str> = output.lines().collect();
            assert_eq!((lines.len(), lines[0].contains("longer than")), (2, too_long), "{length}");
            assert_eq!(field(lines[1], "error"), "null");
        }
    }
}

#[test]
fn long_nonsense_gets_a_short_answer() {
    let long = "é".repeat(200_000);
    for question in [
        format!(r#"{{"game":"{long}","moves":[]}}"#),
        format!(r#"{{"{long}":1}}"#),
        format!(r#"{{"game":"mnk","params":{{"{long}":1}},"moves":[]}}"#),
        format!(r#"{{"game":"mnk","params":{{"k":"{long}"}},"moves":[]}}"#),
        format!(r#"{{"game":"mastermind","seed":"{long}","moves":[]}}"#),
        format!(r#"{{"game":"mnk","moves":"{long}"}}"#),
        format!(r#"{{"game":"mnk","board":["{long}"]}}"#),
        format!(r#"{{"game":"mnk","moves":["{long}"]}}"#),
        format!(r#"{{"game":"mnk","board":[["{long}"]]}}"#),
        format!(r#"{{"game":"mnk","board":["{long}"],"layout":"columns"}}"#),
        format!(r#"{{"game":"mnk","board":["..."],"layout":"{long}"}}"#),
        format!(r#"{{"game":"mnk","board":["..."],"first":"{long}"}}"#),
        format!(r#"{{"game":"marbles","board":{{"{long}":1}}}}"#),
        format!(r#"{{"game":"marbles","board":{{"heap":"{long}"}}}}"#),
        format!(r#"{{"game":"mnk","board":{}}}"#, "[".repeat(100_000)),
        format!(r#""{long}""#),
        format!(r#"{{"game":"mnk","moves":[[{}0]]}}"#, "0,".repeat(200_000)),
        format!(r#"{{"game":"mnk","params":{}}}"#, "[".repeat(100_000)),
    ] {
        let answer = judge_line(&question);
        assert!(answer.len() < 2_000, "{} bytes for {}", answer.len(), &question[..20]);
    }
}

#[test]
fn a_reader_that_has_left_is_no_error_and_any_other_trouble_is() {
    struct Broken(ErrorKind);

    impl Write for Broken {
        fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    assert!(run(&b"{}\n{}\n"[..], Broken(ErrorKind::BrokenPipe)).is_ok());
    assert!(run(&b"{}\n{}\n"[..], Broken(ErrorKind::StorageFull)).is_err());
}

#[test]
fn an_answer_comes_before_the_next_question() {
    let (questions, mut asker) = io::pipe().expect("a pipe");
    let (reader, answers) = io::pipe().expect("a pipe");
    let judge = std::thread::spawn(move || run(BufReader::new(questions), io::BufWriter::new(answers)));
    let mut reader = BufReader::new(reader);
    for _ in 0..3 {
        asker.write_all(b"{\"game\":\"mnk\",\"moves\":[]}\n").expect("the judge reads");
        let mut answer = String::new();
        io::BufRead::read_line(&mut reader, &mut answer).expect("the judge answers");
        assert_eq!(field(&answer, "error"), "null");
    }
    drop(asker);
    judge.join().expect("no panic").expect("no error");
}
