//! What happened in the run, as the events tell it, for the thread that paints the page.

use std::collections::{BTreeMap, VecDeque};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use arena_core::event::Tournament;
use arena_core::format::Format;
use arena_core::record::{GameResult, Record};
use arena_core::text::counted;
use arena_show::observer::{RunEnding, RunEvent};
use arena_show::views::Ranking;
use arena_store::report::{Expectations, llr_text, with_margin};
use arena_sys::time::now;
use serde_json::Value;

use super::finished::FinishedGames;
use super::frames::{FrameKind, matches_frame, standings_frame, workers_json};

/// Results that are shown.
pub(super) const LAST_RESULTS: usize = 8;

/// What the observer adds to, and the painter takes from. Both hold it for microseconds.
#[derive(Debug, Default)]
pub(super) struct NewsInbox(Mutex<RunNews>);

/// What has happened since the start.
#[derive(Debug, Clone, Default)]
pub(super) struct RunNews {
    /// Whether anything has changed since it was last taken.
    pub(super) changed: bool,
    /// What happens now, in a word or two.
    pub(super) phase: String,
    pub(super) begun: Option<BegunRun>,
    pub(super) tally: GameSums,
    /// The latest results, the newest last.
    pub(super) last: VecDeque<LastGame>,
    /// What the newest standings let expect.
    expectations: Arc<Expectations>,
    /// The newest standings and matches, once.
    pub(super) tables: Vec<(FrameKind, String)>,
    /// The state of a match's test.
    pub(super) test: Option<String>,
    /// The machines that play for this one, if others do.
    pub(super) workers: Option<Value>,
    /// How it ended, once all files are written.
    pub(super) over: Option<RunEnding>,
}

/// A game that has just ended.
#[derive(Debug, Clone)]
pub(super) struct LastGame {
    pub(super) record: Arc<Record>,
    pub(super) is_upset: bool,
}

/// The run that began.
#[derive(Debug, Clone)]
pub(super) struct BegunRun {
    pub(super) event: Arc<Tournament>,
    /// Whether results determine the next games.
    pub(super) is_stepwise: bool,
    /// Whether a test or a budget may end it before the last of its games.
    pub(super) may_end_early: bool,
    pub(super) at: Instant,
}

/// Sums over the games of this run.
#[derive(Debug, Clone, Default)]
pub(super) struct GameSums {
    /// Games of the schedule.
    pub(super) games: u64,
    /// Games of the whole tournament, as far as they are known.
    pub(super) expected: Option<u64>,
    /// Games that are done, also those of earlier runs.
    pub(super) done: u64,
    /// Games played in this run, and void attempts.
    pub(super) played: u64,
    pub(super) void: u64,
    pub(super) plies: u64,
    /// Time in which bots thought, in microseconds.
    pub(super) thought_us: u64,
    /// Faults by their kinds.
    pub(super) faults: BTreeMap<&'static str, u64>,
}

impl NewsInbox {
    /// Adds an event.
    pub(super) fn add(&self, event: &RunEvent, finished: &FinishedGames) {
        match event {
            RunEvent::Checking { tried, bots, .. } => {
                self.change(|news| news.phase = format!("checking the bots: {tried} of {bots}"));
            }
            RunEvent::Begun { event, games, missing, may_end_early, expected } => self.change(|news| {
                let is_stepwise = Format::named(&event.format).is_some_and(Format::is_stepwise);
                "playing".clone_into(&mut news.phase);
                news.begun =
                    Some(BegunRun { event: Arc::clone(event), is_stepwise, may_end_early: *may_end_early, at: now() });
                news.tally.expected = expected.map(u64::from);
                news.tally.games = u64::from(*games);
                news.tally.done = u64::from(games - missing);
            }),
            RunEvent::GameEnded { game, brief, record, tried_again } => {
                finished.add(brief);
                self.change(|news| {
                    news.tally.add(record, *tried_again);
                    let is_upset = news.expectations.upset(game.bots, brief).is_some();
                    news.last.push_back(LastGame { record: Arc::clone(record), is_upset });
                    if news.last.len() > LAST_RESULTS {
                        news.last.pop_front();
                    }
                });
            }
            RunEvent::Withdrawn { games, .. } => self.change(|news| news.tally.done += *games as u64),
            RunEvent::RoundAdded { games, expected, .. } => self.change(|news| {
                news.tally.games += u64::from(*games);
                news.tally.expected = expected.map(u64::from);
            }),
            RunEvent::TestChanged { status } => {
                let llr = status.llr.map(|(llr, bounds)| llr_text(llr, bounds));
                let elo = status.elo.map(|elo| format!("{} Elo", with_margin(&elo)));
                let text: Vec<String> = llr.into_iter().chain(elo).collect();
                self.change(|news| news.test = Some(text.join(", ")));
            }
            RunEvent::Workers { count, slots, workers } => self.change(|news| {
                news.workers = Some(workers_json(*count, *slots, workers));
            }),
            RunEvent::Stopping => self.change(|news| "stopping after the current games".clone_into(&mut news.phase)),
            RunEvent::Over { .. } => self.change(|news| "writing the results".clone_into(&mut news.phase)),
            RunEvent::Note { .. }
            | RunEvent::LeftOut { .. }
            | RunEvent::Estimate { .. }
            | RunEvent::GameBegun { .. }
            | RunEvent::Moved { .. }
            | RunEvent::MovesDropped { .. }
            | RunEvent::Gone { .. }
            | RunEvent::MatchEnded { .. }
            | RunEvent::Warning { .. } => {}
        }
    }

    /// The standings are new. `is_complete`: no game is missing.
    pub(super) fn rank(&self, ranking: &Ranking, is_complete: bool) {
        // Standings follow games, and those a beginning.
        let Some(event) = self.lock().begun.as_ref().map(|begun| Arc::clone(&begun.event)) else { return };
        let standings = (FrameKind::Standings, standings_frame(ranking, &event, is_complete));
        let matches = matches_frame(ranking).map(|frame| (FrameKind::Matches, frame));
        let tables = [standings].into_iter().chain(matches).collect();
        let expectations = Arc::new(Expectations::of(ranking));
        self.change(|news| (news.tables, news.expectations) = (tables, expectations));
    }

    /// All files are written.
    pub(super) fn close(&self, ending: RunEnding) {
        self.change(|news| {
            news.over = Some(ending);
            let done = counted(news.tally.done as usize, "game");
            news.phase = match ending {
                RunEnding::Complete => format!("finished: {done}"),
                RunEnding::OutOfTime => format!("stopped by its budget after {done}"),
                RunEnding::Enough => format!("decided after {done}"),
                RunEnding::Stopped | RunEnding::Killed | RunEnding::RulesFailed | RunEnding::Paused => {
                    format!("stopped after {done}")
                }
            };
        });
    }

    /// What has happened, if anything is new.
    pub(super) fn take(&self) -> Option<RunNews> {
        let mut news = self.lock();
        if !mem::take(&mut news.changed) {
            return None;
        }
        let tables = mem::take(&mut news.tables);
        Some(RunNews { tables, ..news.clone() })
    }

    fn change(&self, change: impl FnOnce(&mut RunNews)) {
        let mut news = self.lock();
        change(&mut news);
        news.changed = true;
    }

    fn lock(&self) -> MutexGuard<'_, RunNews> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GameSums {
    fn add(&mut self, record: &Record, tried_again: bool) {
        for status in record.statuses.iter().filter(|status| status.is_fault()) {
            *self.faults.entry(status.name()).or_default() += 1;
        }
        if record.result == GameResult::Void {
            self.void += 1;
        } else {
            self.played += 1;
            self.plies += record.moves.len() as u64;
            self.thought_us += record.played.iter().map(|played| played.us).sum::<u64>();
        }
        self.done += u64::from(!tried_again);
    }
}
