//! Games with secrets: a bot is sent what its own seat may know, and nothing else before the end.

use std::collections::BTreeSet;

use arena::record::Record;
use arena::rules::Move;
use serde_json::{Value, json};

use super::{PATIENT, add_notes, example, with_bots};
use crate::support::Dir;

/// What one bot was sent in one game.
struct Sent {
    record: Record,
    seat: usize,
    lines: Vec<String>,
}

impl Sent {
    /// The lines as JSON.
    fn values(&self) -> Vec<Value> {
        self.lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    fn requests(&self) -> Vec<Value> {
        self.values().into_iter().filter(|value| value["type"] == "move_request").collect()
    }

    fn reveal(&self) -> Value {
        self.values().pop().expect("an end")["reveal"].clone()
    }
}

/// Plays a tournament of two bots that note all they are sent, and checks what holds for every game with secrets.
fn played(dir: &Dir, game: &str, name: &str) -> Vec<Sent> {
    add_notes(dir, &["ann", "ben"]);
    let flags = "--rounds 2 -j 1 --no-check --sandbox off --name t";
    dir.process_ends(0, &format!("tournament --game {game} {PATIENT} {flags}"));
    let games = dir.journal("t").games;
    let seeds: BTreeSet<u64> = games.iter().map(|game| game.seed).collect();
    assert_eq!((seeds.len(), games.len()), (4, 4), "every game has a seed of its own");
    let mut all = Vec::new();
    for bot in ["ann", "ben"] {
        let notes = dir.read(bot);
        let (hello, rest) = notes.split_once('\n').expect("a line");
        assert!(hello.starts_with("{\"type\":\"hello\""), "{hello}");
        let of_games = rest.trim_end().split("{\"type\":\"new_game\"").skip(1);
        for (lines, record) in of_games.zip(&games) {
            let seat = record.bots.iter().position(|id| id.name == bot).expect("a seat");
            let lines = format!("{{\"type\":\"new_game\"{lines}");
            let lines = lines.lines().filter(|line| *line != "{\"type\":\"quit\"}").map(str::to_owned).collect();
            all.push(Sent { record: record.clone(), seat, lines });
        }
    }
    assert_eq!(all.len(), 8);
    for sent in &all {
        assert!(sent.record.hidden && sent.record.opening.is_empty() && sent.record.counts(), "{:?}", sent.record);
        let end = sent.lines.len() - 1;
        for (index, (line, value)) in sent.lines.iter().zip(sent.values()).enumerate() {
            assert!(!line.contains(&sent.record.seed.to_string()), "the seed of the game: {line}");
            // No string of these rules has any, and they write it after every mark.
            assert!(!line.contains(' '), "white space: {line}");
            let fields: BTreeSet<&str> = value.as_object().expect("an object").keys().map(String::as_str).collect();
            let known: &[&str] = match value["type"].as_str() {
                Some("new_game") => {
                    assert_eq!(
                        (index, value["game"].as_str(), value["seat"].as_u64()),
                        (0, Some(name), Some(sent.seat as u64))
                    );
                    &["type", "id", "game_id", "game", "rules_version", "params", "seat", "seed", "clock"]
                }
                Some("move_request") => &["type", "id", "ply", "seat", "state", "legal_moves", "sample_move", "clock"],
                _ => {
                    assert_eq!((index, value["type"].as_str()), (end, Some("game_over")), "{line}");
                    &["type", "outcome", "reason", "moves", "reveal"]
                }
            };
            assert_eq!(fields, known.iter().copied().collect(), "{line}");
        }
    }
    all
}

#[test]
fn a_poker_player_knows_its_own_cards_and_those_that_were_shown() {
    let dir = example("kuhn", &[]);
    for sent in played(&dir, "./kuhn.toml:hands=5", "kuhn") {
        let reveal = sent.reveal();
        let hands = reveal["hands"].as_array().expect("all hands");
        assert_eq!(hands.len(), 5);
        assert!(sent.lines[..sent.lines.len() - 1].iter().all(|line| !line.contains("reveal")));
        for request in sent.requests() {
            let state = &request["state"];
            let past = state["past"].as_array().expect("past hands").len();
            let (seat, hand) = (sent.seat, &hands[past]);
            // All that this seat may know, made from what was revealed.
            let sign = [1, -1][seat];
            let won = |hand: &Value| sign * hand["won"].as_i64().expect("chips");
            let is_shown =
                |hand: &Value| hand["actions"].as_array().and_then(|all| all.last()).is_some_and(|last| last != "fold");
            let known = |(number, hand): (usize, &Value)| {
                let other = if is_shown(hand) { hand["cards"][1 - seat].clone() } else { Value::Null };
                json!({
                    "opened": number % 2 == seat, "card": hand["cards"][seat], "opponent_card": other,
                    "actions": hand["actions"], "won": won(hand),
                })
            };
            let actions = state["actions"].as_array().expect("actions");
            assert_eq!(actions[..], hand["actions"].as_array().expect("actions")[..actions.len()]);
            let expected = json!({
                "hands": 5, "chips": hands[..past].iter().map(won).sum::<i64>(),
                "past": hands[..past].iter().enumerate().map(known).collect::<Vec<_>>(),
                "opened": past % 2 == seat, "card": hand["cards"][seat], "actions": actions,
            });
            assert_eq!(state, &expected);
        }
    }
}

#[test]
fn the_second_of_two_simultaneous_bids_knows_nothing_of_the_first() {
    let dir = example("goofspiel", &[]);
    for sent in played(&dir, "./goofspiel.toml:cards=4", "goofspiel") {
        let prizes = sent.reveal()["prizes"].as_array().expect("the prizes").clone();
        let number = |played: &Move| json!(played).as_i64().expect("a card");
        let bids: Vec<i64> = sent.record.moves.iter().map(number).collect();
        for request in sent.requests() {
            let ply = request["ply"].as_u64().expect("a ply") as usize;
            // The first seat bids at even plies; only whole rounds are known.
            let (round, seat) = (ply / 2, sent.seat);
            assert_eq!(ply % 2, seat);
            let before: Vec<[i64; 2]> = bids[..2 * round].chunks(2).map(|pair| [pair[0], pair[1]]).collect();
            let hand = |seat: usize| {
                (1..=4).filter(|card| before.iter().all(|bids| bids[seat] != *card)).collect::<Vec<i64>>()
            };
            let points = |seat: usize| {
                let won = before.iter().zip(&prizes).filter(|(bids, _)| bids[seat] > bids[1 - seat]);
                won.map(|(_, prize)| prize.as_i64().expect("a prize")).sum::<i64>()
            };
            let mut later: Vec<i64> = prizes[round + 1..].iter().filter_map(Value::as_i64).collect();
            later.sort_unstable();
            let rounds = before.iter().zip(&prizes);
            let expected = json!({
                "points": points(seat), "opponent_points": points(1 - seat),
                "hand": hand(seat), "opponent_hand": hand(1 - seat),
                "rounds": rounds.map(|(bids, prize)| json!({ "prize": prize, "own": bids[seat], "opponent": bids[1 - seat] })).collect::<Vec<_>>(),
                "prize": prizes[round], "later_prizes": later,
            });
            assert_eq!(request["state"], expected);
            assert_eq!(request["legal_moves"], json!(hand(seat)));
        }
    }
}

/// Rules in which all that one seat may see, and every move, is a word of its own: `own0…` and `own1…`. The first seat moves,
/// then the second, each twice.
const WORDS: &str = r#"
import hashlib, json, sys
def word(kind, seat): return f"{kind}{seat}" + hashlib.sha256(f"{seed} {kind} {seat} {len(moves)}".encode()).hexdigest()
def position(i):
    if len(moves) == 4: return {"type": "over", "id": i, "winner": None, "reason": "said_all"}
    seat = len(moves) % 2
    return {"type": "position", "id": i, "to_move": seat, "legal_moves": [word("move", seat), word("other", seat)], "view": {"x": word("view", seat)}}
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello": r = {"type": "hello", "protocol": 1, "game": "words", "version": 1, "hidden": True, "shows": True}
    elif m["type"] == "start": seed, moves = m["seed"], []; r = position(m["id"])
    elif m["type"] == "apply": moves.append(m["move"]); r = position(m["id"])
    elif m["type"] == "show":
        r = {"type": "shown", "id": m["id"], "text": word("text", m["seat"])}
        if m["seat"] is None: r["reveal"] = {"secret": word("secret", 2)}
        else: r["view"] = {"x": word("shown", m["seat"])}
    else: continue
    print(json.dumps(r), flush=True)
"#;

#[test]
fn no_byte_of_the_other_seat_reaches_a_bot_before_the_end() {
    let dir = with_bots(&[]);
    dir.file("words.py", WORDS);
    dir.file("words.toml", "command = [\"python3\", \"words.py\"]\n");
    for sent in played(&dir, "./words.toml", "words") {
        let (end, before) = sent.lines.split_last().expect("an end");
        let other = 1 - sent.seat;
        for line in before {
            for kind in ["move", "other", "view", "shown", "text", "secret"] {
                assert!(!line.contains(&format!("\"{kind}{other}")) && !line.contains("secret"), "{line}");
            }
            assert!(!line.contains("text"), "what people see: {line}");
        }
        assert!(end.contains("\"secret\":\"secret2"), "{end}");
        // The views are those of the seat, so that this test would see others.
        assert!(before[1].contains(&format!("\"x\":\"view{}", sent.seat)), "{before:?}");
    }
}
