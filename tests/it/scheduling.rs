//! What is promised of stops, order and concurrency, without processes: they follow from the schedule alone.

use std::time::Duration;

use arena::event::Tournament;
use arena::format::{FORMATS, Format, FormatOptions, Pair};
use arena::observer::{RunEnding, RunEvent};
use arena::record::{GameResult, Record, Status};
use arena::rules::Move;
use arena::schedule::{Addition, Job, Policy, Scheduler};

use crate::scripted::{Cup, ending, event};

const BOTS: [&str; 4] = ["ann", "ben", "dead", "eve"];

/// Who was withdrawn, and the number of games that this leaves unplayed.
fn withdrawn(told: &[RunEvent]) -> Vec<(&str, usize)> {
    let of_each = told.iter().filter_map(|event| match event {
        RunEvent::Withdrawn { name, games, .. } => Some((name.as_str(), *games)),
        _ => None,
    });
    of_each.collect()
}

/// Plays the whole tournament with one bot that never starts.
fn play(cup: &Cup, slots: usize, seed: u64, policy: &mut dyn Policy) -> (RunEnding, Vec<RunEvent>) {
    cup.run(slots, seed, policy, |job| ending(&cup.event, job, Some("dead")))
}

fn failed_starts(cup: &Cup) -> usize {
    cup.lines().iter().filter(|line| line.contains("\"startup_failed\"")).count()
}

#[test]
fn tables_are_the_same_in_any_order_of_ending() {
    let straight = Cup::new(event(&BOTS, 5));
    let (end, told) = play(&straight, 1, 0, &mut ());
    assert_eq!((end, withdrawn(&told), failed_starts(&straight)), (RunEnding::Complete, vec![("dead", 27)], 3));
    let expected = straight.tables(&mut ());
    for seed in 0..20 {
        let other = Cup::new(event(&BOTS, 5));
        let slots = 1 + seed as usize % 8;
        let (end, told) = play(&other, slots, seed, &mut ());
        assert_eq!((end, withdrawn(&told).len()), (RunEnding::Complete, 1), "{slots} at a time");
        assert_eq!(other.tables(&mut ()), expected, "{slots} at a time, seed {seed}");
        assert!(failed_starts(&other) < 3 + slots, "{slots} at a time: those that were on their way");
    }
}

#[test]
fn a_stop_at_any_game_changes_nothing() {
    let cup = Cup::new(event(&BOTS, 3));
    play(&cup, 1, 0, &mut ());
    let (lines, expected) = (cup.lines(), cup.tables(&mut ()));
    for kept in 1..=lines.len() {
        cup.keep(&lines[..kept]);
        let (end, _) = play(&cup, 1, 0, &mut ());
        assert_eq!((end, cup.tables(&mut ())), (RunEnding::Complete, expected.clone()), "after {kept} lines");
        assert_eq!((cup.lines().len(), failed_starts(&cup)), (lines.len(), 3), "after {kept} lines");
    }
}

/// A tournament in each format, of so many bots.
pub(crate) fn in_every_format(bots: usize) -> Vec<Tournament> {
    let names = ["ann", "ben", "dead", "eve", "fay", "gus", "hal"];
    let options: FormatOptions =
        serde_json::from_str(r#"{"challengers":["ben"],"third_place":true,"pairs_per_bot":9}"#).expect("options");
    let openings: Vec<Vec<Move>> = (0..49).map(|number| vec![Move::Int(number / 7), Move::Int(number % 7)]).collect();
    let of_format = |format: &Format| Tournament {
        format: format.name.to_owned(),
        format_options: options.clone(),
        openings: openings.clone(),
        ..event(&names[..bots], if format.endless.is_some() { 20 } else { 2 })
    };
    FORMATS.iter().map(of_format).collect()
}

#[test]
fn every_format_gives_the_same_tables_in_any_order_and_after_any_stop() {
    for event in [2, 3, 4, 5, 7].into_iter().flat_map(in_every_format) {
        same_tables(&event, |_| true);
    }
}

#[test]
fn the_same_holds_where_a_bot_works_at_first() {
    for event in [3, 5, 6].into_iter().flat_map(in_every_format) {
        // It starts again now and then.
        same_tables(&event, |job| job.game.opening % 7 > 0);
    }
}

/// Plays a tournament in many ways; the dead bot starts unless `fails` says so.
fn same_tables(event: &Tournament, fails: fn(&Job) -> bool) {
    let play = |cup: &Cup, slots: usize, seed: u64, policy: &mut dyn Policy| {
        cup.run(slots, seed, policy, |job| ending(&cup.event, job, fails(job).then_some("dead")))
    };
    let what = format!("{} of {} bots", event.format, event.bots.len());
    let straight = Cup::new(event.clone());
    assert_eq!(play(&straight, 1, 0, &mut ()).0, RunEnding::Complete, "{what}");
    let (lines, expected) = (straight.lines(), straight.tables(&mut ()));
    for seed in 0..4 {
        let other = Cup::new(event.clone());
        assert_eq!(play(&other, 1 + 2 * seed as usize, seed, &mut ()).0, RunEnding::Complete, "{what}");
        assert_eq!(other.tables(&mut ()), expected, "{what}, seed {seed}");
    }
    // Every line of a short tournament, some of a long one.
    for kept in (1..=lines.len()).step_by(1 + lines.len() / 24) {
        let cup = Cup::new(event.clone());
        cup.keep(&lines[..kept]);
        assert_eq!(play(&cup, 1 + kept % 4, kept as u64, &mut ()).0, RunEnding::Complete, "{what}, {kept} lines");
        assert_eq!(cup.tables(&mut ()), expected, "{what}, after {kept} lines");
    }
}

#[test]
fn a_budget_changes_how_far_a_tournament_goes_and_nothing_else() {
    for event in in_every_format(5) {
        let what = event.format.clone();
        let mut cup = Cup::new(event);
        play(&cup, 1, 0, &mut ());
        let (lines, expected) = (cup.lines(), cup.tables(&mut ()));
        // There is time for what is missing, also where only games in the middle are.
        cup.budget = Some(Duration::from_secs(3_600));
        for kept in (1..lines.len()).step_by(5) {
            let left_out = lines[kept - 1].starts_with("{\"type\":\"game\"");
            let gap = |(number, _): &(usize, &String)| !left_out || *number != kept - 1;
            let kept_lines: Vec<String> = lines.iter().enumerate().filter(gap).map(|(_, line)| line.clone()).collect();
            cup.keep(&kept_lines);
            assert_eq!(play(&cup, 2, kept as u64, &mut ()).0, RunEnding::Complete, "{what}, without line {kept}");
            assert_eq!(cup.tables(&mut ()), expected, "{what}, without line {kept}");
        }
        // There is none: nothing begins, and that is a line of the journal.
        cup.budget = Some(Duration::ZERO);
        let half = &lines[..lines.len() / 2];
        cup.keep(half);
        assert_eq!(play(&cup, 2, 0, &mut ()).0, RunEnding::OutOfTime, "{what}");
        let games = |lines: &[String]| lines.iter().filter(|line| line.starts_with("{\"type\":\"game\"")).count();
        assert_eq!(games(&cup.lines()), games(half), "{what}");
        assert!(cup.lines().last().is_some_and(|line| line.contains("\"stop\"")), "{what}");
        cup.budget = None;
        assert_eq!(play(&cup, 3, 1, &mut ()).0, RunEnding::Complete, "{what}");
        assert_eq!(cup.tables(&mut ()), expected, "{what}");
    }
}

/// Adds pairs of the two best bots of the first game, three times.
struct More;

impl Policy for More {
    fn more(&mut self, scheduler: &Scheduler) -> Option<Addition> {
        let known = scheduler.total() / 2;
        let first = scheduler.at(known - 1).map(|brief| brief.result);
        let bots = if first == Some(GameResult::Draw) { [0, 1] } else { [0, 3] };
        let pair = |number| Pair { round: 4, opening: known + number, bots };
        (known < 27).then(|| Addition { pairs: (0..3).map(pair).collect(), openings: Vec::new(), is_whole: false })
    }
}

#[test]
fn games_that_are_added_are_the_same_after_any_stop_and_in_any_order() {
    let straight = Cup::new(event(&BOTS, 3));
    let (end, told) = play(&straight, 1, 0, &mut More);
    let added = |told: &[RunEvent]| told.iter().filter(|event| matches!(event, RunEvent::RoundAdded { .. })).count();
    assert_eq!((end, added(&told)), (RunEnding::Complete, 3));
    let (lines, expected) = (straight.lines(), straight.tables(&mut ()));
    let decisions = |cup: &Cup| -> Vec<String> {
        cup.lines().into_iter().filter(|line| line.starts_with("{\"type\":\"round\"")).collect()
    };
    let decided = decisions(&straight);
    assert_eq!(decided.len(), 3);
    for kept in 1..=lines.len() {
        let cup = Cup::new(event(&BOTS, 3));
        cup.keep(&lines[..kept]);
        play(&cup, 1 + kept % 4, kept as u64, &mut More);
        assert_eq!((cup.tables(&mut ()), decisions(&cup)), (expected.clone(), decided.clone()), "after {kept} lines");
    }
    // Without what decided on them they are still there.
    assert_eq!(play(&straight, 1, 0, &mut ()).0, RunEnding::Complete);
    assert_eq!((straight.tables(&mut ()), straight.lines()), (expected, lines));
}

#[test]
fn of_two_bots_withdrawn_at_once_each_loses_its_games() {
    let cup = Cup::new(event(&["ann", "ben", "eve"], 5));
    // The fifth game is the third failed start of both.
    let (end, told) = cup.run(1, 0, &mut (), |job| {
        let mut record = ending(&cup.event, job, None);
        record.statuses = job.game.bots.map(|bot| if bot == 2 { Status::Ok } else { Status::StartupFailed });
        record.result = [GameResult::FirstWins, GameResult::SecondWins, GameResult::Void]
            [job.game.bots.iter().position(|bot| *bot == 2).unwrap_or(2)];
        record
    });
    assert_eq!((end, withdrawn(&told)), (RunEnding::Complete, vec![("ann", 17), ("ben", 8)]));
}

/// A test that does not come to a decision.
struct Undecided;

impl Policy for Undecided {
    fn may_end_early(&self) -> bool {
        true
    }
}

#[test]
fn a_test_does_not_run_far_ahead_of_a_slow_game() {
    let mut cup = Cup::new(event(&["ann", "ben"], 100));
    cup.slow = Some(0);
    let ahead = |policy: &mut dyn Policy| {
        cup.keep(&cup.lines()[..1]);
        let mut ended = Vec::new();
        let play = |job: &Job| {
            ended.push(job.place);
            ending(&cup.event, job, None)
        };
        assert_eq!(cup.run(2, 0, policy, play).0, RunEnding::Complete);
        ended.iter().position(|place| *place == 0)
    };
    assert_eq!((ahead(&mut Undecided), ahead(&mut ())), (Some(8 * 4 - 1), Some(199)));
}

/// As [`play`], where one bot crashes in every game that begins.
fn play_with_crasher(cup: &Cup, slots: usize, seed: u64) -> (RunEnding, Vec<RunEvent>) {
    cup.run(slots, seed, &mut (), |job| {
        let mut record = ending(&cup.event, job, Some("dead"));
        let crasher = job.game.bots.iter().position(|bot| cup.event.bots[*bot].id.name == "eve");
        if let Some(seat) = crasher.filter(|_| record.statuses == [Status::Ok; 2]) {
            record.statuses[seat] = Status::Crashed;
            record.result = [GameResult::SecondWins, GameResult::FirstWins][seat];
        }
        record
    })
}

#[test]
fn first_games_lost_by_crashes_withdraw_a_bot_in_any_order_and_after_any_stop() {
    let crashes = |cup: &Cup| cup.lines().iter().filter(|line| line.contains("\"crashed\"")).count();
    let straight = Cup::new(event(&BOTS, 5));
    let (end, told) = play_with_crasher(&straight, 1, 0);
    assert_eq!((end, crashes(&straight)), (RunEnding::Complete, 10));
    assert_eq!(withdrawn(&told), [("dead", 27), ("eve", 10)]);
    let (lines, expected) = (straight.lines(), straight.tables(&mut ()));
    for seed in 0..20 {
        let other = Cup::new(event(&BOTS, 5));
        let slots = 1 + seed as usize % 8;
        let (end, told) = play_with_crasher(&other, slots, seed);
        assert_eq!((end, withdrawn(&told).len()), (RunEnding::Complete, 2), "{slots} at a time");
        assert_eq!(other.tables(&mut ()), expected, "{slots} at a time, seed {seed}");
        assert!(crashes(&other) < 10 + slots, "{slots} at a time: those that were on their way");
    }
    for kept in 1..=lines.len() {
        straight.keep(&lines[..kept]);
        let (end, _) = play_with_crasher(&straight, 1 + kept % 4, kept as u64);
        assert_eq!((end, straight.tables(&mut ())), (RunEnding::Complete, expected.clone()), "after {kept} lines");
    }
}

#[test]
fn a_start_in_between_heals() {
    let cup = Cup::new(event(&["ann", "moody"], 6));
    let mut starts = 0;
    // Of three starts two fail.
    let moody = |job: &Job| -> Record {
        starts += 1;
        ending(&cup.event, job, (starts % 3 != 0).then_some("moody"))
    };
    let (end, told) = cup.run(1, 0, &mut (), moody);
    assert_eq!((end, withdrawn(&told), failed_starts(&cup)), (RunEnding::Complete, vec![], 8));
}

#[test]
fn what_cannot_be_run_is_tried_again_and_then_stops_the_run() {
    let cup = Cup::new(event(&["ann", "ben"], 20));
    let void = |job: &Job| {
        let mut record = ending(&cup.event, job, None);
        (record.result, record.reason, record.statuses) = (GameResult::Void, "no memory".to_owned(), [Status::Ok; 2]);
        record
    };
    let (end, told) = cup.run(2, 3, &mut (), void);
    assert_eq!(end, RunEnding::Stopped);
    let warned = told.iter().filter(|event| {
        matches!(event, RunEvent::Warning { text } if text == "10 consecutive games could not be run: no memory; no more games begin")
    });
    assert_eq!(warned.count(), 1, "{told:?}");
    // Each had four attempts, and those that were on their way are in the journal, too.
    let attempts = cup.lines().len() - 1;
    assert!((40..=40 + 12).contains(&attempts), "{attempts}");
    assert_eq!(cup.run(3, 4, &mut (), |job| ending(&cup.event, job, None)).0, RunEnding::Complete);
}
