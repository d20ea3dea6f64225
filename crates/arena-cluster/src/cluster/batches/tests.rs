use std::collections::BTreeSet;
use std::sync::Arc;

use crate::fixture;
use arena_core::event::Tournament;
use arena_core::record::GameResult;
use arena_core::referee::Verdict;
use arena_core::schedule::{Brief, Scheduler, record};
use proptest::prelude::*;

use super::*;

const PACE: BatchPace = BatchPace { target: Duration::from_secs(60), grace: Duration::from_secs(120) };

fn event(rounds: u32) -> Tournament {
    let mut event = fixture::event(&["a", "b", "c"]);
    event.rounds = rounds;
    event
}

fn scheduler(rounds: u32) -> Scheduler {
    Scheduler::new(Arc::new(event(rounds)), &[], &[], &mut ()).unwrap()
}

fn played(event: &Tournament, job: &Job, result: GameResult) -> Finished {
    let verdict = Verdict::new(result, "test".to_owned());
    Finished::new(job, record(event, &job.game, &job.opening, verdict))
}

fn results(batch: u64, receipt: u64, games: Vec<Finished>, is_last: bool) -> BatchResults {
    BatchResults { batch, worker: "w".to_owned(), receipt, games, is_last, seconds_per_game: Some(1.0) }
}

fn presence(worker: &str, slots: usize, free: usize, batches: &[u64]) -> Presence {
    Presence { worker: worker.to_owned(), slots, free, batches: batches.to_vec() }
}

/// As the dispatcher does: submits while there is room. Returns the jobs.
fn fill(batches: &mut Batches, scheduler: &mut Scheduler) {
    batches.expect(scheduler.total().saturating_sub(scheduler.attempts()) as usize);
    while batches.jobs.len() < batches.capacity() {
        let Some(job) = scheduler.issue() else { break };
        batches.submit(job, 100);
    }
}

/// A batch as a worker gets it.
type Sent = (u64, u32, Vec<Job>);

fn publish(batches: &mut Batches, now: Duration) -> Vec<Sent> {
    let mut sent = Vec::new();
    while let Some(Batch { number, tries, jobs }) = batches.publish(now) {
        sent.push((number, tries, jobs.into_iter().cloned().collect()));
    }
    sent
}

#[test]
fn batches_are_as_long_as_the_target_and_shorter_towards_the_end() {
    let (mut scheduler, event) = (scheduler(1_000), event(1_000));
    let mut batches = Batches::new(PACE, [], 1);
    batches.presence(presence("w", 2, 0, &[]), Duration::ZERO);
    fill(&mut batches, &mut scheduler);
    let mut queue: VecDeque<Sent> = publish(&mut batches, Duration::ZERO).into();
    assert_eq!(queue.len(), 4, "two for each slot");
    assert!(queue.iter().all(|(.., jobs)| jobs.len() == 2), "nothing is measured yet");
    let (mut sizes, mut receipt) = (Vec::new(), 0);
    while let Some((number, _, jobs)) = queue.pop_front() {
        sizes.push(jobs.len());
        receipt += 1;
        let games = jobs.iter().map(|job| played(&event, job, GameResult::Draw)).collect();
        batches.results(results(number, receipt, games, true));
        while let Some(report) = batches.next_report() {
            let BatchReport::Played(finished) = report else { panic!("{report:?}") };
            scheduler.settle(finished.place, Brief::of(&finished.record, 0, 1), false);
            fill(&mut batches, &mut scheduler);
            queue.extend(publish(&mut batches, Duration::ZERO));
        }
    }
    assert!(scheduler.is_complete() && batches.is_idle());
    assert_eq!(sizes.iter().max(), Some(&60), "a minute");
    let full = sizes.iter().rposition(|size| *size == 60).unwrap();
    assert!(sizes[full..].windows(2).all(|two| two[0] >= two[1]), "{sizes:?}");
    assert!(sizes[sizes.len() - 4..].iter().all(|size| *size == 2), "{sizes:?}");
}

#[test]
fn a_lost_batch_is_published_again_and_then_in_halves_down_to_a_pair() {
    let mut scheduler = scheduler(2);
    let mut batches = Batches::new(PACE, [], 1);
    batches.measured = Some((0.01, 1.0));
    fill(&mut batches, &mut scheduler);
    let sent = publish(&mut batches, Duration::ZERO);
    let all: usize = sent.iter().map(|(.., jobs)| jobs.len()).sum();
    assert_eq!(all, 12);
    let mut queue: VecDeque<Sent> = sent.into();
    let (mut lost, mut tries_max) = (Vec::new(), 0);
    while let Some((number, tries, jobs)) = queue.pop_front() {
        assert!(jobs.chunks(2).all(|pair| pair.len() == 2 && pair[0].game.pair == pair[1].game.pair));
        tries_max = tries_max.max(tries);
        batches.lost(number, "it was lost");
        queue.extend(publish(&mut batches, Duration::ZERO));
        while let Some(report) = batches.next_report() {
            let BatchReport::Lost(job, why) = report else { panic!("{report:?}") };
            assert_eq!(why, "it was lost");
            lost.push(job.place);
        }
    }
    lost.sort_unstable();
    assert_eq!(lost, (0..12).collect::<Vec<_>>());
    assert!(batches.is_idle() && tries_max >= 2, "{tries_max}");
}

#[test]
fn a_batch_in_the_queue_is_not_lost_and_one_that_nobody_has_is() {
    let mut scheduler = scheduler(20);
    let mut batches = Batches::new(PACE, [], 1);
    // A pair is longer than the target.
    batches.measured = Some((60.0, 1.0));
    let seconds = Duration::from_secs;
    batches.presence(presence("w", 1, 0, &[]), Duration::ZERO);
    fill(&mut batches, &mut scheduler);
    let sent = publish(&mut batches, Duration::ZERO);
    assert_eq!(sent.len(), 4);
    // One slot is busy with the first batch for an hour; the others are in the queue.
    for second in 0..3_600 {
        batches.presence(presence("w", 1, 0, &[1]), seconds(second));
        batches.sweep(seconds(second));
    }
    assert!(publish(&mut batches, seconds(3_600)).is_empty());
    // Another one comes and finds nothing in the queue.
    for second in 3_600..3_605 {
        batches.presence(presence("w", 1, 0, &[1]), seconds(second));
        batches.presence(presence("v", 1, 1, &[]), seconds(second));
        batches.sweep(seconds(second));
        assert!(batches.again.is_empty(), "it may be about to get one");
    }
    batches.presence(presence("v", 1, 1, &[]), seconds(3_606));
    batches.sweep(seconds(3_606));
    // They come before new ones.
    let mut again = publish(&mut batches, seconds(3_606));
    again.truncate(3);
    let places = |sent: &[Sent]| sent.iter().map(|(_, tries, jobs)| (jobs[0].place, *tries)).collect::<Vec<_>>();
    assert_eq!(
        places(&again),
        [(2, 0), (4, 0), (6, 0)],
        "not the first, which w has; none of them counts as a failure"
    );
    // One of them is with a worker that is gone then.
    batches.presence(presence("u", 1, 0, &[again[0].0]), seconds(3_607));
    for second in 3_607..3_800 {
        batches.presence(presence("w", 1, 0, &[1]), seconds(second));
        batches.presence(presence("v", 1, 1, &[]), seconds(second));
        batches.sweep(seconds(second));
    }
    let again = publish(&mut batches, seconds(3_800));
    let again: Vec<Sent> = again.into_iter().filter(|(.., jobs)| jobs[0].place <= 6).collect();
    let mut again = places(&again);
    again.sort_unstable();
    assert_eq!(again, [(2, 1), (4, 0), (6, 0)]);
}

#[test]
fn a_worker_that_leaves_hands_back_the_rest_of_its_batch() {
    let (mut scheduler, event) = (scheduler(1), event(1));
    let mut batches = Batches::new(PACE, [], 1);
    batches.measured = Some((0.01, 1.0));
    batches.presence(presence("w", 1, 0, &[1]), Duration::ZERO);
    fill(&mut batches, &mut scheduler);
    let (number, _, jobs) = publish(&mut batches, Duration::ZERO).remove(0);
    batches.results(results(number, 1, vec![played(&event, &jobs[0], GameResult::Draw)], true));
    let again = publish(&mut batches, Duration::ZERO);
    assert_eq!((again[0].1, again[0].2[0].place), (0, jobs[1].place), "that is no loss");
}

#[test]
fn after_a_halt_what_no_worker_has_is_returned() {
    let (mut scheduler, event) = (scheduler(20), event(20));
    let mut batches = Batches::new(PACE, [], 1);
    // A pair is longer than the target.
    batches.measured = Some((60.0, 1.0));
    let seconds = Duration::from_secs;
    batches.presence(presence("w", 1, 0, &[1]), Duration::ZERO);
    fill(&mut batches, &mut scheduler);
    let sent = publish(&mut batches, Duration::ZERO);
    let held = batches.jobs.len();
    let (returned, halts) = batches.take_back(&|_| true, seconds(1));
    assert!(halts && returned.len() == held - 8);
    assert!(batches.publish(seconds(1)).is_none(), "there is nothing more");
    for second in 1..7 {
        batches.presence(presence("w", 1, 0, &[1]), seconds(second));
        batches.sweep(seconds(second));
    }
    let mut returned = Vec::new();
    while let Some(BatchReport::Returned(jobs)) = batches.next_report() {
        returned.extend(jobs.iter().map(|job| job.place));
    }
    assert_eq!(returned, [2, 3, 4, 5, 6, 7]);
    batches.results(results(1, 1, vec![played(&event, &sent[0].2[0], GameResult::Draw)], true));
    assert!(matches!(batches.next_report(), Some(BatchReport::Played(_))));
    assert!(matches!(batches.next_report(), Some(BatchReport::Returned(jobs)) if jobs.len() == 1));
    assert!(batches.is_idle());
}

#[test]
fn a_message_is_acknowledged_once_all_of_its_games_are_durable() {
    let mut known = scheduler(1);
    let (mut scheduler, event) = (scheduler(1), event(1));
    let mut batches = Batches::new(PACE, [], 1);
    let jobs: Vec<Job> = std::iter::from_fn(|| known.issue()).collect();
    // Two games, one of which is issued later: results of an earlier run.
    let games = [0, 3].map(|index| played(&event, &jobs[index], GameResult::Draw));
    batches.results(results(7, 9, games.into(), false));
    assert_eq!(batches.synced(), [0; 0]);
    batches.submit(scheduler.issue().unwrap(), 1);
    assert!(matches!(batches.next_report(), Some(BatchReport::Played(_))));
    assert_eq!(batches.synced(), [0; 0]);
    for _ in 0..3 {
        batches.submit(scheduler.issue().unwrap(), 1);
    }
    assert!(matches!(batches.next_report(), Some(BatchReport::Played(finished)) if finished.place == 3));
    assert_eq!(batches.synced(), [9]);
    batches.results(results(7, 10, Vec::new(), true));
    assert_eq!(batches.synced(), [10]);
}

#[test]
fn a_retry_that_the_worker_has_played_already_is_not_published() {
    let (mut scheduler, event) = (scheduler(1), event(1));
    let mut batches = Batches::new(PACE, [], 1);
    let job = scheduler.issue().unwrap();
    batches.submit(job.clone(), 1);
    let mut retry = job.clone();
    retry.game = fixture::attempt(&event, job.place, 1);
    let games = vec![played(&event, &job, GameResult::Void), played(&event, &retry, GameResult::Draw)];
    batches.results(results(1, 1, games, true));
    let Some(BatchReport::Played(void)) = batches.next_report() else { panic!() };
    let news = scheduler.settle(void.place, Brief::of(&void.record, 0, 1), false);
    assert!(news.tried_again && batches.next_report().is_none());
    batches.submit(scheduler.issue().unwrap(), 1);
    assert!(matches!(batches.next_report(), Some(BatchReport::Played(again)) if again.record.repeat == 1));
    assert!(batches.is_idle() && batches.publish(Duration::ZERO).is_none());
}

#[derive(Debug, Clone)]
enum Step {
    /// A worker plays some of a batch; how many, from which, whether the first is void, and whether it is the last message.
    Play {
        batch: usize,
        from: usize,
        games: usize,
        void: bool,
        is_last: bool,
    },
    /// The message before comes once more.
    Repeat,
    Lose(usize),
    TakeBack(u32),
    Sync,
    Republish,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let play = (0..8_usize, 0..8_usize, 0..6_usize, proptest::bool::weighted(0.2), any::<bool>())
        .prop_map(|(batch, from, games, void, is_last)| Step::Play { batch, from, games, void, is_last });
    let step = prop_oneof![
        12 => play,
        2 => Just(Step::Repeat),
        2 => (0..8_usize).prop_map(Step::Lose),
        1 => (2..5_u32).prop_map(Step::TakeBack),
        2 => Just(Step::Sync),
        1 => Just(Step::Republish),
    ];
    proptest::collection::vec(step, 0..60)
}

/// A scheduler, the batches, and all that was ever published: any of it may be delivered at any time.
struct World {
    event: Tournament,
    scheduler: Scheduler,
    batches: Batches,
    sent: Vec<Sent>,
    last: Option<(u64, Vec<Job>, bool, bool)>,
    receipts: u64,
    open_receipts: BTreeSet<u64>,
    issued: BTreeSet<(u32, GameId)>,
}

impl World {
    fn new(rounds: u32) -> Self {
        let mut batches = Batches::new(PACE, [], 1);
        batches.presence(presence("w", 1, 0, &[]), Duration::ZERO);
        let (sent, issued, open_receipts) = Default::default();
        let (event, scheduler) = (event(rounds), scheduler(rounds));
        Self { event, scheduler, batches, sent, last: None, receipts: 0, open_receipts, issued }
    }

    fn fill(&mut self) {
        self.batches.expect(self.scheduler.total().saturating_sub(self.scheduler.attempts()) as usize);
        while self.batches.jobs.len() < self.batches.capacity() {
            let Some(job) = self.scheduler.issue() else { break };
            assert!(self.issued.insert((job.place, job.game.id)), "the scheduler waits for the outcome");
            self.batches.submit(job, 100);
        }
        let new = publish(&mut self.batches, Duration::ZERO);
        for (_, _, jobs) in &new {
            for job in jobs {
                let partner = job.place ^ 1;
                let again = self.batches.again.iter().flat_map(|(piece, _)| piece);
                let mut waiting = self.batches.waiting.iter().chain(again);
                let held = &self.batches.jobs;
                let waits = |serial: &u64| {
                    held.is_waiting(*serial) && held.get(*serial).is_some_and(|job| job.place == partner)
                };
                assert!(!waiting.any(waits), "a pair is split");
            }
        }
        self.sent.extend(new);
    }

    fn reports(&mut self) {
        while let Some(report) = self.batches.next_report() {
            match report {
                BatchReport::Played(finished) => {
                    let id = GameId::of(&finished.record.id);
                    assert!(self.issued.remove(&(finished.place, id)), "one outcome for each job");
                    self.scheduler.settle(finished.place, Brief::of(&finished.record, 0, 1), finished.starved);
                }
                BatchReport::Again(finished) => {
                    let id = GameId::of(&finished.record.id);
                    assert!(self.scheduler.attempt(finished.place, id).is_some(), "it is known");
                }
                BatchReport::Returned(jobs) => {
                    for job in jobs {
                        assert!(self.issued.remove(&(job.place, job.game.id)));
                        self.scheduler.take_back(job.place);
                    }
                }
                BatchReport::Lost(job, why) => {
                    assert!(self.issued.remove(&(job.place, job.game.id)));
                    let void = record(&self.event, &job.game, &job.opening, Verdict::new(GameResult::Void, why));
                    self.scheduler.settle(job.place, Brief::of(&void, 0, 1), false);
                }
            }
        }
    }

    fn deliver(&mut self, number: u64, jobs: &[Job], void: bool, is_last: bool) {
        let result = |index| if void && index == 0 { GameResult::Void } else { GameResult::Draw };
        let games = jobs.iter().enumerate().map(|(index, job)| played(&self.event, job, result(index))).collect();
        self.receipts += 1;
        self.open_receipts.insert(self.receipts);
        self.batches.results(results(number, self.receipts, games, is_last));
    }

    fn sync(&mut self) {
        for receipt in self.batches.synced() {
            assert!(self.open_receipts.remove(&receipt), "a message is acknowledged once");
        }
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Play { batch, from, games, void, is_last } if !self.sent.is_empty() => {
                let (number, _, jobs) = self.sent[self.sent.len() - 1 - batch % self.sent.len()].clone();
                let from = from % jobs.len();
                let some = jobs[from..(from + games).min(jobs.len())].to_vec();
                self.deliver(number, &some, *void, *is_last);
                self.last = Some((number, some, *void, *is_last));
            }
            Step::Repeat => {
                if let Some((number, jobs, void, is_last)) = self.last.clone() {
                    self.deliver(number, &jobs, void, is_last);
                }
            }
            Step::Lose(batch) if !self.sent.is_empty() => {
                let number = self.sent[batch % self.sent.len()].0;
                self.batches.lost(number, "lost");
            }
            Step::TakeBack(modulus) => {
                let (jobs, _) = self.batches.take_back(&|job| job.game.pair % modulus == 0, Duration::ZERO);
                for job in jobs {
                    assert!(self.issued.remove(&(job.place, job.game.id)));
                    self.scheduler.take_back(job.place);
                }
            }
            Step::Sync => self.sync(),
            Step::Republish => self.batches.republish(),
            Step::Play { .. } | Step::Lose(_) => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn every_job_has_one_outcome_whatever_comes_when(steps in steps(), rounds in 1..6_u32) {
        let mut world = World::new(rounds);
        for step in &steps {
            world.fill();
            world.take(step);
            world.reports();
        }
        // From now on nothing goes wrong.
        loop {
            world.fill();
            world.reports();
            if world.batches.is_idle() && world.scheduler.is_complete() {
                break;
            }
            let numbers: Vec<u64> = world.batches.out.keys().copied().collect();
            prop_assert!(!numbers.is_empty(), "something is out as long as games are missing");
            for number in numbers {
                let sent = world.sent.iter().find(|(sent, ..)| *sent == number).cloned();
                let (_, _, jobs) = sent.expect("it was published");
                world.deliver(number, &jobs, false, true);
            }
        }
        world.sync();
        prop_assert!(world.issued.is_empty());
        // All but those with a game that was never issued again are acknowledged.
        let kept: BTreeSet<u64> = world.batches.early.values().map(|(_, receipt)| *receipt).collect();
        prop_assert_eq!(world.open_receipts, kept);
    }
}
