//! Rows 120 to 124: files of games and journals from elsewhere that are larger than any that counts, and journals that say what
//! did not happen.

use std::fmt::Write as _;
use std::process::Command;

use arena::journal::encode_game;
use arena::record::{GameResult, Record, Status};
use arena::rules::Move;
use arena::stats::PLAYERS_MAX;

use crate::support::{Contents, Dir};

/// Maximum address space of a command, in KiB: room for its threads, and for no field of more players.
const SPACE_KIB: u64 = 1 << 20;
/// A little more than the longest line of a file of games.
const LONG_LINE: usize = (1 << 24) + (1 << 20);

/// Runs `arena` with little memory; it must end with this code and without a crash. Returns what it writes.
#[track_caller]
fn bounded(dir: &Dir, code: i32, words: &str) -> String {
    let template = dir.command(words);
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -v {SPACE_KIB}; exec \"$@\""), "sh"]);
    command.arg(template.get_program()).args(template.get_args());
    command.current_dir(dir.path(""));
    let output = super::output(&mut command).expect("sh");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(text).expect("UTF-8");
    assert_eq!(output.status.code(), Some(code), "{}", &text[..text.len().min(2_000)]);
    assert!(text.len() < 10_000, "{} bytes of output", text.len());
    text
}

/// A line of a journal with this content, which ends before its sum.
fn sealed(body: &str) -> String {
    format!("{body},\"sum\":\"{}\"}}\n", &blake3::hash(body.as_bytes()).to_hex()[..16])
}

fn played() -> Dir {
    let dir = Dir::with_bots(&["greedy", "random"]);
    dir.process_ends(0, "tournament --game tictactoe --seed 1 --rounds 2 --move-time 30s --no-check --quiet");
    dir
}

#[test]
fn a_file_of_too_many_players_is_refused_before_anything_grows() {
    let dir = Dir::new();
    let mut text = "white,black,result\n".to_owned();
    for player in 0..50_001 {
        let _ = writeln!(text, "p{player},p{},1-0", (player + 1) % 50_001);
    }
    dir.file("games.csv", &text);
    let said = bounded(&dir, 1, "standings games.csv");
    assert!(
        said.contains(&format!("line {}: `p{PLAYERS_MAX}` is player {}", PLAYERS_MAX + 1, PLAYERS_MAX + 1)),
        "{said}"
    );
    assert!(
        said.contains(&format!("at most {PLAYERS_MAX} can be rated together")) && said.contains("leave out"),
        "{said}"
    );
    assert!(!dir.path("games.standings").exists());
    dir.file("games.csv", format!("white,black,result\n{},b,1-0\n", "n".repeat(1_001)));
    assert!(
        bounded(&dir, 1, "standings games.csv").contains("1 game with too long a name (games.csv line 2: 1001 bytes)")
    );
}

#[test]
fn a_row_has_the_same_limit_as_a_line_of_pgn() {
    let dir = Dir::new();
    let begin = "white,black,result\na,b,1-0\n";
    let long = "x".repeat(LONG_LINE);
    for (what, row) in [
        ("a cell", format!("{begin}a,{long},1-0\n")),
        ("cells", format!("{begin}a,b{}\n", ",".repeat(LONG_LINE))),
        ("a quote that is not closed", format!("{begin}a,\"{}", "bob,1-0\na,".repeat(LONG_LINE / 10))),
    ] {
        dir.file("games.csv", row);
        let said = bounded(&dir, 1, "standings games.csv");
        assert!(said.contains("line 3 has more than 16777216 bytes; is a quote missing?"), "{what}: {said}");
    }
    dir.file("games.csv", format!("{long},black,result\na,b,1-0\n"));
    assert!(bounded(&dir, 1, "standings games.csv").contains("line 1 has more than 16777216 bytes"));
    dir.file("games.pgn", format!("[White \"a\"]\n[Black \"b\"]\n[Result \"*\"]\n\n{{{long}}} *\n"));
    assert!(bounded(&dir, 1, "standings games.pgn").contains("line 5 has more than 16777216 bytes"));
}

#[test]
fn a_record_of_more_moves_than_its_game_can_have_is_refused() {
    let dir = played();
    let journal = dir.read("results/tictactoe/games.jsonl");
    let game = Contents::read(&dir.path("results/tictactoe")).games[0].clone();
    // A long line is refused before its lists are decoded, a short one after that.
    for moves in [10, 1_000_000] {
        let record = Record { moves: vec![Move::List(Vec::new()); moves], ..game.clone() };
        dir.file("results/tictactoe/games.jsonl", journal.clone() + &encode_game(&record) + "\n");
        let expected =
            format!("game {}: it has {moves} moves, and a game of mnk with its parameters has at most 9", game.id);
        let lines = journal.lines().count() + 1;
        for command in ["verify", "standings"] {
            let said = bounded(&dir, 1, command);
            assert!(said.contains(&expected) && said.contains(&lines.to_string()), "{said}");
        }
    }
}

#[test]
fn a_line_of_a_journal_is_bounded_and_so_is_its_tournament() {
    let dir = played();
    let name = "results/tictactoe/games.jsonl";
    let journal = dir.read(name);
    let (event, games) = journal.split_once('\n').expect("a definition and games");
    let body = &event[..event.rfind(",\"sum\"").expect("a sum")];
    let mut bots = String::new();
    for bot in 0..=PLAYERS_MAX {
        let _ = write!(bots, "{{\"name\":\"p{bot}\",\"fingerprint\":\"{bot:016x}\",\"command\":\"x\"}},");
    }
    let many = body.replace("\"round-robin\"", "\"gauntlet\"");
    let open = many.find("\"bots\":[").expect("bots") + "\"bots\":[".len();
    dir.file(name, sealed(&format!("{}{bots}{}", &many[..open], &many[open..])) + games);
    for command in ["verify", "standings"] {
        let said = bounded(&dir, 1, command);
        assert!(said.contains(&format!("bots; at most {PLAYERS_MAX} can be rated together")), "{said}");
    }
    // Two million openings of nothing.
    let open = body.find("\"openings\":[").expect("openings") + "\"openings\":[".len();
    let openings = "[],".repeat(2_000_000);
    dir.file(name, sealed(&format!("{}{openings}{}", &body[..open], &body[open..])) + games);
    let said = bounded(&dir, 1, "standings");
    assert!(said.contains("elements, and no tournament has one of more than 1000000"), "{said}");
    // A last line without an end, and one in the middle.
    let length = (1 << 27) + 1;
    for end in ["", "\n"] {
        dir.file(name, [&journal, &"x".repeat(length), end].concat());
        let said = bounded(&dir, i32::from(!end.is_empty()), "verify");
        assert!(said.contains(&format!("{} bytes", length + end.len())), "{said}");
    }
}

#[test]
fn forged_faults_are_not_called_proven_and_missing_games_are_named() {
    let dir = played();
    let is_forged = |index: usize| index < 2;
    // A loss by timeout and a resignation, each with a sum that is right, and with moves that the rules allow.
    dir.edit_games("tictactoe", |index, record| {
        if is_forged(index) {
            let status = [Status::Timeout, Status::Resigned][index];
            record.moves.truncate(record.opening.len());
            record.played.clear();
            let loser = record.opening.len() % 2;
            record.statuses[loser] = status;
            record.result = if loser == 0 { GameResult::SecondWins } else { GameResult::FirstWins };
            record.reason = status.name().to_owned();
        }
    });
    let said = dir.arena_ends(0, "verify").stdout;
    let unproven =
        "faults cannot be proven from a journal (2 games ended by faults or resignations: 1 resigned, 1 timeout)";
    assert!(
        said.contains("4 games follow the rules; none of the 4 scheduled is missing; ") && said.contains(unproven),
        "{said}"
    );

    let journal = dir.read("results/tictactoe/games.jsonl");
    let removed = dir.journal("tictactoe").games[2].id.clone();
    let lines: Vec<&str> = journal.split_inclusive('\n').collect();
    dir.file("results/tictactoe/games.jsonl", [&lines[..3], &lines[4..]].concat().concat());
    let said = dir.arena_ends(0, "verify").stdout;
    assert!(
        said.contains(&format!("3 games follow the rules; 1 of the 4 scheduled is missing: {removed} (")),
        "{said}"
    );
    let json: serde_json::Value = serde_json::from_str(&dir.arena_ends(0, "verify --json").stdout).expect("JSON");
    assert_eq!(json[0]["missing"]["first"][0]["id"], removed.as_str());
    assert_eq!(json[0]["unproven"], serde_json::json!({"games": 2, "statuses": {"resigned": 1, "timeout": 1}}));
}
