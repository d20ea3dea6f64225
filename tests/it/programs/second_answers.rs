//! Bots that write more answers than they are asked for: none becomes the answer to another question, whatever the machine
//! does meanwhile, and where that cannot be told, it is said.

use arena::cause::Cause;
use arena::record::{Record, Status};

use crate::support::{Dir, in_repository};

/// What a line that is one too many does not depend on.
const SETTINGS: [&str; 4] = ["-j 1", "-j 4 --oversubscribe", "--pin off", "--freeze-idle"];

/// A folder with rules by which no letter is taken twice, and bots: protocol and mode.
fn letters(bots: &[[&str; 2]]) -> Dir {
    let dir = Dir::new();
    for name in ["letters.py", "twice.py"] {
        dir.file(name, std::fs::read(in_repository("tests/bots").join(name)).expect("a program"));
    }
    dir.file("letters.toml", "command = [\"python3\", \"letters.py\"]\n");
    for [protocol, mode] in bots {
        let command = ["python3", "-SE", "../twice.py", protocol, mode];
        let fresh = if *protocol == "lines" { "fresh = false\n" } else { "" };
        dir.file(
            &format!("bots/{protocol}-{mode}.toml"),
            format!("command = {command:?}\nprotocol = {protocol:?}\nfiles = [\"../twice.py\"]\n{fresh}"),
        );
    }
    dir
}

/// The games of two bots.
fn games(dir: &Dir, protocol: &str, mode: &str, flags: &str, rounds: u32) -> Vec<Record> {
    dir.process(&format!(
        "match {protocol}-{mode} {protocol}-once --game ./letters.toml --rounds {rounds} --name t --no-check --strikes off \
         --opening-plies 0 -q {flags}"
    ));
    dir.journal("t").games
}

/// Draws without a fault, in which as many lines were dropped as `mode` writes too many; those after the last move of a game
/// belong to the next one of the process, if they are read.
#[track_caller]
fn plays(protocol: &str, mode: &str, flags: &str, rounds: u32, surplus: std::ops::RangeInclusive<u32>) {
    let dir = letters(&[[protocol, mode], [protocol, "once"]]);
    let games = games(&dir, protocol, mode, &format!("--move-time 10s {flags}"), rounds);
    assert_eq!(games.len(), 2 * rounds as usize, "{protocol} {mode} {flags}");
    for game in games {
        let seat = usize::from(game.bots[1].name.ends_with(mode));
        assert_eq!(game.statuses, [Status::Ok; 2], "{protocol} {mode} {flags}: {:?}", game.evidence);
        let lines = game.surplus_lines[seat];
        assert!(surplus.contains(&lines), "{protocol} {mode} {flags}: {lines}");
        assert_eq!(game.surplus_lines[1 - seat], 0, "{protocol} {mode} {flags}");
    }
}

#[test]
fn an_engine_that_answers_twice_loses_no_game() {
    for flags in SETTINGS {
        for mode in ["together", "apart"] {
            plays("uci", mode, flags, 4, 3..=4);
        }
    }
    for (protocol, mode) in [("ugi", "apart"), ("uci", "asleep"), ("uci", "next"), ("ugi", "next")] {
        plays(protocol, mode, "-j 1", 2, 3..=4);
    }
}

#[test]
fn a_reader_of_lines_that_answers_twice_loses_no_game() {
    for flags in SETTINGS {
        for mode in ["together", "apart", "asleep"] {
            plays("lines", mode, flags, 4, 3..=4);
        }
    }
    // The beginning of a line that is there when it is asked answers nothing, and neither does what follows on that line.
    for flags in SETTINGS {
        plays("lines", "newline", flags, 4, 1..=4);
    }
    // Its first line answers nothing, and comes before it is asked.
    plays("lines", "early", "-j 1", 2, 0..=1);
}

#[test]
fn what_was_asked_while_the_opponent_thinks_costs_an_engine_no_time() {
    let dir = letters(&[["uci", "slow"], ["uci", "once"]]);
    for game in games(&dir, "uci", "slow", "-j 1 --move-time 10s", 1) {
        assert_eq!((game.statuses, game.surplus_lines), ([Status::Ok; 2], [0, 0]));
        let seat = usize::from(game.bots[1].name.ends_with("slow"));
        // The fastest, since the machine may be busy.
        let fastest = game.played.iter().skip(seat).step_by(2).skip(1).map(|played| played.us).min();
        assert!(fastest < Some(40_000), "{fastest:?}");
    }
}

/// What the bot in the first seat of the first game has lost by.
#[track_caller]
fn fails(protocol: &str, mode: &str, status: Status, cause: Cause, says: &str) -> Dir {
    let dir = letters(&[[protocol, mode], [protocol, "once"]]);
    let games = games(&dir, protocol, mode, "-j 1 --move-time 1s", 1);
    let lost = |game: &&Record| game.bots[0].name.ends_with(mode) && game.statuses[0] != Status::Ok;
    let game = games.iter().find(lost).unwrap_or_else(|| panic!("{mode}: {games:?}"));
    let evidence = game.evidence[0].as_ref().expect("evidence");
    assert_eq!((game.statuses, evidence.cause), ([status, Status::Ok], Some(cause)), "{mode}: {evidence:?}");
    assert!(evidence.message.starts_with(says), "{mode}: {}", evidence.message);
    dir
}

#[test]
fn an_illegal_move_after_a_second_answer_is_told_as_that() {
    let illegal = "at ply 2: move \"a\" is not legal";
    let dir = fails(
        "lines",
        "wrong",
        Status::IllegalMove,
        Cause::AnsweredTwice,
        &format!("it wrote 2 lines for the move before; {illegal}"),
    );
    let checked = dir.process_ends(2, "check lines-wrong --game ./letters.toml --quick").stdout;
    assert!(
        checked.contains("it wrote 2 lines for the move before; at ply") && checked.contains("exactly one line"),
        "{checked}"
    );
    assert!(checked.contains("answered no request") && checked.contains("taken for the answer to that"), "{checked}");
    let explained = dir.process_ends(0, "explain illegal_move").stdout;
    assert!(explained.contains("answer every question with exactly one line"), "{explained}");
    let told = "it wrote 2 lines for this move, or one of them for an earlier one; at ply ";
    fails("lines", "thread", Status::IllegalMove, Cause::AnsweredTwice, told);
    let told = format!("it wrote the same line for the move before; {illegal}");
    fails("lines", "again", Status::IllegalMove, Cause::IllegalMove, &told);
    let told = "it wrote the same line 2 moves earlier; at ply 4: move \"a\" is not legal";
    fails("lines", "older", Status::IllegalMove, Cause::IllegalMove, told);
    fails("ugi", "older", Status::IllegalMove, Cause::IllegalMove, told);
    // A word tells when an engine is done, so it is its move that is wrong.
    let told = format!("it wrote 2 lines for the move before; {illegal}");
    fails("uci", "wrong", Status::IllegalMove, Cause::IllegalMove, &told);
}

#[test]
fn a_line_that_had_begun_before_its_turn_is_told() {
    let told = "no move within 1000 ms; its line `ac` began with `a`, which it wrote before it was asked";
    fails("lines", "glued", Status::Timeout, Cause::NoNewline, told);
}

#[test]
fn an_engine_that_does_not_answer_isready_before_a_move_is_told_that() {
    let told = "no answer to the isready before a move within 1050 ms";
    fails("uci", "mute", Status::Timeout, Cause::NotIdle, told);
}
