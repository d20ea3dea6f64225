//! What the commands for games that are programs print.

use super::{PATIENT, add_rules, example, with_bots};
use crate::support::{Dir, Ended};

/// What a command prints, without the hashes of rules.
fn said(ended: &Ended) -> String {
    let text = ended.to_string();
    let mut parts = text.split('@');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| match part.get(..8) {
        Some(hash) if hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => text + "@[rules]" + &part[8..],
        _ => text + "@" + part,
    })
}

#[test]
fn a_new_game_can_be_checked_and_played_at_once() {
    let dir = with_bots(&["a", "b"]);
    insta::assert_snapshot!(said(&dir.process("new-game hill --dir games")), @"
    exit 0
    --- stdout
    made games/hill.py and games/hill.toml: 21 sticks, take 1 to 3; make it your game
    check it: arena check --game games/hill.toml
    play it:  arena play random --game games/hill.toml
    authors without the arena, such as on Windows, check a bot with games/check_bot.py: docs/other-systems.md
    --- stderr
    ");
    insta::assert_snapshot!(dir.read("games/hill.toml"), @r#"
    # The rules of hill: docs/games.md. Name what else belongs to them: files = ["data.json"]
    command = ["python3", "hill.py"]
    "#);
    insta::assert_snapshot!(said(&dir.process("check --game games/hill.toml")), @"
    exit 0
    --- stdout
    hill@[rules]  python3 hill.py
    ok    starts          hill, as hill@[rules]
    ok    plays           100 random games, 1,099 moves
    note  wins            seat 0 won 49, seat 1 won 51, 0 draws; 100 games ended
    note  length          median 11, from 8 to 16 moves
    note  choice          median 3, from 1 to 3 moves in a position
    ok    repeats         another process gave the same answers, byte for byte
    ok    seeds           positions do not depend on the seed
    ok    slowest answer  [time] ms of 10000 ms
    ok    leaves          both processes left when they were asked to
    --- stderr
    ");
    dir.process_ends(0, &format!("tournament --game games/hill.toml --rounds 1 {PATIENT}"));
    for (name, says) in [
        ("hill --dir games", "games/hill.toml exists already; choose another name"),
        ("Hill", "`Hill` is no name of a game; use 1 to 32 characters, each of a-z, 0-9 or _"),
        ("gomoku", "`gomoku` is a built-in game; give it another name"),
        ("../hill", "`../hill` is no name of a game"),
    ] {
        let refused = dir.process_ends(1, &format!("new-game {name}"));
        assert!(refused.stderr.contains(says), "{refused}");
    }
    let here = dir.process_ends(0, "new-game other").stdout;
    assert!(here.contains("arena check --game ./other.toml"), "{here}");
}

#[test]
fn the_parameters_of_a_program_are_listed() {
    let dir = example("goofspiel", &[]);
    insta::assert_snapshot!(said(&dir.process("games --game ./goofspiel.toml")), @"
    exit 0
    --- stdout
    goofspiel  bid your cards for prizes, both at the same time; more points win
        cards        cards of each seat, and prizes: 1 to this number; an integer from 2 to 100 (default 13)
        prizes       the order of the prizes; one of random, ascending, descending (default random)

    Recorded as goofspiel@[rules], version 1
    Hides something from each seat, or draws lots: no openings
    --- stderr
    ");
    for (params, says) in [("cards=1", "cards"), ("card=3", "card"), ("prizes=none", "prizes")] {
        let refused = dir.process_ends(1, &format!("games --game ./goofspiel.toml:{params}"));
        assert!(refused.stderr.contains("game `./goofspiel.toml`: ") && refused.stderr.contains(says), "{refused}");
    }
}

/// `check` of rules in a mode, and its exit code.
fn check(dir: &Dir, mode: &str) -> String {
    add_rules(dir, "bad", mode, "");
    said(&dir.process_ends(1, "check --game ./bad.toml"))
}

#[test]
fn a_check_says_which_contract_is_broken() {
    let dir = Dir::new();
    insta::assert_snapshot!(check(&dir, "repeated_move"), @r#"
    exit 1
    --- stdout
    sticks@[rules]  python3 -SE rules.py repeated_move
    ok    starts          sticks, as sticks@[rules]
    FAIL  plays           the rules sticks@[rules] failed at ply 2: they list the move 1 twice
          last sent: {"type":"apply","id":3,"move":3}
          last received: {"type": "position", "id": 3, "to_move": 1, "legal_moves": [1, 2, 1], "view": {"heap": 14, "moves": [2, 2, 3]}}
          → repair the program; docs/games.md says what each message has
    --- stderr
    "#);
    let differs = check(&dir, "memory");
    assert!(differs.contains("repeats") && differs.contains("ply 3 was answered by"), "{differs}");
    let built_in = dir.process_ends(1, "check --game tictactoe").stderr;
    assert!(
        built_in.contains("tictactoe is a built-in game; name a bot to check, or a program of rules"),
        "{built_in}"
    );
    let hidden = example("kuhn", &[]);
    let json = hidden.process_ends(0, "check --game ./kuhn.toml:hands=1 --json").stdout;
    let card: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&card["ok"], &card["games"][0]["game"]), (&true.into(), &"kuhn:hands=1".into()));
    let rows = card["games"][0]["rows"].as_array().expect("rows").iter();
    let names: Vec<&str> = rows.filter_map(|row| row["test"].as_str()).collect();
    assert_eq!(
        names,
        ["starts", "plays", "wins", "length", "choice", "repeats", "seeds", "slowest answer", "leaves"],
        "{json}"
    );
}
