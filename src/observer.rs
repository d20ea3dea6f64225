//! What happens in a run, for those who watch it. Observers cannot stop or change a run, and must not block it: one
//! that has slow work to do, does it elsewhere.

use std::path::PathBuf;
use std::sync::Arc;

use crate::event::{Event, LeftOut};
use crate::record::Record;
use crate::schedule::{Brief, Planned, TestStatus};

/// Something that happened in a run.
#[derive(Debug, Clone)]
pub enum RunEvent {
    /// Something worth knowing, in a sentence.
    Note(String),
    /// The bots are tried before the first game.
    Checking {
        /// Bots that were tried.
        tried: usize,
        /// Bots to be tried.
        bots: usize,
        /// Names of those that have not answered yet.
        waiting_for: Vec<String>,
    },
    /// A bot does not work, and does not play.
    LeftOut {
        /// Which, and why.
        bot: LeftOut,
        /// Where it can be read what it wrote.
        log: Option<PathBuf>,
    },
    /// The run begins.
    Begun {
        /// The tournament.
        event: Arc<Event>,
        /// Games in its schedule.
        games: u32,
        /// Those that are to be played.
        missing: u32,
        /// Whether a test may end it before the last game.
        may_end_early: bool,
    },
    /// A game ended and is in the journal.
    GameEnded {
        /// Which game of the schedule it is.
        game: Planned,
        /// What the schedule knows of it.
        brief: Brief,
        /// All that is known of it.
        record: Arc<Record>,
        /// It was void, and another attempt is made at once.
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
    /// A bot is not the one of the event any more: its game was thrown away, and it plays no other in this run.
    Gone {
        /// Its name.
        name: String,
        /// What has become of its files.
        change: String,
    },
    /// Games were added in view of the results.
    RoundAdded {
        /// Number of the decision, from 1.
        number: u32,
        /// Number of games that are not in the journal already.
        games: u32,
    },
    /// The test of a match has come further.
    TestChanged(TestStatus),
    /// Something went wrong that is worth knowing; it does not end the run.
    Warning(String),
    /// A signal came: games that run are finished, and no others begin.
    Stopping,
    /// The run is over.
    Over(Ending),
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Every game was tried.
    Complete,
    /// Some games were not tried: a signal came, a bot is gone, or too many failed because of us. What was running was
    /// finished, the rest is left for another run.
    Stopped,
    /// The second signal: running games were abandoned.
    Killed,
    /// A decision was reached: running games were abandoned, the rest need not be played.
    Enough,
}

/// Watches a run.
pub trait Observer: Send {
    /// Takes note of something that happened.
    fn observe(&mut self, event: &RunEvent);
}

/// Calls a function.
impl<F: FnMut(&RunEvent) + Send> Observer for F {
    fn observe(&mut self, event: &RunEvent) {
        self(event);
    }
}
