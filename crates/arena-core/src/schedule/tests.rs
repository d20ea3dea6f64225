//! Laws of the scheduler: the schedule and its results do not depend on the order in which games end.

use std::collections::HashSet;
use std::num::NonZeroU32;

use proptest::prelude::*;

use super::*;
use crate::cause::Cause;
use crate::event::StrikeLimits;
use crate::fixture;
use crate::format::toy::KING_OF_THE_HILL;
use crate::record::{Evidence, GameResult, Status};
use crate::rules::Seat;

pub(super) fn event(bots: usize, rounds: u32) -> Arc<Tournament> {
    let names: Vec<String> = (0..bots).map(|bot| format!("bot{bot}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Arc::new(Tournament { rounds, ..fixture::event(&names) })
}

/// The same, with bots withdrawn after losing this many first games.
pub(super) fn with_strikes(event: &Tournament, games: u32) -> Arc<Tournament> {
    let strikes = StrikeLimits { games: NonZeroU32::new(games), ..StrikeLimits::default() };
    Arc::new(Tournament { strikes, ..event.clone() })
}

/// The same in a stepwise format.
fn stepwise(event: &Tournament) -> Arc<Tournament> {
    Arc::new(Tournament { format: KING_OF_THE_HILL.name.to_owned(), ..event.clone() })
}

/// How a game ends: a function of its id alone, as for deterministic bots. Bot 1 never starts, bot 2 fails occasionally
/// against the others, bot 0 crashes often and bot 3 always, at its first move, and some games are void at the first attempt.
pub(super) fn play(event: &Tournament, job: &Job) -> Brief {
    let luck = crate::rng::derive_seed(7, "luck", &[job.game.id.to_string().as_bytes()]);
    let results = [GameResult::FirstWins, GameResult::Draw, GameResult::SecondWins];
    let mut record = fixture::record(event, &job.game, results[(luck % 3) as usize], luck % 100);
    let fails = job.game.bots.map(|bot| bot == 1 || bot == 2 && luck.is_multiple_of(2) && !job.game.bots.contains(&1));
    match fails {
        [true, _] => record.result = GameResult::SecondWins,
        [false, true] => record.result = GameResult::FirstWins,
        [false, false] if job.game.repeat == 0 && luck.is_multiple_of(7) => record.result = GameResult::Void,
        [false, false] => {}
    }
    record.statuses = fails.map(|fails| if fails { Status::StartupFailed } else { Status::Ok });
    let crashes = |bot: usize| bot == 3 || bot == 0 && !luck.is_multiple_of(5);
    if let Some(seat) = Seat::BOTH.into_iter().find(|seat| crashes(job.game.bots[seat.index()]))
        && fails == [false; 2]
        && record.counts()
    {
        crash(&mut record, seat, luck);
    }
    Brief::of(&record, 0, 1)
}

/// The bot on this seat loses at its first move, by a timeout or a crash depending on `luck`; some timeouts are the
/// machine's fault.
pub(super) fn crash(record: &mut Record, seat: Seat, luck: u64) {
    record.result = GameResult::of(Some(seat.other()));
    record.statuses[seat.index()] = if luck.is_multiple_of(2) { Status::Crashed } else { Status::Timeout };
    let cause = if luck.is_multiple_of(3) { Cause::Starved } else { Cause::NoMove };
    record.evidence[seat.index()] = Some(Evidence::new(cause, ""));
    record.played.truncate((luck % 2) as usize);
}

/// Plays to the end with up to `width` games at a time, which end in an order drawn from `seed`; returns the journal.
pub(super) fn run(
    scheduler: &mut Scheduler,
    policy: &mut dyn Policy,
    width: usize,
    seed: u64,
    stop: usize,
) -> Vec<Brief> {
    let event = Arc::clone(scheduler.event());
    let (mut running, mut journal, mut rng) = (Vec::new(), Vec::new(), crate::rng::Rng::new(seed));
    loop {
        while scheduler.decide(policy).is_some() {}
        while running.len() < width
            && journal.len() < stop
            && let Some(job) = scheduler.issue()
        {
            running.push(job);
        }
        if running.is_empty() {
            return journal;
        }
        let job = running.swap_remove(rng.below(running.len() as u64) as usize);
        let brief = play(&event, &job);
        journal.push(brief);
        scheduler.settle(job.place, brief, false);
    }
}

type Ended = (GameId, GameResult, [Status; 2]);

/// Everything that tables are made from.
fn outcome(scheduler: &Scheduler) -> Vec<(Planned, Option<Ended>)> {
    let at = |game: Planned| (game, scheduler.at(game.place).map(|brief| (brief.id, brief.result, brief.statuses)));
    scheduler.games().map(at).collect()
}

#[test]
fn a_planned_game_takes_few_bytes() {
    assert!(size_of::<Brief>() <= 40, "{}", size_of::<Brief>());
    let scheduler = Scheduler::new(event(100, 1_000), &[], &[], &mut ()).unwrap();
    assert_eq!(scheduler.total(), 9_900_000);
    let planned =
        scheduler.stages.capacity() * size_of::<PlaceState>() + scheduler.latest.capacity() * size_of::<u32>();
    assert!(planned <= 40 * scheduler.total() as usize, "{planned}");
}

#[test]
fn the_third_failed_start_in_a_row_withdraws() {
    let mut scheduler = Scheduler::new(event(4, 2), &[], &[], &mut ()).unwrap();
    let journal = run(&mut scheduler, &mut (), 1, 0, usize::MAX);
    let withdrawal = *scheduler.withdrawal(1).expect("bot 1 never starts");
    let started = |place: u32| scheduler.planned(place).bots.contains(&1) && place < withdrawal.from;
    assert_eq!((0..scheduler.total()).filter(|place| started(*place)).count(), 3);
    assert!(scheduler.is_complete() && journal.len() < scheduler.total() as usize);
    for (game, brief) in scheduler.tried().filter(|(game, _)| game.bots.contains(&1)) {
        let seat = usize::from(game.bots[1] == 1);
        let lost = if game.place < withdrawal.from { Status::StartupFailed } else { Status::Withdrawn };
        assert_eq!(brief.statuses[seat], lost, "{game:?}");
    }
}

/// A game that no bot of `broken` can start; a draw between the others.
fn play_without(broken: &[usize], event: &Tournament, job: &Job) -> Brief {
    let mut record = fixture::record(event, &job.game, GameResult::Draw, u64::from(job.place));
    let fails = job.game.bots.map(|bot| broken.contains(&bot));
    record.result = match fails {
        [true, true] => GameResult::Void,
        [true, false] => GameResult::SecondWins,
        [false, true] => GameResult::FirstWins,
        [false, false] => GameResult::Draw,
    };
    record.statuses = fails.map(|fails| if fails { Status::StartupFailed } else { Status::Ok });
    Brief::of(&record, 0, 1)
}

/// Plays everything that is due, several games at a time, which end in an order drawn from `seed`; returns the games.
fn run_without(broken: &[usize], scheduler: &mut Scheduler, seed: u64) -> Vec<Brief> {
    run_recorded(broken, scheduler, seed, &mut Vec::new())
}

/// The same; adds the decisions to `decided`.
fn run_recorded(broken: &[usize], scheduler: &mut Scheduler, seed: u64, decided: &mut Vec<Round>) -> Vec<Brief> {
    let event = Arc::clone(scheduler.event());
    let (mut played, mut running, mut rng) = (Vec::new(), Vec::new(), crate::rng::Rng::new(seed));
    loop {
        decided.extend(std::iter::from_fn(|| scheduler.decide(&mut ())));
        while running.len() < 3
            && let Some(job) = scheduler.issue()
        {
            running.push(job);
        }
        if running.is_empty() {
            return played;
        }
        let job: Job = running.swap_remove(rng.below(running.len() as u64) as usize);
        played.push(play_without(broken, &event, &job));
        let news = scheduler.settle(job.place, played[played.len() - 1], false);
        assert!(scheduler.is_stepwise() || !news.tried_again, "that is left to another run");
    }
}

#[test]
fn a_game_that_neither_bot_could_start_is_missing_until_another_run_plays_it() {
    let never =
        Arc::new(Tournament { strikes: StrikeLimits { starts: None, games: None }, ..event(4, 2).as_ref().clone() });
    // With strikes, the third failed start withdraws both bots, and what they have not begun is void.
    for (event, broken, missing) in [
        (event(2, 3), [0, 1], 3),
        (Arc::new(Tournament { rounds: 3, ..Tournament::clone(&with_strikes(&event(2, 3), 1)) }), [0, 1], 3),
        (never, [1, 2], 4),
    ] {
        let start = |journal: &[Brief]| Scheduler::new(Arc::clone(&event), journal, &[], &mut ()).unwrap();
        let missing_of = |scheduler: &Scheduler| scheduler.missing().map(|game| game.place).collect::<Vec<_>>();
        let mut first = start(&[]);
        let mut journal = run_without(&broken, &mut first, 1);
        let places = missing_of(&first);
        assert_eq!(places.len(), missing);
        assert!(places.iter().all(|place| first.at(*place).is_some_and(|brief| brief.is_unstartable())));
        // Once in every run, at any order of the games.
        for seed in 2..5 {
            let mut again = start(&journal);
            let more = run_without(&broken, &mut again, seed);
            assert!(more.len() >= missing && missing_of(&again) == places, "{}", more.len());
            journal.extend(more);
        }
        let mut repaired = start(&journal);
        let more = run_without(&[], &mut repaired, 1);
        assert!(more.len() >= missing && missing_of(&repaired).is_empty() && repaired.is_complete());
        assert!((0..event.bots.len()).all(|bot| event.bots.len() > 2 || repaired.withdrawal(bot).is_none()));
        let mut read = start(&[journal, more].concat());
        assert_eq!((read.issue(), outcome(&read)), (None, outcome(&repaired)));
    }
}

#[test]
fn no_decision_looks_beyond_a_game_that_neither_bot_could_start() {
    let event = stepwise(&event(4, 2));
    let mut scheduler = Scheduler::new(Arc::clone(&event), &[], &[], &mut ()).unwrap();
    let journal = run_without(&[0, 1, 2, 3], &mut scheduler, 1);
    assert!(scheduler.is_open() && scheduler.missing().next().is_some());
    let decisions = scheduler.decisions();
    let mut repaired = Scheduler::new(event, &journal, &[], &mut ()).unwrap();
    run_without(&[], &mut repaired, 1);
    assert!(repaired.is_complete() && repaired.decisions() > decisions, "{decisions}");
}

/// An event of a format in which all of its bots play.
fn event_of(format: &crate::format::Format, bots: usize, rounds: u32, strikes: StrikeLimits) -> Arc<Tournament> {
    let options = serde_json::from_str(r#"{"pairs_per_bot":4}"#).unwrap();
    let event = event(bots, rounds);
    let openings = vec![Vec::new(); 5];
    let (format, format_options) = (format.name.to_owned(), options);
    Arc::new(Tournament { format, format_options, strikes, openings, ..event.as_ref().clone() })
}

#[test]
fn at_any_cut_the_field_is_level() {
    for bots in [6, 7, 20] {
        let mut scheduler = Scheduler::new(event(bots, 3), &[], &[], &mut ()).unwrap();
        let mut games = vec![0_usize; bots];
        while let Some(job) = scheduler.issue() {
            for bot in job.game.bots {
                games[bot] += 1;
            }
            if job.place % 2 == 1 {
                let spread = games.iter().max().unwrap() - games.iter().min().unwrap();
                assert!(spread <= 2 * (1 + bots % 2), "{bots}: {games:?}");
            }
        }
    }
}

#[test]
fn games_are_handed_out_within_a_distance_of_the_first_open_one() {
    let mut scheduler = Scheduler::new(event(2, 20), &[], &[], &mut ()).unwrap();
    let event = Arc::clone(scheduler.event());
    scheduler.keep_within(6);
    let slow = scheduler.issue().unwrap();
    let mut others = 0;
    while let Some(job) = scheduler.issue() {
        let record = fixture::record(&event, &job.game, GameResult::Draw, 1);
        scheduler.settle(job.place, Brief::of(&record, 0, 1), false);
        others += 1;
    }
    assert_eq!((others, scheduler.is_complete()), (5, false));
    scheduler.settle(slow.place, play(&event, &slow), false);
    assert_eq!(scheduler.issue().map(|job| job.place), Some(6));
}

#[test]
fn a_bot_that_changed_is_left_for_another_run() {
    let mut scheduler = Scheduler::new(event(3, 1), &[], &[], &mut ()).unwrap();
    let job = scheduler.issue().unwrap();
    scheduler.leave_out(job.place, [job.game.bots[0]]);
    let mut others = 0;
    while let Some(other) = scheduler.issue() {
        assert!(!other.game.bots.contains(&job.game.bots[0]));
        scheduler.settle(other.place, play(&scheduler.event().clone(), &other), false);
        others += 1;
    }
    assert_eq!((others, scheduler.is_complete()), (2, false));
    assert_eq!(scheduler.missing().count(), 4);
}

#[test]
fn what_fails_because_of_us_is_tried_again_and_then_left() {
    let mut scheduler = Scheduler::new(event(2, 1), &[], &[], &mut ()).unwrap();
    let event = Arc::clone(scheduler.event());
    for retries in 0..=RETRIES_MAX {
        let job = scheduler.issue().unwrap();
        assert_eq!((job.place, job.retries, job.game.repeat), (0, retries, retries.into()));
        let brief = Brief::of(&fixture::record(&event, &job.game, GameResult::Void, 1), 0, 1);
        assert_eq!(scheduler.settle(0, brief, false).tried_again, retries < RETRIES_MAX);
    }
    assert_eq!(scheduler.issue().map(|job| job.place), Some(1));
    assert_eq!(scheduler.void().count(), 4);
}

#[test]
fn a_game_is_void_only_once_because_of_a_missing_processor() {
    let mut scheduler = Scheduler::new(event(2, 1), &[], &[], &mut ()).unwrap();
    let event = Arc::clone(scheduler.event());
    let mut void = |starved| {
        let job = scheduler.issue().unwrap();
        scheduler.settle(0, Brief::of(&fixture::record(&event, &job.game, GameResult::Void, 1), 0, 1), starved);
        job.starved
    };
    assert_eq!([void(false), void(true), void(false), void(false)], [false, false, true, true]);
}

/// Adds the first pairing again, up to a number of times.
struct Again(u32);

impl Policy for Again {
    fn more(&mut self, scheduler: &Scheduler) -> Option<Addition> {
        let known = scheduler.total() / 2;
        let bots = [0, 1 + usize::from(scheduler.at(0)?.result == GameResult::Draw)];
        let pair = crate::format::Pair { round: known, opening: known, bots };
        (known < self.0).then(|| Addition { pairs: vec![pair; 2], openings: vec![Vec::new()], is_whole: false })
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn results_are_the_same_in_any_order_and_after_any_stop(
        bots in 3..7_usize,
        rounds in 1..4_u32,
        width in 1..9_usize,
        seed: u64,
        stop in 0..120_usize,
        extended: bool,
        is_stepwise: bool,
        games in 0..7_u32,
    ) {
        let event = if is_stepwise { stepwise(&event(bots, rounds)) } else { event(bots, rounds) };
        let event = with_strikes(&event, games);
        let pairs = bots * (bots - 1) / 2 * rounds as usize;
        let policy = || Again(if extended && !is_stepwise { pairs as u32 + 5 } else { 0 });
        let start = |journal: &[Brief], rounds: &[Round]| {
            Scheduler::new(Arc::clone(&event), journal, rounds, &mut policy()).unwrap()
        };
        let mut straight = start(&[], &[]);
        run(&mut straight, &mut policy(), 1, 0, usize::MAX);
        prop_assert!(straight.is_complete());

        let mut first = start(&[], &[]);
        let mut journal = run(&mut first, &mut policy(), width, seed, stop);
        let mut second = start(&journal, &[]);
        journal.extend(run(&mut second, &mut policy(), width, seed.wrapping_add(1), usize::MAX));
        prop_assert_eq!(outcome(&second), outcome(&straight));
        // Two independent arenas: all games of both, read in another order.
        journal.extend(run(&mut start(&[], &[]), &mut policy(), width, seed, stop));
        journal.reverse();
        let mut seen = HashSet::new();
        journal.retain(|brief| seen.insert(brief.id));
        let mut merged = start(&journal, &[]);
        run(&mut merged, &mut policy(), 1, 0, usize::MAX);
        prop_assert_eq!(outcome(&merged), outcome(&straight));
        // The games played show that none is left.
        let mut read = start(&journal, &[]);
        while read.decide(&mut policy()).is_some() {}
        prop_assert_eq!(read.issue(), None);
        prop_assert!(read.is_complete());
        prop_assert_eq!(outcome(&read), outcome(&straight));
    }

    /// Bots that cannot start stop no format whose next pairs follow from results, wherever they meet.
    #[test]
    fn a_stepwise_format_goes_on_without_bots_that_cannot_start(
        bots in 2..10_usize,
        rounds in 1..4_u32,
        dead: u16,
        starts in 1..5_u32,
        seed: u64,
        stop in 0..40_usize,
    ) {
        let dead: Vec<usize> = (0..bots).filter(|bot| dead >> bot & 1 == 1).collect();
        let strikes = StrikeLimits { starts: NonZeroU32::new(starts), ..StrikeLimits::default() };
        for format in crate::format::FORMATS.iter().filter(|format| format.is_stepwise()) {
            let event = event_of(format, bots, rounds, strikes);
            let start = |journal: &[Brief], decided: &[Round]| {
                Scheduler::new(Arc::clone(&event), journal, decided, &mut ()).unwrap()
            };
            let mut decided = Vec::new();
            let mut whole = start(&[], &[]);
            let mut journal = run_recorded(&dead, &mut whole, seed, &mut decided);
            // If no game of a decision counts, the machine may be at fault, and another run tries it once more.
            let is_done = |schedule: &Scheduler| schedule.is_complete() && schedule.missing().next().is_none();
            while !is_done(&whole) {
                let stuck = whole.missing().next().expect("it waits for a game").place;
                let ends = &whole.prefix.ends;
                let decision = ends.partition_point(|end| *end <= stuck);
                let from = decision.checked_sub(1).map_or(0, |before| ends[before]);
                let counts = (from..ends[decision]).filter_map(|place| whole.at(place)).any(|brief| brief.counts() && brief.bytes > 0);
                prop_assert!(!counts && journal.len() < 1_000, "{}: it stops", format.name);
                whole = start(&journal, &decided);
                journal.extend(run_recorded(&dead, &mut whole, seed, &mut decided));
            }
            let works = |bot: &usize| !dead.contains(bot);
            let met = whole.played().filter(|(game, _)| game.bots.iter().all(works)).count();
            // A king of the hill is never told who is withdrawn.
            let is_apart = met == 0 && bots - dead.len() >= 2 && format.name != KING_OF_THE_HILL.name;
            prop_assert!(!is_apart, "{}: {dead:?} keep the others apart", format.name);
            // Nothing is tried again in another run, and nothing depends on where one stopped.
            let mut again = start(&journal, &decided);
            prop_assert!(again.issue().is_none() && outcome(&again) == outcome(&whole), "{}", format.name);
            let mut parts = journal[..stop.min(journal.len())].to_vec();
            parts.extend(run_without(&dead, &mut start(&parts, &decided), seed.wrapping_add(1)));
            let mut resumed = start(&parts, &decided);
            while !is_done(&resumed) {
                let more = run_without(&dead, &mut resumed, seed.wrapping_add(2));
                prop_assert!(!more.is_empty(), "{}: it stops", format.name);
                parts.extend(more);
                resumed = start(&parts, &decided);
            }
            prop_assert_eq!(outcome(&resumed), outcome(&whole), "{}", format.name);
        }
    }

    #[test]
    fn decisions_are_read_and_not_made_again(bots in 3..6_usize, seed: u64, is_stepwise: bool) {
        let event = if is_stepwise { stepwise(&event(bots, 2)) } else { event(bots, 2) };
        let most = (bots * (bots - 1)) as u32 + 7;
        let mut scheduler = Scheduler::new(Arc::clone(&event), &[], &[], &mut ()).unwrap();
        let (mut rounds, mut journal) = (Vec::new(), Vec::new());
        let mut rng = crate::rng::Rng::new(seed);
        loop {
            while let Some(round) = scheduler.decide(&mut Again(if is_stepwise { 0 } else { most })) {
                rounds.push(round);
            }
            let mut jobs: Vec<Job> = std::iter::from_fn(|| scheduler.issue()).take(4).collect();
            if jobs.is_empty() {
                break;
            }
            rng.shuffle(&mut jobs);
            for job in jobs {
                journal.push(play(&event, &job));
                scheduler.settle(job.place, journal[journal.len() - 1], false);
            }
        }
        prop_assert!(!rounds.is_empty());
        let read = |journal: &[Brief], rounds: &[Round]| {
            Scheduler::new(Arc::clone(&event), journal, rounds, &mut ()).unwrap()
        };
        prop_assert_eq!(outcome(&read(&journal, &rounds)), outcome(&scheduler));
        // A decision on other results is history, and so is one by other strikes.
        let others = [Arc::new(Tournament { seed: event.seed + 1, ..event.as_ref().clone() }), with_strikes(&event, 1_000)];
        for other in others {
            let read = Scheduler::new(other, &journal, &rounds, &mut ()).unwrap();
            prop_assert_eq!(read.total(), if is_stepwise { 0 } else { (bots * (bots - 1) * 2) as u32 });
        }
    }
}
