//! Turns that do not alternate: whatever is recorded, counted and shown of a move belongs to the seat that has made it.

use std::collections::BTreeMap;

use arena::record::{Record, Status};
use arena::rules::Seat;

use super::{PATIENT, add_notes, example, table};
use crate::support::Dir;

const GAME: &str = "./dots_and_boxes.toml:rows=2,cols=2";
const NAME: &str = "dots_and_boxes-rows=2-cols=2";
/// What `sleepy` takes for the second move of a turn, at least.
const SLEEP_MS: f64 = 20.0;
/// In place of making the sample move: what `sleepy` and `cheat` do at the second move of a turn.
const SLEEPS: &str = "time.sleep(0.02)";
const CHEATS: &str = "r[\"move\"] = [0, 0]";

/// A bot that makes sample moves, completes boxes where it sees them, and does this at the second move of a turn.
fn add_bot(dir: &Dir, name: &str, does: &str) {
    const BOT: &str = r#"
import json, sys, time
def completes(state, move):
    r, c = move
    boxes = [(r - 1, c), (r + 1, c)] if r % 2 == 0 else [(r, c - 1), (r, c + 1)]
    board = state["board"]
    is_box = lambda r, c: 0 < r < len(board) and 0 < c < len(board[0])
    open_lines = lambda r, c: sum(board[y][x] == "." for y, x in [(r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)])
    return any(is_box(*box) and open_lines(*box) == 1 for box in boxes)
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello": r = {"type": "hello", "protocol": 1}
    elif m["type"] == "new_game": last, r = None, {"type": "ready", "id": m["id"]}
    elif m["type"] == "move_request":
        greedy = [move for move in m["legal_moves"] if completes(m["state"], move)]
        r = {"type": "move", "id": m["id"], "move": (greedy + [m["sample_move"]])[0]}
        if last == m["ply"] - 1: DOES
        last = m["ply"]
    else: continue
    print(json.dumps(r), flush=True)
"#;
    dir.file(&format!("{name}.py"), BOT.replace("DOES", does));
    let script = dir.path(format!("{name}.py")).to_string_lossy().into_owned();
    dir.file(&format!("bots/{name}.toml"), format!("command = [\"python3\", \"-SE\", {script:?}]\n"));
}

fn seat_of(game: &Record, name: &str) -> Option<Seat> {
    Seat::BOTH.into_iter().find(|seat| game.bots[seat.index()].name == name)
}

/// The columns of a row, by the names in the first one. Only moves hold commas here, and these are quoted.
fn columns(table: &str) -> Vec<BTreeMap<&str, &str>> {
    let mut rows = table.lines().map(fields);
    let names = rows.next().expect("names");
    rows.map(|row| names.iter().copied().zip(row).collect()).collect()
}

fn fields(row: &str) -> Vec<&str> {
    let mut is_quoted = false;
    row.split(|c: char| {
        is_quoted ^= c == '"';
        c == ',' && !is_quoted
    })
    .collect()
}

/// All moves of a seat, with their times in ms.
fn times(game: &Record, seat: Seat) -> Vec<f64> {
    let played = game.played.iter().enumerate();
    let own = played.filter(|(index, _)| game.movers.seat(game.opening.len() + index) == seat);
    own.map(|(_, played)| played.us as f64 / 1e3).collect()
}

#[test]
fn times_and_faults_belong_to_the_seat_that_has_moved() {
    let dir = example("dots_and_boxes", &[]);
    add_bot(&dir, "sleepy", SLEEPS);
    add_bot(&dir, "cheat", CHEATS);
    add_notes(&dir, &["notes"]);
    let lenient = "--strikes games=off --no-check --sandbox off";
    let ended = dir.process_ends(0, &format!("tournament --game {GAME} --rounds 2 {PATIENT} -j 1 {lenient}"));
    let games = dir.journal(NAME).games;
    assert_eq!(games.len(), 12, "{ended}");

    // The journal has the seat of each move where turns do not alternate; a bot was asked at those plies and no others.
    let notes = dir.read("notes");
    let asked: Vec<Vec<usize>> = notes.split("{\"type\":\"new_game\"").skip(1).map(plies_asked).collect();
    let own_seats = games.iter().filter_map(|game| Some((game, seat_of(game, "notes")?)));
    let made: Vec<Vec<usize>> = own_seats
        .map(|(game, seat)| {
            let by_bots = game.opening.len()..game.moves.len();
            by_bots.filter(|ply| game.movers.seat(*ply) == seat).collect()
        })
        .collect();
    assert_eq!(asked, made);
    let movers: Vec<String> = games.iter().map(|game| game.movers.to_string()).collect();
    assert!(movers.iter().filter(|movers| !movers.is_empty()).count() >= 6, "{movers:?}");
    let repeat = |movers: &String| movers.contains("00") || movers.contains("11") || movers.is_empty();
    assert!(movers.iter().all(repeat), "only where turns do not alternate: {movers:?}");

    // The bot that cheats has lost at the second move of its turn, and only it is at fault.
    let mut cheated = 0;
    for game in &games {
        let Some(seat) = seat_of(game, "cheat") else { continue };
        let [own, other] = [game.statuses[seat.index()], game.statuses[seat.other().index()]];
        assert_eq!(other, Status::Ok, "{game:?}");
        if own != Status::Ok {
            let plies = game.moves.len();
            assert_eq!((own, game.result.winner()), (Status::IllegalMove, Some(seat.other())));
            assert_eq!(game.movers.seat(plies - 1), seat, "the move before was its own");
            let evidence = game.evidence[seat.index()].as_ref().expect("evidence");
            assert!(evidence.message.starts_with(&format!("at ply {plies}: ")), "{evidence:?}");
            cheated += 1;
        }
    }
    assert!(cheated >= 3, "{cheated}");

    let bots = table(&dir, NAME, "bots.csv");
    for row in columns(&bots) {
        let own = games.iter().filter_map(|game| Some(times(game, seat_of(game, row["name"])?)));
        let own: Vec<f64> = own.flatten().collect();
        let number = |name: &str| row[name].parse::<f64>().expect("a number");
        let mean = own.iter().sum::<f64>() / own.len() as f64;
        assert!((number("mean_ms") - mean).abs() < 0.001, "{row:?}: {mean}");
        assert_eq!(number("illegal_move") as usize, if row["name"] == "cheat" { cheated } else { 0 }, "{row:?}");
        assert!(row["name"] != "sleepy" || number("max_ms") >= SLEEP_MS, "{row:?}");
    }
    check_games(&table(&dir, NAME, "games.csv"), &games);
    check_moves(&dir.process_ends(0, "export --moves").stdout, &games);

    // A game in which a seat moves twice, as people see it.
    let game = games.iter().find(|game| game.statuses == [Status::Ok; 2] && !game.movers.alternate()).expect("a game");
    let shown = dir.process_ends(0, &format!("replay {} --game {GAME}", game.id)).stdout;
    for (index, played) in game.moves.iter().enumerate() {
        let seat = game.movers.seat(index);
        let who = format!("{} ({})", game.bots[seat.index()].name, ["X", "O"][seat.index()]);
        let line = if index < game.opening.len() {
            format!("ply {}  opening: {played} for {who}\n", index + 1)
        } else {
            format!("ply {}  {who} plays {played}  ", index + 1)
        };
        assert!(shown.contains(&line), "{line}: {shown}");
    }
    dir.process_ends(0, &format!("verify --game {GAME}"));
}

/// The plies of a game that its requests name.
fn plies_asked(lines: &str) -> Vec<usize> {
    let plies = lines.split("{\"type\":\"move_request\"").skip(1);
    plies
        .map(|line| {
            let (_, rest) = line.split_once("\"ply\":").expect("a ply");
            rest.split(',').next().and_then(|ply| ply.parse().ok()).expect("a number")
        })
        .collect()
}

/// `games.csv` has the times of each seat.
fn check_games(table: &str, games: &[Record]) {
    let rows = columns(table);
    assert_eq!(rows.len(), games.len());
    for game in games {
        let row = rows.iter().find(|row| row["id"] == game.id).expect("a row");
        for (seat, [sum, max]) in
            Seat::BOTH.into_iter().zip([["first_ms", "first_max_ms"], ["second_ms", "second_max_ms"]])
        {
            let times = times(game, seat);
            let number = |name: &str| row[name].parse::<f64>().unwrap_or(0.0);
            assert!((number(sum) - times.iter().sum::<f64>()).abs() < 0.002, "{row:?}: {times:?}");
            assert!((number(max) - times.iter().copied().fold(0.0, f64::max)).abs() < 0.002, "{row:?}: {times:?}");
        }
        let statuses = game.statuses.map(Status::name);
        assert_eq!([row["first_status"], row["second_status"]], statuses);
    }
}

/// The table of moves has the seat and the bot of each.
fn check_moves(table: &str, games: &[Record]) {
    let rows = columns(table);
    assert_eq!(rows.len(), games.iter().map(|game| game.moves.len()).sum::<usize>());
    for row in rows {
        let game = games.iter().find(|game| game.id == row["id"]).expect("a game");
        let ply: usize = row["ply"].parse().expect("a ply");
        let seat = game.movers.seat(ply);
        assert_eq!(
            (row["seat"], row["bot"]),
            (["first", "second"][seat.index()], game.bots[seat.index()].name.as_str())
        );
        assert_eq!(row["move"].trim_matches('"'), game.moves[ply].to_string());
        if let Some(played) = ply.checked_sub(game.opening.len()).map(|index| &game.played[index]) {
            assert!((row["ms"].parse::<f64>().expect("a time") - played.us as f64 / 1e3).abs() < 1e-6);
        }
    }
}
