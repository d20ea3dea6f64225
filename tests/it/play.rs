//! `arena play` without a screen: moves by a pipe.

#[cfg(feature = "tui")]
mod screen;
#[cfg(feature = "tui")]
mod terminal;

use std::io::Write as _;
use std::process::Stdio;

use serde_json::Value;

use crate::support::{ASKED, Dir, LIMIT, in_repository, until};

/// What `arena play ARGS` prints for these lines of input, with its exit code; it says nothing on stderr.
#[track_caller]
fn plays(dir: &Dir, args: &str, input: &str) -> (i32, String) {
    let (code, stdout, stderr) = plays_with_errors(dir, &format!("play {args}"), input);
    assert_eq!(stderr, "", "arena play {args}");
    (code, stdout)
}

/// What `arena COMMAND` prints on stdout and stderr for these lines of input, with its exit code.
#[track_caller]
fn plays_with_errors(dir: &Dir, command: &str, input: &str) -> (i32, String, String) {
    let mut command = dir.command(command);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the arena starts");
    // It may leave before it has read everything.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("a child");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    until(LIMIT, "every bot has left", || dir.processes().is_empty());
    (output.status.code().expect("an exit code"), text(output.stdout), text(output.stderr))
}

/// The games that were saved.
fn saved(dir: &Dir) -> Vec<Value> {
    let lines = dir.read("results/play/games.jsonl");
    lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn two_people_play_tictactoe_to_its_end() {
    let dir = Dir::new();
    let (code, text) = plays(&dir, "human human --game tictactoe --seed 1", "0,0\n11\n0 1\n[2,2]\n0 2\n");
    assert_eq!(code, 0);
    insta::assert_snapshot!(text);
    let games = saved(&dir);
    assert_eq!(games[0]["result"], "1-0");
    assert_eq!(games[0]["bots"][1]["fingerprint"], "human");
    let id = games[0]["id"].as_str().expect("an id");
    assert!(dir.arena_ends(0, &format!("replay {id} --all")).stdout.contains("human (X) wins: three in a row"));
}

#[test]
fn a_person_plays_a_bot_with_mistakes_undo_and_a_hint() {
    let dir = Dir::new();
    let input = "9\nhello\n1,2\nhelp\n3\nundo\n3\nhint\n2\nundo\nredo\nresign\n";
    let (code, text) = plays(&dir, "minimax --seed 1 --hints greedy", input);
    assert_eq!(code, 0);
    insta::assert_snapshot!(text);
    let game = &saved(&dir)[0];
    assert_eq!((&game["reason"], &game["taken_back"]), (&"resigned".into(), &1.into()));
    assert_eq!(game["moves"].as_array().map(Vec::len), Some(4));
    assert_eq!(game["opening"], serde_json::json!([]));
}

/// Rules whose first moves are called as words of `play`; the second move ends the game.
const SWAPS: &str = r#"
import json, sys
moves = []
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello": r = {"type": "hello", "protocol": 1, "game": "swaps", "version": 1, "shows": True, "opening_plies": 0}
    elif m["type"] == "show": r = {"type": "shown", "id": m["id"], "text": "moves: %s" % moves, "view": {}, "labels": labels}
    elif m["type"] in ("start", "apply"):
        moves = [] if m["type"] == "start" else moves + [m["move"]]
        legal, labels = (["swap", "h", "one two"], ["h", "swap", "hint"]) if len(moves) < 2 else ([], [])
        r = {"type": "position", "id": m["id"], "to_move": len(moves) % 2, "legal_moves": legal, "view": {}}
        if not legal: r = {"type": "over", "id": m["id"], "winner": None, "reason": "two_moves"}
    else: continue
    print(json.dumps(r), flush=True)
"#;

#[test]
fn a_move_of_the_game_comes_before_labels_and_words() {
    let dir = Dir::new();
    dir.file("swaps.py", SWAPS);
    dir.file("swaps.toml", "command = [\"python3\", \"swaps.py\"]\n");
    for (typed, moves) in [("swap\nh\n", "['swap', 'h']"), ("one two\nhint\n", "['one two', 'one two']")] {
        let (code, text) = plays(&dir, "human human --game ./swaps.toml", typed);
        assert!(code == 0 && text.contains(&format!("moves: {moves}")), "{text}");
    }
}

#[test]
fn the_page_shows_what_is_printed() {
    let path = in_repository("docs/play.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    let (before, rest) = page.split_once("```console\n").expect("a block");
    let (block, after) = rest.split_once("\n```\n").expect("its end");
    let (command, shown) = block.split_once('\n').expect("a command");
    let (_, rest) = command.split_once("printf '").expect("input");
    let (input, args) = rest.split_once("' | arena play ").expect("arguments");
    let (_, printed) = plays(&Dir::new(), args, &input.replace("\\n", "\n"));
    let printed = printed.trim_end();
    if std::env::var_os("ARENA_BLESS").is_some() {
        let page = format!("{before}```console\n{command}\n{printed}\n```\n{after}");
        return std::fs::write(path, page).expect("the page");
    }
    let without_id =
        |text: &str| text.lines().filter(|line| !line.contains("arena replay")).collect::<Vec<_>>().join("\n");
    assert_eq!(without_id(shown), without_id(printed), "ARENA_BLESS=1 writes docs/play.md anew");
}

#[test]
fn the_end_of_the_input_stops_the_game() {
    let dir = Dir::new();
    let (code, text) = plays(&dir, "random --seed 1 --seat second", "");
    assert!(code == 0 && text.contains("the input has ended, and so has the game"), "{text}");
    assert!(text.starts_with("connect4: random (X) against you (O)"), "{text}");
    assert_eq!((&saved(&dir)[0]["result"], &saved(&dir)[0]["reason"]), (&"void".into(), &"stopped".into()));
    let has_text = |name: &str| saved(&dir)[0][name].as_str().is_some_and(|text| !text.is_empty());
    assert!(has_text("started") && has_text("host"), "{:?}", saved(&dir));
    let (code, text) = plays(&dir, "random --seed 1", "");
    assert!(code == 0 && !text.contains("arena replay"), "no move was made: {text}");
    assert_eq!(saved(&dir).len(), 1);
}

#[test]
fn an_opponent_is_chosen_from_a_list() {
    let dir = Dir::with_bots(&["greedy"]);
    let (code, text, stderr) = plays_with_errors(&dir, "play --game marbles --seed 1", "no-such-bot\n99\ngreedy\n3\n");
    assert!(code == 0 && text.contains("  1  greedy"), "{text}");
    assert!(
        text.contains("marbles: you (first) against greedy (second)") && text.contains("greedy (second) plays"),
        "{text}"
    );
    assert_eq!(
        stderr,
        "error: `no-such-bot` is not in the list; type a number, a name, or quit\n\
         error: `99` is not in the list; type a number, a name, or quit\n"
    );
    assert_eq!(plays(&dir, "", "quit\n").0, 0);
}

#[test]
fn bots_are_watched_step_by_step() {
    let dir = Dir::new();
    let (code, text) = plays(&dir, "minimax greedy --game tictactoe --step --seed 1", "\nstep\nundo\n\n");
    assert_eq!(code, 0);
    insta::assert_snapshot!(text);
}

#[test]
fn mastermind_is_played_as_guesser_and_nothing_is_taken_back() {
    let dir = Dir::new();
    let (code, text) = plays(&dir, "codebreaker --game mastermind --seed 1", "0011\nundo\nhint\n2 3 4 5\n");
    assert_eq!(code, 0);
    assert!(text.contains("mastermind has hidden information: what a move has shown cannot be taken back"), "{text}");
    assert!(text.contains("codebreaker (second) has moved") && text.contains("hint by codebreaker: "), "{text}");
    assert!(!text.contains("codebreaker (second) plays"), "{text}");
}

#[test]
fn a_bot_that_fails_ends_the_game_and_says_why() {
    let dir = Dir::new();
    dir.script("bots/quits", &format!("{ASKED}\necho oops >&2\nexit 3"));
    let (code, text) = plays(&dir, "quits --stderr", "3\n3\n");
    assert_eq!(code, 2);
    assert!(text.contains("quits stderr: oops") && text.contains("you") && text.contains("crashed"), "{text}");
    dir.script("bots/hangs", &format!("{ASKED}\nexec sleep 1000"));
    let (code, text) = plays(&dir, "hangs --move-time 100ms", "3\n");
    assert!(code == 2 && text.contains("timeout"), "{text}");
}

#[test]
fn a_person_has_a_clock_only_if_one_is_given() {
    let dir = Dir::new();
    let mut command = dir.command("play random --my-time 50ms");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the arena starts");
    let input = child.stdin.take().expect("a pipe");
    let output = child.wait_with_output().expect("a child");
    drop(input);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stdout).contains("human (X): timeout"));
    dir.arena_ends(0, "verify");
}

/// A bot that moves as `random`, in games of programs too, and calls itself so.
fn as_random(dir: &Dir, names: &[&str]) {
    for name in names {
        dir.script_bot(name, "random");
    }
}

#[test]
fn hints_in_a_game_of_a_program_come_from_the_best_bot_there_is() {
    let dir = Dir::with_bots(&["random"]);
    dir.arena_ends(0, "new-game hill");
    dir.builtin("greedy", "greedy");
    let hint = |says: &str| {
        let (code, text) = plays(&dir, "human human --game ./hill.toml", "hint\n1\nresign\n");
        assert!(code == 0 && text.contains(&format!("hint by {says}: ")), "{says}: {text}");
    };
    // Of the bots only one plays it, but at random.
    hint("random");
    as_random(&dir, &["ann", "ben"]);
    hint("ann");
    let won = r#"{"game":"hill@0123abcd","updated":"2026-11-29T10:00:00.000Z","summary":{"standings":[{"name":"gone"},{"name":"ben"},{"name":"ann"}]}}"#;
    for (name, json) in [("hill", won), ("later", &won.replace("hill@", "other@").replace("T10", "T11"))] {
        dir.file(&format!("results/{name}/games.jsonl"), "");
        dir.file(&format!("results/{name}/tournament.json"), json);
    }
    dir.file("results/broken/games.jsonl", "");
    dir.file("results/broken/tournament.json", "{");
    hint("ben");
}

#[test]
fn a_person_is_no_bot_and_these_games_are_no_tournament() {
    let dir = Dir::with_bots(&["random"]);
    dir.script("bots/Human", "exit");
    let refused = dir.arena("bots").stdout;
    assert!(refused.contains("`Human` is what `arena play` calls a person"), "{refused}");
    let refused = dir.arena_ends(1, "bots --bot human=bots/random.toml").stderr;
    assert!(refused.contains("`human` is what `arena play` calls a person"), "{refused}");
    let refused = dir.arena_ends(1, "tournament --name play").stderr;
    assert!(refused.contains("not a valid tournament name"), "{refused}");
    plays(&dir, "random --seed 1", "3\nresign\n");
    plays(&dir, "random --seed 1", "3\nresign\n");
    let ids: Vec<Value> = saved(&dir).into_iter().map(|mut game| game["id"].take()).collect();
    assert!(ids.len() == 2 && ids[0] != ids[1], "{ids:?}");
    let refused = dir.arena_ends(1, "standings play").stderr;
    assert!(refused.contains("never rated"), "{refused}");
    dir.arena_ends(0, "verify");
    // They do not affect tournaments.
    dir.builtin("other", "greedy");
    dir.file("bots/Human", "");
    dir.arena_ends(0, "match random other --rounds 1 --game tictactoe -q");
    dir.arena_ends(0, "standings");
}

#[test]
fn the_command_that_shows_a_game_finds_its_folder_and_is_printed_once() {
    let dir = Dir::new();
    let (_, text) = plays(&dir, "random --seed 1 --results elsewhere", "3\nresign\nquit\n");
    let commands: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("`arena ")?.split_once('`')).map(|it| it.0).collect();
    assert!(matches!(commands[..], [command] if command.ends_with(" --name elsewhere/play")), "{text}");
    assert!(dir.arena_ends(0, commands[0]).stdout.contains("resigned"));
}

#[test]
fn a_stored_game_is_continued() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.arena_ends(0, "match random greedy --rounds 1 --game connect4 --opening-plies 0 -q");
    let game = &dir.journal("connect4-random-vs-greedy").games[0];
    let continued = |from: usize, input: &str| {
        let (code, stdout, stderr) =
            plays_with_errors(&dir, &format!("replay {} --from {from} --play --plain", game.id), input);
        (code, stdout + &stderr)
    };
    let (code, text) = continued(3, "undo\nresign\n");
    assert!(code == 0 && text.contains("nothing to take back"), "{text}");
    assert!(text.contains(&format!("{} (X) against you (O)", game.bots[0].name)), "{text}");
    let on = &saved(&dir)[0];
    assert_eq!((on["opening"].as_array().map(Vec::len), &on["reason"]), (Some(3), &"resigned".into()));
    assert_eq!(on["seed"], serde_json::to_value(game).expect("JSON")["seed"]);
    let (code, text) = continued(game.moves.len(), "");
    assert!(code == 1 && text.contains("the game is over after"), "{text}");
}

#[test]
fn a_game_that_cannot_be_played_is_refused() {
    let dir = Dir::new();
    let refused = |args: &str| dir.arena_ends(1, &format!("play {args}")).stderr;
    assert_eq!(refused("codebreaker"), "error: codebreaker does not play connect4\n");
    assert!(refused("minimx").contains("did you mean `minimax`?"));
    assert!(refused("random --hints human").contains("--hints names a bot"));
    assert!(refused("random --patient --time 1s").contains("cannot be used with"));
    assert!(refused("random --my-time 0s").contains("--my-time must be at least 1ms"));
    assert!(refused("random greedy --my-time 1m").contains("--my-time is the time of a person"));
}
