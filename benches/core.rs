//! The parts of the referee in isolation, without processes.
//!
//!     cargo bench -p arena-benches --bench core

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arena::clock::TimeControl;
use arena::event::{Entry, Tournament};
use arena::game;
use arena::observer::{BoardWriter, Boards};
use arena::openings::{self, Lost};
use arena::player::sample::SampleMover;
use arena::program::{Answer, Request};
use arena::protocol::{BotLines, Dialect, Json, MoveRequest, Outgoing, RequestClock, ToBot, decode};
use arena::record::Played;
use arena::referee::{LEGAL_MOVES_MAX, MadeMove, Referee, RefereeSetup};
use arena::rng::Rng;
use arena::rules::{Move, Seat, State, Variant};
use arena::schedule::Scheduler;
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};

criterion_group!(benches, rules, answers, protocol, referee, watched, before_and_after);
criterion_main!(benches);

fn variant(name: &str) -> Variant {
    name.parse().expect("the benchmarks name games that exist")
}

/// Random legal moves to the end of a game; returns how many there were.
fn playout(mut state: Box<dyn State>, rng: &mut Rng) -> usize {
    let mut plies = 0;
    while state.outcome().is_none() {
        let played = state.nth_legal(rng.below(state.legal_count()));
        state.apply(&played).expect("a legal move");
        plies += 1;
    }
    plies
}

fn rules(c: &mut Criterion) {
    let mut group = c.benchmark_group("random playout");
    for name in Variant::names() {
        let start = variant(name).start(1).expect("built-in rules");
        let mut rng = Rng::new(1);
        group.bench_function(name, |b| b.iter(|| playout(start.clone(), &mut rng)));
    }
    group.finish();

    let mut group = c.benchmark_group("what a bot is shown");
    for name in Variant::names() {
        let state = halfway(name);
        group.bench_function(name, |b| b.iter(|| (state.view(state.to_move()), state.legal_moves().len())));
    }
    group.finish();
}

/// A position from the middle of a game.
fn halfway(name: &str) -> Box<dyn State> {
    let start = variant(name).start(1).expect("built-in rules");
    let plies = playout(start.clone(), &mut Rng::new(1));
    let (mut state, mut rng) = (start, Rng::new(1));
    for _ in 0..plies / 2 {
        let played = state.nth_legal(rng.below(state.legal_count()));
        state.apply(&played).expect("a legal move");
    }
    state
}

fn request(name: &str) -> ToBot {
    let state = halfway(name);
    ToBot::MoveRequest(MoveRequest {
        id: 1 << 33,
        ply: 20,
        seat: 0,
        state: state.view(state.to_move()),
        legal_moves: (state.legal_count() <= LEGAL_MOVES_MAX).then(|| state.legal_moves()),
        sample_move: state.nth_legal(0),
        clock: RequestClock { deadline_ms: 1_000, bank_ms: None, opponent_bank_ms: None, last_ms: Some(3) },
    })
}

/// The JSON of a move with this number.
type Form = fn(usize) -> String;

/// What a program of rules answers, read: a position with 100 legal moves.
fn answers(c: &mut Criterion) {
    let mut group = c.benchmark_group("program/answer");
    let forms: [(&str, Form); 5] = [
        ("ascending", |n| n.to_string()),
        ("integers", |n| (n * 37 % 100).to_string()),
        ("pairs", |n| format!("[{},{}]", n % 10, n / 10)),
        ("words", |n| format!("\"{}{}\"", ["d", "a", "c", "b"][n % 4], n)),
        ("fours", |n| format!("[{},{},{},{}]", n % 8, n / 8, n % 7, n % 5)),
    ];
    let played = Move::Int(1);
    let asked = Request::Apply { id: 7, played: &played };
    for (name, form) in forms {
        let moves: Vec<String> = (0..100).map(form).collect();
        let line = format!(
            r#"{{"type":"position","id":7,"to_move":1,"legal_moves":[{}],"view":{{"board":"{}","moves":[1,2,3,4,5,6,7]}}}}"#,
            moves.join(","),
            ".".repeat(200)
        );
        assert!(Answer::read(line.as_bytes(), &asked).is_ok(), "{name}");
        group.bench_function(name, |b| b.iter(|| Answer::read(black_box(line.as_bytes()), &asked)));
    }
    group.finish();
}

fn protocol(c: &mut Criterion) {
    let mut group = c.benchmark_group("decode a move");
    for (name, line) in [
        ("plain", r#"{"type":"move","id":8589934592,"move":3}"#),
        ("list", r#"{"type":"move","id":8589934592,"move":[7,7]}"#),
        ("with eval and comment", r#"{"type":"move","id":8589934592,"move":3,"eval":0.25,"comment":"centre first"}"#),
        ("with debug", r#"{"type":"move","id":8589934592,"move":3,"debug":{"depth":9,"nodes":[1,2,3],"pv":"3 3 2"}}"#),
    ] {
        group.throughput(Throughput::Bytes(line.len() as u64));
        group.bench_function(name, |b| b.iter(|| decode(black_box(line.as_bytes()))));
    }
    group.finish();

    let mut group = c.benchmark_group("encode a request");
    for name in Variant::names() {
        let message = request(name);
        let mut line = Vec::new();
        message.encode(&mut line);
        group.throughput(Throughput::Bytes(line.len() as u64));
        group.bench_function(name, |b| {
            b.iter(|| {
                line.clear();
                message.encode(&mut line);
                line.len()
            });
        });
    }
    group.finish();

    c.bench_function("a question to bytes, and its reply from bytes to move", |b| {
        let variant = variant("connect4");
        let clock = TimeControl::per_move(Duration::from_secs(1));
        let setup = RefereeSetup { variant: &variant, seed: 1, opening: &[], clock, max_plies: None };
        let mut referee = Referee::new(&setup).expect("a game without an opening");
        let (mut lines, mut json, mut asked) = (BotLines::default(), Json::new([1, 2]), Vec::new());
        let mut reply = b"{\"type\":\"move\",\"id\":0000000000000000,\"move\":3}\n".to_vec();
        b.iter(|| {
            let Some(question) = referee.next_question() else { panic!("the game has begun") };
            asked.clear();
            json.write(Outgoing::Question(&question), &mut asked);
            // Every id has 16 digits.
            reply[20..36].copy_from_slice(&asked[28..44]);
            lines.space()[..reply.len()].copy_from_slice(&reply);
            lines.filled(reply.len());
            lines.next(&mut json, true)
        });
    });
}

/// Whole games with players that answer at once: everything except processes and pipes.
fn referee(c: &mut Criterion) {
    let mut group = c.benchmark_group("referee alone, a whole game");
    for name in Variant::names() {
        let variant = variant(name);
        let setup = RefereeSetup {
            variant: &variant,
            seed: 1,
            opening: &[],
            clock: TimeControl::per_move(Duration::from_secs(1)),
            max_plies: None,
        };
        group.bench_function(name, |b| {
            b.iter_batched_ref(
                || [SampleMover, SampleMover],
                |[first, second]| game::play(&setup, [1, 2], [first, second], None).map(|(referee, _)| referee),
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();
}

/// What `--serve` adds to a move: 100 moves on the board of a slot, in games of 40.
#[expect(clippy::disallowed_methods, reason = "a slot reads the clock too")]
fn watched(c: &mut Criterion) {
    let mut event = Tournament::new("cup", &variant("gomoku"));
    event.bots = ["a", "b"].map(|name| Entry::new(name, name, "")).into();
    event.openings = vec![Vec::new()];
    let job = Scheduler::new(event.into(), &[], &[], &mut ()).expect("a schedule").issue().expect("a game");
    let mut group = c.benchmark_group("100 moves in a watched slot");
    for (name, played) in [("column", Move::Int(3)), ("cell", Move::List(vec![7, 7]))] {
        let boards = Arc::new(Boards::default());
        boards.open(1, Vec::new());
        let mut board = BoardWriter::new(boards, 0);
        let measured = Played { us: 5, eval: Some(0.5), comment: Some("forced".to_owned()), ..Played::default() };
        let made = MadeMove { ply: 0, seat: Seat::First, played: &played, measured: &measured };
        group.throughput(Throughput::Elements(100));
        group.bench_function(name, |b| {
            b.iter(|| {
                for ply in 0..100 {
                    if ply % 40 == 0 {
                        board.begin(&job);
                    }
                    board.asked(black_box(Some(made)), Instant::now());
                }
            });
        });
    }
    group.finish();
}

fn before_and_after(c: &mut Criterion) {
    let mut group = c.benchmark_group("draw 1000 openings");
    group.sample_size(20);
    for name in ["tictactoe", "connect4", "gomoku"] {
        let variant = variant(name);
        let plies = (variant.rules.opening_plies)(&variant.params);
        group.bench_function(name, |b| b.iter(|| openings::draw(&variant, plies, 1, 1_000, Lost::Last)));
    }
    group.finish();
}
