//! A small fixed tournament for tests: those here, and those of the application, which includes this file.

use std::sync::Arc;

use crate::event::{Entry, Event, LeftOut, ScheduledGame};
use crate::record::{BotId, GameResult, Played, Record};
use crate::referee::Verdict;
use crate::rules::{Move, Movers, Variant};
use crate::schedule::{self, Scheduler};

/// Connect four, the game of the tournament.
pub(crate) fn variant() -> Variant {
    Variant::named("connect4").unwrap()
}

/// Defines two rounds of connect four between bots with these names.
pub(crate) fn event(names: &[&str]) -> Event {
    let entry = |(index, name): (usize, &&str)| Entry {
        id: BotId {
            name: (*name).to_owned(),
            fingerprint: format!("print of {name}"),
            // Bots with equal names are copies.
            twin: names[..index].contains(name),
        },
        command: format!("bots/{name} --quick"),
        speaks: None,
        tags: crate::tags::Tags::default(),
        made_of: None,
    };
    Event {
        rounds: 2,
        seed: 2026,
        openings: vec![vec![Move::Int(3)], vec![Move::Int(4)]],
        bots: names.iter().enumerate().map(entry).collect(),
        left_out: vec![LeftOut::unable("lazy", "no hello within 10 s")],
        warnings: vec!["mind the gap".to_owned()],
        ..Event::new("cup", &variant())
    }
}

/// The games of `event`.
pub(crate) fn schedule(event: &Event) -> Vec<ScheduledGame> {
    let mut scheduler = Scheduler::new(Arc::new(event.clone()), &[], &[], &mut ()).unwrap();
    std::iter::from_fn(|| Some(scheduler.issue()?.game)).collect()
}

/// The same game after `repeat` void attempts.
pub(crate) fn attempt(event: &Event, place: u32, repeat: u32) -> ScheduledGame {
    let game = schedule(event).swap_remove(place as usize);
    let (id, seed) = event.identify(game.round - 1, game.bots, repeat, event.open_information());
    ScheduledGame { id, seed, repeat, ..game }
}

/// A record of `game` with two moves after the opening, the first after `us` and the second 500 µs later.
pub(crate) fn record(event: &Event, game: &ScheduledGame, result: GameResult, us: u64) -> Record {
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
