//! What answers of `arena judge` have in common with each other and with plain calculations.

use std::collections::{BTreeSet, HashMap};

use arena::judge::judge_line;
use arena::rng::Rng;
use arena::rules::{Move, State};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::playing::{board, every_line, random_move, variant};

const BOARDS: [&str; 7] = [
    "connect4",
    "connect4:rows=4,cols=5,connect=3",
    "connect4:rows=1,cols=5,connect=3",
    "tictactoe",
    "mnk:rows=3,cols=4,k=2",
    "mnk:rows=5,cols=3,k=4",
    "mnk:rows=2,cols=4,k=3",
];

fn config() -> ProptestConfig {
    ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() }
}

#[track_caller]
fn ask(question: &Value) -> Value {
    serde_json::from_str(&judge_line(&question.to_string())).expect("JSON")
}

/// A question about `game`, with the given fields.
fn question(game: &str, fields: Value) -> Value {
    let variant = variant(game);
    let mut question = json!({ "game": variant.rules.name, "params": variant.params.to_json() });
    let Value::Object(fields) = fields else { panic!("an object") };
    question.as_object_mut().expect("an object").extend(fields);
    question
}

/// A random position, and the moves that lead to it.
fn random_position(game: &str, rng: &mut Rng) -> (Box<dyn State>, Vec<Move>) {
    let mut state = variant(game).start(0).expect("built-in rules");
    let mut moves = Vec::new();
    for _ in 0..rng.below(40) {
        if state.outcome().is_some() {
            break;
        }
        moves.push(random_move(state.as_ref(), rng));
        state.apply(moves.last().expect("just played")).expect("built-in rules");
    }
    (state, moves)
}

/// Any marks at all on the board of `game`: most are impossible.
fn random_marks(game: &str, rng: &mut Rng) -> Vec<String> {
    let params = variant(game).params;
    let (rows, cols, empty) = (params.size("rows"), params.size("cols"), 1 + rng.below(3));
    let mut mark = || match rng.below(2 + empty) {
        0 => 'X',
        1 => 'O',
        _ => '.',
    };
    (0..rows).map(|_| (0..cols).map(|_| mark()).collect()).collect()
}

fn swapped(rows: &[String]) -> Vec<String> {
    let swap = |mark| match mark {
        'X' => 'O',
        'O' => 'X',
        other => other,
    };
    rows.iter().map(|row| row.chars().map(swap).collect()).collect()
}

/// The number in a row that wins.
fn need(game: &str) -> usize {
    let variant = variant(game);
    variant.params.size(if variant.rules.name == "mnk" { "k" } else { "connect" })
}

/// Every segment of the board of `game`.
fn segments(game: &str) -> Vec<Vec<(usize, usize)>> {
    let params = variant(game).params;
    every_line(params.size("rows"), params.size("cols"), need(game))
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_board_with_moves_is_the_game_so_far(game in prop::sample::select(&BOARDS[..]), seed: u64) {
        let mut rng = Rng::new(seed);
        let (_, moves) = random_position(game, &mut rng);
        let whole = ask(&question(game, json!({ "moves": moves, "value": true })));
        let cut = rng.below(moves.len() as u64 + 1) as usize;
        let mut state = variant(game).start(0).unwrap();
        moves[..cut].iter().for_each(|played| state.apply(played).unwrap());
        let rest = &moves[cut..];
        let mut rows = board(state.as_ref());
        let asked = question(game, json!({ "board": rows, "moves": rest, "value": true }));
        let found = ask(&asked);
        for name in ["to_move", "outcome", "reason", "legal_moves", "legal_count", "lines", "value", "error"] {
            prop_assert_eq!(&found[name], &whole[name], "{} of {}", name, asked);
        }
        prop_assert_eq!(&found["views"][0]["board"], &whole["views"][0]["board"]);
        prop_assert_eq!(&found["views"][1]["moves"], &json!(rest));

        // The other colour first: the seats stay, the marks change.
        rows = swapped(&rows);
        let other = ask(&question(game, json!({ "board": rows, "moves": rest, "first": "O", "value": true })));
        for name in ["to_move", "outcome", "reason", "legal_moves", "legal_count", "lines", "value", "error"] {
            prop_assert_eq!(&other[name], &whole[name], "{} of {} for O", name, asked);
        }
        let shown: Vec<String> = serde_json::from_value(whole["views"][0]["board"].clone()).expect("rows");
        prop_assert_eq!(&other["views"][0]["board"], &json!(swapped(&shown)));
        let moves_alone = ask(&question(game, json!({ "moves": moves, "first": "o" })));
        prop_assert_eq!(&moves_alone["views"][0]["board"], &json!(swapped(&shown)));
        prop_assert_eq!(&moves_alone["views"][1]["moves"], &json!(moves));
    }

    #[test]
    fn a_board_is_the_same_in_every_layout(
        game in prop::sample::select(&BOARDS[..]), possible: bool, seed: u64
    ) {
        let mut rng = Rng::new(seed);
        let rows = if possible { board(random_position(game, &mut rng).0.as_ref()) } else { random_marks(game, &mut rng) };
        let cells: Vec<Vec<char>> = rows.iter().map(|row| row.chars().collect()).collect();
        let plain = ask(&question(game, json!({ "board": rows })));
        let same = |what: &str, fields: Value| assert_eq!(ask(&question(game, fields)), plain, "{what}: {rows:?}");
        let written = |letter: fn(char) -> char| -> Vec<String> {
            rows.iter().map(|row| row.chars().map(letter).collect()).collect()
        };
        let red = |mark| match mark { 'X' => 'R', 'O' => 'y', other => other };
        same("lower case", json!({ "board": written(|mark| mark.to_ascii_lowercase()), "layout": "rows" }));
        same("red and yellow", json!({ "board": written(red) }));
        let first = |mark: &str, rows: &[String]| ask(&question(game, json!({ "board": rows, "first": mark })));
        prop_assert_eq!(first("r", &written(red)), first("X", &rows));
        same("cells", json!({ "board": cells }));
        let with_null = |mark: &char| if *mark == '.' { Value::Null } else { json!(mark) };
        let nulls: Vec<Vec<Value>> = cells.iter().map(|row| row.iter().map(with_null).collect()).collect();
        same("null", json!({ "position": nulls }));
        let columns: Vec<String> = (0..cells[0].len()).map(|col| cells.iter().map(|row| row[col]).collect()).collect();
        same("columns", json!({ "board": columns, "layout": "columns" }));
        if cells.len() * cells[0].len() <= 9 {
            let tile = |index: usize, mark: char| match mark {
                '.' => json!(index + 1),
                mark => json!(mark),
            };
            let tiles: Vec<Vec<Value>> = cells.iter().enumerate().map(|(row, marks)| {
                marks.iter().enumerate().map(|(col, mark)| tile(row * marks.len() + col, *mark)).collect()
            }).collect();
            same("tiles", json!({ "board": tiles, "layout": "tiles" }));
            let text = |row: &Vec<Value>| row.iter().map(|cell| cell.to_string().replace('"', "")).collect::<String>();
            same("tiles as text", json!({ "board": tiles.iter().map(text).collect::<Vec<_>>(), "layout": "tiles" }));
        }
    }

    #[test]
    fn lines_and_values_are_those_found_by_looking_at_every_segment(
        game in prop::sample::select(&BOARDS[..]), possible: bool, seed: u64
    ) {
        let mut rng = Rng::new(seed);
        let rows = if possible { board(random_position(game, &mut rng).0.as_ref()) } else { random_marks(game, &mut rng) };
        let at = |&(row, col): &(usize, usize)| rows[row].as_bytes()[col];
        let answer = ask(&question(game, json!({ "board": rows, "value": true })));
        let (mut score, mut mixed, mut counted) = (0, 0, BTreeSet::new());
        let mut lines = [BTreeSet::new(), BTreeSet::new()];
        let all = segments(game);
        for cells in &all {
            let count = |mark| cells.iter().filter(|cell| at(cell) == mark).count();
            let [own, other] = [count(b'X'), count(b'O')];
            mixed += usize::from(own > 0 && other > 0);
            for (seat, stones, others, sign) in [(0, own, other, 1), (1, other, own, -1)] {
                let value = match need(game) - stones {
                    _ if stones == 0 || others > 0 => 0,
                    0 => 1_000_000,
                    1 => 100,
                    2 => 1,
                    _ => 0,
                };
                score += sign * value;
                if value > 0 {
                    counted.insert(json!([cells, seat, stones, sign * value]).to_string());
                }
                if stones == need(game) {
                    lines[seat].extend(cells.iter().copied());
                }
            }
        }
        prop_assert_eq!(&answer["lines"], &json!(lines), "{:?}", &rows);
        let value = &answer["value"];
        prop_assert_eq!(&value["score"], &json!(score), "{:?}", &rows);
        prop_assert_eq!((&value["segment_count"], &value["mixed_count"]), (&json!(all.len()), &json!(mixed)));
        let found: BTreeSet<String> = value["segments"].as_array().expect("a list").iter().map(|segment| {
            json!([segment["cells"], segment["seat"], segment["stones"], segment["value"]]).to_string()
        }).collect();
        prop_assert_eq!(found, counted);
    }

    #[test]
    fn a_mirrored_board_has_the_same_value_and_a_swapped_one_the_opposite(
        game in prop::sample::select(&BOARDS[..]), seed: u64
    ) {
        let rows = random_marks(game, &mut Rng::new(seed));
        let cols = rows[0].len();
        let mirrored: Vec<String> = rows.iter().map(|row| row.chars().rev().collect()).collect();
        let asked = |rows: &[String]| ask(&question(game, json!({ "board": rows, "value": true })));
        let [plain, mirror, swap] = [rows.clone(), mirrored, swapped(&rows)].map(|rows| asked(&rows));
        prop_assert_eq!(&plain["value"]["score"], &mirror["value"]["score"]);
        prop_assert_eq!(-plain["value"]["score"].as_i64().expect("a number"), swap["value"]["score"].as_i64().expect("a number"));
        prop_assert_eq!(&plain["lines"][0], &swap["lines"][1]);
        let cells = |lines: &Value| -> BTreeSet<(u64, u64)> { serde_json::from_value(lines.clone()).expect("cells") };
        let turned = cells(&mirror["lines"][0]).into_iter().map(|(row, col)| (row, cols as u64 - 1 - col)).collect();
        prop_assert_eq!(cells(&plain["lines"][0]), turned);
    }

    #[test]
    fn the_possible_codes_are_those_that_agree_with_all_feedback(
        pegs in 1_usize..5, colors in 2_usize..6, plies in 0_usize..7, seed: u64
    ) {
        let mut rng = Rng::new(seed);
        let game = format!("mastermind:pegs={pegs},colors={colors}");
        let mut code = || (0..pegs).map(|_| rng.below(colors as u64) as i64).collect::<Vec<_>>();
        let (hidden, guesses): (Vec<i64>, Vec<Vec<i64>>) = (code(), (0..plies).map(|_| code()).collect());
        let answer = ask(&question(&game, json!({ "code": hidden, "moves": guesses, "value": true })));
        prop_assert_eq!(&answer["reveal"]["code"], &json!(hidden));
        // The game may have ended before all guesses were made.
        let made = answer["error"]["ply"].as_u64().map_or(plies, |ply| ply as usize);
        for seat in 0..2 {
            let own: Vec<&Vec<i64>> = guesses[..made].iter().skip(seat).step_by(2).collect();
            let agrees = |code: &Vec<i64>| own.iter().all(|guess| feedback(code, guess) == feedback(&hidden, guess));
            let possible: Vec<Vec<i64>> = codes(pegs, colors as i64).into_iter().filter(agrees).collect();
            let found = &answer["value"]["possible"][seat];
            prop_assert_eq!(&found["count"], &json!(possible.len()));
            prop_assert_eq!(&found["codes"], &json!(Some(possible).filter(|codes| codes.len() <= 1_000)));
        }
    }
}

/// All codes, ascending.
fn codes(pegs: usize, colors: i64) -> Vec<Vec<i64>> {
    (0..pegs).fold(vec![Vec::new()], |codes, _| {
        let longer =
            |code: &Vec<i64>| (0..colors).map(|color| [code.as_slice(), &[color]].concat()).collect::<Vec<_>>();
        codes.iter().flat_map(longer).collect()
    })
}

/// Exact matches, and matches of colours by crossing out pairs.
fn feedback(code: &[i64], guess: &[i64]) -> (usize, usize) {
    let exact = code.iter().zip(guess).filter(|(hidden, guessed)| hidden == guessed).count();
    let mut rest = code.to_vec();
    let matched = guess.iter().filter(|color| {
        let at = rest.iter().position(|hidden| hidden == *color);
        at.map(|at| rest.swap_remove(at)).is_some()
    });
    (exact, matched.count() - exact)
}

#[test]
fn the_verdict_on_marbles_is_that_of_the_whole_game_tree() {
    fn takes(doubling: bool, heap: i64, last: i64) -> Vec<i64> {
        match (doubling, heap) {
            (true, heap) if heap <= last => vec![heap],
            (true, heap) => (last + 1..=heap.min(2 * last)).collect(),
            (false, heap) => (1..=heap.min(2 * last)).collect(),
        }
    }
    fn winning(doubling: bool, heap: i64, last: i64, known: &mut HashMap<(i64, i64), Vec<i64>>) -> Vec<i64> {
        if heap == 0 {
            return Vec::new();
        }
        if let Some(found) = known.get(&(heap, last)) {
            return found.clone();
        }
        let mut all = takes(doubling, heap, last);
        all.retain(|take| winning(doubling, heap - take, *take, known).is_empty());
        known.insert((heap, last), all.clone());
        all
    }
    for rule in ["doubling", "fibonacci"] {
        let mut known = HashMap::new();
        for (heap, last) in (0..=60).flat_map(|heap| (1..=40).map(move |last| (heap, last))) {
            let params = json!({ "rule": rule });
            let board = json!({ "heap": heap, "last": last });
            let answer = ask(&json!({ "game": "marbles", "params": params, "board": board, "value": true }));
            let expected = winning(rule == "doubling", heap, last, &mut known);
            let value = &answer["value"];
            assert_eq!(value["won"], json!(!expected.is_empty()), "{rule}: {board}");
            assert_eq!((&value["winning_moves"], &value["winning_count"]), (&json!(expected), &json!(expected.len())));
            let legal = if heap == 0 { Vec::new() } else { takes(rule == "doubling", heap, last) };
            assert_eq!(answer["legal_moves"], json!(legal), "{rule}: {board}");
            assert_eq!(answer["outcome"], if heap == 0 { json!("second") } else { Value::Null });
        }
    }
}

#[test]
fn the_verdict_on_a_huge_heap_follows_from_its_lost_positions() {
    for (heap, last) in [(1_000_000, 300_000), (999_999, 7), (1_000_000, 250_001), (720_721, 180_000)] {
        for rule in ["doubling", "fibonacci"] {
            let asked = |heap: i64, last: i64| {
                let board = json!({ "heap": heap, "last": last });
                let params = json!({ "rule": rule });
                ask(&json!({ "game": "marbles", "params": params, "board": board, "value": true, "legal": false }))
            };
            let answer = asked(heap, last);
            let ranges: Vec<(i64, i64)> =
                serde_json::from_value(answer["value"]["winning_ranges"].clone()).expect("ranges");
            let count: i64 = ranges.iter().map(|(from, to)| to - from + 1).sum();
            assert_eq!(answer["value"]["winning_count"], json!(count));
            assert_eq!(answer["value"]["winning_moves"].is_null(), count > 1_000);
            let view = &answer["views"][0];
            let [min, max] = ["min_take", "max_take"].map(|name| view[name].as_i64().expect("a number"));
            // At the ends of the ranges, beside them and elsewhere.
            let ends = ranges.iter().flat_map(|(from, to)| [from - 1, *from, i64::midpoint(*from, *to), *to, to + 1]);
            for take in ends.chain([min, max, i64::midpoint(min, max)]).filter(|take| (min..=max).contains(take)) {
                let wins = ranges.iter().any(|(from, to)| (from..=to).contains(&&take));
                assert_eq!(
                    asked(heap - take, take)["value"]["won"],
                    json!(!wins),
                    "{rule}, {heap} after {last}: {take}"
                );
            }
        }
    }
}
