//! The first mistakes of an author: what is said about them, how soon, and which of them cost nothing.

use std::path::PathBuf;

use crate::support::{Contents, Dir, Ended};

/// Bots that are wrong in one thing, as they were handed in.
const EDGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/edges");

/// The quick check of a bot.
fn checked(dir: &Dir, code: i32, bot: &str) -> Ended {
    dir.process_ends(code, &format!("check {bot} --quick --game connect4 --move-time 30s"))
}

/// Every bot, with what is said about it. The time limit for a hello is 10 s, and not one of them waits for it.
#[test]
fn each_bot_that_was_handed_in_is_told_its_mistake() {
    let comma =
        "its answer to hello was not understood: trailing comma at byte 30: {\"type\":\"hello\",\"protocol\":1,}";
    let latin1 = "its answer to hello was not understood: invalid UTF-8 at byte 42: {\"type\":\"hello\"";
    let expected = [
        ("cut_emoji.js", 0, "comment changed: \\ud83d is half of a character"),
        ("eval_1e999.py", 0, "eval dropped: 1e999 is out of the range of numbers; so in 6 messages"),
        ("eval_centipawns.py", 0, "eval 35 dropped: it must be between -1 and 1; so in 6 messages"),
        ("hello_comma.py", 2, comma),
        ("hello_latin1.py", 2, latin1),
    ];
    std::thread::scope(|scope| {
        for (name, code, says) in expected {
            scope.spawn(move || {
                let bot: PathBuf = [EDGES, name].iter().collect();
                let card = checked(&Dir::new(), code, &bot.to_string_lossy());
                assert!(card.stdout.contains(says) && !card.stdout.contains("10000 ms"), "{card}");
                assert_eq!(card.stdout.contains("ok    plays connect4"), code == 0, "{card}");
            });
        }
    });
}

/// A shell script that plays the sample moves of connect four. `new_game` is what it answers to that, given the line.
fn player(new_game: &str) -> String {
    format!(
        r#"id() {{ echo "$line" | sed 's/.*"id":\([0-9]*\).*/\1/'; }}
sample() {{ echo "$line" | sed 's/.*"sample_move":\([0-9]*\).*/\1/'; }}
ready() {{ echo "{{\"type\":\"ready\",\"id\":$(id)}}"; }}
decline() {{ echo "{{\"type\":\"decline\",\"id\":$(id),\"reason\":\"$1\"}}"; }}
while read -r line; do case "$line" in
*'"hello"'*) echo '{{"type":"hello","protocol":1}}';;
*'"new_game"'*) {new_game};;
*'"move_request"'*) echo "{{\"type\":\"move\",\"id\":$(id),\"move\":$(sample)}}";;
*'"quit"'*) exit;;
esac; done"#
    )
}

/// Plays boards of seven columns only.
fn narrow() -> String {
    player(r#"case "$line" in *'"cols":7'*) ready;; *) decline 'only \u001b[7m columns';; esac"#)
}

#[test]
fn an_answer_to_new_game_that_is_nearly_valid_is_reported_at_once() {
    let dir = Dir::new();
    dir.script("bots/comma", &player(r#"echo "{\"type\":\"ready\",\"id\":$(id),}""#));
    let card = checked(&dir, 2, "comma").stdout;
    assert!(card.contains("its answer to new_game was not understood: trailing comma at byte 39: {"), "{card}");
    dir.file("bots/mute.toml", "command = [\"sleep\", \"1000\"]\nstartup_ms = 100");
    let card = checked(&dir, 2, "mute").stdout;
    assert!(card.contains("it wrote nothing to stdout") && card.contains("needs an adapter"), "{card}");
}

#[test]
fn a_bot_declines_a_game_in_the_check() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.script("bots/narrow", &narrow());
    // The second game is asked of a process that has played the first one, so it is asked of a new one too.
    let card = dir.process_ends(0, "check narrow --quick --game connect4 --game connect4:cols=9").stdout;
    assert!(card.contains("ok    plays connect4"), "{card}");
    let says = "does not play connect4:cols=9: only \\u{1b}[7m columns";
    assert!(card.contains(&format!("it declines: {says}")) && !card.contains("FAIL"), "{card}");

    let wide = "tournament --game connect4:cols=9 --seed 1 --rounds 1 --move-time 30s -j 1";
    let ended = dir.process_ends(0, wide);
    assert!(ended.stderr.contains(&format!("left out: narrow: {says}\n")), "{ended}");
    assert!(!ended.stderr.contains("more: arena check"), "nothing is wrong with it: {ended}");
    assert!(ended.stdout.contains(&format!("narrow is left out: {says}")), "{ended}");
    let json = dir.read("results/connect4-cols=9/tournament.json");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["left_out"][0]["declined"], true, "{json}");
    assert_eq!(json["bots"].as_array().map(Vec::len), Some(2), "{json}");

    let ended = dir.process_ends(1, "match narrow random --game connect4:cols=9 --rounds 1 --move-time 30s -j 1");
    assert!(ended.stderr.contains(&format!("left out: narrow: {says}\n")), "{ended}");
    assert!(ended.stderr.contains("there is only `random` (for other games: narrow)"), "{ended}");

    let ended = dir.process_ends(0, &format!("{wide} --name planned --plan"));
    assert!(ended.stderr.contains("left out: narrow: ") && ended.stderr.contains("2 bots"), "{ended}");
    dir.process_ends(0, &format!("{wide} --name planned --shard 0/1"));
    dir.arena_ends(0, "merge planned");
}

#[test]
fn a_bot_that_declines_outside_of_a_check_has_failed_to_start() {
    let dir = Dir::with_bots(&["random"]);
    dir.script("bots/narrow", &narrow());
    let wide =
        "match narrow random --game connect4:cols=9 --seed 1 --rounds 1 --move-time 30s -j 1 --no-check --name wide";
    dir.process_ends(0, wide);
    let contents = Contents::read(&dir.path("results/wide"));
    let messages: Vec<&str> =
        contents.games.iter().flat_map(|game| game.evidence.iter().flatten()).map(|it| it.message.as_str()).collect();
    let says = "it does not play connect4:cols=9: only \\u{1b}[7m columns; a bot may decline only in a check";
    assert!(messages.len() == 2 && messages.iter().all(|message| message.starts_with(says)), "{messages:?}");
    // No later game of a process may be declined either.
    dir.script("bots/fickle", &player(r"n=$((n + 1)); if [ $n = 1 ]; then ready; else decline 'no more'; fi"));
    let card = checked(&dir, 2, "fickle").stdout;
    assert!(
        card.contains("FAIL  plays connect4    startup_failed in seat 1: it does not play connect4: no more; a"),
        "{card}"
    );
}
