//! `verify` with the rules of a program, and what is done without them.

use std::fs::{File, FileTimes};
use std::time::{Duration, SystemTime};

use arena::record::GameResult;
use arena::rules::Seat;

use super::{PATIENT, add_rules, example, with_bots};
use crate::support::{Dir, not_tested};

#[test]
fn verify_finds_whatever_was_changed_in_a_game() {
    const GAME: &str = "./dots_and_boxes.toml:rows=1,cols=2";
    let dir = example("dots_and_boxes", &["a", "b"]);
    dir.process_ends(0, &format!("tournament --game {GAME} --rounds 4 {PATIENT} -j 1 --no-check --name t"));
    dir.process_ends(0, &format!("verify --game {GAME}"));
    // One thing in each of the first games.
    let mut edited = Vec::new();
    dir.edit_games("t", |index, game| {
        edited.push(game.id.clone());
        match index {
            0 => {
                game.result = match game.result {
                    GameResult::FirstWins => GameResult::SecondWins,
                    _ => GameResult::FirstWins,
                }
            }
            1 => game.reason = "same_boxes".to_owned(),
            2 => {
                let answers = game.answers.take().expect("answers");
                game.answers = Some(answers.chars().rev().collect());
            }
            // Nothing of it alternates.
            3 => game.movers = game.moves.iter().map(|_| Seat::Second).collect(),
            4 => game.moves.swap(3, 4),
            _ => {}
        }
    });
    let ended = dir.process_ends(1, &format!("verify --game {GAME}"));
    for (index, says) in [
        ", but its moves and statuses give ",
        ", but its moves and statuses give ",
        "its rules have said something else in this game: it was changed, or they do not always say the same",
        "it records the movers `",
        "",
    ]
    .into_iter()
    .enumerate()
    {
        let problem = format!("game {}: ", edited[index]);
        let line =
            ended.stdout.lines().find(|line| line.contains(&problem)).unwrap_or_else(|| panic!("{index}: {ended}"));
        assert!(line.contains(says), "{index}: {line}");
    }
    assert!(!edited[5..].iter().any(|id| ended.stdout.contains(&format!("game {id}: "))), "{ended}");
}

#[test]
fn rules_that_change_their_mind_or_fail_are_found() {
    let dir = with_bots(&["a", "b"]);
    let later = dir.path("later").to_string_lossy().into_owned();
    for mode in ["other_winner", "crash"] {
        add_rules(&dir, mode, &format!("{mode} if={later}"), "");
        let game = format!("--game ./{mode}.toml");
        dir.process_ends(0, &format!("tournament {game} --rounds 1 {PATIENT} -j 1 --no-check --name {mode}"));
        dir.file("later", "");
        let ended = dir.process_ends(1, &format!("verify {mode} {game}"));
        let says = match mode {
            "crash" => " failed at ply 2: the program exited with status 1",
            _ => ": its rules have said something else in this game: ",
        };
        assert_eq!(ended.stdout.matches(says).count(), 2, "{mode}: {ended}");
        std::fs::remove_file(dir.path("later")).expect("removed");
    }
}

/// When the program was read last, which is no later than it was started last.
fn read_last(dir: &Dir) -> SystemTime {
    dir.path("sticks.py").metadata().expect("a file").accessed().expect("a time")
}

#[test]
fn a_results_folder_starts_no_program_and_names_it() {
    let dir = example("sticks", &["a", "b"]);
    dir.process_ends(0, &format!("tournament --game ./sticks.toml --rounds 1 {PATIENT} -j 1 --no-check"));
    let game = dir.journal("sticks").games[0].id.clone();
    // The folder remembers the program; but a mark is the user's own.
    let remembered = dir.read("results/sticks/rules.json");
    let mark = remembered.split_once("\"mark\": \"").and_then(|(_, rest)| rest.get(..32)).expect("a mark");
    let forged = remembered.replace(mark, &"0".repeat(32));
    dir.file("results/sticks/rules.json", &forged);
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    let file = File::options().write(true).open(dir.path("sticks.py")).expect("a file");
    file.set_times(FileTimes::new().set_accessed(long_ago)).expect("times");
    let replay = format!("replay {game}");
    for (code, command) in [(0, "standings"), (0, "standings --json"), (0, replay.as_str()), (0, "export --moves")] {
        dir.process_ends(code, command);
        assert_eq!(read_last(&dir), long_ago, "{command}");
    }
    let name = dir.journal("sticks").games[0].game.clone();
    let without = dir.process_ends(1, "verify");
    let says = format!("its game is the program {name} (./sticks.toml); name it with --game to judge it");
    assert!(without.stdout.contains(&says) && !without.stdout.contains("follow the rules"), "{without}");
    assert_eq!(read_last(&dir), long_ago, "verify");
    // As is one that was written elsewhere, of other files, or of other rules.
    for (what, other) in [("path", "sticks"), ("files", "files"), ("rules", "rules")] {
        dir.file(
            "results/sticks/rules.json",
            remembered.replace(&format!("\"{what}\": \""), &format!("\"{what}\": \"x{other}")),
        );
        let ended = dir.process_ends(0, &replay);
        assert!(
            ended.stderr.contains("and you have not written rules.json here, which names a program"),
            "{what}: {ended}"
        );
        assert_eq!(read_last(&dir), long_ago, "{what}");
    }
    dir.file("results/sticks/rules.json", &forged);
    // What a person names is started.
    dir.process_ends(0, "verify --game ./sticks.toml");
    if read_last(&dir) == long_ago {
        not_tested("that a results folder starts no program", "this file system does not note when files are read");
    }

    dir.file("sticks.py", dir.read("sticks.py").replace("21", "20"));
    let other = dir.process_ends(1, "verify --game ./sticks.toml");
    let says = format!("played under {name}; these rules are sticks@");
    assert!(other.stdout.contains(&says) && !other.stdout.contains("follow the rules"), "{other}");
    // Another game altogether.
    let dots = example("dots_and_boxes", &[]);
    let foreign = dir.process_ends(1, &format!("verify --game {}", dots.path("dots_and_boxes.toml").display()));
    assert!(foreign.stdout.contains(&name), "{foreign}");
}
