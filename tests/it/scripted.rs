//! An executor that starts no process: outcomes come from a function, in an order drawn from a seed. And a tournament to
//! be played with it.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arena::event::{Entry, Shard, Tournament};
use arena::executor::{Executor, Finished, JobOutcome};
use arena::journal::{self, Journal, JournalContents};
use arena::observer::{RunEnding, RunEvent};
use arena::record::{GameResult, Record, Status};
use arena::referee::Verdict;
use arena::report::{
    Results, ResultsOptions, bots_csv, crosstable_csv, games_csv, head_to_head_csv, rounds_csv, standings_csv,
};
use arena::results_folder::{Place, ResultsFolder};
use arena::rng::{Rng, derive_seed};
use arena::rules::Move;
use arena::schedule::{Brief, Job, Policy, Scheduler, record};
use arena::session::{Merged, merge, shard_dir};
use arena::tournament::{self, BotLogs, Run, Signals};

use crate::support::{LIMIT, until};

/// Plays by a function.
pub(crate) struct Scripted<F> {
    play: F,
    slots: usize,
    rng: Rng,
    /// The place of a game that ends once no other runs.
    slow: Option<u32>,
    waiting: VecDeque<Job>,
    running: Vec<Job>,
    closed: bool,
}

impl<F: FnMut(&Job) -> Record> Scripted<F> {
    /// Plays `slots` games at a time. `seed` says which of them ends next.
    pub(crate) fn new(slots: usize, seed: u64, slow: Option<u32>, play: F) -> Self {
        let (waiting, running) = (VecDeque::new(), Vec::new());
        Self { play, slots, rng: Rng::new(seed), slow, waiting, running, closed: false }
    }
}

impl<F: FnMut(&Job) -> Record> Executor for Scripted<F> {
    fn capacity(&self) -> usize {
        2 * self.slots
    }

    fn submit(&mut self, job: Job) {
        self.waiting.push_back(job);
    }

    fn take_back(&mut self, unwanted: &dyn Fn(&Job) -> bool) -> Vec<Job> {
        let (unwanted, kept): (Vec<Job>, Vec<Job>) = self.waiting.drain(..).partition(|job| unwanted(job));
        self.waiting = kept.into();
        unwanted
    }

    async fn next(&mut self) -> Option<JobOutcome> {
        while self.running.len() < self.slots
            && let Some(job) = self.waiting.pop_front()
        {
            self.running.push(job);
        }
        if self.running.is_empty() {
            return if self.closed { None } else { std::future::pending().await };
        }
        self.running.sort_by_key(|job| Some(job.place) == self.slow);
        let fast = self.running.iter().filter(|job| Some(job.place) != self.slow).count();
        let job = self.running.remove(self.rng.below(fast.max(1) as u64) as usize);
        let finished = Finished::new(&job, (self.play)(&job));
        Some(JobOutcome::Played(Box::new(finished), None))
    }

    fn close(&mut self) {
        self.closed = true;
        self.waiting.clear();
    }

    async fn abandon(&mut self) {
        self.running.clear();
        self.close();
    }
}

/// A tournament in a folder of its own.
pub(crate) struct Cup {
    dir: tempfile::TempDir,
    pub(crate) event: Arc<Tournament>,
    /// The place of a game that takes longer than all others.
    pub(crate) slow: Option<u32>,
    /// When no more games begin, from the start of each run.
    pub(crate) budget: Option<Duration>,
}

impl Cup {
    pub(crate) fn new(event: Tournament) -> Self {
        // In memory, if there is such a place: on a disk, most of the time of these tests is spent waiting for it.
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder");
        let (mut journal, _) = Journal::open(&folder(dir.path())).expect("a journal");
        journal.append_event(&event).expect("written");
        Self { dir, event: Arc::new(event), slow: None, budget: None }
    }

    /// Plays what is missing; returns how it ended and what observers were told.
    pub(crate) fn run(
        &self,
        slots: usize,
        seed: u64,
        policy: &mut dyn Policy,
        play: impl FnMut(&Job) -> Record,
    ) -> (RunEnding, Vec<RunEvent>) {
        let (mut journal, contents) = open(self.dir.path());
        let (games, rounds) = (&contents.games, &contents.rounds);
        let mut scheduler = Scheduler::new(Arc::clone(&self.event), games, rounds, policy).expect("a schedule");
        self.play(&mut scheduler, &mut journal, policy, Scripted::new(slots, seed, self.slow, play))
    }

    /// Plays the missing games of a shard, of the round that was decided last if there are any, and leaves the first
    /// `kept` of the lines of its journal, as a kill does.
    pub(crate) fn run_shard(
        &self,
        shard: Shard,
        kept: Option<usize>,
        seed: u64,
        play: impl FnMut(&Job) -> Record,
    ) -> RunEnding {
        let own = shard_dir(self.dir.path(), shard);
        let (mut journal, contents) = open(&own);
        let (_, all) = journal::read(&folder(self.dir.path())).expect("a journal");
        let games: Vec<Brief> = all.games.iter().map(|game| game.elsewhere()).chain(contents.games).collect();
        let event = Arc::clone(&self.event);
        let mut scheduler = Scheduler::new(event, &games, &all.rounds, &mut ()).expect("a schedule");
        let round = scheduler.is_stepwise().then(|| scheduler.decisions());
        scheduler.keep_to(shard, round);
        if contents.event.is_none() {
            journal.append_event(&self.event).expect("written");
        }
        let executor = Scripted::new(1 + seed as usize % 4, seed, None, play);
        let (ending, _) = self.play(&mut scheduler, &mut journal, &mut (), executor);
        if let Some(kept) = kept {
            let path = own.join(journal::FILE_NAME);
            let text = fs::read_to_string(&path).expect("a journal");
            let lines: Vec<&str> = text.split_inclusive('\n').take(kept).collect();
            fs::write(path, lines.concat()).expect("written");
        }
        ending
    }

    /// Puts the games of all shards together.
    pub(crate) fn merge(&self) -> Merged {
        let mut merged = None;
        until(LIMIT, "the journal can be opened", || {
            merged = merge(&folder(self.dir.path())).ok();
            merged.is_some()
        });
        merged.expect("shards")
    }

    fn play<F: FnMut(&Job) -> Record>(
        &self,
        scheduler: &mut Scheduler,
        journal: &mut Journal,
        policy: &mut dyn Policy,
        mut executor: Scripted<F>,
    ) -> (RunEnding, Vec<RunEvent>) {
        let mut told = Vec::new();
        let run = Run {
            scheduler,
            policy,
            journal,
            logs: BotLogs::open(&folder(self.dir.path()), []),
            signals: &mut Signals::default(),
            observer: &mut |event: &RunEvent| told.push(event.clone()),
            moves: None,
            deadline: self.budget.map(|budget| now() + budget),
            until: u32::MAX,
            rules_failed: &mut |_| Ok(None),
            tick: &mut |_, _| Ok(()),
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let ending = runtime.block_on(tournament::run(run, &mut executor)).expect("written");
        (ending, told)
    }

    /// The tables as they follow from the journal alone.
    pub(crate) fn tables(&self, policy: &mut dyn Policy) -> String {
        let (reader, contents) = journal::read(&folder(self.dir.path())).expect("a journal");
        let event = Arc::clone(&self.event);
        let scheduler = Scheduler::new(event, &contents.games, &contents.rounds, policy).expect("a schedule");
        let results = Results::new(&scheduler, &reader, ResultsOptions::default()).expect("a journal");
        let mut out = Vec::new();
        standings_csv(results.ranking(), &mut out).expect("written");
        crosstable_csv(results.ranking(), &mut out).expect("written");
        head_to_head_csv(results.ranking(), &mut out).expect("written");
        bots_csv(&results, &mut out).expect("written");
        games_csv(&results, &mut out).expect("written");
        if let Some(sheet) = scheduler.sheet() {
            rounds_csv(&results, &sheet, &mut out).expect("written");
        }
        String::from_utf8(out).expect("UTF-8")
    }

    /// The lines of the journal.
    pub(crate) fn lines(&self) -> Vec<String> {
        let text = fs::read_to_string(self.dir.path().join(journal::FILE_NAME)).expect("a journal");
        text.split_inclusive('\n').map(str::to_owned).collect()
    }

    /// Leaves these lines of the journal, as a kill does that comes after them.
    pub(crate) fn keep(&self, lines: &[String]) {
        fs::write(self.dir.path().join(journal::FILE_NAME), lines.concat()).expect("written");
    }
}

/// An open results folder.
fn folder(dir: &Path) -> ResultsFolder {
    Place::at(dir).create("another").expect("a folder")
}

/// A process that another test starts holds the lock, too, until it has begun.
fn open(dir: &Path) -> (Journal, JournalContents) {
    let mut opened = None;
    until(LIMIT, "the journal can be opened", || {
        opened = Journal::open(&folder(dir)).ok();
        opened.is_some()
    });
    opened.expect("a journal")
}

#[expect(clippy::disallowed_methods, reason = "a budget of time ends at a time")]
fn now() -> Instant {
    Instant::now()
}

/// Everybody against everybody.
pub(crate) fn event(bots: &[&str], rounds: u32) -> Tournament {
    Tournament {
        rounds,
        openings: (0..7).map(|column| vec![Move::Int(column)]).collect(),
        bots: bots.iter().map(|name| Entry::new(name, name, name)).collect(),
        ..Tournament::new("cup", &"connect4".parse().expect("a game"))
    }
}

/// The game as it ends for bots that are deterministic: by its id alone. `dead` fails to start.
pub(crate) fn ending(event: &Tournament, job: &Job, dead: Option<&str>) -> Record {
    let luck = derive_seed(7, "luck", &[job.game.id.to_string().as_bytes()]);
    let fails = job.game.bots.map(|bot| Some(event.bots[bot].id.name.as_str()) == dead);
    let result = match fails {
        [true, _] => GameResult::SecondWins,
        [_, true] => GameResult::FirstWins,
        _ => [GameResult::FirstWins, GameResult::Draw, GameResult::SecondWins][(luck % 3) as usize],
    };
    let statuses = fails.map(|fails| if fails { Status::StartupFailed } else { Status::Ok });
    let verdict =
        Verdict { result, reason: "as it is written".to_owned(), statuses, evidence: [None, None], rules: None };
    let mut record = record(event, &job.game, &job.opening, verdict);
    record.moves.push(Move::Int((luck % 1_000) as i64));
    record
}
