//! What happens in a run, for those who watch it. Observers cannot stop or change a run, and must not block it: one
//! that has slow work to do, does it elsewhere.

mod json_lines;
mod queue;

use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;

use crate::event::{Event, LeftOut};
use crate::record::Record;
use crate::rules::Move;
use crate::schedule::{Brief, Planned, TestStatus};

pub use json_lines::JsonLines;
pub use queue::{EventSender, Queued};

/// Something that happened in a run. As JSON it is an object whose `type` is the variant's name in `snake_case`.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RunEvent {
    /// Something worth knowing, in a sentence.
    Note {
        /// The sentence.
        text: String,
    },
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
        event: Arc<Event>,
        /// Games in its schedule.
        games: u32,
        /// Those that are to be played.
        missing: u32,
        /// Whether a test may end it before the last game.
        may_end_early: bool,
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
        /// Moves before it, those of the opening included.
        ply: usize,
        /// Who made it: 0 moves first, 1 second.
        seat: usize,
        /// The move.
        #[serde(rename = "move")]
        played: Move,
        /// Time it took, in microseconds.
        us: u64,
        /// The mover's opinion of the position, −1 to 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        eval: Option<f64>,
        /// The mover's remark.
        #[serde(skip_serializing_if = "Option::is_none")]
        comment: Option<String>,
    },
    /// More moves were made than could be observed.
    MovesDropped {
        /// Number of moves.
        count: usize,
    },
    /// A game ended and is in the journal.
    GameEnded {
        /// Which game of the schedule it is.
        game: Planned,
        /// What the schedule knows of it.
        #[serde(skip)]
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
    TestChanged {
        /// How far.
        status: TestStatus,
    },
    /// Something went wrong that is worth knowing; it does not end the run.
    Warning {
        /// What is wrong, in a sentence.
        text: String,
    },
    /// A signal came: games that run are finished, and no others begin.
    Stopping,
    /// The run is over.
    Over {
        /// How it ended.
        ending: Ending,
    },
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
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

    /// Finishes what it still has to do, once the run is over. What kept it from that is returned, in a sentence.
    fn finish(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// Whether it wants [`RunEvent::GameBegun`] and [`RunEvent::Moved`], which cost time.
    fn wants_moves(&self) -> bool {
        false
    }
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
}

/// Calls a function.
impl<F: FnMut(&RunEvent) + Send> Observer for F {
    fn observe(&mut self, event: &RunEvent) {
        self(event);
    }
}
