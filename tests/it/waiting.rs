//! How long slots wait for decisions, in simulated time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use arena::event::{Entry, Tournament};
use arena::format::FormatOptions;
use arena::record::GameResult;
use arena::referee::Verdict;
use arena::rng::Rng;
use arena::rules::Move;
use arena::schedule::{Brief, Scheduler, record};

const SLOTS: usize = 16;

/// The share of the time in which slots have no game while a tournament goes on; games take 5 to 15 ms.
fn idle(format: &str, rounds: u32, options: FormatOptions) -> f64 {
    let mut event = Tournament::new("cup", &"connect4".parse().expect("a game"));
    event.bots = (0..20).map(|bot| Entry::new(&format!("bot{bot}"), &format!("print {bot}"), "")).collect();
    (event.format, event.format_options, event.rounds) = (format.to_owned(), options, rounds);
    event.openings = (1..=100).map(|number| vec![Move::Int(number % 7 + 1)]).collect();
    let mut scheduler = Scheduler::new(event.into(), &[], &[], &mut ()).expect("a schedule");
    let (mut rng, mut running, mut time, mut waited) = (Rng::new(1), BinaryHeap::new(), 0, 0);
    let mut jobs = Vec::new();
    loop {
        while scheduler.decide(&mut ()).is_some() {}
        while running.len() < SLOTS
            && let Some(job) = scheduler.issue()
        {
            running.push(Reverse((time + 5_000 + rng.below(10_000), jobs.len())));
            jobs.push(job);
        }
        let Some(Reverse((ends, number))) = running.pop() else { return waited as f64 / (SLOTS as u64 * time) as f64 };
        // At the end they have nothing to wait for.
        if scheduler.is_open() {
            waited += (SLOTS - 1 - running.len()) as u64 * (ends - time);
        }
        time = ends;
        let job = &jobs[number];
        let result = [GameResult::FirstWins, GameResult::SecondWins, GameResult::Draw][rng.below(3) as usize];
        let mut played = record(scheduler.event(), &job.game, &job.opening, Verdict::new(result, String::new()));
        played.moves.push(Move::Int(number as i64));
        scheduler.settle(job.place, Brief::of(&played, 0, 1), false);
    }
}

#[test]
fn slots_do_not_wait_for_the_decisions_of_a_ladder() {
    let ladder = idle("ladder", 100, serde_json::from_str(r#"{"pairs_per_bot":100}"#).expect("options"));
    assert!(ladder <= 0.01, "{ladder}");
    // It would be seen: those of a knockout do.
    let knockout = idle("knockout", 3, FormatOptions::default());
    assert!(knockout > 0.1, "{knockout}");
}
