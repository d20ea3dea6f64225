//! A small fixed tournament for tests: those here, and those of the other crates, which include this file.
#![allow(dead_code, reason = "each crate uses a part of it")]

use std::sync::Arc;

use arena_core::cause::Cause;
use arena_core::event::{Entry, LeftOut, ScheduledGame, Tournament};
use arena_core::record::{BotId, Evidence, GameResult, Load, Played, Record, Status};
use arena_core::referee::Verdict;
use arena_core::rules::{Move, Movers, Seat, Variant};
use arena_core::schedule::{self, Job, Scheduler};

/// Connect four, the game of the tournament.
pub(crate) fn variant() -> Variant {
    Variant::named("connect4").unwrap()
}

/// Defines two rounds of connect four between bots with these names.
pub(crate) fn event(names: &[&str]) -> Tournament {
    let entry = |(index, name): (usize, &&str)| Entry {
        id: BotId {
            name: (*name).to_owned(),
            fingerprint: format!("print of {name}"),
            // Bots with equal names are copies.
            twin: names[..index].contains(name),
        },
        command: format!("bots/{name} --quick"),
        speaks: None,
        tags: arena_core::tags::Tags::default(),
        made_of: None,
    };
    Tournament {
        rounds: 2,
        seed: 2026,
        openings: vec![vec![Move::Int(3)], vec![Move::Int(4)]],
        bots: names.iter().enumerate().map(entry).collect(),
        left_out: vec![LeftOut::unable("lazy", "no hello within 10 s")],
        warnings: vec!["mind the gap".to_owned()],
        ..Tournament::new("cup", &variant())
    }
}

/// The games of `event`.
pub(crate) fn schedule(event: &Tournament) -> Vec<ScheduledGame> {
    let mut scheduler = Scheduler::new(Arc::new(event.clone()), &[], &[], &mut ()).unwrap();
    std::iter::from_fn(|| Some(scheduler.issue()?.game)).collect()
}

/// The same game after `repeat` void attempts.
pub(crate) fn attempt(event: &Tournament, place: u32, repeat: u32) -> ScheduledGame {
    let game = schedule(event).swap_remove(place as usize);
    let (id, seed) = event.identify(game.round - 1, game.bots, repeat, event.open_information());
    ScheduledGame { id, seed, repeat, ..game }
}

/// A record of `game` with two moves after the opening, the first after `us` and the second 500 µs later.
pub(crate) fn record(event: &Tournament, game: &ScheduledGame, result: GameResult, us: u64) -> Record {
    let opening = &event.openings[game.opening];
    let moves = opening.iter().cloned().chain([Move::Int(us as i64 % 7 + 1), Move::Int(2)]).collect();
    let verdict = Verdict::new(result, "line".to_owned());
    Record {
        bots: game.bots.map(|bot| BotId { name: "an old name".to_owned(), ..event.bots[bot].id.clone() }),
        moves,
        movers: Movers::default(),
        scores: None,
        answers: None,
        played: [us, us.saturating_add(500)]
            .map(|us| Played { us, cpu_us: Some(us / 2), credit_us: us % 2, ..Played::default() })
            .to_vec(),
        surplus_lines: [0, 2],
        denied: Default::default(),
        off_move_us: [0, 1_500],
        started: "2026-01-01T00:00:00Z".to_owned(),
        host: "box".to_owned(),
        arena: "0.1.0".to_owned(),
        ..schedule::record(event, game, opening, verdict)
    }
}

/// All games, as the scheduler gives them out.
pub(crate) fn jobs(event: &Tournament) -> Vec<Job> {
    let mut scheduler = Scheduler::new(Arc::new(event.clone()), &[], &[], &mut ()).unwrap();
    std::iter::from_fn(|| scheduler.issue()).collect()
}

/// Makes a seat of a game lose by a fault.
pub(crate) fn fault(record: &mut Record, seat: Seat, status: Status, message: &str) {
    record.result = GameResult::of(Some(seat.other()));
    record.reason = status.name().to_owned();
    record.statuses[seat.index()] = status;
    record.evidence[seat.index()] = Some(Evidence { message: message.to_owned(), ..Evidence::default() });
}

/// A record of every game of `event`, each a draw, with times of `us`.
pub(crate) fn draws(event: &Tournament, us: u64) -> Vec<Record> {
    schedule(event).iter().map(|game| record(event, game, GameResult::Draw, us)).collect()
}

/// Records of all games of `schedule` except the last, in mixed order. Two of three bots commit faults. One
/// game is void, and another was void at its first attempt.
pub(crate) fn records(event: &Tournament, schedule: &[ScheduledGame]) -> Vec<Record> {
    use GameResult::{Draw, FirstWins, SecondWins, Void};
    let results = [FirstWins, Draw, FirstWins, SecondWins, Draw, Draw, FirstWins, FirstWins, Void, FirstWins, Draw];
    let mut records: Vec<Record> = schedule
        .iter()
        .zip(results)
        .enumerate()
        .map(|(index, (game, result))| record(event, game, result, 1_000 + index as u64 / 4))
        .collect();
    fault(&mut records[0], Seat::Second, Status::Timeout, "no reply within 1000 ms");
    fault(&mut records[6], Seat::Second, Status::Timeout, "later");
    let load = Some(Load { average: 60, processors: 2 });
    records[6].evidence[1] = Some(Evidence { load, ..Evidence::new(Cause::Starved, "later") });
    fault(&mut records[9], Seat::Second, Status::IllegalMove, "move 9\u{1b}[2J is not legal");
    // The draw of the first round's pair, repeated move for move.
    records[10].opening = records[4].opening.clone();
    records[10].moves = records[4].moves.clone();
    // The void game has the same moves as the one that replaced it.
    let again = attempt(event, 3, 1);
    let mut void = records[3].clone();
    void.result = Void;
    (records[3].id, records[3].seed, records[3].repeat) = (again.id.to_string(), again.seed, 1);
    records.insert(0, void);
    records.reverse();
    records
}

/// A game with an opening, evaluations, and a fault with hostile evidence.
pub(crate) fn reported_game() -> Record {
    let event = event(&["minimax", "grumpy"]);
    let mut record = record(&event, &schedule(&event)[0], GameResult::FirstWins, 1);
    (record.id, record.seed) = ("00000000000000ff".to_owned(), 0);
    for (bot, entry) in record.bots.iter_mut().zip(&event.bots) {
        bot.name.clone_from(&entry.id.name);
    }
    record.moves = [3, 4, 3].map(Move::Int).to_vec();
    record.played[0].comment = Some("mine\u{1b}[31m".to_owned());
    record.played[1] = Played { us: 12_400, eval: Some(0.314), ..Played::default() };
    fault(&mut record, Seat::Second, Status::Timeout, "no reply within 1000 ms");
    record.evidence[1] = Some(Evidence {
        cpu_us: None,
        message: "no reply within 1000 ms".to_owned(),
        last_sent: Some("{\"type\":\"move\"}\n".to_owned()),
        last_received: Some("{\"ok\":\u{7}".to_owned()),
        stderr_tail: Some("thinking\n\u{202e}hard\n".to_owned()),
        ..Evidence::default()
    });
    record
}
