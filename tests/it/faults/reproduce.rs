//! What a bot was sent in a game: rebuilt from the journal it is what the bot read, and it makes the bot fail again.

use std::collections::BTreeSet;
use std::process::Command;

use arena::record::{Record, Status};
use serde_json::Value;

use crate::support::Dir;

/// Notes every line that it reads, and exits at its third request.
const CRASHES: &str = r#"
    asked=0
    while read -r line; do
        printf '%s\n' "$line" >> SEEN
        id=${line#*\"id\":}
        id=${id%%,*}
        sample=${line#*\"sample_move\":}
        case $line in
        '{"type":"hello"'*) echo '{"type":"hello","protocol":1}' ;;
        '{"type":"new_game"'*) echo "{\"type\":\"ready\",\"id\":$id}" ;;
        '{"type":"move_request"'*)
            asked=$((asked + 1))
            if [ $asked = 3 ]; then echo "not again" >&2; exit 3; fi
            echo "{\"type\":\"move\",\"id\":$id,\"move\":${sample%,\"clock*},\"eval\":0.5,\"comment\":\"a\"}" ;;
        esac
    done"#;

fn tournament(game: &str, args: &str) -> (Dir, Vec<Record>) {
    let dir = Dir::with_bots(&["random"]);
    let seen = dir.path("seen").to_string_lossy().into_owned();
    dir.script("bots/crashes", &CRASHES.replace("SEEN", &seen));
    dir.process(&format!(
        "tournament --game {game} --name t --rounds 2 --seed 7 {args} --time 10s+100ms --no-check -q -j 1 \
         --sandbox off"
    ));
    let games = dir.journal("t").games;
    (dir, games)
}

fn seat_of(game: &Record) -> usize {
    game.bots.iter().position(|bot| bot.name == "crashes").expect("a seat")
}

/// Lines as JSON, without what is drawn for each process.
fn masked(lines: &str) -> Vec<Value> {
    let masked = |line: &str| {
        let mut value: Value = serde_json::from_str(line).expect("JSON");
        for drawn in ["id", "game_id"] {
            if value.get(drawn).is_some() {
                value[drawn] = Value::Null;
            }
        }
        value
    };
    lines.lines().map(masked).filter(|value| !value["type"].as_str().expect("a type").starts_with("x_")).collect()
}

#[test]
fn the_file_of_a_fault_is_what_the_bot_read_and_reproduces_it() {
    // No line is as long as the few moves before the crash.
    let (dir, games) = tournament("connect4:connect=7", "--opening-plies 2");
    let seen = std::fs::read_to_string(dir.path("seen")).expect("what it read");
    // Every fault has a process of its own.
    let seen: Vec<Vec<Value>> = seen
        .split("{\"type\":\"hello\"")
        .skip(1)
        .map(|lines| masked(&format!("{{\"type\":\"hello\"{lines}")))
        .collect();
    let mut log = std::fs::read_to_string(dir.path("results/t/bots/crashes.log")).expect("a log");
    assert_eq!((games.len(), seen.len()), (4, 4));
    for (game, seen) in games.iter().zip(seen) {
        let seat = seat_of(game);
        assert_eq!(game.statuses[seat], Status::Crashed, "{game:?}");
        let name = format!("results/t/bots/crashes.faults/{}.jsonl", game.id);
        let file = std::fs::read_to_string(dir.path(&name)).expect("the file of the fault");
        assert_eq!(masked(&file), seen, "{name}");
        let replies: Vec<&str> = file.lines().filter(|line| line.starts_with("{\"type\":\"x_reply\"")).collect();
        assert_eq!(replies.len(), 2, "{file}");
        let fault: Value = serde_json::from_str(file.lines().last().expect("a line")).expect("JSON");
        assert_eq!([&fault["type"], &fault["status"], &fault["game"]], ["x_fault", "crashed", &game.id]);

        let (_, rest) = log.split_once("referee: to reproduce: ").expect("a command");
        let command = rest.lines().next().expect("a line").to_owned();
        log = rest.to_owned();
        assert_eq!(command, format!("(cd bots && ./crashes) < {name}"));
        let again = Command::new("sh").args(["-c", &command]).current_dir(dir.path("")).output().expect("sh");
        assert_eq!((again.status.code(), again.stderr.as_slice()), (Some(3), b"not again\n".as_slice()), "{again:?}");

        let asked = dir.process(&format!("replay {} --request {}", game.id, game.moves.len())).stdout;
        assert_eq!(masked(&asked).last(), seen.last());
        let word = ["first", "second"][seat];
        let wire = dir.process(&format!("replay {} --wire {word}", game.id)).stdout;
        let without_end =
            |text: &str| text.lines().take_while(|line| !line.contains("x_fault")).map(str::to_owned).collect();
        let [wire, file]: [Vec<String>; 2] = [without_end(&wire), without_end(&file)];
        assert_eq!(wire, file);
    }
}

#[test]
fn what_a_bot_without_a_fault_was_sent_ends_with_the_game() {
    let (dir, games) = tournament("mastermind", "");
    let game = &games[0];
    let wire = dir.process(&format!("replay {} --wire {}", game.id, ["second", "first"][seat_of(game)])).stdout;
    let kinds: BTreeSet<String> = wire
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["type"].as_str().expect("a type").to_owned())
        .collect();
    assert_eq!(kinds, ["hello", "new_game", "move_request", "x_reply", "game_over"].map(str::to_owned).into());
    assert!(
        wire.lines().last().is_some_and(|line| line.contains("\"outcome\":\"win\"") && line.contains("reveal")),
        "{wire}"
    );
    let refused = dir.process_ends(1, &format!("replay {} --request 99", game.id)).stderr;
    assert!(refused.contains(&format!("no request at ply 99 in game {}; it has plies 0 to ", game.id)), "{refused}");
    let json = dir.process(&format!("replay {} --json", game.id)).stdout;
    let record: Record = serde_json::from_str(&json).expect("a record");
    assert_eq!((&record.id, &record.moves), (&game.id, &game.moves));
}

#[test]
fn the_files_of_faults_are_limited_in_number() {
    let dir = Dir::with_bots(&["random"]);
    dir.script("bots/crashes", "read -r line; echo '{\"type\":\"hello\",\"protocol\":1}'; read -r line; exit 3");
    dir.process("tournament --game tictactoe --name t --rounds 52 --no-check -q -j 2 --sandbox off --strikes starts=off,games=off");
    let files = std::fs::read_dir(dir.path("results/t/bots/crashes.faults")).expect("a folder").count();
    assert_eq!((dir.journal("t").games.len(), files), (104, 100));
    let log = std::fs::read_to_string(dir.path("results/t/bots/crashes.log")).expect("a log");
    let says = "crashes.faults has 100 files; further faults are not written there";
    assert_eq!((log.matches(says).count(), log.matches("to reproduce: ").count()), (1, 100));
    // The next run has room again.
    dir.process("tournament --game tictactoe --name t --rounds 53 --no-check -q -j 2 --sandbox off --strikes starts=off,games=off");
    let files = std::fs::read_dir(dir.path("results/t/bots/crashes.faults")).expect("a folder").count();
    assert_eq!((dir.journal("t").games.len(), files), (106, 2));
}

#[test]
fn of_a_long_game_the_last_requests_are_kept() {
    const TAKES_ONE: &str = r#"
        while read -r line; do
            id=${line#*\"id\":}
            id=${id%%,*}
            case $line in
            '{"type":"hello"'*) echo '{"type":"hello","protocol":1}' ;;
            '{"type":"new_game"'*) echo "{\"type\":\"ready\",\"id\":$id}" ;;
            '{"type":"move_request"'*) echo "{\"type\":\"move\",\"id\":$id,\"move\":1}" ;;
            esac
        done"#;
    let dir = Dir::new();
    dir.script("bots/a", TAKES_ONE);
    dir.script("bots/b", &format!("{TAKES_ONE}\n"));
    let game = "marbles:heap=600,rule=fibonacci";
    dir.process(&format!(
        "tournament --game {game} --name t --rounds 1 --no-check -q --move-time 30s --sandbox off --opening-plies 0"
    ));
    let game = &dir.journal("t").games[0];
    assert_eq!(game.moves.len(), 600, "{}", game.reason);
    let wire = dir.process(&format!("replay {} --wire first", game.id)).stdout;
    let count = |kind: &str| wire.lines().filter(|line| line.starts_with(&format!("{{\"type\":\"{kind}\""))).count();
    assert_eq!([count("move_request"), count("x_reply"), count("game_over")], [255, 255, 1]);
    assert!(wire.contains("{\"type\":\"x_omitted\",\"requests\":45}\n"));
    let asked = dir.process(&format!("replay {} --request 598", game.id)).stdout;
    assert_eq!(masked(&asked).last(), masked(&wire).iter().rev().nth(1));
}

#[test]
fn the_command_of_a_fault_starts_the_bot_and_nothing_else() {
    let dir = Dir::with_bots(&["random"]);
    dir.script("bots/odd/run", "exit 3");
    let env = "[env]\n\"A $(touch pwned) B\" = \"$(touch pwned)\"\n";
    dir.file("bots/odd/bot.toml", format!("command = [\"./run\"]\n{env}"));
    dir.process("tournament --name t --rounds 1 --no-check -q --sandbox off");
    let mut files = std::fs::read_dir(dir.path("results/t/bots/odd.faults")).expect("files of faults");
    let file = std::fs::read_to_string(files.next().expect("a file").expect("a file").path()).expect("text");
    let fault: Value = serde_json::from_str(file.lines().last().expect("a line")).expect("JSON");
    let command = fault["command"].as_str().expect("a command");
    let status = std::process::Command::new("sh").args(["-c", command]).current_dir(dir.path("")).status();
    assert_eq!(status.expect("a shell").code(), Some(3), "{command}");
    assert!(!dir.path("pwned").exists() && !dir.path("bots/odd/pwned").exists(), "{command}");
}
