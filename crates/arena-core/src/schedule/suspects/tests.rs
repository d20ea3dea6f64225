//! Bots that may be withdrawn are held back until it is decided.

use std::sync::Arc;

use super::super::tests::{crash, event, play, run, with_strikes};
use super::*;
use crate::event::Tournament;
use crate::fixture;
use crate::record::GameResult;
use crate::schedule::{Job, News, Scheduler};

#[test]
fn a_bot_that_fails_again_and_again_waits_until_it_is_known_why() {
    let mut scheduler = Scheduler::new(event(2, 10), &[], &[], &mut ()).unwrap();
    let event = Arc::clone(scheduler.event());
    let slow = scheduler.issue().unwrap();
    for _ in 0..3 {
        let job = scheduler.issue().unwrap();
        scheduler.settle(job.place, play(&event, &job), false);
    }
    assert_eq!(scheduler.issue(), None, "the first game may still show that it starts");
    assert!(scheduler.settle(slow.place, play(&event, &slow), false).withdrawn == [1]);
    assert_eq!((scheduler.issue(), scheduler.is_complete()), (None, true));
}

#[test]
fn a_bot_that_failed_repeatedly_before_a_stop_waits_after_it() {
    let mut scheduler = Scheduler::new(event(3, 4), &[], &[], &mut ()).unwrap();
    let event = Arc::clone(scheduler.event());
    // The first game was lost by the stop.
    let slow = scheduler.issue().unwrap();
    let mut failed = Vec::new();
    while let Some(job) = scheduler.issue() {
        let brief = play(&event, &job);
        scheduler.settle(job.place, brief, false);
        failed.extend(job.game.bots.contains(&1).then_some(brief));
    }
    assert_eq!((failed.len(), slow.game.bots.contains(&1)), (3, true));
    let mut scheduler = Scheduler::new(event, &failed, &[], &mut ()).unwrap();
    // Only the game that decides begins, and then those of others.
    let jobs: Vec<Job> = std::iter::from_fn(|| scheduler.issue()).collect();
    let starts: Vec<u32> = jobs.iter().filter(|job| job.game.bots.contains(&1)).map(|job| job.place).collect();
    assert_eq!((starts, jobs.len()), (vec![slow.place], 1 + 8));
    for job in jobs {
        let brief = play(&scheduler.event().clone(), &job);
        scheduler.settle(job.place, brief, false);
    }
    assert!(run(&mut scheduler, &mut (), 1, 0, usize::MAX).iter().all(|void| void.repeat > 0));
    assert!(scheduler.is_complete() && scheduler.withdrawal(1).is_some());
}

/// A loss of this bot by a crash.
fn crashed(event: &Tournament, job: &Job, bot: usize) -> Brief {
    let mut record = fixture::record(event, &job.game, GameResult::Draw, 1);
    if let Some(seat) = Seat::BOTH.into_iter().find(|seat| job.game.bots[seat.index()] == bot) {
        crash(&mut record, seat, 2);
    }
    Brief::of(&record, 0, 1)
}

#[test]
fn a_bot_that_crashes_again_and_again_waits_until_it_is_known_why() {
    for is_first_lost in [true, false] {
        let mut scheduler = Scheduler::new(with_strikes(&event(2, 10), 5), &[], &[], &mut ()).unwrap();
        let event = Arc::clone(scheduler.event());
        let slow = scheduler.issue().unwrap();
        for _ in 0..5 {
            let job = scheduler.issue().unwrap();
            assert!(!scheduler.is_unwanted(job.place));
            scheduler.settle(job.place, crashed(&event, &job, 1), false);
        }
        assert_eq!(scheduler.issue(), None, "the first game may still show that it works");
        assert!(scheduler.is_unwanted(7), "nor does one begin that was handed out");
        let brief = crashed(&event, &slow, if is_first_lost { 1 } else { 2 });
        let withdrawn = scheduler.settle(slow.place, brief, false).withdrawn;
        assert_eq!((withdrawn, scheduler.issue().is_none()), (vec![1; is_first_lost.into()], is_first_lost));
        assert_eq!(scheduler.withdrawal(1).map(|withdrawal| withdrawal.from), is_first_lost.then_some(5));
    }
}

#[test]
fn a_bot_that_works_waits_for_no_earlier_game() {
    let mut scheduler = Scheduler::new(with_strikes(&event(2, 10), 3), &[], &[], &mut ()).unwrap();
    let event = Arc::clone(scheduler.event());
    let slow = scheduler.issue().unwrap();
    for number in 0..18 {
        let job = scheduler.issue().unwrap();
        scheduler.settle(job.place, crashed(&event, &job, if number == 1 { 2 } else { 1 }), false);
    }
    // However the first game ends.
    assert_eq!(scheduler.settle(slow.place, crashed(&event, &slow, 1), false), News::default());
    assert!(scheduler.issue().is_some() && scheduler.withdrawal(1).is_none());
}

#[test]
fn a_bot_that_crashed_repeatedly_before_a_stop_waits_after_it() {
    let event = with_strikes(&event(2, 10), 5);
    let mut scheduler = Scheduler::new(Arc::clone(&event), &[], &[], &mut ()).unwrap();
    let slow = scheduler.issue().unwrap();
    let known: Vec<Brief> = (0..5).map(|_| crashed(&event, &scheduler.issue().unwrap(), 1)).collect();
    let mut scheduler = Scheduler::new(event, &known, &[], &mut ()).unwrap();
    assert_eq!((scheduler.issue(), scheduler.issue()), (Some(slow), None));
}
