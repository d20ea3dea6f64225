//! What `arena standings --feedback` writes for the authors of bots.

use std::fs;

use crate::support::Dir;

const PLAY: &str = "tournament --game tictactoe --name cup -j 1 -q --sandbox off --no-check --seed 1";

fn files(dir: &Dir, folder: &str) -> Vec<String> {
    let names = fs::read_dir(dir.path(folder)).expect("it was made");
    let mut names: Vec<String> =
        names.map(|entry| entry.expect("it is readable").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The chapter on the change of a bot, in one line.
fn since(dir: &Dir, bot: &str) -> String {
    let text = dir.read(&format!("authors/{bot}.txt"));
    let (_, after) = text.split_once("Since the last feedback\n").expect("a chapter");
    let (chapter, _) = after.split_once("\n\n\n").expect("the next one");
    chapter.split_whitespace().skip(1).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_night_ends_where_its_feedback_is_written() {
    let dir = Dir::with_bots(&["random", "greedy", "minimax"]);
    dir.arena_ends(0, &format!("{PLAY} --rounds 5"));
    dir.arena_ends(0, "standings cup --feedback authors");
    assert_eq!(
        files(&dir, "authors"),
        ["greedy.html", "greedy.txt", "minimax.html", "minimax.txt", "random.html", "random.txt"]
    );
    assert_eq!(since(&dir, "greedy"), "This is the first feedback, so there is nothing to compare with.");
    // A night in two parts, of which the first one ends before the feedback.
    let first = dir.read("results/cup/feedback.json");
    dir.arena_ends(0, &format!("{PLAY} --rounds 6"));
    dir.builtin("late", "mcts");
    dir.arena_ends(0, &format!("{PLAY} --rounds 8"));
    dir.arena_ends(0, "standings cup --feedback authors");
    let told = since(&dir, "greedy");
    assert!(told.starts_with("28 of 48 games are new since the last feedback, which had games until "), "{told}");
    assert!(told.contains("It plays in the same version: ") && told.contains("(new: late)"), "{told}");
    assert!(since(&dir, "late").contains("It did not take part then."), "{}", since(&dir, "late"));
    // Written again, it says the same.
    let (second, texts) = (dir.read("results/cup/feedback.json"), dir.read("authors/greedy.txt"));
    assert_ne!(first, second);
    dir.arena_ends(0, "standings cup --feedback authors");
    assert_eq!((dir.read("results/cup/feedback.json"), dir.read("authors/greedy.txt")), (second, texts));
    // What was killed before it was remembered is told again.
    dir.file("results/cup/feedback.json", &first);
    dir.arena_ends(0, "standings cup --feedback authors");
    assert_eq!(since(&dir, "greedy"), told);
    // A bot that is replaced is compared with what it was.
    dir.builtin("greedy", "minimax");
    dir.arena_ends(0, &format!("{PLAY} --rounds 8"));
    dir.arena_ends(0, "standings cup --feedback authors");
    let told = since(&dir, "greedy");
    assert!(told.contains("It plays in a new version: ") && told.contains("(new version: greedy)"), "{told}");
    // The anchor does not move.
    dir.arena_ends(0, "standings cup --feedback authors --anchor minimax");
    assert!(since(&dir, "minimax").contains("Its rating is fixed."), "{}", since(&dir, "minimax"));
    assert!(since(&dir, "random").contains("relative to minimax, so that moves nobody's"), "{}", since(&dir, "random"));
}

#[test]
fn another_journal_is_not_compared_with_and_a_damaged_record_is_named() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.arena_ends(0, &format!("{PLAY} --rounds 2"));
    dir.arena_ends(0, "standings cup --feedback authors");
    dir.arena_ends(0, &format!("{} --rounds 2 --fresh", PLAY.replace("--seed 1", "--seed 2")));
    let ended = dir.arena_ends(0, "standings cup --feedback authors");
    assert!(ended.stderr.contains("the journal lacks the last game of the feedback before"), "{}", ended.stderr);
    assert!(since(&dir, "greedy").starts_with("This is the first feedback"), "{}", since(&dir, "greedy"));
    for damaged in ["{", r#"{"last":{"id":"x","offset":18446744073709551615,"bytes":4294967295}}"#] {
        dir.file("results/cup/feedback.json", damaged);
        let ended = dir.arena("standings cup --feedback authors");
        let said = if damaged == "{" { "feedback.json: remove it" } else { "the journal lacks" };
        assert!(ended.stderr.contains(said), "{damaged}: {}", ended.stderr);
        assert_eq!(ended.status, Some(i32::from(damaged == "{")), "{damaged}");
    }
}

#[test]
fn only_its_own_files_are_overwritten_and_removed() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.arena_ends(0, &format!("{PLAY} --rounds 2"));
    dir.file("authors/greedy.html", "mine");
    let ended = dir.arena_ends(1, "standings cup --feedback authors");
    assert!(ended.stderr.contains("authors/greedy.html exists already"), "{}", ended.stderr);
    assert_eq!(
        (files(&dir, "authors"), dir.read("authors/greedy.html")),
        (vec!["greedy.html".to_owned()], "mine".to_owned())
    );
    dir.arena_ends(0, "standings cup --feedback authors --force");
    // Of another author, or of nobody.
    dir.file("authors/greedy.1.input", "mine");
    dir.file("authors/gone.txt", "mine");
    dir.arena_ends(0, "standings cup --feedback authors");
    assert_eq!(
        (dir.read("authors/greedy.1.input"), dir.read("authors/gone.txt")),
        ("mine".to_owned(), "mine".to_owned())
    );
    for (args, why) in [
        ("standings cup --feedback bots", "is in the folder of the bots"),
        ("standings games.csv --feedback authors", "is for a tournament"),
        ("standings cup --checks authors", "--feedback"),
    ] {
        dir.file("games.csv", "white,black,result\na,b,1-0\n");
        let ended = dir.arena(args);
        assert!(ended.status != Some(0) && ended.stderr.contains(why), "{args}: {}", ended.stderr);
    }
}

#[test]
fn a_fault_has_its_input_until_it_is_no_longer_the_last() {
    let dir = Dir::with_bots(&["greedy"]);
    let fails = r#"import json, sys
for line in sys.stdin:
    told = json.loads(line)
    if told["type"] == "hello":
        print(json.dumps({"type": "hello", "name": "eve", "protocol": 1}), flush=True)
    elif told["type"] == "new_game":
        print(json.dumps({"type": "ready", "id": told["id"]}), flush=True)
    elif told["type"] == "move_request":
        raise ValueError("in " + __file__)
"#;
    dir.file("bots/eve/main.py", fails);
    dir.file("bots/eve/bot.toml", "command = [\"python3\", \"main.py\"]\n");
    dir.arena_ends(0, &format!("{PLAY} --rounds 1"));
    dir.file("checks/eve.txt", format!("eve  {}/bots/eve\nok  all well", dir.path("").display()));
    dir.arena_ends(0, "standings cup --feedback authors --checks checks");
    let text = dir.read("authors/eve.txt");
    let place = dir.path("").canonicalize().expect("it is there");
    assert!(text.contains("./bot < eve.1.input") && text.contains("ValueError: in "), "{text}");
    assert!(text.contains("ok  all well") && !text.contains(&*place.to_string_lossy()), "{text}");
    let input = dir.read("authors/eve.1.input");
    assert!(
        input.starts_with("{\"type\":\"hello\"")
            && input.lines().last().is_some_and(|line| line.contains("move_request")),
        "{input}"
    );
    assert!(!dir.read("authors/greedy.txt").contains("ValueError"));
    dir.file("bots/eve/main.py", fails.replace("raise ValueError(\"in \" + __file__)", "print(json.dumps({\"type\": \"move\", \"id\": told[\"id\"], \"move\": told[\"legal_moves\"][0]}), flush=True)"));
    dir.arena_ends(0, &format!("{PLAY} --rounds 1"));
    dir.arena_ends(0, "standings cup --feedback authors");
    assert!(!files(&dir, "authors").contains(&"eve.1.input".to_owned()), "{:?}", files(&dir, "authors"));
}
