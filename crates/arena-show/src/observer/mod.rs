//! Events of a run, for observers. Observers cannot stop or change a run, and must not block it: slow work belongs on a
//! thread of the observer's own.

mod boards;
mod json_lines;
mod queue;

use std::path::PathBuf;
use std::sync::Arc;

use arena_core::event::{LeftOut, Tournament};
use arena_core::record::Record;
use arena_core::rules::Move;
use arena_core::schedule::{Brief, Planned, TestStatus};
use serde::Serialize;

use crate::views::Ranking;

pub use boards::{BoardWriter, Boards, Running};
pub use json_lines::JsonLines;
pub use queue::{EventSender, Queued};

/// Something that happened in a run. As JSON it is an object whose `type` is the variant's name in `snake_case`.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RunEvent {
    /// A message for people.
    Note {
        /// The sentence.
        text: String,
    },
    /// The bots are checked before the first game.
    Checking {
        /// Bots checked so far.
        tried: usize,
        /// Bots to be checked.
        bots: usize,
        /// Names of those that have not replied yet.
        waiting_for: Vec<String>,
    },
    /// A bot failed the check, and does not play.
    LeftOut {
        /// Its name and the cause.
        bot: LeftOut,
        /// The log of its output.
        log: Option<PathBuf>,
    },
    /// The run will take long.
    Estimate {
        /// Games that are to be played.
        games: u32,
        /// How long they take, from one move of each bot in the check and the length of random games.
        seconds: f64,
        /// It will hardly take longer, but may take much less: a bot was not tried.
        is_limit: bool,
    },
    /// The run begins.
    Begun {
        /// The tournament.
        event: Arc<Tournament>,
        /// Games in its schedule.
        games: u32,
        /// Games to be played.
        missing: u32,
        /// Whether a test or a budget may end the run before the last of these games.
        may_end_early: bool,
        /// Games of the whole tournament, as far as they are known; see
        /// [`Scheduler::expected`](arena_core::schedule::Scheduler::expected).
        #[serde(skip)]
        expected: Option<u32>,
    },
    /// A game begins. Sent, like moves, only to observers that ask for it.
    GameBegun {
        /// Its id in the journal.
        id: String,
        /// Its place in the schedule.
        place: u32,
        /// Round, from 1.
        round: u32,
        /// Names of the bots, by seat.
        bots: [String; 2],
        /// The moves it starts from.
        opening: Vec<Move>,
    },
    /// A move was made.
    Moved {
        /// Id of the game.
        id: String,
        /// Moves before it, including the opening.
        ply: usize,
        /// The mover: 0 moves first, 1 second.
        seat: usize,
        /// The move.
        #[serde(rename = "move")]
        played: Move,
        /// Time it took, in microseconds.
        us: u64,
        /// The mover's evaluation of the position, −1 to 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        eval: Option<f64>,
        /// The mover's comment.
        #[serde(skip_serializing_if = "Option::is_none")]
        comment: Option<String>,
    },
    /// Moves were dropped because the observer was too slow.
    MovesDropped {
        /// Number of moves.
        count: usize,
    },
    /// A game ended and is in the journal.
    GameEnded {
        /// The game's entry in the schedule.
        game: Planned,
        /// The game in brief.
        #[serde(skip)]
        brief: Brief,
        /// The full record.
        record: Arc<Record>,
        /// Whether it was void and is retried at once.
        tried_again: bool,
    },
    /// A bot is withdrawn.
    Withdrawn {
        /// Its name.
        name: String,
        /// Why, in one sentence.
        why: String,
        /// Games that it loses unplayed.
        games: usize,
    },
    /// The files of a bot have changed: its game was discarded, and it plays no other in this run.
    Gone {
        /// Its name.
        name: String,
        /// How its files have changed.
        change: String,
    },
    /// Games were added because of the results so far.
    RoundAdded {
        /// Number of the decision, from 1.
        number: u32,
        /// Number of games that must be played.
        games: u32,
        /// As in [`RunEvent::Begun`], by now.
        #[serde(skip)]
        expected: Option<u32>,
    },
    /// A match of a knockout or Swiss is over.
    MatchEnded {
        /// The round as people call it.
        stage: String,
        /// Names of its bots.
        bots: [String; 2],
        /// Their points.
        points: [f64; 2],
        /// The bot that won.
        winner: Option<String>,
        /// By what it was decided; empty for a draw.
        how: &'static str,
        /// Matches of the same stage, and how many of them are still open.
        of: usize,
        /// See `of`.
        open: usize,
        /// All of that for people.
        #[serde(skip)]
        line: String,
    },
    /// The state of a match's test has changed.
    TestChanged {
        /// The state.
        status: TestStatus,
    },
    /// The machines that play, if others do. Sent every few seconds while something changes.
    Workers {
        /// Number of workers.
        count: usize,
        /// Games that they play at a time.
        slots: usize,
        /// The first of them.
        workers: Vec<WorkerState>,
    },
    /// A problem that does not end the run.
    Warning {
        /// The problem, in a sentence.
        text: String,
    },
    /// A signal came: running games are finished, and no others begin.
    Stopping,
    /// The run is over.
    Over {
        /// How it ended.
        ending: RunEnding,
    },
}

/// A machine that plays games for this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WorkerState {
    /// Its id.
    pub id: String,
    /// Name of the machine.
    pub host: String,
    /// Class of the machine, such as `x86_64-linux`.
    pub class: String,
    /// Number of games at a time.
    pub slots: usize,
    /// Slots that have nothing to do.
    pub free: usize,
    /// Games that it has played, of all tournaments.
    pub games: u64,
    /// Name of the tournament that it plays.
    pub tournament: Option<String>,
    /// Games of this tournament that it has, and how many of them are played.
    pub now: [usize; 2],
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunEnding {
    /// Every game was tried.
    Complete,
    /// Some games were not tried: a signal came, the files of a bot have changed, or the arena failed too often. Running
    /// games were finished; the others are left for another run.
    Stopped,
    /// The second signal: running games were abandoned.
    Killed,
    /// Its budget of time is spent. Running games were finished; the others are left for another run.
    OutOfTime,
    /// The rules failed again when they were given the same game, or too often. Running games were finished.
    RulesFailed,
    /// The place up to which it was to play is reached; others follow.
    Paused,
    /// A decision was reached: running games were abandoned, the rest need not be played.
    Enough,
}

/// Receives the events of a run.
pub trait Observer: Send {
    /// Handles an event.
    fn observe(&mut self, event: &RunEvent);

    /// Finishes pending work after the run. Returns problems, one sentence each.
    fn finish(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// Whether it needs [`RunEvent::GameBegun`] and [`RunEvent::Moved`], which cost time.
    fn wants_moves(&self) -> bool {
        false
    }

    /// Takes the boards on which slots are to write their moves, if it looks at them now and then; returns whether it does.
    /// Cheaper than events of moves.
    fn watch(&mut self, _: &Arc<Boards>) -> bool {
        false
    }

    /// The standings were written: from time to time during a run, and with all other files after it.
    fn tables_written(&mut self, _: &Ranking) {}
}

/// Several observers; each gets every event.
#[derive(Default)]
pub struct Observers<'a>(pub Vec<Box<dyn Observer + 'a>>);

impl Observer for Observers<'_> {
    fn observe(&mut self, event: &RunEvent) {
        self.0.iter_mut().for_each(|observer| observer.observe(event));
    }

    fn finish(&mut self) -> Vec<String> {
        self.0.iter_mut().flat_map(|observer| observer.finish()).collect()
    }

    fn wants_moves(&self) -> bool {
        self.0.iter().any(|observer| observer.wants_moves())
    }

    fn watch(&mut self, boards: &Arc<Boards>) -> bool {
        let mut any = false;
        for observer in &mut self.0 {
            any |= observer.watch(boards);
        }
        any
    }

    fn tables_written(&mut self, ranking: &Ranking) {
        self.0.iter_mut().for_each(|observer| observer.tables_written(ranking));
    }
}

/// Calls the function for each event.
impl<F: FnMut(&RunEvent) + Send> Observer for F {
    fn observe(&mut self, event: &RunEvent) {
        self(event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Watcher(Option<Arc<Boards>>);

    impl Observer for &mut Watcher {
        fn observe(&mut self, _: &RunEvent) {}

        fn watch(&mut self, boards: &Arc<Boards>) -> bool {
            self.0 = Some(Arc::clone(boards));
            true
        }
    }

    #[test]
    fn every_observer_that_watches_boards_has_them() {
        let [mut first, mut second] = [Watcher::default(), Watcher::default()];
        let boards = Arc::default();
        let others = Observers(vec![Box::new(|_: &RunEvent| {})]);
        assert!(Observers(vec![Box::new(&mut first), Box::new(others), Box::new(&mut second)]).watch(&boards));
        assert!([first, second].iter().all(|it| it.0.as_ref().is_some_and(|seen| Arc::ptr_eq(seen, &boards))));
        assert!(!Observers(vec![Box::new(|_: &RunEvent| {})]).watch(&boards), "moves are not written if none looks");
    }
}
